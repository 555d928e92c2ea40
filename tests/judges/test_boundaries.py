"""Constants, defaults and counts at a boundary that can turn a number, each in a world whose answer is known."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from simulation import Law, SimulatedPopulation, simulated_zoo

import dbench.zoo.complete
from dbench.claims.regime import ALL_CODES_TELL
from dbench.errors import EvidenceLacking, InvalidInput
from dbench.estimates.agreements import mean_udr, median_agreement
from dbench.estimates.by_objective import average_over_objectives
from dbench.estimates.correlations import from_correlations
from dbench.estimates.evidence import OnDemand, is_fresh, train_evidence
from dbench.estimates.population import Population, PopulationPair
from dbench.estimates.relations import freely_misaligned
from dbench.estimates.simulated import OBJECTIVES, ONE_IN_SIX_COLLAPSED, Simulated
from dbench.estimates.systems import correlation_over_systems, lead_over_systems
from dbench.estimates.zoo_among import SEVERAL_ACTIVE, half_of, rows_with, varies_without_any
from dbench.estimates.zoo_levels import luck_over_choice
from dbench.estimates.zoo_transfer import settings_agreement
from dbench.metrics import udr_scores
from dbench.seeds import generator
from dbench.stats import jackknife, luck_beats_choice

ONE = {"a": (1.0,)}


def drawn(law: Law, objectives=ONE, seeds=4_000) -> SimulatedPopulation:
    return simulated_zoo({"x": law}, generator=generator(test="boundaries"), seeds=seeds, objectives=objectives)


def held(tables: dict[str, np.ndarray], **others: dict[str, np.ndarray]) -> SimulatedPopulation:
    """Scores seeds x strengths, by objective; those of ``x``, and others by their names."""
    scores = {(score, o): np.asarray(t, float) for score, of in ({"x": tables} | others).items() for o, t in of.items()}
    return SimulatedPopulation(scores, {o: np.arange(np.shape(t)[1]) + 1.0 for o, t in tables.items()})


def test_the_evidence_simulated_is_six_objectives_of_six_strengths_by_rank_and_ten_seeds():
    assert {o: list(strengths) for o, strengths in OBJECTIVES.items()} == {o: [1, 2, 3, 4, 5, 6] for o in OBJECTIVES}
    law, stream = {"x": Law()}, generator(test="size")
    for found in (Simulated(law).draw(stream), simulated_zoo(law, generator=stream)):
        assert (len(found.objectives), found.scores("x", "beta_vae").shape) == (6, (10, 6))


def test_simulated_runs_of_some_objectives_have_their_scores_alone():
    kept = held({"a": [[1.0]], "b": [[2.0]]}).of(["b"])
    assert (kept.objectives, kept.score_names, kept.scores("x", "b").tolist()) == (["b"], ["x"], [[2.0]])


def test_a_law_is_standard_normal_with_nothing_in_common_unless_it_says_otherwise():
    values = drawn(Law(), {"a": (1.0, 5.0)}).scores("x", "a")
    assert values.mean(axis=0) == pytest.approx([0, 0], abs=0.06)
    assert values.std(axis=0) == pytest.approx([1, 1], abs=0.06)
    assert np.corrcoef(values.T)[0, 1] == pytest.approx(0, abs=0.06)


def test_a_law_without_noise_is_its_level_and_its_trend_by_objective_and_nothing_where_none_is_named():
    law = Law(mean={"a": 2.0}, trend={"a": 6.0}, noise=0.0)
    found = drawn(law, {"a": (1.0, 2.0, 9.0), "b": (1.0, 2.0)}, seeds=2)
    assert [found.scores("x", o).tolist() for o in "ab"] == [[[2, 5, 8]] * 2, [[0, 0]] * 2]
    common = drawn(Law(seed=2.0, noise=0.0), {"a": (1.0, 2.0), "b": (1.0,)})
    assert np.ptp(np.hstack([common.scores("x", o) for o in "ab"]), axis=1).tolist() == [0] * 4_000
    assert common.scores("x", "a").std() == pytest.approx(2, abs=0.1)


def test_one_model_in_six_has_collapsed_to_one_informative_code_and_the_others_have_three():
    values, counts = np.unique(drawn(ONE_IN_SIX_COLLAPSED).scores("x", "a"), return_counts=True)
    assert values.tolist() == [1, 3]
    assert counts[0] / counts.sum() == pytest.approx(1 / 6, abs=0.02)
    assert ONE_IN_SIX_COLLAPSED.shape(np.array([0.0, 0.1])).tolist() == [1, 3]


def test_what_is_simulated_has_a_table_of_rows_that_are_numbered_and_no_deviation():
    found = drawn(Law(), {"a": (1.0, 2.0), "b": (1.0,)}, seeds=3)
    assert found.table.index.tolist() == list(range(9))
    assert (found.name, found.deviations, found.arrays.runs) == ("simulated", (), ())


@pytest.mark.parametrize(("of", "least", "half"), [(1, 1, 1), (2, 1, 1), (3, 1, 2), (4, 1, 2), (1, 3, 3), (8, 3, 4)])
def test_half_is_rounded_up_and_at_least_the_least(of, least, half):
    assert half_of(of, least=least) == half
    if least == 1:
        assert half_of(of) == half
        some = np.arange(of) < np.arange(of + 1)[:, None]
        assert rows_with(None, some, SEVERAL_ACTIVE).tolist() == list(range(half, of + 1))


def test_several_active_codes_are_two():
    assert SEVERAL_ACTIVE == ("kl.informative", 2)


@pytest.mark.parametrize(
    ("values", "varies"),
    [
        ([[1, 1], [1, 2], [1, 1]], False),  # one seed alone
        ([[2, 1], [1, 1], [1, 1]], False),
        ([[1, 2], [1, 1], [2, 1]], True),
        ([[1, 1], [0, 2], [1, 1]], False),
        ([[0, 2], [1, 1], [1, 2]], True),
        ([[1, 9], [1, 9], [1, 9]], False),  # what does not count
    ],
)
def test_values_vary_if_they_do_without_any_one_seed(values, varies):
    counted = np.array(values) < 9
    assert varies_without_any(np.array(values, dtype=float), counted) is varies


@pytest.mark.parametrize(
    ("relation", "informative", "expected"),
    [
        ([[0.9, 0.15], [0.0, 0.0]], 2, True),
        ([[0.9, 0.1], [0.0, 0.0]], 2, False),  # just 0.1 nats are chance
        ([[0.9, 0.8, 0.7], [0, 0, 0], [0, 0, 0]], 3, True),
        ([[0.9, 0.8, 0.7], [0, 0, 0], [0, 0, 0]], 2, False),
    ],
)
def test_a_factor_is_held_above_a_tenth_of_a_nat(relation, informative, expected):
    matrix = np.array(relation)
    apart = np.diag(np.ones(len(matrix)))[:, : matrix.shape[1]]
    found = freely_misaligned(np.stack([matrix, apart]), np.array([informative, len(matrix)]))
    assert found.tolist() == [expected, False]


def test_all_codes_tell_above_the_smallest_of_the_paper():
    tables = {"above": [[0.49]] * 3, "below": [[0.48]] * 3}
    assert ALL_CODES_TELL.check(held(tables, mlp_accuracy=tables))["outside"] == ["below"]


def correlated(tables, among=None, **options):
    """The correlation of a score with twice itself."""
    population = held(tables, y={o: 2 * np.asarray(t) for o, t in tables.items()}, **({"kept": among} if among else {}))
    options |= {"among": ("kept", 1.0)} if among else {}
    return from_correlations(population, ["x", "y"], lambda rho: [rho("x", "y")], **options)[0]


RISING = np.arange(6.0).reshape(3, 2)


def test_correlations_need_two_models_half_of_the_objectives_and_the_settings_that_are_asked_for():
    assert correlated({"a": RISING[:, :1]}).value == pytest.approx(1.0)  # without any one seed two models are left
    with pytest.raises(InvalidInput, match="leave at least 2 models of simulated, got 1"):
        correlated({"a": RISING[:1, :1]})
    one = {"a": RISING, "b": np.ones((3, 2))}
    assert correlated(one, within=True).value == pytest.approx(1.0)
    with pytest.raises(EvidenceLacking, match="1 of 3 objectives"):
        correlated(one | {"c": np.ones((3, 2))}, within=True)
    half = {"a": np.tile([1.0, 0.0], (3, 1))}  # just the least value is kept
    assert correlated({"a": RISING}, half).n == 3
    assert correlated({"a": RISING}, half, settings=0.5).n == 3
    assert correlated({"a": RISING}, half, within=True).value == pytest.approx(1.0)
    with pytest.raises(EvidenceLacking, match="no seed with 51% of its settings"):
        correlated({"a": RISING}, half, settings=0.51)
    few = {"a": np.array([[1.0, 0], [1, 0], [0, 0]])}
    assert correlated({"a": np.vstack([RISING, [6, 7]])}, {"a": np.vstack([few["a"], [1, 1]])}, settings=0.5).n == 3
    with pytest.raises(EvidenceLacking, match="0 of 1 objectives"):
        correlated({"a": RISING}, few, within=True)


def test_within_objectives_the_mean_is_that_of_their_correlations():
    tables, turned = {"a": RISING, "b": RISING}, {"a": 3 * RISING, "b": np.array([[5.0, 4], [3, 2], [0, 1]])}
    (found,) = from_correlations(held(tables, y=turned), ["x", "y"], lambda rho: [rho("x", "y")], within=True)
    assert found.value == pytest.approx((1 + (1 - 6 * (25 + 9 + 1 + 1 + 16 + 16) / 210)) / 2)


def test_two_seeds_are_averaged_and_show_luck_and_one_is_not():
    two, one = held({"a": RISING[:2]}), held({"a": RISING[:1]})
    (found,) = average_over_objectives(two, lambda tables, _: [tables["x"].max()], ["x"])
    assert found.value == 3
    sweeps = {"a": np.array([[0.0, 1], [2, 3]]), "b": np.array([[0.0, 9], [5, 4]])}
    luck = luck_over_choice(held(sweeps), ["x"], ["a", "b"])
    assert luck.value == pytest.approx(np.mean([luck_beats_choice(table) for table in sweeps.values()]))
    for ask in (
        lambda: average_over_objectives(one, lambda tables, _: [0.0], ["x"]),
        lambda: luck_over_choice(one, ["x"], ["a"]),
    ):
        with pytest.raises(EvidenceLacking, match="must have 2 or more complete seeds, got 1"):
            ask()
    assert one.enough_seeds().tolist() == [0]


def test_two_seeds_in_common_are_enough_for_a_transfer():
    pair = PopulationPair(held({"a": RISING[:2]}), held({"a": RISING}))
    (found,) = settings_agreement(pair, ["x"])
    assert (found.value, found.n) == (1.0, 2)


def points(values, units=3, noise=0.0) -> Callable[[np.ndarray], np.ndarray]:
    table = np.asarray(values) + noise * generator(test="points", first=str(values[0])).normal(
        size=(units, len(values))
    )
    return lambda kept: table[kept].mean(axis=0)


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("systems", [4, 6, 9])
def test_a_lead_has_the_interval_of_zou_and_of_its_units(systems, noise):
    """Zou 2007, equations 12 and 13; Pearson and Filon 1898 for two correlations with a variable in common."""
    drawn_values = generator(test="zou", systems=systems).normal(size=(3, systems)) + np.arange(systems) / 3
    shared, first, second = (points(values, noise=noise) for values in drawn_values)
    found = lead_over_systems(drawn(Law(), seeds=3), shared, first, second).at(0.9)

    def correlations(kept):
        return np.corrcoef([of(kept) for of in (shared, first, second)])[np.triu_indices(3, 1)]

    one, two, both = correlations(np.arange(3))
    own = jackknife(lambda kept: np.diff(-correlations(kept))[0], 3).at(0.9)
    low, high = (np.tanh(np.arctanh([one, two]) + sign * 1.6448536 / np.sqrt(systems - 3)) for sign in (-1, 1))
    rest = (both - one * two / 2) * (1 - one**2 - two**2 - both**2) + both**3
    covary = rest / ((1 - one**2) * (1 - two**2))

    def away(a, b):
        return np.sqrt(a**2 + b**2 - 2 * covary * a * b + (own.high - own.value) ** 2)

    ends = (one - two - away(one - low[0], high[1] - two), one - two + away(high[0] - one, two - low[1]))
    assert (found.value, found.low, found.high) == pytest.approx((one - two, *ends), rel=1e-5)
    assert (found.n, own.high - own.value > 1e-6) == (systems, noise > 0)


def test_three_units_and_four_systems_have_an_interval_and_a_line_has_one_of_numbers():
    values = np.array([-1.0, 0.0, 2.0, 1.0])
    for found in (
        correlation_over_systems(drawn(Law(), seeds=3), points(values), points(values**2)),
        lead_over_systems(drawn(Law(), seeds=3), points(values), points(values**2), points(values**3)),
    ):
        assert np.isfinite([found.at(0.95).low, found.at(0.95).high]).all()
    for sign in (1, -1):
        line = correlation_over_systems(drawn(Law(), seeds=3), points(values), points(sign * values)).at(0.95)
        assert line.value == pytest.approx(sign, abs=1e-8)
        assert sign * line.low > 0.999999
        assert abs(line.value) <= 1


def test_who_may_be_compared_is_asked_of_each_model_and_its_partners_are_not():
    within = np.array([[0, 1, 0], [1, 0, 0], [1, 1, 0]], dtype=bool)  # the last is nobody's partner
    agreements = np.array([[9.0, 1, 2], [3, 9, 4], [5, 7, 9]])
    assert median_agreement(agreements, within=within).tolist() == [1, 3, 6]
    with pytest.raises(InvalidInput, match="must leave every model a partner, got none for 1"):
        median_agreement(agreements, within=within.T)


def test_the_mean_of_udr_is_over_all_models_and_over_informative_codes_where_these_are_given():
    stream = generator(test="mean of udr")
    codes = stream.normal(size=(5, 40, 3)) + stream.normal(size=(40, 3))
    some = np.array([[True, True, False]] * 5)
    for flags, given in ((np.ones((5, 3), dtype=bool), {}), (some, {"informative": some})):
        known = udr_scores(codes, flags, relation="spearman").mean()
        assert mean_udr(codes, "spearman", **given) == pytest.approx(known)


def test_a_table_of_fresh_seeds_is_known_by_its_name_also_beside_another():
    assert is_fresh(Path("x-fresh"))
    assert is_fresh(Path("x"), Path("y-fresh"))
    assert not is_fresh(Path("x"), Path("fresh"))


def test_what_a_test_asks_for_is_cut_to_the_objectives_of_its_condition_and_kept():
    one = Population("one", held({"a": RISING, "b": RISING, "c": RISING}).table)
    made = OnDemand(lambda *asked: {(): one, ("pair",): PopulationPair(one, one)}[asked]).without(["a"]).without(["c"])
    assert made().objectives == ["b"]
    assert [part.objectives for part in made("pair").parts] == [["b"], ["b"]]
    assert [len(kept.parts) for kept in made.made] == [1, 2]
    whole = OnDemand(lambda: one).having("x")
    assert whole().objectives == ["a", "b", "c"]
    assert whole() is whole.made[1]


def test_populations_are_told_apart_by_what_they_are_not_by_what_they_hold():
    one, same = (Population("one", held({"a": RISING}).table) for _ in range(2))
    assert len({one, same, PopulationPair(one, same), PopulationPair(one, same)}) == 4
    assert (one.deviations, one.rules, one.left_out, one.arrays.runs) == ((), {}, frozenset(), ())
    for part, name in ((one, "unit"), (PopulationPair(one, same), "source")):
        with pytest.raises(FrozenInstanceError):
            setattr(part, name, "other")


@pytest.mark.parametrize(("store", "used"), [(None, "store/micro"), ("elsewhere", "elsewhere")])
def test_evidence_is_trained_in_the_store_that_is_named_or_in_the_profiles(monkeypatch, store, used):
    asked = []
    monkeypatch.setattr(
        dbench.zoo.complete, "write_population_table", lambda profile, where: asked.append((profile.name, where))
    )
    train_evidence("micro", store)
    assert asked == [("micro", used)]
