"""Worlds in which constructed findings of Duan et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, rows

AGREEMENT, ASSUMPTIONS, INVARIANCES = (f"udr/test_3_{name}" for name in ("agreement", "assumptions", "invariances"))
AXES, PROPERTIES = "udr/test_3_axes", "udr/test_5_metric_properties"
SPEARMAN = {"relation": "spearman"}


def monotone(factors, stream):
    return factors ** stream.uniform(0.5, 2, size=factors.shape[1])


def pairs(card):
    return AXES, card, {"relation": "lasso", "encode": monotone, "pairs": 6}, SPEARMAN | {"pairs": 2}


def herd(card, statistic):
    return AGREEMENT, card, lambda m: m.herd(lambda *arguments: -getattr(m, statistic)(*arguments), 0.95), {"sets": 2}


WORLDS = rows(
    (INVARIANCES, "INVARIANT", SPEARMAN | {"change": "rotation"}, SPEARMAN | {"change": "permutation", "samples": 2}),
    (INVARIANCES, "CLOSED", {"change": "mixed"}, EXACT),
    # Models that hardly mix score high too, and among such the best is found.
    (AGREEMENT, "SEPARATES", SPEARMAN | {"d": 5, "mixing": 0.2, "n": 200}, SPEARMAN | {"d": 5, "pairs": 2, "n": 200}),
    (AGREEMENT, "LONE", SPEARMAN | {"good": 1, "others": 0.3}, SPEARMAN | {"good": 1, "sets": 20}),
    (AGREEMENT, "UNLIKE_EXACT", {"d": 4, "matrix": np.eye(4)}, EXACT),
    herd("FOR_MODELS", "gain_for_models"),
    herd("PULLED", "pull"),
    herd("FOR_STRENGTHS", "for_strengths"),
    (AGREEMENT, "NOT_PUNISHED", SPEARMAN | {"partner": 1, "learnt": 1, "all_informative": True},
     SPEARMAN | {"partner": 2, "samples": 2}),
    (AGREEMENT, "HIGHER", SPEARMAN | {"all_informative": True, "samples": 10}, SPEARMAN | {"samples": 2}),
    (ASSUMPTIONS, "PCA", {"fit": "projections"}, EXACT),
    (ASSUMPTIONS, "PCA_SPEARMAN", {"fit": "projections"}, EXACT),
    (ASSUMPTIONS, "PCA_BOOTSTRAP", SPEARMAN | {"fit": "projections", "pairs": 6}, SPEARMAN | {"pairs": 2}),
    (ASSUMPTIONS, "SUITABLE_PCA", {"images": "projections", "fits": 14}, {"images": "same images", "fits": 2}),
    *map(pairs, ("CATEGORIES", "PHASES", "PLANES")),
    (AXES, "PHASE_EXACT", {"shift": 0.0}, EXACT),
    (AXES, "DISENTANGLED", lambda m: m.test_mig_sees_one_code_for_each_factor(m.planes, 0.95),
     lambda m: m.test_mig_sees_one_code_for_each_factor(m.categories, 0.95, models=2)),
    (AXES, "BLIND", lambda m: m.preference(m.lasso_udr, 0.95), {"samples": 2}),
    (AXES, "RSM_BLIND", lambda m: m.preference(m.lasso_udr, 0.95), {"samples": 2}),
    (AXES, "UDR_SEES", lambda m: m.preference(m.rsm, 0.95), {"samples": 2}),
    # A metric that is said to reward a property and does not.
    (PROPERTIES, "TABLE", {"metric": "dci", "trait": "modularity", "variant": "reference"},
     {"metric": "dci", "trait": "modularity", "variant": "packed", "repetitions": 2}),
    (ASSUMPTIONS, "SUITABLE_TELLS", {}, {"best_mixing": 0.9, "classes": 2}),
    (PROPERTIES, "BETA_VAE", {"k": 3, "missing": 2}, {"k": 3, "repetitions": 2}),
    (PROPERTIES, "FACTOR_VAE", {"k": 3, "missing": 0}, {"k": 3, "repetitions": 2}),
)  # fmt: skip
