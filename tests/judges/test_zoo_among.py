"""Models that lack what a score needs are left out, not counted as 0; what is too little then is said."""

import numpy as np
import pytest
from simulation import Law, SimulatedPopulation, simulated_zoo

from dbench.errors import EvidenceLacking
from dbench.estimates.correlations import from_correlations
from dbench.estimates.filters import filtered, kept_by
from dbench.estimates.zoo_among import SEVERAL_ACTIVE, left_of, rows_with, strengths_with
from dbench.estimates.zoo_levels import ratio_to, ratios_to
from dbench.estimates.zoo_statistics import trend_with_strength
from dbench.seeds import generator
from dbench.stats import exact

STRENGTHS = (1.0, 2.0, 3.0, 4.0)
# Rises by 1 a strength on every seed; what has collapsed counts as 0 in the table.
RISING = np.arange(1.0, 5.0) + 10 * np.arange(4)[:, None]
ACTIVE = np.array([[3, 3, 3, 1], [3, 3, 3, 3], [1, 3, 3, 3], [3, 1, 1, 1.0]])


def holed(active=ACTIVE) -> SimulatedPopulation:
    tables = {("tc", "beta_vae"): np.where(active >= 2, RISING, 0.0), ("kl.informative", "beta_vae"): active}
    return SimulatedPopulation(tables, {"beta_vae": STRENGTHS})


def test_a_model_with_just_the_least_counts():
    assert left_of(holed(np.full((4, 4), 2.0)), "beta_vae", SEVERAL_ACTIVE).all()


@pytest.mark.parametrize(("of", "least"), [(3, 2), (4, 2), (5, 3), (7, 4)])
def test_half_of_an_odd_number_is_the_larger_half(of, least):
    left = np.arange(of) < np.arange(of + 1)[:, None]  # row i has i columns, column j has of - j rows
    assert rows_with(holed(), left, SEVERAL_ACTIVE).tolist() == list(range(least, of + 1))
    # Of of + 1 rows half, at least three; and half of the columns have as many or more.
    wanted = max(-(-(of + 1) // 2), 3)
    if of - wanted + 1 >= least:
        assert strengths_with(holed(), left, SEVERAL_ACTIVE).tolist() == list(range(of - wanted + 1))
    else:
        with pytest.raises(EvidenceLacking, match=f"holds {of - wanted + 1} of {of} strengths with {wanted} seeds"):
            strengths_with(holed(), left, SEVERAL_ACTIVE)


def test_a_trend_is_one_of_the_models_left_of_seeds_with_enough():
    found = trend_with_strength(holed(), "beta_vae", "tc", among=SEVERAL_ACTIVE)
    assert (found.value, found.n) == (1.0, 3)
    assert trend_with_strength(holed(), "beta_vae", "tc").value < 0.5
    with pytest.raises(EvidenceLacking, match=r"no seed with 3 of 4 settings of kl\.informative at least 2"):
        trend_with_strength(holed(np.full((4, 4), 1.0)), "beta_vae", "tc", among=SEVERAL_ACTIVE)


def test_ratios_are_of_models_left_on_seeds_that_have_the_reference():
    plain = ("beta_vae", 2.0)
    # Seeds 0, 1, 2; references 2, 12, 22.
    whole = ratio_to(holed(), "tc", "beta_vae", plain, among=SEVERAL_ACTIVE)
    assert (whole.value, whole.n) == (pytest.approx(np.mean([1, 2, 3, 11, 12, 13, 14, 22, 23, 24]) / 12), 3)
    # Only the strengths 2 and 3 have all three seeds, the fewest that count; they are half of the strengths.
    by_strength = ratios_to(holed(), "tc", "beta_vae", plain, among=SEVERAL_ACTIVE)
    assert [e.value for e in by_strength] == pytest.approx([1, 13 / 12])
    few = np.array([[3, 3, 1, 1], [3, 3, 1, 1], [1, 3, 3, 1], [1, 3, 1, 3.0]])
    with pytest.raises(EvidenceLacking, match="holds 1 of 4 strengths with 3 seeds"):
        ratios_to(holed(few), "tc", "beta_vae", plain, among=SEVERAL_ACTIVE)


def test_a_ratio_of_one_strength_is_of_the_seeds_that_have_it_and_of_no_others():
    tables = {
        ("tc", "a"): np.array([[1.0, 2], [2, 3], [4, 5], [3, 9], [8, 0]]),
        ("kl.informative", "a"): np.full((5, 2), 3.0),
    }
    tables["kl.informative", "a"][4, 1] = 0.0

    def last(seeds: int):
        kept = {name: table[:seeds] for name, table in tables.items()}
        return ratios_to(SimulatedPopulation(kept, {"a": (1.0, 2.0)}), "tc", "a", ("a", 1.0), among=SEVERAL_ACTIVE)[1]

    assert last(5).at(0.95) == last(4).at(0.95)
    assert last(5).n == 4


def test_where_every_model_counts_nothing_changes():
    laws = {"tc": Law(trend=1.0, seed=0.2), "kl.informative": Law(mean=5.0, noise=0.0)}
    zoo = simulated_zoo(laws, generator=generator(test="nothing collapsed"))
    plain = ("beta_vae", 1.0)
    for call in (
        lambda among: trend_with_strength(zoo, "beta_vae", "tc", among=among),
        lambda among: ratio_to(zoo, "tc", "dip_vae_i", plain, among=among),
        lambda among: ratios_to(zoo, "tc", "dip_vae_i", plain, among=among)[3],
        lambda among: from_correlations(zoo, ["tc"], lambda rho: [rho("tc", "tc")], among=among)[0],
    ):
        masked, plainly = (call(among).at(0.95) for among in (SEVERAL_ACTIVE, None))
        assert (masked.value, masked.low, masked.high) == pytest.approx((plainly.value, plainly.low, plainly.high))


def test_what_objectives_differ_in_alone_is_no_agreement_within_them():
    apart = {"annealed_vae": 4.0, "beta_vae": -4.0, "dip_vae_i": 8.0, "factor_vae": -8.0}
    laws = {"kl": Law(mean=apart), "mig": Law(mean=apart), "dci": Law(loads={"quality": 3.0})}
    laws["sap"] = Law(loads={"quality": 3.0}, mean=apart)
    zoo = simulated_zoo(laws, generator=generator(test="within"), seeds=20)

    def pairs(rho):
        return [rho("kl", "mig"), rho("dci", "sap")]

    pooled, within = (from_correlations(zoo, laws, pairs, within=w) for w in (False, True))
    assert pooled[0].value > 0.7
    assert within[0].at(0.95).low < 0 < within[0].at(0.95).high < 0.3
    assert within[1].value > 0.8 > pooled[1].value


def test_too_few_seeds_or_objectives_left_leave_a_claim_open():
    laws = {"mig": Law(), "kl.informative": Law(mean={"beta_vae": 3.0}, noise=0.0)}
    zoo = simulated_zoo(laws, generator=generator(test="few left"))
    call = {"among": SEVERAL_ACTIVE, "combine": lambda rho: [rho("mig", "mig")]}
    with pytest.raises(EvidenceLacking, match="no seed with 50% of its settings left"):
        from_correlations(zoo, ["mig"], settings=0.5, **call)
    with pytest.raises(EvidenceLacking, match="1 of 6 objectives with half of their models left"):
        from_correlations(zoo, ["mig"], within=True, **call)


def test_an_objective_of_a_constant_score_is_not_averaged_as_if_it_had_no_correlation():
    constant = ("annealed_vae", "beta_vae")
    laws = {score: Law(loads={"quality": 3.0}) for score in ("mig", "dci")}
    zoo = simulated_zoo(laws, generator=generator(test="constant"))
    tables = {(s, o): zoo.scores(s, o) for s in laws for o in zoo.objectives}
    tables |= {("mig", o): np.zeros_like(tables["mig", o]) for o in constant}
    holed_zoo = SimulatedPopulation(tables, {o: zoo.strengths(o) for o in zoo.objectives})
    rest = {o: zoo.strengths(o) for o in zoo.objectives if o not in constant}
    without = SimulatedPopulation({key: table for key, table in tables.items() if key[1] in rest}, rest)
    found, known = (
        from_correlations(z, ["mig", "dci"], lambda rho: [rho("mig", "dci")], within=True)[0].at(0.95)
        for z in (holed_zoo, without)
    )
    assert (found.value, found.low) == pytest.approx((known.value, known.low))


def of_codes(codes) -> SimulatedPopulation:
    laws = {"kl.informative": Law(mean=codes, noise=0.0)}
    return simulated_zoo(laws, generator=generator(test="filters"), seeds=5, objectives={"a": (1.0, 2.0), "b": (1.0,)})


@pytest.mark.parametrize(("objectives", "left_out"), [(None, (5, 15)), (["b"], (5, 5))])
def test_a_filter_counts_the_models_below_the_least_value_and_leaves_the_estimate(objectives, left_out):
    kept = kept_by(of_codes({"a": 3.0, "b": 1.0}), SEVERAL_ACTIVE, objectives=objectives)
    found = filtered(exact(0.5, n=7), kept).at(0.95)
    assert (found.value, found.n, found.confidence, found.left_out) == (0.5, 7, 1.0, left_out)


def test_a_filter_that_removes_nothing_leaves_nothing_out_and_one_of_no_score_leaves_the_claim_open():
    assert filtered(exact(0.5), kept_by(of_codes(2.0), SEVERAL_ACTIVE)).left_out is None
    with pytest.raises(EvidenceLacking):
        kept_by(of_codes(2.0), ("mlp_accuracy", 0.1))
