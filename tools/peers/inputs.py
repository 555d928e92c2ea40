"""The arrays that every implementation is given: each a source of codes, from which rows are drawn."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes import FunctionSource, GridSource, Sample, Source
from dbench.seeds import generator

Array = NDArray[Any]

ROWS = 3000
SIZES = (3, 4, 5)
MODEL = 18
"""Number in the shipped panel of the model whose codes are taken: beta-TCVAE, strength 6, first seed."""


def _labels(n: int, draws: np.random.Generator) -> Array:
    return np.stack([draws.integers(size, size=n) for size in SIZES], axis=1)


def _uniform(n: int, draws: np.random.Generator) -> Array:
    return draws.random((n, 3))


def _mixed(n: int, draws: np.random.Generator) -> Array:
    return np.column_stack([draws.integers(5, size=n), draws.random(n), draws.random(n)])


def _copy(factors: Array, draws: np.random.Generator) -> Array:
    return factors.astype(np.float64)


def _noise(factors: Array, draws: np.random.Generator, codes: int = 6) -> Array:
    return draws.normal(size=(len(factors), codes))


def _noisy(factors: Array, draws: np.random.Generator, noise: float) -> Array:
    return factors + noise * _noise(factors, draws, factors.shape[1])


def _one(factors: Array, draws: np.random.Generator) -> Array:
    return _noisy(factors, draws, 0.3)[:, :1]


def _dead(factors: Array, draws: np.random.Generator) -> Array:
    ones = np.ones((len(factors), 1))
    return np.concatenate([0.0 * ones, _copy(factors, draws), 0.1 * ones], axis=1)


def _wide(factors: Array, draws: np.random.Generator) -> Array:
    return np.concatenate([_noisy(factors, draws, 0.3), _noise(factors, draws, 125)], axis=1)


SOURCES: dict[str, tuple[str, Callable[[], Source]]] = {
    "copies": ("exact copies of factors of 3, 4 and 5 values", partial(FunctionSource, _labels, _copy)),
    "noise": ("6 codes of noise, the same factors", partial(FunctionSource, _labels, _noise)),
    "continuous": (
        "copies of 3 uniform factors with noise of 0.1",
        partial(FunctionSource, _uniform, partial(_noisy, noise=0.1)),
    ),
    "mixed": (
        "the same of one factor of 5 values and two uniform ones",
        partial(FunctionSource, _mixed, partial(_noisy, noise=0.1)),
    ),
    "one column": ("one code, of the first of three factors, with noise", partial(FunctionSource, _labels, _one)),
    "dead codes": ("the exact copies between two constant codes, 0 and 0.1", partial(FunctionSource, _labels, _dead)),
    "128 codes": ("3 noisy copies and 125 codes of noise", partial(FunctionSource, _labels, _wide)),
}
"""Name of a constructed input -> what it is, and its source; the trained model stands beside them as ``trained``."""

NAMES = ("trained", *SOURCES)
TRAINED = "mean codes of a trained beta-TCVAE of strength 6, dSprites of 16 x 16 pixels (the shipped panel)"


def describe(name: str) -> str:
    """Say what an input is."""
    return TRAINED if name == "trained" else SOURCES[name][0]


def encode(path: Path) -> None:
    """Write the codes of the trained model, once, so that calls need no network."""
    if not path.is_file():
        from dbench.files import atomic_write
        from dbench.zoo.panel import SHIPPED, read_panel

        source = read_panel(SHIPPED).source(MODEL)
        with atomic_write(path) as place, place.open("wb") as stream:
            np.savez(stream, codes=source.grid_codes, sizes=np.array(source.factor_sizes))


def source_of(name: str, trained: Path) -> Source:
    """Return an input as a source; ``trained`` is the file that :func:`encode` wrote."""
    if name == "trained":
        with np.load(trained) as arrays:
            return GridSource(arrays["codes"], arrays["sizes"].tolist())
    return SOURCES[name][1]()


def rows_of(source: Source) -> Sample:
    """Draw the rows, the same for every implementation."""
    return source.sample(ROWS, generator(peers="rows"))
