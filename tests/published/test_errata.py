"""The errata: read from one file, printed as one page, each entry recomputed, and damage refused."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from dbench.errors import DamagedData
from dbench.report.redact import redacted
from dbench_fixtures.published import errata as module
from dbench_fixtures.published.errata import errata, page

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs" / "errata.md"
ROW = """
preface = "Why."
[papers]
flaws = "Flaws"
[[erratum]]
name = "flaws-a"
paper = "flaws"
place = "Table 1"
printed = "1"
right = "2"
derivation = "1 + 1 = 2."
cells = ["Table 2, snc, MPI3D: beta_vae 32.6 -> 27.6, weak_de 1 -> 2"]
"""


def test_the_committed_page_is_the_generated_one():
    assert DOCS.read_text(encoding="utf-8") == page()


def test_one_command_writes_the_page():
    written = subprocess.run(
        [sys.executable, "-m", "dbench_fixtures.published.errata"], check=True, capture_output=True, text=True
    )
    assert written.stdout == page()
    assert not written.stderr


def test_every_entry_is_recomputed_and_every_recomputation_has_an_entry():
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(HERE.glob("test_errata_*.py")))
    recomputed = re.findall(r'\bshown\(\s*"([a-z0-9-]+)"', source)
    assert sorted(recomputed) == sorted(entry.name for entry in errata())


def test_no_entry_loses_anything_in_a_report():
    for entry in errata():
        assert redacted(vars(entry)) == vars(entry)


def read(monkeypatch, tmp_path, text):
    (tmp_path / "errata.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(module, "files", lambda package: tmp_path if "dbench_fixtures" in package else files(package))
    module._document.cache_clear()
    try:
        return errata()
    finally:
        monkeypatch.undo()
        module._document.cache_clear()


def test_an_entry_is_read_as_it_stands(monkeypatch, tmp_path):
    (entry,) = read(monkeypatch, tmp_path, ROW)
    assert (entry.name, entry.right, len(entry.cells)) == ("flaws-a", "2", 1)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("[papers]", "[papers", "cannot be read"),
        ('preface = "Why."', "", "must hold a preface"),
        ('place = "Table 1"', "", "must have name, paper, place"),
        ('place = "Table 1"', 'place = "Table 1"\nmood = "bad"', "got .*mood"),
        ('place = "Table 1"', "place = 1", "place of 'flaws-a' must be text"),
        ('right = "2"', 'right = " "', "right of 'flaws-a' must be text that is not empty"),
        ('name = "flaws-a"', "name = 3", "name of 3 must be text"),
        ('name = "flaws-a"', 'name = "a"', "begin the name"),
        ('paper = "flaws"', 'paper = "udr"', "must be one of flaws"),
        ('"1 + 1 = 2."', '"""\na\nb\nc\nd"""', "at most 3 lines of 120 characters, got 4"),
        ('"1 + 1 = 2."', f'"{"a" * 121}"', "got 1 of up to 121"),
        ("32.6 -> 27.6", "32.6", "cells of 'flaws-a' must be lines like"),
        ('cells = ["Table', 'cells = 1 # ["Table', "cells of 'flaws-a' must be lines like .* got 1"),
    ],
)
def test_a_damaged_entry_is_refused_with_its_rule(monkeypatch, tmp_path, old, new, why):
    assert old in ROW
    with pytest.raises(DamagedData, match=why):
        read(monkeypatch, tmp_path, ROW.replace(old, new))


def test_an_entry_that_stands_twice_is_refused(monkeypatch, tmp_path):
    with pytest.raises(DamagedData, match="'flaws-a' stands in it twice"):
        read(monkeypatch, tmp_path, ROW + ROW[ROW.index("[[erratum]]") :])
