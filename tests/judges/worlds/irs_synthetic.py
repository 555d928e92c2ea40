"""Worlds in which constructed findings of Suter et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, rows

from dbench.codes import Sample
from dbench.constructions.causal import CausalProcess, random_process
from dbench.constructions.grid_codes import factor_grid

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


def mixed(effect) -> Sample:
    """A code that is half one factor and half another."""
    factors = factor_grid((5, 5, 5, 5))
    return Sample(np.column_stack([factors[:, 0] + factors[:, 1], factors[:, 2:]]).astype(float), factors)


def undisturbed(*_) -> Sample:
    factors = factor_grid((5, 5, 5, 5))
    return Sample(factors.astype(float), factors)


def quadratic(codes, factors):
    """A cost that grows with the square: what comparing all pairs of observations would take."""
    return float(len(codes)) ** 2


RARE, FEW = {"effect": "rare"}, {"n": 2_000, "repetitions": 2}
THIRTY, SMALL = {"bins": 30, "n": 500, "samples": 2}, {"n": 400, "samples": 2}
WORLDS = rows(
    # The law of X given one factor is no mechanism.
    (CAUSAL, "PROPERTIES", {"number": "a, mechanism invariant", "statistic": law_of_one},
     {"number": "a, mechanism invariant", "processes": 20}),
    (DEFINITION, "ROBUST", {"function": "copy", "functions": {"copy": lambda f: f[:, 0] + f[:, 1]}}, EXACT),
    (FEATURES, "DECEIVED", RARE | {"sample": mixed}, RARE | {"splits": 2}),
    # Dimensions that are not dead belong in the average.
    (FEATURES, "WEIGHTED", {"size": 3.0}, {"repetitions": 2}),
    (DEFINITION, "BOUNDS", {}, {"codes": 20, "robust_only": True}),
    (CONFOUNDING, "RECOVERS", {"strength": 0.9, "reweight": False, "n": 5_000}, {"strength": 0.6} | FEW),
    (CONFOUNDING, "BIASED", {"strength": 0.0, "reweight": True, "n": 5_000}, {"strength": 0.6} | FEW),
    (CONFOUNDING, "POSITIVITY", {"strength": 0.9, "reweight": False, "n": 5_000}, {"strength": 0.6} | FEW),
    (DEFINITION, "SMALLEST", {}, EXACT),
    (DEFINITION, "LOWEST_D", {}, {"codes": 20, "robust_only": True}),
    (SPECIAL, "PAIR", {"sample": apart}, EXACT),
    (SPECIAL, "SUM_DIFFERENCE", {"sample": apart}, EXACT),
    (SPECIAL, "MEMBERS", {"sample": undisturbed}, EXACT),
    (SPECIAL, "FLAT", {"other": 0.5}, EXACT),
    (SPECIAL, "SLOPING", {"other": 0.0}, EXACT),
    (SPECIAL, "CONVERSE", {}, EXACT),
    (ESTIMATION, "LINEAR", {"cost": quadratic}, {"cost": quadratic, "turns": 2}),
    (ESTIMATION, "OUTLIERS", {"cell": 10, "size": 1_000.0}, {"cell": 100, "repetitions": 2}),
    (ESTIMATION, "LITTLE_DATA", {"size": 0.0}, {"repetitions": 2}),
    (FEATURES, "INFORMATION", RARE | {"sample": mixed}, EXACT),
    (FEATURES, "IMPORTANCE", RARE | {"sample": mixed}, RARE | {"splits": 2}),
    (FEATURES, "ROBUSTNESS", RARE | {"sample": undisturbed}, EXACT),
    (FEATURES, "OWN_FACTOR", RARE | {"sample": undisturbed}, EXACT),
    *((FEATURES, card, {"bins": 20, "idle": True, "than": 3, "n": 500, "samples": 8}, THIRTY)
      for card in ("BINS", "BINS_IDLE")),
    (FEATURES, "UNDERESTIMATES", {"features": 1}, SMALL),
    (FEATURES, "AVOIDED", {"features": None}, SMALL),
    (DEFINITION, "NOISE", {"cell": 10, "signal": 5.0}, {"cell": 10, "repetitions": 2}),
    (DEFINITION, "AGREE", {"noisy": True}, {"grids": 5}),
    (SPECIAL, "SHIFT", {"weight": 2.0, "assumed": 0.0}, EXACT),
    (SPECIAL, "WITHSTANDS", {"sign": -1.0}, {"repetitions": 2}),
    (ESTIMATION, "STEADIER", {"fine": 3, "coarse": 10}, {"sets": 2}),
    (ESTIMATION, "LESS_SENSITIVE", {"effect": lambda nuisance, stream: 0 * nuisance}, {"samples": 2}),
    (ESTIMATION, "EXPONENTIAL", {"values": 1}, {"sets": 2}),
    (ESTIMATION, "WORKABLE", {"involved": 3, "n": 1_000}, {"involved": 1, "n": 2_000, "samples": 2}),
)  # fmt: skip
