"""docs/calibration.md: no rule errs too often, and a page is read as it was written."""

import calibration_page as page
from calibration import Frequencies

from dbench.claims.rules import Verdict


def test_no_rule_errs_too_often_and_what_looked_suspect_was_judged_again():
    for row in page.read():
        worlds = int(row["worlds"].replace(",", ""))
        for wrong in (row["wrong 'reproduced'"], row["wrong 'contradicted' or 'absent'"]):
            assert page.TOO_OFTEN not in wrong, row["claim"]
            share, low = (float(text) for text in wrong.replace("[", "").split("%")[:2])
            assert low <= 5, f"{row['claim']} errs in {share}% of worlds, {low}% at the least"
            assert worlds >= 1_000 or share <= 3, f"{row['claim']} was judged in {worlds} worlds alone"


def test_a_page_is_read_as_it_was_written(tmp_path, monkeypatch, cards):
    monkeypatch.setattr(page, "PAGE", tmp_path / "calibration.md")
    claim = cards[0]
    margin = Frequencies("margin", 0.5, 1.0, {Verdict.REPRODUCED: 300, Verdict.UNDECIDED: 1_700}, 0.001, 0.04)
    effect = Frequencies("effect", 0.7, 2.0, {Verdict.REPRODUCED: 150, Verdict.UNDECIDED: 50})
    page.write([page.cells_of(claim, margin, effect, "much")], page.passes_text(200, 2_000, 0.03, [margin]))
    (row,) = page.read()
    assert (row["claim"], row["rule"], row["what the effect is"]) == (page.name_of(claim), str(claim.rule), "much")
    assert (row["margin"], row["worlds"], row["effect"]) == ("0.5", "2,000", "0.7")
    assert row["wrong 'reproduced'"].startswith("15.0% [13.5%, ")
    assert row["wrong 'reproduced'"].endswith(page.TOO_OFTEN)
    assert "in 2,000 others, 1 of 1" in page.PAGE.read_text()
    assert "standard error of 2.5% of the spread" in page.PAGE.read_text()
