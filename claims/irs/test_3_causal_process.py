"""IRS, section 3, Proposition 1 (a) to (g): properties of a disentangled causal process, by enumeration."""

from dataclasses import replace

import numpy as np
import pytest

from dbench.claims import Claim, above
from dbench.constructions.causal import CausalProcess, random_process
from dbench.seeds import generator
from dbench.stats import exact


def information(table):
    """Mutual information of a two-way table, nats."""
    table = table / table.sum()
    independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
    seen = table > 0
    return max(float((table[seen] * np.log(table[seen] / independent[seen])).sum()), 0.0)


def conditional(tables):
    """Mutual information of two factors given what the first axis holds."""
    return float(sum(table.sum() * information(table) for table in tables if table.sum() > 0))


def two_factors(law, *, given=None):
    """Sum all axes out but those of G_1 and G_2, and of what is given, which comes first."""
    keep = {1, 2} if given is None else {1, 2, given % law.ndim}
    table = law.sum(axis=tuple(axis for axis in range(law.ndim) if axis not in keep))
    return np.moveaxis(table, -1, 0) if given == -1 else table


def of_x(law):
    return law.sum(axis=tuple(range(law.ndim - 1)))


def of_others(law, factor):
    others = [other for other in range(law.ndim - 2) if other != factor]
    return [law.sum(axis=tuple(axis for axis in range(law.ndim) if axis != 1 + other)) for other in others]


def observed(law, factor, value):
    """Law given that a factor was observed."""
    seen = np.take(law, [value], axis=1 + factor)
    return seen / seen.sum()


def mechanism(process):
    law = process.joint().sum(axis=0)
    return law / law.sum(axis=-1, keepdims=True)


def largest(process, difference):
    """Largest difference of two laws, over the factors and the values they are set to."""
    settings = [(factor, value) for factor in range(process.n_factors) for value in (0, 1)]
    return max(float(np.abs(np.subtract(*difference(*setting))).max()) for setting in settings)


def change_of_mechanism(process, rng):
    other = replace(process, of_factors=random_process(rng).of_factors)
    return float(np.abs(mechanism(process) - mechanism(other)).max())


def change_of_law_of_one(process, rng):
    """Change of p(x|g_1), which depends on the laws of the other factors."""

    def given_first(of_factors):
        law = replace(process, of_factors=of_factors).joint().sum(axis=(0, 2, 3))
        return law / law.sum(axis=-1, keepdims=True)

    return float(np.abs(given_first(process.of_factors) - given_first(random_process(rng).of_factors)).max())


def dependence(process, rng):
    return information(two_factors(process.joint()))


def dependence_given_c(process, rng):
    return conditional(two_factors(process.joint(), given=0))


def dependence_given_x(process, rng):
    return conditional(two_factors(process.joint(), given=-1))


def change_when_set(process, rng):
    law = process.joint()

    def laws(j, v):
        return of_others(law, j), of_others(process.do(j, v).joint(), j)

    return largest(process, laws)


def change_when_observed(process, rng):
    law = process.joint()

    def laws(j, v):
        return of_others(law, j), of_others(observed(law, j, v), j)

    return largest(process, laws)


def error_of_adjustment(process, rng):
    given, of_factors = mechanism(process), process.joint().sum(axis=(0, -1))

    def laws(j, v):
        rest = of_factors.sum(axis=j)
        adjusted = (np.take(given, v, axis=j) * rest[..., None]).sum(axis=tuple(range(rest.ndim)))
        return adjusted, of_x(process.do(j, v).joint())

    return largest(process, laws)


def error_of_conditioning(process, rng):
    law = process.joint()

    def laws(j, v):
        return of_x(observed(law, j, v)), of_x(process.do(j, v).joint())

    return largest(process, laws)


def lost_without_c(process, rng):
    """I(X; G, C) minus I(X; G)."""
    law = process.joint()
    return information(law.reshape(-1, law.shape[-1])) - information(law.sum(axis=0).reshape(-1, law.shape[-1]))


def excess_of_c(process, rng):
    """I(X; C) minus I(X; G), or 0."""
    law = process.joint()
    of_c = information(law.sum(axis=tuple(range(1, law.ndim - 1))))
    return max(of_c - information(law.sum(axis=0).reshape(-1, law.shape[-1])), 0.0)


# By property: what is computed of a process, whether it is to vanish, and whether processes are confounded.
BY_PROPERTY = {
    "a, mechanism invariant": (change_of_mechanism, True, True),
    "b, factors dependent": (dependence, False, True),
    "b, independent given C": (dependence_given_c, True, True),
    "c, dependent given X": (dependence_given_x, False, False),
    "d, nothing lost without C": (lost_without_c, True, True),
    "d, C holds no more": (excess_of_c, True, True),
    "e, setting leaves the others": (change_when_set, True, True),
    "e, observing does not": (change_when_observed, False, True),
    "f, adjustment": (error_of_adjustment, True, True),
    "g, conditioning": (error_of_conditioning, True, False),
}
CAN_BE = ("b, factors dependent", "e, observing does not")


PROPERTIES = Claim.synthetic(
    id="irs.proposition-1",
    quote="A disentangled causal process as introduced in Definition 1 fulfills the following properties",
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
    rule=above(0.999999, null=0.0),
    source="lexicon: exact",
    demonstration=True,
    min_n=100,
    given={"properties": BY_PROPERTY, "processes": 200},
    # The law of X given one factor is no mechanism.
    false={"properties": {"a, mechanism invariant": (change_of_law_of_one, True, True)}},
    revision=3,
)


@PROPERTIES.covers
@pytest.mark.parametrize("number", BY_PROPERTY)
def test_every_process_has_the_property(number, properties, processes):
    statistic, vanishes, with_confounder = properties[number]
    rng = generator(claim=PROPERTIES.id, part=number[0])
    found = [random_process(rng, confounded=with_confounder) for _ in range(processes)]
    if number == "c, dependent given X":  # two fair factors and an observation that shows both
        found.append(CausalProcess(np.array([0.5, 0.5]), np.full((2, 2, 2), 0.5), np.eye(4).reshape(2, 2, 4)))
    holds = (np.abs([statistic(process, rng) for process in found]) < 1e-9) == vanishes
    return exact(float(holds.any()) if number in CAN_BE else holds.mean(), n=len(found))
