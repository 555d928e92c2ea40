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
