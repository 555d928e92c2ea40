"""Train an ensemble: one step of every member at a time, as one computation over stacked parameters.

A member's result depends on its own axes, objective, strength and the settings given here; not on the other members,
their number, the threads, or interruptions. On processors it is the same to the last bit: there are no operations
across members, all rows have equal length (see :mod:`dbench.training.state`), and one thread does the arithmetic, so
run several processes to use several cores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from itertools import groupby

import torch
from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models import Network
from dbench.models.objectives import Batch, find_objective
from dbench.training.state import State, initial_state, unpack
from dbench.training.streams import BLOCK, Member, draw_block

__all__ = ["PRECISIONS", "Member", "train"]

Losses = Callable[[Mapping[str, Tensor], Tensor, Tensor, int], Tensor]

PRECISIONS = ("float32", "tf32", "bfloat16")
"""Arithmetic of matrix products and convolutions; parameters, moments and loss terms are float32 always."""


def train(
    members: Sequence[Member],
    images: Tensor,
    network: Network,
    *,
    steps: int,
    batch_size: int = 64,
    learning_rate: float = 1e-4,
    device: torch.device | str = "cpu",
    precision: str = "float32",
    state: State | None = None,
    each_block: Callable[[State], bool | None] | None = None,
) -> State:
    """Train the members, or go on training them, with Adam (betas 0.9 and 0.999, epsilon 1e-8).

    Each step draws ``batch_size`` images with replacement for every member. A member whose loss, parameters or
    moments stop being finite returns to where it was at the last multiple of 100 steps, stays there and is marked in
    ``State.diverged_at``; the others do not notice.

    Args:
        members: the models, in any mixture of objectives and strengths; equal objectives side by side are quickest.
        images: N x C x H x W, uint8; kept on the device throughout.
        network: the network of all members.
        steps: steps to have taken at the end, those of ``state`` included. Objectives with a schedule measure it by
            this number, so a run that is to be interrupted is given its full length and ended by ``each_block``.
        batch_size: images in a step of a member. Bits are promised for multiples of 16.
        learning_rate: of Adam.
        device: where to train.
        precision: one of :data:`PRECISIONS`; the last two need a GPU.
        state: where to go on from (a multiple of 100 steps); the beginning when not given.
        each_block: is called after every 100 steps and after the last one with the state then, which may be kept
            or stored. Training ends early when it returns true.

    Returns:
        The state after the last step taken.

    Raises:
        InvalidInput: images, settings or state that do not fit.
        UnknownName: an objective nobody registered.
    """
    _check(members, images, network, steps, batch_size, learning_rate, precision, state)
    device = torch.device(device)
    state = (initial_state(members, network) if state is None else state).to(device)
    images = images.to(device)
    losses = _losses(members, network, images, precision, steps)
    with _arithmetic(device, precision):
        while state.step < steps:
            state = _train_block(
                state,
                members,
                losses,
                steps=min(BLOCK, steps - state.step),
                data_size=len(images),
                batch_size=batch_size,
                learning_rate=learning_rate,
            )
            if each_block is not None and each_block(state):
                break
    return state


def _losses(members: Sequence[Member], network: Network, images: Tensor, precision: str, steps: int) -> Losses:
    """Return the function from parameters, image numbers (M x B), noise (M x B x d) and step to M losses."""
    parts, start = [], 0
    for name, run in groupby(members, key=lambda member: member.objective):
        function, strengths = find_objective(name), [member.strength for member in run]
        strength = torch.tensor(strengths, dtype=torch.float32, device=images.device)
        parts.append((slice(start, start + len(strengths)), function, {function.card.strength: strength}))  # type: ignore[attr-defined]
        start += len(strengths)

    pixels = images.flatten(1)

    def losses(rows: Mapping[str, Tensor], which: Tensor, noise: Tensor, step: int) -> Tensor:
        x = pixels.index_select(0, which.flatten()).view(*which.shape, *network.image_shape).float().div_(255)
        with _autocast(images.device, precision):
            parameters = unpack(rows, network)
            mean, logvar = (part.float() for part in network.encode(parameters, x))
            z = mean + (0.5 * logvar).exp() * noise
            logits = network.decode(parameters, z).float()
        batch = Batch(x, logits, z, mean, logvar, data_size=len(images), step=step, steps=steps)
        return torch.cat([function(batch.members(part), **strength).loss for part, function, strength in parts])

    return losses


def _train_block(
    state: State,
    members: Sequence[Member],
    losses: Losses,
    *,
    steps: int,
    data_size: int,
    batch_size: int,
    learning_rate: float,
) -> State:
    """Take the steps of one block and return the state after it; the one before stays as it is."""
    settings = {"data_size": data_size, "batch_size": batch_size, "latents": state.network.latents}
    drawn = [draw_block(member, state.step // BLOCK, **settings) for member in members]
    device = state.loss.device
    rows, noise = (torch.stack(part, dim=1).to(device) for part in zip(*drawn, strict=True))  # step x member x ...
    after = replace(state.map(torch.clone), step=state.step + steps)
    leaves = [row.requires_grad_() for row in after.rows.values()]
    optimiser = torch.optim.Adam(leaves, lr=learning_rate, betas=(0.9, 0.999), eps=1e-8, fused=True)
    for name, leaf in after.rows.items():
        taken = torch.tensor(float(state.step), device=device)
        optimiser.state[leaf] = {"step": taken, "exp_avg": after.first[name], "exp_avg_sq": after.second[name]}
    history = []
    for i in range(steps):
        loss = losses(after.rows, rows[i], noise[i], state.step + i)
        for leaf, gradient in zip(leaves, torch.autograd.grad(loss.sum(), leaves), strict=True):
            leaf.grad = gradient
        optimiser.step()
        history.append(loss.detach())
    for leaf in leaves:
        leaf.requires_grad_(False).grad = None
    return _freeze_diverged(state, after, torch.stack(history))


def _freeze_diverged(before: State, after: State, history: Tensor) -> State:
    """Put members that are not finite, or were not before, back to where they stood; ``history`` is step x member."""
    finite = history.isfinite()
    bounded = torch.stack([row.isfinite().all(1) for row in after.tensors()]).all(0)
    when = torch.where(finite.all(0), after.step, before.step + finite.int().argmin(0))
    diverged_at = torch.where(~before.diverged & ~(finite.all(0) & bounded), when, before.diverged_at)
    loss = history.mean(0).masked_fill(diverged_at >= 0, math.nan)
    after = replace(after, diverged_at=diverged_at, loss=loss)
    if after.diverged.any():
        for kept, row in zip(before.tensors(), after.tensors(), strict=True):
            row[after.diverged] = kept[after.diverged]
    return after


@contextmanager
def _arithmetic(device: torch.device, precision: str) -> Iterator[None]:
    """Set how processors and GPUs calculate, and put it back afterwards.

    Processors: one thread; and numbers below 1e-38 are taken as zero, because weights of far-away codes and moments of
    idle units end there and slow arithmetic down several times.
    """
    threads, flushed = torch.get_num_threads(), bool(torch.tensor(1e-39) * 1 == 0)
    if device.type == "cpu":
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
    switches = (torch.backends.cuda.matmul, torch.backends.cudnn.conv)  # type: ignore[attr-defined]
    earlier = [switch.fp32_precision for switch in switches]
    for switch in switches:
        switch.fp32_precision = "tf32" if precision == "tf32" else "ieee"
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_flush_denormal(flushed)
        for switch, value in zip(switches, earlier, strict=True):
            switch.fp32_precision = value


def _autocast(device: torch.device, precision: str) -> AbstractContextManager[object]:
    return torch.autocast(device.type, dtype=torch.bfloat16) if precision == "bfloat16" else nullcontext()


def _check(
    members: Sequence[Member],
    images: Tensor,
    network: Network,
    steps: int,
    batch_size: int,
    learning_rate: float,
    precision: str,
    state: State | None,
) -> None:
    for member in members:
        find_objective(member.objective)
        if not (math.isfinite(member.strength) and member.strength >= 0):
            raise InvalidInput(f"strength of a member must be finite and not negative, got {member.strength}")
    if (
        images.dtype != torch.uint8
        or images.ndim != 4
        or len(images) == 0
        or tuple(images.shape[1:]) != network.image_shape
    ):
        raise InvalidInput(
            f"images must be uint8 of shape N x {' x '.join(map(str, network.image_shape))}, "
            f"got {images.dtype} of shape {tuple(images.shape)}"
        )
    if steps < 1 or batch_size < 1:
        raise InvalidInput(f"steps and batch_size must be at least 1, got {steps} and {batch_size}")
    if not (math.isfinite(learning_rate) and learning_rate > 0):
        raise InvalidInput(f"learning_rate must be finite and positive, got {learning_rate}")
    if precision not in PRECISIONS:
        raise InvalidInput(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if state is not None and (len(state) != len(members) or state.network != network):
        raise InvalidInput(f"state must hold the {len(members)} members and their network, got {len(state)} members")
    if state is not None and not (state.step <= steps and state.step % BLOCK == 0):
        raise InvalidInput(
            f"state must stand at a multiple of {BLOCK} steps and at no more than {steps}, got {state.step}"
        )
