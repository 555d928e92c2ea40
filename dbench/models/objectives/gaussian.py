"""Terms that objectives share, for Bernoulli pixels and codes with diagonal Gaussian posteriors.

All are in nats. Pixels and codes are summed, never averaged: an average would rescale the strength.
"""

import math

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor


def bernoulli_nll(x: Tensor, logits: Tensor) -> Tensor:
    """Negative log-likelihood of each image, summed over pixels: M x B x C x H x W to M x B.

    Pixels between 0 and 1 are taken as probabilities (the cross-entropy), as the studies do.
    """
    return F.binary_cross_entropy_with_logits(logits, x, reduction="none").flatten(2).sum(2)


def gaussian_kl(mean: Tensor, logvar: Tensor) -> Tensor:
    """KL divergence of N(mean, exp(logvar)) from N(0, 1) for each code, of the shape of ``mean``."""
    return 0.5 * (mean.square() + logvar.exp() - logvar - 1)


def gaussian_log_density(z: Tensor, mean: Tensor, logvar: Tensor) -> Tensor:
    """Log-density of N(mean, exp(logvar)) at z, for each code; shapes broadcast."""
    distance = (z - mean) * (-0.5 * logvar).exp()
    return torch.addcmul(-0.5 * (logvar + math.log(2 * math.pi)), distance, distance, value=-0.5)
