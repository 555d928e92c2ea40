"""dSprites (Matthey, Higgins, Hassabis and Lerchner 2017): binary images of five factors, as published and as shipped.

The shipped sub-grid has 46,080 of the 737,280 published images: every shape and scale, every 4th orientation, every 2nd
position. ``fixtures/data/NOTICE.md`` says where its file comes from and how it was made.
"""

from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dbench.data.archives import Published, check_blob_id, fetch, read_rows, read_shipped
from dbench.data.base import Factors, GridData, Images, digest
from dbench.errors import DamagedData

GRID_FILE = "dsprites_grid.npz"
GRID_SHA256 = "4e08f24db9e60664197a58fb750318af393cf605beb5f01b706105ce6a9a1ec9"
FACTOR_NAMES = ("shape", "scale", "orientation", "pos_x", "pos_y")
FACTOR_SIZES = (3, 6, 10, 16, 16)


def unpack_sprites(packed: NDArray[np.uint8]) -> Images:
    """Unpack n x 64 x 8 bytes, one bit a pixel and the left one highest, to n x 1 x 64 x 64 images in {0, 255}."""
    return np.unpackbits(packed, axis=-1)[:, np.newaxis] * np.uint8(255)


class DspritesGrid(GridData):
    """The shipped sub-grid, kept packed at one bit a pixel (24 MB). Shapes are square, ellipse and heart.

    Raises:
        DamagedData: the file is not what its checksum promises.
    """

    name = "dsprites_grid"
    factor_names = FACTOR_NAMES
    factor_sizes = FACTOR_SIZES
    image_shape = (1, 64, 64)
    fingerprint = GRID_SHA256

    def __init__(self) -> None:
        self._packed = read_shipped(GRID_FILE, GRID_SHA256, "images")

    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        return unpack_sprites(self._packed[self.index(factors)])


FILE = "dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz"
ADDRESSES = tuple(
    f"https://github.com/{owner}/dsprites-dataset/raw/master/{FILE}" for owner in ("google-deepmind", "deepmind")
)
BLOB_ID = "d98996d3f8ee1550e06b9d4ed78d0beb478910d5"
ROWS = 8192  # read at once: 33 MB of images


class Dsprites(Published):
    """The published archive, an npz file of binary images.

    The archive's sixth factor, a colour that is always white, is left out. Images are packed to one bit a pixel
    (378 MB); reading the archive takes some ten seconds. Its pickled member ``metadata`` is never read.

    Raises:
        InvalidInput: no such file.
        DamagedData: another blob id, or a member that is missing or of another shape, type or content.
    """

    archive = "dSprites archive"
    file_checksums = (BLOB_ID,)
    name = "dsprites"
    factor_names = FACTOR_NAMES
    factor_sizes: tuple[int, ...] = (3, 6, 40, 32, 32)
    image_shape = (1, 64, 64)
    checked_by = "git blob id"  # no checksum known to pooch was published for this file

    def __init__(self, path: Path, *, blob_id: str = BLOB_ID, factor_sizes: tuple[int, ...] = factor_sizes) -> None:
        check_blob_id(path, blob_id)
        self.factor_sizes = factor_sizes
        self.fingerprint = digest(self.archive, blob_id)
        self._check_order(path)
        self._packed = self._pack(path)

    def _check_order(self, path: Path) -> None:
        """Refuse images in another order than the grid's, by which rows are looked up."""
        grid, start = self.grid(), 0
        for classes in read_rows(path, "latents_classes", (len(self), 6), np.int64, rows=ROWS):
            if classes[:, 0].any():
                raise DamagedData(f"{path}: the colour, first column of 'latents_classes', must be 0 throughout")
            if not np.array_equal(classes[:, 1:], grid[start : start + len(classes)]):
                raise DamagedData(f"{path}: 'latents_classes' must run through the grid in order, last factor fastest")
            start += len(classes)

    def _pack(self, path: Path) -> NDArray[np.uint8]:
        """Return all images as N x 64 x 8 bytes, one bit a pixel."""
        packed, start = np.empty((len(self), 64, 8), dtype=np.uint8), 0
        for images in read_rows(path, "imgs", (len(self), 64, 64), np.uint8, rows=ROWS):
            if images.max() > 1:
                raise DamagedData(f"{path}: 'imgs' must hold 0 and 1 only, got {images.max()}")
            packed[start : start + len(images)] = np.packbits(images.astype(np.uint8), axis=2)
            start += len(images)
        return packed

    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        return unpack_sprites(self._packed[self.index(factors)])

    @classmethod
    def fetched(cls, name: str) -> Self:
        """Return the published archive; the download is 26 MB."""
        return cls(fetch(FILE, ADDRESSES, partial(check_blob_id, blob_id=BLOB_ID)))
