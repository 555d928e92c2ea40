"""Tables in Parquet, Feather, csv and tsv files, each read once by pyarrow."""

import csv
import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes.factors import Column, beyond_floats, ordered_labels, text_column
from dbench.codes.sample import LARGEST_FILE, LARGEST_KEPT, LARGEST_ROWS, Values, as_integers, checked, require_room
from dbench.errors import DamagedData, InvalidInput
from dbench.files import readable
from dbench.shown import clipped, some

_BATCH = 1 << 16  # rows of a Parquet file read at once
_HEADER = 1 << 20  # most bytes of a line of column names
_BLOCK = 1 << 23  # bytes of a csv file read at once


@dataclass(frozen=True)
class StoredTable:
    """A table in a file, whose values are not read yet.

    Attributes:
        what: the file's name, for messages.
        columns: names.
        batches: takes the names of code and factor columns and yields these columns, some rows at a time. A format
            without types gives codes as floats and factors as text.
        untyped: whether the format has no types.
        rows: number of rows, where the file declares it.
    """

    what: str
    columns: tuple[str, ...]
    batches: Callable[[Sequence[str], Sequence[str]], Iterator[Any]]
    untyped: bool = False
    rows: int | None = None

    def read(
        self, codes: Sequence[str], factors: Sequence[str], choose: Callable[[int], NDArray[np.int64] | None]
    ) -> tuple[Values, list[Column], int]:
        """Check the values of some columns and return the rows to keep.

        A table that is too large for memory is read twice, and only the rows that are kept are checked.

        Args:
            codes: columns of numbers.
            factors: columns that may hold text.
            choose: takes the number of rows and returns the numbers of those to keep, or None for all.

        Returns:
            n x d codes; a column for each factor, as integers where the file has them; and its number of rows.

        Raises:
            InvalidInput: no rows, NaN, infinity, missing values, codes that are no numbers, or too much to keep.
            DamagedData: the file cannot be read to its end.
        """
        import pyarrow as pa

        with readable(self.what):
            rows, batches = self._load(codes, factors, None)
            keep, width = choose(rows), len(codes) + len(factors)
            require_room(self.what, rows, width, rows if keep is None else len(keep))
            if rows * width > LARGEST_KEPT:
                _, batches = self._load(codes, factors, keep)
                keep = None
            table = pa.Table.from_batches(batches)
            matrix = next(checked(self.what, [_matrix(self.what, codes, table)], codes))
            columns = [self._column(name, table.column(name), keep) for name in factors]
        return matrix if keep is None else matrix[keep], columns, rows

    def _load(
        self, codes: Sequence[str], factors: Sequence[str], keep: NDArray[np.int64] | None
    ) -> tuple[int, list[Any]]:
        """Return the number of rows and batches of them: the rows to keep, or all as long as they fit into memory."""
        rows, batches = 0, list[Any]()
        for batch in self.batches(codes, factors):
            first, rows = rows, rows + batch.num_rows
            if rows > LARGEST_ROWS:
                raise InvalidInput(f"{self.what} may have at most {LARGEST_ROWS:,} rows, got more")
            if keep is not None:
                start, stop = np.searchsorted(keep, [first, rows])
                batches.append(batch.take(keep[start:stop] - first))
            elif rows * batch.num_columns <= LARGEST_KEPT:
                batches.append(batch)
        if self.rows not in (None, rows):
            raise DamagedData(f"{self.what} must have the {self.rows} rows it declares")
        if not rows:
            raise InvalidInput(f"{self.what} must hold at least one row below its column names, got none")
        return rows, batches

    def _column(self, name: str, column: Any, keep: NDArray[np.int64] | None) -> Column:
        """Return the kept rows of a column, which may hold text."""
        import pyarrow as pa

        what = f"{self.what}: column {clipped(name)!r}"
        if pa.types.is_dictionary(column.type) and column.type.ordered and not column.null_count:
            return ordered_labels((column if keep is None else column.take(keep)).to_pandas().cat)
        numbers = None if _is_text(column.type) else column
        if self.untyped:
            numbers = _numbers(column)
        if numbers is not None:
            values = next(checked(self.what, [_matrix(self.what, [name], {name: numbers})], [name]))[:, 0]
            may_have_merged = self.untyped and values.dtype.kind == "f" and beyond_floats(values)
            if not may_have_merged:
                return values if keep is None else values[keep]
        if column.null_count:
            raise InvalidInput(f"{what} must have text in every row, got {column.null_count} missing values")
        return text_column(what, (column if keep is None else column.take(keep)).to_numpy().astype(object))


def _numbers(column: Any) -> Any:
    """Return a column of text as integers, else as floats, gaps as null; None where it must stay text."""
    import pyarrow as pa
    from pyarrow import compute
    from pyarrow.csv import ConvertOptions

    trimmed = compute.utf8_trim_whitespace(column)
    gaps = compute.is_in(trimmed, value_set=pa.array(ConvertOptions().null_values))
    numbers = compute.if_else(gaps, None, trimmed)
    try:
        floats = numbers.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    try:
        integers = numbers.cast(pa.int64())
    except pa.ArrowInvalid:
        return floats
    same_count = compute.count_distinct(integers) == compute.count_distinct(numbers)
    return integers if same_count else None  # 7 and 007 are one number, but two labels


def _matrix(what: str, columns: Sequence[str], table: Any) -> NDArray[np.generic]:
    """Return columns of numbers as one matrix, of integers where all are."""
    parts = []
    for name in columns:
        column = table[name]
        if _is_text(column.type):
            raise InvalidInput(f"{what}: column {name!r} must hold numbers, got text")
        values = column.to_numpy()
        if values.dtype.kind == "b" and not column.null_count:
            values = values.astype(np.int64)
        if values.dtype.kind not in "iuf":
            raise InvalidInput(f"{what}: column {name!r} must hold numbers without gaps, got {column.type}")
        parts.append(values)
    is_float = {part.dtype.kind == "f" for part in parts}
    if is_float == {False}:
        named = zip(columns, parts, strict=True)
        return np.stack([as_integers(f"{what}: column {name!r}", part) for name, part in named], axis=1)
    for name, part in zip(columns, parts, strict=True):
        if part.dtype.kind != "f" and max(abs(int(part.min())), abs(int(part.max()))) > 2**53:
            raise InvalidInput(f"{what}: column {name!r} must be within 2^53 beside columns of floats, got beyond")
    return np.stack([part.astype(np.float64) if len(is_float) > 1 else part for part in parts], axis=1)


def _is_text(arrow_type: Any) -> bool:
    """Return whether an Arrow type is text, or categories of text."""
    import pyarrow as pa

    if pa.types.is_dictionary(arrow_type):
        return _is_text(arrow_type.value_type)
    return bool(pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type))


def _names(what: str, names: Sequence[str]) -> list[str]:
    """Return checked column names, without spaces around them or the # that numpy.savetxt puts first."""
    first, *others = names or [""]
    stripped = [name.strip() for name in (first.lstrip().removeprefix("#"), *others)]
    unprintable = [name for name in stripped if not name.isprintable()]
    if unprintable:  # messages print them
        raise InvalidInput(f"{what} must have printable names for columns, got {clipped(unprintable[0])!r}")
    repeated = sorted(name for name, count in Counter(stripped).items() if count > 1)
    if repeated:
        listed = some([repr(clipped(name)) for name in repeated], 5)
        raise InvalidInput(f"{what} must name each column once, got {listed} more than once")
    return stripped


def open_parquet(file: IO[bytes], files: ExitStack) -> StoredTable:
    """Return the table of a Parquet file, not read yet.

    Raises:
        InvalidInput: a column name that occurs twice.
        DamagedData: not Parquet, or a damaged footer.
    """
    from pyarrow import parquet

    what = Path(file.name).name
    with readable(what):
        stored = parquet.ParquetFile(file, page_checksum_verification=True)
        stored_names = [str(name) for name in stored.schema_arrow.names]
        names = _names(what, stored_names)
        rows = int(stored.metadata.num_rows)
        groups = [stored.metadata.row_group(number) for number in range(stored.metadata.num_row_groups)]
        size = sum(int(group.total_byte_size) for group in groups)
        counted = sum(int(group.num_rows) for group in groups)
    if counted != rows or not 0 <= size <= LARGEST_FILE:
        raise DamagedData(f"{what} must declare {rows} rows in at most {LARGEST_FILE} bytes, got {counted} in {size}")

    def batches(codes: Sequence[str], factors: Sequence[str]) -> Iterator[Any]:
        stored_of, shown_of = dict(zip(names, stored_names, strict=True)), dict(zip(stored_names, names, strict=True))
        wanted = [stored_of[name] for name in (*codes, *factors)]
        for batch in stored.iter_batches(batch_size=_BATCH, columns=wanted, use_threads=False):
            yield batch.rename_columns([shown_of[name] for name in batch.schema.names])

    return StoredTable(what, tuple(names), batches, rows=rows)


def open_feather(file: IO[bytes], files: ExitStack) -> StoredTable:
    """Return the table of a Feather file (version 2, which is Arrow's file format), not read yet.

    Raises:
        InvalidInput: a column name that occurs twice.
        DamagedData: another format, or a damaged one.
    """
    import pyarrow as pa

    what = Path(file.name).name
    with readable(what, " as Feather of version 2"):
        names = _names(what, [str(name) for name in pa.ipc.open_file(file).schema.names])
    position = {name: index for index, name in enumerate(names)}

    def batches(codes: Sequence[str], factors: Sequence[str]) -> Iterator[Any]:
        wanted = sorted(position[name] for name in (*codes, *factors))
        stored = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=wanted))
        for index in range(stored.num_record_batches):
            batch = stored.get_batch(index)
            batch.validate(full=True)  # offsets in a damaged file may point anywhere
            yield batch.rename_columns([names[column] for column in wanted])

    return StoredTable(what, tuple(names), batches)


class _LimitedGzip(gzip.GzipFile):
    """A gzip stream that refuses to unpack more than the largest file allowed."""

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if self.tell() > LARGEST_FILE:
            raise InvalidInput(f"what is packed may have at most {LARGEST_FILE} bytes, got more")
        return data


def open_csv(file: IO[bytes], files: ExitStack) -> StoredTable:
    """Return the table of a csv or tsv file, also packed (.gz), not read yet; its first line names the columns.

    Raises:
        InvalidInput: no column names, or one that occurs twice.
        DamagedData: the first line is no text.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    what = Path(file.name).name
    separator = "\t" if what.lower().removesuffix(".gz").endswith(".tsv") else ","
    with readable(what):
        source = files.enter_context(_LimitedGzip(fileobj=file)) if what.lower().endswith(".gz") else file
        names = _header(what, source.readline(_HEADER).decode("utf-8-sig"), separator)

    def batches(codes: Sequence[str], factors: Sequence[str]) -> Iterator[Any]:
        kinds = dict.fromkeys(codes, pa.float64()) | dict.fromkeys(factors, pa.string())
        source.seek(0)
        try:
            yield from arrow_csv.open_csv(
                source,
                read_options=arrow_csv.ReadOptions(
                    use_threads=False, block_size=_BLOCK, column_names=names, skip_rows=1
                ),
                parse_options=arrow_csv.ParseOptions(delimiter=separator),
                convert_options=arrow_csv.ConvertOptions(include_columns=list(kinds), column_types=kinds),
            )
        except pa.ArrowInvalid as error:
            if wrong := re.search(r"CSV column #(\d+).* conversion error to double", str(error)):
                text = f"{what}: column {names[int(wrong[1])]!r} must hold numbers, got text"
                raise InvalidInput(text) from None
            if "Empty CSV file" in str(error):
                return
            raise

    return StoredTable(what, tuple(names), batches, untyped=True)


def _header(what: str, line: str, separator: str) -> list[str]:
    """Return the column names from the first line, or say what it holds instead."""
    if len(line) >= _HEADER // 4 and not line.endswith("\n"):
        raise InvalidInput(f"{what} must begin with a line of column names of at most {_HEADER // 4} characters")
    try:
        fields = next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        if '"' not in line:
            raise
        # A quote that stays open would take in the lines below.
        shown = repr(clipped(line.strip()))
        raise InvalidInput(f"{what} must begin with a line of column names whose quotes close, got {shown}") from None
    if len(fields) < 2 and (other := next((mark for mark in "\t;|," if mark in line.strip()), "")):
        name = {"\t": "tabs", ",": "commas"}[separator]
        advice = {
            "\t": "; name it .tsv",
            ";": "; pandas.read_csv(path, sep=';', decimal=',') reads it and its commas",
        }.get(other, "")
        raise InvalidInput(f"{what} must have columns with {name} between them, got {other!r} in its only name{advice}")
    if fields and all(map(_is_number, fields)):
        raise InvalidInput(f"{what} must begin with a line of column names, got numbers: {clipped(line.strip())!r}")
    names = _names(what, fields)
    if not any(names):
        raise InvalidInput(f"{what} must begin with a line of column names, got {line[:40]!r}")
    return names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
