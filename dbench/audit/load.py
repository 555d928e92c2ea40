"""Find the metric a user names: one of ours, or ``module:attribute`` importable from the current folder too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import dbench.metrics  # noqa: F401  (fills the dictionary of metrics)
from dbench.metrics.registry import find_variant
from dbench.outside import load_callable

__all__ = ["load_metric"]


def load_metric(name: str) -> Callable[..., Any]:
    """Return the metric of that name.

    Args:
        name: ``mig`` or ``dci[forest]`` for one of dbench, ``module:attribute`` (dots allowed on both sides) for any
            other.

    Raises:
        UnknownName: a name without a colon that is no metric of dbench.
        InvalidInput: see :func:`dbench.outside.load_callable`.
    """
    return cast(Callable[..., Any], load_callable("metric", name)) if ":" in name else find_variant(name)
