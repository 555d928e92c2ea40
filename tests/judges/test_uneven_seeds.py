"""Statistics rest on the seeds, objectives and models that they name: what is there of others beside moves nothing."""

import numpy as np
import pytest
from simulation import Law, simulated_zoo

from dbench.estimates.agreements import agreements_of
from dbench.estimates.by_objective import average_over_objectives, left_out_of_average, smallest_average
from dbench.estimates.correlations import from_correlations
from dbench.estimates.filters import kept_by
from dbench.estimates.population import Population, PopulationPair
from dbench.estimates.zoo_levels import (
    change_over_sweep,
    luck_over_choice,
    ratio_to,
    ratios_to,
    superiority_of_objective,
    superiority_of_setting,
)
from dbench.estimates.zoo_statistics import (
    agreement_gap_between,
    arrays_of,
    correlation_between,
    settings_of,
    share_of_models,
    stacked,
    trend_with_strength,
)
from dbench.estimates.zoo_transfer import settings_agreement, shared_estimates, transfer
from dbench.seeds import generator
from dbench.stats import Estimate
from dbench.zoo.arrays import RunArrays

STRENGTHS = {"a": (1.0, 2.0, 4.0, 8.0), "b": (1.0, 3.0, 9.0)}
ACTIVE, NUMBER = ("kl.informative", 2.0), "kl.informative"
SCORES = ("mig", "dci", "sap")


def table(name="zoo"):
    """Seven seeds of two objectives; three of four models have two informative codes or more."""
    laws = {score: Law(mean={"a": 5.0, "b": 6.0}, trend=0.3, loads={"quality": 0.5}, seed=0.3) for score in SCORES}
    laws[NUMBER] = Law(mean=2.2, noise=0.8, shape=np.round)
    drawn = generator(test="uneven seeds", zoo=name)
    rows = simulated_zoo(laws, generator=drawn, seeds=7, objectives=STRENGTHS).table
    return rows, RunArrays(tuple(rows["run"].unique()), {"kl.code": drawn.normal(size=(49, 2))})


ROWS, ARRAYS = table()
GONE = (ROWS["objective"] == "b") & (ROWS["seed"] == 0) & (ROWS["strength"] == 3)
UNEVEN = Population("uneven", ROWS.assign(status=np.where(GONE, "diverged", "done")), (), ARRAYS)
EVEN = Population("even", ROWS[ROWS["seed"] != 0], (), ARRAYS)
OTHER = Population("other", table("other")[0])
# What is said of a population, of one objective "a" where it is of one.
OF_ALL = {
    "gap": lambda p, **_: agreement_gap_between(p, *SCORES),
    "change": lambda p, **_: change_over_sweep(p, "mig", "a"),
    "ratio": lambda p, **of: ratio_to(p, "mig", "a", ("a", 1.0), **of),
    "ratios": lambda p, **of: ratios_to(p, "mig", "a", ("a", 1.0), **of),
    "ratio to b": lambda p, **of: ratio_to(p, "mig", "a", ("b", 1.0), **of),
    "ratios to b": lambda p, **of: ratios_to(p, "mig", "a", ("b", 1.0), **of),
    "setting": lambda p, **_: superiority_of_setting(p, "mig", ("a", 1.0), "b", [1.0, 3.0]),
    "objective": lambda p, **_: superiority_of_objective(p, ["mig", "dci"], "a", ["b"]),
    "correlations": lambda p, **of: from_correlations(p, SCORES, lambda rho: [rho("mig", "dci")], **of),
    "within": lambda p, **of: from_correlations(p, SCORES, lambda rho: [rho("mig", "dci")], within=True, **of),
    "luck": lambda p, **_: luck_over_choice(p, ["mig", "dci"], ["a", "b"]),
    "settings agree": lambda p, **_: settings_agreement(PopulationPair(p, OTHER), ["mig"]),
    "transfer": lambda p, **_: transfer(PopulationPair(OTHER, p), ["mig"], lambda t: t.source_target.mean()),
}
OF_SOME = {
    "average": lambda p, **of: average_over_objectives(p, lambda t, _: [t["mig"].mean()], ["mig"], **of),
    "average of informative": lambda p, **of: average_over_objectives(
        p, lambda t, counted: [t["mig"][counted].mean()], ["mig"], models="informative", **of
    ),
    "smallest": lambda p, **of: smallest_average(
        p, lambda t, counted: [t["mig"].mean(), t["mig"][counted].max()], ["mig"], models="informative", **of
    ),
    "left out": lambda p, **of: left_out_of_average(p, ["mig"], **of),
    "arrays": lambda p, **of: arrays_of(p, "kl.code", **of),
    "settings": lambda p, **of: settings_of(p, "mig", **of),
    "kept": lambda p, **of: kept_by(p, ACTIVE, **of),
    "share": lambda p, **of: share_of_models(p, lambda mig: mig > 5, ["mig"], **of),
    "share of informative": lambda p, **of: share_of_models(p, lambda m: m > 5, ["mig"], among=ACTIVE, **of),
    "stacked": lambda p, **of: stacked(p, lambda mig, dci: (mig - dci).max(), ["mig", "dci"], **of),
    "correlation": lambda p, **of: correlation_between(p, "mig", "dci", **of),
    "shared": lambda p, **of: shared_estimates(
        PopulationPair(p, OTHER), ["mig"], lambda ours, theirs: [ours[0].max() - theirs[0].max()], **of
    ),
}
AMONG = ("ratio", "ratios", "ratio to b", "ratios to b", "correlations", "within")


def said(found) -> list:
    """Estimates as numbers, at two levels, with what stands beside; arrays as they are."""
    every = found if isinstance(found, list) else [found]
    return [
        (one.at(0.95), one.at(0.5), one.at(0.95).notes, one.at(0.95).left_out)
        if isinstance(one, Estimate)
        else np.asarray(one).tolist()
        for one in every
    ]


CASES = [(name, {}) for name in (*OF_ALL, *OF_SOME)] + [(name, {"among": ACTIVE}) for name in AMONG]


@pytest.mark.parametrize(("name", "among"), CASES)
def test_a_seed_that_one_objective_lacks_counts_for_none(name, among):
    statistic = (OF_ALL | OF_SOME)[name]
    assert said(statistic(UNEVEN, **among)) == said(statistic(EVEN, **among))
    assert UNEVEN.seeds("a").tolist() == [0, *EVEN.seeds()]


@pytest.mark.parametrize("name", OF_SOME)
def test_objectives_that_are_not_asked_for_count_for_nothing(name):
    alone, chosen = OF_SOME[name](UNEVEN.of(["a", "b"]), objectives=["a"]), OF_SOME[name](EVEN.of(["a"]))
    assert said(alone) == said(chosen)
    if name != "left out":
        assert said(alone) != said(OF_SOME[name](UNEVEN))


@pytest.mark.parametrize("among", [{}, {"among": ACTIVE}])
def test_a_trend_takes_the_seeds_of_its_own_objective(among):
    whole = Population("whole", ROWS)
    trends = [said(trend_with_strength(p, "a", "mig", **among)) for p in (UNEVEN, whole.of(["a"]), EVEN)]
    assert trends[0] == trends[1] != trends[2]


def test_agreements_are_of_seeds_that_all_objectives_have():
    runs = 4 * 7
    matrix = np.arange(runs * runs, dtype=np.float32).reshape(runs, runs)
    population = Population("uneven", UNEVEN.table, (), RunArrays(agreements={"a": matrix}))
    found = agreements_of(population, "a")
    assert found.shape == (6, 4, 6, 4)
    # Runs lie by strength and then seed: seed 1 at the lowest strength is number 1, at the next number 8.
    assert found[0, :2, 0, :2].tolist() == [[runs + 1, runs + 8], [8 * runs + 1, 8 * runs + 8]]


def test_the_smallest_average_says_what_a_filter_removes_and_which_objective_is_left_out():
    rows = ROWS.assign(value=np.where((ROWS["objective"] == "b") & (ROWS["score"] == "mig"), 1.0, ROWS["value"]))
    population = Population("one constant", rows)

    def largest(tables, counted):
        return [tables["mig"][counted].max(), tables["mig"].min()]

    for models in ("all", "informative"):
        found = smallest_average(population, largest, ["mig"], models=models).at(0.95)
        assert found.value == population.scores("mig", "a").min()
        assert [note.partition(" ")[0] for note in found.notes] == ["b"]
        kept = kept_by(population, ACTIVE)
        assert found.left_out == (None if models == "all" else (int((~kept).sum()), kept.size))
