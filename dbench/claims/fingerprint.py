"""The declaration of a card: a dictionary of all fields and constants that can change its verdict, and its hash."""

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
# Literals inside functions of these modules count as in the claim's own file, because they are data of the claim.
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

    A test reaches the constants that it names, closes over or has as defaults, and those that the functions it calls
    reach in turn. Only functions of its own file, of ``dbench.claims``, ``estimates``, ``stats`` and ``constructions``,
    and of ``dbench_published`` are followed. Numbers and texts written inside functions count, in order, in its own
    file, in constructions and in ``dbench_published``. Code itself does not count: the records show whether a change of
    code changed a verdict.

    Args:
        card: the card of a claim.
        tests: all test functions of the card.
        heads: the kind of evidence that heads the finding, from the ledger.
        table: the table of trained models that heads the finding.
        aside: why the ledger sets the finding aside, so that none of its records heads it; empty if it does not.
    """
    marks = [mark.args for test in tests for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    reached = _ReachedConstants(tests[0].__module__)
    # Tests call the methods of a population on an instance, so no name in their code leads to the class.
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
    """Collects the constants that functions reach, by name; ``home`` is the module of the claim."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.constants: dict[str, set[str]] = {}
        self._seen = set[int]()

    def gather(self, thing: Any) -> None:
        """Add the constants that a function or class reaches, unless it is foreign or already seen."""
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
        """Add the constants among some values to those of a name; empty collections do not count."""
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
    """Whether a value is an array, a numpy scalar or a tensor."""
    return hasattr(value, "tolist") and not callable(value)


def _fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass or the attributes of a :class:`FunctionSource`; empty for all other values."""
    if isinstance(value, type):
        return {}
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return dict(vars(value)) if isinstance(value, FunctionSource) else {}


def _callables(value: Any) -> Iterator[Any]:
    """Yield the functions and classes in a value, or the value itself if it is one."""
    value = _fields_of(value) or value
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, _COLLECTIONS):
        for inner in value:
            yield from _callables(inner)
    elif isinstance(value, (partial, type)) or inspect.isroutine(value) or hasattr(value, "__wrapped__"):
        yield value


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the global and attribute names that code uses, functions inside it included."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names_in(inner)


def _text(value: Any) -> str:
    """Return a value as text, or the hash of that text if it is long."""
    text = _full_text(value)
    return text if len(text) <= _LONGEST_TEXT else hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _full_text(value: Any) -> str:
    """Return a value as text. A function is written as its name, because its address changes with the session."""
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
    """Return the signed numbers and the texts written in a function, in order, without docstrings and decorators."""
    node = _functions_of_file(function.__code__.co_filename).get(function.__code__.co_firstlineno)
    if node is None:
        return []
    body = node.body if isinstance(node.body, list) else [node.body]  # a lambda has one expression
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
    """Return the functions of a file by first line, decorators included; of several on a line the outermost."""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError):
        return {}
    functions: dict[int, ast.FunctionDef | ast.Lambda] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            first_line = min(part.lineno for part in (node, *getattr(node, "decorator_list", ())))
            functions.setdefault(first_line, node)
    return functions
