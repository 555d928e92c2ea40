"""The state of an ensemble between two blocks of steps: all there is to resume from, as named tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from dbench.errors import DamagedData, InvalidInput
from dbench.models import Network
from dbench.training.streams import Member, initial_parameters

__all__ = ["State", "initial_state", "unpack"]

_ALIGN = 16  # floats in a cache line


def _padded(shape: tuple[int, ...]) -> int:
    return -(-math.prod(shape) // _ALIGN) * _ALIGN


def unpack(flat: Tensor, network: Network) -> dict[str, Tensor]:
    """View M x P numbers as the network's named parameters, each M x its shape.

    Every parameter starts on a cache line and every row has the same length, so that a member's arithmetic meets the
    same vector lanes wherever it stands in the ensemble: this is what keeps its bits its own.
    """
    sizes = [_padded(shape) for shape in network.shapes.values()]
    # One split instead of many slices: its backward pass is a single concatenation.
    pieces = flat.split([part for shape, size in zip(network.shapes.values(), sizes, strict=True)
                         for part in (math.prod(shape), size - math.prod(shape))], dim=1)[::2]
    return {
        name: piece.view(len(flat), *shape) for (name, shape), piece in zip(network.shapes.items(), pieces, strict=True)
    }


@dataclass(frozen=True, eq=False)
class State:
    """An ensemble of M members after some steps.

    Attributes:
        network: the members' network.
        step: steps taken.
        flat: parameters, M x P (see :attr:`parameters`).
        first: Adam's first moments, M x P.
        second: Adam's second moments, M x P.
        diverged_at: M step numbers at which a member's loss or parameters stopped being finite; -1 for a healthy one.
        loss: mean loss of each member over the last block, M; NaN before the first.
    """

    network: Network
    step: int
    flat: Tensor
    first: Tensor
    second: Tensor
    diverged_at: Tensor
    loss: Tensor

    @property
    def parameters(self) -> dict[str, Tensor]:
        """Named parameters, each with the leading member axis; views, not copies."""
        return unpack(self.flat, self.network)

    @property
    def diverged(self) -> Tensor:
        """Whether each member diverged (M, boolean)."""
        return self.diverged_at >= 0

    def to_tensors(self) -> dict[str, Tensor]:
        """Return the state as named tensors on the processor, to be stored."""
        tensors = {name: getattr(self, name).detach().cpu() for name in _TENSORS}
        return {**tensors, "step": torch.tensor(self.step)}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, Tensor], network: Network) -> State:
        """Build the state from what :meth:`to_tensors` returned.

        Raises:
            DamagedData: a tensor is missing, or does not fit the network or the others.
        """
        if set(tensors) != {*_TENSORS, "step"}:
            raise DamagedData(f"a state consists of {sorted({*_TENSORS, 'step'})}, got {sorted(tensors)}")
        state = cls(network=network, step=int(tensors["step"]), **{name: tensors[name] for name in _TENSORS})
        members, width = len(state.flat), sum(map(_padded, network.shapes.values()))
        for name in _TENSORS:
            expected = (members,) if name in ("diverged_at", "loss") else (members, width)
            if tuple(tensors[name].shape) != expected:
                raise DamagedData(f"{name} of a state must have shape {expected}, got {tuple(tensors[name].shape)}")
        return state

    def to(self, device: torch.device) -> State:
        """Return a copy of the state on a device; training it leaves this one as it is."""
        return replace(self, **{name: getattr(self, name).to(device, copy=True) for name in _TENSORS})


_TENSORS = ("flat", "first", "second", "diverged_at", "loss")


def initial_state(members: Sequence[Member], network: Network) -> State:
    """Return the state of members that have not taken a step.

    Raises:
        InvalidInput: no members.
    """
    if not members:
        raise InvalidInput("members must name at least one model, got none")
    flat = torch.zeros(len(members), sum(map(_padded, network.shapes.values())))
    views = unpack(flat, network)
    for i, member in enumerate(members):
        for name, values in initial_parameters(member, network).items():
            views[name][i] = values
    return State(
        network=network,
        step=0,
        flat=flat,
        first=torch.zeros_like(flat),
        second=torch.zeros_like(flat),
        diverged_at=torch.full((len(members),), -1),
        loss=torch.full((len(members),), math.nan),
    )
