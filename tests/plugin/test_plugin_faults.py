"""Faults around a session end with one clear line and the right exit code."""

import json
import sys
from types import SimpleNamespace

import pytest

from dbench.claims.frozen import Frozen, FrozenCard, write_frozen
from dbench.claims.rules import Verdict
from dbench.plugin.judge import pytest_report_teststatus
from dbench.plugin.session import RECORD_PROPERTY

COVERS = """
@card().covers
def test_holds():
    {body}
    return around(0.8)
"""
HOLDS = COVERS.format(body="open('ran', 'w').close()")


def test_a_session_whose_report_could_not_be_written_says_its_verdicts_all_the_same(session):
    outcome = session(COVERS.format(body="open('out', 'w').close()"))
    assert outcome.code == 1
    assert "no report: " in outcome.text
    assert "1 finding: 1 not tested" in outcome.text  # a cell alone heads nothing
    assert "Traceback" not in outcome.text
    assert "INTERNALERROR" not in outcome.text


def test_an_entry_is_not_called_unused_when_its_judgement_broke(session, expected):
    source = """
@pytest.mark.parametrize("value", ["good", "bad"])
@card().covers
def test_holds(value):
    assert value == "good", "it broke"
    return around(0.8)
"""
    entry = expected("contradicted", "flaws.xor / synthetic / value=bad")
    outcome = session(source, expect=entry)
    assert outcome.code == 1
    assert "stale expectation" not in outcome.text
    assert sorted(outcome.verdicts.values()) == ["broken", "reproduced"]


@pytest.mark.parametrize(
    ("arguments", "expect", "message"),
    [
        (["--dbench-evidence=nowhere"], "", "evidence must be a folder with runs.parquet and manifest.json"),
        (["--dbench-report=claims/test_own.py"], "", "the report must go to a folder that can be written"),
        pytest.param(
            ["--dbench-report=/proc"],
            "",
            "the report must go to a folder that can be written, got '/proc'",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="no folder that nobody can write"),
        ),
        ([], 'expected = "all"', "expected.toml must hold [[expected]] tables and nothing else"),
        ([], "misspelt", "unknown claim 'flaws.xorr'; did you mean 'flaws.xor'?"),
        (["--dbench-runs=missing"], "", "--dbench-runs=missing judges what it trains"),
        (["-o", "dbench_errata=nowhere:errata"], "", "dbench_errata: module 'nowhere' cannot be imported"),
    ],
)
def test_what_cannot_be_right_is_refused_before_any_test(session, expected, arguments, expect, message):
    expect = expected("undecided", "flaws.xorr / synthetic") if expect == "misspelt" else expect
    outcome = session(HOLDS, *arguments, expect=expect)
    assert outcome.code == 4
    assert [line for line in outcome.text.splitlines() if message in line and line.startswith("ERROR: ")]
    assert "Traceback" not in outcome.text
    assert not (outcome.folder / "ran").exists()


@pytest.mark.parametrize(("options", "store"), [(["--dbench-store=option"], "option"), ([], "environment")])
def test_an_error_of_the_system_while_a_store_is_trained_is_a_usage_error(
    session, pytester, monkeypatch, options, store
):
    monkeypatch.setenv("DBENCH_STORE", "environment")  # for a store that no option names
    (pytester.path / "conftest.py").write_text(
        "import dbench.estimates.evidence as evidence\n\n\n"
        "def full(profile, store):\n    raise OSError(28, 'No space left on device', store)\n\n\n"
        "evidence.train_evidence = full\n"
    )
    outcome = session(HOLDS, "--dbench-runs=missing", "--dbench-evidence=", *options)
    assert outcome.code == 4
    assert f"ERROR: the operating system refused: No space left on device ({store})" in outcome.text
    assert "INTERNALERROR" not in outcome.text


def test_figures_of_the_folder_that_the_ini_names_are_shown(session, pytester):
    ini = pytester.path / "tox.ini"
    ini.write_text(ini.read_text() + "\ndbench_figures = drawn\n")
    (pytester.path / "drawn").mkdir()
    (pytester.path / "drawn" / "figures.json").write_text("{")
    outcome = session(HOLDS)
    assert outcome.code == 1
    assert "figures.json must list figures as 'make pages' writes them" in outcome.text


FINDING = """
[[finding]]
id = "mine.mixing"
where = "2"
says = "It holds for mine."
evidence = ["synthetic"]
heads = "synthetic"
"""


def test_a_claim_outside_the_ledger_breaks_until_a_ledger_of_ones_own_has_it(session, pytester):
    source = HOLDS.replace("card()", 'card("mine.mixing", role="primary", quote="It holds.")')
    outcome = session(source)
    assert outcome.code == 1
    (record,) = outcome.report["records"]
    assert record["verdict"] == "broken"
    assert "claim 'mine.mixing' must be a finding of the ledger" in record["reason"]
    (pytester.path / "ledger.toml").write_text(FINDING)
    outcome = session(source, "--dbench-ledger=ledger.toml")
    assert outcome.code == 0
    (heading,) = outcome.report["headings"]
    assert (heading["verdict"], heading["statement"]) == ("reproduced", "It holds for mine.")


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_that_a_test_may_hide_behind_a_skip_has_a_letter(verdict):
    said = [(RECORD_PROPERTY, json.dumps({"verdict": verdict}))]
    report = SimpleNamespace(when="call", skipped=True, user_properties=said)
    assert len(pytest_report_teststatus(report)[1]) == 1


def test_the_cells_of_a_finding_share_its_level(session, pytester):
    cells = {f"hownot.fact-7 / synthetic / {part}": FrozenCard("ab" * 8, "2026-01-01", "", 1) for part in "ab"}
    write_frozen(pytester.path / "frozen.json", Frozen(cells))
    source = """
CARD = card("hownot.fact-7", part="a")

@CARD.covers
def test_shared():
    return around(0.7)
"""
    done = session(source, "-n0", "--dbench-frozen=frozen.json", "--dbench-unfrozen=allow")
    assert done.verdicts == {"test_shared": "reproduced"}
    assert done.records["test_shared"]["confidence"] == 0.975


KILLED = """
    import subprocess, time
    subprocess.Popen(["sh", "-c", f"sleep 0.2; kill -9 {os.getpid()}"])
    time.sleep(60)
"""


@pytest.mark.parametrize(
    "end",
    [pytest.param("    os._exit(0)", id="exit"), pytest.param(KILLED, id="killed", marks=pytest.mark.nightly)],
)
def test_a_worker_that_dies_leaves_a_broken_record(session, end):
    source = f"""
@card().covers
@pytest.mark.parametrize("number", range(4))
def test_good(number):
    return around(0.7)

@card("hownot.fact-4").covers
def test_fatal():
{end}
"""
    outcome = session(source, "-n1")
    assert outcome.code != 0
    assert outcome.verdicts == {f"test_good[{n}]": "reproduced" for n in range(4)} | {"test_fatal": "broken"}
    assert "crashed" in outcome.records["test_fatal"]["reason"]


def test_where_every_worker_dies_the_report_is_no_full_one(session):
    source = """
@card().covers
def test_good():
    return around(0.7)

@card("hownot.fact-4").covers
def test_fatal():
    os._exit(0)
"""
    outcome = session(source, "-n1", "--max-worker-restart=0")
    assert outcome.code != 0
    assert not (outcome.folder / "out").exists()
    document = json.loads((outcome.folder / "out-partial" / "report.json").read_text())
    assert not document["scope"]["complete"]


def test_a_claim_that_cannot_be_judged_is_one_line_each(session):
    source = """
@card(part="interval").covers
def test_interval():
    return around(0.8).at(0.95)

@card(part="no control", false={}).covers
def test_no_control():
    return around(0.8)

@card(part="second").covers
@card(part="first").covers
def test_two_cards():
    return around(0.8)

@card(part="same").covers
def test_one_name():
    return around(0.8)

@card(part="same").covers
def test_the_same_name():
    return around(0.8)
"""
    done = session(source, "-n0")
    assert done.code == 1
    assert set(done.verdicts.values()) == {"broken"}
    lines = {
        "test_interval": "must return an Estimate, got Interval",
        "test_no_control": "false of card 'flaws.xor / synthetic / no control' must name where its sentence is false",
        "test_two_cards": "test_two_cards covers two: 'flaws.xor / synthetic / second' is the second",
        "test_one_name": "part of card 'flaws.xor / synthetic / same' must tell it from the others",
    }
    for name, line in lines.items():
        assert line in done.records[name]["reason"]
    assert "Traceback" not in done.text
