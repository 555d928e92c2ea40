"""Regime: conditions that trained models must meet before a sentence about the papers' models is judged on them.

A predicate is computed from the evidence alone, never from the statistic of the claim it gates.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from dbench.claims.rules import Rule, Verdict, above, below
from dbench.errors import EvidenceLacking
from dbench.estimates.population import Population
from dbench.estimates.relations import HELD, relations_of
from dbench.estimates.zoo_statistics import arrays_of, settings_of
from dbench.stats import exact, variance_explained


@dataclass(frozen=True)
class Predicate:
    """One condition on the trained models.

    Attributes:
        says: what the value is, in words.
        rule: the range in which the models are in regime.
        source: where the threshold comes from: the paper's own models, an estimator's floor, pilot seeds.
        measure: takes a population and the objectives concerned (``None``: all), returns the value.
        by_objective: the value is that of one objective, the smallest; where it is too small the record names it.
        objectives: those whose models it looks at where a case is not of one objective; empty for all.
    """

    name: str
    says: str
    rule: Rule
    source: str
    measure: Callable[[Population, Sequence[str] | None], float]
    by_objective: bool = False
    objectives: tuple[str, ...] = ()

    def check(self, population: Population, objectives: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the predicate with its value, and whether it holds, as a record shows it.

        Raises:
            EvidenceLacking: the population holds none of the objectives concerned.
        """
        asked = tuple(objectives or self.objectives)
        concerned = tuple(o for o in asked if o in population.objectives) or None
        if asked and not concerned:
            raise EvidenceLacking(f"{population.name} holds no {' or '.join(asked)}, of which {self.name!r} is asked")
        value = _measured(self, population, concerned)
        holds = self.rule.decide(exact(value).at(1.0)) is Verdict.REPRODUCED
        where = ""
        each = concerned or population.objectives
        if self.by_objective and not holds and len(each) > 1:
            where = ", here of " + " and ".join(o for o in each if _measured(self, population, (o,)) == value)
        return {
            "name": self.name,
            "says": self.says + where,
            "rule": str(self.rule),
            "source": self.source,
            "value": value,
            "holds": holds,
        }


# Many claims ask the same of one table, which takes up to a second.
@lru_cache(maxsize=256)
def _measured(predicate: Predicate, population: Population, objectives: tuple[str, ...] | None) -> float:
    return float(predicate.measure(population, objectives))


def _factors_held(population: Population, objectives: Sequence[str] | None) -> float:
    information = relations_of(population, "mutual_information", objectives=objectives)
    return float(np.median((information.max(axis=2) > HELD).mean(axis=-1)))


def _between(population: Population, objectives: Sequence[str] | None) -> float:
    divergence = arrays_of(population, "kl.code", objectives=objectives)
    return float(((divergence > 1e-3) & (divergence < 1e-1)).mean())


def _codes_gained(population: Population, objectives: Sequence[str] | None) -> float:
    def gained(objective: str) -> float:
        codes = settings_of(population, "kl.informative", objectives=[objective]).mean(axis=0)
        return float(codes[-1] - codes[0])

    return max(gained(objective) for objective in objectives or population.objectives)


def _moved_by_strength(population: Population, objectives: Sequence[str] | None) -> float:
    def share(objective: str) -> float:
        swept = settings_of(population, "kl", objectives=[objective])
        return variance_explained(swept.ravel(), np.broadcast_to(np.arange(swept.shape[1]), swept.shape).ravel())

    population.enough_seeds(2)
    return min(share(objective) for objective in objectives or population.objectives)


FACTORS_HELD = Predicate(
    name="factors held",
    says="share of the factors that a code of the median model holds (mutual information above 0.1 nats)",
    rule=above(0.5),
    source="published traversals of dSprites models show both positions and the scale: three factors of five",
    measure=_factors_held,
)
POLARISED = Predicate(
    name="codes polarised",
    says="share of codes whose divergence from the prior lies between 0.001 and 0.1 nats",
    rule=below(0.1),
    source="pilots: none at 16 x 16 after 20,000 steps of beta-VAE, 0 to 10% at 32 and 64 (seeds of their own)",
    measure=_between,
)
CODES_KEPT = Predicate(
    name="no codes gained",
    says="informative codes at the highest strength minus those at the lowest, on average (largest over objectives)",
    rule=below(2.0),
    source="models of 6,000 steps: FactorVAE gained 0.5 with strengths that suit its images, 6.6 with those too large",
    measure=_codes_gained,
)
PENALTY_MOVES = Predicate(
    name="penalty moves",
    says="share of the variance of the divergence from the prior that the strength explains (smallest over objectives)",
    rule=above(0.5),
    source="half: below it seeds decide more than the strength, and the sweep orders noise",
    measure=_moved_by_strength,
    by_objective=True,
)


def above_floor(score: str, reference: tuple[str, float]) -> Predicate:
    """Return the predicate that a Gaussian total correlation is five times what independent codes come out at.

    The score is ``gaussian_tc.<codes>``, the reference the objective and strength whose value others are divided by;
    d = 10 independent codes and n = 10,000 observations come out at d (d - 1) / (4 n) nats on average, to first order.
    """
    floor = 10 * 9 / 40_000

    def ratio(population: Population, _: Sequence[str] | None) -> float:
        objective, strength = reference
        places = np.flatnonzero(population.strengths(objective) == strength)
        if not len(places):
            return 0.0
        return float(np.median(population.scores(score, objective)[:, places[0]]) / floor)

    return Predicate(
        name="above the floor",
        says=f"{score} of {reference[0]} at {reference[1]:g} over that of independent codes",
        rule=above(5.0),
        source=f"expected value for 10 independent codes and 10,000 observations: {floor:.4g} nats",
        measure=ratio,
    )


def knows_familiar(systems: Sequence[str], least: float, source: str) -> Predicate:
    """Return the predicate that a classifier of the codes knows familiar combinations, on average over systems.

    The systems are objectives; ``least`` is the accuracy on a random split that is asked of them, adjusted for chance,
    and ``source`` says where that comes from.
    """

    def adjusted(population: Population, _: Sequence[str] | None) -> float:
        accuracy, guessing = (
            float(settings_of(population, f"novel.{score}", objectives=systems).mean())
            for score in ("random_split.mlp", "chance")
        )
        return (accuracy - guessing) / (1 - guessing)

    return Predicate(
        name="familiar combinations known",
        says=f"mean accuracy of {', '.join(systems)} on a random split, adjusted for chance",
        rule=above(least),
        source=source,
        measure=adjusted,
    )


def of_objectives(predicate: Predicate, *objectives: str) -> Predicate:
    """Return a predicate that looks at the models of these objectives alone."""
    return replace(predicate, says=f"{predicate.says}, of {' and '.join(objectives)}", objectives=objectives)
