"""One hash of all that decides a claim's verdict: its card, and the source of all that computes its estimate."""

import ast
import hashlib
import inspect
import json
import textwrap
from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from dbench.claims.card import Claim
from dbench.claims.population import Population
from dbench.claims.rules import Rule

_DIGITS = 16
# Where what computes an estimate may live, beside the file of the test.
_SEVERAL = (tuple, list, set, frozenset, range, KeysView, ValuesView, ItemsView)
_PLAIN = (bool, int, float, str, np.ndarray, np.generic, Rule)
_OURS = ("dbench.claims.", "dbench.stats.")


def fingerprint(card: Claim, tests: list[Callable[..., Any]]) -> str:
    """Return the first sixteen digits of the SHA-256 of a card and of what its tests run.

    Comments, docstrings and layout do not count, nor do the words of the card: only its rule, role, statistic, bounds,
    confidence, least n and regime, the parameters of its tests, and the functions, classes and constants that the tests
    reach by name, or as the default of an argument, in their own file, ``dbench.claims`` and ``dbench.stats``.
    Constants are numbers, text, arrays, rules, and collections of them.
    """
    marks = [mark for test in tests for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    said = {
        "rule": str(card.rule),
        "role": card.role,
        "roles": dict(card.roles),
        "statistic": card.statistic,
        "confidence": card.confidence,
        "min_n": card.min_n,
        "bounds": card.bounds,
        "parameters": [_constant(mark.args) for mark in marks],
        "regime": [(predicate.name, str(predicate.rule), predicate.objectives) for predicate in card.regime],
    }
    # Tests reach the methods of a population by its instance, not by name.
    estimators = [Population] if card.evidence == "zoo" else []
    parts = {"given": _constant(card.given)} if card.given else dict[str, str]()
    for value in _callables(card.given):
        _follow(value, tests[0].__module__, parts)
    for mark in marks:
        for value in _callables(mark.args):
            _follow(value, tests[0].__module__, parts)
    for test in [*tests, *(predicate.measure for predicate in card.regime), *estimators]:
        _gather(test, parts)
    text = json.dumps([said, sorted(parts.items())])
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _gather(thing: Any, parts: dict[str, str]) -> None:
    """Add the source of a function or class, and of what it names or closes over, by module and name."""
    closed = [cell.cell_contents for cell in getattr(thing, "__closure__", None) or ()]
    name = f"{_place(thing.__module__)}.{thing.__qualname__}{_constant(closed) if closed else ''}"
    if thing.__name__ == "<lambda>":  # as are others of the file
        name += _source(thing)
    if name in parts:
        return
    parts[name] = ""  # while its own names are followed
    parts[name] = _source(thing)
    for value in _callables(closed):
        _follow(value, thing.__module__, parts)
    functions = [thing] if isinstance(thing, FunctionType) else list(vars(thing).values())
    for function in functions:
        if not isinstance(function, FunctionType):
            continue
        place = _place(function.__module__)
        reached = {f"{place}.{used}": function.__globals__.get(used) for used in _names(function.__code__)}
        reached[f"{place}.{function.__qualname__} by default"] = _defaults(function)
        for name, value in reached.items():
            if isinstance(value, (*_PLAIN, *_SEVERAL, dict)):
                parts[name] = _constant(value)
            for inner in _callables(value):
                _follow(inner, function.__module__, parts)


def _follow(value: Any, module: str, parts: dict[str, str]) -> None:
    """Gather a function or class of ours, or of the module that uses it."""
    if value.__module__ == module or str(value.__module__).startswith(_OURS):
        _gather(value, parts)


def _defaults(function: FunctionType) -> tuple[Any, ...]:
    return (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())


def _callables(value: Any) -> Iterator[Any]:
    """Functions and classes in a constant."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, _SEVERAL):
        for inner in value:
            yield from _callables(inner)
    elif inspect.isroutine(value) or inspect.isclass(value):
        yield value


def _place(module: str) -> str:
    """The file of a test may have been imported under any name."""
    return module if module.startswith(_OURS) else "claim"


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _constant(value: Any) -> str:
    """A constant as text; of functions and cards in it the names, for addresses change by session."""
    if isinstance(value, dict):
        return str([(str(key), _constant(item)) for key, item in value.items()])
    if isinstance(value, (set, frozenset)):
        return str(sorted(map(_constant, value)))
    if isinstance(value, _SEVERAL):
        return str([_constant(item) for item in value])
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__name__))
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype} {value.tolist()}"
    if isinstance(value, Rule):
        return str(value)
    return repr(value) if isinstance(value, (bool, int, float, str)) else type(value).__name__


@cache
def _source(thing: Any) -> str:
    """The syntax tree without docstrings and its decorators; nothing for what has no source."""
    try:
        text = textwrap.dedent(inspect.getsource(thing))
        tree = ast.parse(text)
    except (OSError, TypeError):
        return ""
    except SyntaxError:  # lines out of a longer expression, such as those of a lambda
        return text
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if thing.__name__ != "<lambda>":  # that may stand in a decorator
                node.decorator_list = []
            if ast.get_docstring(node, clean=False) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)
