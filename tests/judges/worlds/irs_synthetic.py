"""Worlds in which constructed findings of Suter et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, rows

from dbench.codes import Sample
from dbench.constructions.causal import CausalProcess, random_process
from dbench.constructions.grid_codes import below_zero, factor_grid, together

CAUSAL, DEFINITION = "irs/test_3_causal_process", "irs/test_4_definition"
CONFOUNDING, SPECIAL = "irs/test_a_confounding", "irs/test_4_special_cases"
ESTIMATION, FEATURES = "irs/test_5_estimation", "irs/test_6_features"


def law_of_one(process, rng):
    """Change of p(x|g_1), which is no mechanism: it depends on the laws of the other factors."""

    def given_first(of_factors):
        law = CausalProcess(process.of_confounder, of_factors, process.of_observation).joint().sum(axis=(0, 2, 3))
        return law / law.sum(axis=-1, keepdims=True)

    return float(np.abs(given_first(process.of_factors) - given_first(random_process(rng).of_factors)).max())


def apart() -> Sample:
    """A code whose members follow a nuisance as well."""
    factors = factor_grid((5, 5, 3))
    return Sample(np.stack([factors[:, 0] + factors[:, 2], factors[:, 1] - factors[:, 2]], axis=1), factors)


def mixed() -> Sample:
    """A code that is half one factor and half another."""
    factors = factor_grid((5, 5, 5, 5))
    return Sample(np.column_stack([factors[:, 0] + factors[:, 1], factors[:, 2:]]).astype(float), factors)


def confounded(card, plain):
    """Codes of confounded factors whose weights are right where the finding is false, or are not, and few of them."""
    return (
        CONFOUNDING, card,
        lambda m: m.effect_of_first(getattr(m, card), 0.0 if plain else 0.9, reweight=plain, n=5_000),
        lambda m: m.effect_of_first(getattr(m, card), 0.6, reweight=not plain, n=2_000, repetitions=2),
    )  # fmt: skip


def linear(m, **options):
    test = m.test_the_estimator_is_linear_in_the_number_of_observations
    return test(cost=m.quadratic, confidence=m.LINEAR.confidence, **options)


WORLDS = rows(
    # The law of X given one factor is no mechanism.
    (CAUSAL, "PROPERTIES", {"number": "a, mechanism invariant", "statistic": law_of_one},
     {"number": "a, mechanism invariant", "processes": 20}),
    (DEFINITION, "ROBUST", {"function": "copy", "code": "sum"}, EXACT),
    (FEATURES, "DECEIVED", {"effect": "rare", "sample": mixed()}, {"effect": "rare", "splits": 2}),
    # Dimensions that are not dead belong in the average.
    (FEATURES, "WEIGHTED", {"size": 3.0}, {"repetitions": 2}),
    (DEFINITION, "BOUNDS", {}, {"codes": 20, "robust_only": True}),
    confounded("RECOVERS", plain=False),
    confounded("BIASED", plain=True),
    confounded("POSITIVITY", plain=False),
    (DEFINITION, "SMALLEST", lambda m: m.score_of_sample(below_zero(), [0], [0], [1]), EXACT),
    (DEFINITION, "LOWEST_D", lambda m: m.searched(best=True),
     lambda m: m.searched(best=True, codes=20, robust_only=True)),
    (SPECIAL, "PAIR", lambda m: m.score_of_sample(apart(), [0, 1], [0], [1, 2]), EXACT),
    (SPECIAL, "SUM_DIFFERENCE", lambda m: m.score_of_sample(m.sum_and_difference(1.0), [0, 1], [0, 1], [2]), EXACT),
    (SPECIAL, "MEMBERS", lambda m: m.best_member(m.angle()), EXACT),
    (SPECIAL, "FLAT", lambda m: m.movement(0.5), EXACT),
    (SPECIAL, "SLOPING", lambda m: m.movement(0.0), EXACT),
    (SPECIAL, "CONVERSE", lambda m: m.score_of_flat_lines(together()), EXACT),
    (ESTIMATION, "LINEAR", linear, lambda m: linear(m, turns=2)),
    (ESTIMATION, "OUTLIERS", lambda m: m.change_by_outliers(m.OUTLIERS, 10, size=1_000.0),
     lambda m: m.change_by_outliers(m.OUTLIERS, 100, repetitions=2)),
    (ESTIMATION, "LITTLE_DATA", lambda m: m.change_by_outliers(m.LITTLE_DATA, 1, size=0.0),
     lambda m: m.change_by_outliers(m.LITTLE_DATA, 1, repetitions=2)),
    (FEATURES, "INFORMATION", lambda m: m.information_score(mixed()), EXACT),
    (FEATURES, "IMPORTANCE", lambda m: m.importance_score(mixed()),
     lambda m: m.importance_score(m.disturbed("rare"), splits=2)),
    (FEATURES, "ROBUSTNESS", lambda m: m.robustness_score(m.disturbed("rare", clean=True)), EXACT),
    (FEATURES, "OWN_FACTOR", lambda m: m.own_robustness_score(m.disturbed("rare", clean=True)), EXACT),
    *((FEATURES, card, lambda m: m.change_by_bins(20, idle=True, than=3, n=500, samples=8),
       lambda m: m.change_by_bins(30, n=500, samples=2)) for card in ("BINS", "BINS_IDLE")),
    (FEATURES, "UNDERESTIMATES", lambda m: m.misjudged(1), lambda m: m.misjudged(None, samples=2, n=400)),
    (FEATURES, "AVOIDED", lambda m: m.misjudged(None), lambda m: m.misjudged(1, samples=2, n=400)),
    (DEFINITION, "NOISE", {"cell": 10, "signal": 5.0}, {"cell": 10, "repetitions": 2}),
    (DEFINITION, "AGREE", {"noisy": True}, {"grids": 5}),
    (SPECIAL, "SHIFT", {"weight": 2.0, "assumed": 0.0}, EXACT),
    (SPECIAL, "WITHSTANDS", {"sign": -1.0}, {"repetitions": 2}),
    (ESTIMATION, "STEADIER", {"fine": 3, "coarse": 10}, {"sets": 2}),
    (ESTIMATION, "LESS_SENSITIVE", {"effect": lambda nuisance, stream: 0 * nuisance}, {"samples": 2}),
    (ESTIMATION, "EXPONENTIAL", {"values": 1}, {"sets": 2}),
    (ESTIMATION, "WORKABLE", {"involved": 3, "n": 1_000}, {"involved": 1, "n": 2_000, "samples": 2}),
)  # fmt: skip
