"""Find the metric a user names: one of ours, or ``module:attribute`` importable from the current folder too."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dbench.metrics  # noqa: F401  (fills the dictionary of metrics)
from dbench.errors import InvalidInput
from dbench.metrics.registry import find_metric

__all__ = ["load_metric"]


def load_metric(name: str) -> Callable[..., Any]:
    """Return the metric of that name.

    Args:
        name: ``mig`` for one of dbench, ``module:attribute`` (dots allowed on both sides) for any other.

    Raises:
        UnknownName: a name without a colon that is no metric of dbench.
        InvalidInput: a module that cannot be imported, an attribute it has not, or one that cannot be called.
    """
    if ":" not in name:
        return find_metric(name)
    module_name, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in [*module_name.split("."), *attribute.split(".")]):
        raise InvalidInput(f"a metric is named as module:attribute, such as my_package.scores:my_metric, got {name!r}")
    found: Any = _import(module_name)
    for part in attribute.split("."):
        if not hasattr(found, part):
            offered = ", ".join(sorted(n for n in vars(found) if not n.startswith("_"))) or "nothing"
            raise InvalidInput(f"{module_name} has no attribute {attribute!r}; it has {offered[:300]}")
        found = getattr(found, part)
    if not callable(found):
        raise InvalidInput(f"a metric must be callable, {name} is of type {type(found).__name__}")
    return found  # type: ignore[no-any-return]


def _import(name: str) -> Any:
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        # Whatever a module prints while it is imported must not mix with --json.
        with contextlib.redirect_stdout(sys.stderr):
            return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        # The module is the user's: anything can happen in it, and all of it is a message.
        raise InvalidInput(f"module {name!r} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        if added:
            sys.path.remove(here)
