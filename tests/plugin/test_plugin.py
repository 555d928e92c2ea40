"""The plugin end to end: verdicts become outcomes, counts, exit statuses and a report, alike with any workers."""

import subprocess
import sys

import pytest

# One test for each row of the table of verdicts and outcomes, and for each way to break.
EVERYTHING = """
GOOD, BAD, OPEN, KNOWN = card(), card("flaws.misalignment"), card("hownot.fact-4"), card("hownot.fact-5")
BETTER, BROKEN, TIMES = card("hownot.fact-8"), card("udr.invariances"), card("flaws.theorem-3.1")

@GOOD.covers
@pytest.mark.parametrize("number", [1, 2])
def test_good(judge, number):
    judge(GOOD, around(0.7), population="worlds", deviations=("fewer",))

@BAD.covers
def test_bad(judge):
    judge(BAD, around(0.2))

@OPEN.covers
def test_open(judge):
    judge(OPEN, around(0.55))

@KNOWN.covers
def test_known(judge):
    judge(KNOWN, around(0.2))

@BETTER.covers
def test_better_than_expected(judge):
    judge(BETTER, around(0.7))

class TestBroken:
    @BROKEN.covers
    def test_raises(self, judge):
        raise ValueError("boom")

    @BROKEN.covers
    def test_never_judges(self, judge):
        pass

    @BROKEN.covers
    def test_judges_twice(self, judge):
        judge(BROKEN, around(0.7))
        judge(BROKEN, around(0.7))

    @BROKEN.covers
    def test_judges_another_claim(self, judge):
        judge(GOOD, around(0.7))

    @BROKEN.covers
    def test_skips(self, judge):
        pytest.skip("no time")

    @pytest.fixture
    def falls(self):
        yield
        raise ValueError("fell over")

    @BROKEN.covers
    def test_breaks_in_the_teardown(self, judge, falls):
        judge(BROKEN, around(0.7))

    @BROKEN.covers
    def test_breaks_in_the_setup(self, judge, missing):
        judge(BROKEN, around(0.7))

    @BROKEN.covers
    @pytest.mark.xfail(reason="hides it", strict=False)
    def test_hides_behind_xfail(self, judge):
        judge(BROKEN, around(0.2))

def test_of_the_evidence(remark):
    remark("looked at")
"""

VERDICTS = {
    "test_good[1]": "reproduced",
    "test_good[2]": "reproduced",
    "test_bad": "not reproduced",
    "test_open": "inconclusive",
    "test_known": "not reproduced",
    "test_better_than_expected": "reproduced",
    "TestBroken::test_raises": "broken",
    "TestBroken::test_never_judges": "broken",
    "TestBroken::test_judges_twice": "broken",
    "TestBroken::test_judges_another_claim": "broken",
    "TestBroken::test_skips": "broken",
    "TestBroken::test_breaks_in_the_teardown": "broken",
    "TestBroken::test_breaks_in_the_setup": "broken",
    "TestBroken::test_hides_behind_xfail": "not reproduced",
}


def timeless(records: dict) -> dict:
    return {name: {key: v for key, v in record.items() if key != "seconds"} for name, record in records.items()}


def test_every_verdict_has_its_outcome_alike_with_any_number_of_workers(session, expected):
    entries = expected("hownot.fact-5", "not reproduced") + expected("hownot.fact-8", "not reproduced")
    entries += expected("hownot.fact-4", "inconclusive")
    alone = session(EVERYTHING, "-n0", expect=entries)
    records = alone.records
    assert alone.code == 1
    assert alone.verdicts == VERDICTS
    for count in ("6 failed", "4 passed", "1 inconclusive", "1 known deviation", "1 skipped", "1 xfailed", "2 errors"):
        assert count in alone.last_line, alone.text

    good, bad, better = (records[name] for name in ("test_good[2]", "test_bad", "test_better_than_expected"))
    assert (good["params"], good["population"]) == ({"number": 2}, "worlds: worlds varied")
    assert (good["estimate"], good["n"], good["printed_agrees"]) == (0.7, 10, True)
    assert (good["expected"], better["expected"]) == ("reproduced", "not reproduced")
    assert records["test_known"]["expected_reason"] == "small worlds"
    assert "again: pytest 'claims/test_own.py::test_bad'" in alone.text
    assert bad["printed_agrees"] is False
    reasons = {name.removeprefix("TestBroken::test_"): record["reason"] for name, record in records.items()}
    assert reasons["raises"] == "ValueError: boom"
    assert "never judged" in reasons["never_judges"]
    assert "must judge once" in reasons["judges_twice"]
    assert "must judge the claim it covers, got flaws.xor" in reasons["judges_another_claim"]
    assert "no time" in reasons["skips"]
    assert "fell over" in reasons["breaks_in_the_teardown"]
    assert reasons["breaks_in_the_setup"] == "fixture 'missing' not found"
    assert alone.report["checks"][0] | {"seconds": 0} == {
        "nodeid": "claims/test_own.py::test_of_the_evidence",
        "outcome": "passed",
        "detail": "looked at",
        "seconds": 0,
    }

    provenance = alone.report["provenance"]
    assert provenance["evidence"] == "micro"
    assert str(alone.folder) not in (alone.folder / "out" / "report.json").read_text()
    assert {path.name for path in (alone.folder / "out").iterdir()} == {
        "report.json",
        "report.md",
        "index.html",
        "junit.xml",
    }
    cases = {case.get("name"): case for case in alone.junit.iter("testcase")}
    assert [p.get("name") for p in cases["test_good[1]"].iter("property")] == ["dbench"]
    assert cases["test_good[1]"].find("failure") is None
    assert cases["test_bad"].find("failure") is not None
    assert "inconclusive" in cases["test_open"].find("skipped").get("message")
    assert "known: small worlds" in cases["test_known"].find("skipped").get("message")

    shared = session(EVERYTHING, "-n2", expect=entries)
    assert shared.code == 1
    assert timeless(shared.records) == timeless(records)
    assert [check["nodeid"] for check in shared.report["checks"]] == [c["nodeid"] for c in alone.report["checks"]]


PEACEFUL = """
GOOD, OPEN, KNOWN, LONG = card(), card("hownot.fact-4"), card("hownot.fact-5"), card("hownot.fact-8", tier="full")

@GOOD.covers
def test_good(judge):
    judge(GOOD, around(0.7))

@OPEN.covers
@pytest.mark.parametrize("metric", ["mig", "sap"])
def test_open(judge, metric):
    judge(OPEN, around(0.55))

@KNOWN.covers
def test_known(judge):
    judge(KNOWN, around(0.2))

@LONG.covers
def test_long(judge):
    judge(LONG, around(0.7))
"""


@pytest.fixture
def peaceful_entries(expected) -> str:
    return expected("hownot.fact-5", "not reproduced") + expected("hownot.fact-4", "inconclusive")


def test_what_is_open_or_known_ends_green_unless_asked_to_fail(session, peaceful_entries):
    calm = session(PEACEFUL, "-n2", expect=peaceful_entries)
    assert calm.code == 0, calm.text
    assert "2 passed, 2 inconclusive, 1 known deviation" in calm.last_line
    assert "wrote out/report.json" in calm.text

    elsewhere = calm.folder.parent / "elsewhere"
    strict = session(PEACEFUL, "--dbench-inconclusive=fail", f"--dbench-report={elsewhere}", expect=peaceful_entries)
    assert strict.code == 8
    assert f"wrote {elsewhere / 'report.json'}" in strict.text


def test_an_expectation_nobody_uses_fails_and_a_tier_is_deselected(session, peaceful_entries, expected):
    entries = peaceful_entries + expected("flaws.xor", "not reproduced", part="gone")
    stale = session(PEACEFUL, expect=entries)
    assert stale.code == 1
    assert "stale expectation, no judgement uses it: flaws.xor synthetic gone" in stale.text

    # A selection does not prove that an entry is stale.
    (stale.folder / "out" / "report.json").unlink()
    smoke = session(PEACEFUL, "--dbench-tier=smoke", "--dbench-report=none", expect=entries)
    assert smoke.code == 0, smoke.text
    assert "1 deselected" in smoke.last_line
    assert "stale" not in smoke.text
    assert not (smoke.folder / "out" / "report.json").exists()


def test_a_session_that_decides_nothing_exits_8(session):
    outcome = session(PEACEFUL, "-k", "open")
    assert outcome.code == 8
    assert outcome.verdicts == {"test_open[mig]": "inconclusive", "test_open[sap]": "inconclusive"}


def test_a_worker_that_dies_leaves_a_broken_record(session):
    source = """
GOOD, FATAL = card(), card("hownot.fact-4")

@GOOD.covers
@pytest.mark.parametrize("number", range(4))
def test_good(judge, number):
    judge(GOOD, around(0.7))

@FATAL.covers
def test_fatal(judge):
    os._exit(0)
"""
    outcome = session(source, "-n2")
    assert outcome.code != 0
    assert outcome.verdicts == {f"test_good[{n}]": "reproduced" for n in range(4)} | {"test_fatal": "broken"}
    assert "crashed" in outcome.records["test_fatal"]["reason"]


def test_a_stopped_session_says_so_instead_of_calling_workers_dead(session):
    source = """
BAD, LATER = card(), card("hownot.fact-4")

@BAD.covers
def test_bad(judge):
    judge(BAD, around(0.2))

@LATER.covers
def test_later(judge):
    judge(LATER, around(0.7))
"""
    outcome = session(source, "-x")
    assert outcome.code == 1
    assert outcome.records["test_later"]["reason"] == "not run: the session was stopped"
    assert "worker died" not in outcome.text


def test_listing_tests_judges_nothing_and_leaves_reports_alone(session):
    listed = session(PEACEFUL, "--collect-only", "-q")
    assert listed.code == 0
    assert "test_own.py::test_good" in listed.text
    assert not (listed.folder / "out").exists()


def test_the_plugin_is_inert_where_no_claims_are_run(session, pytester):
    (pytester.path / "elsewhere").mkdir()
    (pytester.path / "elsewhere" / "test_other.py").write_text("def test_it():\n    pass\n")
    outcome = session("", "--dbench-evidence=none", where="elsewhere")
    assert outcome.code == 0
    assert "dbench:" not in outcome.text
    assert "verdicts" not in outcome.text
    assert not (outcome.folder / "out").exists()


def test_the_plugin_loads_without_the_libraries_that_are_slow_to_load():
    code = (
        "import sys, dbench.pytest_plugin; print(*(n for n in ('torch', 'pandas', 'scipy.stats') if n in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("arguments", "expect", "message"),
    [
        (["--dbench-evidence=nowhere"], "", "evidence must be a folder with runs.parquet and manifest.json"),
        (["--dbench-report=claims/test_own.py"], "", "dbench report must be a folder that can be written"),
        ([], 'expected = "all"', "expected.toml must hold [[expected]] tables and nothing else"),
        ([], "misspelt", "unknown claim 'flaws.xorr'; did you mean 'flaws.xor'?"),
        (["--dbench-runs=missing"], "", "--dbench-runs=missing judges what it trains"),
    ],
)
def test_what_cannot_be_right_is_a_usage_error_of_one_line(session, expected, arguments, expect, message):
    expect = expected("flaws.xorr", "inconclusive") if expect == "misspelt" else expect
    outcome = session(PEACEFUL, *arguments, expect=expect)
    assert outcome.code == 4
    assert [line for line in outcome.text.splitlines() if message in line and line.startswith("ERROR: ")]
    assert "Traceback" not in outcome.text


@pytest.mark.parametrize("how", ["option", "environment"])
def test_a_store_that_cannot_be_made_is_a_usage_error_of_one_line(session, monkeypatch, pytester, how):
    """Whether it is named by --dbench-store or, as for dbench zoo, by DBENCH_STORE."""
    (pytester.path / "in_the_way").write_text("a file")
    arguments = ["--dbench-runs=missing", "--dbench-evidence="]
    if how == "option":
        arguments.append("--dbench-store=in_the_way/store")
    else:
        monkeypatch.setenv("DBENCH_STORE", "in_the_way/store")
    outcome = session(PEACEFUL, *arguments)
    assert outcome.code == 4
    assert [line for line in outcome.text.splitlines() if line.startswith("ERROR: store must be a folder or URL")]
    assert "INTERNALERROR" not in outcome.text


def test_an_error_of_the_operating_system_while_training_is_a_usage_error(session, pytester):
    (pytester.path / "conftest.py").write_text(
        "import dbench.claims.evidence as evidence\n\n\n"
        "def full(*_):\n    raise OSError(28, 'No space left on device', '/some/file')\n\n\n"
        "evidence.train_evidence = full\n"
    )
    outcome = session(PEACEFUL, "--dbench-runs=missing", "--dbench-evidence=")
    assert outcome.code == 4
    assert "ERROR: the operating system refused: No space left on device (/some/file)" in outcome.text
    assert "INTERNALERROR" not in outcome.text


LACKING = """
from dbench.errors import EvidenceLacking

OPEN, PAIR = card(evidence="zoo"), card("flaws.misalignment", evidence="zoo")

@OPEN.covers
def test_open(judge):
    raise EvidenceLacking("micro holds no score 'irs'")

@PAIR.covers
def test_pair(judge):
    raise EvidenceLacking("needs two data sets")

def test_without_a_card():
    raise EvidenceLacking("needs two data sets")
"""


def test_evidence_that_lacks_what_a_claim_needs_leaves_it_open_with_the_reason(session, expected):
    found = session(LACKING, expect=expected("flaws.misalignment", "inconclusive", evidence="zoo"))
    assert found.verdicts == {"test_open": "inconclusive", "test_pair": "inconclusive"}
    for count in ("2 failed", "1 inconclusive"):
        assert count in found.last_line, found.text
    open_, pair = (found.records[name] for name in ("test_open", "test_pair"))
    assert [open_[name] for name in ("estimate", "interval", "n", "printed_agrees")] == [None] * 4
    assert (open_["reason"], open_["unexpected"]) == ("micro holds no score 'irs'", True)
    assert (pair["reason"], pair["unexpected"]) == ("needs two data sets", False)
