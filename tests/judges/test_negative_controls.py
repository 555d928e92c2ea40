"""Every claim can fail: where it is false by its own card, it is weaker, absent or contradicted."""

import numpy as np
import pytest

from dbench.claims import CARD_ATTRIBUTE, Verdict
from dbench.claims.control import control
from dbench.constructions.spread_codes import band_importance

# Each takes seconds, and a quicker control of the same finding or metric is asked on every run.
SLOW = {
    "flaws.nk-cheaper-than-dci / synthetic": "flaws/test_4_3_nk",
    "flaws.xor / synthetic / knock-out": "flaws/test_3_2_distributed",
    "hownot.fact-2 / synthetic / boosted trees": "hownot/test_2_1_characteristic_1",
    "hownot.fact-3 / synthetic": "hownot/test_2_1_characteristic_1",
    "sober.mig-differs-at-equal-disentanglement / synthetic / other order than DCI": "sober/test_6_1_differences",
}


def covering_tests(module):
    """The first test of each card of a file that names a negative control, by the name of the card."""
    covered = [test for test in vars(module).values() if getattr(getattr(test, CARD_ATTRIBUTE, None), "false", None)]
    return {getattr(test, CARD_ATTRIBUTE).name: test for test in reversed(covered)}


def not_refuted(tests):
    """Why, by name of the card, where the word on its negative control does not speak against the sentence."""
    judged = {name: getattr(test, CARD_ATTRIBUTE).judge(control(test)) for name, test in tests.items()}
    refuting = (Verdict.WEAKER, Verdict.ABSENT, Verdict.CONTRADICTED)
    return {name: found.reason for name, found in judged.items() if found.verdict not in refuting}


def test_every_primary_and_cell_names_its_negative_control(cards):
    assert [card.name for card in cards if card.role in ("primary", "cell") and not card.false] == []


def test_a_claim_is_refuted_by_its_negative_control(claim_files, claim_file_name):
    tests = covering_tests(claim_files[claim_file_name])
    assert not_refuted({name: test for name, test in tests.items() if name not in SLOW}) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("name", SLOW)
def test_a_claim_is_refuted_by_a_negative_control_that_takes_seconds(claim_files, name):
    assert not_refuted({name: covering_tests(claim_files[SLOW[name]])[name]}) == {}


def test_the_band_of_equal_halves_is_the_one_of_the_proof():
    matrix = band_importance(5)
    assert (np.sort(matrix, axis=0)[-2:] == 0.5).all()
    assert (matrix > 0).sum() == 10
