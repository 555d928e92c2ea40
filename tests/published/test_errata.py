"""The errata: each number recomputed, printed as one page, what was checked is whole, and damage is refused."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.errors import DamagedData, InvalidInput, UnknownName
from dbench.report.redact import plain
from dbench_published.errata import entries as module
from dbench_published.errata.checked import checked
from dbench_published.errata.entries import SEVERITIES, errata, papers
from dbench_published.errata.page import letter, page
from dbench_published.errata.quotations import missing, quotations
from dbench_published.errata.recompute import differences, functions

HERE = Path(__file__).relative_to(Path(__file__).parents[2])
DOCS = Path(__file__).parents[2] / "docs" / "errata.md"
ENTRIES = {entry.name: entry for entry in errata()}
TEXT = b'the paper says "2 + 2 = 5" here'
ENTRY = """
[[erratum]]
name = "flaws-a"
place = "Table 1"
severity = "figure"
kind = "arithmetic"
printed = "{printed:1.5} and '2 + 2 = 5'"
right = "2"
derivation = "{printed} + 1/2 = 2, section 4.2."
assumes = "none"
follows = "Nothing."
stands = "All."
claims = ["flaws.xor"]
cells = ["Table 2, snc, MPI3D: beta_vae 32.6 -> 27.6, weak_de 1 -> 2"]
"""
DOCUMENT = f"""
version = "2020-01-01"
preface = "Why."
letter = "Dear authors of {{title}}"
[papers.flaws]
title = "Flaws"
authors = "A"
year = "2020"
venue = "B"
doi = "not known"
edition = "C"
sha256 = "{hashlib.sha256(TEXT).hexdigest()}"
tables = 1
{ENTRY}"""
CHECKED = 'flaws = [["Table 1", "sums", "flaws-a"], ["Figure 1", "caption", "unchecked: a picture"]]'


@pytest.mark.parametrize("name", ENTRIES)
def test_every_number_is_recomputed(name):
    entry = ENTRIES[name]
    assert entry.test == f"{HERE}::test_every_number_is_recomputed[{name}]"
    assert entry.numbers or quotations(entry), "an entry shows a number or quotes a contradiction"
    assert differences(entry) == []


def test_every_recomputation_belongs_to_an_entry():
    assert functions().keys() <= ENTRIES.keys()


def test_a_number_that_is_off_in_its_last_digit_or_not_computed_is_seen(monkeypatch):
    monkeypatch.setattr("dbench_published.errata.recompute.recompute", lambda name: {"a": 0.7149, "b": 1})
    entry = type(errata()[0])(**{**vars(errata()[0]), "numbers": {"a": ".715", "c": "1,000"}})
    assert differences(entry) == ["b is computed and not shown", "c is shown as 1,000 and not computed"]
    entry.numbers["a"] = ".714"
    assert "a is shown as .714 and computed as 0.714900" in differences(entry)


def test_the_committed_page_is_the_generated_one():
    assert DOCS.read_text(encoding="utf-8") == page() == CliRunner().invoke(main, ["errata", "page"]).stdout


@pytest.mark.parametrize("paper", papers())
def test_a_letter_holds_the_entries_of_its_paper_alone(paper):
    text = CliRunner().invoke(main, ["errata", "letter", paper]).stdout
    assert text == letter(paper)
    listed = re.findall(r"^### (.*)", text, re.MULTILINE)
    assert sorted(listed) == sorted(name for name in ENTRIES if name.startswith(f"{paper}-"))
    assert [ENTRIES[name].severity for name in listed] == sorted(
        (ENTRIES[name].severity for name in listed), key=SEVERITIES.index
    )
    assert papers()[paper].title in text
    assert papers()[paper].sha256 in text


def test_a_letter_to_nobody_is_refused():
    with pytest.raises(UnknownName, match="did you mean 'flaws'"):
        letter("flaw")


def test_a_check_prints_what_is_shown_and_what_is_computed():
    run = CliRunner().invoke(main, ["errata", "check", "hownot-fact-8"])
    assert run.exit_code == 0
    assert "hownot-fact-8 right: shown 0.895, computed 0.895062" in run.stdout
    assert "did you mean 'hownot-fact-8'" in CliRunner().invoke(main, ["errata", "check", "hownot-fact8"]).stderr


def test_no_entry_loses_anything_in_a_report():
    for entry in errata():
        assert plain(vars(entry)) == json.loads(json.dumps(vars(entry)))


@pytest.mark.parametrize("paper", papers())
def test_every_table_of_a_paper_is_in_the_list_of_what_was_checked(paper):
    listed = set()
    for row in checked()[paper]:
        for numbers in re.findall(r"Tables? ((?:\d+(?:, | and )?)+)", row.place):
            listed |= {int(number) for number in re.findall(r"\d+", numbers)}
    assert set(range(1, papers()[paper].tables + 1)) <= listed


@pytest.fixture
def read(monkeypatch, tmp_path):
    """Read other entries and another list in place of the shipped ones."""

    def clear():
        for function in (module.errata, module.papers, checked, module.read_part):
            function.cache_clear()

    def other(document=DOCUMENT, listed=CHECKED):
        (tmp_path / "errata.toml").write_text(document, encoding="utf-8")
        (tmp_path / "checked.toml").write_text(listed, encoding="utf-8")
        monkeypatch.setattr(module, "FOLDER", tmp_path)
        clear()
        return errata()

    yield other
    monkeypatch.undo()
    clear()


def test_an_entry_is_read_with_its_numbers_put_in(read):
    (entry,) = read()
    assert (entry.name, entry.paper, entry.claims, len(entry.cells)) == ("flaws-a", "flaws", ("flaws.xor",), 1)
    assert entry.printed == "1.5 and '2 + 2 = 5'"
    assert entry.derivation == "1.5 + 1/2 = 2, section 4.2."
    assert entry.numbers == {"printed": "1.5"}


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("[papers.flaws]", "[papers.flaws", "cannot be read"),
        ('preface = "Why."', "", "must hold version, preface"),
        ('authors = "A"', "", "paper 'flaws' must have title, authors"),
        ("tables = 1", 'tables = "1"', "a count of tables"),
        ('place = "Table 1"', "", "'flaws-a' must have name, place"),
        ('place = "Table 1"', 'place = "Table 1"\nmood = "bad"', "got .*mood"),
        ('place = "Table 1"', "place = 1", "place of 'flaws-a' must be text"),
        ('right = "2"', 'right = " "', "right of 'flaws-a' must be text that is not empty"),
        ('right = "2"', 'right = "2.5"', "right of 'flaws-a' must mark every figure, .* got '2.5'"),
        ('right = "2"', 'right = "17 of 18"', "got '17 of 1'"),
        ('right = "2"', 'right = "{two}"', "give the number 'two' once"),
        ('right = "2"', 'right = "{printed:2}"', "give the number 'printed' once"),
        ('name = "flaws-a"', "name = 3", "name must begin with one of flaws, got 3"),
        ('name = "flaws-a"', 'name = "udr-a"', "name must begin with one of flaws, got 'udr-a'"),
        ('"figure"', '"grave"', "severity of 'flaws-a' must be one of conclusion, .* got 'grave'"),
        ('"arithmetic"', '"guess"', "kind of 'flaws-a' must be one of arithmetic"),
        ('["flaws.xor"]', '["flaws.xnor"]', "claims of 'flaws-a' must be ids of the ledger"),
        ('["flaws.xor"]', '["flaws.xor", "flaws.xnor"]', "claims of 'flaws-a' must be ids of the ledger"),
        ("32.6 -> 27.6", "32.6", "cells of 'flaws-a' must be lines like"),
        ('cells = ["Table', 'cells = 1 # ["Table', "cells of 'flaws-a' must be lines like .* got 1"),
        (ENTRY, ENTRY + ENTRY, "'flaws-a' stands in it twice"),
    ],
)
def test_a_damaged_entry_is_refused_with_its_rule(read, old, new, why):
    assert old in DOCUMENT
    with pytest.raises(DamagedData, match=why):
        read(DOCUMENT.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("flaws =", "udr =", "must list the papers flaws, got udr"),
        ('"sums", ', "", "a row of flaws must be place, what"),
        ("flaws-a", "flaws-b", "must be clean, unchecked: why, or entries, got 'flaws-b'"),
        ("flaws-a", "clean", "must name every entry as a result, but 'flaws-a' is none"),
        ("unchecked: ", "", "got 'a picture'"),
    ],
)
def test_a_damaged_list_is_refused_with_its_rule(read, old, new, why):
    read(listed=CHECKED.replace(old, new))
    with pytest.raises(DamagedData, match=why):
        checked()


def test_quotations_are_looked_up_in_the_texts_that_were_read(read, tmp_path):
    read()
    with pytest.raises(InvalidInput, match="got none of flaws"):
        missing(tmp_path)
    (tmp_path / "paper.txt").write_bytes(TEXT)
    assert missing(tmp_path) == []
    read(DOCUMENT.replace("2 + 2 = 5", "2 + 2 = 6"))
    assert missing(tmp_path) == ["flaws-a: '2 + 2 = 6'"]
