"""Train an ensemble: one step of every member at a time, as one computation over stacked parameters.

A member's result depends on its own axes, objective, strength and the settings given here; not on the other members,
their number, the threads, or interruptions. On processors it is the same to the last bit: there are no operations
across members, all rows have equal length (see :mod:`dbench.training.state`), and one thread does the arithmetic, so
run several processes to use several cores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import torch
from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models import Network
from dbench.models.objectives import ObjectiveCard, find_card
from dbench.training.losses import Losses, extra_shapes
from dbench.training.state import State, initial_state
from dbench.training.streams import BLOCK, Member

__all__ = ["PRECISIONS", "Member", "train"]

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
    factors: Tensor | None = None,
    factor_sizes: Sequence[int] | None = None,
    device: torch.device | str = "cpu",
    precision: str = "float32",
    state: State | None = None,
    each_block: Callable[[State], bool | None] | None = None,
) -> State:
    """Train the members, or go on training them, with Adam (betas 0.9 and 0.999, epsilon 1e-8).

    Members whose objective has an adversary train it by an Adam of its own, with the rate and betas of the objective's
    card. Both gradients of a step are taken at the same parameters, each reaches its own parameters alone, and then
    both steps are made.

    Each step draws ``batch_size`` images with replacement for every member. A member whose loss, parameters or
    moments stop being finite returns to where it was at the last multiple of 100 steps, stays there and is marked in
    ``State.diverged_at``; the others do not notice.

    Args:
        members: the models, in any mixture of objectives and strengths; equal objectives side by side are quickest. All
            must have the same parameters beside the network's (``ObjectiveCard.company``).
        images: N x C x H x W, uint8; kept on the device throughout.
        network: the network of all members.
        steps: steps to have taken at the end, those of ``state`` included. Objectives with a schedule measure it by
            this number, so a run that is to be interrupted is given its full length and ended by ``each_block``.
        batch_size: images in a step of a member. Bits are promised for multiples of 16.
        learning_rate: of Adam.
        factors: N x k, int64, ground-truth factors of the images; for objectives that need them.
        factor_sizes: number of values of each factor; one more than the largest in ``factors`` when not given.
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
    _check(members, images, network, steps, batch_size, learning_rate, precision)
    sizes = _factor_sizes(members, images, factors, factor_sizes)
    extra = extra_shapes(members, network, sizes)
    _check_state(state, members, network, extra, steps)
    device = torch.device(device)
    state = (initial_state(members, network, extra) if state is None else state).to(device)
    factors = None if factors is None else factors.to(device)
    losses = Losses(
        members,
        network,
        images.to(device),
        factors,
        factor_sizes=sizes,
        extra=extra,
        precision=precision,
        steps=steps,
    )
    card = find_card(members[0].objective)
    with _arithmetic(device, precision):
        while state.step < steps:
            state = _train_block(
                state,
                losses,
                card,
                steps=min(BLOCK, steps - state.step),
                batch_size=batch_size,
                learning_rate=learning_rate,
            )
            if each_block is not None and each_block(state):
                break
    return state


def _train_block(
    state: State, losses: Losses, card: ObjectiveCard, *, steps: int, batch_size: int, learning_rate: float
) -> State:
    """Take the steps of one block and return the state after it; the one before stays as it is."""
    draws = losses.draw(state.step // BLOCK, batch_size)
    after = replace(state.map(torch.clone), step=state.step + steps)
    adversary = [name for name in after.rows if name.startswith("adversary.")]
    main = [name for name in after.rows if name not in adversary]
    leaves, optimiser = _adam(after, state.step, main, learning_rate, (0.9, 0.999))
    if adversary:
        rate = learning_rate * card.adversary_rate
        adversary_leaves, adversary_optimiser = _adam(after, state.step, adversary, rate, card.adversary_betas)
    history, adversary_history = [], []
    for i in range(steps):
        loss, adversary_loss = losses(after.rows, draws, i, state.step + i)
        _take_gradient(loss, leaves, keep=adversary_loss is not None)
        if adversary_loss is not None:
            _take_gradient(adversary_loss, adversary_leaves)
            adversary_optimiser.step()
            adversary_history.append(adversary_loss.detach())
        optimiser.step()
        history.append(loss.detach())
    for leaf in after.rows.values():
        leaf.requires_grad_(False).grad = None
    # Step after step: a reduction over a step x member matrix adds in an order that depends on the number of members.
    total = torch.zeros_like(state.loss, dtype=torch.float64)
    for losses_then in history:
        total += losses_then
    mean, finite = (total / steps).to(state.loss.dtype), torch.stack(history).isfinite()
    if adversary_history:
        finite &= torch.stack(adversary_history).isfinite()
    return _freeze_diverged(state, after, mean, finite)


def _adam(
    state: State, step: int, names: Sequence[str], learning_rate: float, betas: tuple[float, float]
) -> tuple[list[Tensor], torch.optim.Adam]:
    """Return those rows of a state as leaves, and an optimiser that goes on from their moments, in place."""
    leaves = [state.rows[name].requires_grad_() for name in names]
    optimiser = torch.optim.Adam(leaves, lr=learning_rate, betas=betas, eps=1e-8, fused=True)
    for name, leaf in zip(names, leaves, strict=True):
        taken = torch.tensor(float(step), device=leaf.device)
        optimiser.state[leaf] = {"step": taken, "exp_avg": state.first[name], "exp_avg_sq": state.second[name]}
    return leaves, optimiser


def _take_gradient(loss: Tensor, leaves: Sequence[Tensor], *, keep: bool = False) -> None:
    """Set the leaves' gradients to those of the members' losses, and no other tensor's.

    A head that the losses of a step leave alone, such as one that is taught in a part of the run, gets zeros.
    """
    gradients = torch.autograd.grad(loss.sum(), leaves, retain_graph=keep, materialize_grads=True)
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf.grad = gradient


def _freeze_diverged(before: State, after: State, loss: Tensor, finite: Tensor) -> State:
    """Put members that are not finite, or were not before, back to where they stood.

    Args:
        before: the state when the block began.
        after: the state at its end; is changed.
        loss: mean loss of each member over the block, M.
        finite: whether its losses were finite, step x member.
    """
    bounded = torch.stack([row.isfinite().all(1) for row in after.tensors()]).all(0)
    when = torch.where(finite.all(0), after.step, before.step + finite.int().argmin(0))
    diverged_at = torch.where(~before.diverged & ~(finite.all(0) & bounded), when, before.diverged_at)
    after = replace(after, diverged_at=diverged_at, loss=loss.masked_fill(diverged_at >= 0, math.nan))
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


def _check(
    members: Sequence[Member],
    images: Tensor,
    network: Network,
    steps: int,
    batch_size: int,
    learning_rate: float,
    precision: str,
) -> None:
    if not members:
        raise InvalidInput("members must name at least one model, got none")
    for member in members:
        find_card(member.objective)
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


def _factor_sizes(
    members: Sequence[Member], images: Tensor, factors: Tensor | None, factor_sizes: Sequence[int] | None
) -> tuple[int, ...]:
    """Return the number of values of each factor, none where factors are not known, after checking them."""
    if factors is None:
        if needy := sorted({member.objective for member in members if find_card(member.objective).needs_factors}):
            raise InvalidInput(f"factors of the images must be given to train {', '.join(needy)}, got none")
        return tuple(factor_sizes or ())
    if factors.dtype != torch.int64 or factors.ndim != 2 or len(factors) != len(images) or factors.shape[1] < 1:
        raise InvalidInput(
            f"factors must be int64 of shape {len(images)} x k, got {factors.dtype} of shape {tuple(factors.shape)}"
        )
    largest = factors.amax(0).tolist()
    sizes = tuple(value + 1 for value in largest) if factor_sizes is None else tuple(factor_sizes)
    fits = len(sizes) == len(largest) and all(value < size for value, size in zip(largest, sizes, strict=True))
    if int(factors.min()) < 0 or not fits:
        raise InvalidInput(f"factors must lie in 0..size - 1 for sizes {sizes}, got values up to {largest}")
    return sizes


def _check_state(
    state: State | None, members: Sequence[Member], network: Network, extra: dict[str, tuple[int, ...]], steps: int
) -> None:
    if state is None:
        return
    if len(state) != len(members) or state.network != network:
        raise InvalidInput(f"state must hold the {len(members)} members and their network, got {len(state)} members")
    if state.extra != extra:
        raise InvalidInput(
            f"state must hold the members' parameters beside the network's, {sorted(extra)}, got {sorted(state.extra)}"
        )
    if not (state.step <= steps and state.step % BLOCK == 0):
        raise InvalidInput(
            f"state must stand at a multiple of {BLOCK} steps and at no more than {steps}, got {state.step}"
        )
