"""Shapes3D as published (Burgess and Kim 2018): an object in a room, seen from a moving camera.

Published at https://github.com/google-deepmind/3d-shapes. Reading it needs h5py: ``pip install dbench[hdf5]``.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dbench.data.archives import StoredImages, cache_folder, check_md5, fetch, unpacked
from dbench.data.base import digest
from dbench.errors import DamagedData, DbenchError
from dbench.files import readable

FILE = "3dshapes.h5"
ADDRESSES = (f"https://storage.googleapis.com/3d-shapes/{FILE}",)
MD5 = "099a2078d58cec4daad0702c55d06868"
ROWS = 4096  # unpacked at once: 50 MB


class Shapes3d(StoredImages):
    """The published archive, an HDF5 file.

    Its images are unpacked once, into a file of 5.9 GB beside the download, because HDF5 would decompress a whole block
    for every image.

    Raises:
        DamagedData: another MD5, or data sets that are missing, of another shape or type, or in another order.
        DbenchError: h5py is missing, the archive could not be downloaded, or the images could not be written.
    """

    archive = "Shapes3D archive"
    file_checksums = (MD5,)
    name = "shapes3d"
    factor_names = ("floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation")
    factor_sizes: tuple[int, ...] = (10, 10, 10, 8, 4, 15)
    image_shape = (3, 64, 64)

    def __init__(
        self, archive: Callable[[], Path], *, md5: str, folder: Path, factor_sizes: tuple[int, ...] = factor_sizes
    ) -> None:
        self.factor_sizes = factor_sizes
        self.fingerprint = digest(self.archive, md5)

        def parts() -> Iterator[NDArray[np.uint8]]:
            path = archive()
            check_md5(path, md5)
            return self._read(path)

        self._images = unpacked(folder / f"shapes3d-{md5[:8]}.images", (len(self), 64, 64, 3), parts)

    @classmethod
    def fetched(cls, name: str) -> Self:
        """Return Shapes3D, downloaded (268 MB) and unpacked."""
        return cls(lambda: fetch(FILE, ADDRESSES, partial(check_md5, md5=MD5)), md5=MD5, folder=cache_folder())

    def _read(self, path: Path) -> Iterator[NDArray[np.uint8]]:
        try:
            import h5py
        except ImportError as error:
            raise DbenchError("reading Shapes3D needs h5py; install it with: pip install 'dbench[hdf5]'") from error
        with readable(str(path), " as an HDF5 file"), h5py.File(path, "r") as file:
            labels = _dataset(file, path, "labels", (len(self), len(self.factor_sizes)), "float64")
            self._check_order(path, labels[:])
            images = _dataset(file, path, "images", (len(self), 64, 64, 3), "uint8")
            for start in range(0, len(self), ROWS):
                yield images[start : start + ROWS]

    def _check_order(self, path: Path, labels: NDArray[np.float64]) -> None:
        """Refuse labels in another order than the grid's with rising values, by which rows are looked up."""
        for j, (name, column) in enumerate(zip(self.factor_names, self.grid().T, strict=True)):
            values, ranks = np.unique(labels[:, j], return_inverse=True)
            if len(values) != self.factor_sizes[j] or not np.array_equal(ranks, column):
                raise DamagedData(
                    f"{path}: column {name!r} of 'labels' must run through {self.factor_sizes[j]} rising values in "
                    f"grid order, last factor fastest, got {len(values)} values in another order"
                )


def _dataset(file: Any, path: Path, name: str, shape: tuple[int, ...], dtype: str) -> Any:
    """Return a data set of an HDF5 file, or refuse one of another shape or type."""
    dataset = file[name]
    if dataset.shape != shape or dataset.dtype != dtype:
        raise DamagedData(
            f"{path}: {name!r} must be {dtype} of shape {shape}, got {dataset.dtype} of shape {dataset.shape}"
        )
    return dataset
