"""The losses of an ensemble at a step: one pass of all members through the network, then each one's objective."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import torch
from torch import Tensor

from dbench.errors import InvalidInput
from dbench.models import Network
from dbench.models.objectives import Batch, ObjectiveCard, SecondBatch, Terms, find_card, find_objective
from dbench.models.stacked import Shapes
from dbench.training.execution import autocast
from dbench.training.state import Draws, Member, draw_labelled, unpack


def extra_shapes(members: Sequence[Member], network: Network, factor_sizes: tuple[int, ...]) -> Shapes:
    """Return the shapes of the members' parameters other than the network's; all members must have the same."""
    cards = {(member.objective, member.constants): card_of(member) for member in members}
    if len({card.shared_settings for card in cards.values()}) > 1:
        names = ", ".join(sorted({name for name, _ in cards}))
        raise InvalidInput(f"members of one ensemble must have the same heads and adversary, got {names}")
    return next(iter(cards.values())).extra_shapes(network, factor_sizes)


def card_of(member: Member) -> ObjectiveCard:
    """Return the card of a member's objective, with the constants that the member chooses."""
    return find_card(member.objective).tuned(dict(member.constants))


@dataclass(frozen=True, eq=False)
class _Part:
    """Neighbouring members with the same objective and constants, and the inputs that only they are given."""

    which: slice
    members: tuple[Member, ...]
    function: Callable[..., Terms]
    card: ObjectiveCard
    strength: Tensor
    labelled: Tensor | None  # which images have labels, M x N; None if the objective uses none

    @classmethod
    def of(cls, start: int, members: tuple[Member, ...], data_size: int, device: torch.device) -> _Part:
        card, labelled = card_of(members[0]), None
        if card.labels is not None:
            drawn = [draw_labelled(member, data_size=data_size, share=card.labels) for member in members]
            labelled = torch.stack(drawn).to(device)
        strength = torch.tensor([member.strength for member in members], dtype=torch.float32, device=device)
        which = slice(start, start + len(members))
        return cls(which, members, find_objective(members[0].objective), card, strength, labelled)


class Losses:
    """The losses of an ensemble as a function of its parameters and draws.

    Arguments are those of :func:`dbench.training.train`, with all tensors on the device of training; ``extra`` is what
    :func:`extra_shapes` returns.
    """

    def __init__(
        self,
        members: Sequence[Member],
        network: Network,
        images: Tensor,
        factors: Tensor | None,
        *,
        factor_sizes: tuple[int, ...],
        extra: Shapes,
        precision: str,
        steps: int,
        likelihood_factor: float = 1.0,
    ) -> None:
        self.network, self.factors, self.extra = network, factors, extra
        self.factor_sizes, self.precision, self.steps = factor_sizes, precision, steps
        self.likelihood_factor = likelihood_factor
        self.data_size, self.device = len(images), images.device
        self.pixels = images.flatten(1)
        self.parts: list[_Part] = []
        start = 0
        for _, run in groupby(members, key=lambda member: (member.objective, member.constants)):
            self.parts.append(_Part.of(start, tuple(run), self.data_size, self.device))
            start = self.parts[-1].which.stop

    @property
    def capturable(self) -> bool:
        """Whether every step does the same operations, so that it can be captured as a CUDA graph."""
        return all(part.card.capturable for part in self.parts)

    def __call__(self, rows: Mapping[str, Tensor], draws: Draws, step: int | Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the losses and the adversaries' losses, M each; None for the latter if there are no adversaries.

        ``rows`` are parameters as in ``State.rows``, ``step`` is that of :class:`Batch`.
        """
        image_rows = draws.rows
        x = self._images(image_rows)
        with autocast(self.device, self.precision):
            parameters = unpack(rows, self.network.shapes)
            mean, logvar = (part.float() for part in self.network.encode(parameters, x))
            z = mean + (0.5 * logvar).exp() * draws.noise
            logits = self.network.decode(parameters, z).float()
        batch = Batch(
            x,
            logits,
            z,
            mean,
            logvar,
            data_size=self.data_size,
            step=step,
            steps=self.steps,
            noise=draws.noise,
            factor_sizes=self.factor_sizes,
            extra=unpack(rows, self.extra),
            likelihood_factor=self.likelihood_factor,
        )
        terms = []
        for part, second in zip(self.parts, draws.second, strict=True):
            part_batch = batch.members(part.which)
            if part.card.needs_factors:
                assert self.factors is not None
                part_batch = replace(part_batch, factors=self.factors[image_rows[part.which]])
            if part.labelled is not None:
                part_batch = replace(part_batch, labelled=part.labelled.gather(1, image_rows[part.which]))
            if second is not None:
                part_batch = replace(part_batch, other=self._encode_second(parameters, part, *second))
            terms.append(part.function(part_batch, **{part.card.strength: part.strength}, **part.card.constants))
            if (terms[-1].adversary_loss is None) != (part.card.adversary is None):
                raise InvalidInput(f"objective {part.card.name} must return a loss of its adversary if it declares one")
        adversaries = [term.adversary_loss for term in terms if term.adversary_loss is not None]
        return torch.cat([term.loss for term in terms]), torch.cat(adversaries) if adversaries else None

    def _images(self, rows: Tensor) -> Tensor:
        pixels = self.pixels.index_select(0, rows.flatten())
        return pixels.view(*rows.shape, *self.network.image_shape).float().div_(255)

    def _encode_second(
        self, parameters: Mapping[str, Tensor], part: _Part, rows: Tensor, noise: Tensor, order: Tensor
    ) -> SecondBatch:
        """Encode a second batch in a pass of its own, so that it does not change the arithmetic of the first."""
        part_parameters = {name: values[part.which] for name, values in parameters.items()}
        with autocast(self.device, self.precision):
            mean, logvar = (values.float() for values in self.network.encode(part_parameters, self._images(rows)))
        return SecondBatch(mean + (0.5 * logvar).exp() * noise, mean, logvar, order)
