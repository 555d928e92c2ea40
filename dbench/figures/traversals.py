"""What a model draws: traversals of its codes, and its reconstructions."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from dbench.figures.card import figure
from dbench.figures.models import Models
from dbench.figures.panels import panels
from dbench.figures.style import SOFT, number
from dbench.metrics.posterior import kl_per_code
from dbench.seeds import generator
from dbench.zoo.scorers import ACTIVE

Array = NDArray[np.float64]
REACH, STEPS = 3.0, 9
GAP = 2  # pixels between images


@figure(
    shows=f"Images decoded while one code (row) is set to values from {-REACH:g} to {REACH:g} (columns) and the others "
    "stay at the means of one image, the middle of the grid. Rows from the most informative code to the least, with "
    "their divergence from the prior in nats; those below 0.01 nats are uninformative and fade.",
    after=("Sober Look, Figure 14", "UDR, Figures 1, 4 and 10"),
    claims=("sober.mig-differs-at-equal-disentanglement",),
    of="models",
)
def latent_traversals(models: Models) -> Figure:
    """Latent traversals of the best and the worst model."""
    drawn, axes = panels(1, 2, height=3.65)
    for panel, name, model in zip(axes[0], ("best", "worst"), (models.best, models.worst), strict=True):
        middle = np.ravel_multi_index([size // 2 for size in model.data.factor_sizes], model.data.factor_sizes)
        traversal(panel, model.decode, model.codes[0][middle], model.kl)
        panel.set_title(f"{name} of {len(models.runs)}: {model.titled}", fontsize=7)
    return drawn


@figure(
    shows="Images of random grid points (upper of each pair of rows) and what a randomly drawn model makes of the "
    "means of their codes (lower).",
    after=("Sober Look, Figure 1",),
    claims=("sober.reconstruction",),
    of="models",
)
def reconstructions(models: Models) -> Figure:
    """Reconstructions by a random model."""
    rows, columns = 3, 16
    model = models.runs[int(generator(figure="random model", data=models.name).integers(len(models.runs)))]
    stream = generator(figure="reconstructions", data=models.name)
    chosen = stream.choice(len(model.codes[0]), size=rows * columns, replace=False)
    real = np.stack([model.image(int(row)) for row in chosen]).reshape(rows, columns, *model.data.image_shape)
    made = model.decode(model.codes[0][chosen]).reshape(real.shape)
    pairs = np.stack([real, made], axis=1).reshape(2 * rows, columns, *model.data.image_shape)
    drawn, axes = panels(1, 1, height=2.9)
    _show(axes[0, 0], pairs)
    height = model.data.image_shape[1] + GAP
    axes[0, 0].set_yticks([(row + 0.5) * height - GAP / 2 for row in range(2 * rows)], ["real", "made"] * rows)
    lost = model.scores.get("reconstruction")
    fit = "" if lost is None else f": log-likelihood {number(-lost, '.1f')} nats an image"
    axes[0, 0].set_title(f"{model}{fit}", fontsize=7)
    return drawn


def draw_traversals(decode: Callable[[Array], Array], mean: Array, logvar: Array) -> Figure:
    """Traversals around the first of N x d codes; the decoder makes n x C x H x W images in 0..1."""
    drawn, axes = panels(1, 1, height=3.65)
    traversal(axes[0, 0], decode, mean[0], kl_per_code(mean, logvar))
    return drawn


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
    _show(panel, 1 - np.where(clear, 1.0, 0.35)[:, None, None, None, None] * (1 - images))
    height, width = (side + GAP for side in images.shape[-2:])
    named = [str(code) if kl is None else f"{code}  ({kl[code]:.2f})" for code in order]
    panel.set_yticks([(row + 0.5) * height - GAP / 2 for row in range(len(order))], named)
    for label, informative in zip(panel.get_yticklabels(), clear, strict=True):
        label.set_color("black" if informative else SOFT)
    ticks = [0, STEPS // 2, STEPS - 1]
    panel.set_xticks([(t + 0.5) * width - GAP / 2 for t in ticks], [number(values[t], "g") for t in ticks])
    panel.set_ylabel("code" if kl is None else "code (nats)")


def _show(panel: Axes, images: Array) -> None:
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
