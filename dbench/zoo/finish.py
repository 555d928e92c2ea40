"""What training leaves of a run: its codes of every image, and the terms of the evidence lower bound."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dbench.models import Network
from dbench.models.stacked import Parameters
from dbench.training import encode_grid, evaluate
from dbench.zoo.keys import RunKey


class Finished(NamedTuple):
    """Codes of the whole grid (``mean`` and ``logvar``, each N x d float32), and scores by name, in nats."""

    codes: dict[str, NDArray[np.float32]]
    scores: dict[str, float]


def finish(keys: Sequence[RunKey], parameters: Parameters, images: Tensor, network: Network) -> list[Finished | None]:
    """Encode all images with trained runs, and evaluate their bound with one draw of the codes of each image.

    Args:
        keys: of the M runs.
        parameters: M x the shape of each; of encoder and decoder alone are enough.
        images: N x C x H x W, uint8, on the device of the parameters.
        network: of all runs.

    Returns:
        For each run what it has; none where a code or the bound is not finite: the run diverged.
    """
    mean, logvar = (part.cpu() for part in encode_grid(parameters, images, network))
    generators = [key.generator("evaluate") for key in keys]
    evaluation = evaluate(parameters, images, network, generators=generators)
    finite = mean.isfinite().all((1, 2)) & logvar.isfinite().all((1, 2)) & evaluation.elbo.isfinite().cpu()
    found: list[Finished | None] = []
    for i, key in enumerate(keys):
        if not bool(finite[i]):
            found.append(None)
            continue
        nats, kl = float(evaluation.reconstruction[i]), float(evaluation.kl[i].sum())
        trained = key.likelihood_factor * nats
        scores = {
            "elbo": float(evaluation.elbo[i]),
            "elbo.as_trained": -(trained + kl),
            "reconstruction": nats,
            "reconstruction.as_trained": trained,
            "kl": kl,
        }
        found.append(Finished({"mean": mean[i].numpy(), "logvar": logvar[i].numpy()}, scores))
    return found
