"""What interventional metrics see: codes of factors they choose themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dbench.codes.sample import Sample
from dbench.errors import InvalidInput

__all__ = ["FunctionSource", "GridSource", "Source"]

Factors = NDArray[np.int64] | NDArray[np.float64]
DrawFactors = Callable[[int, np.random.Generator], Factors]
Encode = Callable[[NDArray[Any], np.random.Generator], NDArray[np.float64]]


class Source(Protocol):
    """A process that can be asked for factors and for the codes of given factors."""

    @property
    def factor_names(self) -> tuple[str, ...]:
        """Names of the k factors."""

    @property
    def n_codes(self) -> int:
        """Number of code dimensions, d."""

    def draw_factors(self, n: int, generator: np.random.Generator) -> Factors:
        """Draw n x k factors from their joint distribution."""

    def codes(self, factors: Factors, generator: np.random.Generator) -> NDArray[np.float64]:
        """Return n x d codes of the given n x k factors."""

    def sample(self, n: int, generator: np.random.Generator) -> Sample:
        """Draw n observations: factors and their codes."""


class _SamplesItself:
    """Shared: an independent sample is drawn factors and their codes."""

    def sample(self: Source, n: int, generator: np.random.Generator) -> Sample:
        """Draw n observations: factors and their codes."""
        factors = self.draw_factors(n, generator)
        return Sample(self.codes(factors, generator), factors, self.factor_names)


class GridSource(_SamplesItself):
    """Codes of every point of a full factor grid, so that an intervention is a look-up.

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
        if not sizes or min(sizes) < 1:
            raise InvalidInput(f"factor_sizes must be at least one size of at least 1, got {sizes}")
        if grid_codes.ndim != 2 or len(grid_codes) != int(np.prod(sizes)):
            raise InvalidInput(
                f"grid_codes must have one row for each of the {int(np.prod(sizes))} grid points, "
                f"got shape {grid_codes.shape}"
            )
        if not np.isfinite(grid_codes).all():
            bad = int((~np.isfinite(grid_codes)).sum())
            raise InvalidInput(f"grid_codes must be finite, got {bad} entries that are NaN or infinite")
        self.grid_codes = np.ascontiguousarray(grid_codes, dtype=np.float64)
        self.factor_sizes = sizes
        self._names = tuple(factor_names) or tuple(f"factor_{j}" for j in range(len(sizes)))
        if len(self._names) != len(sizes):
            raise InvalidInput(f"factor_names must name {len(sizes)} factors, got {list(self._names)}")

    @property
    def factor_names(self) -> tuple[str, ...]:
        """Names of the k factors."""
        return self._names

    @property
    def n_codes(self) -> int:
        """Number of code dimensions, d."""
        return int(self.grid_codes.shape[1])

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


class FunctionSource(_SamplesItself):
    """A constructed representation: a law of the factors and a function from factors to codes."""

    def __init__(self, draw_factors: DrawFactors, encode: Encode, factor_names: Sequence[str]) -> None:
        self._draw, self._encode, self._names = draw_factors, encode, tuple(factor_names)
        probe = np.random.default_rng(0)
        self._n_codes = int(encode(draw_factors(1, probe), probe).shape[1])

    @property
    def factor_names(self) -> tuple[str, ...]:
        """Names of the k factors."""
        return self._names

    @property
    def n_codes(self) -> int:
        """Number of code dimensions, d."""
        return self._n_codes

    def draw_factors(self, n: int, generator: np.random.Generator) -> Factors:
        """Draw n x k factors from the law given."""
        return self._draw(n, generator)

    def codes(self, factors: Factors, generator: np.random.Generator) -> NDArray[np.float64]:
        """Return the codes of the given factors."""
        return self._encode(factors, generator)
