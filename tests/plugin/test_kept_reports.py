"""What becomes of the report of an earlier session: only a full session replaces it, and none that judged nothing."""

import json

import pytest

CLAIMS = """
@card(role="primary", quote="it holds").covers
def test_first():
    return around(0.7)

@card("hownot.fact-1", role="primary", quote="it holds").covers
def test_second():
    return around(0.7)
"""
REPORT = {"index.html", "report.json", "report.md", "junit.xml"}


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.long
def test_only_a_full_session_makes_or_replaces_a_full_report(session):
    nowhere, listed = session(CLAIMS, "-k", "nowhere"), session(CLAIMS, "--collect-only", "-q")
    folder = listed.folder
    assert (nowhere.code, listed.code) == (5, 0)
    assert "test_own.py::test_first" in listed.text
    assert not [*folder.glob("out*")]

    text = session(CLAIMS, "-k", "first").text
    assert not (folder / "out").exists()
    beside = files(folder / "out-partial")
    assert set(beside) >= REPORT
    assert b"claims -k first" in beside["report.json"]
    assert "claims -k first" in next(line for line in text.splitlines() if line.startswith("Partial report:"))

    session(CLAIMS)
    before = files(folder / "out")
    assert set(before) >= REPORT
    session(CLAIMS, "-k", "second")
    assert files(folder / "out") == before


def test_a_session_that_is_stopped_says_so_and_leaves_the_full_report_as_it_was(session, pytester):
    full, beside = (pytester.path / name for name in ("out", "out-partial"))
    full.mkdir()
    for name in REPORT:
        (full / name).write_text("of a full session")
    before = files(full)
    outcome = session(CLAIMS.replace("return around(0.7)", "raise ValueError", 1), "-x")
    assert outcome.code == 1
    assert files(full) == before
    assert "ValueError" in (beside / "junit.xml").read_text(encoding="utf-8")
    report = json.loads((beside / "report.json").read_text(encoding="utf-8"))
    reasons = {record["nodeid"]: record["reason"] for record in report["records"]}
    assert reasons["claims/test_own.py::test_second"] == "not run: the session was stopped"
    assert "worker died" not in outcome.text


@pytest.mark.parametrize("options", [["-n1"], ["-n0", "--continue-on-collection-errors"]])
def test_claims_that_cannot_be_imported_are_missing_from_a_report_of_all(session, pytester, expected, options):
    (pytester.mkdir("claims") / "test_absent.py").write_text("import nowhere_to_be_found\n")
    stale = expected("contradicted", "flaws.xor / synthetic")  # nor do they prove an expectation unused
    outcome = session(CLAIMS.partition('@card("hownot')[0], *options, expect=stale.replace("synthetic", "zoo"))
    assert outcome.code == 1
    assert "nowhere_to_be_found" in outcome.text
    assert "stale" not in outcome.text
    assert not (outcome.folder / "out").exists()
    report = json.loads((outcome.folder / "out-partial" / "report.json").read_text(encoding="utf-8"))
    assert report["scope"]["complete"] is False
    assert [record["verdict"] for record in report["records"]] == ["reproduced"]
    assert (outcome.folder / "out-partial" / "junit.xml").is_file()


@pytest.mark.parametrize("options", [["--setup-plan"], ["--setup-only"], ["-n0"]])
def test_a_session_that_runs_no_test_leaves_reports_alone(session, pytester, options):
    if options == ["-n0"]:
        (pytester.mkdir("claims") / "test_absent.py").write_text("import nowhere_to_be_found\n")
    outcome = session(CLAIMS, *options)
    assert not [*outcome.folder.glob("out*")]
    assert "INTERNALERROR" not in outcome.text


def test_a_file_that_the_user_names_is_written_where_they_say(session):
    assert (session(CLAIMS, "-k", "nowhere", "--junitxml=own.xml").folder / "own.xml").is_file()
