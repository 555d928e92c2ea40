"""The referee: other libraries beside ours, here tiny ones that are made up, so that none needs to be installed."""

import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import referee
from click.testing import CliRunner
from peers import audits, calls, faults, implementations, page
from peers.calls import Call

from dbench.audit import CheckResult
from dbench.errors import DamagedData

DOCS = Path(__file__).parents[2] / "docs"
TRAINED = Path("no such file")

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="calls are forks"),
    # Of a fork in a process with threads; those of pytest-xdist hold nothing that the calls need.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


def good(codes, factors):
    return {"mig": 0.5}


def noisy(codes, factors):
    os.write(1, b"a peer that talks\n")
    return {"mig": 0.25}


def faulty(codes, factors):
    raise ValueError("no\nluck")


def busy(codes, factors):
    while True:
        pass


def leaving(codes, factors):
    os._exit(3)


def idle(codes, factors):
    time.sleep(600)


@pytest.fixture
def peer(monkeypatch):
    """A library that is installed, whose one metric is given."""

    def make(function):
        monkeypatch.setitem(implementations.LIBRARIES, "peer", ("numpy", "0"))
        found = implementations.Implementation("peer", "mig", function)
        monkeypatch.setitem(implementations.REGISTRY, found.name, found)
        return found.name

    return make


@pytest.mark.parametrize(
    ("function", "outcome", "said"),
    [
        (good, "value", ""),
        (noisy, "value", ""),
        (faulty, "raised", "ValueError: no luck"),
        (busy, "no answer", "no answer within 1 s"),
        (leaving, "raised", "ended its process with 3: "),
    ],
)
def test_a_peer_that_raises_prints_hangs_or_leaves_is_one_line(peer, capfd, function, outcome, said):
    found = calls.call(peer(function), "copies", TRAINED, limit=1 if function is busy else 30)
    assert (found.outcome, found.said.strip()) == (outcome, said.strip())
    assert bool(found.values) == (outcome == "value")
    assert capfd.readouterr().out == ""


def test_a_peer_that_sleeps_is_stopped_by_the_clock(peer, monkeypatch):
    monkeypatch.setattr(calls, "PATIENCE", 0.5)
    assert calls.call(peer(idle), "copies", TRAINED, limit=1).outcome == "no answer"


def test_a_library_that_is_missing_is_said_for_each_call_and_the_others_go_on():
    names = ["reliably:mig", "dbench:mig"]
    if implementations.installed_version("reliably"):
        pytest.skip("it is installed")
    missing, ours = calls.gather(names, ["copies"], TRAINED, limit=60)
    assert (missing.outcome, missing.said) == ("not installed", "reliably is not installed")
    assert ours.values["mig"] == pytest.approx(0.9989, abs=1e-4)


def test_every_peer_has_a_metric_of_ours_beside_it():
    known = implementations.all_implementations()
    ours = {found.metric for found in known.values() if found.library == "dbench"}
    assert {found.metric for found in known.values()} == ours
    assert {found.library for found in known.values()} == set(implementations.LIBRARIES)


# ------------------------------------------------------------------ reasons
OURS = Call("dbench", "mig", "copies", "value", {"mig": 0.5}, 1.0)
SAME = Call("peer", "mig", "copies", "value", {"mig": 0.5}, 2.0)
OTHER = Call("peer", "mig", "copies", "value", {"mig": 0.502}, 2.0)
REASON = page.Reason(("peer",), "mig", "setting", "other bins")


def test_a_difference_needs_a_reason_and_a_reason_a_difference():
    assert page.unexplained([OURS, SAME], []) == []
    assert page.unexplained([OURS, OTHER], []) == [OTHER]
    assert page.unexplained([OURS, OTHER], [REASON]) == []
    assert page.unexplained([OURS, replace(OTHER, outcome="not installed", values={})], []) == []
    assert page.outdated([OURS, SAME], [REASON]) == [REASON]
    assert page.outdated([OURS, OTHER], [REASON]) == []
    assert page.outdated([OURS], [REASON]) == []


def test_a_reason_is_of_its_inputs_and_draws_explain_only_so_much():
    elsewhere = replace(REASON, given=("noise",))
    assert page.unexplained([OURS, OTHER], [elsewhere]) == [OTHER]
    for within, left in ((0.001, [OTHER]), (0.003, [])):
        assert page.unexplained([OURS, OTHER], [replace(REASON, kind="draws", within=within)]) == left


def test_what_raises_beside_a_value_of_ours_differs_and_two_that_raise_do_not():
    raised = Call("peer", "mig", "copies", "raised", said="ValueError")
    assert page.unexplained([OURS, raised], []) == [raised]
    assert page.same(replace(raised, library="dbench"), raised)


@pytest.mark.parametrize(
    "entry", ['kind = "setting"\ntext = ""', 'kind = "whim"\ntext = "a"', 'kind = "draws"\ntext = "a"']
)
def test_a_reason_without_kind_text_or_bound_is_refused(tmp_path, entry):
    (tmp_path / "reasons.toml").write_text(f'[[reason]]\nlibraries = ["peer"]\nmetric = "mig"\n{entry}\n')
    with pytest.raises(DamagedData, match="must give kind"):
        page.read_reasons(tmp_path / "reasons.toml")


def test_the_page_shows_values_reasons_and_ratios_of_times(monkeypatch, peer):
    peer(good)
    monkeypatch.setattr(page, "read_reasons", lambda: [REASON])
    known = implementations.all_implementations()
    second = [replace(call, given="noise") for call in (OURS, SAME)]
    text = "\n".join(page.page([OURS, OTHER, *second], known, {"dbench": "1", "peer": "2"}, 60))
    assert "copies | 0.5000 | 0.5020 [1]" in text
    assert "noise | 0.5000 | =" in text
    assert "1. peer, **setting**: other bins" in text
    assert "ceiling.\n\nmetric | library" in text
    assert "mig | peer | 1 | 1.0000 | 2.0000 | 2.0" in text


# ------------------------------------------------------------------ the audit
def record(name: str, check: str, status: str) -> CheckResult:
    return CheckResult(name, check, check, status, 1.0, "", "", "")


def audit_of(name: str, **status: str) -> list[CheckResult]:
    return [record(name, check, word) for check, word in status.items()]


def test_a_failure_is_of_the_implementation_where_the_same_metric_of_the_other_side_passes():
    ours = audit_of("dbench:mig", separation="pass", sign="pass", bins="fail", scale="fail", noise="fail")
    peer = audit_of("peer:mig", separation="pass", sign="error", bins="fail", scale="pass", noise="fail")
    blind = audit_of("blind:mig", separation="fail", sign="pass", bins="pass", scale="pass", noise="pass")
    cells = audits.classify({"dbench:mig": ours, "peer:mig": peer, "blind:mig": blind, "gone:mig": "not installed"})
    assert cells["peer:mig"]["sign"] == "as implementation"
    assert cells["peer:mig"]["bins"] == "by definition"
    assert cells["dbench:mig"]["scale"] == "as implementation"
    assert cells["dbench:mig"]["noise"] == "by definition"  # only one passes that does not tell copies from noise
    assert "gone:mig" not in cells
    text = "\n".join(audits.page({"dbench:mig": ours, "peer:mig": peer, "gone:mig": "not installed"}, {"peer": ""}))
    assert "sign | yes | **NO**" in text
    assert "`gone:mig` | not installed" in text
    assert audits.badges({"peer:mig": peer}) == {"peer:mig": ("peer:mig", "2 of 5 checks pass")}


def test_an_implementation_is_audited_in_a_fork_with_its_limit(peer, monkeypatch):
    records = audits.audited(peer(good), limit=60, only=["permutation", "separation"])
    assert {(r.family, r.status) for r in records} == {("separation", "fail"), ("permutation", "pass")}
    monkeypatch.setattr(calls, "PATIENCE", 0.5)
    assert audits.audited(peer(idle), limit=1, only=["permutation"]) == "no answer within 1 s"
    line = audits.record_line("peer:mig", records)
    assert audits.read_records(line) == {"peer:mig": records}


# ------------------------------------------------------------------ faults, and the pages that are shipped
FAULT = faults.Fault(
    "peer", "numpy cannot add", "numpy", "print(1 + 1)\nprint(1 + 1 == 3)", "True", "It gives 2.", "Nobody."
)


def test_a_fault_is_shown_while_it_stands_and_listed_when_it_is_mended(peer):
    peer(good)
    output = faults.shown(FAULT)
    assert output == "2\nFalse"
    assert faults.stands(FAULT, output)
    assert not faults.stands(FAULT, "3\nTrue")
    text = "\n".join(faults.page([(FAULT, output), (replace(FAULT, title="mended"), "True")], {"peer": "1"}))
    assert "```text\n2\nFalse\n```" in text
    assert text.endswith("- peer 1: mended")
    assert faults.shown(replace(FAULT, code="raise ValueError('no')")) == "ValueError: no"


def test_the_faults_that_are_shipped_are_of_known_libraries_and_cite_something():
    found = faults.read_faults()
    assert {fault.library for fault in found} <= set(implementations.LIBRARIES)
    assert all(fault.cite and fault.why and fault.right for fault in found)
    for fault in found:
        compile(fault.code, fault.title, "exec")


def test_the_shipped_page_has_no_difference_without_a_reason():
    text = (DOCS / "peers.md").read_text(encoding="utf-8")
    assert "[?]" not in text
    assert "not installed" not in text
    for reason in page.read_reasons():
        assert reason.text in text, reason


def test_results_are_written_as_a_page_again_and_a_difference_without_reason_is_exit_1(tmp_path):
    runner = CliRunner()
    (tmp_path / "values.json").write_text("[]")
    folders = ["--docs", str(tmp_path), "--out", str(tmp_path)]
    done = runner.invoke(referee.main, [*folders, "values", "--again"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "peers.md").read_text().startswith("# Other libraries beside ours\n")


def test_the_inputs_are_what_they_say():
    from peers.inputs import ROWS, SOURCES, rows_of, source_of

    samples = {name: rows_of(source_of(name, TRAINED)) for name in SOURCES}
    assert {len(sample) for sample in samples.values()} == {ROWS}
    assert samples["one column"].n_codes == 1
    assert samples["128 codes"].n_codes == 128
    assert [bool(np.ptp(column)) for column in samples["dead codes"].codes.T] == [False, True, True, True, False]
    assert not samples["mixed"].discrete
