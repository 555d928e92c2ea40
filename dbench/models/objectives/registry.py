"""The card of an objective, what it is given, what it returns, and the dictionary of all objectives.

The decorator attaches a card and lists the function; it does not wrap it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from torch import Tensor

from dbench.errors import InvalidInput, unknown_name

__all__ = ["OBJECTIVES", "Batch", "ObjectiveCard", "Terms", "find_objective", "objective"]

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Batch:
    """One batch of each of M members, as an objective sees it.

    Attributes:
        x: images in 0..1, M x B x C x H x W.
        logits: Bernoulli logits of the decoder, of the same shape.
        z: sampled codes, M x B x d.
        mean: means of the codes, M x B x d.
        logvar: log-variances of the codes, M x B x d.
        data_size: number of images the batch was drawn from, N.
        step: number of steps taken before this one; for objectives with a schedule.
        steps: number of steps of the whole run, likewise.
    """

    x: Tensor
    logits: Tensor
    z: Tensor
    mean: Tensor
    logvar: Tensor
    data_size: int
    step: int
    steps: int

    def members(self, which: slice) -> Batch:
        """Return the batches of some of the members."""
        return Batch(
            self.x[which],
            self.logits[which],
            self.z[which],
            self.mean[which],
            self.logvar[which],
            data_size=self.data_size,
            step=self.step,
            steps=self.steps,
        )


@dataclass(frozen=True)
class Terms:
    """What an objective comes to on a batch, one number for each member (M), in nats an image.

    Attributes:
        loss: what is minimised.
        reconstruction: negative log-likelihood of an image, summed over its pixels.
        kl: divergence of the posterior from the prior, summed over the codes.
        others: further terms by name, such as ``total_correlation``.
    """

    loss: Tensor
    reconstruction: Tensor
    kl: Tensor
    others: Mapping[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class ObjectiveCard:
    """What an objective declares of itself.

    Attributes:
        name: the function's name, also on the command line.
        strength: name of the keyword that takes the strength of regularisation, a tensor of M numbers.
        swept: strengths that the study swept.
        swept_in: where it says so.
        cite: key of the paper the objective comes from.
        summary: first line of its docstring.
    """

    name: str
    strength: str
    swept: tuple[float, ...]
    swept_in: str
    cite: str
    summary: str


OBJECTIVES: dict[str, Callable[..., Terms]] = {}


def objective(*, cite: str, strength: str, swept: tuple[float, ...], swept_in: str) -> Callable[[Function], Function]:
    """Attach a card to an objective and list it under its own name."""

    def attach(function: Function) -> Function:
        name = function.__name__
        if name in OBJECTIVES:
            raise InvalidInput(f"objective name must be unique, got {name!r} twice")
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        function.card = ObjectiveCard(name, strength, swept, swept_in, cite, summary)  # type: ignore[attr-defined]
        OBJECTIVES[name] = function
        return function

    return attach


def find_objective(name: str) -> Callable[..., Terms]:
    """Return the objective of that name.

    Raises:
        UnknownName: no such objective.
    """
    if name not in OBJECTIVES:
        raise unknown_name("objective", name, OBJECTIVES)
    return OBJECTIVES[name]
