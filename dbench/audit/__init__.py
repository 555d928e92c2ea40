"""What fools a metric: every counterexample and every property, asked of ours and of anybody's."""

from dbench.audit.audit import CHECKS, audit, checks_of, load_expected, load_metric, stale
from dbench.audit.gallery import REPRESENTATIONS, Representation
from dbench.audit.record import Answer, Check, CheckResult
from dbench.audit.subject import MetricFailed, Subject
from dbench.audit.testing import parametrize_with_checks

__all__ = [
    "CHECKS",
    "REPRESENTATIONS",
    "Answer",
    "Check",
    "CheckResult",
    "MetricFailed",
    "Representation",
    "Subject",
    "audit",
    "checks_of",
    "load_expected",
    "load_metric",
    "parametrize_with_checks",
    "stale",
]
