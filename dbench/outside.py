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
    """Run what a user wrote: it prints to standard error, where no ``--json`` stands, and does not end the process.

    Raises:
        SystemExit: it called ``os._exit``, which would end the process as if all were well.
    """

    def leave(status: int) -> NoReturn:
        raise SystemExit(f"os._exit({status}) was called")

    kept, os._exit = os._exit, leave
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os._exit = kept


def load_callable(what: str, name: str) -> Any:
    """Return what ``module:attribute`` names (dots allowed on both sides), importable from the current folder too.

    Messages call it ``what``: a metric, say.

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
    found: Any = _import(module_name)
    for part in attribute.split("."):
        if not hasattr(found, part):
            offered = ", ".join(sorted(n for n in dir(found) if not n.startswith("_"))) or "nothing"
            raise InvalidInput(f"{module_name} has no attribute {attribute!r}; it has {offered[:300]}")
        found = getattr(found, part)
    if not callable(found):
        raise InvalidInput(f"{article} {what} must be callable, {name} is of type {type(found).__name__}")
    return found


def _import(name: str) -> Any:
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        with user_code():
            return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        # The module is the user's: anything can happen in it, and all of it is a message.
        raise InvalidInput(f"module {name!r} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        if added:
            sys.path.remove(here)
