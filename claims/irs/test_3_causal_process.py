"""IRS, section 3, Proposition 1 (a) to (g): properties of a disentangled causal process, by enumeration."""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, within
from dbench.constructions.causal import CausalProcess, random_process
from dbench.seeds import generator
from dbench.stats import exact

PROPERTIES = Claim(
    id="irs.proposition-1",
    role="primary",
    quote="A disentangled causal process as introduced in Definition 1 fulfills the following properties",
    where="3.1, Proposition 1 (a) to (g)",
    evidence="synthetic",
    population="random processes: a binary confounder, three binary factors, four observations; enumerated",
    deviations=(
        "A universal statement with a short proof: searched for exceptions.",
        "(c) and (g) without confounding. For (f) every combination of factors occurs (positivity).",
        "(c) is asked of one more process, whose observation shows all factors, as the paper's noise-free data set "
        "does: given it nothing is left to depend on. The proof reads dependence off the graph, which implies none.",
        "'Dependent' is a mutual information above 1e-9 nats, 'the same' a difference below it.",
    ),
    unit="process",
    statistic="share of the processes that have the property; of what only can be, whether any has it",
    rule=within(1.0, 1.0),
    confidence=1.0,
    min_n=100,
    revision=2,
)


def information(table: np.ndarray) -> float:
    """Mutual information of a two-way table, nats."""
    table = table / table.sum()
    independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
    seen = table > 0
    return max(float((table[seen] * np.log(table[seen] / independent[seen])).sum()), 0.0)


def two_factors(law: np.ndarray, *, given: int | None = None) -> np.ndarray:
    """Sum all axes out but those of G_1 and G_2, and of what is given, which comes first."""
    keep = {1, 2} if given is None else {1, 2, given % law.ndim}
    table = law.sum(axis=tuple(axis for axis in range(law.ndim) if axis not in keep))
    return np.moveaxis(table, -1, 0) if given == -1 else table


def conditional(tables: np.ndarray) -> float:
    """Mutual information of two factors given what the first axis holds."""
    return float(sum(table.sum() * information(table) for table in tables if table.sum() > 0))


def of_x(law: np.ndarray, *, at: tuple[int, int] | None = None) -> np.ndarray:
    """Law of X, where asked given that a factor was observed."""
    if at is not None:
        law = np.take(law, [at[1]], axis=1 + at[0])
    total = law.sum(axis=tuple(range(law.ndim - 1)))
    return total / total.sum()


def mechanism(process: CausalProcess) -> np.ndarray:
    law = process.joint().sum(axis=0)
    return law / law.sum(axis=-1, keepdims=True)


def change_of_mechanism(process: CausalProcess, rng: np.random.Generator) -> float:
    other = replace(process, of_factors=random_process(rng).of_factors)
    return float(np.abs(mechanism(process) - mechanism(other)).max())


def settings(process: CausalProcess):
    return [(factor, value) for factor in range(process.n_factors) for value in (0, 1)]


def of_others(law: np.ndarray, factor: int) -> list[np.ndarray]:
    others = [other for other in range(law.ndim - 2) if other != factor]
    return [law.sum(axis=tuple(axis for axis in range(law.ndim) if axis != 1 + other)) for other in others]


def change_when_set(process: CausalProcess, rng: np.random.Generator) -> float:
    before = process.joint()
    return max(
        float(np.abs(np.subtract(of_others(before, j), of_others(process.do(j, v).joint(), j))).max())
        for j, v in settings(process)
    )


def change_when_observed(process: CausalProcess, rng: np.random.Generator) -> float:
    before, worst = process.joint(), 0.0
    for j, v in settings(process):
        seen = np.take(before, [v], axis=1 + j)
        worst = max(worst, float(np.abs(np.subtract(of_others(before, j), of_others(seen / seen.sum(), j))).max()))
    return worst


def error_of_adjustment(process: CausalProcess, rng: np.random.Generator) -> float:
    law, worst = process.joint().sum(axis=0), 0.0
    given = law / law.sum(axis=-1, keepdims=True)
    of_factors = law.sum(axis=-1)
    for j, v in settings(process):
        rest = of_factors.sum(axis=j)
        adjusted = (np.take(given, v, axis=j) * rest[..., None]).sum(axis=tuple(range(rest.ndim)))
        worst = max(worst, float(np.abs(adjusted - of_x(process.do(j, v).joint())).max()))
    return worst


def error_of_conditioning(process: CausalProcess, rng: np.random.Generator) -> float:
    law = process.joint()
    pairs = [(of_x(law, at=setting), of_x(process.do(*setting).joint())) for setting in settings(process)]
    return max(float(np.abs(seen - done).max()) for seen, done in pairs)


def lost_without_c(process: CausalProcess, rng: np.random.Generator) -> float:
    """I(X; G, C) minus I(X; G)."""
    law = process.joint()
    return information(law.reshape(-1, law.shape[-1])) - information(law.sum(axis=0).reshape(-1, law.shape[-1]))


def excess_of_c(process: CausalProcess, rng: np.random.Generator) -> float:
    """I(X; C) minus I(X; G), or 0."""
    law = process.joint()
    of_c = information(law.sum(axis=tuple(range(1, law.ndim - 1))))
    return max(of_c - information(law.sum(axis=0).reshape(-1, law.shape[-1])), 0.0)


def dependence_given_x(process: CausalProcess, rng: np.random.Generator) -> float:
    return conditional(two_factors(process.joint(), given=-1))


# By property: what is computed of a process, whether it is to vanish, and whether processes are confounded.
BY_PROPERTY = {
    "a, mechanism invariant": (change_of_mechanism, True, True),
    "b, factors dependent": (lambda process, rng: information(two_factors(process.joint())), False, True),
    "b, independent given C": (lambda process, rng: conditional(two_factors(process.joint(), given=0)), True, True),
    "c, dependent given X": (dependence_given_x, False, False),
    "d, nothing lost without C": (lost_without_c, True, True),
    "d, C holds no more": (excess_of_c, True, True),
    "e, setting leaves the others": (change_when_set, True, True),
    "e, observing does not": (change_when_observed, False, True),
    "f, adjustment": (error_of_adjustment, True, True),
    "g, conditioning": (error_of_conditioning, True, False),
}
CAN_BE = ("b, factors dependent", "e, observing does not")


def open_observation() -> CausalProcess:
    """Two fair factors and an observation that shows both."""
    return CausalProcess(np.array([0.5, 0.5]), np.full((2, 2, 2), 0.5), np.eye(4).reshape(2, 2, 4))


@PROPERTIES.covers
@pytest.mark.parametrize("number", BY_PROPERTY)
def test_every_process_has_the_property(number, *, statistic=None, processes=200):
    own, vanishes, with_confounder = BY_PROPERTY[number]
    rng = generator(claim=PROPERTIES.id, part=number[0])
    found = [random_process(rng, confounded=with_confounder) for _ in range(processes)]
    if own is dependence_given_x:
        found.append(open_observation())
    holds = (np.abs([(statistic or own)(process, rng) for process in found]) < 1e-9) == vanishes
    return exact(float(holds.any()) if number in CAN_BE else holds.mean(), n=len(found))
