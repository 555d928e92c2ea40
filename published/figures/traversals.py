"""Figures of images that a model decodes: traversals of its codes, and reconstructions."""

import numpy as np
from matplotlib.figure import Figure

from dbench.scoring.plots import GAP, REACH, show_images, traversal
from dbench.scoring.style import number
from dbench.seeds import generator
from dbench_published.figures.card import figure
from dbench_published.figures.models import Models
from dbench_published.figures.panels import panels


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
    show_images(axes[0, 0], pairs)
    height = model.data.image_shape[1] + GAP
    axes[0, 0].set_yticks([(row + 0.5) * height - GAP / 2 for row in range(2 * rows)], ["real", "made"] * rows)
    error = model.scores.get("reconstruction")
    fit = "" if error is None else f": log-likelihood {number(-error, '.1f')} nats an image"
    axes[0, 0].set_title(f"{model}{fit}", fontsize=7)
    return drawn
