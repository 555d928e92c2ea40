"""A user's codes and factors from files: arrays by name, pairs of .npy, or tables.

Every row is checked, and of long files a random part of the rows is kept. Which factors are labels is decided by
:mod:`dbench.codes.factors`.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dbench.codes.factors import Kinds
from dbench.codes.formats.arrays import StoredArray, open_npy
from dbench.codes.formats.opened import open_codes, require_content
from dbench.codes.formats.tables import StoredTable
from dbench.codes.formats.text import Column
from dbench.codes.formats.values import Values
from dbench.codes.sample import Kind, Sample
from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.shown import some

MOST_ROWS = 2_000_000  # the usual full factor grids fit
USUAL_CODES, _FACTORS = ("code_*", "z_*"), ("factor_*",)
_LOOKS_LIKE = {"codes": r"(codes?|z)([\W_].*|\d+)", "factors": r"factors?([\W_].*|\d+)"}
_BESIDE = ("factor_names", "factor_sizes", "logvar", "std")  # other arrays that are read
_LIKE_CODES = (
    "z", "latents", "latent", "code", "mu", "mean", "means", "embeddings", "representation", "representations",
)  # fmt: skip
_LIKE_FACTORS = ("gts", "gt", "labels", "factor", "y", "ground_truth", "latents_classes", "classes", "targets")


@dataclass(frozen=True, eq=False)
class CodesFile:
    """What a file of codes holds.

    Attributes:
        name: the file's name, without folders.
        sample: codes and factors of the rows kept.
        code_names: d names.
        rows: number of rows in the file.
        factor_sizes: number of values of each factor, where the file says so.
        logvar: logarithms of the posterior's variances, shape of the codes, where the file holds them.
        notes: what was decided in reading, one sentence each.
    """

    name: str
    sample: Sample
    code_names: tuple[str, ...]
    rows: int
    factor_sizes: tuple[int, ...] | None = None
    logvar: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()


def read_codes(
    path: str | Path,
    factors_path: str | Path | None = None,
    *,
    codes: str | None = None,
    factors: str | None = None,
    rows: int = MOST_ROWS,
    seed: int = 0,
    continuous: Collection[str] = (),
    discrete: Collection[str] = (),
) -> CodesFile:
    """Read codes and factors.

    Args:
        path: ``.npz``, ``.safetensors``, ``.h5``, ``.mat`` or ``.pt`` with arrays ``codes`` (n x d) and ``factors``
            (n x k), optionally ``factor_names``, ``factor_sizes`` and ``logvar`` or ``std`` of the posterior; ``.csv``,
            ``.tsv`` (also ``.gz``), ``.parquet`` or ``.feather`` with columns ``code_*`` or ``z_*``, and ``factor_*``;
            or ``.npy`` with the codes.
        factors_path: ``.npy`` with the factors, if and only if ``path`` is one.
        codes: name of the array in the archive; columns of the table (comma separated, ``*`` is a wildcard).
        factors: likewise.
        rows: of a longer file so many are kept, drawn without replacement, in the file's order.
        seed: decides which.
        continuous: names or patterns, as of :class:`~dbench.codes.factors.Kinds`.
        discrete: likewise.

    Raises:
        InvalidInput: no such file, another format, arrays that are missing, have other names, no numbers,
            different lengths, NaN or infinity, or take too much room.
        UnknownName: a name that fits no factor.
        DamagedData: a file that cannot be read, or not to its end.
    """
    file = existing(path)
    kinds = Kinds(continuous, discrete)
    suffix = file.suffix.lower()
    if suffix == ".npy":
        if codes is not None or factors is not None:
            raise InvalidInput(f"--codes and --factors name arrays of .npz or columns of tables, got {file.name}")
        if factors_path is None:
            raise InvalidInput(f"{file.name} holds one array only; give the factors' .npy file as second argument")
        second = existing(factors_path)
        if second.suffix.lower() != ".npy":
            raise InvalidInput(f"the factors of codes in .npy must be in .npy too, got {second.name!r}")
        for part in (file, second):
            require_content(part)
        arrays = {"codes": open_npy(file), "factors": open_npy(second)}
        return _from_arrays(file.name, arrays, "codes", "factors", rows, seed, kinds)
    if factors_path is not None:
        raise InvalidInput(f"a second file goes with .npy only, got {file.name} and {Path(factors_path).name}")
    opened = open_codes(file)
    if not isinstance(opened, StoredTable):
        arrays = opened
        wanted = {"codes": codes or "codes", "factors": factors or "factors"}
        if missing := [role for role, name in wanted.items() if name not in arrays]:
            raise InvalidInput(_explain(file.name, arrays, wanted, missing))
        for role, asked in (("codes", codes), ("factors", factors)):
            like = [name for name in arrays if name != role and name.strip().lower() == role]
            if like and asked is None:
                raise InvalidInput(
                    f"{file.name} must not leave open which array holds the {role}: there are {role!r} and "
                    f"{like[0]!r}; name it with --{role}"
                )
        return _from_arrays(file.name, arrays, wanted["codes"], wanted["factors"], rows, seed, kinds)
    return _read_table(opened, codes, factors, rows, seed, kinds)


def existing(path: str | Path) -> Path:
    """Insist on a file."""
    file = Path(path)
    if not file.is_file():
        raise InvalidInput(f"no file of codes at {str(path)!r}")
    return file


def _explain(name: str, arrays: dict[str, StoredArray], wanted: dict[str, str], missing: Sequence[str]) -> str:
    """Say which arrays there are, and which option names the right one."""
    if not arrays:
        return f"{name} holds no arrays"
    held = ", ".join(f"{key} ({array})" for key, array in list(arrays.items())[:12])
    held += f" and {len(arrays) - 12} more" if len(arrays) > 12 else ""
    options = []
    for role in missing:
        like = [key for key in arrays if key.lower() in (_LIKE_CODES if role == "codes" else _LIKE_FACTORS)]
        like = like or difflib.get_close_matches(wanted[role], list(arrays), n=1)
        options.append(f"--{role} {like[0] if like else 'NAME'}")
    lacking = " and ".join(repr(wanted[role]) for role in missing)
    return f"{name} has no array {lacking}; it holds {held}; say which is which with {' '.join(options)}"


def _from_arrays(
    name: str, arrays: dict[str, StoredArray], codes: str, factors: str, rows: int, seed: int, kinds: Kinds
) -> CodesFile:
    n, d = arrays[codes].numbers
    n_factors, k = arrays[factors].matrix
    if n != n_factors:
        turned = "; does one of them need transposing (.T)?" if n_factors == d or n == k else ""
        raise InvalidInput(
            f"{name}: codes and factors must have equally many rows, got shapes {arrays[codes].shape} and "
            f"{arrays[factors].shape}{turned}"
        )
    keep, notes = choose_rows(n, rows, seed)
    if unused := [each for each in arrays if each not in {codes, factors, *_BESIDE}]:
        notes.append(f"Arrays that are neither codes nor factors are not used: {some(unused)}.")
    names = _names(name, arrays["factor_names"], k) if "factor_names" in arrays else ()
    return _assemble(
        name,
        arrays[codes].read(keep),
        arrays[factors].read_columns(keep),
        names,
        tuple(f"code_{i}" for i in range(d)),
        kinds=kinds,
        rows=n,
        sizes=arrays["factor_sizes"].read().ravel() if "factor_sizes" in arrays else None,
        logvar=posterior(name, arrays, codes, keep, notes),
        notes=notes,
    )


def posterior(
    name: str, arrays: dict[str, StoredArray], codes: str, keep: NDArray[np.int64] | None, notes: list[str]
) -> NDArray[np.float64] | None:
    """Return the kept logarithms of the posterior's variances, where an array has the shape of the codes."""
    for role in ("logvar", "std"):
        if role not in arrays:
            continue
        if arrays[role].shape != arrays[codes].shape:
            notes.append(f"array {role!r} is left out: its shape {arrays[role].shape} is not that of the codes.")
            continue
        values = arrays[role].read(keep).astype(np.float64).reshape(-1, arrays[codes].matrix[1])
        if role == "std" and (values <= 0).any():
            raise InvalidInput(f"{name}: std must be above 0, got {values.min()}")
        return values if role == "logvar" else 2 * np.log(values)
    return None


def _read_table(
    table: StoredTable, codes: str | None, factors: str | None, rows: int, seed: int, kinds: Kinds
) -> CodesFile:
    code_columns = columns_of(table, "codes", codes, USUAL_CODES)
    factor_columns = columns_of(table, "factors", factors, _FACTORS)
    both = sorted(set(code_columns) & set(factor_columns))
    if both:
        raise InvalidInput(f"{table.what}: a column is a code or a factor, got both for {', '.join(both)}")
    keep, notes = choose_rows(table.rows, rows, seed)
    notes.append(f"Codes: {some(code_columns)}. Factors: {some(factor_columns)}.")
    used = {*code_columns, *factor_columns}
    if unused := [column or "'' (no name: an index?)" for column in table.columns if column not in used]:
        notes.append(f"Columns that are neither codes nor factors are not used: {some(unused)}.")
    return _assemble(
        table.what,
        table.read(code_columns, keep),
        table.read_columns(factor_columns, keep),
        factor_columns,
        code_columns,
        kinds=kinds,
        rows=table.rows,
        notes=notes,
    )


def columns_of(table: StoredTable, role: str, asked: str | None, usual: Iterable[str]) -> tuple[str, ...]:
    """Return the columns asked for by name or pattern, or those of the first usual pattern that fits some.

    Raises:
        InvalidInput: a name that fits none, or columns that look like such ones and are not among the usual ones.
    """
    patterns = [part.strip() for part in asked.split(",")] if asked else list(usual)
    chosen, known = dict[str, None](), set(table.columns)
    for pattern in patterns:
        # A name as it stands comes first: it may hold characters that have a meaning in patterns.
        found = [pattern] if pattern in known else [c for c in table.columns if fnmatchcase(c, pattern)]
        if asked and not found:
            raise InvalidInput(f"{table.what} has no column {pattern!r} for --{role}; {_listed(table)}")
        chosen |= dict.fromkeys(found)
        if found and not asked:
            break
    like = [] if asked else [c for c in table.columns if c not in chosen and re.fullmatch(_LOOKS_LIKE[role], c, re.I)]
    if chosen and like:
        raise InvalidInput(
            f"{table.what} must not leave open which columns are {role}: {some(list(chosen))} are by {pattern!r}, and "
            f"{some(like)} look like it; name all with --{role} (comma separated, * is a wildcard)"
        )
    if not chosen:
        raise InvalidInput(
            f"{table.what} has no columns {' or '.join(usual)} of {role}; {_listed(table)}; name them with --{role} "
            f"(comma separated, * is a wildcard)"
        )
    return tuple(chosen)


def _listed(table: StoredTable) -> str:
    return f"it has {some(table.columns, 20)}"


def choose_rows(n: int, rows: int, seed: int) -> tuple[NDArray[np.int64] | None, list[str]]:
    """Draw the rows to keep (None for all), and say so."""
    if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 1:
        raise InvalidInput(f"rows must be an integer of at least 1, got {rows!r}")
    if n <= rows:
        return None, []
    stream = generator(task="read_codes", seed=seed)
    keep = np.sort(stream.choice(n, size=rows, replace=False, shuffle=False))
    return keep, [f"{rows:,} of {n:,} rows are used, drawn at random (seed {seed}); --rows changes how many."]


def exchanged(codes: Values, kinds: Sequence[Kind]) -> list[str]:
    """Say so where the codes are labels and the factors are not: they may have come the other way round."""
    if set(kinds) != {"continuous"} or not codes.any():
        return []
    if not all((column == np.rint(column)).all() for column in codes.T):  # one by one: wide codes fill the memory
        return []
    return ["All codes are whole numbers and no factor is a label: were codes and factors exchanged? Codes come first."]


def _names(name: str, array: StoredArray, k: int) -> tuple[str, ...]:
    names = array.read_text()
    if len(names) != k or len(set(names)) != k or not all(part.isprintable() and part for part in names):
        raise InvalidInput(f"{name}: factor_names must be {k} different printable names, got {list(names)[:20]}")
    return names


def _assemble(
    name: str,
    codes: Values,
    factors: Sequence[Column],
    factor_names: Sequence[str],
    code_names: Sequence[str],
    *,
    kinds: Kinds,
    rows: int,
    notes: list[str],
    sizes: Values | None = None,
    logvar: NDArray[np.float64] | None = None,
) -> CodesFile:
    names = tuple(factor_names) or tuple(f"factor_{j}" for j in range(len(factors)))
    matrix, found_kinds, decided = kinds.encode(factors, names)
    decided += exchanged(codes, found_kinds)
    sample = Sample(codes.astype(np.float64), matrix, names, found_kinds)
    found = None
    if sizes is not None and sample.discrete:
        if (sizes != np.trunc(sizes)).any():
            raise InvalidInput(f"{name}: factor_sizes must be whole numbers, got {sizes.tolist()}")
        found = tuple(int(size) for size in sizes)
        values = [len(np.unique(column)) for column in sample.factors.T]
        if len(found) != len(values) or any(size < seen for size, seen in zip(found, values, strict=True)):
            raise InvalidInput(
                f"{name}: factor_sizes must be {len(values)} sizes of at least the numbers of values that occur, "
                f"{values}, got {list(found)}"
            )
    return CodesFile(name, sample, tuple(code_names), rows, found, logvar, (*notes, *decided))
