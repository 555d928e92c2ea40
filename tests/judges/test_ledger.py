"""The ledger of findings and the cards of the claims match, both ways."""

import importlib
import importlib.resources
import re
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dbench.claims import Claim, above, ledger
from dbench.claims.ledger import HEADING_TABLE, Finding, completed
from dbench.errors import DamagedData
from dbench.report import PAPERS
from dbench.report.seen import FORMS, SLOT


def test_the_ledger_holds_the_112_findings_of_five_papers():
    assert len(ledger()) == 112
    assert {finding.partition(".")[0] for finding in ledger()} == set(PAPERS)


def test_every_finding_has_a_card_for_each_evidence_and_every_card_its_finding(cards):
    rows = {(finding.id, evidence) for finding in ledger().values() for evidence in finding.evidence}
    encoded = {(card.id, card.evidence) for card in cards}
    assert (sorted(rows - encoded), sorted(encoded - rows)) == ([], [])


def test_no_two_cards_judge_the_same_part_of_a_finding_on_the_same_evidence(cards):
    counts = Counter((card.id, card.evidence, card.part) for card in cards)
    assert [card for card, count in counts.items() if count > 1] == []


def test_a_finding_has_a_primary_card_of_the_kind_that_heads_it(cards):
    primaries = {(card.id, card.evidence) for card in cards if card.role == "primary"}
    headless = [finding.id for finding in ledger().values() if (finding.id, finding.heads) not in primaries]
    assert headless == []


def test_a_sentence_of_what_was_seen_has_its_numbers_from_records_that_the_cards_give(cards):
    parts = {(card.id, card.evidence, card.part) for card in cards}
    slots = 0
    for row in ledger().values():
        for sentence in row.seen.values():
            assert not re.search(r"\d*\.\d|\d ?%|(?<![-\w])0\b", SLOT.sub("", sentence)), (
                f"a number of {row.id} by hand"
            )
            for slot in SLOT.finditer(sentence):
                name, form = slot[1].strip(), slot[2] or ""
                slots += 1
                assert form in FORMS, (row.id, slot[0])
                part = name.partition("/")[0].strip()
                assert not name or name.startswith("~") or (row.id, row.heads, part) in parts, (row.id, slot[0])
    assert slots > 20


def test_every_finding_that_did_not_come_out_on_trained_models_has_its_sentence():
    page = (Path(__file__).parents[2] / "docs" / "verdicts.md").read_text(encoding="utf-8")
    told = re.findall(r"^- `(\S+)`, (\w+): ", page, flags=re.MULTILINE)
    assert told
    assert [claim for claim, verdict in told if verdict not in ledger()[claim].seen] == []


def test_famous_is_marked_whatever_came_out_and_says_where(cards):
    famous = [row for row in ledger().values() if row.famous]
    assert {row.id.partition(".")[0] for row in famous} == set(PAPERS)
    assert any(not row.seen for row in famous)  # some hold


FINDING = '[[finding]]\nid = "a.b"\nwhere = "1"\nsays = "x"\nevidence = ["zoo"]\nheads = "zoo"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[finding]", "cannot be read"),
        ("", "KeyError"),
        (FINDING.replace('says = "x"\n', ""), "KeyError"),
        ("finding = 3", "TypeError"),
        (FINDING.replace('["zoo"]', "3"), "TypeError"),
        (FINDING + 'seen = "It falls."\n', "must be a sentence by verdict"),
        (FINDING + 'seen.refuted = "It falls."\n', "must be a sentence by verdict"),
        (FINDING + 'seen.weaker = " "\n', "must be a sentence by verdict"),
        (FINDING + "famous = true\n", "famous of 'a.b' must be a text, got True"),
        (FINDING.replace('["zoo"]', '"zoo"'), "TypeError"),
        (
            FINDING.replace("zoo", "models"),
            r"evidence of 'a.b' must be a list of synthetic, published, zoo, got \['models'",
        ),
        (FINDING.replace('"1"', "2"), "where of 'a.b' must be a text, got 2"),
        (FINDING.replace('"x"', '["x"]'), "says of 'a.b' must be a text"),
        (FINDING.replace('"x"', '" "'), "says of 'a.b' must be a text"),
        (FINDING.replace('"a.b"', "3"), "id of 3 must be a text"),
        (FINDING + "note = 3", "note of 'a.b' must be a text, got 3"),
        (FINDING.replace('heads = "zoo"\n', ""), "KeyError"),
        (FINDING.replace('heads = "zoo"', 'heads = "published"'), "a kind of its own evidence, got another of a.b"),
        (FINDING * 2, "name each finding once"),
        pytest.param("finding = " + "[" * 9_999, "RecursionError", id="nested too deeply"),
    ],
)
def test_a_damaged_ledger_is_refused(tmp_path, monkeypatch, text, message):
    (tmp_path / "ledger.toml").write_text(text)
    # The function hides the module of the same name.
    monkeypatch.setattr(importlib.import_module("dbench.claims.ledger"), "files", lambda package: tmp_path)
    with pytest.raises(DamagedData, match=message):
        ledger.__wrapped__()


def test_the_shipped_ledger_knows_its_papers():
    text = (importlib.resources.files("dbench_fixtures") / "ledger.toml").read_text(encoding="utf-8")
    assert set(tomllib.loads(text)["papers"]) == set(PAPERS)


def test_a_ledger_of_ones_own_adds_to_the_one_shipped_and_repeats_none_of_it(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text(FINDING)
    assert set(ledger(own)) == {*ledger(), "a.b"}
    own = tmp_path / "again.toml"
    own.write_text(FINDING.replace("a.b", "flaws.xor"))
    with pytest.raises(DamagedData, match=r"again.toml must name each finding once"):
        ledger(own)
    with pytest.raises(DamagedData, match=r"none.toml cannot be read"):
        ledger(tmp_path / "none.toml")


def test_a_row_is_read_with_what_it_says_and_without_what_it_leaves_out(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text(FINDING)
    assert ledger(own)["a.b"] == Finding(id="a.b", where="1", says="x", evidence=("zoo",), heads="zoo")
    assert ledger(own)["a.b"].table == HEADING_TABLE
    texts = {"table": "other", "group": "g", "note": "n", "famous": "f", "aside": "a"}
    lines = "".join(f'{name} = "{text}"\n' for name, text in texts.items())
    full = tmp_path / "full.toml"
    full.write_text(FINDING + lines + 'seen.weaker = "Less."\nseen.absent = "None."\n')
    seen = {"weaker": "Less.", "absent": "None."}
    found = ledger(full)["a.b"]
    assert found == Finding(id="a.b", where="1", says="x", evidence=("zoo",), heads="zoo", seen=seen, **texts)


@pytest.mark.parametrize("says", ["", "own words"])
@pytest.mark.parametrize("where", ["", "2"])
def test_a_card_has_of_the_ledger_what_it_does_not_say_itself(tmp_path, says, where):
    own = tmp_path / "mine.toml"
    own.write_text(FINDING)
    fields = {"quote": "Q.", "population": "p", "statistic": "s", "rule": above(0.5), "says": says, "where": where}
    card = Claim.zoo(id="a.b", **fields)
    assert completed(card, own) == replace(card, says=says or "x", where=where or "1")
    assert completed(card) is card  # the ledger shipped has no such row
