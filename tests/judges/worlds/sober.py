"""Worlds in which findings of A Sober Look about constructions and its Table 5 are false, or too small to tell."""

import numpy as np
import torch
from counter_worlds import rng, rows

from dbench.constructions.entangling import entangling, householder
from dbench.constructions.uncorrelated import independent_codes, parity_law
from dbench.stats import exact, mean_interval

THEOREM, CONSEQUENCE, TC, VARIANCE = (
    f"sober/test_{name}" for name in ("3_impossibility", "3_consequence", "4_2_gaussian_tc", "5_3_variance")
)
STRONG, NEARLY_NONE = householder(2, 0.146), householder(2, 0.001)
# No rotation: it squeezes one direction, and so changes the distribution, which observations show.
SKEWED = torch.tensor([[1.0, 0.6], [0.0, 1.0]], dtype=torch.float64)
INDEPENDENT_BITS = np.indices((2, 2)).reshape(2, -1).T.astype(np.float64)


def supervised(m, entangled: bool, repetitions: int = 3):
    return m.supervised("mig", STRONG, entangled=entangled, repetitions=repetitions)


def lowest(scores):
    return exact(min(scores), n=len(scores))


def averages(card, false, small):
    """So many cells of the table, each of this value."""
    return VARIANCE, card, lambda m: m.mean_of(np.full(56, false)), lambda m: m.mean_of(np.full(7, small))


WORLDS = rows(
    (THEOREM, "THEOREM", lambda m: m.distribution(entangling("uniform", SKEWED), rng("skewed"), 0.95),
     lambda m: m.distribution(entangling("uniform", STRONG), rng("small"), 0.95, n=900)),
    (CONSEQUENCE, "ENTANGLED", lambda m: mean_interval(m.supervised("sap", NEARLY_NONE, entangled=True)),
     lambda m: mean_interval(supervised(m, True, 2))),
    (CONSEQUENCE, "BEST", lambda m: lowest(supervised(m, True)), lambda m: lowest(supervised(m, False, 2))),
    (CONSEQUENCE, "UNMOVED", lambda m: m.moved("gaussian_total_correlation", SKEWED, 0.95),
     lambda m: m.moved("gaussian_total_correlation", STRONG, 0.95, repetitions=2)),
    (CONSEQUENCE, "WEAKLY", lambda m: mean_interval(m.supervised("sap", NEARLY_NONE, entangled=True)),
     lambda m: mean_interval(supervised(m, True, 2))),
    (TC, "NEVER_HIGH", lambda m: m.largest(independent_codes, "normal", correlation=1.0),
     lambda m: m.largest(independent_codes, "normal", repetitions=5)),
    (TC, "DEPENDENT_LAW", lambda m: m.total_correlation_of_law(INDEPENDENT_BITS),
     lambda m: m.total_correlation_of_law(parity_law()[:3])),
    averages("PUBLISHED", 0.8, 0.3),
    averages("PUBLISHED_ADDS", 0.0, 0.3),
    averages("PUBLISHED_SEED", 0.0, 0.4),
    averages("PUBLISHED_LESS", 0.2, -0.1),
    averages("AVERAGES", 0.06, 0.0),
)  # fmt: skip
