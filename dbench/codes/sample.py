"""What most metrics see: the codes of n observations beside the factors that made them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput

Values = NDArray[np.int64] | NDArray[np.float64]

FIRST_MERGED = 2.0**53  # from here on two whole numbers may be one float
LARGEST_ROWS = 100_000_000
LARGEST_FILE = 1 << 33  # bytes of an array as stored, 8 GiB
LARGEST_KEPT = 1 << 27  # values of an array kept in memory, 1 GiB as float64

Kind = Literal["continuous", "discrete", "text"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LABELS: tuple[Kind, ...] = ("discrete", "text")


def as_array(name: str, values: Any) -> NDArray[Any]:
    """Return as an array anything numpy takes or a torch tensor of any type and device; masked entries are refused."""
    if masked := _count_masked(values):  # np.asarray would return the values under the mask
        raise InvalidInput(f"{name} must not be masked, got {masked} masked entries")
    _require_dense(name, values)
    try:
        if isinstance(values, (list, tuple)) and any(hasattr(value, "detach") for value in values):
            values = [as_array(name, value) for value in values]
        if hasattr(values, "detach"):  # a torch tensor; numpy lacks bfloat16
            tensor = values.detach().cpu()
            values = (tensor.double() if tensor.is_floating_point() else tensor).numpy()
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InvalidInput(f"{name} must be a matrix with rows of equal length, got: {error}") from error


def _require_dense(name: str, values: Any) -> None:
    """Refuse what numpy would turn into an array of one object."""
    if hasattr(values, "toarray"):
        raise InvalidInput(f"{name} must be a dense matrix, got {type(values).__name__}; .toarray() makes one")
    if str(getattr(values, "layout", "torch.strided")) != "torch.strided":
        raise InvalidInput(
            f"{name} must be a dense matrix, got a tensor of layout {values.layout}; .to_dense() makes one"
        )
    if isinstance(values, (dict, set, str, bytes)):
        raise InvalidInput(f"{name} must be a matrix (observations x dimensions), got a {type(values).__name__}")


def _count_masked(values: Any, depth: int = 2) -> int:
    """Count the masked entries of an array, or of the arrays in a list."""
    if isinstance(values, np.ma.MaskedArray):
        return int(np.ma.getmaskarray(values).sum())
    if depth and isinstance(values, (list, tuple)) and not isinstance(values[0] if values else 0, (int, float)):
        return sum(_count_masked(value, depth - 1) for value in values)
    return 0


def finite_array(name: str, values: Any, *, ndim: int = 2) -> NDArray[Any]:
    """Return a non-empty array of ``ndim`` axes of finite real numbers, floats as float64, or refuse the values."""
    array = as_array(name, values)
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"{name} must hold real numbers, got dtype {array.dtype}")
    if array.ndim != ndim or 0 in array.shape:
        raise InvalidInput(
            f"{name} must be a non-empty array of {ndim} axes, observations x dimensions last, got shape {array.shape}"
        )
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):  # a value beyond float64 becomes infinite, and is refused below
            array = array.astype(np.float64, copy=False)
        if n_bad := int((~np.isfinite(array)).sum()):
            raise InvalidInput(f"{name} must be finite, got {n_bad} entries that are NaN or infinite")
    return array


def as_integers(what: str, values: NDArray[Any]) -> NDArray[np.int64]:
    """Return integers or booleans as int64; those that do not fit are refused."""
    if values.dtype.kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
        raise InvalidInput(f"{what} must fit into 64 bits with sign, got {values.max()}")
    return values.astype(np.int64)


def require_room(what: str, rows: int, columns: int, kept: int) -> None:
    """Refuse a matrix of too many rows, or one whose ``kept`` rows would not fit into memory."""
    if rows > LARGEST_ROWS:
        raise InvalidInput(f"{what} may have at most {LARGEST_ROWS:,} rows, got {rows:,}")
    if kept * columns > LARGEST_KEPT:
        raise InvalidInput(
            f"{what} would keep {kept:,} rows of {columns:,} values in memory, where {LARGEST_KEPT:,} "
            f"values is the limit; ask for fewer rows (at most {LARGEST_KEPT // columns:,})"
        )


def checked(what: str, blocks: Iterable[NDArray[Any]], columns: Sequence[str] = ()) -> Iterator[Values]:
    """Yield the blocks of a matrix as int64 or float64; messages use the names of its columns, if given.

    Raises:
        InvalidInput: NaN, infinity, or integers that do not fit.
    """
    first_row = 0
    for block in blocks:
        if block.dtype.kind == "f":
            with np.errstate(over="ignore"):
                values = block.astype(np.float64)
            bad = ~np.isfinite(values)
            if bad.any():
                row, column = (int(number) for number in np.argwhere(bad)[0])
                raise InvalidInput(
                    f"{what} must be finite, got {values[row, column]} in row {first_row + row}, "
                    f"column {repr(columns[column]) if columns else column} "
                    f"(counted from 0; missing values count as NaN)"
                )
            yield values
        else:
            yield as_integers(what, block)
        first_row += len(block)


def rows_of(blocks: Iterable[NDArray[Any]], keep: NDArray[np.int64] | None) -> NDArray[Any]:
    """Join the blocks of an array: only the rows whose numbers are in ``keep`` (ascending), or all where it is None."""
    parts, first_row = [], 0
    for block in blocks:
        if keep is None:
            parts.append(block)
        else:
            start, stop = np.searchsorted(keep, [first_row, first_row + len(block)])
            parts.append(block[keep[start:stop] - first_row])
        first_row += len(block)
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Sample:
    """Codes and factors of the same n observations.

    Args:
        codes: n x d, real; kept as float64.
        factors: n x k; kept as int64 where all are labels, else as float64.
        factor_names: k names; ``factor_0`` and so on when not given.
        kinds: what each factor is: ``continuous``; ``discrete``, labels in an order; or ``text``, labels without an
            order. Labels are whole numbers. When not given, integers are discrete and floats continuous.

    Raises:
        InvalidInput: not a matrix, no rows, NaN or infinity, lengths that differ, or labels that are no whole numbers
            or that floats merge (from 2^53 on).
    """

    codes: NDArray[np.float64]
    factors: NDArray[np.int64] | NDArray[np.float64]
    factor_names: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()

    def __post_init__(self) -> None:
        given = as_array("codes", self.codes)
        codes, factors = finite_array("codes", given), finite_array("factors", self.factors)
        if len(codes) != len(factors):
            raise InvalidInput(f"codes and factors must have equally many rows, got {len(codes)} and {len(factors)}")
        k = factors.shape[1]
        names = tuple(self.factor_names) or tuple(f"factor_{j}" for j in range(k))
        if len(names) != k or len(set(names)) != len(names):
            raise InvalidInput(f"factor_names must be {k} different names, got {list(names)}")
        integral = factors.dtype.kind != "f"
        kinds = tuple(self.kinds) or (("discrete" if integral else "continuous"),) * k
        if len(kinds) != k or not set(kinds) <= set(KINDS):
            raise InvalidInput(f"kinds must be {k} of {', '.join(KINDS)}, got {list(kinds)}")
        values = as_integers("factors", factors) if integral else factors.astype(np.float64)
        if "continuous" in kinds or not integral:
            values = values.astype(np.float64)
            for name, kind, column in zip(names, kinds, values.T, strict=True):
                if kind in LABELS and not ((column == np.rint(column)).all() and np.abs(column).max() < FIRST_MERGED):
                    raise InvalidInput(f"{kind} factors must be whole numbers below 2^53 among floats, got {name!r}")
        if "continuous" not in kinds:
            values = values.astype(np.int64)
        copied = not np.may_share_memory(codes, given)  # wide codes are not copied twice
        object.__setattr__(self, "codes", codes.astype(np.float64, copy=not copied))
        object.__setattr__(self, "factors", values)
        object.__setattr__(self, "factor_names", names)
        object.__setattr__(self, "kinds", kinds)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_codes(self) -> int:
        """Number of code dimensions, d."""
        return int(self.codes.shape[1])

    @property
    def n_factors(self) -> int:
        """Number of factors, k."""
        return int(self.factors.shape[1])

    @property
    def discrete(self) -> bool:
        """Whether all factors are labels, discrete or text."""
        return "continuous" not in self.kinds

    @property
    def labels(self) -> Sample | None:
        """The sample with only the factors that are labels; None where there are none."""
        kept = [j for j, kind in enumerate(self.kinds) if kind in LABELS]
        return self.of_factors(kept) if kept else None

    def of_factors(self, numbers: Collection[int]) -> Sample:
        """Return the sample with only the factors of these column numbers, in that order."""
        if list(numbers) == list(range(self.n_factors)):
            return self
        names = tuple(self.factor_names[j] for j in numbers)
        kinds = tuple(self.kinds[j] for j in numbers)
        return Sample(self.codes, self.factors[:, list(numbers)], names, kinds)

    def take(self, rows: NDArray[np.int64]) -> Sample:
        """Return the sample made of the given rows, in that order."""
        return replace(self, codes=self.codes[rows], factors=self.factors[rows])

    def split(self, test_share: float, generator: np.random.Generator) -> tuple[Sample, Sample]:
        """Split at random into a training and a test part of at least one row each."""
        if not 0 < test_share < 1:
            raise InvalidInput(f"test_share must lie strictly between 0 and 1, got {test_share}")
        if len(self) < 2:
            raise InvalidInput(f"a split needs at least 2 observations, got {len(self)}")
        n_test = min(max(round(len(self) * test_share), 1), len(self) - 1)
        order = generator.permutation(len(self))
        return self.take(order[n_test:]), self.take(order[:n_test])
