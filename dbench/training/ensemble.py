"""Train an ensemble: one step of every member at a time, as one computation over stacked parameters.

A member's result depends on its own axes, objective and strength and on the settings given here; not on the other
members, their number, the threads, or interruptions. On processors it is the same to the last bit: no operation mixes
members, all rows have equal length (see :mod:`dbench.training.state`), and one thread does the arithmetic. To use
several cores, run several processes.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import torch
from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models import Network
from dbench.models.objectives import find_card
from dbench.training.encode import IMAGES, check_images
from dbench.training.execution import arithmetic, check_precision
from dbench.training.forms import quickest
from dbench.training.losses import Losses, card_of, extra_shapes
from dbench.training.state import BLOCK, Draws, Member, State, draw, initial_state
from dbench.training.step import Stepper


def train(
    members: Sequence[Member],
    images: Tensor,
    network: Network,
    *,
    steps: int,
    batch_size: int = 64,
    learning_rate: float = 1e-4,
    cooldown: float = 0.0,
    likelihood_factor: float = 1.0,
    factors: Tensor | None = None,
    factor_sizes: Sequence[int] | None = None,
    device: torch.device | str = "cpu",
    precision: str = "float32",
    state: State | None = None,
    each_block: Callable[[State], bool | None] | None = None,
) -> State:
    """Train the members, or go on training them, with Adam (betas 0.9 and 0.999, epsilon 1e-8); return the last state.

    An adversary has an Adam of its own, with the rate and betas of the objective's card. Both gradients of a step are
    taken at the same parameters, and then both steps are made.

    Each step draws ``batch_size`` images with replacement for every member. A member whose loss, parameters or
    moments stop being finite returns to where it was at the last multiple of 100 steps, stays there and is marked in
    ``State.diverged_at``; the others do not notice.

    Args:
        members: any mixture of objectives and strengths; equal objectives side by side are quickest. All must have
            the same parameters other than the network's (``ObjectiveCard.shared_settings``).
        images: N x C x H x W, uint8; kept on the device throughout.
        network: the network of all members.
        steps: number of steps of the whole run, those of ``state`` included. Schedules use this number, so a run that
            is to be interrupted is given its full length and ended by ``each_block``.
        batch_size: images a step; equal last bits are promised for multiples of 16 only.
        learning_rate: learning rate of Adam.
        cooldown: share of the steps, 0 to 1, over which the learning rate falls to 0 at the end. It falls once every
            100 steps, to where a straight line to 0 is at that step.
        likelihood_factor: what the summed likelihood of an image is multiplied by in every loss.
        factors: N x k, int64, ground-truth factors of the images; for objectives that need them.
        factor_sizes: number of values of each factor; one more than the largest in ``factors`` when not given.
        device: where to train.
        precision: one of :data:`dbench.training.execution.PRECISIONS`; the last two are for GPUs.
        state: state of these members after a multiple of 100 steps, to go on from; when not given, training begins.
        each_block: called with the state after every 100 steps and after the last one; it may keep or store the state.
            Training ends early when it returns true.

    Raises:
        InvalidInput: images or factors that do not fit, no members or members with different parameters, a setting
            outside its range, or a state of other members or between two multiples of 100 steps.
        UnknownName: an objective that is not registered.
    """
    check_images(images, network)
    if not any(bool((part > 1).any()) for part in torch.split(images, IMAGES)):
        warnings.warn("no image exceeds 1, where white is 255: were they made for 0 to 1?", UserWarning, stacklevel=2)
    for name, value in (("learning_rate", learning_rate), ("likelihood_factor", likelihood_factor)):
        if not 0 < value < math.inf:
            raise InvalidInput(f"{name} must be positive and finite, got {value:g}")
    for name, number, least in (("steps", steps, 0), ("batch_size", batch_size, 1)):
        if not isinstance(number, int) or number < least:
            raise InvalidInput(f"{name} must be a whole number of at least {least}, got {number}")
    check_precision(precision)
    if not 0 <= cooldown <= 1:
        raise InvalidInput(f"cooldown must be a share of the steps, 0 to 1, got {cooldown:g}")
    if not members:
        raise InvalidInput("members must be at least one, got none")
    for member in members:
        if not 0 <= member.strength < math.inf:
            raise InvalidInput(f"strength must be a finite number of at least 0, got {member.strength}")
    if state is not None and len(state) != len(members):
        raise InvalidInput(f"state must be of the {len(members)} members, got one of {len(state)}")
    if state is not None and state.step % BLOCK and state.step < steps:
        raise InvalidInput(f"state must stand after a multiple of {BLOCK} steps to be gone on from, got {state.step}")
    sizes = _factor_sizes(members, images, factors, factor_sizes)
    extra = extra_shapes(members, network, sizes)
    if state is not None and (shapes := network.shapes | extra) != state.shapes:
        other = sorted(name for name, _ in shapes.items() ^ state.shapes.items())
        raise InvalidInput(f"state must have the parameters of the members and of the network, got another {other[0]}")
    device = torch.device(device)
    state = (initial_state(members, network, extra) if state is None else state).to(device)
    factors = None if factors is None else factors.to(device)
    with arithmetic(device, precision):
        losses = Losses(
            members,
            quickest(network, members=len(members), batch_size=batch_size, device=device, precision=precision),
            images.to(device),
            factors,
            factor_sizes=sizes,
            extra=extra,
            precision=precision,
            steps=steps,
            likelihood_factor=likelihood_factor,
        )
        parts = [(part.members, part.card.second_batch) for part in losses.parts]
        stepper = Stepper(state, losses, card_of(members[0]), learning_rate=learning_rate)
        blocks = range(state.step // BLOCK, -(-steps // BLOCK))
        sizes_drawn = {"data_size": len(images), "batch_size": batch_size, "latents": network.latents}
        for draws in _drawn(parts, blocks, ahead=device.type == "cuda", **sizes_drawn):
            remaining = steps - state.step
            rate = min(1.0, remaining / (cooldown * steps)) if cooldown else 1.0
            state = stepper.block(draws, min(BLOCK, remaining), rate=rate)
            if each_block is not None and each_block(state):
                break
    return state


def _drawn(
    parts: Sequence[tuple[Sequence[Member], bool]], blocks: Sequence[int], *, ahead: bool, **sizes: int
) -> Iterator[Draws]:
    """Yield the draws of each block; with ``ahead`` a thread draws the next block while the caller uses this one."""
    if not ahead:
        yield from (draw(parts, block, **sizes) for block in blocks)
        return
    with ThreadPoolExecutor(1) as thread:
        upcoming: Future[Draws] | None = None
        for block in (*blocks, None):
            current = upcoming
            upcoming = None if block is None else thread.submit(draw, parts, block, **sizes)
            if current is not None:
                yield current.result()


def _factor_sizes(
    members: Sequence[Member], images: Tensor, factors: Tensor | None, factor_sizes: Sequence[int] | None
) -> tuple[int, ...]:
    """Check the factors, and return the number of values of each; an empty tuple if neither is given."""
    if factors is None:
        if supervised := sorted({member.objective for member in members if find_card(member.objective).needs_factors}):
            raise InvalidInput(f"factors of the images must be given to train {', '.join(supervised)}, got none")
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
