"""Judging: turn the estimate that a test returns into a verdict, a record and the outcome of the test."""

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from dbench.claims import CARD_ATTRIBUTE, Claim, Expectations, Judgement, Verdict, ledger, load_expected, record_of
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
# None in a session without a file of frozen rules.
FROZEN: pytest.StashKey[Frozen | None] = pytest.StashKey()
# By name of each card: how it differs from its frozen version; empty where it does not.
CHANGES: pytest.StashKey[dict[str, str]] = pytest.StashKey()
# Names that more than one card has.
SHARED: pytest.StashKey[set[str]] = pytest.StashKey()

LETTERS = {
    Verdict.WEAKER: "w",
    Verdict.UNDECIDED: "?",
    Verdict.NOT_TESTED: "-",
    Verdict.ABSENT: "a",
    Verdict.CONTRADICTED: "c",
}


class Other(_Skipped):  # type: ignore[misc]
    """Outcome of a test whose verdict is not 'reproduced' but fails nothing: neither passed nor failed."""


def start(config: pytest.Config) -> None:
    """Read the ledger, the expected verdicts and the frozen rules; on the controller, start recording.

    Raises:
        pytest.UsageError: a file that cannot be read, or a report that could not be written.
    """
    option, on_worker = config.option, hasattr(config, "workerinput")
    # The expected verdicts are those of the shipped evidence, so other evidence is judged without them.
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
    """Whether the session runs every test of the claims folder."""
    claims = (config.rootpath / str(config.getini("dbench_claims"))).resolve()
    paths = [(config.invocation_params.dir / arg).resolve() for arg in config.args]
    return not _picks(config) and any(path == claims or path in claims.parents for path in paths)


def _picks(config: pytest.Config) -> bool:
    """Whether the command line selects tests, so that some tests of a judged claim may not run."""
    option = config.option
    # A file is a selection too, because the claims of a finding may stand in several files.
    names_tests = any("::" in arg or (config.invocation_params.dir / arg).is_file() for arg in config.args)
    selecting = ["keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf"]
    selecting += ["stepwise", "stepwise_skip", "stepwise_reset"]  # pytest sets the first for the last two, but later
    return names_tests or any(getattr(option, name, None) for name in selecting)


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Pass a test what its card gives it, and note its heading case: that on the ledger's table, else the first."""
    card = getattr(metafunc.function, CARD_ATTRIBUTE, None)
    if isinstance(card, Claim) and card.given:
        metafunc.parametrize(list(card.given), [list(card.given.values())], ids=[pytest.HIDDEN_PARAM])
    if metafunc._calls:
        finding = ledger(setting(metafunc.config, "dbench_ledger")).get(card.id) if isinstance(card, Claim) else None
        on_its_table = (call for call in metafunc._calls if finding and _table_name(call.params) == finding.table)
        heading = next(on_its_table, metafunc._calls[0])
        metafunc.config.stash.setdefault(HEADS, {})[metafunc.definition.nodeid] = heading.params


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that judge a claim, note which cards share a name, and move long tests to the front."""
    card_by_name: dict[str, Claim] = {}
    shared = config.stash.setdefault(SHARED, set())
    for item in items:
        if (card := card_of(item)) is not None:
            item.add_marker(pytest.mark.claim(card.id))
            if card_by_name.setdefault(card.name, card) is not card:
                shared.add(card.name)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)  # workers would wait for one begun last


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Call a test that covers a claim and judge the estimate that it returns; leave any other test to pytest."""
    card = card_of(pyfuncitem)
    if card is None:
        return None
    if card.id not in ledger(setting(pyfuncitem.config, "dbench_ledger")):
        pytest.fail(f"claim {card.id!r} must be a finding of the ledger (--dbench-ledger), got none", pytrace=False)
    if fault := fault_of(pyfuncitem.obj):
        pytest.fail(fault, pytrace=False)
    if card.name in pyfuncitem.config.stash[SHARED]:
        pytest.fail(f"part of card {card.name!r} must tell it from the others, but two have this name", pytrace=False)
    if (change := _change_since_freeze(pyfuncitem, card)) and pyfuncitem.config.option.dbench_unfrozen == "fail":
        pytest.fail(f"{change}; dbench claims freeze, or --dbench-unfrozen=allow", pytrace=False)
    arguments: dict[str, Any] = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    checked_conditions: list[dict[str, Any]] = []
    restricted: dict[str, Any] = {}
    others: dict[str, Judgement | None] = {}
    try:
        # All units are judged first: which models a test asks for on demand is known only after it ran.
        judgement, of_all_units = _judge(pyfuncitem, card, arguments), None
        checked_conditions = _check_regime(card, arguments)
        outside = [unit for condition in checked_conditions for unit in condition["outside"]]
        if restricted := _without_units(arguments, outside):
            judgement, of_all_units = _judge(pyfuncitem, card, restricted), judgement
        others = {"every": of_all_units, "filtered": _judge_filtered(pyfuncitem, card, restricted or arguments)}
    except EvidenceLacking as lacking:
        restricted, judgement = {}, Judgement(Verdict.NOT_TESTED, str(lacking))
    if too_few(checked_conditions, len(card.regime)):
        failed = [condition for condition in checked_conditions if condition["outside"]]
        reasons = "; ".join(f"{c['says']} is not {c['rule']} for {', '.join(c['outside'])}" for c in failed)
        reason = f"fewer than half of the units are left: {reasons}"
        judgement = Judgement(Verdict.NOT_TESTED, reason, judgement.interval)
    _record(pyfuncitem, card, judgement, restricted or arguments, checked_conditions, **others)
    return True


def _judge(item: pytest.Function, card: Claim, arguments: dict[str, Any], level: float | None = None) -> Judgement:
    """Call a test and judge its estimate; ``arguments`` then holds the populations of the last call."""

    def call_and_judge(**given: Any) -> Judgement:
        returned = item.obj(**given)
        if not isinstance(returned, Estimate):
            pytest.fail(f"{item.nodeid} must return an Estimate, got {type(returned).__name__}", pytrace=False)
        return card.judge(returned, confidence=_confidence(item, card) if level is None else level)

    return on_scored_seeds(call_and_judge, arguments)


def _judge_filtered(item: pytest.Function, card: Claim, arguments: dict[str, Any]) -> Judgement | None:
    """Judge the models or codes that the card's filter keeps, at the card's own confidence; None if it keeps all."""
    if not card.filtered:
        return None
    try:
        judgement = _judge(item, card, {**arguments, **card.filtered}, level=card.confidence)
    except EvidenceLacking as lacking:
        return Judgement(Verdict.NOT_TESTED, str(lacking))
    return judgement if judgement.interval and judgement.interval.left_out else None


def _check_regime(card: Claim, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Check each condition of a card on each population of a test, for the case's own objective if it has one."""
    if not card.regime:
        return []
    case_unit: Any = arguments.get("objective")

    def check(condition: Predicate, population: Population) -> dict[str, Any]:
        units = [case_unit] if case_unit in population.objectives else ()
        return on_scored_seeds(partial(condition.check, units=units), {"population": population})

    populations = list(_single_populations(arguments))
    return [check(condition, population) for condition in card.regime for population in populations]


def _without_units(arguments: dict[str, Any], outside: list[str]) -> dict[str, Any]:
    """Return the arguments without these units; empty where none is outside or a population would lose all units."""

    def kept_objectives(population: Population) -> list[str]:
        return [objective for objective in population.objectives if objective not in outside]

    def restrict(argument: Any) -> Any:
        if isinstance(argument, OnDemand):
            return argument.without(outside)
        if isinstance(argument, (Population, PopulationPair)):
            return argument.of([objective for part in argument.parts for objective in kept_objectives(part)])
        return argument

    if not outside or not all(kept_objectives(population) for population in _single_populations(arguments)):
        return {}
    return {name: restrict(argument) for name, argument in arguments.items()}


def _confidence(item: pytest.Item, card: Claim) -> float:
    return (item.config.stash[FROZEN] or Frozen()).confidence_of(card, role_of(item, card))


def declaration(item: pytest.Item, card: Claim) -> dict[str, Any]:
    """Return what a card declares: its own fields, the tests of its file that cover it, and its row of the ledger."""
    tests = [test for test in vars(item.module).values() if getattr(test, CARD_ATTRIBUTE, None) is card]  # type: ignore[attr-defined]
    finding = ledger(setting(item.config, "dbench_ledger")).get(card.id)
    if finding is None:
        return declared_by(card, tests)
    table = finding.table if finding.heads == "zoo" else ""
    return declared_by(card, tests, heads=finding.heads, table=table, aside=finding.aside)


def _change_since_freeze(item: pytest.Item, card: Claim) -> str:
    """Say how a card differs from its frozen version; empty if it does not, or nothing is frozen in this session."""
    frozen = item.config.stash[FROZEN]
    if frozen is None:
        return ""
    changes = item.config.stash.setdefault(CHANGES, {})
    if card.name not in changes:
        changes[card.name] = frozen.change_of(card, declaration(item, card))
    return changes[card.name]


def _table_name(params: Mapping[str, object]) -> str:
    return str(getattr(params.get("evidence_folder"), "name", ""))


def _populations(arguments: dict[str, Any]) -> Iterator[Population | PopulationPair]:
    for value in arguments.values():
        if isinstance(value, (Population, PopulationPair)):
            yield value
        elif isinstance(value, OnDemand):
            yield from value.made


def _single_populations(arguments: dict[str, Any]) -> Iterator[Population]:
    """Yield the populations among the arguments, both of each pair."""
    for population_or_pair in _populations(arguments):
        yield from population_or_pair.parts


def _record(
    item: pytest.Function,
    card: Claim,
    judgement: Judgement,
    arguments: dict[str, Any],
    checked_conditions: Sequence[dict[str, Any]] = (),
    **others: Judgement | None,
) -> None:
    """Build the record of a judgement and of the ``others`` shown with it, and make it the outcome of its test."""
    callspec, change = getattr(item, "callspec", None), _change_since_freeze(item, card)
    populations = list(_populations(arguments))
    params, ids = params_of(item, card), tuple(callspec._idlist) if callspec else ()
    complete_card = completed(card, setting(item.config, "dbench_ledger"))
    record = record_of(complete_card, judgement, params=params, ids=ids, nodeid=item.nodeid, **others)
    record["regime"] = list(checked_conditions)
    if populations:
        names = ", ".join(dict.fromkeys(models.name for models in populations))
        record["population"] = f"{names}: {card.population}"
        deviations = (sentence for models in populations for sentence in models.deviations)
        record["deviations"] = list(dict.fromkeys((*record["deviations"], *deviations)))
        frozen = item.config.stash[FROZEN] or Frozen()
        record["unconfirmed"] = any(frozen.is_newer(card, models) for models in populations)
    record |= {"role": role_of(item, card), "unfrozen": change}
    record["unconfirmed"] = record["unconfirmed"] or bool(change)
    _conclude(item, record, Verdict(record["verdict"]))


def _conclude(item: pytest.Item, record: dict[str, Any], verdict: Verdict) -> None:
    """Compare a verdict with the expected one, attach the record to its test, and fail or skip the test."""
    expectations = item.config.stash[EXPECTATIONS]
    expected, reason = expectations.of(record) if expectations else (None, "")
    unexpected = expected not in (None, verdict) and not (expected is Verdict.REPRODUCED and verdict.holds)
    record |= {"expected": str(expected) if expected else None, "expected_reason": reason, "unexpected": unexpected}
    item.user_properties.append((RECORD_PROPERTY, json.dumps(record, allow_nan=False)))
    message = f"{record['claim']}: {verdict}: {record['reason']}"
    if unexpected:
        message += f"; expected: {expected}"
    if unexpected or (verdict.refutes and expected is None):
        pytest.fail(f"{message}\nagain: pytest '{item.nodeid}'", pytrace=False)
    if not verdict.holds:
        raise Other(message + (f"; known: {reason}" if reason else ""), _use_item_location=True)


@pytest.fixture
def remark(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Return a function that adds a line about a check to the report: ``remark("2 runs retrained")``."""
    return lambda text: request.node.user_properties.append((REMARK_PROPERTY, text))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a claim that passed without a judgement, as it does where another plugin calls its test."""
    report = yield
    if report.failed and card_of(item) is not None and call.excinfo and isinstance(call.excinfo.value, DbenchError):
        report.longrepr = str(call.excinfo.value)  # the evidence is at fault, so no traceback
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
    """On an xdist worker: tell the controller which test judges which claim."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["dbench_cards"] = json.dumps(cards_of(session.items))
