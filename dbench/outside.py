"""A user's own code, loaded by ``module:attribute``: a metric, a data set, an encoder."""

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from dbench.errors import InvalidInput


@contextlib.contextmanager
def user_code() -> Iterator[None]:
    """Run a user's code: it prints to standard error, away from ``--json``, and cannot end the process.

    Raises:
        SystemExit: the code called ``os._exit``, which would end the process as if all were well.
    """

    def leave(status: int) -> NoReturn:
        raise SystemExit(f"os._exit({status}) was called")

    original, os._exit = os._exit, leave
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os._exit = original


def load_callable(what: str, name: str) -> Any:
    """Return the object named ``module:attribute`` (dots allowed on both sides), also from the current folder.

    ``what`` is what messages call the object, such as a metric.

    Raises:
        InvalidInput: a name of another form, a module that cannot be imported, an attribute it has not, or one that
            cannot be called.
    """
    article = "an" if what[0] in "aeiou" else "a"
    module_name, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in [*module_name.split("."), *attribute.split(".")]):
        example = f"my_package.scores:my_{what.replace(' ', '_')}"
        raise InvalidInput(f"{article} {what} is named as module:attribute, such as {example}, got {name!r}")
    if module_name.endswith(".py"):
        raise InvalidInput(f"{article} {what} is named as module:attribute, without .py, got {name!r}")
    target: Any = _import(module_name)
    for part in attribute.split("."):
        if not hasattr(target, part):
            offered = ", ".join(sorted(n for n in dir(target) if not n.startswith("_"))) or "nothing"
            raise InvalidInput(f"{module_name} has no attribute {attribute!r}; it has {offered[:300]}")
        target = getattr(target, part)
    if not callable(target):
        raise InvalidInput(f"{article} {what} must be callable, {name} is of type {type(target).__name__}")
    return target


def _import(name: str) -> Any:
    """Import a user's module, with the current folder on the path for as long as that takes."""
    folder = str(Path.cwd())
    added = folder not in sys.path
    if added:
        sys.path.insert(0, folder)
    try:
        with user_code():
            return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        # The module is the user's: it may raise anything, and all of it becomes a message.
        raise InvalidInput(f"module {name!r} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        if added:
            sys.path.remove(folder)
