"""Small wrong changes to a source file, one at a time, each a slip that somebody could have made.

Comparisons, operators, signs, conditions and numbers are changed, options left out, functions replaced by look-alikes
(``min`` for ``max``) and statements dropped. What decides no result is left alone: annotations, texts, raised errors,
the options ``dtype`` and ``strict``, and numbers below a millionth, which only allow for rounding.
"""

import ast
import copy
import inspect
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_PAIRS = [("min", "max"), ("argmin", "argmax"), ("minimum", "maximum"), ("sum", "mean"), ("any", "all")]
_PAIRS += [("floor", "ceil"), ("zeros", "ones"), ("zeros_like", "ones_like"), ("exp", "log")]
_LOOKALIKES = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
_KEPT_OPTIONS = {"dtype", "strict"}
_SMALLEST = 1e-6  # number that is changed
_AROUND, _LONGEST = 60, 120  # characters shown before a difference, and in all


@dataclass(frozen=True)
class Mutant:
    """One wrong change.

    Attributes:
        file: path of the source, relative to the root.
        where: qualified name of the function it lies in; empty at the top of the module.
        change: the code before and after; numbered where the function has several equal changes.
        line: number of the line changed.
        place: number of the node in the file, and of the change among those of the node.
    """

    file: str
    where: str
    change: str
    line: int
    place: tuple[int, int]

    @property
    def name(self) -> str:
        """A name that stays the same when other lines of the file change."""
        return f"{self.file}: {self.where}: {self.change}"


def mutants_of(path: Path, root: Path) -> list[Mutant]:
    """List the mutants of a file in the order of its lines."""
    tree, mutants, seen = ast.parse(path.read_text(encoding="utf-8")), [], Counter[tuple[str, str]]()
    for number, (node, parent, where) in enumerate(_nodes(tree)):
        for variant, changed in enumerate(_changes(node, parent)):
            change = _described(node, parent, changed)
            seen[where, change] += 1
            if seen[where, change] > 1:
                change += f" (no. {seen[where, change]})"
            line: int = node.lineno  # type: ignore[attr-defined]
            mutants.append(Mutant(str(path.relative_to(root)), where, change, line, (number, variant)))
    return mutants


def compile_mutant(mutant: Mutant, root: Path) -> CodeType:
    """Compile the file with the change made."""
    path = root / mutant.file
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node, parent, _ = list(_nodes(tree))[mutant.place[0]]
    _replace(parent, node, list(_changes(node, parent))[mutant.place[1]])
    return compile(ast.fix_missing_locations(tree), path, "exec")


def changed_functions(mutant: Mutant, root: Path) -> dict[tuple[str, int], CodeType] | None:
    """Return the functions whose code the change alters, by name and line; None where swapping these is not enough.

    It is not enough for a change that takes effect on import, or one in a function that shares its name and line.
    """
    path = root / mutant.file
    before, after = compile(path.read_text(encoding="utf-8"), path, "exec"), compile_mutant(mutant, root)
    shells = [(code.co_code, code.co_names, rest) for code, rest in map(_shell, (before, after))]
    if shells[0] != shells[1]:
        return None
    old, new = map(_functions, (before, after))
    changed = {place: codes for place, codes in new.items() if codes != old[place]}
    for place, codes in changed.items():
        if len(codes) > 1 or codes[0].co_freevars != old[place][0].co_freevars:
            return None
    return {place: codes[0] for place, codes in changed.items()}


def _shell(code: CodeType) -> tuple[CodeType, list[object]]:
    """Return the code of a module or class body, and its constants without the functions."""
    rest: list[object] = []
    for constant in code.co_consts:
        if not isinstance(constant, CodeType):
            rest.append(repr(constant))
        elif not constant.co_flags & inspect.CO_OPTIMIZED:
            inner, others = _shell(constant)
            rest.append((inner.co_code, inner.co_names, others))
    return code, rest


def _functions(code: CodeType) -> dict[tuple[str, int], list[CodeType]]:
    """Return the functions of a module by name and line, with nested ones: decorators may call those on import."""
    found = defaultdict[tuple[str, int], list[CodeType]](list)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_flags & inspect.CO_OPTIMIZED:
                found[constant.co_qualname, constant.co_firstlineno].append(constant)
            for place, codes in _functions(constant).items():
                found[place] += codes
    return found


def _nodes(
    tree: ast.AST, parent: ast.AST | None = None, where: str = ""
) -> Iterator[tuple[ast.AST, ast.AST | None, str]]:
    """Yield all nodes that may be changed, each with its parent and the qualified name of its function."""
    if isinstance(tree, ast.FunctionDef | ast.ClassDef):
        where = f"{where}.{tree.name}" if where else tree.name
    if isinstance(tree, ast.stmt | ast.expr):
        yield tree, parent, where
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "ctx"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr):
                continue
            if isinstance(child, ast.keyword) and child.arg in _KEPT_OPTIONS:
                continue
            yield from _nodes(child, tree, where)


def _changes(node: ast.AST, parent: ast.AST | None) -> Iterator[ast.AST]:
    """Yield the nodes that could stand in the place of a node by mistake."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            yield _with(node, ops=[*node.ops[:i], _SWAPS[type(op)](), *node.ops[i + 1 :]])
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in _SWAPS:
        yield _with(node, op=_SWAPS[type(node.op)]())
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _other_numbers(node)
    elif isinstance(parent, ast.Call) and node is parent.func:
        if isinstance(node, ast.Name) and node.id in _LOOKALIKES:
            yield _with(node, id=_LOOKALIKES[node.id])
        elif isinstance(node, ast.Attribute) and node.attr in _LOOKALIKES:
            yield _with(node, attr=_LOOKALIKES[node.attr])
    elif isinstance(node, ast.Call):
        for i, option in enumerate(node.keywords):
            if option.arg not in (None, *_KEPT_OPTIONS):
                yield _with(node, keywords=[*node.keywords[:i], *node.keywords[i + 1 :]])
    elif isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Compare | ast.UnaryOp):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif _acts(node):
        yield ast.Pass()


def _acts(node: ast.AST) -> bool:
    """Whether a statement changes an existing object: it assigns to an item or attribute, or only calls."""
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Subscript | ast.Attribute)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _other_numbers(node: ast.Constant) -> Iterator[ast.Constant]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
    elif isinstance(value, float) and abs(value) >= _SMALLEST:
        yield ast.Constant(value * 2)
    elif value == 0.0 and isinstance(value, float):
        yield ast.Constant(1.0)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _replace(parent: ast.AST | None, node: ast.AST, changed: ast.AST) -> None:
    assert parent is not None
    for name, value in ast.iter_fields(parent):
        if value is node:
            setattr(parent, name, changed)
        elif isinstance(value, list):
            value[:] = [changed if item is node else item for item in value]


def _described(node: ast.AST, parent: ast.AST | None, changed: ast.AST) -> str:
    """Return the code before and after the change, within its expression; a long one is cut to where they differ."""
    before, after = _written(node), _written(changed)
    if isinstance(parent, ast.expr):
        around = copy.deepcopy(parent)
        twin = next(b for a, b in zip(ast.walk(parent), ast.walk(around), strict=True) if a is node)
        holder = next(b for b in ast.walk(around) if twin in ast.iter_child_nodes(b))
        _replace(holder, twin, changed)
        before, after = _written(parent), _written(around)
    same = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    start = max(same - _AROUND, 0)
    return f"`{_cut(before, start)}` -> `{_cut(after, start)}`"


def _written(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def _cut(text: str, start: int) -> str:
    text = f"...{text[start:]}" if start else text
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
