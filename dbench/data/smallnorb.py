"""SmallNORB as published (LeCun, Huang and Bottou 2004): photographs of 50 toys of five categories."""

import gzip
from collections.abc import Iterator, Mapping
from functools import partial
from math import prod
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dbench.data.archives import Published, cache_folder, check_md5, fetch, lanczos, read_parts
from dbench.data.base import Factors, Images, digest
from dbench.errors import DamagedData
from dbench.files import readable

_ADDRESS = "https://cs.nyu.edu/~ylclab/data/norb-v1.0-small"
_TRAIN, _TEST = "smallnorb-5x46789x9x18x6x2x96x96-training", "smallnorb-5x01235x9x18x6x2x96x96-testing"
FILES = {
    f"{_TRAIN}-dat.mat.gz": "66054832f9accfe74a0f4c36a75bc0a2",
    f"{_TRAIN}-cat.mat.gz": "23c8b86101fbf0904a000b43d3ed2fd9",
    f"{_TRAIN}-info.mat.gz": "51dee1210a742582ff607dfd94e332e3",
    f"{_TEST}-dat.mat.gz": "e4ad715691ed5a3a5f138751a4ceb071",
    f"{_TEST}-cat.mat.gz": "5aa791cd7e6016cf957ce9bdb93b8603",
    f"{_TEST}-info.mat.gz": "a9454f3864d7fd4bb3ea7fc3eb84924e",
}
# Category, instance, elevation, azimuth, lighting; each split holds half of the instances.
SIZES = (5, 10, 9, 18, 6)
INSTANCE = 1
ROWS = 1024  # pairs of photographs read at once: 19 MB

# Element type -> magic number, for the types that occur.
MAGIC = {np.dtype("u1"): 0x1E3D4C55, np.dtype("<i4"): 0x1E3D4C54}


def _without_instance(sizes: tuple[int, ...]) -> tuple[int, ...]:
    return (*sizes[:INSTANCE], *sizes[INSTANCE + 1 :])


class SmallNorb(Published):
    """The published archive, six gzipped files of grey photographs and their labels.

    As Locatello et al. use it: both splits together, the first of the two cameras, scaled from 96 x 96. It is
    stochastic, because the toy, one of ten in a category, is no factor but drawn anew for each image. Categories are
    animal, human, airplane, truck and car. The images take 199 MB.

    Raises:
        InvalidInput: a file is missing.
        DamagedData: another MD5, a file of another form, or a photograph that is missing or occurs twice.
    """

    archive = "SmallNORB archive, Lanczos"
    file_checksums = tuple(FILES.values())
    name = "smallnorb"
    factor_names = ("category", "elevation", "azimuth", "lighting")
    factor_sizes = _without_instance(SIZES)
    image_shape = (1, 64, 64)
    stochastic = True

    def __init__(
        self, folder: Path, *, files: Mapping[str, str] = FILES, sizes: tuple[int, int, int, int, int] = SIZES
    ) -> None:
        for file, md5 in files.items():
            check_md5(folder / file, md5)
        self.factor_sizes = _without_instance(sizes)
        self.fingerprint = digest(self.archive, *files.values())
        self._instances = sizes[INSTANCE]
        self._images = np.empty((prod(sizes), 64, 64), dtype=np.uint8)
        splits = sorted({file.rpartition("-")[0] for file in files})
        rows = np.concatenate([self._read_split(folder, split, sizes) for split in splits])
        distinct = len(np.unique(rows))
        if distinct < prod(sizes):
            raise DamagedData(
                f"{folder}: each of {prod(sizes)} (category, instance, elevation, azimuth, lighting) must occur once, "
                f"got {distinct} of them"
            )

    def _read_split(self, folder: Path, split: str, sizes: tuple[int, ...]) -> NDArray[np.intp]:
        """Store the photographs of a split in ``_images`` and return the rows at which they are."""
        n = prod(sizes) // 2

        def read_labels(part: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[np.generic]:
            (matrix,) = read_binary_matrix(folder / f"{split}-{part}.mat.gz", shape, dtype, rows=n)
            return matrix

        category = read_labels("cat", (n,), np.int32).astype(np.int64)
        instance, elevation, azimuth, lighting = read_labels("info", (n, 4), np.int32).astype(np.int64).T
        # Azimuths count steps of 10 degrees, and only every second one occurs.
        points = np.stack([category, instance, elevation, azimuth // 2, lighting], axis=1)
        if (azimuth % 2).any() or (points < 0).any() or (points >= sizes).any():
            raise DamagedData(f"{folder}: the labels of {split} must lie on the grid {sizes}, azimuths even")
        rows: NDArray[np.intp] = np.ravel_multi_index(tuple(points.T), sizes)
        start = 0
        for pairs in read_binary_matrix(folder / f"{split}-dat.mat.gz", (n, 2, 96, 96), np.uint8, rows=ROWS):
            self._images[rows[start : start + len(pairs)]] = lanczos(pairs[:, 0].astype(np.uint8))
            start += len(pairs)
        return rows

    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        assert generator is not None
        toys = generator.integers(self._instances, size=len(factors))
        points = np.insert(factors, INSTANCE, toys, axis=1)
        sizes = (*self.factor_sizes[:INSTANCE], self._instances, *self.factor_sizes[INSTANCE:])
        images: Images = self._images[np.ravel_multi_index(tuple(points.T), sizes)][:, np.newaxis]
        return images

    @classmethod
    def fetched(cls, name: str) -> Self:
        """Return SmallNORB; the downloads are 248 MB."""
        for file, md5 in FILES.items():
            fetch(file, (f"{_ADDRESS}/{file}",), partial(check_md5, md5=md5))
        return cls(cache_folder())


def read_binary_matrix(
    path: Path, shape: tuple[int, ...], dtype: DTypeLike, *, rows: int
) -> Iterator[NDArray[np.generic]]:
    """Yield a gzipped matrix in parts of at most ``rows`` rows, once its header agrees with the shape and type.

    The format is called ``.mat`` but has nothing to do with MATLAB. All integers are little endian and 32 bits wide: a
    magic number that stands for the type of the elements, here bytes or such integers, the number of dimensions, the
    dimensions (at least three, even of a vector; those beyond the number mean nothing), and then the elements, last
    dimension fastest.
    """
    wanted = np.dtype(dtype).newbyteorder("<")
    with readable(str(path), " as a gzipped matrix"), gzip.open(path) as stream:
        header = np.array([MAGIC[wanted], len(shape), *shape], dtype="<i4").tobytes()
        beginning = stream.read(len(header))
        if beginning != header:
            rule = f"must begin as {wanted} of shape {shape} does, {header.hex()}"
            raise DamagedData(f"{path} {rule}, got {beginning.hex()}")
        stream.read(4 * max(0, 3 - len(shape)))
        yield from read_parts(stream.read, str(path), shape, wanted, rows=rows)
