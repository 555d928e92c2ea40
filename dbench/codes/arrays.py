"""A user's codes and factors from memory: numpy arrays, torch tensors, pandas frames or lists."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes.factors import Column, FactorTypes, Labels, exchanged, ordered_labels, text_column
from dbench.codes.reading import CodesFile
from dbench.codes.sample import FIRST_MERGED, Sample, as_array, as_integers, finite_array
from dbench.errors import InvalidInput
from dbench.shown import clipped, some


def read_arrays(
    codes: Any,
    factors: Any,
    *,
    factor_names: Sequence[str] = (),
    continuous: Collection[str] = (),
    discrete: Collection[str] = (),
    logvar: Any = None,
    std: Any = None,
) -> CodesFile:
    """Read codes and factors from arrays; a file of the same values gives the same sample.

    Args:
        codes: n x d numbers: anything numpy takes, a torch tensor (any type and device, with or without gradient), a
            pandas frame or a dictionary of vectors, whose columns or keys name the codes. A vector is one code.
        factors: n x k, likewise; columns may also hold text or be categorical. See :mod:`dbench.codes.factors` for
            which are labels. The columns of a frame, or the keys of a dictionary of vectors, name the factors.
        factor_names: k names; those of the frame, or ``factor_0`` and so on, when not given.
        continuous: names or patterns, as of :class:`~dbench.codes.factors.FactorTypes`.
        discrete: likewise.
        logvar: n x d logarithms of the posterior's variances, of which ``codes`` are the means, likewise.
        std: its standard deviations, in place of ``logvar``.

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
    notes = _compare_rows(codes, "factors", factors)
    for what, values in (("logvar", logvar), ("std", std)):
        if hasattr(values, "iloc"):
            notes += _compare_rows(codes, what, values)
    numbers, code_names = _code_matrix("codes", codes)
    columns, default_names = _columns("factors", "factor", factors)
    names = tuple(str(name) for name in factor_names) or default_names
    n_rows = len(columns[0].ranks if isinstance(columns[0], Labels) else columns[0])
    if len(numbers) != n_rows:
        pair = f"{numbers.shape} and {(n_rows, len(columns))}"
        raise InvalidInput(f"codes and factors must have equally many rows, got shapes {pair}")
    if len(names) != len(columns) or len(set(names)) != len(names):
        raise InvalidInput(f"factor_names must be {len(columns)} different names, got {list(names)}")
    matrix, kinds, decisions = FactorTypes(continuous, discrete).encode(columns, names)
    sample = Sample(numbers, matrix, names, kinds)
    notes += [*decisions, *exchanged(sample.codes, kinds)]
    log_variances = logarithms_of_variances(sample, code_names, logvar, std)
    return CodesFile("arrays", sample, code_names, len(sample), logvar=log_variances, notes=tuple(notes))


def logarithms_of_variances(
    sample: Sample, code_names: tuple[str, ...], logvar: Any, std: Any
) -> NDArray[np.float64] | None:
    """Return the logarithms of the posterior's variances, as given or from ``std``; None where neither is given."""
    if logvar is not None and std is not None:
        raise InvalidInput("logvar and std say the same, got both; give one")
    name, values = ("logvar", logvar) if std is None else ("std", std)
    if values is None:
        return None
    array, names = _code_matrix(name, values)
    array = finite_array(name, array).astype(np.float64)
    if array.shape != sample.codes.shape:
        raise InvalidInput(f"{name} must have the shape of the codes, {sample.codes.shape}, got {array.shape}")
    if names != code_names and set(names) == set(code_names):
        raise InvalidInput(
            f"{name} must have its columns in the order of the codes, {some(code_names)}, got {some(names)}"
        )
    if std is None:
        return array
    if array.min() <= 0:
        raise InvalidInput(f"std must be above 0, got {array.min()}")
    logarithms: NDArray[np.float64] = 2 * np.log(array)
    return logarithms


def _compare_rows(codes: Any, what: str, values: Any) -> list[str]:
    """Refuse two frames whose indices differ; return a note where only one has an index and that is not sorted."""
    first, second = (getattr(rows, "index", None) if hasattr(rows, "iloc") else None for rows in (codes, values))
    if first is not None and second is not None:
        if first.equals(second):
            return []
        if first.is_unique and second.is_unique and first.isin(second).all():
            other = "order" if len(first) == len(second) else "length"
            advice = f"{what} have those of codes in another {other}: {what}.loc[codes.index]"
        elif shared := int(first.isin(second).sum()):
            advice = f"{shared} labels are in both: codes.join({what}, how='inner') keeps these"
        else:
            advice = "no label is in both; where rows go by position, reset_index(drop=True) on both says so"
        raise InvalidInput(f"codes and {what} must have the same index, got two that differ; {advice}")
    for name, index in (("codes", first), (what, second)):
        if index is not None and not index.is_monotonic_increasing and not index.is_monotonic_decreasing:
            return [f"The index of {name} is not in order, and what stands beside has none: rows go by position."]
    return []


def _code_matrix(what: str, codes: Any) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return n x d numbers and the names of the codes; floats are not copied, since wide codes fill the memory."""
    if not hasattr(codes, "iloc") and not isinstance(codes, Mapping):
        array = as_array(what, codes)
        if array.dtype.kind == "f" and array.ndim == 2 and 0 not in array.shape and np.isfinite(array).all():
            return array, tuple(f"code_{j}" for j in range(array.shape[1]))
    columns, names = _columns(what, "code", codes)
    if repeated := sorted(name for name, count in Counter(names).items() if count > 1):
        raise InvalidInput(f"{what} must have different names, got {repeated[0]!r} more than once")
    numbers = []
    for name, column in zip(names, columns, strict=True):
        if isinstance(column, Labels):
            text = f"{clipped(column.names[0])!r} in {clipped(name)}"
            raise InvalidInput(f"{what} must hold real numbers, got text such as {text}")
        numbers.append(column)
    return np.stack(numbers, axis=1), names


def _columns(what: str, stem: str, values: Any) -> tuple[list[Column], tuple[str, ...]]:
    """Return the columns of a matrix, frame or mapping and their names, by default the stem with a number."""
    if isinstance(values, Mapping):
        return _mapping_columns(what, values)
    if hasattr(values, "iloc"):  # pandas
        frame = values.to_frame() if values.ndim == 1 else values
        if 0 in frame.shape:
            raise InvalidInput(f"{what} must be a non-empty matrix (observations x dimensions), got {frame.shape}")
        named = all(isinstance(name, str) for name in frame.columns)
        names = tuple(frame.columns) if named else tuple(f"{stem}_{j}" for j in range(frame.shape[1]))
        return [_series(f"{what}: {name}", frame.iloc[:, j]) for j, name in enumerate(names)], names
    array = as_array(what, values)
    if isinstance(values, (list, tuple)) and array.dtype.kind == "f" and (np.abs(array) >= FIRST_MERGED).any():
        array = np.array(values, dtype=object)  # numpy makes them floats, which merge large integers
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInput(f"{what} must be a non-empty matrix (observations x dimensions), got shape {array.shape}")
    names = tuple(f"{stem}_{j}" for j in range(array.shape[1]))
    return [_column(f"{what}: {name}", array[:, j]) for j, name in enumerate(names)], names


def _mapping_columns(what: str, values: Mapping[Any, Any]) -> tuple[list[Column], tuple[str, ...]]:
    """Return the columns and names of a mapping from names to vectors or pandas series."""
    columns = list[Column]()
    for name, column in values.items():
        is_series = hasattr(column, "iloc")
        array = column if is_series else as_array(f"{what}: {name}", column)
        if array.ndim != 1 or not len(array):
            raise InvalidInput(f"{what}: {name} must be a vector of one value a row, got shape {array.shape}")
        columns.append(_series(f"{what}: {name}", array) if is_series else _column(f"{what}: {name}", array))
    lengths = {str(name): len(column) for name, column in values.items()}
    if len(set(lengths.values())) != 1:
        raise InvalidInput(f"{what} must be vectors of equal length by name, got lengths {lengths}")
    return columns, tuple(lengths)


def _series(what: str, series: Any) -> Column:
    missing = int(series.isna().sum())
    if missing:
        raise InvalidInput(f"{what} must be finite in every row, got {missing} missing values or NaN")
    if hasattr(series, "cat"):
        return _category(what, series)
    plain_types = {"i": np.int64, "u": np.uint64, "f": np.float64, "b": np.bool_}  # pandas has types of its own
    return _column(what, series.to_numpy(plain_types.get(getattr(series.dtype, "kind", "O"))))


def _category(what: str, series: Any) -> Column:
    """Return categories as a column: integers as numbers, ordered ones and floats in order, others as text."""
    kind = getattr(series.cat.categories.dtype, "kind", "O")
    if kind in "iub" and not series.cat.ordered:
        return _column(what, series.to_numpy())
    if series.cat.ordered or kind == "f":
        return ordered_labels(series.cat)
    return text_column(what, np.array([str(value) for value in series], dtype=object))


def _column(what: str, column: NDArray[Any]) -> Column:
    if column.dtype.kind in "US":
        return text_column(what, column)
    if column.dtype.kind == "O":
        if all(isinstance(value, (str, bytes)) for value in column):  # h5py gives text as bytes
            text = [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in column]
            return text_column(what, np.array(text, dtype=object))
        integral = all(isinstance(value, (int, np.integer)) for value in column)
        try:
            column = column.astype(np.int64 if integral else np.float64)
        except OverflowError:
            raise InvalidInput(f"{what} must fit into 64 bits with sign, got {max(column, key=abs)}") from None
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"{what} must hold real numbers or text, got: {error}") from error
    if column.dtype.kind not in "biuf":
        raise InvalidInput(f"{what} must hold real numbers, got dtype {column.dtype}")
    if column.dtype.kind == "f":
        n_bad = int((~np.isfinite(column)).sum())
        if n_bad:
            raise InvalidInput(f"{what} must be finite, got {n_bad} entries that are NaN or infinite")
        return column.astype(np.float64)
    return as_integers(what, column)
