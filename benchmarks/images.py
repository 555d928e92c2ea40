"""Images to time training on."""

import numpy as np
import torch


def random_images(shape: tuple[int, ...], n: int = 4096) -> torch.Tensor:
    """Rectangles of random place and size; content does not matter for speed, but zeros and ones should dominate."""
    rng, images = np.random.default_rng(0), np.zeros((n, *shape), dtype=np.uint8)
    for image in images:
        top, left = rng.integers(0, shape[1] // 2, 2)
        height, width = rng.integers(2, shape[1] // 2, 2)
        image[:, top : top + height, left : left + width] = 255
    return torch.from_numpy(images)
