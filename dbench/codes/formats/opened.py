"""A file of codes, opened by the end of its name."""

from collections.abc import Callable, Mapping
from pathlib import Path

from dbench.codes.formats.arrays import StoredArray, open_npz
from dbench.codes.formats.containers import open_hdf5, open_mat, open_safetensors, open_torch
from dbench.codes.formats.delimited import open_csv
from dbench.codes.formats.tables import StoredTable, open_feather, open_parquet
from dbench.errors import DamagedData, InvalidInput
from dbench.shown import one_line

_ARRAYS: Mapping[str, Callable[[Path], dict[str, StoredArray]]] = {
    ".npz": open_npz,
    ".safetensors": open_safetensors,
    ".h5": open_hdf5,
    ".hdf5": open_hdf5,
    ".mat": open_mat,
    ".pt": open_torch,
    ".pth": open_torch,
}
_TABLES: Mapping[str, Callable[[Path], StoredTable]] = {
    ".csv": open_csv,
    ".tsv": open_csv,
    ".csv.gz": open_csv,
    ".tsv.gz": open_csv,
    ".parquet": open_parquet,
    ".pq": open_parquet,
    ".feather": open_feather,
    ".arrow": open_feather,
}
FORMATS = ", ".join([*_ARRAYS, ".npy", *_TABLES])
_BEGINS = {
    b"version https://git-lfs": "a pointer of Git LFS: git lfs pull brings the file",
    b"<!doctype html": "a page of the web, perhaps an error in its place",
    b"<html": "a page of the web, perhaps an error in its place",
}


def open_codes(path: Path) -> dict[str, StoredArray] | StoredTable:
    """Look at the arrays by name, or at the table, that a file holds.

    Raises:
        InvalidInput: another format, or one that needs a library that is not installed.
        DamagedData: not what the name says.
    """
    name = path.name.lower()
    for known in (_ARRAYS, _TABLES):
        for end, opener in known.items():
            if name.endswith(end):
                require_content(path)
                return opener(path)
    pickled = "; pickles can run code and are never read" if path.suffix.lower() in (".pkl", ".pickle") else ""
    raise InvalidInput(f"codes must come in {FORMATS}, got {one_line(path.name)!r}{pickled}")


def require_content(path: Path) -> None:
    """Refuse what stands in place of a file: a pointer to it, or a page that says why it is not there."""
    with path.open("rb") as file:
        first = file.read(100).lstrip().lower()
    for start, what in _BEGINS.items():
        if first.startswith(start):
            raise DamagedData(f"{one_line(path.name)} holds {what}")
    if not first:
        raise DamagedData(f"{one_line(path.name)} is empty")
