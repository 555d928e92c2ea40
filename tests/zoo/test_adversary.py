"""Runs whose objective has parameters beside the network's, from their keys to the store."""

import io
from dataclasses import replace

import numpy as np
from rich.console import Console

from dbench.zoo.engine import Group, train_group
from dbench.zoo.profiles import Sweep, find_profile
from dbench.zoo.store import Store
from dbench.zoo.train import train_runs
from dbench.zoo.workers import Line

ADVERSARIAL = Sweep("factor_vae", (10, 40))


class Wire(Line):
    """A worker's line without a master: asks to stop at the first block when told to."""

    def __init__(self, *, stops):
        self._stops, self._reported = stops, False

    def report(self, **news):
        self._reported = True

    @property
    def stopping(self):
        return self._stops and self._reported


def test_runs_with_an_adversary_are_trained_in_groups_of_their_own(store, tiny):
    keys = replace(tiny, sweeps=(Sweep("beta_vae", (1,)), Sweep("factor_vae", (10,)), Sweep("beta_tcvae", (1,)))).runs(
        seeds=[0]
    )
    text = io.StringIO()
    summary = train_runs(store, keys, workers=1, console=Console(file=text))
    assert "3 runs in 2 groups" in text.getvalue()
    assert (summary.trained, summary.diverged, summary.left) == (3, 0, 0)


def test_a_run_is_stored_with_its_adversary_and_the_same_alone_and_interrupted(store, tiny, tmp_path):
    keys = replace(tiny, steps=120, sweeps=(ADVERSARIAL,)).runs(seeds=[0])
    assert train_group(Wire(stops=False), Group(store.url, tuple(keys))) == 2
    weights = store.tensors(keys[1], "weights")
    assert weights["adversary.0.weight"].shape == (10, 64)
    assert weights["adversary.3.bias"].shape == (2,)
    alone = Store(tmp_path / "alone")
    assert train_group(Wire(stops=True), Group(alone.url, (keys[1],))) == 0
    assert alone.status(keys[1]) == "interrupted"
    assert train_group(Wire(stops=False), Group(alone.url, (keys[1],))) == 1
    for name in ("weights", "codes"):
        again = alone.tensors(keys[1], name)
        assert all(np.array_equal(values, again[part]) for part, values in store.tensors(keys[1], name).items())


def test_the_profiles_sweep_factor_vae_as_the_study_does():
    for name in ("micro", "standard", "paper"):
        strengths = {sweep.strengths for sweep in find_profile(name).sweeps if sweep.objective == "factor_vae"}
        assert strengths == {(10, 20, 30, 40, 50, 100)}
