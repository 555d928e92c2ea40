"""The plugin end to end: verdicts become outcomes, counts, exit statuses and a report, alike with any workers."""

import xml.etree.ElementTree as ET

import pytest

from dbench_published.errata.entries import errata

# One test for each verdict and its outcome, and for each way to break.
EVERYTHING = """
from dbench.errors import EvidenceLacking

BROKEN = card("udr.invariances")

@card().covers
@pytest.mark.parametrize("number", [1, 2])
def test_good(number):
    return around(0.7)

@card("flaws.misalignment").covers
def test_bad():
    return around(0.2)

@card("hownot.fact-4").covers
def test_open():
    return around(0.55)

@card("hownot.fact-5").covers
def test_known():
    return around(0.2)

@card("hownot.fact-8").covers
def test_better_than_expected():
    return around(0.7)

@card("hownot.fact-6", evidence="zoo").covers
def test_lacking():
    raise EvidenceLacking("micro holds no score 'irs'")

@card("hownot.fact-7").covers
def test_level(*, value=0.7):
    return around(value)

class TestBroken:
    @BROKEN.covers
    def test_raises(self):
        raise ValueError("boom")

    @BROKEN.covers
    def test_returns_nothing(self):
        pass

    @BROKEN.covers
    def test_returns_a_number(self):
        return float("nan")

    @BROKEN.covers
    def test_returns_an_interval(self):
        return around(0.7).at(0.95)

    @BROKEN.covers
    def test_skips(self):
        pytest.skip("no time")

    @pytest.fixture
    def falls(self):
        yield
        raise ValueError("fell over")

    @BROKEN.covers
    def test_breaks_in_the_teardown(self, falls):
        return around(0.7)

    @BROKEN.covers
    def test_breaks_in_the_setup(self, missing):
        return around(0.7)

    @BROKEN.covers
    @pytest.mark.xfail(reason="hides it", strict=False)
    def test_hides_behind_xfail(self):
        return around(0.2)

def test_of_the_evidence(remark):
    remark("looked at")

@pytest.mark.xfail(reason="of old", strict=False)
def test_marked_as_failing():
    assert False
"""

BROKEN = ("raises", "returns_nothing", "returns_a_number", "returns_an_interval", "skips")
BROKEN += ("breaks_in_the_teardown", "breaks_in_the_setup")
VERDICTS = {f"TestBroken::test_{how}": "broken" for how in BROKEN} | {
    "test_good[1]": "reproduced",
    "test_good[2]": "reproduced",
    "test_bad": "contradicted",
    "test_open": "undecided",
    "test_known": "contradicted",
    "test_better_than_expected": "reproduced",
    "test_lacking": "not tested",
    "test_level": "reproduced",
    "TestBroken::test_hides_behind_xfail": "contradicted",
}


def timeless(records: dict) -> dict:
    return {name: {key: v for key, v in record.items() if key != "seconds"} for name, record in records.items()}


@pytest.mark.long
def test_every_verdict_has_its_outcome_alike_with_any_number_of_workers(session, expected):
    entries = expected("contradicted", "hownot.fact-5 / synthetic", "hownot.fact-8 / synthetic")
    entries += expected("undecided", "hownot.fact-4 / synthetic") + expected("not tested", "hownot.fact-6 / zoo")
    alone = session(EVERYTHING, "-n0", expect=entries)
    records = alone.records
    assert alone.code == 1
    assert alone.verdicts == VERDICTS
    for count in ("1 undecided", "2 contradicted", "1 not tested", "1 skipped", "2 errors"):
        assert count in alone.last_line, alone.text

    good, bad, better = (records[name] for name in ("test_good[2]", "test_bad", "test_better_than_expected"))
    assert (good["params"], good["population"]) == ({"number": 2}, "worlds varied")
    assert (good["estimate"], good["n"], good["agreement"]) == (0.7, 10, "agrees")
    assert (good["expected"], better["expected"]) == ("reproduced", "contradicted")
    assert records["test_known"]["expected_reason"] == "small worlds"
    assert "again: pytest 'claims/test_own.py::test_bad'" in alone.text
    assert bad["agreement"] == "smaller"
    assert records["test_lacking"]["reason"] == "micro holds no score 'irs'"
    reasons = {name.removeprefix("TestBroken::test_"): record["reason"] for name, record in records.items()}
    assert reasons["raises"] == "ValueError: boom"
    assert "must return an Estimate, got NoneType" in reasons["returns_nothing"]
    assert "must return an Estimate, got float" in reasons["returns_a_number"]
    assert "must return an Estimate, got Interval" in reasons["returns_an_interval"]
    assert "no time" in reasons["skips"]
    assert "fell over" in reasons["breaks_in_the_teardown"]
    assert reasons["breaks_in_the_setup"] == "fixture 'missing' not found"
    checks = {
        check["nodeid"].rpartition("::")[2]: (check["outcome"], check["detail"]) for check in alone.report["checks"]
    }
    assert checks["test_of_the_evidence"] == ("passed", "looked at")
    assert checks["test_marked_as_failing"] == ("skipped", "marked as failing. of old")
    judged = {"flaws", "hownot", "udr"}  # of no other papers does the report list errata
    assert [entry["name"] for entry in alone.report["errata"]] == [e.name for e in errata() if e.paper in judged]
    assert f"errata: {len(alone.report['errata'])} entries" in alone.text

    assert [table["name"] for table in alone.report["provenance"]["evidence"]] == ["micro"]
    assert str(alone.folder) not in (alone.folder / "out" / "report.json").read_text()
    junit = ET.parse(alone.folder / "out" / "junit.xml")
    cases = {case.get("name"): case for case in junit.iter("testcase")}
    assert [p.get("name") for p in cases["test_good[1]"].iter("property")] == ["dbench"]
    assert cases["test_good[1]"].find("failure") is None
    assert cases["test_bad"].find("failure") is not None
    assert "undecided" in cases["test_open"].find("skipped").get("message")
    assert "known: small worlds" in cases["test_known"].find("skipped").get("message")

    shared = session(EVERYTHING, "-n2", expect=entries)
    assert shared.code == 1
    assert timeless(shared.records) == timeless(records)


def test_a_long_test_begins_before_the_others(session):
    done = session(
        """
@card("flaws.misalignment").covers
def test_short():
    return around(0.7)

@pytest.mark.long
@card().covers
def test_long():
    return around(0.7)
""",
        "-n0",
        "-v",
    )
    assert 0 < done.text.index("::test_long") < done.text.index("::test_short")


def test_without_the_plugin_a_claim_cannot_pass(session):
    source = "@card().covers\ndef test_it():\n    return around(0.7)\n"
    unknown = "-Wignore::pytest.PytestConfigWarning"  # without the plugin pytest knows none of the ini options
    outcome = session(source, "-p", "no:dbench", unknown, evidence=False)
    assert outcome.code == 1
    assert "1 failed" in outcome.last_line
    assert "should return None" in outcome.text


PEACEFUL = """
@card().covers
def test_good():
    return around(0.7)

@card("hownot.fact-4").covers
@pytest.mark.parametrize("metric", ["mig", "sap"])
def test_open(metric):
    return around(0.55)

@card("hownot.fact-5").covers
def test_known():
    return around(0.2)
"""


@pytest.fixture
def peaceful_entries(expected) -> str:
    names = [f"hownot.fact-4 / synthetic / metric={metric}" for metric in ("mig", "sap")]
    return expected("contradicted", "hownot.fact-5 / synthetic") + expected("undecided", *names)


def test_what_is_open_or_known_ends_green_unless_asked_to_fail(session, peaceful_entries):
    calm = session(PEACEFUL, expect=peaceful_entries)
    assert calm.code == 0, calm.text
    assert "1 passed, 2 undecided, 1 contradicted" in calm.last_line
    assert "wrote out/index.html" in calm.text

    elsewhere = calm.folder.parent / "elsewhere"
    strict = session(PEACEFUL, "--dbench-undecided=fail", f"--dbench-report={elsewhere}", expect=peaceful_entries)
    assert strict.code == 8
    assert (elsewhere / "report.json").is_file()


def test_an_expectation_nobody_uses_fails_unless_a_part_was_picked(session, peaceful_entries, expected):
    entries = peaceful_entries + expected("contradicted", "flaws.xor / synthetic / gone")
    stale = session(PEACEFUL, expect=entries)
    assert stale.code == 1
    assert "stale expectation, no judgement uses it: flaws.xor / synthetic / gone" in stale.text

    # A finding may stand in several files.
    for part in (
        session(PEACEFUL, "-k", "good or known", expect=entries),
        session(PEACEFUL, expect=entries, where="claims/test_own.py"),
    ):
        assert part.code == 0, part.text
        assert "stale" not in part.text


def test_the_plugin_is_inert_where_no_claims_are_run(session, pytester):
    (pytester.path / "elsewhere").mkdir()
    (pytester.path / "elsewhere" / "test_other.py").write_text("def test_it():\n    pass\n")
    outcome = session("", "--dbench-evidence=none", where="elsewhere")
    assert outcome.code == 0
    assert "dbench:" not in outcome.text
    assert "verdicts" not in outcome.text
    assert not (outcome.folder / "out").exists()


@pytest.mark.parametrize("option", ["--ignore=claims/other.py", "--stepwise", "--sw-skip", "--sw-reset"])
def test_a_part_of_the_claims_is_no_whole_report(session, option):
    found = session("@card().covers\ndef test_good():\n    return around(0.7)", "-n0", option)
    assert "Partial report" in found.text
    assert not (found.folder / "out").exists()
