"""A session takes the fingerprint of the cards that it judges: one that is not as it was frozen does not pass."""

import sys

import pytest

SOURCE = """
CARD = card(part="a", confidence={level})

@CARD.covers
def test_holds():
    return around(0.8)
"""


@pytest.fixture
def frozen(session, pytester):
    """Freeze a card, and return a session that judges it in another form."""

    def frozen(source: str, *arguments: str):
        session(SOURCE.format(level=0.95), "-n0")
        assert pytester.run(sys.executable, "-m", "dbench", "claims", "freeze").ret == 0
        return session(source, "-n0", "--dbench-frozen=claims/frozen.json", *arguments)

    return frozen


def test_a_card_as_it_was_frozen_passes(frozen):
    done = frozen(SOURCE.format(level=0.95))
    assert (done.code, done.records["test_holds"]["unfrozen"]) == (0, "")


def test_a_card_changed_by_hand_is_broken_by_name_in_one_line(frozen):
    done = frozen(SOURCE.format(level=0.9))
    assert done.code == 1
    line = "card 'flaws.xor / synthetic / a' is not as it was frozen: confidence is 0.9, was 0.95; dbench claims freeze"
    assert line in done.records["test_holds"]["reason"]
    assert sum(line in shown for shown in done.text.splitlines()) == 1


def test_a_session_that_is_told_so_judges_by_it_and_its_record_says_so(frozen):
    done = frozen(SOURCE.format(level=0.9), "--dbench-unfrozen=allow")
    assert done.code == 0
    record = done.records["test_holds"]
    assert record["verdict"] == "reproduced"
    assert record["unfrozen"].endswith("confidence is 0.9, was 0.95")


def test_a_card_that_nobody_froze_is_refused_and_one_that_is_gone_is_named(frozen):
    done = frozen(SOURCE.format(level=0.95).replace('part="a"', 'part="b"'))
    assert done.code == 1
    assert "card 'flaws.xor / synthetic / b' is not frozen" in done.records["test_holds"]["reason"]
    assert "frozen, and no test covers it: card 'flaws.xor / synthetic / a'" in done.text


def test_evidence_at_fault_is_one_line_and_no_traceback(session):
    done = session(
        """
from dbench.errors import DamagedData

@card(part="a").covers
def test_holds():
    raise DamagedData("evidence was edited: micro/runs.parquet")
""",
        "-n0",
    )
    assert done.code == 1
    assert done.records["test_holds"]["reason"].endswith("evidence was edited: micro/runs.parquet")
    assert "Traceback" not in done.text
    assert done.verdicts == {"test_holds": "broken"}
