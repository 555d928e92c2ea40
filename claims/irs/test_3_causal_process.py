"""IRS, section 3, Proposition 1 (a) to (g): properties of a disentangled causal process, by enumeration."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dbench.claims import Claim, above, below
from dbench.seeds import generator
from dbench.stats import Estimate, exact
from dbench_fixtures.counterexamples.causal import CausalProcess, random_process

UNIVERSAL = Claim(
    id="irs.proposition-1",
    part="a",
    where="3.1, Proposition 1 (a)",
    says="p(x|g) is invariant to changes in the laws of the factors.",
    evidence="synthetic",
    kind="equivalence",
    population="random processes: a binary confounder, three binary factors, four observations; enumerated",
    deviations=("A universal statement with a short proof: searched for exceptions.",),
    unit="process",
    statistic="largest change of p(x|g) when the laws of all factors are drawn anew",
    rule=below(1e-9),
    confidence=1.0,
    min_n=100,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
DEPENDENT = replace(
    UNIVERSAL,
    part="b, dependent",
    where="3.1, Proposition 1 (b)",
    says="The factors can be dependent.",
    kind="existence",
    statistic="largest mutual information of two factors, nats",
    # 0.01: a correlation of about 0.14.
    rule=above(0.01),
)
GIVEN_C = replace(
    UNIVERSAL,
    part="b, given C",
    where="3.1, Proposition 1 (b)",
    says="Given the confounders the factors are independent.",
    statistic="largest mutual information of two factors given C, nats",
)
GIVEN_X = replace(
    UNIVERSAL,
    part="c",
    where="3.1, Proposition 1 (c)",
    says="Given the observation, factors that were independent become dependent.",
    kind="existence",
    population="random processes without confounding, enumerated",
    statistic="mean mutual information of two factors given X, nats",
    rule=above(0.001),
)
ALWAYS_GIVEN_X = replace(
    GIVEN_X,
    part="c, always",
    says="Given the observation the factors are dependent, in every disentangled process.",
    kind="impossibility",
    population="independent fair factors and an observation that shows all of them, as noise-free data sets do",
    deviations=(
        "The smallest counterexample: X = (G_1, G_2), so that nothing is left to depend on.",
        "The proof reads dependence off the graph, which forbids none and implies none.",
    ),
    rule=above(0.0),
    min_n=1,
    unit="law",
)
ALL_INFORMATION = replace(
    UNIVERSAL,
    part="d, equality",
    where="3.1, Proposition 1 (d)",
    says="The factors hold all information about the confounders that matters for X: I(X; G) = I(X; G, C).",
    statistic="largest difference of I(X; G, C) and I(X; G), nats",
)
MORE_THAN_C = replace(
    UNIVERSAL,
    part="d, inequality",
    where="3.1, Proposition 1 (d)",
    says="I(X; G) is at least I(X; C).",
    statistic="largest excess of I(X; C) over I(X; G), nats",
)
NO_EFFECT = replace(
    UNIVERSAL,
    part="e",
    where="3.1, Proposition 1 (e)",
    says="Setting one factor does not change the law of another.",
    statistic="largest change of p(g_i) when G_j is set",
)
OBSERVED_DIFFERS = replace(
    DEPENDENT,
    part="e, observing",
    where="3.1, Proposition 1 (e)",
    says="Observing one factor, unlike setting it, does change the law of another.",
    statistic="largest change of p(g_i) when G_j is observed",
)
ADJUSTMENT = replace(
    UNIVERSAL,
    part="f",
    where="3.1, Proposition 1 (f)",
    says="The other factors are a valid adjustment set for the effect of a factor on X.",
    deviations=("Every combination of factors occurs (positivity).", *UNIVERSAL.deviations),
    statistic="largest difference of p(x|do(g_j)) and its adjustment formula",
)
CONDITIONING = replace(
    UNIVERSAL,
    part="g",
    where="3.1, Proposition 1 (g)",
    says="Without confounding, conditioning gives the law after an intervention.",
    population="random processes without confounding, enumerated",
    statistic="largest difference of p(x|do(g_j)) and p(x|g_j)",
)


# ------------------------------------------------------------------ Proposition 1, by enumeration
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
    """Laws of all factors but one."""
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


def informations(process: CausalProcess) -> tuple[float, float, float]:
    """I(X; G), I(X; G, C) and I(X; C)."""
    law = process.joint()
    values = law.shape[-1]
    both, factors = law.reshape(-1, values), law.sum(axis=0).reshape(-1, values)
    return information(factors), information(both), information(law.sum(axis=tuple(range(1, law.ndim - 1))))


def lost_without_c(process: CausalProcess, rng: np.random.Generator) -> float:
    of_g, of_both, _ = informations(process)
    return abs(of_both - of_g)


def excess_of_c(process: CausalProcess, rng: np.random.Generator) -> float:
    of_g, _, of_c = informations(process)
    return of_c - of_g


def dependence(process: CausalProcess, rng: np.random.Generator) -> float:
    return information(two_factors(process.joint()))


def dependence_given_c(process: CausalProcess, rng: np.random.Generator) -> float:
    return conditional(two_factors(process.joint(), given=0))


def dependence_given_x(process: CausalProcess, rng: np.random.Generator) -> float:
    return conditional(two_factors(process.joint(), given=-1))


def searched(
    part: str,
    statistic: Callable[[CausalProcess, np.random.Generator], float],
    *,
    confounded: bool = True,
    processes: int = 200,
    combine: Callable[[list[float]], float] = max,
) -> Estimate:
    rng = generator(claim=UNIVERSAL.id, part=part)
    values = [statistic(random_process(rng, confounded=confounded), rng) for _ in range(processes)]
    return exact(combine(values), n=processes)


def mean(values: list[float]) -> float:
    return float(np.mean(values))


def open_observation(*, hide: bool = False) -> Estimate:
    """Dependence of two fair factors given an observation that shows both, or only whether they are equal."""
    shown = np.array([[1, 0], [0, 1]]).ravel() if hide else np.arange(4)
    observation = np.eye(4)[shown].reshape(2, 2, 4)
    process = CausalProcess(np.array([0.5, 0.5]), np.full((2, 2, 2), 0.5), observation)
    return exact(dependence_given_x(process, np.random.default_rng(0)))


@UNIVERSAL.covers
def test_a_the_mechanism_is_invariant(judge):
    judge(UNIVERSAL, searched("a", change_of_mechanism))


@DEPENDENT.covers
def test_b_factors_can_be_dependent(judge):
    judge(DEPENDENT, searched("b", dependence))


@GIVEN_C.covers
def test_b_factors_are_independent_given_the_confounder(judge):
    judge(GIVEN_C, searched("b", dependence_given_c))


@GIVEN_X.covers
def test_c_factors_become_dependent_given_the_observation(judge):
    judge(GIVEN_X, searched("c", dependence_given_x, confounded=False, combine=mean))


@ALWAYS_GIVEN_X.covers
def test_c_factors_are_dependent_given_an_observation_that_shows_them(judge):
    judge(ALWAYS_GIVEN_X, open_observation())


@ALL_INFORMATION.covers
def test_d_the_confounder_adds_no_information(judge):
    judge(ALL_INFORMATION, searched("d", lost_without_c))


@MORE_THAN_C.covers
def test_d_the_confounder_holds_no_more(judge):
    judge(MORE_THAN_C, searched("d", excess_of_c))


@NO_EFFECT.covers
def test_e_setting_a_factor_leaves_the_others(judge):
    judge(NO_EFFECT, searched("e", change_when_set))


@OBSERVED_DIFFERS.covers
def test_e_observing_a_factor_tells_of_the_others(judge):
    judge(OBSERVED_DIFFERS, searched("e", change_when_observed))


@ADJUSTMENT.covers
def test_f_the_other_factors_are_an_adjustment_set(judge):
    judge(ADJUSTMENT, searched("f", error_of_adjustment))


@CONDITIONING.covers
def test_g_conditioning_is_enough_without_confounding(judge):
    judge(CONDITIONING, searched("g", error_of_conditioning, confounded=False))
