"""Worlds in which findings of Sepliarskaia et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, Worlds

from dbench_fixtures.counterexamples.mixtures import MIXTURE

HOWNOT_1, HOWNOT_2 = "hownot/test_2_1_characteristic_1", "hownot/test_2_2_characteristic_2"


WORLDS = [
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
]
