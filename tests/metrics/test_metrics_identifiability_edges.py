"""What goes wrong elsewhere with the family of identifiability, and what noise, copies and edges score here."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics import (
    dci_explicitness,
    dcimig,
    entropy,
    exact_copies,
    infoc,
    infoe,
    infom,
    jemmig,
    mcc,
    mig,
    mig_sup,
    minimality,
    posterior_mig,
    r2,
    sufficiency,
)

INFORMATION = [infom, infoc, mig_sup, dcimig, jemmig, minimality, sufficiency]


def noise(n, d, k=3, values=4, seed=0):
    rng = np.random.default_rng(seed)
    return Sample(rng.normal(size=(n, d)), rng.integers(values, size=(n, k)))


@pytest.mark.parametrize("metric", [mcc, partial(mcc, correlation="spearman")], ids=["pearson", "spearman"])
@pytest.mark.parametrize("d", [2, 200])
def test_mcc_of_noise_is_0_on_average_at_any_width(metric, d):
    scores = np.array([metric(noise(100, d, seed=seed)).value for seed in range(40)])
    assert abs(scores.mean()) < 3 * stats.sem(scores)


def test_mcc_takes_the_best_matching_of_all():
    a, b = np.random.default_rng(0).normal(size=(2, 1000))
    # Greedily the first code takes the first factor, which leaves the second code to one of which it knows nothing.
    codes = np.stack([a + b / 2, a], axis=1)
    assert mcc(codes, np.stack([a + b, a], axis=1)).value == pytest.approx((1.5 / np.sqrt(2.5) + 1) / 2, abs=0.01)


def test_factors_without_a_code_count_as_0_in_mcc():
    factors = np.random.default_rng(0).integers(4, size=(400, 4))
    result = mcc(1.0 * factors[:, :1], factors)
    assert result.value == pytest.approx(1 / 4)
    assert sorted(result.per_factor.round(9)) == [0, 0, 0, 1]


def test_r2_of_noise_is_0_however_many_codes_there_are():
    sample = noise(300, 100)
    in_sample = LinearRegression().fit(sample.codes, sample.factors).score(sample.codes, sample.factors)
    assert in_sample > 0.3  # what others report
    assert r2(sample).value == 0


def test_infoe_of_noise_is_0_however_many_codes_there_are():
    sample = noise(300, 60)
    x, y = sample.codes, sample.factors[:, 0]
    fitted = LogisticRegression(C=1e6, max_iter=1000).fit(x, y).predict_proba(x)
    assert 1 - log_loss(y, fitted) / np.log(4) > 0.2  # what others report
    assert infoe(sample).value == 0


def test_infoe_of_exact_copies_falls_with_the_values_of_a_factor():
    scores = [infoe(exact_copies(noise(2000, 1, k=1, values=values))).value for values in (2, 4, 16)]
    assert scores[0] > 0.99
    assert sorted(scores, reverse=True) == scores
    assert scores[-1] < 0.95


@pytest.mark.parametrize("metric", INFORMATION, ids=lambda metric: metric.__name__)
def test_noise_scores_what_is_stated_for_chance(metric):
    result = metric(noise(500, 6, values=6))
    assert result.value == pytest.approx(result.details["chance"], abs=0.12)
    assert result.details["chance"] < result.details["ceiling"]


@pytest.mark.parametrize("metric", [infom, infoc, mig_sup, dcimig], ids=lambda metric: metric.__name__)
def test_with_one_factor_or_one_code_nothing_is_divided_by_zero(metric):
    bit = np.arange(100) % 2
    assert metric(1.0 * bit, bit).value == pytest.approx(1)
    assert metric(np.zeros(100), bit).value == 0


def test_a_single_factor_has_a_second_of_0():
    bit = np.arange(100) % 2
    codes = np.stack([bit, np.arange(100) % 4], axis=1)
    assert dcimig(codes, bit).value == mig_sup(codes, bit).value == pytest.approx(1)


def test_infoc_falls_as_idle_codes_that_look_informed_are_added():
    sample = noise(500, 20)
    copies = exact_copies(sample).codes
    scores = [infoc(np.hstack([copies, sample.codes[:, :idle]]), sample.factors).value for idle in (0, 5, 20)]
    assert scores[0] > scores[1] > scores[2]
    assert scores[2] < 0.7


def test_mig_sup_leaves_constant_codes_out_and_counts_noise():
    sample = noise(2000, 3, values=4)
    copies = exact_copies(sample)
    idle = np.hstack([copies.codes, np.zeros((2000, 3))])
    assert mig_sup(idle, sample.factors).value == pytest.approx(mig_sup(copies).value)
    beside = mig_sup(np.hstack([copies.codes, sample.codes]), sample.factors).value
    assert beside == pytest.approx(mig_sup(copies).value / 2, abs=0.01)


def test_dcimig_weighs_factors_by_their_entropies():
    grid = np.tile(np.indices((2, 16)).reshape(2, -1).T, (10, 1))
    assert dcimig(1.0 * grid[:, 1:], grid).value == pytest.approx(4 / 5)
    assert dcimig(1.0 * grid[:, :1], grid).value == pytest.approx(1 / 5)


def test_jemmig_is_its_formula_in_nats():
    grid = np.tile(np.indices((4, 4)).reshape(2, -1).T, (10, 1))
    # Of both factors in one code of 16 values: joint entropy log 16, information log 4, no second.
    code = 1.0 * (4 * grid[:, 0] + grid[:, 1])
    expected = 1 - (np.log(16) - np.log(4)) / (np.log(4) + np.log(20))
    assert jemmig(code, grid).value == pytest.approx(expected)


def test_minimality_and_sufficiency_of_copies_are_1_however_dependent_factors_are():
    rng = np.random.default_rng(0)
    first = rng.integers(4, size=2000)
    factors = np.stack([first, np.where(rng.random(2000) < 0.7, first, rng.integers(4, size=2000))], axis=1)
    assert minimality(1.0 * factors, factors).value == pytest.approx(1)
    assert sufficiency(1.0 * factors, factors).value == pytest.approx(1)
    assert mig(1.0 * factors, factors).value < 0.7
    # A code of both factors is sufficient and not minimal, a coarse one is minimal and not sufficient.
    both, coarse = 1.0 * (4 * factors[:, 0] + factors[:, 1]), 1.0 * (factors[:, 0] // 2)
    assert sufficiency(both, factors).value == pytest.approx(1)
    assert minimality(both, factors).value < 0.75
    assert minimality(coarse, factors[:, :1]).value == pytest.approx(1)
    assert sufficiency(coarse, factors[:, :1]).value == pytest.approx(1 / 2, abs=0.01)


def test_codes_that_tell_nothing_are_not_explicit():
    scores = [dci_explicitness(noise(300, 5, seed=seed)).per_factor for seed in range(20)]
    assert np.mean(scores) < 0.1  # two standard errors let one factor in 40 pass
    assert dci_explicitness(np.ones((50, 2)), np.arange(50) % 3).value == 0


def test_posterior_mig_of_narrow_posteriors_is_exact():
    grid = np.tile(np.indices((2, 8)).reshape(2, -1).T, (20, 1))
    result = posterior_mig(Sample(1.0 * grid, grid), np.full(grid.shape, -20.0))
    assert result.per_factor == pytest.approx(1, abs=1e-6)
    twice = posterior_mig(Sample(1.0 * grid[:, [0, 0]], grid), np.full(grid.shape, -20.0))
    assert twice.value == pytest.approx(0, abs=1e-6)


def test_posterior_mig_takes_the_entropy_of_the_labels():
    bit = np.repeat([0, 1], [90, 10])[:, None]
    result = posterior_mig(Sample(1.0 * bit, bit), np.full((100, 1), -20.0))
    assert result.relation[0, 0] == pytest.approx(entropy(bit)[0], abs=1e-9)
    assert result.value == pytest.approx(1)


def test_posterior_mig_states_what_shuffled_codes_get():
    sample = noise(200, 3, k=2)
    wide, narrow = (posterior_mig(sample, np.full((200, 3), level)) for level in (0.0, -12.0))
    assert narrow.value == pytest.approx(narrow.details["chance"], abs=0.1)
    assert wide.details["chance"] < 0.02
    copies = posterior_mig(Sample(9.0 * sample.factors, sample.factors), np.zeros((200, 2)))
    assert copies.details["chance"] < 0.1 < 0.9 < copies.value


@pytest.mark.parametrize("logvar", [-800.0, 800.0])
def test_posteriors_that_floats_do_not_tell_from_points_or_from_flat_ones_are_scored(logvar):
    """A point shares its label with itself alone, whatever the label: every code knows all of it."""
    sample = noise(200, 3)
    score = posterior_mig(sample, np.full((200, 3), logvar))
    assert score.relation == pytest.approx(np.zeros((3, sample.n_factors)) + (logvar < 0) * entropy(sample.factors))


def test_posterior_mig_draws_no_row_twice_and_refuses_draws_in_which_a_factor_does_not_vary():
    three, flat = Sample(np.eye(3), [[0], [1], [2]]), np.zeros((3, 3))
    for seed in range(9):  # a row that is drawn twice is one label
        assert posterior_mig(three, flat, draws=2, generator=np.random.default_rng(seed)).details["rows"] == 2
    rare = Sample(np.eye(99), np.eye(99, 1, dtype=int))
    with pytest.raises(InvalidInput, match="factor_0"):
        posterior_mig(rare, np.zeros((99, 99)), draws=2, generator=np.random.default_rng(0))


@pytest.mark.parametrize("logvar", [np.zeros((200, 2)), np.full((200, 3), np.nan), 0.0])
def test_posterior_mig_refuses_other_shapes_and_what_is_not_finite(logvar):
    with pytest.raises(InvalidInput, match=r"logvar must (have the shape of the codes, .* got|be)"):
        posterior_mig(noise(200, 3), logvar)
    with pytest.raises(InvalidInput, match="discrete factors"):
        posterior_mig(Sample(np.zeros((9, 3)), np.random.default_rng(0).normal(size=(9, 1))), np.zeros((9, 3)))
