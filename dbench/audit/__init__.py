"""Audits of metrics: every counterexample and every property, checked on our metrics and on anybody's."""

from dbench.audit.audit import audit, checks_of, parametrize_with_checks
from dbench.audit.checks import CHECKS
from dbench.audit.gallery import REPRESENTATIONS
from dbench.audit.record import Check, CheckResult
from dbench.audit.referee import answer, likely_a_bug
from dbench.audit.subject import MetricFailed, Subject

__all__ = [
    "CHECKS",
    "REPRESENTATIONS",
    "Check",
    "CheckResult",
    "MetricFailed",
    "Subject",
    "answer",
    "audit",
    "checks_of",
    "likely_a_bug",
    "parametrize_with_checks",
]
