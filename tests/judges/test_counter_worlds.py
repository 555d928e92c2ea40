"""Every claim can fail: a world in which it is false, and one too small to tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import pytest
import torch

from dbench.claims import Verdict
from dbench.claims.simulation import simulated_population
from dbench.codes import Sample
from dbench.seeds import generator
from dbench.stats import Estimate
from dbench_fixtures.counterexamples.entangling import entangling, householder
from dbench_fixtures.counterexamples.mixtures import MIXTURE
from dbench_fixtures.counterexamples.modular_sum import band_importance, modular_sum_cases
from dbench_fixtures.counterexamples.xor import xor_cases

Build = Callable[[ModuleType], Estimate]
EXACT = "computed exactly from one closed form or one matrix: no world is too small"


@dataclass(frozen=True)
class Worlds:
    """Worlds of one card: ``small`` may be a reason why none exists."""

    file: str
    card: str
    false: Build
    small: Build | str


def rng(name: str) -> np.random.Generator:
    return generator(test="counter-worlds", world=name)


def population(seeds: int = 10, **effects):
    return simulated_population(effects, generator=rng(",".join(effects)), seeds=seeds)


def trend(slope: float, noise: float = 1.0):
    return lambda objective, strengths, stream: slope * strengths + noise * stream.standard_normal(len(strengths))


def by_objective(objective, strengths, stream):
    return (objective == "beta_vae") * 10 + stream.standard_normal(len(strengths))


def by_strength(objective, strengths, stream):
    return strengths + 0.01 * stream.standard_normal(len(strengths))


def collisions(share: float):
    return lambda objective, strengths, stream: 2.0 * (stream.uniform(size=len(strengths)) < share)


def udr_world(seeds: int, related: float):
    """Build one hidden quality a model, of which UDR sees as much as ``related`` says."""
    variants = ("udr.lasso", "udr.spearman", "udr.lasso.all", "udr.spearman.all")

    def metric(objective, strengths, stream):
        return stream.standard_normal(len(strengths))

    effects = dict.fromkeys(("factor_vae", "mig", "dci"), metric)
    effects |= {v: (lambda o, s, stream: related * s + stream.standard_normal(len(s))) for v in variants}
    return simulated_population(effects, generator=rng("udr"), seeds=seeds)


def skewed(marginal: str = "uniform"):
    """A map that is no rotation: it squeezes one direction, and so changes the distribution."""
    return entangling(marginal, torch.tensor([[1.0, 0.6], [0.0, 1.0]], dtype=torch.float64))


def straight():
    """The identity, which entangles nothing."""
    return entangling("normal", torch.eye(3, dtype=torch.float64))


def proper():
    return entangling("uniform", householder(2, 0.146))


def openly(n, stream, **_):
    """Codes that each hold their factor openly."""
    factors = stream.integers(3, size=(n, 4))
    return Sample(factors + 0.01 * stream.standard_normal(factors.shape), factors)


def first_bit(n, stream):
    bits = stream.integers(2, size=(n, 2))
    return Sample(bits + 0.05 * stream.standard_normal(bits.shape), bits[:, :1])


def plain_copy(n, stream):
    codes = stream.uniform(size=(n, 2))
    return Sample(codes, codes[:, :1].copy())


def noise_codes(n, stream, *, n_codes, classes):
    return Sample(stream.standard_normal((n, n_codes)), stream.integers(classes, size=(n, n_codes)))


def aligned(n, stream):
    bits = stream.integers(2, size=(n, 2))
    return Sample(bits + 0.05 * stream.standard_normal(bits.shape), bits)


def cases_of(function) -> np.ndarray:
    bits = np.indices((2, 2)).reshape(2, -1)
    return np.stack([*bits, function(*bits)], axis=1)


UNRELATED_CASES = np.indices((2, 2, 2)).reshape(3, -1).T
THEOREM, TC, VARIANCE = "sober/test_3_impossibility", "sober/test_5_2_total_correlation", "sober/test_5_3_variance"
ALIGNMENT, DISTRIBUTED = "flaws/test_3_1_misalignment", "flaws/test_3_2_distributed"
HOWNOT_1, HOWNOT_2 = "hownot/test_2_1_characteristic_1", "hownot/test_2_2_characteristic_2"
INVARIANCES, SUPERVISED = "udr/test_3_invariances", "udr/test_4_supervised_metrics"
TC_EFFECTS = ("gaussian_tc.mean", "gaussian_tc.sampled", "gaussian_tc.mean.active", "gaussian_tc.sampled.active")


def tc_levels(mean: float, sampled: float, seeds: int = 10):
    levels = dict(zip(TC_EFFECTS, (mean, sampled, mean, sampled), strict=True))
    return population(
        seeds, **{name: (lambda o, s, g, c=c: c + g.standard_normal(len(s))) for name, c in levels.items()}
    )


WORLDS = [
    Worlds(
        THEOREM,
        "BIJECTION",
        false=lambda m: m.round_trip_error(skewed(), rng("skewed")),
        small=lambda m: m.round_trip_error(proper(), rng("small"), n=100),
    ),
    Worlds(
        THEOREM,
        "DISTRIBUTION",
        false=lambda m: m.joint_deviation(skewed(), rng("skewed")),
        small=lambda m: m.joint_deviation(proper(), rng("small"), n=2_000),
    ),
    Worlds(
        THEOREM,
        "JACOBIAN",
        false=lambda m: m.smallest_derivative(straight(), rng("straight")),
        small=lambda m: m.smallest_derivative(proper(), rng("small"), n=100),
    ),
    Worlds(
        TC,
        "SAMPLED_FALLS",
        false=lambda m: m.trend_with_strength(
            population(**{"gaussian_tc.sampled": trend(0)}), "beta_vae", "gaussian_tc.sampled"
        ),
        small=lambda m: m.trend_with_strength(
            population(2, **{"gaussian_tc.sampled": trend(-1)}), "beta_vae", "gaussian_tc.sampled"
        ),
    ),
    Worlds(
        TC,
        "MEAN_RISES",
        false=lambda m: m.trend_with_strength(
            population(**{"gaussian_tc.mean": trend(0)}), "beta_vae", "gaussian_tc.mean"
        ),
        small=lambda m: m.trend_with_strength(
            population(2, **{"gaussian_tc.mean": trend(1)}), "beta_vae", "gaussian_tc.mean"
        ),
    ),
    Worlds(
        TC,
        "MEAN_EXCEEDS_SAMPLED",
        false=lambda m: m.share_with_higher_mean(tc_levels(0, 2), "all"),
        small=lambda m: m.share_with_higher_mean(tc_levels(2, 0, seeds=2), "active"),
    ),
    Worlds(
        VARIANCE,
        "MINOR_PART",
        false=lambda m: m.share_of_objective(population(mig=by_objective), "mig"),
        small=lambda m: m.share_of_objective(population(2, mig=trend(0)), "mig"),
    ),
    Worlds(
        VARIANCE,
        "STRENGTH_ADDS",
        false=lambda m: m.share_added_by_strength(population(mig=by_objective), "mig"),
        small=lambda m: m.share_added_by_strength(population(2, mig=trend(1)), "mig"),
    ),
    Worlds(
        VARIANCE,
        "SEED_REMAINS",
        false=lambda m: m.share_left_to_seed(population(mig=by_strength), "mig"),
        small=lambda m: m.share_left_to_seed(population(2, mig=trend(0)), "mig"),
    ),
    Worlds(
        VARIANCE,
        "PUBLISHED",
        false=lambda m: m.mean_of(np.full(56, 0.8)),
        small=lambda m: m.mean_of(np.full(7, 0.3)),
    ),
    Worlds(
        VARIANCE,
        "PUBLISHED_ADDS",
        false=lambda m: m.mean_of(np.zeros(56)),
        small=lambda m: m.mean_of(np.full(7, 0.3)),
    ),
    Worlds(
        VARIANCE,
        "LUCK",
        false=lambda m: m.luck_against_choice(population(mig=by_strength), "beta_vae", "mig"),
        small=lambda m: m.luck_against_choice(population(2, mig=trend(0)), "beta_vae", "mig"),
    ),
    Worlds(
        ALIGNMENT,
        "GREEDY",
        false=lambda m: m.share_misaligned(aligned),
        small=lambda m: m.share_misaligned(samples=5),
    ),
    Worlds(
        ALIGNMENT,
        "INJECTIVE",
        false=lambda m: m.most_sharing(lambda matrix: matrix.argmax(axis=0)),
        small=lambda m: m.most_sharing(matrices=10),
    ),
    Worlds(
        ALIGNMENT,
        "TRAINED",
        false=lambda m: m.share_of_models(population(**{"alignment.collisions": collisions(0.0)})),
        small=lambda m: m.share_of_models(population(2, **{"alignment.collisions": collisions(0.5)})),
    ),
    Worlds(
        DISTRIBUTED,
        "ALONE",
        false=lambda m: m.information_alone(cases_of(np.bitwise_and)),
        small=lambda m: m.information_alone(xor_cases()[:3]),
    ),
    Worlds(
        DISTRIBUTED,
        "PAIR",
        false=lambda m: m.share_explained_by_pair(UNRELATED_CASES),
        small=lambda m: m.share_explained_by_pair(xor_cases()[:3]),
    ),
    Worlds(
        DISTRIBUTED,
        "LINEAR",
        false=lambda m: m.linear_strength(cases_of(np.bitwise_or)),
        small=lambda m: m.linear_strength(xor_cases()[:3]),
    ),
    Worlds(
        DISTRIBUTED,
        "LINEAR_CLASSIFIER",
        false=lambda m: m.linear_gain(first_bit, repetitions=5),
        small=lambda m: m.linear_gain(repetitions=2),
    ),
    Worlds(
        DISTRIBUTED,
        "KNOCK_OUT",
        false=lambda m: m.knock_out(hidden_pair=False),
        small=lambda m: m.knock_out(repetitions=2, n=300),
    ),
    Worlds(
        DISTRIBUTED,
        "CONTINUOUS_LINEAR",
        false=lambda m: m.continuous("linear", plain_copy),
        small=lambda m: m.continuous("linear", repetitions=2),
    ),
    Worlds(
        DISTRIBUTED,
        "CONTINUOUS_INFORMATION",
        false=lambda m: m.continuous("information", plain_copy),
        small=lambda m: m.continuous("information", repetitions=2),
    ),
    Worlds(
        DISTRIBUTED,
        "NO_INFORMATION",
        false=lambda m: m.band_information(*[modular_sum_cases(n_codes=3, classes=2)[0]] * 2),
        small=lambda m: m.band_information(*(a[:10] for a in modular_sum_cases(n_codes=3, classes=2))),
    ),
    Worlds(
        DISTRIBUTED,
        "BOUND",
        false=lambda m: m.band_excess(np.ones((16, 16))),
        small=EXACT,
    ),
    Worlds(
        DISTRIBUTED,
        "TREES",
        false=lambda m: m.tree_excess(12, 2, 300, noise_codes, repetitions=3),
        small=lambda m: m.tree_excess(4, 2, 200, repetitions=2),
    ),
    Worlds(
        DISTRIBUTED,
        "SNC_LOW",
        false=lambda m: m.snc_of_band(4, 3, openly, repetitions=5),
        small=lambda m: m.snc_of_band(4, 2, repetitions=2),
    ),
    Worlds(
        HOWNOT_1,
        "FACT_4",
        false=lambda m: m.score_of_mixtures(np.ones((3, 3))),
        small=lambda m: m.score_of_mixtures(MIXTURE, repetitions=2),
    ),
    Worlds(
        HOWNOT_1,
        "FACT_5",
        false=lambda m: m.score_of_matrix(np.ones((2, 2))),
        small=EXACT,
    ),
    Worlds(
        HOWNOT_2,
        "FACT_8",
        false=lambda m: m.sampled_score(power=1),
        small=lambda m: m.sampled_score(repetitions=2),
    ),
    Worlds(HOWNOT_2, "FACT_8_EXACT", false=lambda m: m.exact_score(power=1), small=EXACT),
    Worlds(
        INVARIANCES,
        "PERMUTATION",
        false=lambda m: m.change_of_udr(m.rotated, "spearman"),
        small=lambda m: m.change_of_udr(m.permuted, "spearman", samples=2),
    ),
    Worlds(
        INVARIANCES,
        "SIGN",
        false=lambda m: m.change_of_udr(m.rotated, "lasso"),
        small=lambda m: m.change_of_udr(m.flipped, "spearman", samples=2),
    ),
    Worlds(
        INVARIANCES,
        "SUBSET",
        false=lambda m: m.change_of_udr(m.subset(2), "spearman"),
        small=lambda m: m.change_of_udr(m.subset(5), "spearman", samples=2),
    ),
    Worlds(
        INVARIANCES,
        "CLOSED['permutation']",
        false=lambda m: m.change_in_closed_form(np.full((5, 5), 0.5), np.ones(5, dtype=bool)),
        small=EXACT,
    ),
    Worlds(
        INVARIANCES,
        "CLOSED['sign']",
        false=lambda m: m.change_in_closed_form(-np.full((5, 5), 0.5), np.ones(5, dtype=bool)),
        small=EXACT,
    ),
    Worlds(
        INVARIANCES,
        "CLOSED['subset']",
        false=lambda m: m.change_in_closed_form(*m.closed_form_case("subset")),
        small=EXACT,
    ),
    Worlds(
        SUPERVISED,
        "CORRELATES",
        false=lambda m: m.agreement_with_supervised(udr_world(10, related=0.0), "udr.lasso"),
        small=lambda m: m.agreement_with_supervised(udr_world(2, related=1.0), "udr.lasso"),
    ),
]


def card_of(module: ModuleType, expression: str):
    name, _, key = expression.partition("[")
    found = getattr(module, name)
    return found[key.strip("]'")] if key else found


@pytest.mark.parametrize("worlds", WORLDS, ids=[f"{w.file}-{w.card}" for w in WORLDS])
def test_a_claim_is_rejected_where_it_is_false(claim_files, worlds):
    module = claim_files[worlds.file]
    judgement = card_of(module, worlds.card).judge(worlds.false(module))
    assert judgement.verdict == Verdict.NOT_REPRODUCED, judgement.reason


SMALL = [worlds for worlds in WORLDS if callable(worlds.small)]


@pytest.mark.parametrize("worlds", SMALL, ids=[f"{w.file}-{w.card}" for w in SMALL])
def test_a_claim_is_left_open_where_the_evidence_is_small(claim_files, worlds):
    module = claim_files[worlds.file]
    judgement = card_of(module, worlds.card).judge(worlds.small(module))
    assert judgement.verdict == Verdict.INCONCLUSIVE, judgement.reason


def test_every_card_has_its_worlds_and_every_world_its_card(claim_files, cards):
    covered = {id(card) for found in cards.values() for card in found}
    worlds = {id(card_of(claim_files[w.file], w.card)) for w in WORLDS}
    missing = [(card.id, card.part) for found in cards.values() for card in found if id(card) not in worlds]
    assert not missing
    assert worlds <= covered


def test_only_exact_claims_of_one_case_have_no_small_world(claim_files):
    for worlds in WORLDS:
        card = card_of(claim_files[worlds.file], worlds.card)
        assert callable(worlds.small) == (not (card.confidence == 1.0 and card.min_n == 1)), worlds.card


def test_the_band_of_equal_halves_is_the_one_of_the_proof():
    matrix = band_importance(5)
    assert (np.sort(matrix, axis=0)[-2:] == 0.5).all()
    assert (matrix > 0).sum() == 10
