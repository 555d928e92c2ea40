import numpy as np
import pytest
import torch

SIZES = (5, 5)


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
