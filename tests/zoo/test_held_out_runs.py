"""Runs on data sets that hold points out: training never sees those, and the codes are of all."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from dbench.data import load
from dbench.training import encode_grid
from dbench.zoo import engine
from dbench.zoo.engine import Group, images_of, settings_of, train_group, training_images
from dbench.zoo.store import Store

NAME = "dsprites_grid_16-without-shape2-scale3"


@pytest.fixture
def keys(tiny):
    return tuple(replace(tiny, data=(NAME,), sweeps=tiny.sweeps[:1], seeds=1).runs()[:1])


def test_what_is_held_out_alone_has_no_influence_on_the_weights(channel, keys, tmp_path, monkeypatch):
    data, images = images_of(NAME)
    held_out, weights, codes = data.held_out(), [], []
    for changed in (np.zeros_like(held_out), held_out, ~held_out):
        ours, store = images.clone(), Store(tmp_path / str(len(codes)))
        ours[torch.from_numpy(changed)] = 255
        monkeypatch.setattr(engine, "images_of", lambda name, ours=ours: (data, ours))
        assert train_group(channel(), Group(store.url, keys)) == len(keys)
        weights.append(store.tensors(keys[0], "weights"))
        codes.append(store.tensors(keys[0], "codes")["mean"])
    same = [all((other[name] == values).all() for name, values in weights[0].items()) for other in weights]
    assert same == [True, True, False]
    assert codes[0].shape == (46_080, 10)
    np.testing.assert_array_equal((codes[0] != codes[1]).any(axis=1), held_out)


def test_images_and_factors_of_the_training_set_belong_together(keys, monkeypatch):
    data, images = images_of(NAME)
    monkeypatch.setattr(engine, "find_card", lambda objective: type("Card", (), {"needs_factors": True}))
    factors = settings_of(keys, data)["factors"]
    kept = training_images(data, images)
    assert len(factors) == len(kept) == 46_080 - 2_560
    np.testing.assert_array_equal(data.images(factors.numpy()[::500]), kept[::500].numpy())
    assert training_images(load("dsprites_grid_16"), images) is images  # nothing is held out


SPECKLED = """
import numpy as np

from dbench.data.base import GridData, digest


class Speckled(GridData):
    name, factor_names, factor_sizes = "speckled", ("a", "b"), (4, 8)
    image_shape, fingerprint, stochastic = (1, 16, 16), digest("speckled"), True

    def _render(self, factors, generator):
        return generator.integers(256, size=(len(factors), 1, 16, 16), dtype=np.uint8)
"""


def test_a_run_on_a_stochastic_data_set_is_encoded_from_the_images_it_was_trained_on(
    channel, key, store, tmp_path, monkeypatch
):
    """Its images are drawn, but drawn once: another process would see the same ones."""
    (tmp_path / "speckled_data.py").write_text(SPECKLED)
    monkeypatch.syspath_prepend(tmp_path)
    key = replace(key, data="speckled_data:Speckled")
    train_group(channel(), Group(store.url, (key,)))
    weights, codes = (store.tensors(key, file) for file in ("weights", "codes"))
    data = load(key.data)
    parameters = {name: torch.from_numpy(values)[None] for name, values in weights.items()}
    mean, _ = encode_grid(parameters, torch.from_numpy(data.grid_images()), engine.network_of(key, data))
    np.testing.assert_allclose(mean[0].numpy(), codes["mean"], atol=1e-5)
