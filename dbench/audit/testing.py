"""The audit as tests in anybody's own suite; pytest is imported only where it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from dbench.audit.audit import Metric, audit, checks_of, require_known

if TYPE_CHECKING:
    import pytest

    from dbench.audit.record import Check
    from dbench.audit.subject import Subject


def _insist(subject: Subject, *, check: Check, expected: Mapping[str, str]) -> None:
    """Raise where a check does not pass; the message is the record."""
    import pytest

    (record,) = audit(subject, only=[check.name], expected=expected)
    said = f"{record.check} of {record.metric}: {record.reason}; expected {record.expected}"
    if record.status == "not applicable":
        pytest.skip(said)
    if record.deviation:
        pytest.xfail(f"{record.deviation} ({said})")
    if check.name in expected and record.status == "pass":
        raise AssertionError(f"expected to fail ({expected[check.name]}), but passes: {said}")
    if record.status != "pass":
        raise AssertionError(said)


def parametrize_with_checks(
    metrics: Iterable[Metric], *, expected: Mapping[str, str] | None = None, only: Sequence[str] = (), **options: Any
) -> pytest.MarkDecorator:
    """Run a test once for each metric and check.

    The test takes ``metric`` and ``check`` and calls ``check(metric)``. Checks that do not apply are skipped, those
    that are expected to fail are xfailed with their reason; one that is named in ``expected`` and passes fails.

    The arguments are those of :func:`audit`, of several metrics.

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
        pytest.param(subject, partial(_insist, check=check, expected=known), id=f"{subject.name}-{check.name}")
        for metric in metrics
        for subject, check in checks_of(metric, only=only, **options)
    ]
    mark: Callable[..., pytest.MarkDecorator] = pytest.mark.parametrize
    return mark(("metric", "check"), cases)
