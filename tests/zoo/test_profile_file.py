"""A profile of one's own is a file, and what is wrong in it is said in a line."""

from dataclasses import replace

import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.errors import InvalidInput
from dbench.zoo.commands import zoo
from dbench.zoo.profiles import PROFILES, Sweep, find_profile
from dbench.zoo.store import Store

TEXT = """
data = ["dsprites_grid_16"]
network = "mlp"
steps = 12
batch_size = 8
learning_rate = 1e-3
seeds = 2
likelihood_factor = 16

[[sweep]]
objective = "beta_vae"
strengths = [1, 4.5]

[[sweep]]
objective = "beta_tcvae"
strengths = [6]
seeds = 1
network = "mlp_128"
learning_rate = 3e-4
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TEXT)
    return path


def test_a_file_is_the_profile_it_spells(file, tiny):
    sweeps = (Sweep("beta_vae", (1, 4.5)), Sweep("beta_tcvae", (6,), seeds=1, network="mlp_128", learning_rate=3e-4))
    profile = find_profile(str(file))
    assert profile == replace(tiny, name="mine", sweeps=sweeps, likelihood_factor=16)
    assert [key.network for key in profile.runs()] == ["mlp_128"] + 4 * ["mlp"]
    assert [key.learning_rate for key in profile.runs()] == [3e-4] + 4 * [1e-3]


def test_what_differs_on_one_data_set_is_said_of_it_alone(file):
    file.write_text(TEXT.replace("strengths = [6]", 'strengths = [6]\ndata = ["dsprites_grid_16"]\ndeviations = ["x"]'))
    assert find_profile(str(file)).deviations_on({"dsprites_grid_16"}) == ["x"]
    plain, coloured = (set(PROFILES["micro"].deviations_on({name})) for name in PROFILES["micro"].data[:2])
    assert plain < coloured
    assert {text for text in coloured - plain if "once" in text or "10 seeds" in text} == coloured - plain


def test_what_differs_in_the_paper_profile_is_said_of_its_data_set_alone():
    said = {name: " ".join(PROFILES["paper"].deviations_on({name})) for name in PROFILES["paper"].data}
    words = {"ten toys": {"smallnorb"}, "MPI3D": {"mpi3d_toy"}}
    words |= {"coloured": {"color_dsprites", "noisy_dsprites", "scream_dsprites"}}
    assert {word: {name for name, text in said.items() if word in text} for word in words} == words
    assert {name for name, text in said.items() if not text} == {"dsprites", "cars3d", "shapes3d"}


def test_the_commands_of_the_zoo_take_a_file_and_its_store(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    Store("store/mine", create=True)
    done = CliRunner().invoke(main, ["zoo", "ls", "--profile", "mine.toml"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "mine in" in done.output
    assert "4.5" in done.output


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("steps = 12\n", "", "mine.toml must have data, network, steps.*missing or unknown: steps"),
        ("steps = 12", "stepps = 12\nsteps = 12", "missing or unknown: stepps"),
        ("steps = 12", 'steps = "12"', "steps of mine.toml must be a whole number, got '12'"),
        ("steps = 12", "steps = true", "steps of mine.toml must be a whole number, got True"),
        ("strengths = [6]", "strengths = 6", "strengths of a sweep of mine.toml must be numbers, got 6"),
        ("strengths = [6]", "strengths = [6, 6.0]", r"strengths of beta_tcvae must be .* none twice, got \[6, 6.0\]"),
        ("strengths = [6]", "strengths = []", r"strengths of beta_tcvae must be one or more, none twice, got \[\]"),
        ("seeds = 1\n", "seeds = 0\n", "seeds of beta_tcvae must be 1 or more, got 0"),
        ('["dsprites_grid_16"]', "[]", r"data of profile mine must be one or more, none twice, got \[\]"),
        ("3e-4", "0", "learning_rate of a sweep of mine.toml must be positive, got 0"),
        ("seeds = 1\n", "seed = 1\n", "a sweep of mine.toml must have objective, strengths.*unknown: seed"),
        ("seeds = 1\n", 'constants = {a = "b"}\n', "constants of a sweep of mine.toml must be numbers by name"),
        ('["dsprites_grid_16"]', '"dsprites_grid_16"', "data of mine.toml must be a list of names"),
        ("[[sweep]]", "[[sweeps]]", "must have .*sweep.* tables, got None"),
        ("network", "network = =", "must be a TOML file that can be read, got mine.toml"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(file, old, new, message):
    file.write_text(TEXT.replace(old, new))
    with pytest.raises(InvalidInput, match=message):
        find_profile(str(file))


@pytest.mark.parametrize(
    ("old", "new"), [('"beta_vae"', '"no_vae"'), ('"mlp"', '"no_mlp"'), ('"dsprites_grid_16"', '"no_sprites"')]
)
def test_a_file_that_names_what_there_is_not_makes_no_store(file, monkeypatch, old, new):
    monkeypatch.chdir(file.parent)
    file.write_text(TEXT.replace(old, new))
    done = CliRunner().invoke(main, ["zoo", "train", "--profile", "mine.toml", "--store", "here", "--workers", "1"])
    assert (done.exit_code, new.strip('"') in done.stderr.splitlines()[-1]) == (2, True)
    assert not (file.parent / "here").exists()


def test_a_file_that_is_not_there_is_said():
    with pytest.raises(InvalidInput, match=r"got none\.toml"):
        find_profile("none.toml")


def test_the_help_lists_every_profile():
    (option,) = (one for one in zoo.commands["train"].params if one.name == "profile")
    assert option.metavar == "|".join([*PROFILES, "FILE.toml"])
