"""What a session makes of reports: records, checks, what was lost, and the exit status."""

import json

import pytest

from dbench.claims import Verdict
from dbench.claims.expected import Expectations
from dbench.plugin.session import LOST_WORKER, NOTHING_DECIDED, RECORD_PROPERTY, REMARK_PROPERTY, Session

CARD = {"claim": "flaws.xor", "evidence": "synthetic", "paper": "flaws", "part": ""}
TEST = "claims/test_xor.py::test"


def judged(verdict: str, *, expected: str | None = None, **params) -> dict:
    unexpected = expected is not None and expected != verdict
    record = CARD | {"verdict": verdict, "params": params, "nodeid": TEST, "expected": expected}
    return {RECORD_PROPERTY: json.dumps(record | {"unexpected": unexpected})}


def run(session: Session, properties=None, *, nodeid=TEST, call="passed", teardown="passed", message="") -> Session:
    """Report the three phases of a test, as pytest does."""
    session.expected.add(nodeid)
    for phase, outcome in (("setup", "passed"), ("call", call), ("teardown", teardown)):
        session.report(
            nodeid,
            phase=phase,
            outcome=outcome,
            seconds=0.25,
            properties=[] if phase == "setup" else list((properties or {}).items()),
            message="" if outcome == "passed" else message,
        )
    return session


@pytest.fixture
def session() -> Session:
    return Session(cards={TEST: CARD}, expected={TEST})


def test_a_record_carries_the_time_of_all_its_phases(session):
    (record,) = run(session, judged("reproduced")).records()
    assert (record["verdict"], record["seconds"]) == ("reproduced", 0.75)
    assert session.checks() == []


@pytest.mark.parametrize(
    ("verdict", "expected", "call", "status", "exit_status"),
    [
        ("reproduced", None, "passed", 0, 0),
        ("reproduced", "reproduced", "passed", 0, 0),
        ("weaker", None, "skipped", 0, 0),
        ("contradicted", None, "failed", 1, 1),
        ("absent", None, "failed", 1, 1),
        ("contradicted", "contradicted", "skipped", 0, 0),
        ("undecided", "undecided", "skipped", 0, NOTHING_DECIDED),
        ("not tested", None, "skipped", 0, NOTHING_DECIDED),
        ("reproduced", "absent", "failed", 1, 1),
        ("contradicted", None, "skipped", 0, 1),  # xfail talked pytest into 0
        ("contradicted", "reproduced", "skipped", 0, 1),
        ("undecided", "absent", "skipped", 0, 1),
        ("weaker", "reproduced", "skipped", 0, 1),
    ],
)
def test_the_exit_status_follows_from_the_records(session, verdict, expected, call, status, exit_status):
    run(session, judged(verdict, expected=expected), call=call, message="why")
    assert session.records()[0]["verdict"] == verdict
    assert session.exit_status(status) == exit_status


@pytest.mark.parametrize(("strictly", "exit_status"), [(False, 0), (True, NOTHING_DECIDED)])
def test_an_undecided_verdict_beside_others_fails_only_when_asked(session, strictly, exit_status):
    run(session, judged("undecided"), call="skipped")
    run(session, judged("reproduced"), nodeid="other")
    assert session.exit_status(0, fail_on_undecided=strictly) == exit_status


@pytest.mark.parametrize("status", [2, 3, 4, 5])
def test_other_exit_statuses_are_pytests_own(session, status):
    assert session.exit_status(status) == status


def test_checks_alone_are_no_undecided_session():
    session = run(Session())
    assert (session.records(), session.exit_status(0)) == ([], 0)


@pytest.mark.parametrize(
    ("properties", "call", "teardown", "reason"),
    [
        ({}, "failed", "passed", "boom"),
        ({}, "skipped", "passed", "boom"),
        (judged("reproduced"), "passed", "failed", "boom"),
        (judged("reproduced"), "failed", "passed", "boom"),  # an assertion after the judgement
    ],
    ids=["no record", "skipped", "teardown", "after the judgement"],
)
def test_a_claim_that_reached_no_verdict_or_broke_later_is_broken(session, properties, call, teardown, reason):
    run(session, properties, call=call, teardown=teardown, message="\n  boom  \nmore\n")
    (record,) = session.records()
    assert (record["verdict"], record["reason"], record["claim"]) == ("broken", reason, "flaws.xor")
    assert session.exit_status(0) == 1


@pytest.mark.parametrize("verdict", ["contradicted", "undecided"])
def test_a_verdict_against_a_finding_stands_even_if_the_teardown_breaks(session, verdict):
    run(session, judged(verdict), call="failed", teardown="failed", message="boom")
    assert session.records()[0]["verdict"] == verdict
    assert session.exit_status(1) == 1


def test_an_unexpectedly_good_verdict_is_not_taken_for_broken(session):
    run(session, judged("reproduced", expected="absent"), call="failed", message="changed")
    assert session.records()[0]["verdict"] == "reproduced"


@pytest.mark.parametrize(("second", "verdict"), [("reproduced", "broken"), ("contradicted", "contradicted")])
def test_a_test_that_another_plugin_runs_again_keeps_all_its_judgements(session, second, verdict):
    said = [pair for word in ("contradicted", second) for pair in judged(word).items()]
    for phase in ("setup", "call", "teardown"):
        session.report(TEST, phase=phase, outcome="passed", seconds=0, properties=said, message="")
    (record,) = session.records()
    assert record["verdict"] == verdict
    assert verdict != "broken" or record["reason"] == "judged 2 times: contradicted, reproduced"
    assert session.exit_status(0) == 1


@pytest.mark.parametrize("status", [0, 1])
def test_a_test_that_never_reports_is_lost_and_broken(session, status):
    session.report(TEST, phase="setup", outcome="passed", seconds=0.1, properties=[], message="")
    assert session.lost == [TEST]
    (record,) = session.records()
    assert (record["verdict"], record["reason"]) == ("broken", "its worker died before it reported")
    assert session.exit_status(status) == LOST_WORKER


def test_a_crash_reported_in_a_phase_of_its_own_is_broken_but_not_lost(session):
    session.report(TEST, phase="???", outcome="failed", seconds=0, properties=[], message="worker 'gw0' crashed")
    assert session.lost == []
    assert session.records()[0]["reason"] == "worker 'gw0' crashed"


def test_a_stopped_session_calls_nothing_lost_or_stale(session):
    session.expectations, session.stopped = expectations("metric=mig"), True
    run(session, judged("reproduced", metric="sap"), nodeid="done")
    assert (session.lost, session.stale()) == ([], [])
    assert {r["verdict"]: r.get("reason") for r in session.records()} == {
        "broken": "not run: the session was stopped",
        "reproduced": None,
    }
    assert session.exit_status(2) == 2


def expectations(params: str) -> Expectations:
    return Expectations({f"flaws.xor / synthetic / {params}": (Verdict.ABSENT, "why")})


@pytest.mark.parametrize(("partial", "exit_status"), [(False, 1), (True, 0)])
def test_a_stale_expectation_fails_unless_only_a_part_was_picked(session, partial, exit_status):
    session.expectations, session.partial = expectations("metric=mig"), partial
    run(session, judged("reproduced", metric="sap"))
    assert session.exit_status(0) == exit_status


def test_a_check_says_what_became_of_it_and_what_it_remarks():
    session = Session(expected={"never"})
    run(session, {REMARK_PROPERTY: "2 runs retrained"}, nodeid="good")
    run(session, nodeid="bad", call="failed", message="\nboom\nmore")
    run(session, nodeid="left out", call="skipped", message="no GPU")
    assert [(c["nodeid"], c["outcome"], c["detail"]) for c in session.checks()] == [
        ("bad", "failed", "boom"),
        ("good", "passed", "2 runs retrained"),
        ("left out", "skipped", "no GPU"),
        ("never", "failed", "its worker died before it reported"),
    ]
