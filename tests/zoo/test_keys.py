from dataclasses import replace

import pytest

from dbench.data import DATA_SETS, NEEDS_DOWNLOAD, load
from dbench.errors import InvalidInput, UnknownName
from dbench.models.objectives import find_card
from dbench.zoo.keys import PILOT_SEEDS, RunKey, likelihood_factor
from dbench.zoo.profiles import PROFILES, Sweep, find_profile

STUDY = ("beta_vae", "annealed_vae", "factor_vae", "dip_vae_i", "dip_vae_ii", "beta_tcvae")


def test_every_axis_changes_the_digest(key):
    changes = {"data": "dsprites", "objective": "vae", "network": "conv", "learning_rate": 2 * key.learning_rate}
    changes |= {name: getattr(key, name) + 1 for name in ("strength", "steps", "batch_size", "seed")}
    others = [replace(key, **{name: value}) for name, value in changes.items()]
    assert len({other.digest for other in (key, *others)}) == 9


def test_a_digest_never_changes_and_a_number_is_the_same_as_integer_or_float():
    key = RunKey("dsprites_grid_16", "beta_vae", 4, "mlp", 6000, 64, 1e-3, 0)
    assert key.digest == replace(key, strength=4.0).digest == "45f93ce4e0bd6476"
    whole, other = (("gamma", 12), ("delta", 1)), (("delta", 1.0), ("gamma", 12.0))
    assert replace(key, constants=whole).digest == replace(key, constants=other).digest


@pytest.mark.parametrize(
    ("axis", "none", "value", "axes", "said"),
    [
        ("likelihood_factor", 1, 16.0, {"likelihood_factor": 16.0}, "likelihood x 16 "),
        ("cooldown", 0, 0.5, {"cooldown": 0.5}, "cooldown 0.5 "),
        ("constants", (), (("b", 12), ("a", 1)), {"constant.a": 1.0, "constant.b": 12.0}, " a=1 b=12 "),
    ],
)
def test_an_axis_that_came_later_changes_nothing_where_a_run_has_none_of_it(key, axis, none, value, axes, said):
    """Runs from before there was the axis keep their digests, draws and results."""
    assert axes.keys().isdisjoint(key.axes)
    ours = replace(key, **{axis: value})
    assert ours.axes == {**key.axes, **axes}
    assert RunKey.from_axes(ours.axes) == ours
    assert ours.digest != key.digest == replace(key, **{axis: none}).digest
    assert said in str(ours)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"likelihood_factor": 0}, "likelihood_factor must be above 0, got 0"),
        ({"likelihood_factor": -1}, "likelihood_factor must be finite and not negative, got -1"),
        ({"cooldown": 1.5}, "cooldown must be a share of the steps, 0 to 1, got 1.5"),
        ({"cooldown": -0.5}, "cooldown must be finite and not negative, got -0.5"),
        ({"constants": (("gamma", 1), ("gamma", 2))}, "once each"),
        ({"constants": (("gamma", float("nan")),)}, "constant gamma .* got nan"),
        ({"constants": (("gamma", "much"),)}, "constant gamma .* got 'much'"),
        *(({"strength": value}, "strength") for value in (float("nan"), [1.0], 10**400)),
        ({"likelihood_factor": 16, "constants": (("likelihood_factor", 4),)}, "given once, got 16 and the constant 4"),
        *(({"learning_rate": value}, "learning_rate") for value in (-1, 0, "fast", None)),
        *(({name: value}, name) for name, value in [("seed", -1), ("seed", 1.5), ("steps", 0), ("data", "")]),
    ],
)
def test_an_axis_out_of_range_or_given_twice_is_refused(key, change, message):
    with pytest.raises(InvalidInput, match=message):
        replace(key, **change)


def test_an_image_counts_as_one_of_64_x_64_where_its_sides_divide_64():
    assert [likelihood_factor((3, side, side)) for side in (64, 32, 16, 1)] == [1, 4, 16, 4096]
    for height, width in ((28, 28), (64, 48), (128, 128), (0, 16)):
        with pytest.raises(InvalidInput, match=rf"must divide 64 .* got {height} x {width}"):
            likelihood_factor((1, height, width))


def test_axes_without_a_seed_are_no_key(key):
    with pytest.raises(InvalidInput, match="seed"):
        RunKey.from_axes({name: value for name, value in key.axes.items() if name != "seed"})


def test_purposes_draw_from_unrelated_generators(key):
    assert key.generator("score").random() == key.generator("score").random()
    assert key.generator("score").random() != key.generator("sampled").random()


def test_a_profile_spans_its_whole_grid_and_a_sweep_may_have_data_sets_and_seeds_of_its_own(tiny):
    here, there = "dsprites_grid_16", "color_dsprites_grid_16"
    sweeps = (*tiny.sweeps, Sweep("dip_vae_i", (1, 2, 5), data=(there,), seeds=4))
    profile = replace(tiny, data=(here, there), sweeps=sweeps)
    keys = profile.runs()
    assert len(keys) == len(set(keys)) == 2 * 2 * 2
    assert keys == sorted(keys)
    assert {key.data for key in keys} == {here}
    assert len(profile.runs(objectives=["beta_vae"], seeds=[0])) == 2
    assert len(profile.runs(data=[there])) == 2 * 2 * 2 + 3 * 4
    assert len(profile.runs(data=[here, there])) == 2 * 8 + 12
    assert len(profile.runs(data=[there], objectives=["dip_vae_i"], seeds=range(9))) == 3 * 9
    with pytest.raises(InvalidInput, match="trains on dsprites_grid_16, got dip_vae_i"):
        profile.runs(objectives=["dip_vae_i"])


@pytest.mark.parametrize(
    ("sweeps", "message"),
    [
        ([("annealed_vae", {"constants": (("gama", 12.5),)})], "of annealed_vae must be among .*gamma.*got gama"),
        ([("beta_vae", {"constants": (("gamma", 12.5),)})], "constants of beta_vae must be among none, got gamma"),
        ([("annealed_vae", {"constants": (("gamma", 1000),)})], "must differ from those .* itself, got gamma=1000"),
        ([("beta_vae", {"data": ("dsprites",)})], "data set of profile tiny"),
        ([("beta_vae", {}), ("beta_vae", {})], "beta_vae on dsprites_grid_16"),
    ],
)
def test_sweeps_that_do_not_fit_their_profile_or_would_give_one_run_two_keys_are_refused(tiny, sweeps, message):
    with pytest.raises((InvalidInput, UnknownName), match=message):
        replace(tiny, sweeps=tuple(Sweep(objective, (1,), **options) for objective, options in sweeps))


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_states_its_deviations_and_counts_every_image_as_one_of_64_x_64(name):
    profile = find_profile(name)
    assert profile.name == name
    assert profile.deviations_on(profile.data)
    for data in profile.data:
        if data.partition("-without-")[0] not in NEEDS_DOWNLOAD:
            assert profile.likelihood_factor == likelihood_factor(load(data).image_shape)


@pytest.mark.parametrize(
    ("name", "chosen"), [*((name, None) for name in ("micro", "small", "standard", "paper")), ("full", (0, 2, -1))]
)
def test_a_profile_of_the_study_sweeps_what_the_study_swept_with_its_constants(name, chosen):
    profile = find_profile(name)
    strengths = {objective: find_card(objective).swept for objective in STUDY}
    if chosen:
        strengths = {objective: [swept[i] for i in chosen] for objective, swept in strengths.items()}
    for data in profile.data:
        swept = {(key.objective, key.strength) for key in profile.runs(data=[data])}
        assert swept == {(objective, strength) for objective in STUDY for strength in strengths[objective]}
    assert not any(key.constants for key in profile.runs(data=profile.data))


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("micro", [36 * 50, 36 * 10, 36 * 5, 36 * 5]),
        ("small", [36 * 10]),
        ("full", [18 * 3]),
        ("standard", [36 * 10]),
        ("systems", [10 * 10]),
        ("novel", [7 * 7] * 5),
    ],
)
def test_a_profile_of_evidence_has_as_many_runs_on_each_data_set_and_no_seed_of_a_pilot(name, runs):
    profile = find_profile(name)
    assert [len(profile.runs(data=[data])) for data in profile.data] == runs
    assert {key.seed for key in profile.runs(data=profile.data)}.isdisjoint(PILOT_SEEDS)
    assert min(key.seed for key in profile.runs()) == 10_000


def test_the_grid_of_the_study_has_fourteen_thousand_four_hundred_runs():
    """Eight data sets, six methods, six strengths, fifty seeds; its section 1 says 'more than 14 000 models'."""
    paper = find_profile("paper")
    keys = paper.runs(data=paper.data)
    assert len(keys) == len({key.digest for key in keys}) == 8 * 6 * 6 * 50 == 14_400
    assert {(key.steps, key.learning_rate, key.cooldown, key.network) for key in keys} == {(300_000, 1e-4, 0, "conv")}
    assert min(key.seed for key in keys) == 0
    assert set(paper.data) <= set(DATA_SETS)
