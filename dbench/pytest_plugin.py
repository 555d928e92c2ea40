"""The pytest plugin: turns judgements into outcomes, and a session into a report.

Inert wherever dbench is merely installed: it acts only when tests under the folder named by the ini option
``dbench_claims`` are run. The controller's side, which collects and reports, is ``dbench.pytest_recorder``.
Nothing imported here may import torch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from dbench.claims import Claim, Expectations, Judgement, Printed, Verdict, load_expected, record_of
from dbench.claims.session import RECORD_PROPERTY, REMARK_PROPERTY, Session
from dbench.errors import DbenchError, EvidenceLacking, InvalidInput
from dbench.pytest_recorder import Recorder, card_of, cards_of
from dbench.stats import Estimate

__all__ = ["ChangedVerdict", "Inconclusive", "KnownDeviation", "NotReproduced"]

# pytest builds its outcome exceptions at run time, so a type checker cannot see that this is a class.
_Skipped: Any = pytest.skip.Exception

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
    group.addoption(
        "--dbench-store",
        metavar="DIR",
        default=os.environ.get("DBENCH_STORE"),
        help="store that --dbench-runs=missing fills, folder or URL (else DBENCH_STORE, else store/PROFILE)",
    )
    group.addoption("--dbench-tier", choices=("smoke", "full"), default="full", help="'smoke' runs the quick part only")
    group.addoption(
        "--dbench-inconclusive", choices=("allow", "fail"), default="allow", help="'fail' exits 8 on any inconclusive"
    )
    parser.addini("dbench_claims", "folder of the claims; the plugin is inert elsewhere", default="")
    parser.addini("dbench_report", "folder the report is written to", default="none")
    parser.addini("dbench_expect", "file of expected verdicts", default="none")


def _setting(config: pytest.Config, name: str) -> Path | None:
    """Resolve an option from where it was typed, else its ini twin from the root; ``None`` for 'none'."""
    typed, fixed = config.getoption(name), config.getini(name)
    if (typed or fixed) == "none":
        return None
    return config.invocation_params.dir / str(typed) if typed else config.rootpath / str(fixed)


def _expected_verdicts(config: pytest.Config) -> Path | None:
    """The file of expected verdicts. It speaks of the evidence shipped, so other evidence is judged without it."""
    option = config.option
    own_evidence = option.dbench_evidence is not None or option.dbench_runs == "missing"
    return None if own_evidence and option.dbench_expect is None else _setting(config, "dbench_expect")


def _judges_claims(config: pytest.Config) -> bool:
    folder = str(config.getini("dbench_claims"))
    if not folder:
        return False
    claims = (config.rootpath / folder).resolve()
    paths = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
    return any(path == claims or claims in path.parents or path in claims.parents for path in paths)


def _judges_part(config: pytest.Config) -> bool:
    """Whether a selection may leave out some tests of a claim whose others are judged."""
    option = config.option
    picked = any("::" in arg for arg in config.args) or option.keyword or option.markexpr or option.deselect
    return bool(picked or getattr(option, "lf", False) or option.dbench_tier == "smoke")


def _report_folder(config: pytest.Config) -> Path | None:
    """Make the folder of the report before anything is judged, so that no verdict is lost at the end."""
    folder = None if config.option.collectonly else _setting(config, "dbench_report")
    if folder:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"dbench report must be a folder that can be written, got {error}") from error
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the markers; where claims are judged, read the expected verdicts and start recording."""
    config.addinivalue_line("markers", "claim(id): added to every test that judges a claim of the ledger")
    if not _judges_claims(config):
        return
    expect, on_worker = _expected_verdicts(config), hasattr(config, "workerinput")
    try:
        config.stash[EXPECTATIONS] = load_expected(expect) if expect else None
        report = None if on_worker else _report_folder(config)
    except DbenchError as error:
        raise pytest.UsageError(str(error)) from error
    if on_worker:
        return
    if report and not getattr(config.option, "xmlpath", None):
        config.option.xmlpath = str(report / "junit.xml")
    session = Session(expectations=config.stash[EXPECTATIONS], partial=_judges_part(config))
    config.pluginmanager.register(Recorder(config, session, report), "dbench-recorder")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that judge a claim; deselect the tiers not asked for."""
    left_out = []
    for item in items:
        card = card_of(item)
        if card is not None:
            item.add_marker(pytest.mark.claim(card.id))
            if card.tier == "full" and config.getoption("dbench_tier") == "smoke":
                left_out.append(item)
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def _judged(item: pytest.Item) -> bool:
    return any(name == RECORD_PROPERTY for name, _ in item.user_properties)


def _settle(
    item: pytest.Item,
    card: Claim,
    estimate: Estimate | None,
    judgement: Judgement,
    *,
    population: str | None = None,
    deviations: tuple[str, ...] = (),
) -> None:
    """Record a judgement, and make it the outcome of its test."""
    callspec = getattr(item, "callspec", None)
    record = record_of(
        card,
        estimate,
        judgement,
        params=callspec.params if callspec else {},
        nodeid=item.nodeid,
        population=population,
        deviations=deviations,
    )
    expectations = item.config.stash.get(EXPECTATIONS, None)
    expected, why = expectations.of(record) if expectations else (None, "")
    unexpected = expected is not None and expected != judgement.verdict
    record |= {"expected": str(expected) if expected else None, "expected_reason": why, "unexpected": unexpected}
    item.user_properties.append((RECORD_PROPERTY, json.dumps(record, allow_nan=False)))
    message = f"{card.id}: {judgement.verdict}: {judgement.reason}"
    if unexpected:
        raise ChangedVerdict(f"{message}; expected: {expected}\nagain: pytest '{item.nodeid}'")
    if judgement.verdict is Verdict.INCONCLUSIVE:
        raise Inconclusive(message, _use_item_location=True)
    if judgement.verdict is Verdict.NOT_REPRODUCED:
        if expected is not None:
            raise KnownDeviation(f"{message}; known: {why}", _use_item_location=True)
        raise NotReproduced(f"{message}\nagain: pytest '{item.nodeid}'")


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Judge an estimate by a card: ``judge(CARD, estimate)``, once a test and as the last thing it does."""

    def decide(
        card: Claim,
        estimate: Estimate,
        *,
        printed: Printed | None = None,
        population: str | None = None,
        deviations: tuple[str, ...] = (),
    ) -> None:
        if card is not card_of(request.node):
            raise TypeError(f"{request.node.nodeid} must judge the claim it covers, got {card.id} {card.part}".strip())
        if _judged(request.node):
            raise TypeError(f"{request.node.nodeid} must judge once, got a second estimate for {card.id}")
        judgement = card.judge(estimate, printed=printed)
        _settle(request.node, card, estimate, judgement, population=population, deviations=deviations)

    return decide


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Leave a claim open, with the reason, where the evidence lacks what it needs: nobody's test is broken by that."""
    try:
        return (yield)
    except EvidenceLacking as lacking:
        card = card_of(pyfuncitem)
        if card is None or _judged(pyfuncitem):
            raise
        judgement = Judgement(Verdict.INCONCLUSIVE, str(lacking), card.printed, None)
        _settle(pyfuncitem, card, None, judgement)
        return True


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
    if report.when == "call" and report.passed and card_of(item) is not None and not _judged(item):
        report.outcome = "failed"
        report.longrepr = "the test covers a claim but never judged it"
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """Give inconclusive verdicts and known deviations counts of their own."""
    line = dict(getattr(report, "user_properties", ())).get(RECORD_PROPERTY)
    if report.when != "call" or not report.skipped or line is None:
        return None
    record = json.loads(line)
    if record["verdict"] == Verdict.INCONCLUSIVE:
        return "inconclusive", "?", ("INCONCLUSIVE", {"yellow": True})
    if record["verdict"] == record["expected"]:
        return "known deviation", "N", ("NOT REPRODUCED (known)", {"yellow": True})
    return None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """On a worker: tell the controller which test judges which claim, in case a test never reports."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["dbench_cards"] = json.dumps(cards_of(session.items))
