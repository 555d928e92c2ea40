"""A user's codes and factors from memory: numpy arrays, torch tensors, pandas frames or lists."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes.factors import Kinds
from dbench.codes.formats.text import Column, Labels, text_column
from dbench.codes.formats.values import as_integers
from dbench.codes.reading import CodesFile
from dbench.codes.sample import Sample, as_array
from dbench.errors import InvalidInput


def read_arrays(
    codes: Any,
    factors: Any,
    *,
    factor_names: Sequence[str] = (),
    continuous: Collection[str] = (),
    discrete: Collection[str] = (),
) -> CodesFile:
    """Read codes and factors from arrays; a file of the same values gives the same sample.

    Args:
        codes: n x d numbers: anything numpy takes, a torch tensor (any type and device, with or without gradient) or
            a pandas frame, whose columns name the codes. A vector is one code.
        factors: n x k, likewise; columns may also hold text or be categorical. See :mod:`dbench.codes.factors` for
            which are labels. The columns of a frame name the factors.
        factor_names: k names; those of the frame, or ``factor_0`` and so on, when not given.
        continuous: names or patterns, as of :class:`~dbench.codes.factors.Kinds`.
        discrete: likewise.

    Raises:
        InvalidInput: not a matrix, lengths or indices that differ, values that are missing or no numbers.
        UnknownName: a name that fits no factor.

    Example:
        >>> found = read_arrays([[0.1], [0.9]], [["heart", 3], ["square", 4]], factor_names=["shape", "size"])
        >>> found.sample.factors.tolist(), found.notes
        ([[0, 3], [1, 4]], ('shape: text, read as labels 0 = heart, 1 = square.',))
    """
    if factors is None:
        raise InvalidInput(f"factors must be given beside codes, got {type(codes).__name__} alone")
    if hasattr(codes, "iloc") and hasattr(factors, "iloc") and not codes.index.equals(factors.index):
        raise InvalidInput(
            "codes and factors must have the same index, got two that differ; reset_index(drop=True) on both goes by "
            "position"
        )
    numbers, code_names = _code_matrix(codes)
    columns, own_names = _columns("factors", "factor", factors)
    names = tuple(str(name) for name in factor_names) or own_names
    first = columns[0].ranks if isinstance(columns[0], Labels) else columns[0]
    if len(numbers) != len(first):
        pair = f"{np.shape(codes)} and {np.shape(factors)}"
        raise InvalidInput(f"codes and factors must have equally many rows, got shapes {pair}")
    if len(names) != len(columns) or len(set(names)) != len(names):
        raise InvalidInput(f"factor_names must be {len(columns)} different names, got {list(names)}")
    matrix, notes = Kinds(continuous, discrete).encode(columns, names)
    sample = Sample(numbers, matrix, names)
    return CodesFile("arrays", sample, code_names, len(sample), notes=tuple(notes))


def _code_matrix(codes: Any) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return n x d numbers and the names of the codes; a matrix of floats as it is, since wide ones fill the memory."""
    if not hasattr(codes, "iloc"):
        array = as_array("codes", codes)
        if array.dtype.kind == "f" and array.ndim == 2 and 0 not in array.shape and np.isfinite(array).all():
            return array, tuple(f"code_{j}" for j in range(array.shape[1]))
    columns, names = _columns("codes", "code", codes)
    numbers = []
    for name, column in zip(names, columns, strict=True):
        if isinstance(column, Labels):
            raise InvalidInput(f"codes must hold real numbers, got text such as {column.names[0]!r} in {name}")
        numbers.append(column)
    return np.stack(numbers, axis=1), names


def _columns(what: str, stem: str, values: Any) -> tuple[list[Column], tuple[str, ...]]:
    if hasattr(values, "iloc"):  # pandas
        frame = values.to_frame() if values.ndim == 1 else values
        if 0 in frame.shape:
            raise InvalidInput(f"{what} must be a non-empty matrix (observations x dimensions), got {frame.shape}")
        named = all(isinstance(name, str) for name in frame.columns)
        names = tuple(frame.columns) if named else tuple(f"{stem}_{j}" for j in range(frame.shape[1]))
        return [_series(f"{what}: {name}", frame.iloc[:, j]) for j, name in enumerate(names)], names
    array = as_array(what, values)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInput(f"{what} must be a non-empty matrix (observations x dimensions), got shape {array.shape}")
    names = tuple(f"{stem}_{j}" for j in range(array.shape[1]))
    return [_column(f"{what}: {name}", array[:, j]) for j, name in enumerate(names)], names


def _series(what: str, series: Any) -> Column:
    missing = int(series.isna().sum())
    if missing:
        raise InvalidInput(f"{what} must be finite in every row, got {missing} missing values or NaN")
    if hasattr(series, "cat"):
        return Labels(series.cat.codes.to_numpy(np.int64), tuple(str(name) for name in series.cat.categories))
    kind = getattr(series.dtype, "kind", "O")
    return _column(what, series.to_numpy({"i": np.int64, "u": np.uint64, "f": np.float64, "b": np.bool_}.get(kind)))


def _column(what: str, column: NDArray[Any]) -> Column:
    if column.dtype.kind in "US":
        return text_column(what, column)
    if column.dtype.kind == "O":
        if all(isinstance(value, str) for value in column):
            return text_column(what, column)
        whole = all(isinstance(value, (int, np.integer)) for value in column)
        try:
            column = column.astype(np.int64 if whole else np.float64)
        except OverflowError:
            raise InvalidInput(f"{what} must fit into 64 bits with sign, got {max(column, key=abs)}") from None
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"{what} must hold real numbers or text, got: {error}") from error
    if column.dtype.kind not in "biuf":
        raise InvalidInput(f"{what} must hold real numbers, got dtype {column.dtype}")
    if column.dtype.kind == "f":
        bad = int((~np.isfinite(column)).sum())
        if bad:
            raise InvalidInput(f"{what} must be finite, got {bad} entries that are NaN or infinite")
        return column.astype(np.float64)
    return as_integers(what, column)
