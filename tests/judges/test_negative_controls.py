"""Every claim can fail: where it is false by its own card, it is weaker, absent or contradicted."""

import numpy as np

from dbench.claims import CARD_ATTRIBUTE, Verdict
from dbench.claims.control import control
from dbench.constructions.spread_codes import band_importance


def test_every_primary_and_cell_names_its_negative_control(cards):
    assert [card.name for card in cards if card.role in ("primary", "cell") and not card.false] == []


def test_a_claim_is_refuted_by_its_negative_control(claim_files, claim_file_name):
    tests = {}
    for test in vars(claim_files[claim_file_name]).values():
        if getattr(getattr(test, CARD_ATTRIBUTE, None), "false", None):
            tests.setdefault(getattr(test, CARD_ATTRIBUTE).name, test)
    judged = {name: getattr(test, CARD_ATTRIBUTE).judge(control(test)) for name, test in tests.items()}
    refuting = (Verdict.WEAKER, Verdict.ABSENT, Verdict.CONTRADICTED)
    assert {name: found.reason for name, found in judged.items() if found.verdict not in refuting} == {}


def test_the_band_of_equal_halves_is_the_one_of_the_proof():
    matrix = band_importance(5)
    assert (np.sort(matrix, axis=0)[-2:] == 0.5).all()
    assert (matrix > 0).sum() == 10
