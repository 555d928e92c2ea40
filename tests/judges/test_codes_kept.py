"""Whether codes become informative as a strength grows, measured on models of known make."""

import numpy as np
from simulation import SimulatedPopulation

from dbench.claims.regime import CODES_KEPT, of_objectives

CODES = {"a": [[3.0, 9.0, 7.0], [3.0, 9.0, 8.0]], "b": [[9.0, 5.0, 3.0], [9.0, 5.0, 3.0]], "c": [[3.0, 4.0, 5.0]] * 2}
ZOO = SimulatedPopulation(
    {("kl.informative", o): np.array(found) for o, found in CODES.items()}, dict.fromkeys(CODES, (1.0, 2.0, 3.0))
)


def test_codes_gained_are_counted_from_the_lowest_to_the_highest_strength():
    found = CODES_KEPT.check(ZOO, ["a"])
    assert (found["value"], found["holds"]) == (4.5, False)
    assert CODES_KEPT.check(ZOO)["value"] == 4.5
    assert of_objectives(CODES_KEPT, "b").check(ZOO)["holds"]


def test_two_codes_more_are_too_many():
    assert (CODES_KEPT.check(ZOO, ["c"])["value"], CODES_KEPT.check(ZOO, ["c"])["holds"]) == (2.0, False)
