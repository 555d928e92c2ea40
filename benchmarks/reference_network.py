"""The same networks as ordinary modules of one model: what the stacked ones are tested and timed against."""

import math
from collections.abc import Mapping
from itertools import pairwise

import torch
from torch import Tensor, nn

from dbench.models.conv import Conv
from dbench.models.mlp import Mlp

__all__ = ["Autoencoder", "reference"]


class Autoencoder(nn.Module):
    """One variational autoencoder made of ordinary layers."""

    def __init__(self, encoder: nn.Sequential, decoder: nn.Sequential) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def encode(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Map images B x C x H x W to means and log-variances of the codes, each B x d."""
        mean, logvar = self.encoder(x).chunk(2, dim=-1)
        return mean, logvar

    def decode(self, z: Tensor) -> Tensor:
        """Map codes B x d to Bernoulli logits B x C x H x W."""
        logits: Tensor = self.decoder(z)
        return logits


def _dense(*widths: int) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return layers[:-1]


def _mlp(network: Mlp) -> Autoencoder:
    pixels = math.prod(network.image_shape)
    return Autoencoder(
        nn.Sequential(nn.Flatten(), *_dense(pixels, *network.hidden, 2 * network.latents)),
        nn.Sequential(
            *_dense(network.latents, *reversed(network.hidden), pixels), nn.Unflatten(1, network.image_shape)
        ),
    )


def _conv(network: Conv) -> Autoencoder:
    channels = network.image_shape[0]
    # kernels of 4 x 4, stride 2, border 1
    encoder = nn.Sequential(
        nn.Conv2d(channels, 32, 4, 2, 1),
        nn.ReLU(),
        nn.Conv2d(32, 32, 4, 2, 1),
        nn.ReLU(),
        nn.Conv2d(32, 64, 4, 2, 1),
        nn.ReLU(),
        nn.Conv2d(64, 64, 4, 2, 1),
        nn.ReLU(),
        nn.Flatten(),
        *_dense(1024, 256, 2 * network.latents),
    )
    decoder = nn.Sequential(
        *_dense(network.latents, 256, 1024),
        nn.ReLU(),
        nn.Unflatten(1, (64, 4, 4)),
        nn.ConvTranspose2d(64, 64, 4, 2, 1),
        nn.ReLU(),
        nn.ConvTranspose2d(64, 32, 4, 2, 1),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 32, 4, 2, 1),
        nn.ReLU(),
        nn.ConvTranspose2d(32, channels, 4, 2, 1),
    )
    return Autoencoder(encoder, decoder)


def reference(network: Mlp | Conv, parameters: Mapping[str, Tensor]) -> Autoencoder:
    """Build the network as a module with the given parameters of one member (no member axis)."""
    module = _mlp(network) if isinstance(network, Mlp) else _conv(network)
    with torch.no_grad():
        for ours, (name, values) in zip(module.parameters(), parameters.items(), strict=True):
            # torch keeps the weights of a fully connected layer as outputs x inputs
            ours.copy_(values.T if name.endswith("weight") and values.ndim == 2 else values)
    return module
