"""Encode images with trained members, and evaluate their ELBO, reconstruction and divergence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models import Network
from dbench.models.objectives.gaussian import bernoulli_nll, gaussian_kl
from dbench.models.stacked import Parameters
from dbench.training.execution import products

IMAGES = 256  # in one pass of a member: the widest layer of the convolutional network then takes 32 MiB a member
_SHARE = 0.25  # of a GPU's free memory that the images and activations of a pass may take
_FLOATS = 40  # held at once for each pixel; the widest layers of the convolutional network have 8


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The terms of the evidence lower bound of M members, averaged over N images, in nats.

    Attributes:
        reconstruction: negative log-likelihood of an image given one draw of its codes, M.
        kl: divergence of the posterior from N(0, 1) for each code, M x d, whatever the objective's own prior.
    """

    reconstruction: Tensor
    kl: Tensor

    @property
    def elbo(self) -> Tensor:
        """Evidence lower bound, M."""
        return -(self.reconstruction + self.kl.sum(1))


def check_images(images: Tensor, network: Network) -> None:
    """Refuse images that are not uint8 or not of the shape that the network takes."""
    if not isinstance(images, Tensor):
        raise InvalidInput(f"images must be a tensor of torch, got {type(images).__module__}.{type(images).__name__}")
    if images.dtype != torch.uint8 or tuple(images.shape[1:]) != network.image_shape or len(images) == 0:
        raise InvalidInput(
            f"images must be uint8 of shape N x {' x '.join(map(str, network.image_shape))}, "
            f"got {images.dtype} of shape {tuple(images.shape)}"
        )


def _images_in_a_pass(images: Tensor, members: int) -> int:
    """Return how many images each member encodes at once: a fixed number on processors, as many as fit on a GPU.

    On processors another number would change the last bits. A GPU is quickest in few large passes.
    """
    if images.device.type != "cuda":
        return IMAGES
    torch.cuda.empty_cache()  # what training no longer uses counts as free, too
    free, _ = torch.cuda.mem_get_info(images.device)
    return max(1, int(_SHARE * free) // (4 * _FLOATS * images[0].numel() * members))


def _passes(images: Tensor, members: int) -> Iterator[Tensor]:
    size = _images_in_a_pass(images, members)
    for start in range(0, len(images), size):
        x = images[start : start + size].float() / 255
        yield x.expand(members, *x.shape)


def _count_members(parameters: Parameters) -> int:
    return len(next(iter(parameters.values())))


@torch.no_grad()
def encode_grid(parameters: Parameters, images: Tensor, network: Network) -> tuple[Tensor, Tensor]:
    """Return means and log-variances of the codes of every image, each M x N x d.

    Images are N x C x H x W, uint8, on the device of the parameters (``State.parameters``).
    """
    check_images(images, network)
    with products(images.device, "float32"):
        encoded = [network.encode(parameters, x) for x in _passes(images, _count_members(parameters))]
    mean, logvar = (torch.cat(part, dim=1) for part in zip(*encoded, strict=True))
    return mean, logvar


@torch.no_grad()
def evaluate(
    parameters: Parameters, images: Tensor, network: Network, *, generators: Sequence[np.random.Generator]
) -> Evaluation:
    """Average the terms of the evidence lower bound over the images, with one draw of codes for each image.

    Arguments are those of :func:`encode_grid`, and M generators, one for the draws of each member.
    """
    check_images(images, network)
    members, device = _count_members(parameters), images.device
    if len(generators) != members:
        raise InvalidInput(f"generators must be one for each of {members} members, got {len(generators)}")
    reconstruction = torch.zeros(members, dtype=torch.float64, device=device)
    kl = torch.zeros(members, network.latents, dtype=torch.float64, device=device)
    for x in _passes(images, members):
        draws = [
            torch.from_numpy(g.standard_normal((x.shape[1], network.latents), dtype=np.float32)) for g in generators
        ]
        noise = torch.stack(draws).to(device)
        with products(images.device, "float32"):
            mean, logvar = network.encode(parameters, x)
            logits = network.decode(parameters, mean + (0.5 * logvar).exp() * noise)
        reconstruction += bernoulli_nll(x, logits).double().sum(1)
        kl += gaussian_kl(mean, logvar).double().sum(1)
    return Evaluation(reconstruction / len(images), kl / len(images))
