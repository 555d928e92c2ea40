"""The three stochastic variants of dSprites: in a random colour, on noise, and on patches of The Scream.

Locatello et al., "A Sober Look", section 4.3 and appendix F; ``docs/data.md`` says what differs from theirs.
"""

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dbench.data.archives import read_shipped
from dbench.data.base import BATCH, DataSet, Derived, Factors, Images, digest

SCREAM_FILE = "scream.npz"
SCREAM_SHA256 = "321e7ddc8639c8ca707658f561aeeff5bff09386c147774a107161b58163b826"


class _Variant(Derived):
    """White sprites on black, turned into coloured images by a subclass's :meth:`_paint`."""

    rule: ClassVar[str]  # how sprites are painted; part of the fingerprint

    def __init__(self, base: DataSet, *, name: str) -> None:
        super().__init__(base, name=name)
        self.image_shape, self.stochastic = (3, *base.image_shape[1:]), True
        self.fingerprint = digest(self.rule, base.fingerprint)

    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        """Paint the base's sprites in batches, which change nothing: each image takes equally many random numbers."""
        assert generator is not None
        out = np.empty((len(factors), *self.image_shape), dtype=np.uint8)
        for start in range(0, len(factors), BATCH):
            sprites = self._base.images(factors[start : start + BATCH])[:, 0] > 127
            out[start : start + BATCH] = self._paint(sprites, generator)
        return out

    @abstractmethod
    def _paint(self, sprites: NDArray[np.bool_], generator: np.random.Generator) -> Images:
        """Return n x 3 x H x W images of n x H x W sprites."""


class ColorDsprites(_Variant):
    """Color-dSprites: each sprite in a random colour on black.

    "A random scaling for each channel uniformly between 0.5 and 1" (appendix F), one for the whole sprite.
    """

    rule = "Color-dSprites, rule 1: sprite x uniform in [0.5, 1] for each channel"

    def _paint(self, sprites: NDArray[np.bool_], generator: np.random.Generator) -> Images:
        colours = np.rint(255 * generator.uniform(0.5, 1, size=(len(sprites), 3))).astype(np.uint8)
        return np.where(sprites[:, np.newaxis], colours[:, :, np.newaxis, np.newaxis], np.uint8(0))


class NoisyDsprites(_Variant):
    """Noisy-dSprites: white sprites on a background of noise.

    "We fill the background with uniform noise" (appendix F), here each channel of a pixel from the 256 levels.
    """

    rule = "Noisy-dSprites, rule 1: 255 on the sprite, uniform in 0..255 for each channel and pixel elsewhere"

    def _paint(self, sprites: NDArray[np.bool_], generator: np.random.Generator) -> Images:
        noise = generator.integers(256, size=(len(sprites), *self.image_shape), dtype=np.uint8)
        return np.where(sprites[:, np.newaxis], np.uint8(255), noise)


class ScreamDsprites(_Variant):
    """Scream-dSprites: sprites as negatives of a random patch of The Scream in a random colour shade.

    "The background is replaced with a random patch in a random color shade extracted from the famous The Scream
    painting. The dSprites shape is embedded into the image by inverting the color of its pixels" (section 4.3). The
    paper leaves the shade open; as in the code its authors published, the background is the mean of the patch and one
    uniform random colour. All places where a patch fits are equally likely (their code never takes the last row and
    column).
    """

    rule = "Scream-dSprites, rule 1: mean of a patch and a uniform colour, inverted on the sprite"

    def __init__(self, base: DataSet, *, name: str, scream: NDArray[np.uint8] | None = None) -> None:
        super().__init__(base, name=name)
        painting = read_scream() if scream is None else scream
        self.fingerprint = digest(self.fingerprint, repr(painting.shape), painting.tobytes())
        # Every patch of the painting, as a view: rows x columns x 3 x H x W.
        self._patches = np.lib.stride_tricks.sliding_window_view(painting, self.image_shape[1:], axis=(0, 1))

    def _paint(self, sprites: NDArray[np.bool_], generator: np.random.Generator) -> Images:
        rows, columns = self._patches.shape[:2]
        draws = generator.random((len(sprites), 5))
        row, column = (draws[:, :2] * (rows, columns)).astype(np.int64).T
        shades = 255 * draws[:, 2:, np.newaxis, np.newaxis]
        background: Images = np.rint((self._patches[row, column] + shades) / 2).astype(np.uint8)
        return np.where(sprites[:, np.newaxis], 255 - background, background)


def read_scream() -> NDArray[np.uint8]:
    """Return Munch's The Scream, 274 x 215 x 3 (height, width, RGB), from the file shipped with dbench."""
    return read_shipped(SCREAM_FILE, SCREAM_SHA256, "image")


VARIANTS: dict[str, type[_Variant]] = {"color": ColorDsprites, "noisy": NoisyDsprites, "scream": ScreamDsprites}
"""First word of a data set's name -> its variant."""
