import numpy as np
import pytest

from dbench.codes import FunctionSource, GridSource
from dbench.metrics import factor_vae

SIZES = (3, 4, 5)
QUICK = {"train_votes": 1000, "test_votes": 500, "variance_draws": 2000}


def test_idle_and_dead_codes_are_left_out_whatever_the_threshold(exact):
    idle = 0.01 * np.random.default_rng(0).normal(size=exact.shape)
    tenth = np.full(exact.shape, 0.1)  # of which no mean is exact
    for threshold, extra in ((0.05, idle), (0.05, 0 * exact), (0.0, 0 * exact), (0.0, tenth)):
        codes = np.concatenate([extra, exact], axis=1)
        result = factor_vae(GridSource(codes, SIZES), threshold=threshold, **QUICK)
        assert result.value == 1.0
        assert result.details["active"] == 3
        assert not result.relation[:3].any()


def test_codes_that_are_all_inactive_score_zero(exact):
    result = factor_vae(GridSource(0.1 * exact, SIZES), **QUICK)
    assert result.value == 0.0
    assert (result.details["active"], result.details["chance"], result.details["ceiling"]) == (0, 1 / 3, 1)
    assert factor_vae(GridSource(0.1 * exact, SIZES), threshold=0.001, **QUICK).value == 1.0


def test_noise_scores_about_chance():
    draw, encode = (lambda n, rng: rng.integers(3, size=(n, 4))), (lambda f, rng: rng.normal(size=(len(f), 5)))
    noise = FunctionSource(draw, encode, ("a", "b", "c", "d"))
    assert factor_vae(noise, **QUICK).value == pytest.approx(0.25, abs=0.08)


def test_the_majority_of_votes_is_the_prediction(exact):
    result = factor_vae(GridSource(exact, SIZES), **QUICK)
    assert result.relation.sum() == QUICK["train_votes"]
    assert result.per_factor.tolist() == [1.0, 1.0, 1.0]
    assert (result.details["train"], result.details["chance"], result.details["ceiling"]) == (1, 1 / 3, 1)


def test_a_code_that_never_won_a_training_vote_predicts_the_factor_that_won_most_votes(exact):
    seen = set()
    for seed in range(8):
        stream = np.random.default_rng(seed)
        result = factor_vae(GridSource(exact, SIZES), **QUICK | {"train_votes": 1}, generator=stream)
        # With one training vote, every code predicts the factor that was fixed in it.
        fixed = int(result.relation.sum(axis=0).argmax())
        assert result.per_factor.tolist() == [float(factor == fixed) for factor in range(3)]
        seen.add(fixed)
    assert seen == {0, 1, 2}


def test_continuous_factors_and_dependent_draws_can_be_scored():
    # Fact 4 of How Not to Measure: mixed codes that FactorVAE takes for perfect.
    mix = np.array([[0.5, 0.4, 0.5], [0.4, 0.5, 0.5], [0.4, 0.4, 0.6]])
    source = FunctionSource(lambda n, rng: rng.normal(size=(n, 3)), lambda z, rng: z @ mix.T, ("a", "b", "c"))
    assert factor_vae(source, batch=128, **QUICK).value > 0.9
