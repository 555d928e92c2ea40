"""What most metrics see: the codes of n observations beside the factors that made them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes.formats.values import as_integers
from dbench.errors import InvalidInput


def as_array(name: str, values: Any) -> NDArray[Any]:
    """Return anything numpy takes, or a torch tensor of any type and device, as an array without masked entries."""
    if np.ma.is_masked(values):  # np.asarray would take what stands under the mask
        raise InvalidInput(f"{name} must not be masked, got {int(np.ma.getmask(values).sum())} masked entries")
    try:
        if hasattr(values, "detach"):  # a torch tensor; of its types numpy lacks bfloat16
            tensor = values.detach().cpu()
            values = (tensor.double() if tensor.is_floating_point() else tensor).numpy()
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InvalidInput(f"{name} must be a matrix with rows of equal length, got: {error}") from error


def finite_array(name: str, values: Any, *, ndim: int = 2) -> NDArray[Any]:
    """Return finite real numbers on so many axes, at least one on each, or refuse them; floats in double precision."""
    array = as_array(name, values)
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"{name} must hold real numbers, got dtype {array.dtype}")
    if array.ndim != ndim or 0 in array.shape:
        raise InvalidInput(
            f"{name} must be a non-empty array of {ndim} axes, observations x dimensions last, got shape {array.shape}"
        )
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):  # what only a longer float holds is refused as infinite
            array = array.astype(np.float64, copy=False)
        if bad := int((~np.isfinite(array)).sum()):
            raise InvalidInput(f"{name} must be finite, got {bad} entries that are NaN or infinite")
    return array


@dataclass(frozen=True, eq=False)
class Sample:
    """Codes and factors of the same n observations.

    Args:
        codes: n x d, real; kept as float64.
        factors: n x k. Integers are discrete factors (any labels); floats are continuous factors.
        factor_names: k names; ``factor_0`` and so on when not given.

    Raises:
        InvalidInput: not a matrix, no rows, NaN or infinity, or lengths that differ.
    """

    codes: NDArray[np.float64]
    factors: NDArray[np.int64] | NDArray[np.float64]
    factor_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        codes, factors = finite_array("codes", self.codes), finite_array("factors", self.factors)
        if len(codes) != len(factors):
            raise InvalidInput(f"codes and factors must have equally many rows, got {len(codes)} and {len(factors)}")
        names = tuple(self.factor_names) or tuple(f"factor_{j}" for j in range(factors.shape[1]))
        if len(names) != factors.shape[1] or len(set(names)) != len(names):
            raise InvalidInput(f"factor_names must be {factors.shape[1]} different names, got {list(names)}")
        own = not np.may_share_memory(codes, np.asarray(self.codes))  # wide codes are not copied twice
        object.__setattr__(self, "codes", codes if own and codes.dtype == np.float64 else codes.astype(np.float64))
        whole = factors.dtype.kind != "f"
        object.__setattr__(self, "factors", as_integers("factors", factors) if whole else factors.astype(np.float64))
        object.__setattr__(self, "factor_names", names)

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
        """Whether the factors are discrete labels (integers)."""
        return self.factors.dtype.kind == "i"

    def take(self, rows: NDArray[np.int64]) -> Sample:
        """Return the sample made of the given rows, in that order."""
        return Sample(self.codes[rows], self.factors[rows], self.factor_names)

    def split(self, test_share: float, generator: np.random.Generator) -> tuple[Sample, Sample]:
        """Split at random into a training and a test part of at least one row each."""
        if not 0 < test_share < 1:
            raise InvalidInput(f"test_share must lie strictly between 0 and 1, got {test_share}")
        if len(self) < 2:
            raise InvalidInput(f"a split needs at least 2 observations, got {len(self)}")
        n_test = min(max(round(len(self) * test_share), 1), len(self) - 1)
        order = generator.permutation(len(self))
        return self.take(order[n_test:]), self.take(order[:n_test])
