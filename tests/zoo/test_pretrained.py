"""Trained models as torch modules."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from click.testing import CliRunner

import dbench
from dbench.cli import main
from dbench.data import load
from dbench.errors import InvalidInput, UnknownName
from dbench.models.conv import Conv
from dbench.scoring.encoders import encode_data
from dbench.zoo.panel import SHIPPED, choose_runs, read_panel, write_panel
from dbench.zoo.profiles import PROFILES


@pytest.fixture(scope="module")
def images():
    return load("dsprites_grid_16").grid_images()


@pytest.fixture(scope="module")
def model():
    return dbench.load("beta_vae", 4)


@pytest.fixture
def there(trained, short, store, monkeypatch):
    monkeypatch.setitem(PROFILES, short.name, short)
    trained(store, short)
    return store


def test_a_model_of_a_store_encodes_and_decodes_as_its_run_did(there, short, images):
    key = short.runs()[1]
    model = dbench.load("beta_vae", key.strength, key.seed, profile=short.name, store=there.url)
    assert model.key == key
    codes = there.tensors(key, "codes")
    mean, logvar = model.encode(images[:256])
    np.testing.assert_allclose(mean.detach(), codes["mean"][:256], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(logvar.detach(), codes["logvar"][:256], rtol=1e-5, atol=1e-6)
    # The bound of the run was of one draw of the codes of each image.
    noise = key.generator("evaluate").standard_normal(codes["mean"].shape, dtype=np.float32)
    logits = model.decode(codes["mean"] + np.exp(codes["logvar"] / 2) * noise).detach()
    pixels = torch.from_numpy(images / np.float32(255))
    nats = torch.nn.functional.binary_cross_entropy_with_logits(logits, pixels, reduction="none").sum((1, 2, 3))
    assert float(nats.double().mean()) == pytest.approx(there.record(key)["scores"]["reconstruction"], rel=1e-5)


def test_images_are_bytes_or_numbers_in_0_to_1_and_the_result_is_the_same(model, images):
    means = [
        model.encode(given)[0]
        for given in (images[:7], torch.from_numpy(images[:7]), images[:7] / 255, (images[:7] / 255).astype(np.float32))
    ]
    assert all(torch.equal(mean, means[0]) for mean in means)
    assert torch.equal(model(images[:7])[0], means[0])


def test_a_shipped_model_is_that_of_the_panel_and_an_encoder_to_score(images):
    model = dbench.load("factor_vae", 10, 10_001)
    panel = read_panel(SHIPPED)
    number = panel.keys.index(model.key)
    codes = encode_data(model, load("dsprites_grid_16"), name="model")[0].sample.codes
    np.testing.assert_allclose(codes, panel.source(number).grid_codes, rtol=1e-5, atol=1e-6)


def test_a_module_trains_and_is_saved_as_any_other(images, tmp_path):
    model = dbench.load("beta_vae", 4)
    model.decode(model.encode(images[:3])[0]).sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    torch.save(model.state_dict(), tmp_path / "weights.pt")
    other = dbench.load("beta_vae", 4, 10_001)
    other.load_state_dict(torch.load(tmp_path / "weights.pt", weights_only=True))
    assert torch.equal(other.encode(images[:3])[0], model.encode(images[:3])[0])
    assert "beta_vae 4 likelihood x 16" in repr(model)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((2, 1, 16, 16), np.int64), "got (torch\\.)?int64"),
        (np.zeros((2, 1, 16, 15), np.uint8), "got shape \\(2, 1, 16, 15\\)"),
        (np.zeros((1, 16, 16), np.uint8), "got shape"),
        (np.zeros((0, 1, 16, 16), np.uint8), "got shape"),
        (np.full((1, 1, 16, 16), 2.0), "got 2 to 2"),
        (np.full((1, 1, 16, 16), np.nan), "got nan to nan"),
        (np.full((1, 1, 16, 16), "x"), "an array of numbers"),
    ],
)
def test_what_is_no_image_is_refused(model, given, message):
    with pytest.raises(InvalidInput, match=f"images must be.* {message}"):
        model.encode(given)


@pytest.mark.parametrize("given", [np.zeros((2, 9)), np.zeros(10), np.full((1, 10), np.inf), np.zeros((0, 10))])
def test_what_are_no_codes_is_refused(model, given):
    with pytest.raises(InvalidInput, match="codes must be finite, of shape N x 10, got shape"):
        model.decode(given)


def test_a_model_that_is_not_shipped_is_named_with_what_trains_it_and_the_time(tiny, monkeypatch):
    monkeypatch.setitem(PROFILES, tiny.name, replace(tiny, first_seed=10_000))
    command = "dbench zoo train --profile tiny --objective beta_vae --seeds 10001 --store store/tiny"
    said = f"beta_vae 4 seed 10001 of profile tiny is not shipped; {command} trains it, .* in about \\d+ s on this"
    with pytest.raises(InvalidInput, match=said):
        dbench.load("beta_vae", 4, 10_001, profile="tiny")
    with pytest.raises(InvalidInput, match=r"beta_vae 4 seed 10007 of profile micro is not shipped; .* --seeds 10007 "):
        dbench.load("beta_vae", 4, 10_007)


def test_a_file_that_is_named_like_a_shipped_profile_is_not_taken_for_it(tiny, spell, tmp_path):
    with pytest.raises(InvalidInput, match="beta_vae 4 of profile micro is not shipped"):
        dbench.load("beta_vae", 4, profile=spell(tiny, tmp_path / "micro.toml"))


def test_what_there_is_not_is_refused(there, short, tmp_path):
    with pytest.raises(InvalidInput, match=r"strength of beta_vae in profile micro must be one of 1, 2, .*, got 3"):
        dbench.load("beta_vae", 3)
    with pytest.raises(UnknownName, match="unknown objective"):
        dbench.load("beta_va", 3)
    with pytest.raises(InvalidInput, match=r"store must hold beta_vae 4 seed 7 of profile tiny, .* --seeds 7-7 "):
        dbench.load("beta_vae", 4, 7, profile=short.name, store=there.url)
    with pytest.raises(InvalidInput, match="panel must not be given beside store"):
        dbench.load("beta_vae", 4, panel=SHIPPED, store=there.url)
    with pytest.raises(InvalidInput, match=r"panel .* must hold beta_vae 5, got .*beta_vae 4;"):
        dbench.load("beta_vae", 5, panel=SHIPPED)


def test_a_panel_of_encoders_encodes_and_says_that_it_cannot_decode(there, short, images, tmp_path):
    arguments = ["--profile", short.name, "--store", there.url, "--encoders-only"]
    shown = CliRunner().invoke(main, ["zoo", "panel", *arguments, "--out", str(tmp_path / "p")])
    assert shown.output.startswith("4 models, 0.2 MB")
    model = dbench.load("beta_vae", 1, panel=tmp_path / "p")
    full = dbench.load("beta_vae", 1, profile=short.name, store=there.url)
    mean, other = model.encode(images[:20])[0].detach(), full.encode(images[:20])[0].detach()
    np.testing.assert_allclose(mean, other, atol=0.01 * float(other.abs().max()))
    with pytest.raises(InvalidInput, match=r"decode needs the decoder of beta_vae 1 .*, which this panel of encoders"):
        model.decode(mean)
    assert read_panel(tmp_path / "p").source(0).grid_codes[:20] == pytest.approx(mean, abs=1e-6)


def test_a_panel_of_eighteen_encoders_of_the_study_s_network_is_small_enough_for_the_tree(store, tmp_path):
    plan = replace(PROFILES["standard"], seeds=1)
    chosen = choose_runs(plan.runs(), 1, 3)
    assert len(chosen) == 18
    full = {(key.objective, key.strength) for key in PROFILES["full"].runs()}
    assert {(key.objective, key.strength) for key in chosen} == full
    data = load("dsprites_grid")
    shapes = Conv(data.image_shape).shapes
    weights = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    for key in chosen:
        store.save(key, status="done", tensors={"weights": weights}, record={"data_sha256": data.fingerprint})
    write_panel(store, chosen, tmp_path / "p", encoders_only=True)
    assert (tmp_path / "p").stat().st_size < 15e6
    model = dbench.load("beta_vae", 1, panel=tmp_path / "p")
    assert model.encode(np.zeros((3, 1, 64, 64)))[0].shape == (3, 10)
