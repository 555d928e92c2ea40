"""The state of an ensemble between two blocks of steps, and what its members draw in a block.

The state holds everything that is needed to resume, as named tensors. A member draws batches and noise for a whole
block of steps at once, from generators that are derived anew for each block from its axes, a purpose and the number of
the block. Its draws therefore depend neither on the other members nor on where training was interrupted, and a
checkpoint need not store generators. Everything is drawn on the processor, so that all devices see the same draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dbench.errors import DamagedData
from dbench.models import Network
from dbench.models.stacked import ALIGN, Shapes, glorot_uniform
from dbench.seeds import AxisValue, generator

BLOCK = 100
"""Steps in a block. Changing it changes every result."""


@dataclass(frozen=True)
class Member:
    """One model of an ensemble.

    Args:
        axes: names and values from which its random numbers derive, usually its whole run key.
        constants: names and values of the objective's constants (``ObjectiveCard.constants``), or ``adversary_rate``,
            that differ from those of its card.
    """

    objective: str
    strength: float
    axes: Mapping[str, AxisValue]
    constants: tuple[tuple[str, float], ...] = ()


def initial_parameters(member: Member, network: Network) -> dict[str, Tensor]:
    """Draw the member's initial parameters of the network."""
    return glorot_uniform(network.shapes, generator(**member.axes, stream="initial"))


def initial_extra(member: Member, shapes: Shapes) -> dict[str, Tensor]:
    """Draw the member's initial parameters other than the network's."""
    return glorot_uniform(shapes, generator(**member.axes, stream="initial-extra"))


def draw_block(
    member: Member, block: int, *, data_size: int, batch_size: int, latents: int, of: str = ""
) -> tuple[Tensor, Tensor]:
    """Draw a block's batches, row numbers with replacement (BLOCK x B), and standard normal noise (BLOCK x B x d)."""
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
    positions = np.broadcast_to(np.arange(batch_size)[:, None], (BLOCK, batch_size, latents))
    order = generator(**member.axes, stream="order-other", block=block).permuted(positions, axis=1)
    return rows, noise, torch.from_numpy(order)


def draw_labelled(member: Member, *, data_size: int, share: float) -> Tensor:
    """Draw the images whose factors the member may use: N booleans, the share of which, at least one, is true."""
    labelled = np.zeros(data_size, dtype=bool)
    count = max(1, round(share * data_size))
    labelled[generator(**member.axes, stream="labels").choice(data_size, size=count, replace=False)] = True
    return torch.from_numpy(labelled)


Second = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True, eq=False)
class Draws:
    """The draws of M members: for a block of steps, with leading axes step x member, or for one step, with member.

    Attributes:
        rows: numbers of the images of the batches, ... x B.
        noise: of the codes, ... x B x d.
        second: for each part of the ensemble the rows, noise and orders of its second batches; None if it has none.
    """

    rows: Tensor
    noise: Tensor
    second: tuple[Second | None, ...]

    def tensors(self) -> list[Tensor]:
        """Return all tensors, always in the same order."""
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
    """Draw a block of batches; a part is some neighbouring members, and whether they draw second batches."""
    settings: dict[str, Any] = {"data_size": data_size, "batch_size": batch_size, "latents": latents}
    rows, noise = _stacked([draw_block(member, block, **settings) for part, _ in parts for member in part])
    second = [
        _stacked([draw_second_block(member, block, **settings) for member in part]) if wanted else None
        for part, wanted in parts
    ]
    return Draws(rows, noise, tuple(second))  # type: ignore[arg-type]


def _stacked(drawn: Sequence[tuple[Tensor, ...]]) -> tuple[Tensor, ...]:
    return tuple(torch.stack(kind, 1) for kind in zip(*drawn, strict=True))


Rows = dict[str, Tensor]


def _widths(shapes: Shapes) -> dict[str, int]:
    """Return the length of each parameter's row: its size, rounded up to whole cache lines."""
    return {name: -(-math.prod(shape) // ALIGN) * ALIGN for name, shape in shapes.items()}


def unpack(rows: Mapping[str, Tensor], shapes: Shapes) -> dict[str, Tensor]:
    """View rows (M x padded size) as parameters of the given shapes, each M x its shape.

    A row holds one parameter of one member, padded to whole cache lines. So a member's arithmetic uses the same vector
    lanes wherever the member stands in the ensemble, and its last bits do not depend on the others.
    """
    parameters = {}
    for name, shape in shapes.items():
        size = math.prod(shape)
        values = rows[name][:, :size] if size % ALIGN else rows[name]
        parameters[name] = values.view(-1, *shape)
    return parameters


@dataclass(frozen=True, eq=False)
class State:
    """An ensemble of M members after some steps.

    Attributes:
        step: steps taken.
        rows: parameters as padded rows (see :attr:`parameters`).
        first: Adam's first moments, likewise.
        second: Adam's second moments, likewise.
        diverged_at: M step numbers at which a member's loss, parameters or moments stopped being finite; -1 for a
            healthy member.
        loss: mean loss of each member over the last block, M; NaN before the first and for diverged members.
        extra: shapes of the parameters other than the network's: heads (``head.*``) and adversary (``adversary.*``).
    """

    network: Network
    step: int
    rows: Rows
    first: Rows
    second: Rows
    diverged_at: Tensor
    loss: Tensor
    extra: Shapes = field(default_factory=dict)

    def __len__(self) -> int:
        """Number of members, M."""
        return len(self.diverged_at)

    @property
    def shapes(self) -> Shapes:
        """Shape of each parameter of one member: the network's, then the others."""
        return self.network.shapes | self.extra

    @property
    def parameters(self) -> dict[str, Tensor]:
        """Named parameters, each with the leading member axis; views, not copies."""
        return unpack(self.rows, self.shapes)

    @property
    def diverged(self) -> Tensor:
        """Whether each member diverged (M, boolean)."""
        return self.diverged_at >= 0

    def tensors(self) -> list[Tensor]:
        """Return all rows: parameters and moments."""
        return [row for kind in _KINDS for row in getattr(self, kind).values()]

    def map(self, function: Callable[[Tensor], Tensor]) -> State:
        """Return the state with a function applied to every row."""
        rows, first, second = (
            {name: function(row) for name, row in kind.items()} for kind in (self.rows, self.first, self.second)
        )
        return replace(self, rows=rows, first=first, second=second)

    def to_tensors(self) -> dict[str, Tensor]:
        """Return the state as named tensors on the processor, to be stored; views of tensors that are already there."""
        tensors = {"step": torch.tensor(self.step), "diverged_at": self.diverged_at.cpu(), "loss": self.loss.cpu()}
        for kind in _KINDS:
            tensors |= {f"{kind}.{name}": row.detach().cpu() for name, row in getattr(self, kind).items()}
        return tensors

    @classmethod
    def from_tensors(
        cls, tensors: Mapping[str, Tensor], network: Network, extra: Mapping[str, tuple[int, ...]] | None = None
    ) -> State:
        """Build a state from the tensors of :meth:`to_tensors`; ``extra`` is that of the state.

        Raises:
            DamagedData: a tensor is missing, unknown, of another type, or does not fit the network or the other ones.
        """
        extra = dict(extra or {})
        widths = _widths(network.shapes | extra)
        names = {"step", "diverged_at", "loss"} | {f"{kind}.{name}" for kind in _KINDS for name in widths}
        if set(tensors) != names:
            raise DamagedData(f"a state of this network has the tensors {sorted(names)}, got {sorted(tensors)}")
        members = tensors["diverged_at"].numel()
        expected = {"step": (), "diverged_at": (members,), "loss": (members,)}
        for name in names:
            shape = expected.get(name, (members, widths.get(name.partition(".")[2], 0)))
            if tuple(tensors[name].shape) != shape:
                raise DamagedData(f"{name} of a state must have shape {shape}, got {tuple(tensors[name].shape)}")
            kind = torch.int64 if name in ("step", "diverged_at") else torch.float32
            if tensors[name].dtype != kind:
                raise DamagedData(f"{name} of a state must be {kind}, got {tensors[name].dtype}")
        rows, first, second = ({name: tensors[f"{kind}.{name}"] for name in widths} for kind in _KINDS)
        return cls(network, int(tensors["step"]), rows, first, second, tensors["diverged_at"], tensors["loss"], extra)

    def to(self, device: torch.device) -> State:
        """Return the state on a device."""
        moved = self.map(lambda row: row.to(device))
        return replace(moved, diverged_at=self.diverged_at.to(device), loss=self.loss.to(device))


_KINDS = ("rows", "first", "second")


def initial_state(members: Sequence[Member], network: Network, extra: Shapes) -> State:
    """Return the state of members before the first step; ``extra`` are the shapes other than the network's."""
    shapes = network.shapes | extra
    rows, first, second = (
        {name: torch.zeros(len(members), width) for name, width in _widths(shapes).items()} for _ in _KINDS
    )
    views = unpack(rows, shapes)
    for i, member in enumerate(members):
        drawn = initial_parameters(member, network) | initial_extra(member, extra)
        for name, values in drawn.items():
            views[name][i] = values
    diverged_at, loss = torch.full((len(members),), -1), torch.full((len(members),), math.nan)
    return State(network, 0, rows, first, second, diverged_at=diverged_at, loss=loss, extra=extra)
