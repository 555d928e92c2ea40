"""The contract of every data set, and base classes that fulfil it."""

import hashlib
import warnings
from abc import ABC, abstractmethod
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbench import seeds
from dbench.errors import InvalidInput

Factors = NDArray[np.int64]
Images = NDArray[np.uint8]

# Rows turned into images at once where a data set works in parts: 256 images of 3 x 64 x 64 are 3 MiB, within a cache.
BATCH = 256


class DataSet(Protocol):
    """The contract of a data set with k ground-truth factors.

    Attributes:
        name: what :func:`dbench.data.load` finds it by.
        factor_names: k names.
        factor_sizes: number of values of each factor.
        image_shape: channels, height, width.
        stochastic: whether an image depends on more than its factors, so that ``images`` needs a generator.
        fingerprint: SHA-256 (hex) of what decides the images.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def factor_names(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def factor_sizes(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def image_shape(self) -> tuple[int, int, int]: ...  # noqa: D102
    @property
    def stochastic(self) -> bool: ...  # noqa: D102
    @property
    def fingerprint(self) -> str: ...  # noqa: D102

    def draw_factors(self, n: int, generator: np.random.Generator) -> Factors:
        """Draw n x k factors, each uniform on its values and independent of the others."""

    def images(self, factors: ArrayLike, generator: np.random.Generator | None = None) -> Images:
        """Return n x C x H x W uint8 images in 0..255 of the given n x k factors."""

    def grid(self) -> Factors:
        """Return all N x k factor combinations in order, last factor fastest."""

    def grid_images(self) -> Images:
        """Return the N x C x H x W images of :meth:`grid`; of a stochastic data set, one fixed draw of each."""

    def held_out(self) -> NDArray[np.bool_]:
        """Return a mask of the N grid points that training must not see; of most data sets, none."""


def digest(*parts: str | bytes) -> str:
    """Return the SHA-256 (hex) of the parts, each preceded by its length so that no two lists collide."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()


def checked_images(images: object, data: DataSet, n: int) -> Images:
    """Return the images that a data set gave for n points, or refuse what are no such images.

    Raises:
        InvalidInput: anything but a numpy array of uint8, n x C x H x W.
    """
    shape = (n, *data.image_shape)
    if isinstance(images, np.ndarray) and images.dtype == np.uint8 and images.shape == shape:
        return images
    kind, dtype = type(images), getattr(images, "dtype", "no dtype")
    raise InvalidInput(
        f"images of data set {data.name!r} must be a numpy array of uint8 (0 to 255) of shape "
        f"{' x '.join(map(str, shape))}, got {kind.__module__}.{kind.__name__} of {dtype} and shape "
        f"{tuple(getattr(images, 'shape', ()))}"
    )


def warn_of_dark(images: Images, name: str) -> None:
    """Warn where no pixel exceeds 1: that is white in images of floats, but nearly black in bytes."""
    if len(images) and not any((images[start : start + BATCH] > 1).any() for start in range(0, len(images), BATCH)):
        warnings.warn(
            f"no image of {name} exceeds 1, where white is 255: were they made for 0 to 1?", UserWarning, stacklevel=3
        )


class GridData(ABC):
    """Base of the data sets whose factors are independent and uniform on a full grid.

    A subclass sets the attributes of :class:`DataSet` and renders checked factors in :meth:`_render`.
    """

    name: str
    factor_names: tuple[str, ...]
    factor_sizes: tuple[int, ...]
    image_shape: tuple[int, int, int]
    fingerprint: str
    stochastic: bool = False

    def __len__(self) -> int:
        return prod(self.factor_sizes)

    def draw_factors(self, n: int, generator: np.random.Generator) -> Factors:
        """Draw n x k factors, each uniform on its values and independent of the others.

        Raises:
            InvalidInput: ``n`` is negative.
        """
        if n < 0:
            raise InvalidInput(f"n must be at least 0, got {n}")
        draws = [generator.integers(size, size=n) for size in self.factor_sizes]
        return np.stack(draws, axis=1).astype(np.int64)

    def grid(self) -> Factors:
        """Return all N x k factor combinations in order, last factor fastest."""
        return np.indices(self.factor_sizes, dtype=np.int64).reshape(len(self.factor_sizes), -1).T.copy()

    def _checked(self, factors: ArrayLike) -> Factors:
        """Return the factors as an n x k int64 array, or say which factor breaks which rule."""
        array, names, sizes = np.asarray(factors), self.factor_names, self.factor_sizes
        if array.dtype.kind not in "iu":
            raise InvalidInput(f"factors must be integers, got dtype {array.dtype}")
        if array.ndim != 2 or array.shape[1] != len(sizes):
            raise InvalidInput(f"factors must be n x {len(sizes)} ({', '.join(names)}), got shape {array.shape}")
        outside = (array < 0) | (array >= np.array(sizes))
        if outside.any():
            row, column = (int(i) for i in np.argwhere(outside)[0])
            raise InvalidInput(
                f"factor {names[column]!r} must lie in 0..{sizes[column] - 1}, got {array[row, column]} in row {row}"
            )
        return array.astype(np.int64)

    def index(self, factors: ArrayLike) -> NDArray[np.int64]:
        """Return the n rows of :meth:`grid` at which the given n x k factors stand."""
        checked = self._checked(factors)
        return np.asarray(np.ravel_multi_index(tuple(checked.T), self.factor_sizes), dtype=np.int64)

    def images(self, factors: ArrayLike, generator: np.random.Generator | None = None) -> Images:
        """Return n x C x H x W uint8 images in 0..255 of n x k integer factors, each from 0 to its size less 1.

        Raises:
            InvalidInput: factors off the grid, or no generator for a stochastic data set; or :meth:`_render` gave
                something else.
        """
        checked = self._checked(factors)
        if self.stochastic and generator is None:
            raise InvalidInput(f"generator must be given for the stochastic data set {self.name!r}, got None")
        return checked_images(self._render(checked, generator), self, len(checked))

    def grid_images(self) -> Images:
        """Return the N x C x H x W images of :meth:`grid`; of a stochastic data set, one fixed draw of each.

        The draw's generator derives from the fingerprint, so equal fingerprints have equal grid images. Warns where no
        pixel exceeds 1.
        """
        generator = seeds.generator(purpose="grid images", data=self.fingerprint) if self.stochastic else None
        images = checked_images(self._render(self.grid(), generator), self, len(self))
        warn_of_dark(images, self.name)
        return images

    def held_out(self) -> NDArray[np.bool_]:
        """Return a mask of the N grid points that training must not see: none (see :mod:`dbench.data.held_out`)."""
        return np.zeros(len(self), dtype=np.bool_)

    @abstractmethod
    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        """Return the images of factors that have been checked."""


class Derived(GridData):
    """A data set whose images are made from those of another; factors and held-out points are the same."""

    def __init__(self, base: DataSet, *, name: str) -> None:
        self.name, self._base = name, base
        self.factor_names, self.factor_sizes = base.factor_names, base.factor_sizes
        self.image_shape, self.stochastic = base.image_shape, base.stochastic

    def held_out(self) -> NDArray[np.bool_]:
        """Return the mask of the other data set."""
        return self._base.held_out()


class Downsampled(Derived):
    """Another data set with each block of ``block`` x ``block`` pixels averaged to one, rounded halves up."""

    def __init__(self, base: DataSet, block: int, *, name: str) -> None:
        super().__init__(base, name=name)
        channels, height, width = base.image_shape
        if block < 1 or height % block or width % block:
            raise InvalidInput(f"block must divide the image size {height} x {width}, got {block}")
        self.image_shape = (channels, height // block, width // block)
        self.fingerprint = digest("mean over blocks, halves up", str(block), base.fingerprint)
        self._block = block

    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        channels, height, width = self.image_shape
        area = self._block**2
        out = np.empty((len(factors), *self.image_shape), dtype=np.uint8)
        for start in range(0, len(factors), BATCH):
            full = self._base.images(factors[start : start + BATCH], generator)
            # Rows are summed first, because they are contiguous in memory.
            rows = full.reshape(-1, channels, height, self._block, width * self._block).sum(axis=3, dtype=np.uint32)
            sums = rows.reshape(-1, channels, height, width, self._block).sum(axis=4, dtype=np.uint32)
            out[start : start + BATCH] = (sums + area // 2) // area
        return out
