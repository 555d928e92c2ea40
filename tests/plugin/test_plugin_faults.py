"""Faults around a session end with one clear line and the right exit code."""

import sys

import pytest

COVERS = """
CARD = card()

@CARD.covers
def test_holds():
    {body}
    return around(0.8)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="no folder that nobody can write")
def test_a_report_folder_that_is_there_but_cannot_be_written_is_refused_before_the_first_test(session):
    outcome = session(COVERS.format(body="open('ran', 'w').close()"), "--dbench-report=/proc")
    assert outcome.code == 4
    assert "the report must go to a folder that can be written, got '/proc'" in outcome.text
    assert "Traceback" not in outcome.text
    assert not (outcome.folder / "ran").exists()


def test_a_session_whose_report_could_not_be_written_says_its_verdicts_all_the_same(session):
    taken = "import shutil; shutil.rmtree('out'); open('out', 'w').close()"
    outcome = session(COVERS.format(body=taken))
    assert outcome.code == 1
    assert "no report: " in outcome.text
    assert "1 finding: 1 not tested" in outcome.text  # a cell alone heads nothing
    assert "Traceback" not in outcome.text
    assert "INTERNALERROR" not in outcome.text


def test_an_entry_is_not_called_unused_when_its_judgement_broke(session, expected):
    source = """
CARD = card()

@pytest.mark.parametrize("value", ["good", "bad"])
@CARD.covers
def test_holds(value):
    assert value == "good", "it broke"
    return around(0.8)
"""
    entry = expected("contradicted", "flaws.xor / synthetic / value=bad")
    outcome = session(source, expect=entry)
    assert outcome.code == 1
    assert "stale expectation" not in outcome.text
    assert sorted(outcome.verdicts.values()) == ["broken", "reproduced"]
