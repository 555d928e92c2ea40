"""MPI3D as published (Gondal et al. 2019): a robot arm carrying an object, as toy and realistic renderings and real.

Published under CC-BY 4.0 at https://github.com/rr-learning/disentanglement_dataset.
"""

from collections.abc import Callable, Iterator
from functools import partial
from math import prod
from pathlib import Path
from typing import Self, cast

import numpy as np
from numpy.typing import NDArray

from dbench.data.archives import StoredImages, cache_folder, check_md5, fetch, read_rows, read_shape, unpacked
from dbench.data.base import digest
from dbench.errors import DamagedData

# The second bucket is the paper's, closed in 2023. In the first the photographs have another name.
_BUCKETS = (
    "https://storage.googleapis.com/mpi3d_disentanglement_dataset/data",
    "https://storage.googleapis.com/disentanglement_dataset/Final_Dataset",
)
FILES = {
    "mpi3d_toy": "55889cb7c7dfc655d6e0277beee88868",
    "mpi3d_realistic": "59a6225b88b635365f70c91b3e52f70f",
    "mpi3d_real": "0f33f609918fb5c97996692f91129802",
}
# The length of an archive decides its layout: descriptions of these files disagree on 6 or 4 colours and shapes.
LAYOUTS: tuple[tuple[int, ...], ...] = ((6, 6, 2, 3, 3, 40, 40), (4, 4, 2, 3, 3, 40, 40))
IMAGE = (64, 64, 3)
ROWS = 4096  # unpacked at once: 50 MB


class Mpi3d(StoredImages):
    """A published archive: the simplistic renderings, the realistic ones, or the photographs.

    Images are unpacked once, into a file of 12.7 GB beside the download.

    Raises:
        DamagedData: another MD5, or a member that is missing or of another shape or type.
        DbenchError: the archive could not be downloaded, or the images could not be written.
    """

    archive = "MPI3D archive"
    factor_names = (
        "object_color", "object_shape", "object_size", "camera_height", "background_color", "horizontal_axis",
        "vertical_axis",
    )  # fmt: skip
    factor_sizes = LAYOUTS[0]
    image_shape = (3, 64, 64)

    def __init__(
        self,
        name: str,
        archive: Callable[[], Path],
        *,
        md5: str,
        folder: Path,
        layouts: tuple[tuple[int, ...], ...] = LAYOUTS,
    ) -> None:
        self.name = name
        self.fingerprint = digest(self.archive, md5)
        target = folder / f"{name}-{md5[:8]}.images"
        if target.is_file() and target.stat().st_size in [prod((*sizes, *IMAGE)) for sizes in layouts]:
            shape: tuple[int, ...] = (target.stat().st_size // prod(IMAGE), *IMAGE)
            path = None
        else:
            path = archive()
            check_md5(path, md5)
            shape = read_shape(path, "images")
        fitting = [sizes for sizes in layouts if (prod(sizes), *IMAGE) == shape]
        if not fitting:
            lengths = " or ".join(str(prod(sizes)) for sizes in layouts)
            raise DamagedData(f"{path}: member 'images' must be {lengths} images of {IMAGE}, got shape {shape}")
        self.factor_sizes = fitting[0]

        def parts() -> Iterator[NDArray[np.uint8]]:
            assert path is not None
            return cast(Iterator[NDArray[np.uint8]], read_rows(path, "images", shape, np.uint8, rows=ROWS))

        self._images = unpacked(target, shape, parts)

    @classmethod
    def checksums(cls, name: str) -> tuple[str, ...]:
        """Return the MD5 of the archive of that name."""
        return (FILES[name],)

    @classmethod
    def fetched(cls, name: str) -> Self:
        """Return the archive of that name, downloaded and unpacked."""
        return cls(
            name,
            lambda: fetch(f"{name}.npz", addresses(name), partial(check_md5, md5=FILES[name])),
            md5=FILES[name],
            folder=cache_folder(),
        )


def addresses(name: str) -> tuple[str, ...]:
    """Return the addresses at which the archive of that name may be found, the likeliest first."""
    other = f"{name.removeprefix('mpi3d_')}.npz"
    return (f"{_BUCKETS[0]}/{name}.npz", f"{_BUCKETS[0]}/{other}", f"{_BUCKETS[1]}/{name}.npz")
