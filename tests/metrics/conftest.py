"""Representations with known answers, small enough to score in milliseconds."""

import numpy as np
import pytest

from dbench.codes import Sample

SIZES = (3, 4, 5)


@pytest.fixture(scope="session")
def grid():
    """All 60 combinations of three factors, last factor fastest."""
    return np.stack(np.meshgrid(*[np.arange(size) for size in SIZES], indexing="ij"), axis=-1).reshape(-1, 3)


@pytest.fixture(scope="session")
def exact(grid):
    return (grid - grid.mean(axis=0)) / grid.std(axis=0)


@pytest.fixture(scope="session")
def worlds(grid):
    """1,500 observations each: exact copies beside idle codes, a rotation, copies twice, and noise."""
    rng = np.random.default_rng(7)
    factors = grid[rng.integers(len(grid), size=1500)]
    exact = (factors - factors.mean(axis=0)) / factors.std(axis=0)
    idle = 0.01 * rng.normal(size=exact.shape)
    turn = np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3
    codes = {
        "identity": np.concatenate([exact, idle], axis=1),
        "dead": np.concatenate([exact, 0 * idle], axis=1),
        "dead first": np.concatenate([0 * idle, exact], axis=1),
        "duplicated": np.concatenate([exact, exact], axis=1),
        "rotated": np.concatenate([exact @ turn, idle], axis=1),
        "noise": rng.normal(size=(1500, 6)),
    }
    return {name: Sample(values, factors) for name, values in codes.items()}


@pytest.fixture(scope="session")
def toy():
    """Appendix A: z1 tells shape and colour with accuracy 0.75 each, z2 tells colour with the given accuracy."""
    size = 500
    g = np.array([(a, b) for a in (0, 1) for b in (0, 1) for _ in range(size)])
    position = np.arange(4 * size) % size / size
    z1 = np.where(g[:, 0] == g[:, 1], g[:, 0], position < 0.5)
    scattered = np.arange(4 * size) * 7919 % size / size  # independent of z1 given the factors

    def with_accuracy(share):
        return Sample(np.stack([z1, np.where(scattered < share, g[:, 1], 1 - g[:, 1])], axis=1), g)

    return with_accuracy
