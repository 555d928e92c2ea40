"""Pieces shared by objectives that train with labels, the ground-truth factors of images.

An image whose factors may not be used gets value 0 and weight 0 here, so nothing built on these pieces can learn
from it.
"""

import torch
from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models.objectives.registry import Batch


def known_factors(batch: Batch) -> tuple[Tensor, Tensor]:
    """Return factors (M x B x k int64, 0 for unlabelled images) and weights (M x B, 1 for labelled images, else 0)."""
    if batch.factors is None:
        raise InvalidInput("factors of the images must be given to a supervised objective, got none")
    if batch.labelled is None:
        return batch.factors, torch.ones_like(batch.mean[..., 0])
    return batch.factors * batch.labelled.unsqueeze(2), batch.labelled.to(batch.mean.dtype)


def labelled_mean(term: Tensor, weight: Tensor) -> Tensor:
    """Average M x B terms over the labelled images of each member to M; 0 where a batch has no label."""
    return (term * weight).sum(1) / weight.sum(1).clamp(min=1)


def pick(table: Tensor, values: Tensor) -> Tensor:
    """Return each image's row of its member's table: M x V x p and M x B integers below V to M x B x p."""
    return table.gather(1, values.unsqueeze(2).expand(-1, -1, table.shape[2]))


def fill_batch(parameter: Tensor, images: int) -> Tensor:
    """Repeat parameters for every image: M x ... to M x B x ..., in memory.

    Some functions round differently at different places of a vector register, and a few numbers a member would stand at
    other places in a larger ensemble. Repeated for a multiple of 16 images they fill whole registers.
    """
    return parameter.unsqueeze(1).expand(-1, images, *parameter.shape[1:]).contiguous()
