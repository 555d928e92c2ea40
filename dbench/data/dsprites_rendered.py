"""The full dSprites grid of 737,280 images, re-rendered from the shapes' outlines.

A shape is a polygon. Its corners are placed in single precision and snapped to 1/256 pixel, and a pixel is white where
its centre lies inside. Graphics hardware does so, and so did what rendered the published images. ``docs/dsprites.md``
says how the rule was found.
"""

import numpy as np
from numpy.typing import NDArray

from dbench.data.base import Factors, GridData, Images, digest

RULE = "re-rendered dSprites, rule 1"
SIDE = 64
SUBPIXEL = 256
# Half the side of the square at scale 1, in pixels; the other shapes are scaled by it too.
RADIUS = 0.15 * SIDE
ELLIPSE_STRETCH, ELLIPSE_CORNERS = 1.33, 100
HEART_HEIGHT, HEART_SHIFT, HEART_CORNERS = 14.5, 0.15, 150

BATCH = 1024  # images rendered at once


def outline(shape: int) -> NDArray[np.float64]:
    """Return the m x 2 corners (x, y) of square, ellipse or heart at scale 1, in pixels from the centre, y upwards."""
    if shape == 0:
        return RADIUS * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    if shape == 1:
        t = 2 * np.pi * np.arange(ELLIPSE_CORNERS) / ELLIPSE_CORNERS
        return RADIUS * np.stack([ELLIPSE_STRETCH * np.cos(t), np.sin(t) / ELLIPSE_STRETCH], axis=1)
    t = 2 * np.pi * np.arange(HEART_CORNERS) / HEART_CORNERS
    height = (13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)) / HEART_HEIGHT
    return RADIUS * np.stack([np.sin(t) ** 3, height + HEART_SHIFT], axis=1)


def _place(shape: int, factors: Factors) -> NDArray[np.int64]:
    """Return the n x m x 2 corners of one shape in the image, in 1/256 pixel, y downwards.

    Single precision and the order of the sums decide how a corner halfway between two steps is rounded.
    """
    _, scale, orientation, pos_x, pos_y = factors.T[:, :, np.newaxis]
    angle = (2 * np.pi * (orientation % 39) / 39).astype(np.float32).astype(np.float64)
    size = (0.5 + 0.1 * scale).astype(np.float32)
    cos, sin = size * np.cos(angle).astype(np.float32), size * np.sin(angle).astype(np.float32)
    x, y = outline(shape).astype(np.float32).T
    # The shape's centre relative to the middle of the image.
    right = (SIDE / 2 * pos_x / 31 - SIDE / 4).astype(np.float32)
    up = (SIDE / 4 - SIDE / 2 * pos_y / 31).astype(np.float32)
    middle = np.float32(SIDE / 2)
    turned = np.stack([(right - sin * y) + cos * x + middle, (up + cos * y) + sin * x + middle], axis=-1)
    snapped = np.rint(turned * np.float32(SUBPIXEL)).astype(np.int64)
    snapped[:, :, 1] = SIDE * SUBPIXEL - snapped[:, :, 1]
    return snapped


def fill(corners: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Fill n polygons exactly, in integers: n x m x 2 corners (x, y) in 1/256 pixel, y downwards, within the image.

    A pixel is inside where a ray from its centre to the left crosses the outline an odd number of times. A centre
    right on the outline counts as inside on left and on lower edges, and as outside on right and on upper ones.
    The images are n x 64 x 64, in {0, 1}.
    """
    n, m, _ = corners.shape
    start, end = corners.reshape(-1, 2), np.roll(corners, -1, axis=1).reshape(-1, 2)
    downwards = (start[:, 1] <= end[:, 1])[:, np.newaxis]
    (x0, y0), (x1, y1) = np.where(downwards, start, end).T, np.where(downwards, end, start).T
    centre = SUBPIXEL // 2
    # An edge crosses the rows whose centre lies in (y0, y1]: half open, so that edges agree at the corner they share.
    first = np.clip((y0 - centre) // SUBPIXEL + 1, 0, SIDE)
    last = np.clip((y1 - centre) // SUBPIXEL + 1, 0, SIDE)
    image_of = np.repeat(np.arange(n), m)  # number of the image of each edge
    crossings = np.zeros((n, SIDE, SIDE + 1), dtype=np.uint8)
    for step in range(int((last - first).max(initial=0))):
        (edge,) = np.nonzero(first + step < last)
        row = first[edge] + step
        rise = y1[edge] - y0[edge]
        # First column whose centre is not left of the crossing; the ceiling is a floor division of the negative.
        across = (x1 - x0)[edge] * (row * SUBPIXEL + centre - y0[edge]) + (x0[edge] - centre) * rise
        column = np.clip(-(-across // (SUBPIXEL * rise)), 0, SIDE)
        np.add.at(crossings, (image_of[edge], row, column), 1)
    return np.bitwise_and(np.cumsum(crossings[:, :, :SIDE], axis=2, dtype=np.uint8), 1)


class DspritesRendered(GridData):
    """Re-rendered dSprites. Orientations 0 and 39 give the same image, as they do in the published archive."""

    name = "dsprites_rendered"
    factor_names = ("shape", "scale", "orientation", "pos_x", "pos_y")
    factor_sizes = (3, 6, 40, 32, 32)
    image_shape = (1, SIDE, SIDE)

    def __init__(self) -> None:
        constants = (RADIUS, ELLIPSE_STRETCH, ELLIPSE_CORNERS, HEART_HEIGHT, HEART_SHIFT, HEART_CORNERS, SUBPIXEL)
        self.fingerprint = digest(RULE, repr(constants))

    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        images = np.empty((len(factors), *self.image_shape), dtype=np.uint8)
        for shape in range(3):
            (rows,) = np.nonzero(factors[:, 0] == shape)
            for start in range(0, len(rows), BATCH):
                batch = rows[start : start + BATCH]
                images[batch, 0] = fill(_place(shape, factors[batch])) * np.uint8(255)
        return images
