"""Every claim can fail: where it is false by its own card, or in a world beside it, and where there is too little."""

from pathlib import Path

import numpy as np
import pytest
from counter_worlds import card_of

from dbench.claims import CARD_ATTRIBUTE, Verdict
from dbench.claims.control import control
from dbench.constructions.modular_sum import band_importance

CLAIMS = Path(__file__).parents[2] / "claims"
FILES = [path.relative_to(CLAIMS).with_suffix("").as_posix() for path in sorted(CLAIMS.glob("*/test_*.py"))]


@pytest.mark.parametrize("file", FILES)
def test_a_claim_is_refuted_by_its_negative_control(claim_files, file):
    tests = {}
    for test in vars(claim_files[file]).values():
        if getattr(getattr(test, CARD_ATTRIBUTE, None), "false", None):
            tests.setdefault(getattr(test, CARD_ATTRIBUTE).name, test)
    judged = {name: getattr(test, CARD_ATTRIBUTE).judge(control(test)) for name, test in tests.items()}
    assert {name: found.reason for name, found in judged.items() if not refutes(found)} == {}


def refutes(judgement) -> bool:
    return judgement.verdict in (Verdict.WEAKER, Verdict.ABSENT, Verdict.CONTRADICTED)


# In the old form: worlds beside the cards, for cards that name no ``false``.


def test_a_claim_is_rejected_where_it_is_false(claim_files, worlds):
    module = claim_files[worlds.file]
    card = card_of(module, worlds.card)
    if not card.false:
        judgement = card.judge(worlds.false(module))
        assert refutes(judgement), judgement.reason


def test_every_primary_and_cell_has_its_negative_control(claim_files, cards, all_worlds):
    worlds = {id(card_of(claim_files[w.file], w.card)) for w in all_worlds}
    without = [card.name for card in cards if card.role in ("primary", "cell") and not card.false]
    assert [card.name for card in cards if card.name in without and id(card) not in worlds] == []


def test_the_band_of_equal_halves_is_the_one_of_the_proof():
    matrix = band_importance(5)
    assert (np.sort(matrix, axis=0)[-2:] == 0.5).all()
    assert (matrix > 0).sum() == 10
