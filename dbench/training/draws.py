"""What an ensemble draws for a block of steps, and drawing it ahead while a device works on the block before.

Batches and noise come from each member's own streams on the processor, also where a GPU trains: that is what makes a
run's draws its own, on any device and in any company (see :mod:`dbench.training.streams`). A GPU's generator would give
other numbers on another device. Numpy releases the interpreter while it draws, so that threads draw beside a GPU; and
a block crosses to it in one copy from pinned memory, which waits for nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType

import torch
from torch import Tensor

from dbench.training.streams import BLOCK, Member, draw_block, draw_second_block

__all__ = ["Drawing", "Draws"]

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
            mine.copy_(theirs, non_blocking=True)


class Drawing:
    """Draw the blocks of an ensemble, in the caller's thread or ahead in others.

    Args:
        parts: members that stand side by side, and whether they draw second batches.
        data_size: number of images, N.
        batch_size: images of a batch, B.
        latents: number of codes, d.
        threads: that draw ahead; with 0, :meth:`take` draws.
        pinned: whether the draws lie in memory from which a GPU copies by itself.
    """

    def __init__(
        self,
        parts: Sequence[tuple[Sequence[Member], bool]],
        *,
        data_size: int,
        batch_size: int,
        latents: int,
        threads: int = 0,
        pinned: bool = False,
    ) -> None:
        self._parts = [(tuple(members), second) for members, second in parts]
        self._settings = {"data_size": data_size, "batch_size": batch_size, "latents": latents}
        self._pinned = pinned
        self._pool = ThreadPoolExecutor(threads, "draw") if threads else None
        self._ahead: tuple[int, Draws, list[Future[None]]] | None = None
        self.waited = 0.0
        """Seconds that :meth:`take` took in all."""

    def __enter__(self) -> Drawing:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def prepare(self, block: int) -> None:
        """Have the threads draw the block of that number; nothing without threads."""
        if self._pool is not None:
            draws, tasks = self._begin(block)
            self._ahead = block, draws, [self._pool.submit(task) for task in tasks]

    def take(self, block: int) -> Draws:
        """Return the block of that number, prepared or drawn now."""
        start = time.perf_counter()
        if self._ahead is None or self._ahead[0] != block:
            self.prepare(block)
        if self._ahead is None:
            draws, tasks = self._begin(block)
            for task in tasks:
                task()
        else:
            _, draws, futures = self._ahead
            for future in futures:
                future.result()
            self._ahead = None
        self.waited += time.perf_counter() - start
        return draws

    def _begin(self, block: int) -> tuple[Draws, list[Callable[[], None]]]:
        """Return draws that are not filled yet, and what fills them, member by member."""
        members = [member for part, _ in self._parts for member in part]
        draws = Draws(*self._batches(len(members)), tuple(self._second(part, other) for part, other in self._parts))
        tasks = [
            self._task(draw_block, member, block, (draws.rows[:, i], draws.noise[:, i]))
            for i, member in enumerate(members)
        ]
        for (part, _), second in zip(self._parts, draws.second, strict=True):
            if second is not None:
                tasks += [
                    self._task(draw_second_block, member, block, tuple(tensor[:, i] for tensor in second))
                    for i, member in enumerate(part)
                ]
        return draws, tasks

    def _task(
        self, draw: Callable[..., tuple[Tensor, ...]], member: Member, block: int, places: tuple[Tensor, ...]
    ) -> Callable[[], None]:
        def fill() -> None:
            for place, drawn in zip(places, draw(member, block, **self._settings), strict=True):
                place.copy_(drawn)

        return fill

    def _batches(self, members: int) -> tuple[Tensor, Tensor]:
        shape = (BLOCK, members, self._settings["batch_size"])
        return self._empty(shape, torch.int64), self._empty((*shape, self._settings["latents"]), torch.float32)

    def _second(self, members: tuple[Member, ...], wanted: bool) -> Second | None:
        if not wanted:
            return None
        rows, noise = self._batches(len(members))
        return rows, noise, self._empty(tuple(noise.shape), torch.int64)

    def _empty(self, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        return torch.empty(shape, dtype=dtype, pin_memory=self._pinned)
