"""The real dSprites images of a full sub-grid, shipped with dbench (Matthey et al. 2017).

46,080 of the 737,280 published images: every shape and scale, every 4th orientation, every 2nd position.
``fixtures/data/NOTICE.md`` says where the file comes from and how it was made.
"""

import numpy as np
from numpy.typing import NDArray

from dbench.data.archives import read_shipped
from dbench.data.base import Factors, GridData, Images

FILE = "dsprites_grid.npz"
SHA256 = "4e08f24db9e60664197a58fb750318af393cf605beb5f01b706105ce6a9a1ec9"
FACTOR_NAMES = ("shape", "scale", "orientation", "pos_x", "pos_y")
FACTOR_SIZES = (3, 6, 10, 16, 16)


def unpack_sprites(packed: NDArray[np.uint8]) -> Images:
    """Return n x 1 x 64 x 64 images in {0, 255} of n x 64 x 8 bytes, a bit a pixel, the left pixel highest."""
    return np.unpackbits(packed, axis=-1)[:, np.newaxis] * np.uint8(255)


class DspritesGrid(GridData):
    """The shipped sub-grid, kept packed, a bit a pixel (24 MB). Shapes are square, ellipse and heart.

    Raises:
        DamagedData: the file is not what its checksum promises.
    """

    name = "dsprites_grid"
    factor_names = FACTOR_NAMES
    factor_sizes = FACTOR_SIZES
    image_shape = (1, 64, 64)
    fingerprint = SHA256

    def __init__(self) -> None:
        self._packed = read_shipped(FILE, SHA256, "images")

    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        return unpack_sprites(self._packed[self.index(factors)])
