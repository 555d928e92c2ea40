from dataclasses import replace

import pytest

from dbench.data import DATA_SETS
from dbench.errors import InvalidInput, UnknownName
from dbench.models.objectives import find_card
from dbench.zoo import keys as keys_module
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import PROFILES, Profile, Sweep, find_profile

STUDY = ("beta_vae", "annealed_vae", "factor_vae", "dip_vae_i", "dip_vae_ii", "beta_tcvae")


def test_every_axis_changes_the_digest(key: RunKey) -> None:
    others = [
        replace(key, data="dsprites"),
        replace(key, objective="vae"),
        replace(key, strength=key.strength + 1),
        replace(key, network="conv"),
        replace(key, steps=key.steps + 1),
        replace(key, batch_size=key.batch_size + 1),
        replace(key, learning_rate=2 * key.learning_rate),
        replace(key, seed=key.seed + 1),
    ]
    assert len({other.digest for other in (key, *others)}) == 9


def test_a_strength_is_the_same_as_integer_or_float(key: RunKey) -> None:
    assert replace(key, strength=4).digest == replace(key, strength=4.0).digest


def test_a_key_of_another_schema_has_another_digest(key: RunKey, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key.digest
    monkeypatch.setattr(keys_module, "KEY_SCHEMA", 2)
    assert key.digest != before


def test_a_digest_never_changes() -> None:
    key = RunKey("dsprites_grid_16", "beta_vae", 4, "mlp", 6000, 64, 1e-3, 0)
    assert key.digest == "45f93ce4e0bd6476"


def test_constants_are_part_of_the_key_and_change_nothing_where_there_are_none(key: RunKey) -> None:
    """Those who named none before constants were thought of keep their digests, their draws and their runs."""
    assert not any(name.startswith("constant") for name in key.axes)
    ours = replace(key, constants=(("gamma", 12), ("delta", 1.0)))
    assert ours.constants == (("delta", 1.0), ("gamma", 12.0))
    assert ours.axes == {**key.axes, "constant.delta": 1.0, "constant.gamma": 12.0}
    assert RunKey.from_axes(ours.axes) == ours
    assert replace(ours, constants=(("delta", 1), ("gamma", 12.0))).digest == ours.digest != key.digest
    assert "gamma=12 " in str(ours)


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ((("gamma", 1), ("gamma", 2)), "once each"),
        ((("gamma", float("nan")),), "constant gamma .* got nan"),
        ((("gamma", "much"),), "constant gamma .* got 'much'"),
    ],
)
def test_constants_that_are_no_numbers_of_their_own_are_refused(key: RunKey, constants, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        replace(key, constants=constants)


@pytest.mark.parametrize(
    "change",
    [
        *({"seed": -1}, {"steps": 0}, {"strength": float("nan")}, {"learning_rate": -1}, {"data": ""}, {"seed": 1.5}),
        *({"learning_rate": "fast"}, {"learning_rate": None}, {"strength": [1.0]}, {"strength": 10**400}),
    ],
)
def test_an_axis_out_of_range_is_refused(key: RunKey, change: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(change))):
        replace(key, **change)  # type: ignore[arg-type]


def test_a_key_comes_back_from_its_axes(key: RunKey) -> None:
    assert RunKey.from_axes(key.axes) == key
    with pytest.raises(InvalidInput, match="seed"):
        RunKey.from_axes({name: value for name, value in key.axes.items() if name != "seed"})


def test_purposes_draw_from_unrelated_generators(key: RunKey) -> None:
    assert key.generator("score").random() == key.generator("score").random()
    assert key.generator("score").random() != key.generator("sampled").random()


def test_a_profile_spans_its_whole_grid(tiny: Profile) -> None:
    keys = tiny.runs()
    assert len(keys) == len(set(keys)) == 2 * 2 * 2
    assert keys == sorted(keys)
    assert len(tiny.runs(objectives=["beta_vae"], seeds=[0])) == 2


def test_a_sweep_may_have_data_sets_and_seeds_of_its_own(tiny: Profile) -> None:
    here, there = "dsprites_grid_16", "color_dsprites_grid_16"
    sweeps = (*tiny.sweeps, Sweep("dip_vae_i", (1, 2, 5), data=(there,), seeds=4))
    profile = replace(tiny, data=(here, there), sweeps=sweeps)
    assert {key.data for key in profile.runs()} == {here}
    assert len(profile.runs()) == 2 * 2 * 2
    assert len(profile.runs(data=[there])) == 2 * 2 * 2 + 3 * 4
    assert len(profile.runs(data=[here, there])) == 2 * 8 + 12
    assert len(profile.runs(data=[there], objectives=["dip_vae_i"], seeds=range(9))) == 3 * 9
    with pytest.raises(InvalidInput, match="trains on dsprites_grid_16, got dip_vae_i"):
        profile.runs(objectives=["dip_vae_i"])


def test_a_sweep_may_hold_a_constant_at_another_value(tiny: Profile) -> None:
    sweeps = (Sweep("beta_vae", (1,)), Sweep("annealed_vae", (4, 8), constants=(("gamma", 12.5),)))
    by_objective = {key.objective: key.constants for key in replace(tiny, sweeps=sweeps).runs()}
    assert by_objective == {"beta_vae": (), "annealed_vae": (("gamma", 12.5),)}


@pytest.mark.parametrize(
    ("objective", "constants", "message"),
    [
        ("annealed_vae", (("gama", 12.5),), "constants of annealed_vae must be among .*gamma.*got gama"),
        ("beta_vae", (("gamma", 12.5),), "constants of beta_vae must be among none, got gamma"),
        ("annealed_vae", (("gamma", 1000),), "must differ from those annealed_vae has itself, got gamma=1000"),
    ],
)
def test_constants_that_would_give_one_run_two_keys_are_refused(tiny: Profile, objective, constants, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        replace(tiny, sweeps=(Sweep(objective, (1,), constants=constants),))


def test_sweeps_that_do_not_fit_their_profile_are_refused(tiny: Profile) -> None:
    with pytest.raises(UnknownName, match="data set of profile tiny"):
        replace(tiny, sweeps=(Sweep("beta_vae", (1,), data=("dsprites",)),))
    with pytest.raises(InvalidInput, match="beta_vae on dsprites_grid_16"):
        replace(tiny, sweeps=(Sweep("beta_vae", (1,)), Sweep("beta_vae", (2,))))


def test_an_unknown_name_in_a_profile_is_refused_with_the_known_ones(tiny: Profile) -> None:
    with pytest.raises(UnknownName, match="did you mean 'micro'"):
        find_profile("mirco")
    with pytest.raises(UnknownName, match="did you mean 'beta_vae'"):
        tiny.runs(objectives=["beta_va"])
    with pytest.raises(UnknownName, match="dsprites_grid_16"):
        tiny.runs(data=["cars"])
    with pytest.raises(InvalidInput, match="seeds"):
        tiny.runs(seeds=[])


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_states_its_deviations(name: str) -> None:
    profile = find_profile(name)
    assert profile.name == name
    assert profile.deviations
    assert profile.describe()["steps"] == profile.steps


@pytest.mark.parametrize("name", [name for name in PROFILES if name != "novel"])
def test_a_profile_of_the_study_sweeps_every_unsupervised_objective_at_six_strengths(name: str) -> None:
    profile = find_profile(name)
    for data in (profile.data[0], profile.data[1]):
        cells = {(key.objective, key.strength) for key in profile.runs(data=[data])}
        for objective in STUDY:
            assert len([cell for cell in cells if cell[0] == objective]) == 6
    for sweep in profile.sweeps:
        card = find_card(sweep.objective)
        assert card.name == sweep.objective
        assert set(card.settled(dict(sweep.constants))) == set(card.constants)


@pytest.mark.parametrize("name", ["standard", "paper"])
def test_the_large_profiles_sweep_what_the_study_swept(name: str) -> None:
    for sweep in find_profile(name).sweeps:
        assert sweep.strengths == find_card(sweep.objective).swept


def test_the_grid_of_the_study_has_fourteen_thousand_four_hundred_runs() -> None:
    """Eight data sets, six methods, six strengths, fifty seeds; its section 1 says 'more than 14 000 models'."""
    paper = find_profile("paper")
    keys = paper.runs(data=paper.data)
    assert len(keys) == len({key.digest for key in keys}) == 8 * 6 * 6 * 50 == 14_400
    assert {key.steps for key in keys} == {300_000}
    assert set(paper.data) <= set(DATA_SETS)


def test_cells_that_were_trained_stay_in_micro() -> None:
    runs = set(find_profile("micro").runs())
    for objective, strengths in {"beta_vae": (0.125, 0.25, 0.5, 1, 2, 4), "beta_tcvae": (1, 2, 4, 6, 8, 10)}.items():
        for strength in strengths:
            for seed in range(10):
                assert RunKey("dsprites_grid_16", objective, strength, "mlp", 6000, 64, 1e-3, seed) in runs


def test_micro_trains_the_unsupervised_ones_on_coloured_sprites_too() -> None:
    micro = find_profile("micro")
    grey, coloured = (micro.runs(data=[name]) for name in ("dsprites_grid_16", "color_dsprites_grid_16"))
    assert micro.runs() == grey
    assert {(key.objective, key.strength) for key in coloured} <= {(key.objective, key.strength) for key in grey}
    assert {key.seed for key in grey} == set(range(10))
    assert {key.seed for key in coloured} == set(range(5))


def test_novel_holds_out_the_papers_combinations_of_dsprites_for_every_system() -> None:
    runs = find_profile("novel").runs(data=find_profile("novel").data)
    assert len(runs) == 5 * 7 * 2
    assert all("-without-shape" in key.data for key in runs)
