"""Tables: Parquet and Feather, read in batches by pyarrow; see :mod:`dbench.codes.formats.delimited` for csv."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes.formats.text import Column, text_column
from dbench.codes.formats.values import (
    LARGEST_FILE,
    LARGEST_ROWS,
    Values,
    as_integers,
    beyond_floats,
    checked,
    require_room,
    rows_of,
)
from dbench.errors import DamagedData, InvalidInput
from dbench.files import readable
from dbench.shown import clipped, some

_BATCH = 1 << 16


@dataclass(frozen=True)
class StoredTable:
    """A table in a file, not read yet; ``batches`` yields the columns named in parts, as text if asked for."""

    what: str
    columns: tuple[str, ...]
    rows: int
    text: frozenset[str]
    integers: frozenset[str]  # of a format that has types
    batches: Callable[..., Iterator[Any]]
    untyped: bool = False  # whether all values are text, as in csv

    def read(self, columns: Sequence[str], keep: NDArray[np.int64] | None = None) -> Values:
        """Check all values of some columns and return the rows to keep (all if not given).

        Integers stay integers if all columns hold them; a csv file holds floats.

        Raises:
            InvalidInput: NaN, infinity, missing values, or columns that hold no numbers.
            DamagedData: the file cannot be read to its end.
        """
        wrong = [name for name in columns if name in self.text]
        if wrong:
            raise InvalidInput(f"{self.what}: column {wrong[0]!r} must hold numbers, got text")
        require_room(self.what, self.rows, len(columns), self.rows if keep is None else len(keep))
        with readable(self.what):
            blocks = (_matrix(self.what, columns, batch) for batch in self._whole(columns))
            return rows_of(checked(self.what, blocks, columns), keep)

    def read_columns(self, columns: Sequence[str], keep: NDArray[np.int64] | None = None) -> list[Column]:
        """Return the kept rows of each column, which may hold text; raises as :meth:`read`."""
        numeric = [name for name in columns if name not in self.text]
        numbers = dict[str, Values]()
        # Apart from each other: beside floats integers would become floats.
        for kind in (True, False):
            if group := [name for name in numeric if (name in self.integers) == kind]:
                numbers |= zip(group, self.read(group, keep).T, strict=True)
        if self.untyped:  # read as floats: those that floats cannot hold are read again, from their text
            numbers = {name: column for name, column in numbers.items() if not beyond_floats(column)}
        words = self._text([name for name in columns if name not in numbers], keep)
        return [numbers[name] if name in numbers else words[name] for name in columns]

    def _text(self, names: Sequence[str], keep: NDArray[np.int64] | None) -> dict[str, Column]:
        """Read columns as text, all in one pass."""
        if not names:
            return {}
        require_room(self.what, self.rows, len(names), self.rows if keep is None else len(keep))
        with readable(self.what):
            blocks = (
                np.stack([_words(self._called(name), batch.column(name)) for name in names], axis=1)
                for batch in self._whole(names, text=True)
            )
            text = rows_of(blocks, keep)
            return {name: text_column(self._called(name), text[:, j]) for j, name in enumerate(names)}

    def _called(self, name: str) -> str:
        return f"{self.what}: column {clipped(name)!r}"

    def _whole(self, columns: Sequence[str], *, text: bool = False) -> Iterator[Any]:
        """Yield batches, which must have all rows together, and no more."""
        rows = 0
        for batch in self.batches(columns, text=text):
            rows += batch.num_rows
            if rows > self.rows:
                break
            yield batch
        if rows != self.rows:
            raise DamagedData(f"{self.what} must have the {self.rows} rows it declares")


def _words(what: str, column: Any) -> NDArray[np.object_]:
    if column.null_count:
        raise InvalidInput(f"{what} must have text in every row, got {column.null_count} missing values")
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=object)


def _matrix(what: str, columns: Sequence[str], batch: Any) -> NDArray[np.generic]:
    parts = []
    for name in columns:
        column = batch.column(name)
        values = column.to_numpy(zero_copy_only=False)
        if values.dtype.kind == "b" and not column.null_count:
            values = values.astype(np.int64)
        if values.dtype.kind not in "iuf":
            raise InvalidInput(f"{what}: column {name!r} must hold numbers without gaps, got {column.type}")
        parts.append(values)
    if not any(part.dtype.kind == "f" for part in parts):
        named = zip(columns, parts, strict=True)
        return np.stack([as_integers(f"{what}: column {name!r}", part) for name, part in named], axis=1)
    if all(part.dtype.kind == "f" for part in parts):
        return np.stack(parts, axis=1)
    for name, part in zip(columns, parts, strict=True):
        if part.dtype.kind != "f" and part.size and max(abs(int(part.min())), abs(int(part.max()))) > 2**53:
            raise InvalidInput(f"{what}: column {name!r} must be within 2^53 beside columns of floats, got beyond")
    return np.stack([part.astype(np.float64) for part in parts], axis=1)


def stripped(what: str, names: Sequence[str]) -> list[str]:
    """Return names of columns without blanks around them and without the # that numpy.savetxt begins with, checked."""
    first, *others = names or [""]
    found = [name.strip() for name in (first.lstrip().removeprefix("#"), *others)]
    _require_names(what, found)
    return found


def _require_names(what: str, names: Sequence[str]) -> None:
    odd = [name for name in names if not name.isprintable()]
    if odd:  # they would be printed
        raise InvalidInput(f"{what} must have printable names for columns, got {clipped(odd[0])!r}")
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        listed = some([repr(clipped(name)) for name in twice], 5)
        raise InvalidInput(f"{what} must name each column once, got {listed} more than once")


def open_parquet(path: Path) -> StoredTable:
    """Look at a Parquet file.

    Raises:
        InvalidInput: no rows, too many, or a column name that occurs twice.
        DamagedData: not Parquet, or a damaged footer.
    """
    from pyarrow import parquet

    what = path.name
    with readable(what), parquet.ParquetFile(path) as file:
        stored = [str(name) for name in file.schema_arrow.names]
        names = tuple(stripped(what, stored))
        kinds = dict(zip(names, (field.type for field in file.schema_arrow), strict=True))
        text = frozenset(name for name, kind in kinds.items() if is_text(kind))
        integers = frozenset(name for name, kind in kinds.items() if _is_whole(kind))
        rows = int(file.metadata.num_rows)
        groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
        size = sum(int(group.total_byte_size) for group in groups)
        counted = sum(int(group.num_rows) for group in groups)
    if not 0 < rows <= LARGEST_ROWS:
        raise InvalidInput(f"{what} must hold from 1 to {LARGEST_ROWS:,} rows, got {rows:,}")
    if counted != rows or not 0 <= size <= LARGEST_FILE:
        raise DamagedData(f"{what} must declare {rows} rows in at most {LARGEST_FILE} bytes, got {counted} in {size}")

    def batches(columns: Sequence[str], *, text: bool) -> Iterator[Any]:
        own, shown = dict(zip(names, stored, strict=True)), dict(zip(stored, names, strict=True))
        asked = [own[name] for name in columns]
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            for batch in file.iter_batches(batch_size=_BATCH, columns=asked, use_threads=False):
                yield batch.rename_columns([shown[name] for name in batch.schema.names])

    return StoredTable(what, names, rows, text, integers, batches)


def open_feather(path: Path) -> StoredTable:
    """Look at a Feather file (version 2, which is Arrow's file format).

    Raises:
        InvalidInput: no rows, too many, or a column name that occurs twice.
        DamagedData: another format, or a damaged one.
    """
    import pyarrow as pa

    what = path.name
    with readable(what, " as Feather of version 2"), pa.OSFile(str(path)) as source:
        file = pa.ipc.open_file(source)
        stored = [str(name) for name in file.schema.names]
        names = tuple(stripped(what, stored))
        kinds = dict(zip(names, file.schema.types, strict=True))
        rows = sum(file.get_batch(number).num_rows for number in range(file.num_record_batches))
    if not 0 < rows <= LARGEST_ROWS:
        raise InvalidInput(f"{what} must hold from 1 to {LARGEST_ROWS:,} rows, got {rows:,}")

    place = {name: number for number, name in enumerate(names)}

    def batches(columns: Sequence[str], *, text: bool) -> Iterator[Any]:
        places = sorted(place[name] for name in columns)
        with pa.OSFile(str(path)) as source:
            file = pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=places))
            for number in range(file.num_record_batches):
                batch = file.get_batch(number)
                batch.validate(full=True)  # what is damaged may point anywhere
                yield batch.rename_columns([names[number] for number in places])

    whole = frozenset(name for name, kind in kinds.items() if _is_whole(kind))
    text = frozenset(name for name, kind in kinds.items() if is_text(kind))
    return StoredTable(what, names, rows, text, whole, batches)


def _is_whole(kind: Any) -> bool:
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_integer(kind) or pa.types.is_boolean(kind))


def is_text(kind: Any) -> bool:
    """Whether a column of that type of Arrow's holds text."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
