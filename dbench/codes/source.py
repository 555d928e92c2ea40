"""What interventional metrics see: the codes of factors that they choose themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dbench.codes.sample import Sample, finite_array
from dbench.errors import InvalidInput

Factors = NDArray[np.int64] | NDArray[np.float64]
DrawFactors = Callable[[int, np.random.Generator], Factors]
Encode = Callable[[NDArray[Any], np.random.Generator], NDArray[np.float64]]


class Source(Protocol):
    """A process that can be asked for factors and for the codes of given factors.

    Attributes:
        factor_names: names of the k factors.
        n_codes: number of code dimensions, d.
    """

    factor_names: tuple[str, ...]
    n_codes: int

    def draw_factors(self, n: int, generator: np.random.Generator) -> Factors:
        """Draw n x k factors from their joint distribution."""

    def codes(self, factors: Factors, generator: np.random.Generator) -> NDArray[np.float64]:
        """Return n x d codes of the given n x k factors."""

    def held_codes(
        self, factors: Factors, held: NDArray[np.int64], generator: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return n x d codes of n x k factors; in row i factor ``held[i]`` was set and the others were drawn."""
        return self.codes(factors, generator)

    def sample(self, n: int, generator: np.random.Generator) -> Sample:
        """Draw n observations: factors and their codes."""
        factors = self.draw_factors(n, generator)
        return Sample(self.codes(factors, generator), factors, self.factor_names)


class GridSource(Source):
    """The codes of every point of a full factor grid; an intervention looks them up.

    Args:
        grid_codes: N x d codes, N the product of ``factor_sizes``, last factor fastest.
        factor_sizes: number of values of each factor.
        factor_names: names in the same order.

    Raises:
        InvalidInput: sizes, names and codes that do not fit each other, or codes that are not finite.
    """

    def __init__(
        self, grid_codes: NDArray[np.float64], factor_sizes: Sequence[int], factor_names: Sequence[str] = ()
    ) -> None:
        sizes = tuple(int(size) for size in factor_sizes)
        if not sizes or min(sizes) < 1 or sizes != tuple(factor_sizes):
            raise InvalidInput(f"factor_sizes must be at least one whole number of at least 1, got {factor_sizes}")
        grid_codes = finite_array("grid_codes", grid_codes)
        if len(grid_codes) != int(np.prod(sizes)):
            raise InvalidInput(
                f"grid_codes must have one row for each of the {int(np.prod(sizes))} grid points, "
                f"got shape {grid_codes.shape}"
            )
        self.grid_codes = np.array(grid_codes, dtype=np.float64, order="C")
        self.factor_sizes = sizes
        self.factor_names = tuple(factor_names) or tuple(f"factor_{j}" for j in range(len(sizes)))
        self.n_codes = grid_codes.shape[1]
        if len(self.factor_names) != len(sizes):
            raise InvalidInput(f"factor_names must name {len(sizes)} factors, got {list(self.factor_names)}")

    def draw_factors(self, n: int, generator: np.random.Generator) -> Factors:
        """Draw n x k factors, each uniform on its values and independent of the others."""
        return np.stack([generator.integers(size, size=n) for size in self.factor_sizes], axis=1)

    def codes(self, factors: Factors, generator: np.random.Generator | None = None) -> NDArray[np.float64]:
        """Look up the codes of n x k factors (no randomness is used).

        Raises:
            InvalidInput: factors that are no points of the grid.
        """
        try:
            rows = np.ravel_multi_index(tuple(np.asarray(factors).T), self.factor_sizes)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"factors must be integers on a grid of {self.factor_sizes}, got: {error}") from error
        codes: NDArray[np.float64] = self.grid_codes[rows]
        return codes


class FunctionSource(Source):
    """A constructed representation: a distribution of the factors and a function from factors to codes.

    Args:
        draw_factors: takes n and a generator, returns n x k factors.
        encode: takes n x k factors and a generator, returns n x d codes.
        factor_names: k names; ``factor_0`` and so on when not given.

    Raises:
        InvalidInput: names that do not fit; here or later, factors or codes that are no finite matrix.
    """

    def __init__(self, draw_factors: DrawFactors, encode: Encode, factor_names: Sequence[str] = ()) -> None:
        probe = np.random.default_rng(0)
        self._draw, self._encode = draw_factors, encode
        factors = self.draw_factors(1, probe)
        self.factor_names = tuple(factor_names) or tuple(f"factor_{j}" for j in range(factors.shape[1]))
        if len(self.factor_names) != factors.shape[1]:
            raise InvalidInput(f"factor_names must name {factors.shape[1]} factors, got {list(self.factor_names)}")
        self.n_codes = self.codes(factors, probe).shape[1]

    def draw_factors(self, n: int, generator: np.random.Generator) -> Factors:
        """Draw n x k factors from the given distribution."""
        drawn = finite_array("factors", self._draw(n, generator)).copy()  # metrics overwrite held factors
        return _require_rows("draw_factors", drawn, n)

    def codes(self, factors: Factors, generator: np.random.Generator) -> NDArray[np.float64]:
        """Return the codes of the given factors."""
        codes = finite_array("codes", self._encode(factors, generator)).astype(np.float64)
        return _require_rows("encode", codes, len(factors))


def _require_rows(name: str, rows: NDArray[Any], n: int) -> NDArray[Any]:
    """Return the rows that a user's function gave, if there are n."""
    if len(rows) != n:
        raise InvalidInput(f"{name} must return {n} rows, got {len(rows)}")
    return rows


class RowSource(Source):
    """Observed rows in place of interventions: a factor is held by choosing among the rows that have its value.

    The other factors then follow their distribution *given* that value. Where factors are independent, an intervention
    does the same; where they are not, factors that depend on the held one are restricted with it.

    Raises:
        InvalidInput: continuous factors.

    Example:
        >>> rows = RowSource(Sample(np.array([[0.0], [0.1], [1.0]]), np.array([[0, 5], [0, 6], [1, 5]])))
        >>> rows.held_codes(np.array([[1, 6]]), np.array([0]), np.random.default_rng(0))  # the row whose first is 1
        array([[1.]])
    """

    def __init__(self, sample: Sample) -> None:
        if not sample.discrete:
            raise InvalidInput("factors must be labels, so that rows can share a value, got continuous factors")
        self._sample = sample
        self.factor_names, self.n_codes = sample.factor_names, sample.n_codes
        self._groups = [_RowsByValue.of(column) for column in sample.factors.T]

    def draw_factors(self, n: int, generator: np.random.Generator) -> Factors:
        """Draw the factors of n rows, with replacement."""
        return self._sample.factors[generator.integers(len(self._sample), size=n)]

    def codes(self, factors: Factors, generator: np.random.Generator) -> NDArray[np.float64]:
        """Return for each row of factors the codes of a random observed row with exactly these factors.

        Raises:
            InvalidInput: a combination that no row has, or another number of factors.
        """
        if factors.shape[1:] != self._sample.factors.shape[1:]:
            raise InvalidInput(f"factors must be n x {self._sample.n_factors}, got shape {factors.shape}")
        stacked = np.concatenate([self._sample.factors, factors])
        _, combinations = np.unique(stacked, axis=0, return_inverse=True)
        observed, wanted = np.split(combinations, [len(self._sample)])
        return self._sample.codes[_RowsByValue.of(observed).choose(wanted, generator)]

    def held_codes(
        self, factors: Factors, held: NDArray[np.int64], generator: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return for each i the codes of a row whose factor ``held[i]`` is ``factors[i, held[i]]``.

        Raises:
            InvalidInput: a value that no row has, or a factor that does not exist.
        """
        if not np.isin(held, np.arange(len(self._groups))).all():
            raise InvalidInput(f"held must be numbers of the {len(self._groups)} factors, got {np.unique(held)}")
        rows = np.empty(len(factors), dtype=np.int64)
        for j, groups in enumerate(self._groups):
            holds_j = held == j
            rows[holds_j] = groups.choose(factors[holds_j, j], generator)
        return self._sample.codes[rows]


class _RowsByValue(NamedTuple):
    """The row numbers of a column, sorted by value."""

    rows: NDArray[np.int64]
    values: NDArray[Any]  # the distinct values, ascending
    first: NDArray[np.int64]  # where in ``rows`` those of each value begin
    size: NDArray[np.int64]  # number of rows of each value

    @classmethod
    def of(cls, column: NDArray[Any]) -> _RowsByValue:
        values, size = np.unique(column, return_counts=True)
        return cls(np.argsort(column, kind="stable"), values, np.cumsum(size) - size, size)

    def choose(self, wanted: NDArray[Any], generator: np.random.Generator) -> NDArray[np.int64]:
        """Return for each wanted value a row that has it, each such row being equally likely."""
        group = np.minimum(np.searchsorted(self.values, wanted), len(self.values) - 1)
        unknown = int((self.values[group] != wanted).sum())
        if unknown:
            raise InvalidInput(f"factors must be those of some row, got {unknown} that no row has")
        return self.rows[self.first[group] + (generator.random(len(wanted)) * self.size[group]).astype(np.int64)]
