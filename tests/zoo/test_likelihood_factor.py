"""An image of 16 x 16 counts as one of 64 x 64: what is trained, what is reported, and what is refused."""

from dataclasses import replace

import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.data import load
from dbench.errors import InvalidInput
from dbench.training import train
from dbench.zoo.complete import build_table
from dbench.zoo.engine import images_of, member_of, network_of, settings_of
from dbench.zoo.profiles import find_profile


def _loss(key, **settings):
    data, images = images_of(key.data)
    arguments = {**settings_of([key], data), **settings}
    state = train([member_of(key)], images, network_of(key, data), steps=1, **arguments)
    return float(state.loss[0])


def test_only_the_likelihood_is_multiplied(key):
    """The first step's loss is factor x R + beta KL of the same weights: linear in the factor, with something left."""
    plain, double, half = (_loss(key, likelihood_factor=factor) for factor in (1.0, 2.0, 0.5))
    reconstruction = double - plain
    assert plain - half == pytest.approx(reconstruction / 2, rel=1e-4)
    assert 0 < reconstruction < plain


def test_runs_report_the_bound_in_both_units(short, store, trained):
    profile = replace(short, likelihood_factor=16.0, sweeps=(replace(short.sweeps[0], strengths=(1.0,)),), seeds=1)
    trained(store, profile)
    (key,) = profile.runs()
    scores = store.record(key)["scores"]
    assert scores["reconstruction.as_trained"] == pytest.approx(16 * scores["reconstruction"])
    assert scores["elbo"] == pytest.approx(-(scores["reconstruction"] + scores["kl"]))
    assert scores["elbo.as_trained"] == pytest.approx(-(16 * scores["reconstruction"] + scores["kl"]))


def test_a_factor_that_does_not_fit_the_images_is_refused(key):
    data = load(key.data)
    assert settings_of([replace(key, likelihood_factor=16)], data)["likelihood_factor"] == 16
    with pytest.raises(InvalidInput, match=r"must be 1, or 16 for the images of dsprites_grid_16 .* got 4"):
        settings_of([replace(key, likelihood_factor=4)], data)


def test_pilots_enter_no_table(tiny, store, finish):
    keys = tiny.runs(seeds=[0, 1000, 1009])
    finish(store, *keys, scores={"mig": 0.5})
    with pytest.raises(InvalidInput, match=r"must not lie in 1000-1009.*, got 1000, 1009"):
        build_table(store, keys, tiny)


def test_ls_tells_runs_of_other_keys_apart_and_counts_records_that_are_refused(store, finish, refuse):
    """The same profile with images as they are: every run of it looks missing, and the command says why."""

    def ls():
        return CliRunner().invoke(main, ["zoo", "ls", "--store", store.url, "--seeds", "1", "--objective", "beta_vae"])

    old = replace(find_profile("micro"), likelihood_factor=1.0, steps=6000).runs(objectives=["beta_vae"], seeds=[0])
    finish(store, *old)
    result = ls()
    assert result.exit_code == 0
    assert "6 runs of" in result.stderr
    assert "are not of profile micro as it is now and are left alone" in result.stderr
    assert "with 6,000 steps" in result.stderr
    (own, *_) = find_profile("micro").runs(objectives=["beta_vae"], seeds=[10_000])
    finish(store, own)
    assert "6 runs of" in ls().stderr
    refuse(store, own)
    assert "1 records of this store cannot be read" in ls().output
