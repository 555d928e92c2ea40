"""The controller's side of the pytest plugin: it collects test reports and writes the report of the session."""

import json
import os
from collections.abc import Callable, Generator, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from dbench.claims import ledger
from dbench.claims.card import name_of
from dbench.claims.frozen import load_frozen
from dbench.errors import DbenchError, refused
from dbench.estimates.evidence import describe_evidence
from dbench.outside import load_callable
from dbench.plugin.cases import cards_of
from dbench.plugin.options import setting
from dbench.plugin.session import Session
from dbench.provenance import commit, repository, utc_now, versions
from dbench.report import build_document, report_folder, summary_lines, write_report
from dbench.report.figures import read_figures

JUNIT = "junit.xml"


class Recorder:
    """Collects the test reports, writes the files, prints the summary and sets the exit status.

    Attributes:
        complete: every test of the claims folder was asked for.
        known: the cards of the tests are known, from this process or from a worker that ended well.
        unwritten: why there is no report; empty if there is one.
        gone: names of frozen cards that no test covers any more.
    """

    def __init__(self, config: pytest.Config, session: Session, folder: Path | None, *, complete: bool) -> None:
        self.config, self.session, self.folder, self.complete = config, session, folder, complete
        self.folders: list[Path] = []
        self.judging = self.uncollected = self.known = False
        self.document: dict[str, Any] = {}
        self.written: list[Path] = []
        self.unwritten = ""
        self.gone: list[str] = []
        self.errata = _errata_of(str(config.getini("dbench_errata")))
        self.provenance = {"commit": commit(), "versions": versions(), "utc": utc_now(), "repository": repository()}

    def pytest_report_header(self) -> list[str]:
        """Return the lines about versions, evidence and expected verdicts that pytest prints at the start."""
        option, expectations = self.config.option, self.session.expectations
        evidence = option.dbench_evidence or "as shipped"
        expected = "nothing" if expectations is None else f"{len(expectations.entries)} entries"
        return [
            f"dbench: {versions()}",
            f"dbench: evidence {evidence}; runs {option.dbench_runs}; expected {expected}",
        ]

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Find the evidence tables, or train them if asked to, before any worker starts."""
        from dbench.estimates.evidence import evidence_folders, train_evidence

        option = self.config.option
        if option.dbench_runs == "missing" and option.dbench_evidence:
            raise pytest.UsageError("--dbench-runs=missing judges what it trains: leave --dbench-evidence out")
        try:
            if option.dbench_runs == "missing" and not option.collectonly:
                option.dbench_evidence = str(train_evidence(option.dbench_profile, option.dbench_store))
            self.folders = evidence_folders(option.dbench_evidence)
        except DbenchError as error:
            raise pytest.UsageError(" ".join(str(error).split())) from error
        except OSError as error:
            raise pytest.UsageError(refused(error)) from error

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without xdist: remember what was collected."""
        self.known = True
        self.session.expected |= {item.nodeid for item in session.items}
        self.session.cards |= cards_of(session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: list[str]) -> None:
        """With xdist: remember what the workers collected."""
        self.session.expected |= set(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """With xdist: take over from a worker that ended well which test judges which claim."""
        cards = getattr(node, "workeroutput", {}).get("dbench_cards")
        if cards is not None:
            self.known = True
            self.session.cards |= json.loads(cards)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember that a file could not be imported, here or on a worker: its claims were not collected."""
        self.uncollected |= report.failed
        self.session.partial |= report.failed

    @property
    def whole(self) -> bool:
        """Whether every claim was judged, so that the report covers all of them."""
        # If no worker ended well, it is not known which of the lost tests are claims.
        return self.complete and self.known and not self.uncollected and not self.session.stopped

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Note whether tests are run: a session that only lists or sets up tests must not touch the reports."""
        option = self.config.option
        collection_failed = session.testsfailed and not option.continue_on_collection_errors
        self.judging = not (option.collectonly or option.setuponly or collection_failed)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Pass the report of one phase of one test on to the session."""
        message = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        if hasattr(report, "wasxfail"):
            message = f"marked as failing. {report.wasxfail}".strip()
        if report.failed:
            message = _failure(report)
        self.session.report(
            report.nodeid,
            phase=str(report.when),
            outcome=report.outcome,
            seconds=report.duration,
            properties=report.user_properties,
            message=message.replace(f"{self.config.rootpath}{os.sep}", ""),
        )

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """Write the report and set the exit status. A report that cannot be written does not hide the verdicts."""
        if self.judging:
            self._finish(session)
        else:
            self._place_junit(judged=False)
        try:
            yield
        except OSError as error:
            if not self.judging:
                raise
            self.unwritten = self.unwritten or f"{error.strerror or error} ({error.filename})"
            session.exitstatus = session.exitstatus or 1

    def _finish(self, session: pytest.Session) -> None:
        interrupted = session.exitstatus == pytest.ExitCode.INTERRUPTED
        self.session.stopped = bool(interrupted or session.shouldfail or session.shouldstop)
        if self.whole and (frozen := setting(self.config, "dbench_frozen")):
            covered = {name_of(card["claim"], card["evidence"], card["part"]) for card in self.session.cards.values()}
            self.gone = sorted(load_frozen(frozen).cards.keys() - covered)
        session.exitstatus = self.session.exit_status(
            int(session.exitstatus), fail_on_undecided=self.config.getoption("dbench_undecided") == "fail"
        )
        if self.gone and self.config.option.dbench_unfrozen == "fail":
            session.exitstatus = session.exitstatus or 1
        records, checks = self.session.records(), self.session.checks()
        papers = {record["paper"] for record in records}
        findings = ledger(setting(self.config, "dbench_ledger"))
        self._place_junit(judged=bool(records))
        try:
            uses_models = any(record["evidence"] == "zoo" for record in records)
            evidence = [describe_evidence(folder) for folder in self.folders] if uses_models else []
            self.document = build_document(
                records,
                ledger=findings,
                checks=checks,
                provenance=self.provenance | {"evidence": evidence} | _multiplicity(records),
                complete=self.whole,
                selection=" ".join(map(str, self.config.invocation_params.args)),
                errata=[asdict(entry) for entry in self.errata() if entry.paper in papers],
            )
            if self.folder:
                name = self.config.getini("dbench_figures")
                figures_folder = None if name == "none" else self.config.rootpath / name
                figures = read_figures(figures_folder, self.document)
                self.written = write_report(self.folder, self.document, figures=figures)
        except DbenchError as error:
            self.unwritten, session.exitstatus = str(error), session.exitstatus or 1

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the verdicts by paper, the files written, and what is stale, no longer covered or lost."""
        if not self.judging:
            return
        terminalreporter.section("verdicts")
        root, lines = self.config.rootpath, []
        if self.document:
            lines = summary_lines(
                self.document,
                verbose=self.config.get_verbosity() > 0,
                width=terminalreporter._tw.fullwidth,
                paths=[path.relative_to(root) if path.is_relative_to(root) else path for path in self.written],
            )
        lines += [f"no report: {self.unwritten}"] if self.unwritten else []
        lines += [f"stale expectation, no judgement uses it: {entry}" for entry in self.session.stale()]
        lines += [f"frozen, and no test covers it: card {name!r}; dbench claims freeze" for name in self.gone]
        lines += [f"never reported, its worker died: {nodeid}" for nodeid in self.session.lost]
        for line in lines:
            terminalreporter.write_line(line)

    def _place_junit(self, *, judged: bool) -> None:
        """Move pytest's JUnit file beside the report, or drop it if nothing was judged; a user's own path stays."""
        from _pytest.junitxml import xml_key

        xml = self.config.stash.get(xml_key, None)
        if xml is None or not self.folder:
            return
        if Path(xml.logfile).resolve() != (report_folder(self.folder, complete=self.complete) / JUNIT).resolve():
            return
        xml.logfile = str(report_folder(self.folder, complete=self.whole) / JUNIT) if judged else os.devnull
        if not judged:  # else pytest would print where it wrote the file
            del self.config.stash[xml_key]
            self.config.pluginmanager.unregister(xml)


def _errata_of(name: str) -> Callable[[], Iterable[Any]]:
    """Return the function of errata that the ini file names, or one that returns no entries for 'none'."""
    try:
        errata: Callable[[], Iterable[Any]] = tuple if name == "none" else load_callable("function of errata", name)
    except DbenchError as error:
        raise pytest.UsageError(f"dbench_errata: {error}") from error
    return errata


def _failure(report: pytest.TestReport) -> str:
    """Return the message of a failure, or without one (a missing fixture, say) the first line marked with E."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash:
        return str(crash.message)
    text = str(report.longrepr)
    return next((line[1:] for line in text.splitlines() if line.startswith("E ")), text)


def _multiplicity(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Count the judgements, those that rest on samples, and the intervals expected to miss their true value."""
    sampled = [record for record in records if record["interval"] and record["confidence"] < 1]
    misses = sum(1 - record["confidence"] for record in sampled)
    return {"judgements": len(records), "of samples": len(sampled), "intervals expected to miss": round(misses, 1)}
