"""docs/calibration.md: no rule errs too often, and a page is read as it was written."""

import importlib.util
from pathlib import Path

import pytest
from calibration import Frequencies
from counter_worlds import card_of

from dbench.claims import above, within
from dbench.claims.rules import Verdict


def page_module():
    """Import the module beside this one, which is no package."""
    spec = importlib.util.spec_from_file_location("calibration_page", Path(__file__).with_name("calibration_page.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page():
    return page_module()


@pytest.fixture(scope="module")
def rows(page):
    """Rows of the page by the name of their claim."""
    found: dict[str, list] = {}
    for row in page.read():
        found.setdefault(row["claim"], []).append(row)
    return found


@pytest.fixture(scope="module")
def calibrated(claim_files, all_calibrations):
    return [card_of(claim_files[entry.file], entry.card) for entry in all_calibrations]


def test_no_rule_errs_too_often_and_what_looked_suspect_was_judged_again(page, rows):
    for row in (row for found in rows.values() for row in found):
        worlds = int(row["worlds"].replace(",", ""))
        for wrong in (row["wrong 'reproduced'"], row["wrong 'contradicted' or 'absent'"]):
            assert page.TOO_OFTEN not in wrong, row["claim"]
            share, low = (float(text) for text in wrong.replace("[", "").split("%")[:2])
            assert low <= 5, f"{row['claim']} errs in {share}% of worlds, {low}% at the least"
            assert worlds >= 1_000 or share <= 3, f"{row['claim']} was judged in {worlds} worlds alone"


def test_a_page_is_read_as_it_was_written(page, tmp_path, monkeypatch, calibrated):
    monkeypatch.setattr(page, "PAGE", tmp_path / "calibration.md")
    claim = calibrated[0]
    margin = Frequencies("margin", 0.5, 1.0, {Verdict.REPRODUCED: 300, Verdict.UNDECIDED: 1_700}, 0.001, 0.04)
    effect = Frequencies("effect", 0.7, 2.0, {Verdict.REPRODUCED: 150, Verdict.UNDECIDED: 50})
    page.write([page.cells_of(claim, margin, effect, "much")], page.passes_text(200, 2_000, 0.03, [margin]))
    (row,) = page.read()
    assert (row["claim"], row["rule"], row["what the effect is"]) == (page.name_of(claim), str(claim.rule), "much")
    assert (row["margin"], row["worlds"], row["effect"]) == ("0.5", "2,000", "0.7")
    assert row["wrong 'reproduced'"].startswith("15.0% [13.5%, ")
    assert row["wrong 'reproduced'"].endswith(page.TOO_OFTEN)
    assert "in 2,000 others, 1 of 1" in page.PAGE.read_text()
    assert "standard error of 2.5% (median)" in page.PAGE.read_text()


def test_the_text_of_a_rule_tells_rules_apart():
    """What the page's rows are compared by."""
    assert len({str(above(0.5)), str(above(0.1)), str(above(0.5, null=0.1)), str(within(0.5, 0.6))}) == 4
