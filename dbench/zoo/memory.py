"""How many models fit onto a GPU at once."""

from __future__ import annotations

import math

import torch

from dbench.training import train
from dbench.zoo.engine import images_of, member_of, network_of, settings_of, training_images
from dbench.zoo.keys import RunKey

__all__ = ["free_memory", "gpu_group_size", "member_bytes"]

_SHARE = 0.6
"""Part of the free memory that an ensemble may fill; the rest is for workspaces, temporaries and fragments."""

_ASSUMED = 16 * 2**30
"""Bytes of memory of a GPU that cannot be asked because it is in another machine: the smallest in common use."""

_COPIES = 8
"""Copies of a member's parameters in a block of steps: weights and both moments, now and at its start; gradient; one in
passing."""


def member_bytes(key: RunKey) -> int:
    """Bytes of memory one more model of this kind takes in an ensemble: in training, or in encoding all images.

    Measured on a processor by taking one step: what a network keeps for its gradients does not depend on the device.
    """
    data, images = images_of(key.data)
    network, kept = network_of(key, data), dict[int, int]()

    def remember(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(remember, lambda tensor: tensor):
        state = train([member_of(key)], training_images(data, images), network, steps=1, **settings_of([key], data))
    training = sum(kept.values()) + _COPIES * sum(row.nbytes for row in state.rows.values())
    # Means and log-variances of all images: the parts, and the whole they are joined to.
    encoding = 2 * 2 * len(images) * network.latents * torch.finfo(torch.float32).bits // 8
    return max(training, encoding)


def free_memory(device: str) -> int:
    """Bytes free on a GPU; 16 GiB when this machine has none, because it is a node's that will train."""
    return torch.cuda.mem_get_info(device)[0] if torch.cuda.is_available() else _ASSUMED


def gpu_group_size(key: RunKey, *, memory: float) -> int:
    """How many models of this kind to train at once in so many bytes of a GPU's memory; at least one."""
    images = math.prod(images_of(key.data)[1].shape)
    return max(int((_SHARE * memory - images) / member_bytes(key)), 1)
