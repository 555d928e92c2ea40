"""Tables in files, each read once by pyarrow: Parquet, Feather, and values with commas or tabs between them."""

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
from dbench.codes.sample import (
    LARGEST_FILE,
    LARGEST_KEPT,
    LARGEST_ROWS,
    Values,
    as_integers,
    checked,
    require_room,
)
from dbench.errors import DamagedData, InvalidInput
from dbench.files import readable
from dbench.shown import clipped, some

_BATCH = 1 << 16
_HEADER = 1 << 20
_BLOCK = 1 << 23


@dataclass(frozen=True)
class StoredTable:
    """A table in a file, whose values are not read yet.

    Attributes:
        what: the file's name, for messages.
        columns: names.
        batches: yields columns of codes and columns of factors in parts. A format without types gives the first as
            floats and the others as text.
        untyped: whether it is such a format.
        rows: their number, where the file declares it.
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

        Only of a table that memory does not hold is the file read twice, and rows that are not kept are not checked.

        Args:
            codes: columns of numbers.
            factors: columns that may hold text.
            choose: takes the number of rows and returns the numbers of those to keep, or None for all.

        Returns:
            n x d codes; a column for each factor, integers where the file has integers; and the number of rows in it.

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
        """Return the number of rows, and batches: of the rows to keep, or of all as long as memory holds them."""
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
        numbers = _numbers(column) if self.untyped else None if _is_text(column.type) else column
        if numbers is not None:
            values = next(checked(self.what, [_matrix(self.what, [name], {name: numbers})], [name]))[:, 0]
            if not (
                self.untyped and values.dtype.kind == "f" and beyond_floats(values)
            ):  # floats may have merged these
                return values if keep is None else values[keep]
        if column.null_count:
            raise InvalidInput(f"{what} must have text in every row, got {column.null_count} missing values")
        return text_column(what, (column if keep is None else column.take(keep)).to_numpy().astype(object))


def _numbers(column: Any) -> Any:
    """Return text as whole numbers, else as floats, gaps as missing; None where some is neither, or is 7 and 007."""
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
        whole = numbers.cast(pa.int64())
    except pa.ArrowInvalid:
        return floats
    return whole if compute.count_distinct(whole) == compute.count_distinct(numbers) else None


def _matrix(what: str, columns: Sequence[str], table: Any) -> NDArray[np.generic]:
    """Return columns of numbers side by side, as integers where all are."""
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
    kinds = {part.dtype.kind == "f" for part in parts}
    if kinds == {False}:
        named = zip(columns, parts, strict=True)
        return np.stack([as_integers(f"{what}: column {name!r}", part) for name, part in named], axis=1)
    for name, part in zip(columns, parts, strict=True):
        if part.dtype.kind != "f" and max(abs(int(part.min())), abs(int(part.max()))) > 2**53:
            raise InvalidInput(f"{what}: column {name!r} must be within 2^53 beside columns of floats, got beyond")
    return np.stack([part.astype(np.float64) if len(kinds) > 1 else part for part in parts], axis=1)


def _is_text(kind: Any) -> bool:
    """Whether a column of that type of Arrow's holds text."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _names(what: str, names: Sequence[str]) -> list[str]:
    """Return names of columns without blanks around them and without the # that numpy.savetxt begins with, checked."""
    first, *others = names or [""]
    stripped = [name.strip() for name in (first.lstrip().removeprefix("#"), *others)]
    odd = [name for name in stripped if not name.isprintable()]
    if odd:  # they would be printed
        raise InvalidInput(f"{what} must have printable names for columns, got {clipped(odd[0])!r}")
    twice = sorted(name for name, count in Counter(stripped).items() if count > 1)
    if twice:
        listed = some([repr(clipped(name)) for name in twice], 5)
        raise InvalidInput(f"{what} must name each column once, got {listed} more than once")
    return stripped


def open_parquet(file: IO[bytes], files: ExitStack) -> StoredTable:
    """Look at a Parquet file.

    Raises:
        InvalidInput: a column name that occurs twice.
        DamagedData: not Parquet, or a damaged footer.
    """
    from pyarrow import parquet

    what = Path(file.name).name
    with readable(what):
        stored = parquet.ParquetFile(file, page_checksum_verification=True)
        own = [str(name) for name in stored.schema_arrow.names]
        names = _names(what, own)
        rows = int(stored.metadata.num_rows)
        groups = [stored.metadata.row_group(number) for number in range(stored.metadata.num_row_groups)]
        size, counted = (sum(int(getattr(group, of)) for group in groups) for of in ("total_byte_size", "num_rows"))
    if counted != rows or not 0 <= size <= LARGEST_FILE:
        raise DamagedData(f"{what} must declare {rows} rows in at most {LARGEST_FILE} bytes, got {counted} in {size}")

    def batches(codes: Sequence[str], factors: Sequence[str]) -> Iterator[Any]:
        given, shown = dict(zip(names, own, strict=True)), dict(zip(own, names, strict=True))
        wanted = [given[name] for name in (*codes, *factors)]
        for batch in stored.iter_batches(batch_size=_BATCH, columns=wanted, use_threads=False):
            yield batch.rename_columns([shown[name] for name in batch.schema.names])

    return StoredTable(what, tuple(names), batches, rows=rows)


def open_feather(file: IO[bytes], files: ExitStack) -> StoredTable:
    """Look at a Feather file (version 2, which is Arrow's file format).

    Raises:
        InvalidInput: a column name that occurs twice.
        DamagedData: another format, or a damaged one.
    """
    import pyarrow as pa

    what = Path(file.name).name
    with readable(what, " as Feather of version 2"):
        names = _names(what, [str(name) for name in pa.ipc.open_file(file).schema.names])
    number = {name: place for place, name in enumerate(names)}

    def batches(codes: Sequence[str], factors: Sequence[str]) -> Iterator[Any]:
        wanted = sorted(number[name] for name in (*codes, *factors))
        stored = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=wanted))
        for place in range(stored.num_record_batches):
            batch = stored.get_batch(place)
            batch.validate(full=True)  # what is damaged may point anywhere
            yield batch.rename_columns([names[column] for column in wanted])

    return StoredTable(what, tuple(names), batches)


class _Unpacked(gzip.GzipFile):
    """What a packed file holds, as far as it is not larger than a file may be."""

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if self.tell() > LARGEST_FILE:
            raise InvalidInput(f"what is packed may have at most {LARGEST_FILE} bytes, got more")
        return data


def open_csv(file: IO[bytes], files: ExitStack) -> StoredTable:
    """Look at a file of values with commas between them, or tabs (.tsv), also packed (.gz), below a line of names.

    Raises:
        InvalidInput: no column names, or one that occurs twice.
        DamagedData: the first line is no text.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    what = Path(file.name).name
    separator = "\t" if what.lower().removesuffix(".gz").endswith(".tsv") else ","
    with readable(what):
        source = files.enter_context(_Unpacked(fileobj=file)) if what.lower().endswith(".gz") else file
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
    """Read the first line as names of columns, or say what stands there in their place."""
    if len(line) >= _HEADER // 4 and not line.endswith("\n"):
        raise InvalidInput(f"{what} must begin with a line of column names of at most {_HEADER // 4} characters")
    try:
        fields = next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        if '"' not in line:
            raise
        # One that is left open would take in what follows.
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
