"""Training sets without one combination of factor values, to test models on that combination.

Mahon et al., "Correcting Flaws in Common Disentanglement Metrics", section 5.2. In the control, points are left out at
random.
"""

import re
from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from dbench import seeds
from dbench.data.base import DataSet, Derived, Factors, Images, digest
from dbench.errors import InvalidInput, UnknownName

WITHOUT = "-without-"

# Word in a data set's name -> the paper's two factors and its combinations of them in appendix G ("NC 3-2" is size 3,
# shape 2), here in the order of the data set. Which shape a number stands for is, in the paper's words, "arbitrary".
_PAPER: dict[str, tuple[tuple[str, str], tuple[tuple[int, int], ...]]] = {
    "dsprites": (("shape", "scale"), ((0, 0), (2, 5), (1, 2), (1, 3), (2, 3))),
    "shapes3d": (("scale", "shape"), ((0, 0), (5, 2), (2, 1), (3, 1), (3, 2), (7, 3), (0, 3), (7, 1))),
    "mpi3d": (("object_shape", "object_size"), ((0, 0), (4, 1), (5, 0), (3, 1), (1, 1), (2, 0))),
}


class HeldOut(Derived):
    """Another data set with some grid points kept from training; its factors, grid and images are unchanged.

    Args:
        base: the other data set, which must not hold out points itself.
        combination: factor name -> value (a grid index) for two or more factors; the points that have all these values
            are held out.
        draw: in place of a combination, number of a random draw. It holds out as many points as share one combination
            of the two factors of the paper (size and shape).

    Attributes:
        combined: indices of the combined factors, in the order of the data set; for a random draw, of the two factors
            of the paper.

    Raises:
        InvalidInput: arguments that break these rules.
    """

    def __init__(self, base: DataSet, combination: Mapping[str, int] | None = None, *, draw: int | None = None) -> None:
        if (combination is None) == (draw is None):
            given = "neither" if draw is None else "both"
            raise InvalidInput(f"HeldOut needs either a combination or a draw, got {given}")
        if base.held_out().any():
            raise InvalidInput(f"base must be a data set that holds no points out, got {base.name!r}")
        super().__init__(base, name=base.name)
        if combination is not None:
            combination = {name: combination[name] for name in sorted(combination, key=self._index_of)}
            self.combined, self._held_out = self._combination_mask(combination)
        else:
            assert draw is not None
            self.combined, self._held_out = self._random_mask(draw)
        self.name = held_out_name(base.name, combination, draw=draw)
        self.fingerprint = digest("held out", np.packbits(self._held_out).tobytes(), base.fingerprint)

    def _combination_mask(self, combination: dict[str, int]) -> tuple[tuple[int, ...], NDArray[np.bool_]]:
        """Return the indices of the combined factors and the mask of the points that have all the values."""
        combined = tuple(self._index_of(name) for name in combination)
        for j, (name, value) in zip(combined, combination.items(), strict=True):
            if not 0 <= value < self.factor_sizes[j]:
                raise InvalidInput(f"factor {name!r} must lie in 0..{self.factor_sizes[j] - 1}, got {value}")
        # A factor with one value excludes no point, so it does not count.
        if sum(self.factor_sizes[j] > 1 for j in combined) < 2:
            raise InvalidInput(
                f"combination must name at least two factors of several values, so that every value stays familiar, "
                f"got {combination}"
            )
        return combined, (self.grid()[:, combined] == list(combination.values())).all(axis=1)

    def _index_of(self, name: str) -> int:
        if name not in self.factor_names:
            raise InvalidInput(f"combination must name factors among {', '.join(self.factor_names)}, got {name!r}")
        return self.factor_names.index(name)

    def _random_mask(self, draw: int) -> tuple[tuple[int, ...], NDArray[np.bool_]]:
        """Return the indices of the paper's two factors and the mask of the points drawn."""
        if draw < 0:
            raise InvalidInput(f"draw must be at least 0, got {draw}")
        factors, _ = _paper_combinations(self._base.name)
        if not set(factors) <= set(self.factor_names):
            raise InvalidInput(
                f"base must have the factors {' and '.join(factors)} of its family in the paper for a random draw, "
                f"got {self._base.name!r} with {', '.join(self.factor_names)}"
            )
        combined = tuple(sorted(self.factor_names.index(name) for name in factors))
        count = len(self) // prod(self.factor_sizes[j] for j in combined)
        generator = seeds.generator(purpose="held out at random", data=self._base.fingerprint, draw=draw)
        held_out = np.zeros(len(self), dtype=np.bool_)
        held_out[generator.choice(len(self), count, replace=False)] = True
        return combined, held_out

    def held_out(self) -> NDArray[np.bool_]:
        """Return a mask of the N grid points that training never sees."""
        return self._held_out.copy()

    def grid_images(self) -> Images:
        """Return the grid images of the base, for a stochastic base the same draw of each."""
        return self._base.grid_images()

    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        return self._base.images(factors, generator)


def held_out_name(base: str, combination: Mapping[str, int] | None = None, *, draw: int | None = None) -> str:
    """Return the name of a data set that holds out a combination, or else the points of a random draw."""
    left_out = f"random{draw}" if combination is None else "-".join(f"{name}{n}" for name, n in combination.items())
    return f"{base}{WITHOUT}{left_out}"


def parse_held_out(name: str) -> tuple[str, dict[str, int] | None, int | None]:
    """Split a name of :func:`held_out_name` into base, combination and number of a draw; one of the latter is None."""
    base, _, left_out = name.partition(WITHOUT)
    matches = [re.fullmatch(r"([a-z_]+)(0|[1-9][0-9]{0,8})", part) for part in left_out.split("-")]
    pairs = [(match[1], int(match[2])) for match in matches if match]
    if len(pairs) < len(matches) or len(dict(pairs)) < len(pairs):
        raise UnknownName(
            f"a data set with points held out is named like 'dsprites_grid{WITHOUT}shape2-scale3' or "
            f"'dsprites_grid{WITHOUT}random0', got {name!r}"
        )
    if [factor for factor, _ in pairs] == ["random"]:
        return base, None, pairs[0][1]
    return base, dict(pairs), None


def _paper_combinations(base: str) -> tuple[tuple[str, str], tuple[tuple[int, int], ...]]:
    """Return the two factors that the paper combines in data sets of this family, and their combinations."""
    for family, factors_and_combinations in _PAPER.items():
        if family in base:
            return factors_and_combinations
    raise InvalidInput(f"the paper leaves combinations out of {', '.join(_PAPER)} only, got {base!r}")


def paper_splits(base: str) -> tuple[str, ...]:
    """Return for each combination that the paper leaves out (appendix G) the name of the data set without it.

    Raises:
        InvalidInput: a data set of another family.

    Example:
        >>> paper_splits("dsprites_grid_16")[-1]
        'dsprites_grid_16-without-shape2-scale3'
    """
    factors, combinations = _paper_combinations(base)
    return tuple(held_out_name(base, dict(zip(factors, values, strict=True))) for values in combinations)


def random_splits(base: str, count: int = 5) -> tuple[str, ...]:
    """Return the names of ``count`` random draws, the control; the paper has five for each data set.

    Raises:
        InvalidInput: a data set of a family without combinations in the paper.
    """
    _paper_combinations(base)
    return tuple(held_out_name(base, draw=draw) for draw in range(count))
