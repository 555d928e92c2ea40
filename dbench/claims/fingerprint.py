"""What a card declares: every field and number that can turn its word, as one dictionary, and the hash of it."""

import ast
import hashlib
import inspect
import json
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from dbench.claims.card import Claim
from dbench.codes.source import FunctionSource
from dbench.estimates.population import Population

_DIGITS = 16
_LONGEST = 200  # characters of a constant that are shown; of a longer one its hash
_SEVERAL = (tuple, list, set, frozenset, range, KeysView, ValuesView, ItemsView)
_PLAIN = (bool, int, float, str)
# Where the constants of what computes an estimate may live, beside the file of the test; what is drawn or printed is
# data of a claim as its own file is.
_DATA = ("dbench.constructions.", "dbench_published.")
_OURS = ("dbench.claims.", "dbench.estimates.", "dbench.stats.", *_DATA)


def fingerprint(declared: Mapping[str, Any]) -> str:
    """Return the first sixteen digits of the SHA-256 of what a card declares."""
    return hashlib.sha256(json.dumps(declared, sort_keys=True).encode()).hexdigest()[:_DIGITS]


def declared_by(
    card: Claim, tests: list[Callable[..., Any]], *, heads: str = "", table: str = "", aside: str = ""
) -> dict[str, Any]:
    """Return what can turn the verdict of a card: its fields, and the constants that its tests reach. JSON values only.

    Of the card: rule, role, statistic, bounds, confidence, least n, conditions and what its tests are given. Of its
    tests: their parameters; the constants that they reach by name, through functions of their own file, of
    ``dbench.claims``, ``estimates``, ``stats`` and ``constructions`` and of ``dbench_published``, those closed over,
    and defaults of arguments; and the numbers and texts written in functions of their own file and of constructions
    and printed tables, in order. What code does with these is not in it: that it moved nothing, records show.

    Args:
        card: of a claim.
        tests: all functions that cover it.
        heads: the kind of evidence that heads the finding, from the ledger.
        table: of the trained models that head it.
        aside: why the ledger sets the finding aside, which keeps its records from heading it; empty of all others.
    """
    marks = [mark.args for test in tests for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    reached = _Reached(tests[0].__module__)
    # Tests reach the methods of a population by its instance, not by name.
    methods = [Population] if card.evidence == "zoo" else []
    for value in (tests, [predicate.measure for predicate in card.regime], methods, marks, card.given):
        for each in _callables(value):
            reached.gather(each)
    return {
        "rule": str(card.rule),
        "source": card.source,
        "demonstration": card.demonstration,
        "role": card.role,
        "roles": dict(card.roles),
        "heads": heads,
        "table": table,
        **({"aside": aside} if aside else {}),
        "statistic": card.statistic,
        "confidence": card.confidence,
        "min_n": card.min_n,
        "bounds": [str(bound) for bound in card.bounds],
        "regime": {
            predicate.name: f"{predicate.rule} {', '.join(predicate.units)}".strip() for predicate in card.regime
        },
        "parameters": [_text(mark) for mark in marks],
        "given": {name: _text(value) for name, value in card.given.items()},
        **({"filtered": {name: _text(value) for name, value in card.filtered.items()}} if card.filtered else {}),
        "constants": {name: " | ".join(sorted(texts)) for name, texts in sorted(reached.constants.items())},
    }


class _Reached:
    """The constants that functions reach, by name; ``home`` is the module of the claim."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.constants: dict[str, set[str]] = {}
        self._seen = set[int]()

    def gather(self, thing: Any) -> None:
        """Add what a function or class of ours reaches."""
        while isinstance(thing, partial) or hasattr(thing, "__wrapped__"):
            if isinstance(thing, partial):
                self._add(f"{thing.func.__qualname__} bound", [thing.args, thing.keywords])
            thing = thing.func if isinstance(thing, partial) else thing.__wrapped__
        module = str(getattr(thing, "__module__", ""))
        if id(thing) in self._seen or (module != self.home and not f"{module}.".startswith(_OURS)):
            return
        self._seen.add(id(thing))
        own = {"": thing} if isinstance(thing, FunctionType) else vars(thing)
        for name, function in own.items():
            if isinstance(function, FunctionType) and not name.startswith("__"):
                self._of(function)

    def _of(self, function: FunctionType) -> None:
        name = function.__qualname__
        closed = [cell.cell_contents for cell in function.__closure__ or ()]
        self._add(f"{name} closes over", closed)
        defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        self._add(f"{name} by default", defaults)
        if function.__module__ == self.home or f"{function.__module__}.".startswith(_DATA):
            self._add(f"written in {name}", _written(function))
        names = set(_names(function.__code__))
        modules = [function.__globals__.get(used) for used in names]
        for space in (function.__globals__, *(vars(one) for one in modules if _is_ours(one))):
            for used in names & space.keys():
                if not used.startswith("__"):
                    self._add(used, [space[used]])
                defaults.append(space[used])
        for inner in _callables([*closed, *defaults]):
            self.gather(inner)

    def _add(self, name: str, values: list[Any]) -> None:
        if values := [value for value in values if _is_constant(value) and not _is_empty(value)]:
            text = _text(values[0] if len(values) == 1 else values)
            self.constants.setdefault(name, set()).add(text)


def _is_ours(value: Any) -> bool:
    return isinstance(value, ModuleType) and f"{value.__name__}.".startswith(_OURS)


def _is_constant(value: Any) -> bool:
    return isinstance(value, (*_PLAIN, *_SEVERAL, dict)) or _is_array(value) or bool(_fields(value))


def _is_empty(value: Any) -> bool:
    return isinstance(value, (*_SEVERAL, dict)) and not len(value)


def _is_array(value: Any) -> bool:
    """Whether it is an array, a number of one, or a tensor."""
    return hasattr(value, "tolist") and not callable(value)


def _fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass, and what else of ours was made with; empty of all others."""
    if isinstance(value, type):
        return {}
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return dict(vars(value)) if isinstance(value, FunctionSource) else {}


def _callables(value: Any) -> Iterator[Any]:
    """Functions and classes in a value, or it itself."""
    value = _fields(value) or value
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, _SEVERAL):
        for inner in value:
            yield from _callables(inner)
    elif (
        isinstance(value, partial)
        or inspect.isroutine(value)
        or inspect.isclass(value)
        or hasattr(value, "__wrapped__")
    ):
        yield value


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _text(value: Any) -> str:
    text = _constant(value)
    return text if len(text) <= _LONGEST else hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _constant(value: Any) -> str:
    """A constant as text; of functions and cards in it the names, for addresses change by session."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_constant(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (set, frozenset)):
        return "[" + ", ".join(sorted(map(_constant, value))) + "]"
    if isinstance(value, _SEVERAL):
        return "[" + ", ".join(map(_constant, value)) + "]"
    if isinstance(value, partial):
        return f"{_constant(value.func)}{_constant(value.args)}{_constant(value.keywords)}"
    if _is_array(value):
        return f"{value.dtype} {_constant(value.tolist())}"
    if isinstance(value, float):
        return f"{value:.12g}"  # a computed one differs in its last digits between machines
    if parts := _fields(value):
        return f"{type(value).__name__}{_constant(parts)}"
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__name__))
    return str(value) if isinstance(value, _PLAIN) or value is None else type(value).__name__


def _written(function: FunctionType) -> list[Any]:
    """Numbers, with their signs, and texts written in a function, in order; without docstrings and decorators."""
    node = _functions(function.__code__.co_filename).get(function.__code__.co_firstlineno)
    inside = [] if node is None else node.body if isinstance(node.body, list) else [node.body]
    return [constant for part in inside for constant in _constants(part)]


def _constants(node: ast.AST) -> Iterator[Any]:
    if isinstance(node, ast.Constant):
        yield node.value
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        yield ast.literal_eval(node)
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for inner in ast.iter_child_nodes(node):
            yield from _constants(inner)


@cache
def _functions(path: str) -> dict[int, ast.FunctionDef | ast.Lambda]:
    """Functions of a file by their first line, that of a decorator where they have one; of several the outermost."""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError):
        return {}
    found: dict[int, ast.FunctionDef | ast.Lambda] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            found.setdefault(min(each.lineno for each in (node, *getattr(node, "decorator_list", ()))), node)
    return found
