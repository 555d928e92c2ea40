"""Too little to tell: fewer units than a card asks for decide nothing, and some rules say so of enough units."""

import math

import pytest
from calibration.families import ROWS
from calibration.models import rng

from dbench.claims import CARD_ATTRIBUTE, Verdict
from dbench.stats import Estimate
from dbench_published import flaws_correlations as paper


def inside(card, n: int) -> Estimate:
    """Build an estimate that the card's rule calls 'reproduced', of so many units."""
    low, high = max(card.rule.low, card.bounds[0]), min(card.rule.high, card.bounds[1])
    low, high = (high - 1 if math.isinf(low) else low), (low + 1 if math.isinf(high) else high)
    middle, half = (low + high) / 2, (high - low) / 4
    return Estimate(middle, n, None if card.confidence == 1 else lambda level: (middle - half, middle + half))


def test_fewer_units_than_a_card_asks_for_decide_nothing(cards):
    asked = [card for card in cards if card.min_n > 1]
    few, enough = ({card.name: card.judge(inside(card, card.min_n - less)) for card in asked} for less in (1, 0))
    assert {name for name, found in few.items() if found.verdict is not Verdict.UNDECIDED} == set()
    assert {name for name, found in enough.items() if not found.verdict.holds} == set()
    assert {found.settles_at for found in few.values()} == {card.min_n for card in asked}


@pytest.mark.parametrize(("name", "effect"), [("CORRELATES", 0.3), ("ORDER", 0.3), ("OVER_D", 0.7), ("NO_BETTER", 0.7)])
def test_six_systems_leave_open_which_metric_goes_with_novel_combinations(name, effect):
    row = next(row for row in ROWS if row.file == "flaws/test_5_3_novel_combinations" and row.name == name)
    judgement = row.claim.judge(row.estimate(row.draw(effect, test="six systems")))
    assert judgement.verdict is Verdict.UNDECIDED
    assert "would settle it" in judgement.reason


@pytest.mark.parametrize(("name", "given"), [("CORRELATES", {"metric": "snc"}), ("ALL_CORRELATE", {})])
def test_the_six_pairs_of_3dshapes_leave_open_what_goes_with_them_by_chance(claim_files, name, given):
    def scores(version, population_of):
        n = len(paper.novel(version, population_of))
        return {metric: rng(metric).standard_normal(n) for metric in [*paper.OWN, *paper.EXISTING]}

    module = claim_files["flaws/test_5_3_published_tables"]
    claim = getattr(module, name)
    test = next(one for one in vars(module).values() if getattr(one, CARD_ATTRIBUTE, None) is claim)
    judgement = claim.judge(test(population_of="3dshapes", scores=scores, **given))
    assert judgement.verdict is Verdict.UNDECIDED
    assert "would settle it" in judgement.reason
