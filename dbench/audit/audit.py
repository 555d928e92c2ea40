"""Run every check on a metric, with one record each; or run the checks as tests in a test suite of your own."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dbench.audit.checks import CHECKS
from dbench.audit.record import Check, CheckResult
from dbench.audit.subject import Subject
from dbench.errors import DamagedData, InvalidInput, unknown_name
from dbench.metrics.registry import METRICS, find_variant
from dbench.outside import load_callable

if TYPE_CHECKING:
    import pytest

Metric = Callable[..., Any] | str | Subject


def load_metric(name: str) -> Callable[..., Any]:
    """Return a metric by name: ``mig`` or ``dci[forest]`` of dbench, or ``module:attribute`` (dotted) of other code."""
    if ":" in name:
        return cast(Callable[..., Any], load_callable("metric", name))
    if name not in METRICS and Path(f"{name}.py").is_file():
        raise InvalidInput(f"a metric of yours is named as module:attribute, such as {name}:my_metric, got {name!r}")
    return find_variant(name)


def checks_of(metric: Metric, *, only: Sequence[str] = (), **options: Any) -> Iterator[tuple[Subject, Check]]:
    """Yield a metric with each of its checks: ``check(subject)`` gives the record. Arguments as of :func:`audit`."""
    require_known(only)
    if isinstance(metric, Subject) and options:
        raise InvalidInput(f"a Subject has its options, got {', '.join(options)} beside one")
    if not isinstance(metric, Subject):
        if isinstance(metric, str):
            named = {} if ":" in metric else {"name": metric}  # the function of a variant has another name
            metric = Subject(load_metric(metric), **named | options)
        else:
            metric = Subject(metric, **options)
    for check in CHECKS.values():
        if not only or check.name in only or check.family in only:
            yield metric, check


def audit(
    metric: Metric,
    *,
    only: Sequence[str] = (),
    expected: Mapping[str, str] | None = None,
    like: str = "",
    callback: Callable[[CheckResult], Any] | None = None,
    **options: Any,
) -> list[CheckResult]:
    """Run every check on a metric.

    Args:
        metric: a callable, ``module:attribute``, or the name of one of dbench's.
        only: names of checks or of families of checks; all checks where empty.
        expected: known deviations: name of a check or family -> reason in words.
        like: name of the metric of dbench it is meant to be; each record also holds what that gets on the same inputs.
        callback: called with each record as soon as it is there.
        **options: arguments of :class:`Subject`: name, observations, options, bounds, scale, less_is_better, timeout.

    Returns:
        One record for each check; a metric that fails on one representation goes on with the others.

    Raises:
        UnknownName: an unknown name in ``only``, ``expected``, ``like`` or ``metric``.
        InvalidInput: a metric that cannot be loaded or called.

    Example:
        >>> import numpy as np
        >>> flat = lambda codes, factors: 1.0
        >>> [record.status for record in audit(flat, only=["separation", "permutation"])]
        ['fail', 'pass', 'pass']
    """
    known = dict(expected or {})
    require_known(known)
    if like:
        find_variant(like)  # refuses an unknown name at once
    records, reference = list[CheckResult](), None
    for subject, check in checks_of(metric, only=only, **options):
        record = _with_deviation(check(subject), known)
        if like:
            reference = reference or _reference(like, subject)
            other = check(reference)
            record = replace(record, like=like, like_status=other.status, like_value=other.value)
        records.append(record)
        if callback is not None:
            callback(record)
    return records


def _reference(name: str, subject: Subject) -> Subject:
    """Return one of our metrics, to be checked on the same samples as a subject."""
    metric: Any = find_variant(name)
    return Subject(
        metric,
        name=name,
        observations=subject.observations,
        less_is_better=metric.card.better == "lower",
        timeout=subject.timeout,
    )


def stale(records: Sequence[CheckResult], expected: Mapping[str, str]) -> list[str]:
    """Return the expected deviations that were checked but did not occur: something applied and nothing failed."""
    applied = {name for r in records if r.status != "not applicable" for name in (r.check, r.family)}
    failed = {name for r in records if r.status in ("fail", "error") for name in (r.check, r.family)}
    return [name for name in expected if name in applied - failed]


def load_expected(path: Path) -> dict[str, str]:
    """Read expected deviations: a TOML file of check or family names and reasons.

    Raises:
        DamagedData: a file that cannot be read, or an entry without a written reason.
        UnknownName: a name of no check and no family.
    """
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DamagedData(f"expected deviations cannot be read from {path.name}: {error}") from error
    for name, reason in entries.items():
        if not isinstance(reason, str) or not reason.strip():
            raise DamagedData(f"{path.name} must give a written reason for {name!r}, got {reason!r}")
    require_known(entries)
    return entries


def require_known(names: Sequence[str] | Mapping[str, str]) -> None:
    """Refuse a name that is neither a check nor a family of checks."""
    families = {check.family for check in CHECKS.values()}
    for name in names:
        if name not in CHECKS and name not in families:
            # For a misspelt case of a known family, suggest the cases of that family.
            family = name.partition("[")[0]
            cases = [check for check in CHECKS if family in families and check.startswith(f"{family}[")]
            raise unknown_name("check", name, cases or families)


def _with_deviation(record: CheckResult, expected: Mapping[str, str]) -> CheckResult:
    """Add the reason why a failure is expected, if it is."""
    reason = expected.get(record.check, expected.get(record.family, ""))
    return replace(record, deviation=reason) if reason and record.status in ("fail", "error") else record


def _require_pass(subject: Subject, *, check: Check, expected: Mapping[str, str]) -> None:
    """Raise unless a check passes, skip the test if it does not apply; the message says what the record does."""
    import pytest

    record = _with_deviation(check(subject), expected)
    message = f"{record.check} of {record.metric}: {record.reason}; expected {record.expected}"
    if record.status == "not applicable":
        pytest.skip(message)
    if record.deviation:
        pytest.xfail(f"{record.deviation} ({message})")
    if check.name in expected and record.status == "pass":
        raise AssertionError(f"expected to fail ({expected[check.name]}), but passes: {message}")
    if record.status != "pass":
        raise AssertionError(message)


def parametrize_with_checks(
    metrics: Iterable[Metric], *, expected: Mapping[str, str] | None = None, only: Sequence[str] = (), **options: Any
) -> pytest.MarkDecorator:
    """Run a test once for each metric and check.

    Checks that do not apply are skipped. Checks that fail as expected are xfailed with their reason; a check that is
    named in ``expected`` but passes is a failure. The arguments are those of :func:`audit`, for several metrics.

    Example:
        In a test module of your own::

            from dbench.audit import parametrize_with_checks

            @parametrize_with_checks([my_metric], expected={"monotone": "it is linear by design"})
            def test_my_metric(metric, check):
                check(metric)
    """
    import pytest

    known = dict(expected or {})
    require_known(known)
    cases = [
        pytest.param(subject, partial(_require_pass, check=check, expected=known), id=f"{subject.name}-{check.name}")
        for metric in metrics
        for subject, check in checks_of(metric, only=only, **options)
    ]
    mark: Callable[..., pytest.MarkDecorator] = pytest.mark.parametrize
    return mark(("metric", "check"), cases)
