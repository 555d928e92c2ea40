"""Worlds in which findings of Sepliarskaia et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, rows

from dbench.constructions.battery import BATTERY
from dbench.constructions.powers import plain_powers

ONE, TWO, MIG, TABLE = (
    f"hownot/test_2_{name}" for name in ("1_characteristic_1", "2_characteristic_2", "2_mig", "3_table")
)
ONLY_BITS = {(2,): 1}
TWO_VALUES = np.array([0.0, 1.0])
# A battery in which nothing fools FactorVAE.
CAUGHT = {"one code for all": BATTERY["one code for all"]}
FACTOR_VAE = {"metric": "factor_vae"}


def several(codes, members):
    return (codes.changes[members].sum(axis=1) >= 2).all(axis=1)


def one_each(codes, members):
    return (codes.changes[members].sum(axis=1) == 1).all(axis=1)


WORLDS = rows(
    (ONE, "FACT_1", FACTOR_VAE | {"n_factors": 3, "captured": 3}, FACTOR_VAE | {"n_factors": 5, "repetitions": 2}),
    (ONE, "FACT_1_FIGURE", {"metric": "beta_vae", "n_factors": 5, "captured": 4}, EXACT),
    (ONE, "FACT_2", {"matrix": np.eye(11)}, EXACT),
    (ONE, "FACT_2_SAMPLED", {"straight": True, "n": 150}, {"repetitions": 2, "n": 60}),
    (ONE, "FACT_3", {"probabilities": np.full((3, 3), 1 / 3)}, {"repetitions": 2}),
    (ONE, "FACT_4", {"weights": np.ones((3, 3))}, {"repetitions": 2}),
    (ONE, "FACT_5", {"matrix": np.ones((2, 2))}, EXACT),
    (TWO, "FACT_6", {"power": 1}, {"repetitions": 2}),
    (TWO, "FACT_6_EXACT", {"power": 1}, EXACT),
    (TWO, "FACT_8", {"power": 1}, {"repetitions": 2}),
    (TWO, "FACT_8_EXACT", {"power": 1}, EXACT),
    (MIG, "AS_DEFINED", {"condition": several}, {"grids": ONLY_BITS}),
    (MIG, "AS_PROVED", {"condition": one_each}, {"grids": ONLY_BITS}),
    (MIG, "PARITY", {"codes": "parity alone"}, EXACT),
    (MIG, "SCALES", {"sizes": [12], "scales": 100}, {"sizes": [2], "scales": 5}),
    (MIG, "ESTIMATED", {}, {"scale": TWO_VALUES, "repetitions": 2}),
    (MIG, "POWERS_LIMIT", {"power": 15}, EXACT),
    (MIG, "LOW_AS_DEFINED", {"condition": one_each}, {"grids": {(2,): 2}}),
    (MIG, "LOW_PARITY", {"codes": "one to one"}, EXACT),
    (MIG, "LOW_POWERS", {"draw": plain_powers, "power": 1}, {"power": 1, "repetitions": 2}),
    (TABLE, "TABLE", FACTOR_VAE | {"number": 2, "battery": CAUGHT}, FACTOR_VAE | {"number": 2, "repetitions": 2}),
    (TABLE, "CHARACTERISTICS", {"codes": "spread", "representation": "straight"}, EXACT),
    (TABLE, "SPLIT", {"metric": "mig", "codes": "single", "representation": "spread"},
     {"metric": "mig", "codes": "single", "repetitions": 2}),
)  # fmt: skip
