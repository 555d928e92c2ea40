"""A session hands the errata of the papers that it judged to the report."""

from dbench.claims.errata import errata

OF_ONE_PAPER = """
ONE = card("hownot.fact-8")

@ONE.covers
def test_holds():
    return exact(0.9, n=9)
"""


def test_the_report_lists_the_errata_of_the_judged_papers_and_no_others(session):
    outcome = session(OF_ONE_PAPER)
    assert outcome.code == 0, outcome.text
    listed = [entry["name"] for entry in outcome.report["errata"]]
    assert listed == [entry.name for entry in errata() if entry.paper == "hownot"]
    assert f"errata: {len(listed)} entries" in outcome.text
    assert 'id="errata"' in (outcome.folder / "out" / "index.html").read_text(encoding="utf-8")
