"""Regime: conditions that a unit must meet before a sentence applies to it.

A unit is an objective or a system. A condition is checked on each unit, never on a pool of them, and is computed from
the models alone, never from the statistic that is judged. Units outside the regime are left out and named.
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
        name: short name of the condition.
        says: what the value is, in words.
        rule: the range of the value in which a unit is in the regime.
        source: where the threshold comes from.
        reason: why it can hold whether the sentence is true or false.
        measure: takes a population and the name of a unit, returns the value.
        units: the units that the sentence pools; empty for all units of a table.

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
        """Check the condition on each unit, and return it with the results as a record shows them.

        Args:
            population: trained models.
            units: the units of the case; by default all units that the sentence pools.

        Returns:
            Fields of the condition, ``values`` by unit, the units ``outside`` its range, and ``holds``: whether at
            least half of the units are inside.

        Raises:
            EvidenceLacking: the population holds none of the units.
        """
        wanted = tuple(units or self.units or population.objectives)
        present = [unit for unit in wanted if unit in population.objectives]
        if not present:
            raise EvidenceLacking(f"{population.name} holds no {' or '.join(wanted)}, of which {self.name!r} is asked")
        values = {unit: _measured(self, population, unit) for unit in present}
        verdicts = {unit: self.rule.decide(exact(value).at(1.0)) for unit, value in values.items()}
        outside = [unit for unit, verdict in verdicts.items() if verdict is not Verdict.REPRODUCED]
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
    """Whether some population keeps fewer than half of its units under all conditions together.

    ``checked`` holds the results of :meth:`Predicate.check`, condition by condition, each for every population in the
    same order; ``conditions`` is the number of conditions.
    """
    populations = len(checked) // conditions if conditions else 0
    for position in range(populations):
        results = checked[position::populations]
        units = {unit for result in results for unit in result["values"]}
        outside = {unit for result in results for unit in result["outside"]}
        if 2 * len(outside) > len(units):
            return True
    return False


# Many claims check the same condition on one table, which takes up to a second.
@lru_cache(maxsize=256)
def _measured(predicate: Predicate, population: Population, unit: str) -> float:
    return float(predicate.measure(population, unit))


def mean_above(score: str, least: Rule, *, chance: str = "", **fields: Any) -> Predicate:
    """Return the condition that the mean of a score over a unit's models lies in a range.

    Args:
        score: name of a score of the table.
        least: the range.
        chance: name of the score at chance, to adjust an accuracy: (score - chance) / (1 - chance); empty for none.
        fields: the other fields of :class:`Predicate`.
    """

    def measure(population: Population, unit: str) -> float:
        mean = float(settings_of(population, score, objectives=[unit]).mean())
        at_chance = float(settings_of(population, chance, objectives=[unit]).mean()) if chance else 0.0
        return (mean - at_chance) / (1 - at_chance)

    return Predicate(rule=least, measure=measure, **fields)


ALL_CODES_TELL = mean_above(
    "mlp_accuracy",
    above(0.485),
    name="all codes tell",
    says="mean accuracy of an MLP on all codes, adjusted for chance",
    source="Correcting Flaws, Table 2: the smallest of 18, PartedVAE-ss on dSprites",
    reason="what all codes tell may lie in a code for each factor or be spread over many",
)
