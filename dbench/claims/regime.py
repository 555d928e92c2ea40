"""Regime: what a unit must be like before a sentence speaks of it.

A unit is an objective or a system. A condition is asked of each, never of a pool, and computed from the models alone,
never from the statistic that is judged. Units outside are left out by name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dbench.claims.rules import Rule, Verdict, above
from dbench.errors import EvidenceLacking, InvalidInput
from dbench.estimates.population import Population
from dbench.estimates.zoo_statistics import settings_of
from dbench.stats import exact


@dataclass(frozen=True)
class Predicate:
    """One condition on a unit.

    Attributes:
        says: what the value is, in words.
        rule: the range in which a unit is in the regime.
        source: where the threshold comes from.
        reason: why it can hold whether the sentence is true or false.
        measure: takes a population and the name of a unit, returns the value.
        units: those that the sentence pools; empty for all that a table has.

    Raises:
        InvalidInput: a condition without a source or a reason.
    """

    name: str
    says: str
    rule: Rule
    source: str
    reason: str
    measure: Callable[[Population, str], float]
    units: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("source", "reason"):
            if not getattr(self, name).strip():
                raise InvalidInput(f"{name} of condition {self.name!r} must be given, got none")

    def check(self, population: Population, units: Sequence[str] = ()) -> dict[str, Any]:
        """Return the condition with the value of each unit, and which are outside, as a record shows it.

        Args:
            population: of trained models.
            units: those of the case, where it is not of all that the sentence pools.

        Raises:
            EvidenceLacking: the population holds none of the units concerned.
        """
        asked = tuple(units or self.units or population.objectives)
        concerned = [unit for unit in asked if unit in population.objectives]
        if not concerned:
            raise EvidenceLacking(f"{population.name} holds no {' or '.join(asked)}, of which {self.name!r} is asked")
        values = {unit: _measured(self, population, unit) for unit in concerned}
        outside = [u for u, v in values.items() if self.rule.decide(exact(v).at(1.0)) is not Verdict.REPRODUCED]
        return {
            "name": self.name,
            "says": self.says,
            "rule": str(self.rule),
            "source": self.source,
            "reason": self.reason,
            "values": values,
            "outside": outside,
            "holds": 2 * (len(values) - len(outside)) >= len(values),
        }


def too_few(checked: Sequence[dict[str, Any]], conditions: int) -> bool:
    """Whether in some population fewer than half of the units are left by all conditions together.

    ``checked`` has what each of so many conditions found in every population, condition by condition.
    """
    populations = len(checked) // conditions if conditions else 0
    for number in range(populations):
        own = checked[number::populations]
        units, outside = ({unit for one in own for unit in one[of]} for of in ("values", "outside"))
        if 2 * len(outside) > len(units):
            return True
    return False


# Many claims ask the same of one table, which takes up to a second.
@lru_cache(maxsize=256)
def _measured(predicate: Predicate, population: Population, unit: str) -> float:
    return float(predicate.measure(population, unit))


def mean_above(score: str, least: Rule, *, chance: str = "", **fields: Any) -> Predicate:
    """Return the condition that a score is in a range on average over a unit's models.

    Args:
        score: of the table.
        least: the range.
        chance: score by which accuracies are adjusted, (score - chance) / (1 - chance); empty for none.
        fields: others of :class:`Predicate`.
    """

    def measure(population: Population, unit: str) -> float:
        value = float(settings_of(population, score, objectives=[unit]).mean())
        guessing = float(settings_of(population, chance, objectives=[unit]).mean()) if chance else 0.0
        return (value - guessing) / (1 - guessing)

    return Predicate(rule=least, measure=measure, **fields)


ALL_CODES_TELL = mean_above(
    "mlp_accuracy",
    above(0.485),
    name="all codes tell",
    says="mean accuracy of an MLP on all codes, adjusted for chance",
    source="Correcting Flaws, Table 2: the smallest of 18, PartedVAE-ss on dSprites",
    reason="what all codes tell may lie in a code for each factor or be spread over many",
)
