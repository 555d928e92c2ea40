"""Tables as text: values with commas or tabs between them, also packed, read in batches by pyarrow."""

import csv
import gzip
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from dbench.codes.formats.tables import StoredTable, is_text, stripped
from dbench.codes.formats.values import LARGEST_FILE, LARGEST_ROWS
from dbench.errors import InvalidInput
from dbench.files import readable
from dbench.shown import clipped

_HEADER = 1 << 20
_BLOCK = 1 << 23


def _csv_reader(path: Path, names: Sequence[str], **options: Any) -> Any:
    from pyarrow import csv as arrow_csv

    reading = arrow_csv.ReadOptions(use_threads=False, block_size=_BLOCK, column_names=list(names), skip_rows=1)
    parsing = arrow_csv.ParseOptions(delimiter=_separator(path))
    source = _Unpacked(path) if _is_packed(path) else path
    converting = arrow_csv.ConvertOptions(**options)
    return arrow_csv.open_csv(source, read_options=reading, parse_options=parsing, convert_options=converting)


class _Unpacked(gzip.GzipFile):
    """What a packed file holds, as far as it is not larger than a file may be."""

    _read = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self._read += len(data)
        if self._read > LARGEST_FILE:
            raise InvalidInput(f"what is packed may have at most {LARGEST_FILE} bytes, got more")
        return data


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _separator(path: Path) -> str:
    return "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","


def _header(path: Path) -> list[str]:
    """Read the first line as names of columns, or say what stands there in their place."""
    what, separator = path.name, _separator(path)
    with _Unpacked(path) if _is_packed(path) else path.open("rb") as file:
        line = file.readline(_HEADER).decode("utf-8-sig")
    if len(line) >= _HEADER // 4 and not line.endswith("\n"):
        raise InvalidInput(f"{what} must begin with a line of column names of at most {_HEADER // 4} characters")
    try:
        found = next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        if '"' not in line:
            raise
        # One that is left open would take in what follows.
        shown = repr(clipped(line.strip()))
        raise InvalidInput(f"{what} must begin with a line of column names whose quotes close, got {shown}") from None
    if len(found) < 2 and (other := next((mark for mark in "\t;|," if mark in line.strip()), "")):
        name = {"\t": "tabs", ",": "commas"}.get(separator, separator)
        instead = (
            "name it .tsv" if other == "\t" else "pandas.read_csv(path, sep=';', decimal=',') reads it and its commas"
        )
        advice = f"; {instead}" if other in "\t;" else ""
        raise InvalidInput(f"{what} must have columns with {name} between them, got {other!r} in its only name{advice}")
    if found and all(map(_is_number, found)):
        raise InvalidInput(f"{what} must begin with a line of column names, got numbers: {clipped(line.strip())!r}")
    names = stripped(what, found)
    if not any(names):
        raise InvalidInput(f"{what} must begin with a line of column names, got {line[:40]!r}")
    return names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _csv_batches(path: Path, names: Sequence[str], columns: Sequence[str], *, text: bool) -> Iterator[Any]:
    import pyarrow as pa

    kinds = dict.fromkeys(columns, pa.string() if text else pa.float64())
    yield from _csv_reader(path, names, include_columns=list(columns), column_types=kinds)


def open_csv(path: Path) -> StoredTable:
    """Look at a file of values with commas between them, or tabs (.tsv), also packed (.gz), below a line of names.

    All of it is read, to count its rows.

    Raises:
        InvalidInput: no column names, one that occurs twice, or no rows.
        DamagedData: not text, or lines of different length.
    """
    import pyarrow as pa

    what = path.name
    with readable(what):
        names, rows = _header(path), 0
        for batch in _csv_batches(path, names, names[:1], text=True):  # as text: only counted
            rows += batch.num_rows
            if rows > LARGEST_ROWS:
                raise InvalidInput(f"{what} may have at most {LARGEST_ROWS:,} rows, got more")
        # As far as the first block shows.
        fields = _csv_reader(path, names).schema
        text = frozenset(field.name for field in fields if is_text(field.type) or pa.types.is_boolean(field.type))
    if not rows:
        raise InvalidInput(f"{what} must hold at least one row below its column names, got none")
    return StoredTable(what, tuple(names), rows, text, frozenset(), partial(_csv_batches, path, names), untyped=True)
