"""Where a member's randomness comes from: its own axes, a purpose, and the number of the block of steps.

Batches and noise are drawn for a whole block of steps at once, from generators derived anew for each block. What a
member draws therefore depends neither on the other members nor on where training was interrupted, and a checkpoint need
not store generators. Everything is drawn on the processor, so that all devices see the same draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dbench.models import Network
from dbench.models.stacked import Shapes, glorot_uniform
from dbench.seeds import AxisValue, generator

BLOCK = 100
"""Steps in a block. Changing it changes every result."""


@dataclass(frozen=True)
class Member:
    """One model of an ensemble.

    Args:
        axes: names and values from which its randomness derives, usually its whole run key.
        constants: the objective's constants (``ObjectiveCard.constants``), or ``adversary_rate``, that take another
            value than its own.
    """

    objective: str
    strength: float
    axes: Mapping[str, AxisValue]
    constants: tuple[tuple[str, float], ...] = ()


def initial_parameters(member: Member, network: Network) -> dict[str, Tensor]:
    """Draw the member's initial parameters."""
    return glorot_uniform(network.shapes, generator(**member.axes, stream="initial"))


def initial_extra(member: Member, shapes: Shapes) -> dict[str, Tensor]:
    """Draw the member's initial parameters beside the network's."""
    return glorot_uniform(shapes, generator(**member.axes, stream="initial-extra"))


def draw_block(
    member: Member, block: int, *, data_size: int, batch_size: int, latents: int, of: str = ""
) -> tuple[Tensor, Tensor]:
    """Draw a block's batches (row numbers, BLOCK x B, with replacement) and noise (BLOCK x B x d, standard normal)."""
    rows = generator(**member.axes, stream=f"batches{of}", block=block).integers(data_size, size=(BLOCK, batch_size))
    noise = generator(**member.axes, stream=f"noise{of}", block=block).standard_normal(
        (BLOCK, batch_size, latents), dtype="float32"
    )
    return torch.from_numpy(rows), torch.from_numpy(noise)


def draw_second_block(
    member: Member, block: int, *, data_size: int, batch_size: int, latents: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw a block's second batches: row numbers and noise as in :func:`draw_block`, and ``SecondBatch.order``."""
    rows, noise = draw_block(member, block, data_size=data_size, batch_size=batch_size, latents=latents, of="-other")
    unmixed = np.broadcast_to(np.arange(batch_size)[:, None], (BLOCK, batch_size, latents))
    order = generator(**member.axes, stream="order-other", block=block).permuted(unmixed, axis=1)
    return rows, noise, torch.from_numpy(order)


def draw_labelled(member: Member, *, data_size: int, share: float) -> Tensor:
    """Draw which images' factors the member may use: N booleans, of which the share (at least one) is true."""
    labelled = np.zeros(data_size, dtype=bool)
    count = max(1, round(share * data_size))
    labelled[generator(**member.axes, stream="labels").choice(data_size, size=count, replace=False)] = True
    return torch.from_numpy(labelled)


Second = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True, eq=False)
class Draws:
    """What M members draw for a block of steps, every tensor starting with step x member; or for one step of it.

    Attributes:
        rows: numbers of the images of the batches, ... x B.
        noise: of the codes, ... x B x d.
        second: for each part of the ensemble rows, noise and orders of its second batches; None where it has none.
    """

    rows: Tensor
    noise: Tensor
    second: tuple[Second | None, ...]

    def tensors(self) -> list[Tensor]:
        """Return all tensors, in an order of their own."""
        return [self.rows, self.noise, *(tensor for part in self.second if part is not None for tensor in part)]

    def map(self, function: Callable[[Tensor], Tensor]) -> Draws:
        """Return the draws with a function applied to every tensor."""
        second = tuple(None if part is None else tuple(map(function, part)) for part in self.second)
        return Draws(function(self.rows), function(self.noise), second)  # type: ignore[arg-type]

    def at(self, place: Tensor) -> Draws:
        """Return the draws of one step, given its place in the block as a tensor of one integer on their device."""
        return self.map(lambda tensor: tensor.index_select(0, place).squeeze(0))


def draw(
    parts: Sequence[tuple[Sequence[Member], bool]], block: int, *, data_size: int, batch_size: int, latents: int
) -> Draws:
    """Draw a block of batches of B images; parts are members side by side, and whether they draw second batches."""
    settings: dict[str, Any] = {"data_size": data_size, "batch_size": batch_size, "latents": latents}
    rows, noise = _stacked([draw_block(member, block, **settings) for part, _ in parts for member in part])
    second = [
        _stacked([draw_second_block(member, block, **settings) for member in part]) if wanted else None
        for part, wanted in parts
    ]
    return Draws(rows, noise, tuple(second))  # type: ignore[arg-type]


def _stacked(drawn: Sequence[tuple[Tensor, ...]]) -> tuple[Tensor, ...]:
    return tuple(torch.stack(kind, 1) for kind in zip(*drawn, strict=True))
