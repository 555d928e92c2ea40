"""The card of a claim: the sentence, its evidence and its decision rule, all fixed before the data are looked at."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, get_args

from dbench.claims.regime import Predicate
from dbench.claims.rules import Rule, Verdict
from dbench.errors import InvalidInput
from dbench.stats import Estimate, Interval

Function = TypeVar("Function", bound=Callable[..., Any])
Evidence = Literal["synthetic", "published", "zoo"]
CardRole = Literal["primary", "cell", "probe", "print"]
Role = CardRole | Literal["size", "fresh"]

SOURCES = ("paper", "sign", "lexicon")

# The attribute by which the pytest plugin finds the card of a test function.
CARD_ATTRIBUTE = "dbench_card"
# The attribute that says why a test cannot be judged, where that was found when it was marked.
_FAULT_ATTRIBUTE = "dbench_fault"

# Equal units differ by up to this share of their size, by rounding, once their mean is subtracted.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Printed:
    """A figure as the paper prints it, with its spread, which tells how far a replication may lie from it.

    Attributes:
        text: the figure as printed.
        value: the number; ``None`` where the text gives no single one.
        spread: standard deviation over the units whose mean the number is; ``None`` where the paper prints none.
        n: number of these units.

    Raises:
        InvalidInput: a value that is not finite, a spread below 0, or one of fewer than two units.
    """

    text: str
    value: float | None = None
    spread: float | None = None
    n: int = 0

    def __post_init__(self) -> None:
        if not math.isfinite(self.value or 0.0):
            raise InvalidInput(f"value of printed figure {self.text!r} must be finite, got {self.value}")
        if self.spread is not None and (not 0 <= self.spread < math.inf or self.n < 2):
            raise InvalidInput(
                f"spread of printed figure {self.text!r} must be at least 0, of two units or more, "
                f"got {self.spread} of {self.n}"
            )

    def expects(self, seen: Interval) -> tuple[float, float] | None:
        """Return the 95% prediction interval of our value if both are means of one distribution.

        The prediction interval of a replication (Patil, Peng and Leek 2016; Spence and Stanley 2016) adds the errors
        of both numbers in squares, with Student's t of the smaller number of units. ``None`` where a spread is not
        known, the paper's or ours: nothing can stand in for it.

        Example:
            >>> low, high = Printed("0.54 +- 0.06", 0.54, 0.06, 9).expects(Interval(0.4, 0.35, 0.45, 20, 0.95))
            >>> round(low, 2), round(high, 2)
            (0.47, 0.61)
        """
        if self.value is None or self.spread is None or seen.is_exact or seen.n < 2:
            return None
        from scipy.special import stdtrit

        half = max(seen.high - seen.value, seen.value - seen.low)  # the other end may be cut to the bounds
        error = half / stdtrit(seen.n - 1, (1 + seen.confidence) / 2)
        if not math.isfinite(error):
            return None
        quantile = stdtrit(min(self.n, seen.n) - 1, 0.975)
        width = float(quantile * math.hypot(error, self.spread / math.sqrt(self.n)))
        return self.value - width, self.value + width


@dataclass(frozen=True)
class Judgement:
    """The verdict on one estimate, and why.

    Attributes:
        reason: the numbers that decided, or the evidence that was missing.
        interval: the interval judged, cut to the bounds of the statistic; ``None`` where evidence was lacking.
        settles_at: number of units that would settle an undecided verdict; ``None`` if more units would not.
    """

    verdict: Verdict
    reason: str
    interval: Interval | None = None
    settles_at: int | None = None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One sentence on one kind of evidence.

    Attributes:
        id: id of the finding in the ledger; never changes meaning.
        role: a role of docs/concepts/verdict.md except ``size`` and ``fresh``, which only records have.
        evidence: kind that decides it: ``synthetic`` constructions, ``published`` tables, or trained models (``zoo``).
        population: what is varied and what is fixed.
        statistic: what the estimate is.
        rule: the range of the statistic in which the sentence is true, and its value without an effect.
        unit: what is replicated and therefore resampled, in the singular.
        says: the statement in one sentence, in our words; empty where the ledger's row has it.
        where: section, figure, table or equation of the paper; empty where the ledger's row has it.
        roles: role of a case by the id of one of its parameters, where it differs from the card's:
            ``{"active": "probe"}``; the first entry that fits a case counts.
        part: tells this card from the others of its finding; empty for the finding as a whole.
        quote: the paper's sentence, word for word; ``[...]`` stands for words left out. A primary card has one.
        confidence: confidence of the interval that the rule is applied to.
        min_n: smallest number of units that can decide.
        printed: the paper's own figure, if any; by the id of a parameter where the card covers several cases.
        deviations: differences from the paper's conditions, a sentence each.
        regime: conditions that a unit must meet for the sentence to apply to it.
        source: where the bound comes from: ``"paper: <its word>"`` (the smallest printed value that the authors call
            so, or the printed figure), ``"sign"`` (the sentence says more, less or not at all), or
            ``"lexicon: <word>"`` (``claims/bounds.toml``). A primary card has one.
        demonstration: whether the sentence is true by definition or proof, or says that something exists and one
            example shows it; its verdict is then called demonstrated, not reproduced.
        bounds: lowest and highest value that the statistic can have; intervals are cut to them.
        given: arguments of the test by name, beside the evidence and its parameters: the construction that the
            sentence is about, how often it is drawn, thresholds.
        false: the negative control: arguments by name for which the sentence is false; other arguments have their
            values of the first case. Trained models are simulated there (:mod:`dbench.estimates.simulated`).
        filtered: arguments that replace ``given`` when the test is called once more, on the models or codes that a
            filter keeps. If the filter removes any, the record shows this second result; it decides nothing.
        revision: number that is raised whenever the rule or the statistic changes.

    Raises:
        InvalidInput: a field outside its vocabulary, a primary card without a quotation, or a regime without models.
    """

    id: str
    evidence: Evidence
    population: str
    statistic: str
    rule: Rule
    unit: str
    role: CardRole = "primary"
    says: str = ""
    where: str = ""
    roles: Mapping[str, CardRole] = field(default_factory=dict)
    part: str = ""
    quote: str = ""
    confidence: float = 0.95
    min_n: int = 1
    printed: Printed | Mapping[str, Printed] | None = None
    deviations: tuple[str, ...] = ()
    regime: tuple[Predicate, ...] = ()
    source: str = ""
    demonstration: bool = False
    bounds: tuple[float, float] = (-math.inf, math.inf)
    given: Mapping[str, Any] = field(default_factory=dict, compare=False)
    false: Mapping[str, Any] = field(default_factory=dict, compare=False)
    filtered: Mapping[str, Any] = field(default_factory=dict, compare=False)
    revision: int = 1

    def __post_init__(self) -> None:
        for name, vocabulary in (("evidence", Evidence), ("role", CardRole)):
            if getattr(self, name) not in get_args(vocabulary):
                raise InvalidInput(
                    f"{name} of claim {self.id!r} must be one of {get_args(vocabulary)}, got {getattr(self, name)!r}"
                )
        if strange := [role for role in self.roles.values() if role not in get_args(CardRole)]:
            raise InvalidInput(f"roles of claim {self.id!r} must be among {get_args(CardRole)}, got {strange[0]!r}")
        if "." not in self.id:
            raise InvalidInput(f"id of a claim must read paper.finding, got {self.id!r}")
        if self.role == "primary" and not self.quote.strip():
            raise InvalidInput(f"quote of primary claim {self.id!r} must be the paper's sentence, got none")
        if self.regime and self.evidence != "zoo":
            raise InvalidInput(f"regime of claim {self.id!r} is for trained models alone, got one on {self.evidence}")
        if self.source and self.source.partition(":")[0] not in SOURCES:
            raise InvalidInput(f"source of claim {self.id!r} must begin with one of {SOURCES}, got {self.source!r}")
        if not 0 < self.confidence <= 1:
            raise InvalidInput(f"confidence of claim {self.id!r} must lie in (0, 1], got {self.confidence}")
        if self.min_n < 1:
            raise InvalidInput(f"min_n of claim {self.id!r} must be at least 1, got {self.min_n}")

    @classmethod
    def zoo(cls, **fields: Any) -> Claim:
        """Return a card on trained models; by default on all runs, with seeds as units, at least five."""
        usual: dict[str, Any] = {"evidence": "zoo", "unit": "seed", "min_n": 5}
        usual["population"] = "all runs: objectives, strengths and seeds"
        return cls(**(usual | fields))

    @classmethod
    def synthetic(cls, **fields: Any) -> Claim:
        """Return a card on synthetic constructions; by default with samples as units, at least five."""
        usual: dict[str, Any] = {"evidence": "synthetic", "unit": "sample", "min_n": 5}
        return cls(**(usual | fields))

    @classmethod
    def published(cls, **fields: Any) -> Claim:
        """Return a card on published tables; by default exact, with pairs of their rows as units."""
        usual: dict[str, Any] = {"evidence": "published", "unit": "pair", "confidence": 1.0}
        return cls(**(usual | fields))

    def cell(self, part: str, **changes: Any) -> Claim:
        """Return the card of a part of this sentence, with ``printed``, ``roles``, ``given`` and ``filtered`` empty."""
        emptied: dict[str, Any] = {"printed": None, "roles": {}, "given": {}, "filtered": {}}
        return replace(self, **({"role": "cell", "part": part} | emptied | changes))

    def probe(self, part: str, **changes: Any) -> Claim:
        """Return the card of a related question of ours, about which the paper gives neither a sentence nor a bound."""
        fields: dict[str, Any] = {"role": "probe", "quote": "", "source": "", "demonstration": False}
        return self.cell(part, **(fields | changes))

    @property
    def paper(self) -> str:
        """Short name of the paper, the first part of the id."""
        return self.id.partition(".")[0]

    @property
    def name(self) -> str:
        """Name that no other card has: id, evidence and part."""
        return name_of(self.id, self.evidence, self.part)

    def covers(self, test: Function) -> Function:
        """Mark a test function, which returns an estimate, as the test of this claim; one of two claims is refused."""
        if hasattr(test, CARD_ATTRIBUTE):
            fault = f"a test must cover one claim, but {test.__name__} covers two: {self.name!r} is the second"
            setattr(test, _FAULT_ATTRIBUTE, fault)
            return test
        setattr(test, CARD_ATTRIBUTE, self)
        return test

    def printed_for(self, ids: tuple[str, ...] = ()) -> Printed | None:
        """Return the paper's figure for a case, or None, by its parameters' ids: joined with hyphens, else singly."""
        if self.printed is None or isinstance(self.printed, Printed):
            return self.printed
        return next((self.printed[name] for name in ("-".join(ids), *ids) if name in self.printed), None)

    def cut(self, estimate: Interval) -> Interval:
        """Return an estimate with its interval cut to the card's bounds; infinite ends stay.

        Raises:
            InvalidInput: a value outside the bounds.
        """
        lowest, highest = self.bounds
        if not lowest <= estimate.value <= highest:
            raise InvalidInput(f"{self.name} has a statistic from {lowest:g} to {highest:g}, got {estimate.value:g}")
        ends = (estimate.low, estimate.high)
        low, high = (end if math.isinf(end) else min(max(end, lowest), highest) for end in ends)
        return replace(estimate, low=low, high=high)

    def judge(self, estimate: Estimate, *, confidence: float | None = None) -> Judgement:
        """Return the verdict on an estimate, cut to the card's bounds, by the card's rule and minimum n.

        ``confidence`` is given for cells, which share one error level; by default it is the card's.

        Raises:
            InvalidInput: a value outside the bounds.
        """
        uncut = estimate.at(self.confidence if confidence is None else confidence)
        cut = self.cut(uncut)
        spread_known = math.isfinite(cut.low) or math.isfinite(cut.high)
        if cut.n < self.min_n or not spread_known:
            least = self.min_n if spread_known else max(self.min_n, cut.n + 1)
            return Judgement(Verdict.UNDECIDED, f"{_shown(cut)}: needs at least {least} ({self.unit})", cut, least)
        verdict = self.rule.decide(cut)
        reason = f"{_shown(cut)}; the rule is {self.rule}"
        width, size = uncut.high - uncut.low, max(abs(uncut.low), abs(uncut.high))
        if self.evidence == "zoo" and width <= _ROUNDING * size < math.inf and not cut.is_exact:
            # Of constructions this is fine: their repetitions may all reach the end of a scale. Models are a sample.
            reason = f"{reason}; all units gave the same: nothing says how the next may differ"
            return Judgement(Verdict.UNDECIDED, reason, cut)
        if verdict is Verdict.REPRODUCED and self.demonstration:
            verdict = Verdict.DEMONSTRATED
        if verdict is not Verdict.UNDECIDED:
            return Judgement(verdict, reason, cut)
        n = self.rule.n_to_settle(uncut)  # the distance to a cut end is not the spread
        more = f"about n = {n} would settle it" if n else "more of the same would not settle it"
        return Judgement(verdict, f"{reason}; {more}", cut, n)


def fault_of(test: Callable[..., Any]) -> str:
    """Return why a test that covers a claim cannot be judged, or an empty text if it can."""
    card: Claim = getattr(test, CARD_ATTRIBUTE)
    if card.role in ("primary", "cell") and not card.false:
        return f"false of card {card.name!r} must name where its sentence is false, got nothing"
    if card.role == "primary" and not card.source:
        return f"source of card {card.name!r} must say where its bound comes from ({', '.join(SOURCES)}), got nothing"
    printed = {"": card.printed} if isinstance(card.printed, Printed) else card.printed or {}
    # The paper's figures for cases with a role of their own need not pass: they do not head the finding.
    figures = [figure for ids, figure in printed.items() if not card.roles.keys() & set(ids.split("-"))]
    if card.source.startswith("paper") and (failing := [f for f in figures if not card.rule.allows(f.value)]):
        return (
            f"rule of card {card.name!r} must let the paper's own figures pass, got {card.rule} and {failing[0].text}"
        )
    return str(getattr(test, _FAULT_ATTRIBUTE, ""))


def name_of(claim: str, evidence: str, part: str) -> str:
    """Return the name of a card from the fields of its record."""
    return " / ".join(filter(None, [claim, evidence, part]))


def _shown(estimate: Interval) -> str:
    interval = "" if estimate.is_exact else f" [{estimate.low:.4g}, {estimate.high:.4g}]"
    return f"{estimate.value:.4g}{interval}, n = {estimate.n}"
