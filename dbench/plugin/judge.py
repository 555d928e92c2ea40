"""Where claims are judged: what a test returns becomes a verdict, a record and the outcome of the test."""

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from dbench.claims import (
    CARD_ATTRIBUTE,
    Claim,
    Expectations,
    Judgement,
    Verdict,
    ledger,
    load_expected,
    record_of,
)
from dbench.claims.card import fault_of
from dbench.claims.fingerprint import declared_by
from dbench.claims.frozen import Frozen, load_frozen
from dbench.claims.ledger import completed
from dbench.claims.regime import Predicate, too_few
from dbench.errors import DbenchError, EvidenceLacking
from dbench.estimates.evidence import OnDemand
from dbench.estimates.partly_scored import on_scored_seeds
from dbench.estimates.population import Population, PopulationPair
from dbench.plugin.cases import HEADS, card_of, cards_of, params_of, role_of
from dbench.plugin.options import setting
from dbench.plugin.recorder import JUNIT, Recorder
from dbench.plugin.session import RECORD_PROPERTY, REMARK_PROPERTY, Session
from dbench.report import prepare_folder, report_folder
from dbench.stats import Estimate

# pytest builds its outcome exceptions at run time, so a type checker cannot see that this is a class.
_Skipped: Any = pytest.skip.Exception

EXPECTATIONS: pytest.StashKey[Expectations | None] = pytest.StashKey()
# None where the session was given no file of frozen rules.
FROZEN: pytest.StashKey[Frozen | None] = pytest.StashKey()
# Where the cards of this session are not as they were frozen, by name.
CHANGES: pytest.StashKey[dict[str, str]] = pytest.StashKey()
# Names that several cards have.
SHARED: pytest.StashKey[set[str]] = pytest.StashKey()

LETTERS = {
    Verdict.WEAKER: "w",
    Verdict.UNDECIDED: "?",
    Verdict.NOT_TESTED: "-",
    Verdict.ABSENT: "a",
    Verdict.CONTRADICTED: "c",
}


class Other(_Skipped):  # type: ignore[misc]
    """A verdict other than 'reproduced' that fails nothing: neither passed nor failed."""


def start(config: pytest.Config) -> None:
    """Read what is expected and frozen; on the controller, start recording.

    Raises:
        pytest.UsageError: a file that cannot be read, or a report that could not be written.
    """
    option, on_worker = config.option, hasattr(config, "workerinput")
    # Expectations speak of the evidence shipped, so other evidence is judged without them.
    own_evidence = option.dbench_evidence is not None or option.dbench_runs == "missing"
    expect = None if own_evidence and option.dbench_expect is None else setting(config, "dbench_expect")
    frozen = setting(config, "dbench_frozen")
    try:
        findings = setting(config, "dbench_ledger")
        ledger(findings)
        config.stash[EXPECTATIONS] = load_expected(expect, findings) if expect else None
        config.stash[FROZEN] = load_frozen(frozen) if frozen else None
        report = None if on_worker or option.collectonly else setting(config, "dbench_report")
        if report:
            prepare_folder(report)
    except DbenchError as error:
        raise pytest.UsageError(str(error)) from error
    if on_worker:
        return
    complete = _judges_all(config)
    if report and not getattr(option, "xmlpath", None):
        option.xmlpath = str(report_folder(report, complete=complete) / JUNIT)
    session = Session(expectations=config.stash[EXPECTATIONS], partial=_picks(config))
    config.pluginmanager.register(Recorder(config, session, report, complete=complete), "dbench-recorder")


def _judges_all(config: pytest.Config) -> bool:
    """Whether every test of the claims' folder is to be run."""
    claims = (config.rootpath / str(config.getini("dbench_claims"))).resolve()
    paths = [(config.invocation_params.dir / arg).resolve() for arg in config.args]
    return not _picks(config) and any(path == claims or path in claims.parents for path in paths)


def _picks(config: pytest.Config) -> bool:
    """Whether a selection may leave out some tests of a claim whose others are judged."""
    option = config.option
    # The claims of a finding may stand in several files.
    picked = any("::" in arg or (config.invocation_params.dir / arg).is_file() for arg in config.args)
    names = ["keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf"]
    names += ["stepwise", "stepwise_skip", "stepwise_reset"]  # the last two imply the first, but later
    return picked or any(getattr(option, name, None) for name in names)


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test what its card gives it; remember the case that heads it: on the ledger's table, else the first."""
    card = getattr(metafunc.function, CARD_ATTRIBUTE, None)
    if isinstance(card, Claim) and card.given:
        metafunc.parametrize(list(card.given), [list(card.given.values())], ids=[pytest.HIDDEN_PARAM])
    if metafunc._calls:
        finding = ledger(setting(metafunc.config, "dbench_ledger")).get(card.id) if isinstance(card, Claim) else None
        heads = (c for c in metafunc._calls if finding and _table(c.params) == finding.table)
        case = next(heads, metafunc._calls[0])
        metafunc.config.stash.setdefault(HEADS, {})[metafunc.definition.nodeid] = case.params


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that judge a claim, and note which cards share a name; long tests come first."""
    first: dict[str, Claim] = {}
    shared = config.stash.setdefault(SHARED, set())
    for item in items:
        if (card := card_of(item)) is not None:
            item.add_marker(pytest.mark.claim(card.id))
            if first.setdefault(card.name, card) is not card:
                shared.add(card.name)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)  # one that begins last lets workers wait


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Call a test that covers a claim, and judge what it returns: an estimate."""
    card = card_of(pyfuncitem)
    if card is None:
        return None
    if card.id not in ledger(setting(pyfuncitem.config, "dbench_ledger")):
        pytest.fail(f"claim {card.id!r} must be a finding of the ledger (--dbench-ledger), got none", pytrace=False)
    if fault := fault_of(pyfuncitem.obj):
        pytest.fail(fault, pytrace=False)
    if card.name in pyfuncitem.config.stash[SHARED]:
        pytest.fail(f"part of card {card.name!r} must tell it from the others, but two have this name", pytrace=False)
    if (changed := _unfrozen(pyfuncitem, card)) and pyfuncitem.config.option.dbench_unfrozen == "fail":
        pytest.fail(f"{changed}; dbench claims freeze, or --dbench-unfrozen=allow", pytrace=False)
    arguments: dict[str, Any] = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    regime: list[dict[str, Any]] = []
    inside: dict[str, Any] = {}
    beside: dict[str, Judgement | None] = {}
    try:
        # Of all units first: which models a test asks for on demand is not known before.
        seen, every = _judged(pyfuncitem, card, arguments), None
        regime = _regime(card, arguments)
        if inside := _inside(arguments, [unit for condition in regime for unit in condition["outside"]]):
            seen, every = _judged(pyfuncitem, card, inside), seen
        beside = {"every": every, "filtered": _filtered(pyfuncitem, card, inside or arguments)}
    except EvidenceLacking as lacking:
        inside, seen = {}, Judgement(Verdict.NOT_TESTED, str(lacking))
    if too_few(regime, len(card.regime)):
        outside = [condition for condition in regime if condition["outside"]]
        said = "; ".join(f"{c['says']} is not {c['rule']} for {', '.join(c['outside'])}" for c in outside)
        seen = Judgement(Verdict.NOT_TESTED, f"fewer than half of the units are left: {said}", seen.interval)
    _settle(pyfuncitem, card, seen, inside or arguments, regime, **beside)
    return True


def _judged(item: pytest.Function, card: Claim, arguments: dict[str, Any], level: float | None = None) -> Judgement:
    """Call a test, and judge its estimate. Populations among the arguments become those that it was called with."""

    def judgement(**given: Any) -> Judgement:
        returned = item.obj(**given)
        if not isinstance(returned, Estimate):
            pytest.fail(f"{item.nodeid} must return an Estimate, got {type(returned).__name__}", pytrace=False)
        return card.judge(returned, confidence=_level(item, card) if level is None else level)

    return on_scored_seeds(judgement, arguments)


def _filtered(item: pytest.Function, card: Claim, arguments: dict[str, Any]) -> Judgement | None:
    """What is seen of those models or codes that the card's filter keeps, at its own level; nothing if it keeps all."""
    if not card.filtered:
        return None
    try:
        found = _judged(item, card, {**arguments, **card.filtered}, level=card.confidence)
    except EvidenceLacking as lacking:
        return Judgement(Verdict.NOT_TESTED, str(lacking))
    return found if found.interval and found.interval.left_out else None


def _regime(card: Claim, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """What each condition finds in each population that a test is given, of the case's own unit where it has one."""
    models = [part for whole in _populations(arguments) for part in whole.parts] if card.regime else []
    named: Any = arguments.get("objective")

    def found(condition: Predicate, part: Population) -> dict[str, Any]:
        units = [named] if named in part.objectives else ()
        return on_scored_seeds(partial(condition.check, units=units), {"population": part})

    return [found(condition, part) for condition in card.regime for part in models]


def _inside(arguments: dict[str, Any], outside: list[str]) -> dict[str, Any]:
    """The arguments without these units; nothing where none is outside, or no unit would be left."""

    def rest(models: Population) -> list[str]:
        return [objective for objective in models.objectives if objective not in outside]

    def cut(one: Any) -> Any:
        if isinstance(one, OnDemand):
            return one.without(outside)
        if isinstance(one, (Population, PopulationPair)):
            return one.of([objective for part in one.parts for objective in rest(part)])
        return one

    if not outside or not all(rest(part) for whole in _populations(arguments) for part in whole.parts):
        return {}
    return {name: cut(one) for name, one in arguments.items()}


def _level(item: pytest.Item, card: Claim) -> float:
    return (item.config.stash[FROZEN] or Frozen()).confidence_of(card, role_of(item, card))


def declaration(item: pytest.Item, card: Claim) -> dict[str, Any]:
    """Return what a card declares, with all tests of its file that cover it, and what heads its finding."""
    tests = [test for test in vars(item.module).values() if getattr(test, CARD_ATTRIBUTE, None) is card]  # type: ignore[attr-defined]
    finding = ledger(setting(item.config, "dbench_ledger")).get(card.id)
    if finding is None:
        return declared_by(card, tests)
    table = finding.table if finding.heads == "zoo" else ""
    return declared_by(card, tests, heads=finding.heads, table=table, aside=finding.aside)


def _unfrozen(item: pytest.Item, card: Claim) -> str:
    """Say where a card is not as the session's file of frozen rules has it; nothing where there is no such file."""
    frozen = item.config.stash[FROZEN]
    if frozen is None:
        return ""
    known = item.config.stash.setdefault(CHANGES, {})
    if card.name not in known:
        known[card.name] = frozen.change_of(card, declaration(item, card))
    return known[card.name]


def _table(params: Mapping[str, object]) -> str:
    return str(getattr(params.get("evidence_folder"), "name", ""))


def _populations(arguments: dict[str, Any]) -> Iterator[Population | PopulationPair]:
    for value in arguments.values():
        if isinstance(value, (Population, PopulationPair)):
            yield value
        elif isinstance(value, OnDemand):
            yield from value.made


def _settle(
    item: pytest.Function,
    card: Claim,
    seen: Judgement,
    arguments: dict[str, Any],
    regime: Sequence[dict[str, Any]] = (),
    **beside: Judgement | None,
) -> None:
    """Record a judgement, and make it the outcome of its test."""
    callspec, unfrozen = getattr(item, "callspec", None), _unfrozen(item, card)
    populations = list(_populations(arguments))
    params, ids = params_of(item, card), tuple(callspec._idlist) if callspec else ()
    whole = completed(card, setting(item.config, "dbench_ledger"))
    record = record_of(whole, seen, params=params, ids=ids, nodeid=item.nodeid, **beside)
    record["regime"] = list(regime)
    if populations:
        names = ", ".join(dict.fromkeys(models.name for models in populations))
        record["population"] = f"{names}: {card.population}"
        of_evidence = (sentence for models in populations for sentence in models.deviations)
        record["deviations"] = list(dict.fromkeys((*record["deviations"], *of_evidence)))
        frozen = item.config.stash[FROZEN] or Frozen()
        record["unconfirmed"] = any(frozen.is_newer(card, models) for models in populations)
    record |= {"role": role_of(item, card), "unfrozen": unfrozen}
    record["unconfirmed"] = record["unconfirmed"] or bool(unfrozen)
    _conclude(item, record, Verdict(record["verdict"]))


def _conclude(item: pytest.Item, record: dict[str, Any], verdict: Verdict) -> None:
    expectations = item.config.stash[EXPECTATIONS]
    expected, why = expectations.of(record) if expectations else (None, "")
    unexpected = expected not in (None, verdict) and not (expected is Verdict.REPRODUCED and verdict.holds)
    record |= {"expected": str(expected) if expected else None, "expected_reason": why, "unexpected": unexpected}
    item.user_properties.append((RECORD_PROPERTY, json.dumps(record, allow_nan=False)))
    message = f"{record['claim']}: {verdict}: {record['reason']}"
    if unexpected:
        message += f"; expected: {expected}"
    if unexpected or (verdict.refutes and expected is None):
        pytest.fail(f"{message}\nagain: pytest '{item.nodeid}'", pytrace=False)
    if not verdict.holds:
        raise Other(message + (f"; known: {why}" if why else ""), _use_item_location=True)


@pytest.fixture
def remark(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Say a line about a check, which the report shows: ``remark("2 runs retrained")``."""
    return lambda text: request.node.user_properties.append((REMARK_PROPERTY, text))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A claim that passed without a judgement is broken: another plugin may have called its test."""
    report = yield
    if report.failed and card_of(item) is not None and call.excinfo and isinstance(call.excinfo.value, DbenchError):
        report.longrepr = str(call.excinfo.value)  # the evidence is at fault, no line of the code
    judged = any(name == RECORD_PROPERTY for name, _ in item.user_properties)
    if report.when == "call" and report.passed and card_of(item) is not None and not judged:
        report.outcome = "failed"
        report.longrepr = "the test covers a claim but was never judged"
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """Give each verdict other than 'reproduced' a count of its own."""
    line = dict(getattr(report, "user_properties", ())).get(RECORD_PROPERTY)
    if report.when != "call" or not report.skipped or line is None:
        return None
    verdict = Verdict(json.loads(line)["verdict"])
    return str(verdict), LETTERS.get(verdict, "x"), (verdict.upper(), {"yellow": True})


def pytest_sessionfinish(session: pytest.Session) -> None:
    """On a worker: tell the controller which test judges which claim."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["dbench_cards"] = json.dumps(cards_of(session.items))
