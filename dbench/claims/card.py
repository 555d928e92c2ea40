"""The card of a claim: what is claimed, on what evidence, by which rule, decided before looking."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

from dbench.claims.rules import Rule, Verdict
from dbench.errors import InvalidInput
from dbench.stats import Estimate

__all__ = ["CARD_ATTRIBUTE", "Claim", "Evidence", "Judgement", "Kind", "Printed"]

Function = TypeVar("Function", bound=Callable[..., Any])
Evidence = Literal["synthetic", "published", "zoo"]
Kind = Literal["direction", "size", "equivalence", "ranking", "existence", "impossibility"]
Tier = Literal["smoke", "full"]
Rollup = Literal["all", "each"]

# The attribute by which the pytest plugin finds the card of a test function.
CARD_ATTRIBUTE = "dbench_card"


@dataclass(frozen=True)
class Printed:
    """A figure as the paper prints it, and how far ours may lie from it to count as the same.

    Attributes:
        text: as printed, with its context.
        value: the number to compare with; ``None`` where the text gives no single number.
        tolerance: largest distance that still agrees, rounding of the printed figure included.

    Raises:
        InvalidInput: a value or tolerance that nothing, or everything, would agree with.
    """

    text: str
    value: float | None = None
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        """Insist on a finite value and a finite tolerance of at least 0."""
        if not math.isfinite(self.value or 0.0):
            raise InvalidInput(f"value of printed figure {self.text!r} must be finite, got {self.value}")
        if not 0 <= self.tolerance < math.inf:
            raise InvalidInput(f"tolerance of printed figure {self.text!r} must be at least 0, got {self.tolerance}")

    def agrees(self, estimate: Estimate) -> bool | None:
        """Whether our number is the printed one; ``None`` where no number is printed."""
        return None if self.value is None else abs(estimate.value - self.value) <= self.tolerance


@dataclass(frozen=True)
class Judgement:
    """The verdict on one estimate, and why."""

    verdict: Verdict
    reason: str
    printed: Printed | None
    printed_agrees: bool | None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One finding on one kind of evidence. Every field is required, so that none is forgotten.

    Attributes:
        id: id of the finding in the ledger; never changes meaning.
        part: names the piece of the finding that this card judges, empty for the whole.
        where: section, figure, table or equation of the paper.
        says: the statement in one sentence, in our words.
        evidence: what decides it.
        kind: sort of statement.
        population: what is varied and what is fixed.
        deviations: where this differs from the paper's conditions.
        unit: what is replicated, and so resampled.
        statistic: what the estimate is.
        rule: the inequality that decides.
        confidence: of the interval the rule is applied to.
        min_n: fewest units that can decide.
        printed: the paper's own figure, if it gives one.
        tier: ``smoke`` for what every session runs.
        rollup: how the verdicts over parameters add up: ``all`` must hold, or ``each`` stands for itself.
        revision: grows when the rule or the statistic changes.
        superseded_by: id of the claim that replaces this one.
    """

    id: str
    part: str
    where: str
    says: str
    evidence: Evidence
    kind: Kind
    population: str
    deviations: tuple[str, ...]
    unit: str
    statistic: str
    rule: Rule
    confidence: float
    min_n: int
    printed: Printed | None
    tier: Tier
    rollup: Rollup
    revision: int
    superseded_by: str | None

    def __post_init__(self) -> None:
        """Refuse a card outside the closed vocabularies."""
        for field, vocabulary in (("evidence", Evidence), ("kind", Kind), ("tier", Tier), ("rollup", Rollup)):
            if getattr(self, field) not in get_args(vocabulary):
                raise InvalidInput(
                    f"{field} of claim {self.id!r} must be one of {get_args(vocabulary)}, got {getattr(self, field)!r}"
                )
        if "." not in self.id:
            raise InvalidInput(f"id of a claim must read paper.finding, got {self.id!r}")
        if not 0 < self.confidence <= 1:
            raise InvalidInput(f"confidence of claim {self.id!r} must lie in (0, 1], got {self.confidence}")
        if self.min_n < 1:
            raise InvalidInput(f"min_n of claim {self.id!r} must be at least 1, got {self.min_n}")

    @property
    def paper(self) -> str:
        """Short name of the paper, the first part of the id."""
        return self.id.partition(".")[0]

    def covers(self, test: Function) -> Function:
        """Mark a test function as judging this claim, and no other."""
        if hasattr(test, CARD_ATTRIBUTE):
            raise InvalidInput(f"a test must cover one claim, but {test.__name__} covers two: {self.id} is the second")
        setattr(test, CARD_ATTRIBUTE, self)
        return test

    def judge(self, estimate: Estimate, *, printed: Printed | None = None) -> Judgement:
        """Decide on an estimate by the card's rule and minimum n.

        Args:
            estimate: the statistic, with an interval of at least the card's confidence.
            printed: the figure for this very case, where the card covers several.

        Raises:
            InvalidInput: an interval of lower confidence than the card promises.
        """
        if estimate.confidence < self.confidence:
            raise InvalidInput(
                f"{self.id} is judged at confidence {self.confidence:g}, got an interval of {estimate.confidence:g}"
            )
        figure = printed or self.printed
        agrees = figure.agrees(estimate) if figure else None
        spread_known = math.isfinite(estimate.low) or math.isfinite(estimate.high)
        if estimate.n < self.min_n or not spread_known:
            least = self.min_n if spread_known else max(self.min_n, estimate.n + 1)
            reason = f"{_shown(estimate)}: needs at least {least} ({self.unit})"
            return Judgement(Verdict.INCONCLUSIVE, reason, figure, agrees)
        verdict = self.rule.decide(estimate)
        reason = f"{_shown(estimate)}; rule: {self.rule}"
        if verdict is Verdict.INCONCLUSIVE:
            n = self.rule.n_to_settle(estimate)
            reason += f"; about n = {n} would settle it" if n else "; more of the same would not settle it"
        return Judgement(verdict, reason, figure, agrees)


def _shown(estimate: Estimate) -> str:
    interval = "" if estimate.is_exact else f" [{estimate.low:.4g}, {estimate.high:.4g}]"
    return f"{estimate.value:.4g}{interval}, n = {estimate.n}"
