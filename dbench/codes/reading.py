"""A user's codes and factors from files: arrays by name, pairs of .npy, or tables.

Every row is checked; of a long file a random part is kept. :mod:`dbench.codes.factors` decides which are labels.
"""

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes.containers import open_hdf5, open_mat, open_safetensors, open_torch
from dbench.codes.factors import Column, FactorTypes, exchanged
from dbench.codes.sample import Sample, Values
from dbench.codes.source import Source
from dbench.codes.stored import StoredArray, open_npy, open_npz
from dbench.codes.tables import StoredTable, open_csv, open_feather, open_parquet
from dbench.errors import DamagedData, InvalidInput
from dbench.files import readable
from dbench.seeds import generator
from dbench.shown import one_line, some

MOST_ROWS = 2_000_000  # the usual full factor grids fit
USUAL_CODES, _FACTORS = ("code_*", "z_*"), ("factor_*",)
_LOOKS_LIKE = {"codes": r"(codes?|z)([\W_].*|\d+)", "factors": r"factors?([\W_].*|\d+)"}
_OPTIONAL = ("factor_names", "factor_sizes", "logvar", "std")  # arrays that are read where they are there
_LIKE_CODES = (
    "z", "latents", "latent", "code", "mu", "mean", "means", "embeddings", "representation", "representations",
)  # fmt: skip
_LIKE_FACTORS = ("gts", "gt", "labels", "factor", "y", "ground_truth", "latents_classes", "classes", "targets")

Rows = NDArray[np.int64] | None
"""Numbers of rows, in order; None for all."""
ChooseRows = Callable[..., Rows]

# End of a file's name -> what opens it.
_FORMATS: Mapping[str, Callable[[IO[bytes], ExitStack], dict[str, StoredArray] | StoredTable]] = {
    ".npz": open_npz,
    ".safetensors": open_safetensors,
    ".h5": open_hdf5,
    ".hdf5": open_hdf5,
    ".mat": open_mat,
    ".pt": open_torch,
    ".pth": open_torch,
    ".npy": open_npy,
    ".csv": open_csv,
    ".tsv": open_csv,
    ".csv.gz": open_csv,
    ".tsv.gz": open_csv,
    ".parquet": open_parquet,
    ".pq": open_parquet,
    ".feather": open_feather,
    ".arrow": open_feather,
}
# First bytes of a file -> what it is instead of data.
_FIRST_BYTES = {
    b"version https://git-lfs": "a pointer of Git LFS: git lfs pull brings the file",
    b"<!doctype html": "a page of the web, perhaps an error in its place",
    b"<html": "a page of the web, perhaps an error in its place",
}


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
        source: where interventional metrics get codes of factors they choose; None where there is no such source.
    """

    name: str
    sample: Sample
    code_names: tuple[str, ...]
    rows: int
    factor_sizes: tuple[int, ...] | None = None
    logvar: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()
    source: Source | None = None


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
    """Read codes and factors from files.

    Args:
        path: ``.npz``, ``.safetensors``, ``.h5``, ``.mat`` or ``.pt`` with arrays ``codes`` (n x d) and ``factors``
            (n x k), optionally ``factor_names``, ``factor_sizes`` and ``logvar`` or ``std`` of the posterior; ``.csv``,
            ``.tsv`` (also ``.gz``), ``.parquet`` or ``.feather`` with columns ``code_*`` or ``z_*``, and ``factor_*``;
            or ``.npy`` with the codes.
        factors_path: ``.npy`` with the factors, if and only if ``path`` is one.
        codes: name of the array in the archive; columns of the table (comma separated, ``*`` is a wildcard).
        factors: likewise.
        rows: most rows to keep; from a longer file so many are drawn without replacement, in the file's order.
        seed: seed of that draw.
        continuous: names or patterns, as of :class:`~dbench.codes.factors.FactorTypes`.
        discrete: likewise.

    Raises:
        InvalidInput: no such file, another format, arrays that are missing, have other names, no numbers,
            different lengths, NaN or infinity, or take too much room.
        UnknownName: a name that fits no factor.
        DamagedData: a file that cannot be read, or not to its end.
    """
    name, types = Path(path).name, FactorTypes(continuous, discrete)
    choose = partial(choose_rows, rows=rows, seed=seed)
    is_npy = name.lower().endswith(".npy") and Path(path).is_file()
    if is_npy and (codes is not None or factors is not None):
        raise InvalidInput(f"--codes and --factors name arrays of .npz or columns of tables, got {name}")
    if is_npy and factors_path is None:
        raise InvalidInput(f"{name} holds one array only; give the factors' .npy file as second argument")
    if factors_path is not None:
        other = Path(factors_path).name
        if not is_npy:
            existing(path)
            raise InvalidInput(f"a second file goes with .npy only, got {name} and {other}")
        if existing(factors_path).suffix.lower() != ".npy":
            raise InvalidInput(f"the factors of codes in .npy must be in .npy too, got {other!r}")
    with ExitStack() as files:
        opened = open_file(path, files)
        if isinstance(opened, StoredTable):
            return _read_table(opened, codes, factors, choose, types)
        if factors_path is not None:
            second: Any = open_file(factors_path, files)
            arrays = {"codes": opened[""], "factors": second[""]}
            return _read_arrays(name, arrays, "codes", "factors", choose, types)
        wanted = {"codes": codes or "codes", "factors": factors or "factors"}
        if wanted["codes"] == wanted["factors"]:
            raise InvalidInput(f"{name}: an array is codes or factors, got both for {wanted['codes']!r}")
        if missing := [role for role, array in wanted.items() if array not in opened]:
            raise InvalidInput(explain(name, opened, wanted, missing))
        for role, given in (("codes", codes), ("factors", factors)):
            similar = [array for array in opened if array != role and array.strip().lower() == role]
            if similar and given is None:
                raise InvalidInput(
                    f"{name} must not leave open which array holds the {role}: there are {role!r} and "
                    f"{similar[0]!r}; name it with --{role}"
                )
        return _read_arrays(name, opened, wanted["codes"], wanted["factors"], choose, types)


def existing(path: str | Path) -> Path:
    """Return the path of an existing file; any other is refused."""
    file = Path(path)
    if not file.is_file():
        raise InvalidInput(f"no file of codes at {str(path)!r}")
    return file


def open_file(path: str | Path, files: ExitStack) -> dict[str, StoredArray] | StoredTable:
    """Return the arrays by name, or the table, of a file, not read yet; the one array of an .npy file has no name.

    Raises:
        InvalidInput: no file, another format, or one that needs a library that is not installed.
        DamagedData: not what the name says: a Git LFS pointer, a web page, or nothing.
    """
    place = existing(path)
    name = place.name.lower()
    opener = next((opener for end, opener in _FORMATS.items() if name.endswith(end)), None)
    if opener is None:
        pickled = "; pickles can run code and are never read" if place.suffix.lower() in (".pkl", ".pickle") else ""
        raise InvalidInput(f"codes must come in {', '.join(_FORMATS)}, got {one_line(place.name)!r}{pickled}")
    with readable(place.name):
        file = files.enter_context(place.open("rb"))
        beginning = file.read(100).lstrip().lower()
        file.seek(0)
    for start, what in _FIRST_BYTES.items():
        if beginning.startswith(start):
            raise DamagedData(f"{one_line(place.name)} holds {what}")
    if not beginning:
        raise DamagedData(f"{one_line(place.name)} is empty")
    return opener(file, files)


def explain(name: str, arrays: Mapping[str, StoredArray], wanted: dict[str, str], missing: Sequence[str]) -> str:
    """Return a message that lists the arrays there are and the options that would name the right ones."""
    if not arrays:
        return f"{name} holds no arrays"
    listed = ", ".join(f"{key} ({array})" for key, array in list(arrays.items())[:12])
    listed += f" and {len(arrays) - 12} more" if len(arrays) > 12 else ""
    options = []
    for role in missing:
        usual_names = _LIKE_CODES if role == "codes" else _LIKE_FACTORS
        likely = [key for key in arrays if key.lower() in usual_names]
        likely = likely or difflib.get_close_matches(wanted[role], list(arrays), n=1)
        options.append(f"--{role} {likely[0] if likely else 'NAME'}")
    absent = " and ".join(repr(wanted[role]) for role in missing)
    return f"{name} has no array {absent}; it holds {listed}; say which is which with {' '.join(options)}"


def _read_arrays(
    name: str, arrays: Mapping[str, StoredArray], codes: str, factors: str, choose: ChooseRows, types: FactorTypes
) -> CodesFile:
    n, d = arrays[codes].numbers
    n_factors, k = arrays[factors].matrix
    if n != n_factors:
        turned = "; does one of them need transposing (.T)?" if n_factors == d or n == k else ""
        raise InvalidInput(
            f"{name}: codes and factors must have equally many rows, got shapes {arrays[codes].shape} and "
            f"{arrays[factors].shape}{turned}"
        )
    notes = list[str]()
    keep = choose(n, notes=notes)
    if unused := [array for array in arrays if array not in {codes, factors, *_OPTIONAL}]:
        notes.append(f"Arrays that are neither codes nor factors are not used: {some(unused)}.")
    names = _names(name, arrays["factor_names"], k) if "factor_names" in arrays else ()
    values, columns = arrays[codes].read(keep), arrays[factors].read_columns(keep)
    sizes = arrays["factor_sizes"].read().ravel() if "factor_sizes" in arrays else None
    logvar = posterior(name, arrays, codes, keep, notes)
    file = _assemble(name, values, columns, names, [f"code_{i}" for i in range(d)], types=types, rows=n, notes=notes)
    return replace(file, factor_sizes=_sizes(file, sizes), logvar=logvar)


def _sizes(file: CodesFile, sizes: Values | None) -> tuple[int, ...] | None:
    """Return the declared number of values of each factor; None if not declared, or not all factors are labels."""
    if sizes is None or not file.sample.discrete:
        return None
    if (sizes != np.trunc(sizes)).any():
        raise InvalidInput(f"{file.name}: factor_sizes must be whole numbers, got {sizes.tolist()}")
    declared = tuple(int(size) for size in sizes)
    occurring = [len(np.unique(column)) for column in file.sample.factors.T]
    if len(declared) != len(occurring) or any(size < seen for size, seen in zip(declared, occurring, strict=True)):
        raise InvalidInput(
            f"{file.name}: factor_sizes must be {len(occurring)} sizes of at least the numbers of values that occur, "
            f"{occurring}, got {list(declared)}"
        )
    return declared


def posterior(
    name: str, arrays: Mapping[str, StoredArray], codes: str, keep: Rows, notes: list[str]
) -> NDArray[np.float64] | None:
    """Return the kept logarithms of the posterior's variances; None where no array has the shape of the codes."""
    roles = [role for role in ("logvar", "std") if role in arrays]
    if len(roles) > 1:
        raise InvalidInput(f"{name}: logvar and std say the same, got both; save one of them")
    for role in roles:
        if arrays[role].shape != arrays[codes].shape:
            notes.append(f"array {role!r} is left out: its shape {arrays[role].shape} is not that of the codes.")
            continue
        values = arrays[role].read(keep).astype(np.float64).reshape(-1, arrays[codes].matrix[1])
        if role == "std" and (values <= 0).any():
            raise InvalidInput(f"{name}: std must be above 0, got {values.min()}")
        return values if role == "logvar" else 2 * np.log(values)
    return None


def _read_table(
    table: StoredTable, codes: str | None, factors: str | None, choose: ChooseRows, types: FactorTypes
) -> CodesFile:
    code_columns = columns_of(table, "codes", codes, USUAL_CODES)
    factor_columns = columns_of(table, "factors", factors, _FACTORS)
    both = sorted(set(code_columns) & set(factor_columns))
    if both:
        raise InvalidInput(f"{table.what}: a column is a code or a factor, got both for {', '.join(both)}")
    notes = list[str]()
    values, columns, rows = table.read(code_columns, factor_columns, partial(choose, notes=notes))
    notes.append(f"Codes: {some(code_columns)}. Factors: {some(factor_columns)}.")
    used = {*code_columns, *factor_columns}
    if unused := [column or "'' (no name: an index?)" for column in table.columns if column not in used]:
        notes.append(f"Columns that are neither codes nor factors are not used: {some(unused)}.")
    return _assemble(table.what, values, columns, factor_columns, code_columns, types=types, rows=rows, notes=notes)


def columns_of(table: StoredTable, role: str, named: str | None, usual: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that fit the given names or patterns, or else the first usual pattern that fits any.

    Raises:
        InvalidInput: a name that fits none, or columns of unusual names that look like codes or factors too.
    """
    patterns = [part.strip() for part in named.split(",")] if named else list(usual)
    chosen, known = dict[str, None](), set(table.columns)
    listing = f"it has {some(table.columns, 20)}"
    for pattern in patterns:
        # An exact name comes first: it may hold characters that have a meaning in patterns.
        fitting = [pattern] if pattern in known else [c for c in table.columns if fnmatchcase(c, pattern)]
        if named and not fitting:
            raise InvalidInput(f"{table.what} has no column {pattern!r} for --{role}; {listing}")
        chosen |= dict.fromkeys(fitting)
        if fitting and not named:
            break
    others = [] if named else [c for c in table.columns if c not in chosen]
    similar = [c for c in others if re.fullmatch(_LOOKS_LIKE[role], c, re.I)]
    if chosen and similar:
        raise InvalidInput(
            f"{table.what} must not leave open which columns are {role}: {some(list(chosen))} are by {pattern!r}, and "
            f"{some(similar)} look like it; name all with --{role} (comma separated, * is a wildcard)"
        )
    if not chosen:
        raise InvalidInput(
            f"{table.what} has no columns {' or '.join(usual)} of {role}; {listing}; name them with --{role} "
            f"(comma separated, * is a wildcard)"
        )
    return tuple(chosen)


def choose_rows(n: int, rows: int, seed: int, notes: list[str]) -> Rows:
    """Draw the rows to keep and add a note; return None, which means all, where there are at most ``rows``."""
    if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 1:
        raise InvalidInput(f"rows must be an integer of at least 1, got {rows!r}")
    if n <= rows:
        return None
    notes.append(f"{rows:,} of {n:,} rows are used, drawn at random (seed {seed}); --rows changes how many.")
    return np.sort(generator(task="read_codes", seed=seed).choice(n, size=rows, replace=False, shuffle=False))


def _names(name: str, array: StoredArray, k: int) -> tuple[str, ...]:
    names = array.read_text()
    if len(names) != k or len(set(names)) != k or not all(each.isprintable() and each for each in names):
        raise InvalidInput(f"{name}: factor_names must be {k} different printable names, got {list(names)[:20]}")
    return names


def _assemble(
    name: str,
    codes: Values,
    factors: Sequence[Column],
    factor_names: Sequence[str],
    code_names: Sequence[str],
    *,
    types: FactorTypes,
    rows: int,
    notes: Sequence[str],
) -> CodesFile:
    names = tuple(factor_names) or tuple(f"factor_{j}" for j in range(len(factors)))
    matrix, kinds, decisions = types.encode(factors, names)
    sample = Sample(codes.astype(np.float64), matrix, names, kinds)
    return CodesFile(name, sample, tuple(code_names), rows, notes=(*notes, *decisions, *exchanged(codes, kinds)))
