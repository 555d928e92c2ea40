"""Traversals: the images that a decoder makes while one code changes."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from dbench.metrics.posterior import ACTIVE
from dbench.scoring.style import SOFT, number

Array = NDArray[np.float64]
REACH, STEPS = 3.0, 9
GAP = 2  # pixels between images


def traversal(panel: Axes, decode: Callable[[Array], Array], start: Array, kl: Array | None) -> None:
    """Draw one code a row, from the most informative to the least where their divergences in nats are known."""
    order = np.arange(len(start)) if kl is None else np.argsort(-kl, kind="stable")
    values = np.linspace(-REACH, REACH, STEPS)
    z = np.tile(start, (len(order), STEPS, 1))
    for row, code in enumerate(order):
        z[row, :, code] = values
    images = decode(z.reshape(-1, len(order)))
    images = images.reshape(len(order), STEPS, *images.shape[1:])
    clear = np.ones(len(order), dtype=bool) if kl is None else kl[order] > ACTIVE
    show_images(panel, 1 - np.where(clear, 1.0, 0.35)[:, None, None, None, None] * (1 - images))
    height, width = (side + GAP for side in images.shape[-2:])
    named = [str(code) if kl is None else f"{code}  ({kl[code]:.2f})" for code in order]
    panel.set_yticks([(row + 0.5) * height - GAP / 2 for row in range(len(order))], named)
    for label, informative in zip(panel.get_yticklabels(), clear, strict=True):
        label.set_color("black" if informative else SOFT)
    ticks = [0, STEPS // 2, STEPS - 1]
    panel.set_xticks([(t + 0.5) * width - GAP / 2 for t in ticks], [number(values[t], "g") for t in ticks])
    panel.set_ylabel("code" if kl is None else "code (nats)")


def show_images(panel: Axes, images: Array) -> None:
    """Show rows x columns x C x H x W images in 0..1 as one sheet."""
    rows, columns, channels, height, width = images.shape
    spaced = np.pad(images, [(0, 0)] * 3 + [(0, GAP)] * 2, constant_values=1).transpose(0, 3, 1, 4, 2)
    sheet = spaced.reshape(rows * (height + GAP), columns * (width + GAP), channels)[:-GAP, :-GAP]
    sheet = sheet if channels == 3 else np.repeat(sheet[..., :1], 3, axis=2)
    panel.imshow(sheet.clip(0, 1), interpolation="nearest")
    panel.set_xticks([])
    panel.grid(visible=False)
    panel.spines[:].set_visible(False)
    panel.tick_params(length=0, labelsize=6.5)
