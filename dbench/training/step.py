"""Steps of an ensemble on tensors that stay in place.

A step reads the draws of its block, the parameters and a counter, and writes parameters, moments, the counter and sums
of the losses, without waiting for the device. So the same function runs one operation after another on a processor, and
as a captured graph on a GPU. The processor reads results only once a block.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.optim.adam import adam

from dbench.errors import CaptureFailed
from dbench.models.objectives import ObjectiveCard
from dbench.training.losses import Losses
from dbench.training.state import Draws, State

_WARM_UP = 3  # steps before the capture, in which libraries choose their algorithms and allocate memory


def _record_graph(step: Callable[[], None], restore: Callable[[], None], device: torch.device) -> Callable[[], None]:
    """Return a function that repeats a step by replaying its CUDA graph; ``restore`` undoes the warm-up steps.

    Warm-up steps run on a stream of their own, as captures do. The capture itself computes nothing.
    """
    with torch.cuda.device(device):
        side_stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        side_stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(side_stream):
            for _ in range(_WARM_UP):
                step()
        torch.cuda.current_stream(device).wait_stream(side_stream)
        restore()
        graph = torch.cuda.CUDAGraph()
        try:
            # thread_local: another thread may allocate memory, say for a progress line, without breaking the capture.
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                step()
        except RuntimeError as error:
            reason = str(error).strip().partition("\n")[0]
            raise CaptureFailed(f"a step of this ensemble cannot be captured as a CUDA graph: {reason}") from error
    return graph.replay


class Stepper:
    """Takes the steps of an ensemble a block at a time, from a state on its device, which it does not change."""

    def __init__(self, state: State, losses: Losses, card: ObjectiveCard, *, learning_rate: float) -> None:
        self.state, self.losses = state, losses
        self._repeat: Callable[[], None] | None = None
        self._capture = losses.capturable and losses.device.type == "cuda"
        self._work = state.map(torch.clone)
        self._draws: Draws | None = None
        adversary = [name for name in state.rows if name.startswith("adversary.")]
        main = [name for name in state.rows if name not in adversary]
        self._optimisers = [_Adam(self._work, main, learning_rate, (0.9, 0.999))]
        if adversary:
            rate = learning_rate * card.adversary_rate
            self._optimisers.append(_Adam(self._work, adversary, rate, card.adversary_betas))
        device, members = state.loss.device, len(state)
        self._place = torch.zeros(1, dtype=torch.int64, device=device)  # number of the next step in its block
        self._now = torch.zeros((), dtype=torch.float64, device=device)  # number of the next step in the run
        self._total = torch.zeros(members, dtype=torch.float64, device=device)
        self._finite = torch.ones(members, dtype=torch.bool, device=device)
        self._healthy = torch.zeros(members, dtype=torch.int64, device=device)  # steps before the first bad loss
        self._begin_block()

    def block(self, draws: Draws, steps: int, *, rate: float = 1.0) -> State:
        """Take the first ``steps`` steps of a block, and return the state after them, which later steps do not change.

        Draws are on the processor; ``rate`` multiplies the learning rates of the optimisers.
        """
        if self._draws is None:
            self._draws = draws.map(lambda tensor: tensor.to(self._place.device))
        else:
            for kept, drawn in zip(self._draws.tensors(), draws.tensors(), strict=True):
                kept.copy_(drawn)  # in place, where a captured step reads them
        for optimiser in self._optimisers:
            optimiser.scale_rate(rate)
        if self._capture and self._repeat is None:
            self._record()
        for i in range(steps):
            if self._repeat is not None:
                self._repeat()
            else:
                self._step(self._now if self.losses.capturable else self.state.step + i)
        self.state = self._end_block(steps)
        self._begin_block()
        return self.state

    def _step(self, step: int | Tensor) -> None:
        assert self._draws is not None
        loss, adversary_loss = self.losses(self._work.rows, self._draws.at(self._place), step)
        losses = [loss] if adversary_loss is None else [loss, adversary_loss]
        gradients = [
            optimiser.gradient(loss, keep=i + 1 < len(losses))
            for i, (loss, optimiser) in enumerate(zip(losses, self._optimisers, strict=True))
        ]
        for optimiser, gradient in zip(self._optimisers[::-1], gradients[::-1], strict=True):
            optimiser.step(gradient)
        # Added step by step: a sum over a step x member matrix has an order that depends on the number of members.
        self._total += losses[0].detach()
        for loss in losses:
            self._finite &= loss.detach().isfinite()
        self._healthy += self._finite
        self._place += 1
        self._now += 1

    def _begin_block(self) -> None:
        self._place.zero_()
        self._now.fill_(self.state.step)
        self._total.zero_()
        self._finite.fill_(True)
        self._healthy.zero_()

    @torch.no_grad()
    def _end_block(self, steps: int) -> State:
        """Return the state after the block; members that diverged in it, or before, keep the state before it."""
        before, work = self.state, self._work
        finite_rows = torch.stack([row.isfinite().all(1) for row in work.tensors()]).all(0)
        when = before.step + torch.where(self._finite, steps, self._healthy)
        diverged_at = torch.where(~before.diverged & ~(self._finite & finite_rows), when, before.diverged_at)
        loss = (self._total / steps).to(before.loss.dtype).masked_fill(diverged_at >= 0, math.nan)
        if (diverged := diverged_at >= 0).any():
            for kept, row in zip(before.tensors(), work.tensors(), strict=True):
                row[diverged] = kept[diverged]
        after = work.map(lambda row: row.detach().clone())
        return replace(after, step=before.step + steps, diverged_at=diverged_at, loss=loss)

    @torch.no_grad()
    def _restore(self) -> None:
        for kept, row in zip(self.state.tensors(), self._work.tensors(), strict=True):
            row.copy_(kept)
        for optimiser in self._optimisers:
            optimiser.go_back_to(self.state.step)
        self._begin_block()

    def _record(self) -> None:
        try:
            self._repeat = _record_graph(lambda: self._step(self._now), self._restore, self.losses.device)
        except CaptureFailed as error:
            self._capture = False
            warnings.warn(f"{error}; going on step by step, which is slower", RuntimeWarning, stacklevel=4)


class _Adam:
    """Adam for some rows of a state, in place, starting from the state's moments.

    It calls torch's function, since ``torch.optim.Adam`` imports torch's compiler, which takes two seconds.
    """

    def __init__(self, work: State, names: Sequence[str], rate: float, betas: tuple[float, float]) -> None:
        self._leaves = [work.rows[name].requires_grad_() for name in names]
        self._first, self._second = ([moments[name] for name in names] for moments in (work.first, work.second))
        device = work.loss.device
        self._steps_taken = [torch.tensor(float(work.step), device=device) for _ in names]
        self._full, self._betas = rate, betas
        self._rate = torch.tensor(rate, device=device) if device.type == "cuda" else rate

    def gradient(self, loss: Tensor, *, keep: bool) -> list[Tensor]:
        """Return the gradients of the members' losses with respect to these rows; ``keep`` keeps the autograd graph.

        A head that does not enter the losses of a step, such as one trained in a part of the run, gets zeros.
        """
        return list(torch.autograd.grad(loss.sum(), self._leaves, retain_graph=keep, materialize_grads=True))

    @torch.no_grad()
    def step(self, gradients: list[Tensor]) -> None:
        adam(
            self._leaves,
            gradients,
            self._first,
            self._second,
            [],
            self._steps_taken,
            fused=True,
            capturable=isinstance(self._rate, Tensor),
            amsgrad=False,
            beta1=self._betas[0],
            beta2=self._betas[1],
            lr=self._rate,
            weight_decay=0.0,
            eps=1e-8,
            maximize=False,
        )

    def scale_rate(self, share: float) -> None:
        """Set the rate to a share of the full rate; a captured step reads it from a tensor, which stays in place."""
        if isinstance(self._rate, Tensor):
            self._rate.fill_(self._full * share)
        else:
            self._rate = self._full * share

    def go_back_to(self, step: int) -> None:
        for count in self._steps_taken:
            count.fill_(step)
