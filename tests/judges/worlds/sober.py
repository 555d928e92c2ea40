"""Worlds in which findings of A Sober Look about constructions and its Table 5 are false, or too small to tell."""

import numpy as np
import torch
from counter_worlds import rng, rows

from dbench.constructions.entangling import entangling, householder
from dbench.constructions.uncorrelated import parity_law

THEOREM, CONSEQUENCE, TC, VARIANCE = (
    f"sober/test_{name}" for name in ("3_impossibility", "3_consequence", "4_2_gaussian_tc", "5_3_variance")
)
# No rotation: it squeezes one direction, and so changes the distribution, which observations show.
SKEWED = torch.tensor([[1.0, 0.6], [0.0, 1.0]], dtype=torch.float64)
INDEPENDENT_BITS = np.indices((2, 2)).reshape(2, -1).T.astype(np.float64)
STRONG, HARDLY_MIXING = {"matrix": "d2-alpha0.146"}, {"matrix": "none", "of": {"none": householder(2, 0.001)}}
UNMOVED = {"score": "gaussian_total_correlation"}


def averages(card, false, small):
    """So many cells of the table, each of this value."""
    return VARIANCE, card, lambda m: m.mean_of(np.full(56, false)), lambda m: m.mean_of(np.full(7, small))


WORLDS = rows(
    (THEOREM, "THEOREM", lambda m: m.distribution(entangling("uniform", SKEWED), rng("skewed"), 0.95),
     lambda m: m.distribution(entangling("uniform", householder(2, 0.146)), rng("small"), 0.95, n=900)),
    (CONSEQUENCE, "ENTANGLED", {"metric": "sap"} | HARDLY_MIXING, {"metric": "mig", "repetitions": 2} | STRONG),
    (CONSEQUENCE, "BEST", {"metric": "mig", "entangled": True} | STRONG, {"metric": "mig", "repetitions": 2} | STRONG),
    (CONSEQUENCE, "UNMOVED", UNMOVED | {"matrix": "skewed", "of": {"skewed": SKEWED}},
     UNMOVED | STRONG | {"repetitions": 2}),
    (CONSEQUENCE, "WEAKLY", {"metric": "sap"} | HARDLY_MIXING,
     {"metric": "mig", "matrix": "d2-alpha0.01", "repetitions": 2}),
    (TC, "NEVER_HIGH", {"codes": "normal", "correlation": 1.0}, {"codes": "normal", "repetitions": 5}),
    (TC, "DEPENDENT_LAW", {"law": lambda: INDEPENDENT_BITS}, {"law": lambda: parity_law()[:3]}),
    averages("PUBLISHED", 0.8, 0.3),
    averages("PUBLISHED_ADDS", 0.0, 0.3),
    averages("PUBLISHED_SEED", 0.0, 0.4),
    averages("PUBLISHED_LESS", 0.2, -0.1),
    averages("AVERAGES", 0.06, 0.0),
)  # fmt: skip
