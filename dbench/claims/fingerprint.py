"""What a card declares: every field and constant that can change its verdict, as one dictionary, and its hash."""

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
_LONGEST_TEXT = 200  # characters; a longer constant is replaced by its hash
_COLLECTIONS = (tuple, list, set, frozenset, range, KeysView, ValuesView, ItemsView)
_SCALARS = (bool, int, float, str)
# Numbers written in functions of these modules count like those in the claim's own file: they are data of the claim.
_DATA_MODULES = ("dbench.constructions.", "dbench_published.")
# Only functions of these modules, and of the claim's own file, are searched for constants.
_OUR_MODULES = ("dbench.claims.", "dbench.estimates.", "dbench.stats.", *_DATA_MODULES)


def fingerprint(declared: Mapping[str, Any]) -> str:
    """Return the first sixteen digits of the SHA-256 of what a card declares."""
    return hashlib.sha256(json.dumps(declared, sort_keys=True).encode()).hexdigest()[:_DIGITS]


def declared_by(
    card: Claim, tests: list[Callable[..., Any]], *, heads: str = "", table: str = "", aside: str = ""
) -> dict[str, Any]:
    """Return what can change the verdict of a card, as JSON values: its fields, and the constants that its tests reach.

    A test reaches the constants that it names, closes over or has as defaults, and so do the functions that it calls:
    those of its own file, of ``dbench.claims``, ``estimates``, ``stats`` and ``constructions``, and of
    ``dbench_published``. Numbers and texts written inside functions count, in order, in its own file, in constructions
    and in ``dbench_published``. Code itself is left out: the records show whether a change of it moved a verdict.

    Args:
        card: of a claim.
        tests: all functions that cover it.
        heads: the kind of evidence that heads the finding, from the ledger.
        table: the table of trained models that heads it.
        aside: why the ledger sets the finding aside, so that its records do not head it; empty for all others.
    """
    marks = [mark.args for test in tests for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    reached = _ReachedConstants(tests[0].__module__)
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


class _ReachedConstants:
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
                thing = thing.func
            else:
                thing = thing.__wrapped__
        module = str(getattr(thing, "__module__", ""))
        if id(thing) in self._seen or (module != self.home and not f"{module}.".startswith(_OUR_MODULES)):
            return
        self._seen.add(id(thing))
        functions = {"": thing} if isinstance(thing, FunctionType) else vars(thing)
        for name, function in functions.items():
            if isinstance(function, FunctionType) and not name.startswith("__"):
                self._gather_function(function)

    def _gather_function(self, function: FunctionType) -> None:
        name = function.__qualname__
        closed = [cell.cell_contents for cell in function.__closure__ or ()]
        self._add(f"{name} closes over", closed)
        defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        self._add(f"{name} by default", defaults)
        if function.__module__ == self.home or f"{function.__module__}.".startswith(_DATA_MODULES):
            self._add(f"written in {name}", _literals_of(function))
        names = set(_names_in(function.__code__))
        modules = [function.__globals__.get(used) for used in names]
        followed = [*closed, *defaults]
        for namespace in (function.__globals__, *(vars(module) for module in modules if _is_ours(module))):
            for used in names & namespace.keys():
                if not used.startswith("__"):
                    self._add(used, [namespace[used]])
                followed.append(namespace[used])
        for inner in _callables(followed):
            self.gather(inner)

    def _add(self, name: str, values: list[Any]) -> None:
        if values := [value for value in values if _is_constant(value) and not _is_empty(value)]:
            text = _text(values[0] if len(values) == 1 else values)
            self.constants.setdefault(name, set()).add(text)


def _is_ours(value: Any) -> bool:
    return isinstance(value, ModuleType) and f"{value.__name__}.".startswith(_OUR_MODULES)


def _is_constant(value: Any) -> bool:
    return isinstance(value, (*_SCALARS, *_COLLECTIONS, dict)) or _is_array(value) or bool(_fields_of(value))


def _is_empty(value: Any) -> bool:
    return isinstance(value, (*_COLLECTIONS, dict)) and not len(value)


def _is_array(value: Any) -> bool:
    """Whether it is an array, a numpy scalar or a tensor."""
    return hasattr(value, "tolist") and not callable(value)


def _fields_of(value: Any) -> dict[str, Any]:
    """The fields of a dataclass, or the attributes of a :class:`FunctionSource`; empty for all other values."""
    if isinstance(value, type):
        return {}
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return dict(vars(value)) if isinstance(value, FunctionSource) else {}


def _callables(value: Any) -> Iterator[Any]:
    """The functions and classes in a value, which may be one itself."""
    value = _fields_of(value) or value
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, _COLLECTIONS):
        for inner in value:
            yield from _callables(inner)
    elif isinstance(value, (partial, type)) or inspect.isroutine(value) or hasattr(value, "__wrapped__"):
        yield value


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names_in(inner)


def _text(value: Any) -> str:
    """The text of a value, or the hash of that text if it is long."""
    text = _full_text(value)
    return text if len(text) <= _LONGEST_TEXT else hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _full_text(value: Any) -> str:
    """A value as text. Functions are written by their names, because their addresses change with the session."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_full_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (set, frozenset)):
        return "[" + ", ".join(sorted(map(_full_text, value))) + "]"
    if isinstance(value, _COLLECTIONS):
        return "[" + ", ".join(map(_full_text, value)) + "]"
    if isinstance(value, partial):
        return f"{_full_text(value.func)}{_full_text(value.args)}{_full_text(value.keywords)}"
    if _is_array(value):
        return f"{value.dtype} {_full_text(value.tolist())}"
    if isinstance(value, float):
        return f"{value:.12g}"  # a computed one differs in its last digits between machines
    if parts := _fields_of(value):
        return f"{type(value).__name__}{_full_text(parts)}"
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__name__))
    return str(value) if isinstance(value, _SCALARS) or value is None else type(value).__name__


def _literals_of(function: FunctionType) -> list[Any]:
    """The numbers, with their signs, and texts written in a function, in order; no docstrings, no decorators."""
    node = _functions_of_file(function.__code__.co_filename).get(function.__code__.co_firstlineno)
    if node is None:
        return []
    body = node.body if isinstance(node.body, list) else [node.body]  # of a lambda one expression
    return [literal for part in body for literal in _literals_in(part)]


def _literals_in(node: ast.AST) -> Iterator[Any]:
    if isinstance(node, ast.Constant):
        yield node.value
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        yield ast.literal_eval(node)
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for inner in ast.iter_child_nodes(node):
            yield from _literals_in(inner)


@cache
def _functions_of_file(path: str) -> dict[int, ast.FunctionDef | ast.Lambda]:
    """The functions of a file by their first line, decorators included; where several share a line, the outermost."""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError):
        return {}
    found: dict[int, ast.FunctionDef | ast.Lambda] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            found.setdefault(min(each.lineno for each in (node, *getattr(node, "decorator_list", ()))), node)
    return found
