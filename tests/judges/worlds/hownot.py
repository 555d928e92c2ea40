"""Worlds in which findings of Sepliarskaia et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, Worlds

from dbench.metrics import beta_vae_metric, factor_vae
from dbench.stats import exact
from dbench_fixtures.counterexamples.battery import BATTERY
from dbench_fixtures.counterexamples.mixtures import MIXTURE
from dbench_fixtures.counterexamples.parity import parity_codes
from dbench_fixtures.counterexamples.powers import hidden_powers, plain_powers
from dbench_fixtures.counterexamples.rectangles import rectangles
from dbench_fixtures.counterexamples.stretched import stretched
from dbench_fixtures.counterexamples.uncaptured import beta_vae_limit, factor_vae_limit

HOWNOT_1, HOWNOT_2, MIG, TABLE = (
    f"hownot/test_2_{name}" for name in ("1_characteristic_1", "2_characteristic_2", "2_mig", "3_table")
)
TWO_VALUES = np.array([0.0, 1.0])
ONLY_BITS = {(2,): 1}
# Batteries in which nothing fools FactorVAE.
HARMLESS = {"straight": BATTERY["straight"]}
CAUGHT = {"one code for all": BATTERY["one code for all"]}

WORLDS = [
    Worlds(
        HOWNOT_1,
        "FACT_1_BETA",
        false=lambda m: m.score_of_uncaptured(beta_vae_metric, 3, 3),
        small=lambda m: m.score_of_uncaptured(beta_vae_metric, 5, repetitions=2),
    ),
    Worlds(
        HOWNOT_1,
        "FACT_1_FACTOR",
        false=lambda m: m.score_of_uncaptured(factor_vae, 3, 3),
        small=lambda m: m.score_of_uncaptured(factor_vae, 5, repetitions=2),
    ),
    # All but one of the factors captured are enough for BetaVAE.
    Worlds(HOWNOT_1, "FACT_1_BETA_LIMIT", false=lambda m: exact(beta_vae_limit(5, 4)), small=EXACT),
    Worlds(HOWNOT_1, "FACT_1_FACTOR_LIMIT", false=lambda m: exact(factor_vae_limit(5, 4)), small=EXACT),
    Worlds(HOWNOT_1, "FACT_2", false=lambda m: m.score_of_matrix(np.eye(11)), small=EXACT),
    Worlds(
        HOWNOT_1,
        "FACT_2_SAMPLED",
        false=lambda m: m.score_of_trees(straight=True, n=150),
        small=lambda m: m.score_of_trees(repetitions=2, n=60),
    ),
    Worlds(
        HOWNOT_1,
        "FACT_3",
        false=lambda m: m.score_of_copies(np.full((3, 3), 1 / 3)),
        small=lambda m: m.score_of_copies(repetitions=2),
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
        "FACT_6",
        false=lambda m: m.sampled_score(draw=plain_powers, power=1),
        small=lambda m: m.sampled_score(draw=plain_powers, power=15, repetitions=2),
    ),
    Worlds(HOWNOT_2, "FACT_6_EXACT", false=lambda m: m.exact_score_of_plain_powers(power=1), small=EXACT),
    Worlds(
        HOWNOT_2,
        "FACT_8",
        false=lambda m: m.sampled_score(power=1),
        small=lambda m: m.sampled_score(repetitions=2),
    ),
    Worlds(HOWNOT_2, "FACT_8_EXACT", false=lambda m: m.exact_score(power=1), small=EXACT),
    Worlds(
        MIG,
        "AS_DEFINED",
        false=lambda m: m.smallest(m.gaps(m.several_codes_each)),
        small=lambda m: m.smallest(m.gaps(m.one_code_each, ONLY_BITS)),
    ),
    Worlds(
        MIG,
        "AS_PROVED",
        false=lambda m: m.smallest(m.gaps(m.one_code_each)),
        small=lambda m: m.smallest(m.gaps(m.one_telling_code_each, ONLY_BITS)),
    ),
    Worlds(
        MIG,
        "SMALLEST",
        false=lambda m: m.score_of_law("parity alone"),
        small=lambda m: exact(1.0, n=2),
    ),
    Worlds(
        MIG,
        "SMALLEST_SAMPLED",
        false=lambda m: m.mean_score(parity_codes, codes="parity alone"),
        small=lambda m: m.mean_score(parity_codes, codes="one to one", repetitions=2),
    ),
    Worlds(
        MIG,
        "SCALES",
        false=lambda m: m.smallest_over_scales(sizes=[12], scales=100),
        small=lambda m: m.smallest_over_scales(sizes=[2], scales=5),
    ),
    Worlds(
        MIG,
        "STRETCHED",
        false=lambda m: m.mean_score(stretched),
        small=lambda m: m.mean_score(stretched, scale=TWO_VALUES, repetitions=2),
    ),
    Worlds(
        MIG,
        "POWERS",
        false=lambda m: m.mean_score(plain_powers),
        small=lambda m: m.mean_score(plain_powers, power=1, repetitions=2),
    ),
    Worlds(MIG, "POWERS_LIMIT", false=lambda m: m.limit_of_powers(15), small=EXACT),
    Worlds(
        MIG,
        "LOW_AS_DEFINED",
        false=lambda m: m.largest(m.gaps(m.one_code_each)),
        small=lambda m: m.largest(m.gaps(m.several_codes_each, {(2,): 2})),
    ),
    Worlds(
        MIG,
        "LOW_SMALLEST",
        false=lambda m: m.score_of_law("one to one"),
        small=lambda m: exact(0.0, n=2),
    ),
    Worlds(
        MIG,
        "LOW_SMALLEST_SAMPLED",
        false=lambda m: m.mean_score(parity_codes, codes="one to one"),
        small=lambda m: m.mean_score(parity_codes, codes="parity alone", repetitions=2),
    ),
    Worlds(
        MIG,
        "LOW_POWERS",
        false=lambda m: m.mean_score(plain_powers, power=1),
        small=lambda m: m.mean_score(hidden_powers, power=1, repetitions=2),
    ),
    Worlds(
        TABLE,
        "FAILS_1",
        false=lambda m: m.worst("factor_vae", has=True, battery=HARMLESS),
        small=lambda m: m.worst("factor_vae", has=True, repetitions=2),
    ),
    Worlds(
        TABLE,
        "FAILS_2",
        false=lambda m: m.worst("factor_vae", has=False, battery=CAUGHT),
        small=lambda m: m.worst("factor_vae", has=False, repetitions=2),
    ),
    Worlds(
        TABLE,
        "SATISFIES_1",
        false=lambda m: m.worst("mig", has=True),
        small=lambda m: m.worst("mig", has=True, battery=HARMLESS, repetitions=2),
    ),
    Worlds(
        TABLE,
        "SATISFIES_2",
        false=lambda m: m.worst("mig", has=False),
        small=lambda m: m.mean_score("mig", rectangles("spread"), "spread", repetitions=2),
    ),
    Worlds(
        TABLE,
        "SPLIT_HIGH",
        false=lambda m: m.mean_score("mig", rectangles("spread"), "spread"),
        small=lambda m: m.mean_score("mig", rectangles("single"), "single", repetitions=2),
    ),
    Worlds(
        TABLE,
        "SPLIT_LOW",
        false=lambda m: m.mean_score("mig", rectangles("straight"), "straight"),
        small=lambda m: m.mean_score("mig", rectangles("spread"), "spread", repetitions=2),
    ),
]
