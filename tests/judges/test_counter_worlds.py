"""Every claim can fail: a world in which it is false, and one too small to tell."""

import numpy as np
from counter_worlds import card_of

from dbench.claims import Verdict
from dbench.constructions.modular_sum import band_importance


def test_a_claim_is_rejected_where_it_is_false(claim_files, worlds):
    module = claim_files[worlds.file]
    judgement = card_of(module, worlds.card).judge(worlds.false(module))
    assert judgement.verdict in (Verdict.WEAKER, Verdict.ABSENT, Verdict.CONTRADICTED), judgement.reason


def test_a_claim_is_left_open_where_the_evidence_is_small(claim_files, small_worlds):
    module = claim_files[small_worlds.file]
    judgement = card_of(module, small_worlds.card).judge(small_worlds.small(module))
    assert judgement.verdict == Verdict.UNDECIDED, judgement.reason


def test_every_card_has_its_worlds_and_every_world_its_card(claim_files, cards, all_worlds):
    worlds = {id(card_of(claim_files[w.file], w.card)) for w in all_worlds}
    assert [(card.id, card.part) for card in cards if id(card) not in worlds] == []
    assert worlds <= {id(card) for card in cards}


def test_only_exact_claims_have_no_small_world(claim_files, all_worlds):
    for worlds in all_worlds:
        card = card_of(claim_files[worlds.file], worlds.card)
        if not callable(worlds.small):
            assert card.confidence == 1.0, worlds.card


def test_the_band_of_equal_halves_is_the_one_of_the_proof():
    matrix = band_importance(5)
    assert (np.sort(matrix, axis=0)[-2:] == 0.5).all()
    assert (matrix > 0).sum() == 10
