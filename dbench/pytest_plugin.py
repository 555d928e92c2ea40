"""The pytest plugin: turns judgements into outcomes, and a session into a report.

Inert wherever dbench is merely installed: it acts only when tests under the folder named by the ini option
``dbench_claims`` are run. Nothing imported here may import torch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from dbench.claims import CARD_ATTRIBUTE, Claim, Expectations, Printed, Verdict, card_fields, load_expected, record_of
from dbench.claims.session import RECORD_PROPERTY, REMARK_PROPERTY, Session
from dbench.errors import DbenchError
from dbench.provenance import commit, utc_now, versions
from dbench.stats import Estimate

__all__ = ["ChangedVerdict", "Inconclusive", "KnownDeviation", "NotReproduced"]

# pytest builds its outcome exceptions at run time, so a type checker cannot see that this is a class.
_Skipped: Any = pytest.skip.Exception

SESSION: pytest.StashKey[Session] = pytest.StashKey()
EXPECTATIONS: pytest.StashKey[Expectations | None] = pytest.StashKey()


class NotReproduced(AssertionError):
    """The finding does not hold by its rule."""


class ChangedVerdict(AssertionError):
    """The verdict is not the expected one: better or worse, somebody has to look."""


class Inconclusive(_Skipped):  # type: ignore[misc]
    """The evidence cannot tell; a count of its own, neither passed nor failed."""


class KnownDeviation(_Skipped):  # type: ignore[misc]
    """Not reproduced, as ``expected.toml`` says with its reason; a count of its own."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare every option as ``--dbench-*``, with an ini twin where a project would fix it."""
    group = parser.getgroup("dbench", "claims about disentangled representations")
    group.addoption("--dbench-report", metavar="DIR", help="folder of the report, or 'none' (ini: dbench_report)")
    group.addoption("--dbench-expect", metavar="FILE", help="expected verdicts, or 'none' (ini: dbench_expect)")
    group.addoption("--dbench-evidence", metavar="DIR", help="folder of evidence tables (default: those shipped)")
    group.addoption(
        "--dbench-runs",
        choices=("cached", "missing"),
        default="cached",
        help="'missing': train what the store lacks and judge on that instead of on the evidence tables",
    )
    group.addoption("--dbench-profile", default="micro", help="profile that --dbench-runs=missing trains")
    group.addoption("--dbench-store", metavar="DIR", default="store", help="store that --dbench-runs=missing fills")
    group.addoption("--dbench-tier", choices=("smoke", "full"), default="full", help="'smoke' runs the quick part only")
    group.addoption(
        "--dbench-inconclusive", choices=("allow", "fail"), default="allow", help="'fail' exits 8 on any inconclusive"
    )
    parser.addini("dbench_claims", "folder of the claims; the plugin is inert elsewhere", default="")
    parser.addini("dbench_report", "folder the report is written to", default="none")
    parser.addini("dbench_expect", "file of expected verdicts", default="none")


def _setting(config: pytest.Config, name: str) -> Path | None:
    """Resolve an option with its ini twin to a path below the root, ``None`` for 'none'."""
    value = config.getoption(name) or config.getini(name)
    return None if value == "none" else config.rootpath / str(value)


def _judges_claims(config: pytest.Config) -> bool:
    folder = str(config.getini("dbench_claims"))
    if not folder:
        return False
    claims = (config.rootpath / folder).resolve()
    paths = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
    return any(path == claims or claims in path.parents or path in claims.parents for path in paths)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the markers; where claims are judged, read the expected verdicts and start recording."""
    config.addinivalue_line("markers", "claim(id): added to every test that judges a claim of the ledger")
    if not _judges_claims(config):
        return
    expect = _setting(config, "dbench_expect")
    try:
        config.stash[EXPECTATIONS] = load_expected(expect) if expect else None
    except DbenchError as error:
        raise pytest.UsageError(str(error)) from error
    if hasattr(config, "workerinput"):
        return
    config.stash[SESSION] = Session(expectations=config.stash[EXPECTATIONS])
    config.pluginmanager.register(Recorder(config), "dbench-recorder")
    report = _setting(config, "dbench_report")
    if report and not getattr(config.option, "xmlpath", None):
        config.option.xmlpath = str(report / "junit.xml")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that judge a claim; deselect the tiers not asked for."""
    left_out = []
    for item in items:
        card = _card_of(item)
        if card is not None:
            item.add_marker(pytest.mark.claim(card.id))
            if card.tier == "full" and config.getoption("dbench_tier") == "smoke":
                left_out.append(item)
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def _card_of(item: pytest.Item) -> Claim | None:
    card = getattr(getattr(item, "obj", None), CARD_ATTRIBUTE, None)
    return card if isinstance(card, Claim) else None


def _cards(items: list[pytest.Item]) -> dict[str, dict[str, Any]]:
    return {item.nodeid: card_fields(card) for item in items if (card := _card_of(item)) is not None}


@pytest.fixture
def judge(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Callable[..., None]:
    """Judge an estimate by a card: ``judge(CARD, estimate)``. One judgement a test; it ends the test."""

    def decide(
        card: Claim,
        estimate: Estimate,
        *,
        printed: Printed | None = None,
        population: str | None = None,
        deviations: tuple[str, ...] = (),
    ) -> None:
        if card is not _card_of(request.node):
            raise TypeError(f"{request.node.nodeid} must judge the claim it covers, got {card.id} {card.part}".strip())
        callspec = getattr(request.node, "callspec", None)
        judgement = card.judge(estimate, printed=printed)
        record = record_of(
            card,
            estimate,
            judgement,
            params=callspec.params if callspec else {},
            nodeid=request.node.nodeid,
            population=population,
            deviations=deviations,
        )
        expectations = pytestconfig.stash.get(EXPECTATIONS, None)
        expected, why = expectations.of(record) if expectations else (None, "")
        unexpected = expected is not None and expected != judgement.verdict
        record |= {"expected": str(expected) if expected else None, "expected_reason": why, "unexpected": unexpected}
        request.node.user_properties.append((RECORD_PROPERTY, json.dumps(record, allow_nan=False)))
        message = f"{card.id}: {judgement.verdict}: {judgement.reason}"
        if unexpected:
            raise ChangedVerdict(f"{message}; expected: {expected}\nagain: pytest '{request.node.nodeid}'")
        if judgement.verdict is Verdict.INCONCLUSIVE:
            raise Inconclusive(message, _use_item_location=True)
        if judgement.verdict is Verdict.NOT_REPRODUCED:
            if expected is not None:
                raise KnownDeviation(f"{message}; known: {why}", _use_item_location=True)
            raise NotReproduced(f"{message}\nagain: pytest '{request.node.nodeid}'")

    return decide


@pytest.fixture
def remark(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Say a line about a check that stands beside the claims; the report shows it: ``remark("2 runs retrained")``."""
    return lambda text: request.node.user_properties.append((REMARK_PROPERTY, text))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A claim that passed without a judgement is broken, not reproduced."""
    report = yield
    judged = any(name == RECORD_PROPERTY for name, _ in item.user_properties)
    if report.when == "call" and report.passed and _card_of(item) is not None and not judged:
        report.outcome = "failed"
        report.longrepr = "the test covers a claim but never judged it"
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """Give inconclusive verdicts and known deviations counts of their own."""
    record = dict(getattr(report, "user_properties", ())).get(RECORD_PROPERTY)
    if report.when != "call" or not report.skipped or record is None:
        return None
    if json.loads(record)["verdict"] == Verdict.INCONCLUSIVE:
        return "inconclusive", "?", ("INCONCLUSIVE", {"yellow": True})
    return "known deviation", "N", ("NOT REPRODUCED (known)", {"yellow": True})


def pytest_sessionfinish(session: pytest.Session) -> None:
    """On a worker: tell the controller which test judges which claim, in case a test never reports."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["dbench_cards"] = json.dumps(_cards(session.items))


class Recorder:
    """The controller's side: collects reports, writes the files, prints the summary, sets the exit status."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.session = config, config.stash[SESSION]
        self.document: dict[str, Any] = {}
        self.written: list[Path] = []
        self.provenance = {"commit": commit(), "versions": versions(), "utc": utc_now()}

    def pytest_report_header(self) -> list[str]:
        """Say in two lines what is judged on what."""
        option, expect = self.config.option, _setting(self.config, "dbench_expect")
        evidence = option.dbench_evidence or "as shipped"
        return [
            f"dbench: {versions()}; tier {option.dbench_tier}",
            f"dbench: evidence {evidence}; runs {option.dbench_runs}; expected {expect.name if expect else 'nothing'}",
        ]

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Before any worker starts: find the evidence, and train what is missing when asked to."""
        from dbench.claims.evidence import evidence_folders, train_evidence

        option = self.config.option
        try:
            if option.dbench_runs == "missing":
                option.dbench_evidence = str(train_evidence(option.dbench_profile, option.dbench_store))
            folders = evidence_folders(option.dbench_evidence)
        except DbenchError as error:
            raise pytest.UsageError(str(error)) from error
        self.provenance["evidence"] = ", ".join(folder.name for folder in folders)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without xdist: remember what was collected."""
        self.session.expected |= {item.nodeid for item in session.items}
        self.session.cards |= _cards(session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: list[str]) -> None:
        """With xdist: remember what the workers collected."""
        self.session.expected |= set(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """With xdist: learn from a worker that ended well which test judges which claim."""
        self.session.cards |= json.loads(getattr(node, "workeroutput", {}).get("dbench_cards", "{}"))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in one phase of one test."""
        message = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            message = crash.message if crash else str(report.longrepr)
        self.session.report(
            report.nodeid,
            phase=str(report.when),
            outcome=report.outcome,
            seconds=report.duration,
            properties=dict(report.user_properties),
            message=message,
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report and set the exit status; what is lost or stale never ends green."""
        session.exitstatus = self.session.exit_status(
            int(session.exitstatus), fail_on_inconclusive=self.config.getoption("dbench_inconclusive") == "fail"
        )
        from dbench.report import build_document, write_report

        records, checks = self.session.records(), self.session.checks()
        self.document = build_document(records, checks=checks, provenance=self.provenance | _multiplicity(records))
        folder = _setting(self.config, "dbench_report")
        if folder and records:
            self.written = [*write_report(folder, self.document), folder / "junit.xml"]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the verdicts by paper, what was lost or is stale, and the files written."""
        from dbench.report import summary_lines

        if not self.document:
            return
        terminalreporter.section("verdicts")
        paths = [path.relative_to(self.config.rootpath) for path in self.written]
        lines = summary_lines(
            self.document,
            verbose=self.config.get_verbosity() > 0,
            width=terminalreporter._tw.fullwidth,
            paths=paths,
        )
        lines += [f"stale expectation, no judgement uses it: {entry}" for entry in self.session.stale()]
        lines += [f"never reported, its worker died: {nodeid}" for nodeid in self.session.lost]
        for line in lines:
            terminalreporter.write_line(line)


def _multiplicity(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Say how many judgements were made from samples, and how many intervals may miss by chance alone."""
    sampled = [record for record in records if record["interval"] and record["confidence"] < 1]
    missed = sum(1 - record["confidence"] for record in sampled)
    return {"judgements": len(records), "of samples": len(sampled), "intervals expected to miss": round(missed, 1)}
