"""What an ensemble draws for a block of steps, on the processor also where a GPU trains: see streams.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from dbench.training.streams import Member, draw_block, draw_second_block

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

    def copy_(self, source: Draws) -> None:
        """Overwrite these draws with others of the same shapes, on another device perhaps."""
        for mine, theirs in zip(self.tensors(), source.tensors(), strict=True):
            mine.copy_(theirs)


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
    """Put the draws of members side by side: for each kind of them steps x members x ..."""
    return tuple(torch.stack(kind, 1) for kind in zip(*drawn, strict=True))
