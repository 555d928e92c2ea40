from dataclasses import replace

import pytest

from dbench.errors import InvalidInput, UnknownName
from dbench.zoo import keys as keys_module
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import PROFILES, Profile, find_profile


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


@pytest.mark.parametrize(
    "change",
    [{"seed": -1}, {"steps": 0}, {"strength": float("nan")}, {"learning_rate": -1}, {"data": ""}, {"seed": 1.5}],
)
def test_an_axis_out_of_range_is_refused(key: RunKey, change: dict[str, float]) -> None:
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
