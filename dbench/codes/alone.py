"""The codes of several models, without factors, read from files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dbench.codes.formats.arrays import open_npy
from dbench.codes.formats.opened import open_codes
from dbench.codes.formats.tables import StoredTable
from dbench.codes.reading import USUAL_CODES, choose_rows, columns_of, existing, posterior
from dbench.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class CodesAlone:
    """Codes of one model; see :class:`~dbench.codes.reading.CodesFile`."""

    name: str  # the file, as it was named
    codes: NDArray[np.float64]  # n x d
    logvar: NDArray[np.float64] | None
    notes: tuple[str, ...]


def read_codes_alone(
    paths: Sequence[str | Path], *, codes: str | None = None, rows: int = 10_000, seed: int = 0
) -> list[CodesAlone]:
    """Read the codes of several models for the same observations, in the same order.

    Each file has a format of :func:`~dbench.codes.reading.read_codes`: arrays by name (``codes``, optionally ``logvar``
    or ``std``), an ``.npy``, or a table (columns ``code_*`` or ``z_*``); factors in it are not looked at. Options as of
    :func:`~dbench.codes.reading.read_codes`; of longer files the same rows are kept of each.

    Raises:
        InvalidInput: no such file, another format, or numbers of rows that differ.
        DamagedData: a file that cannot be read.
    """
    found = [_read_alone(path, codes, rows, seed) for path in paths]
    for model, n in found:
        if n != found[0][1]:
            raise InvalidInput(
                "all files must hold the codes of the same observations, "
                f"got {found[0][1]} rows in {paths[0]} and {n} in {model.name}"
            )
    return [model for model, _ in found]


def _read_alone(path: str | Path, codes: str | None, rows: int, seed: int) -> tuple[CodesAlone, int]:
    file = existing(path)
    suffix = file.suffix.lower()
    arrays = {"codes": open_npy(file)} if suffix == ".npy" else open_codes(file)
    if isinstance(arrays, StoredTable):
        table = arrays
        keep, notes = choose_rows(table.rows, rows, seed)
        values = table.read(columns_of(table, "codes", codes, USUAL_CODES), keep)
        return CodesAlone(str(path), values.astype(np.float64), None, tuple(notes)), table.rows
    name = (codes or "codes") if suffix != ".npy" else "codes"
    if name not in arrays:
        raise InvalidInput(f"{file.name} has no array {name!r}; it holds {', '.join(arrays)}; name it with --codes")
    n = arrays[name].matrix[0]
    keep, notes = choose_rows(n, rows, seed)
    values = arrays[name].read(keep).astype(np.float64)
    return CodesAlone(str(path), values, posterior(file.name, arrays, name, keep, notes), tuple(notes)), n
