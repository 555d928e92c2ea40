"""Scale images down with a Lanczos filter, as the published preprocessing of SmallNORB and Cars3D does.

Locatello et al. resize both to 64 x 64 with Pillow's ``ANTIALIAS``, a Lanczos filter of three lobes that is widened by
the scale. Pillow computes in fixed point; :func:`lanczos` takes the same steps and gives the same bytes.
"""

import numpy as np
from numpy.typing import NDArray

from dbench.errors import InvalidInput

LOBES = 3
# Weights are multiples of 2**-22, and sums are rounded after each of the two passes.
PRECISION = 22

# Pixels filtered at once: 32 MB in double precision.
PIXELS = 2**22


def lanczos(images: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """Return n x height x width bytes of n x H x W bytes; first along rows, then along columns.

    Raises:
        InvalidInput: not bytes, not of three axes, or smaller than what is asked for.
    """
    if images.dtype != np.uint8 or images.ndim != 3:
        raise InvalidInput(f"images must be n x H x W bytes, got {images.dtype} of shape {images.shape}")
    n, high, wide = images.shape
    if not (1 <= height <= high and 1 <= width <= wide):
        raise InvalidInput(f"images of {high} x {wide} can be scaled down only, got {height} x {width}")
    across, down = _weights(wide, width), _weights(high, height)
    out = np.empty((n, height, width), dtype=np.uint8)
    step = max(1, PIXELS // (high * wide))
    for start in range(0, n, step):
        # Integers below 2**53, so that the products of doubles are exact.
        rows = _rounded(images[start : start + step].astype(np.float64) @ across.T)
        out[start : start + step] = _rounded(down @ rows)
    return out


def _rounded(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.clip(np.floor((sums + 2 ** (PRECISION - 1)) / 2**PRECISION), 0, 255))


def _weights(size: int, wanted: int) -> NDArray[np.float64]:
    """Return the wanted x size weights, in units of 2**-22."""
    scale = size / wanted
    support = LOBES * scale
    weights = np.zeros((wanted, size))
    for row in range(wanted):
        centre = (row + 0.5) * scale
        first, last = max(int(centre - support + 0.5), 0), min(int(centre + support + 0.5), size)
        x = (np.arange(first, last) - centre + 0.5) / scale
        values = np.where((x >= -LOBES) & (x < LOBES), np.sinc(x) * np.sinc(x / LOBES), 0)
        values *= 1 / values.sum()
        weights[row, first:last] = np.trunc(values * 2**PRECISION + np.copysign(0.5, values))
    return weights
