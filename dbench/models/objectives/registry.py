"""The card of an objective, what it is given, what it returns, and the dictionary of all objectives.

A run must give the same result to the last bit in any ensemble, but torch rounds some functions (softplus, sigmoid)
differently in the last numbers of a tensor than in the others. On M x B numbers an objective therefore writes them as
``logsumexp`` or ``log_softmax`` of two logits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from torch import Tensor

from dbench.errors import InvalidInput, find
from dbench.models import Network
from dbench.models.objectives.gaussian import bernoulli_nll, gaussian_kl
from dbench.models.stacked import Shapes

Function = TypeVar("Function", bound=Callable[..., Any])

ExtraShapes = Callable[[Network, tuple[int, ...]], Shapes]
"""Shapes of parameters beside the network's, given the network and the number of values of each factor."""


@dataclass(frozen=True, eq=False)  # tensors do not compare to one truth value
class SecondBatch:
    """The codes of a second batch for each of M members, independent of the first; fields as in :class:`Batch`.

    Attributes:
        order: a permutation of the batch for each code, drawn independently: M x B x d integers in 0..B - 1.
            ``z.gather(1, order)`` permutes each code by its own, so that codes become independent of each other
            (FactorVAE's permuted batch).
    """

    z: Tensor
    mean: Tensor
    logvar: Tensor
    order: Tensor

    def members(self, which: slice) -> SecondBatch:
        """Return the codes of some of the members."""
        return SecondBatch(self.z[which], self.mean[which], self.logvar[which], self.order[which])


@dataclass(frozen=True, eq=False)
class Batch:
    """One batch of each of M members, as an objective sees it.

    Attributes:
        x: images in 0..1, M x B x C x H x W.
        logits: Bernoulli logits of the decoder, of the same shape.
        z: sampled codes, M x B x d.
        mean: means of the codes, M x B x d.
        logvar: log-variances of the codes, M x B x d.
        data_size: number of images the batch was drawn from, N.
        step: number of steps taken before this one: a tensor (0-dimensional, float64) where all objectives of the
            ensemble are ``capturable``, else an integer.
        steps: number of steps of the whole run.
        noise: the standard normal draws from which z was computed, z = mean + exp(logvar / 2) noise, M x B x d.
        factors: ground-truth factors of the images, M x B x k int64; None unless the card says ``needs_factors``.
        factor_sizes: number of values of each factor, where they are known.
        labelled: whether the factors of each image may be used, M x B; None unless the card names ``labels``.
        other: a second batch; None unless the card says ``second_batch``.
        extra: parameters other than the network's by full name (``head.*`` and ``adversary.*``), each M x its shape.
        likelihood_factor: what the likelihood of an image is multiplied by.
    """

    x: Tensor
    logits: Tensor
    z: Tensor
    mean: Tensor
    logvar: Tensor
    data_size: int
    step: int | Tensor
    steps: int
    noise: Tensor | None = None
    factors: Tensor | None = None
    factor_sizes: tuple[int, ...] = ()
    labelled: Tensor | None = None
    other: SecondBatch | None = None
    extra: Mapping[str, Tensor] = field(default_factory=dict)
    likelihood_factor: float = 1.0

    @property
    def reconstruction(self) -> Tensor:
        """Negative log-likelihood of an image as trained: summed over its pixels, times the likelihood factor (M)."""
        return self.likelihood_factor * bernoulli_nll(self.x, self.logits).mean(1)

    @property
    def kl(self) -> Tensor:
        """Divergence of the posterior from N(0, 1), summed over the codes (M)."""
        return gaussian_kl(self.mean, self.logvar).sum(2).mean(1)

    def members(self, which: slice) -> Batch:
        """Return the batches of some of the members."""
        tensors = {name: value for name, value in vars(self).items() if isinstance(value, Tensor)}
        tensors.pop("step", None)  # the only tensor without a member axis
        chosen: dict[str, Any] = {name: value[which] for name, value in tensors.items()}
        chosen["other"] = None if self.other is None else self.other.members(which)
        chosen["extra"] = {name: values[which] for name, values in self.extra.items()}
        return replace(self, **chosen)


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of an objective on a batch, each one number a member (M), in nats an image.

    Attributes:
        loss: what network and heads minimise; its gradient reaches no adversary.
        reconstruction: negative log-likelihood of an image as trained (:attr:`Batch.reconstruction`).
        kl: divergence of the posterior from the prior, summed over the codes.
        others: further terms by name, such as ``total_correlation``.
        adversary_loss: what the adversary minimises; its gradient reaches nothing else. None where there is none.
    """

    loss: Tensor
    reconstruction: Tensor
    kl: Tensor
    others: Mapping[str, Tensor] = field(default_factory=dict)
    adversary_loss: Tensor | None = None


@dataclass(frozen=True)
class ObjectiveCard:
    """What an objective declares about itself.

    Attributes:
        name: the function's name, also on the command line.
        strength: name of the keyword that takes the strength of regularisation, a tensor of M numbers.
        swept: strengths that the study swept.
        swept_in: where the study says so.
        cite: key of the paper the objective comes from.
        label: its name in tables and figures.
        summary: first line of its docstring.
        larger: what a larger strength does.
        plain_at: strength at which it is the plain VAE; ``None`` if there is no such strength.
        constants: keywords of the function that are held fixed, at the study's values. A run may choose others.
        needs_factors: whether it is given the ground-truth factors of its images.
        labels: share of the data set's images whose factors it may use, a fixed random subset of each member.
        second_batch: whether it is given the codes of a second batch.
        extra: shapes of parameters named ``head.*``, trained on the network's loss by the network's optimiser.
        adversary: shapes of parameters named ``adversary.*``, trained on ``Terms.adversary_loss`` by their own Adam.
        adversary_rate: the adversary's learning rate as a multiple of the run's.
        adversary_betas: the betas of the adversary's Adam.
        capturable: whether a step can be captured as a CUDA graph: every step does the same operations, only on tensors
            of the batch's device, and waits for none of them. False if the objective branches on ``Batch.step``.
        pitfalls: what goes wrong elsewhere -> the test that shows what is done here, which docs/objectives.md explains.
    """

    name: str
    strength: str
    swept: tuple[float, ...]
    swept_in: str
    cite: str
    label: str
    summary: str
    larger: str = "regularises more"
    plain_at: float | None = None
    constants: Mapping[str, float] = field(default_factory=dict, hash=False)
    needs_factors: bool = False
    labels: float | None = None
    second_batch: bool = False
    extra: ExtraShapes | None = None
    adversary: ExtraShapes | None = None
    adversary_rate: float = 1.0
    adversary_betas: tuple[float, float] = (0.9, 0.999)
    capturable: bool = True
    pitfalls: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.labels is not None and not (self.needs_factors and 0 < self.labels <= 1):
            raise InvalidInput(
                f"labels of {self.name} must be a share in (0, 1] of images whose factors are needed, got {self.labels}"
            )
        if not self.adversary_rate > 0 or not all(0 <= beta < 1 for beta in self.adversary_betas):
            raise InvalidInput(
                f"the adversary of {self.name} must have a positive rate and betas in [0, 1), "
                f"got {self.adversary_rate} and {self.adversary_betas}"
            )

    @property
    def shared_settings(self) -> tuple[object, ...]:
        """What members of one ensemble must have in common: their parameters other than the network's."""
        return (self.extra, self.adversary, self.adversary_rate, self.adversary_betas)

    def tuned(self, chosen: Mapping[str, float]) -> ObjectiveCard:
        """Return this card with some of its constants, or its ``adversary_rate``, at chosen values.

        Raises:
            InvalidInput: a name that is no constant of this objective, or a rate out of range.
        """
        known = {*self.constants, *(() if self.adversary is None else ("adversary_rate",))}
        if unknown := sorted(set(chosen) - known):
            raise InvalidInput(
                f"constants of {self.name} must be among {', '.join(sorted(known)) or 'none'}, got {', '.join(unknown)}"
            )
        constants = {name: chosen.get(name, default) for name, default in self.constants.items()}
        return replace(self, constants=constants, adversary_rate=chosen.get("adversary_rate", self.adversary_rate))

    def extra_shapes(self, network: Network, factor_sizes: tuple[int, ...]) -> Shapes:
        """Return the shapes of all parameters other than the network's, heads first; most objectives have none."""
        shapes: Shapes = {}
        for prefix, declared in (("head.", self.extra), ("adversary.", self.adversary)):
            part = {} if declared is None else declared(network, factor_sizes)
            if strange := [name for name in part if not name.startswith(prefix)]:
                raise InvalidInput(f"parameters of {self.name} must be named {prefix}*, got {strange}")
            shapes |= part
        return shapes


OBJECTIVES: dict[str, Callable[..., Terms]] = {}


def objective(**declared: Any) -> Callable[[Function], Function]:
    """Attach an :class:`ObjectiveCard` to an objective and list it under its own name; see the card for arguments."""

    def attach(function: Function) -> Function:
        name = function.__name__
        if name in OBJECTIVES:
            raise InvalidInput(f"objective name must be unique, got {name!r} twice")
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        function.card = ObjectiveCard(name=name, summary=summary, **declared)  # type: ignore[attr-defined]
        OBJECTIVES[name] = function
        return function

    return attach


def find_objective(name: str) -> Callable[..., Terms]:
    """Return the objective of that name; the error for an unknown name lists all."""
    return find("objective", name, OBJECTIVES)


def find_card(name: str) -> ObjectiveCard:
    """Return the card of the objective of that name; the error for an unknown name lists all."""
    card: ObjectiveCard = find_objective(name).card  # type: ignore[attr-defined]
    return card
