"""Small squares to train on, blocks of ten steps, and what says that two states are the same."""

import numpy as np
import pytest
import torch

from dbench.training import ensemble, state

SIZES = (5, 5)


@pytest.fixture(scope="module", autouse=True)
def block():
    """Take blocks of ten steps in place of a hundred: what is asked of a block does not hang on its length."""
    assert state.BLOCK == ensemble.BLOCK == 100  # which every run's result hangs on
    with pytest.MonkeyPatch.context() as patch:
        for module in (state, ensemble):
            patch.setattr(module, "BLOCK", 10)
        yield 10


@pytest.fixture(scope="session")
def factors():
    return torch.from_numpy(np.random.default_rng(0).integers(0, SIZES, size=(200, 2)))


@pytest.fixture(scope="session")
def images(factors):
    """Squares of 4 x 4 at their factors."""
    pixels = torch.zeros(200, 1, 8, 8, dtype=torch.uint8)
    for image, (row, column) in zip(pixels, factors.tolist(), strict=True):
        image[0, row : row + 4, column : column + 4] = 255
    return pixels


@pytest.fixture(scope="session")
def same():
    """Ask whether members of two states have the same parameters and moments, to the last bit."""

    def compare(one, other, rows=slice(None), other_rows=slice(None)):
        pairs = zip(one.tensors(), other.tensors(), strict=True)
        return all(torch.equal(mine[rows], theirs[other_rows]) for mine, theirs in pairs)

    return compare
