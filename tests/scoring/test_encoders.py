"""Somebody's encoder on a data set: whole grids by look-up, large ones by asking."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result

from dbench.cli import main
from dbench.codes import FunctionSource
from dbench.data import load
from dbench.scoring import score
from dbench.scoring.encoders import encode_data

MINE = '''
import os
import numpy as np
import torch
from dbench.data import GridData

class Squares(GridData):
    """A square of three sizes at four heights and five places."""
    name, factor_names, factor_sizes, image_shape = "squares", ("size", "y", "x"), (3, 4, 5), (1, 8, 8)
    fingerprint = "squares 1"

    def _render(self, factors, generator):
        size, y, x = factors.T[..., None]
        rows, columns = ((start <= np.arange(8)) & (np.arange(8) < start + size + 2) for start in (y, x))
        return 255 * (rows[:, :, None] & columns[:, None]).astype(np.uint8)[:, None]

def moments(images):
    assert images.dtype == np.float32 and images.max() <= 1
    total = images.sum(axis=(1, 2, 3))
    rows, columns = (images.sum(axis=(1, axis)) @ np.arange(8) / total for axis in (3, 2))
    return np.stack([np.sqrt(total), rows - np.sqrt(total) / 2, columns - np.sqrt(total) / 2], axis=1)

class Vae(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 2)
        self.dropout = torch.nn.Dropout(0.5)

    def forward(self, x):
        mean = self.dropout(self.linear(x.flatten(1)))
        return mean, torch.zeros_like(mean) - 2

torch.manual_seed(0)
vae = Vae()

def dream(codes):
    return torch.sigmoid(torch.from_numpy(codes) @ vae.linear.weight).reshape(-1, 1, 8, 8)

def leaves(images):
    raise SystemExit(0)

def broken():
    raise OSError("no disk")

bright = lambda codes: np.full((len(codes), 1, 8, 8), 2.0)
twice = lambda codes: (dream(codes), dream(codes))
short = lambda images: images[:-1, 0, 0]
three = lambda images: (moments(images),) * 3
fails = lambda images: images @ np.ones(3)
ends = lambda images: os._exit(0)
nan = lambda images: np.full((len(images), 2), np.nan)
waves = lambda images: moments(images) * 1j
days = lambda images: np.zeros((len(images), 2), dtype="datetime64[D]")
words = lambda images: np.full((len(images), 2), "1")
objects = lambda images: moments(images).astype(object)

def prints(images):
    print("an image of the encoder's own")
    return moments(images)

class Noisy(Squares):
    def _render(self, factors, generator):
        print("an image of the data set's own")
        return super()._render(factors, generator)

class Ends(Squares):
    def grid_images(self):
        os._exit(0)

class Half:
    name = "half"
'''
MOMENTS, SQUARES = "--encoder=mine_encoders:moments", "--data=mine_encoders:Squares"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "mine_encoders", raising=False)
    (tmp_path / "mine_encoders.py").write_text(MINE)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["score", *arguments], catch_exceptions=False)


def test_what_an_encoder_and_its_data_set_print_is_not_in_the_json() -> None:
    result = run("--encoder=mine_encoders:prints", "--data=mine_encoders:Noisy", "--metric", "mig", "--json")
    assert json.loads(result.stdout)[0]["metric"] == "mig"
    assert "an image of the encoder's own" in result.stderr
    assert "an image of the data set's own" in result.stderr


def test_metrics_that_intervene_are_computed_for_an_encoder_and_data_of_ones_own() -> None:
    arguments = [MOMENTS, SQUARES, "--repeats", "0", "--json", "--metric", "factor_vae", "--metric"]
    for more in (["beta_vae_metric"], ["mig", "--rows", "40"]):  # the whole grid, and points drawn from it
        found = {record["metric"]: record for record in json.loads(run(*arguments, *more).stdout)}
        assert found["factor_vae"]["score"] == 1.0
        assert found[more[0]]["score"] > 0.8
        assert {record["file"] for record in found.values()} == {"mine_encoders:moments"}


def test_a_grid_by_look_up_and_a_source_that_is_asked_agree() -> None:
    data = load("mine_encoders:Squares")
    encode = __import__("mine_encoders").moments
    whole, none = encode_data(encode, data)
    few, source = encode_data(encode, data, rows=30, seed=1)
    assert none is None
    assert isinstance(source, FunctionSource)
    factors = few.sample.factors
    np.testing.assert_allclose(source.codes(factors, np.random.default_rng(0)), whole.sample.codes[data.index(factors)])
    np.testing.assert_allclose(few.sample.codes, whole.sample.codes[data.index(factors)])
    asked = score(few, source=source, metrics=["factor_vae"])
    assert asked["factor_vae"] == 1.0
    assert asked.records[0]["repeats"] == 0  # each would encode a million images


def test_a_torch_module_is_asked_in_evaluation_mode_and_left_as_it_was() -> None:
    data = load("mine_encoders:Squares")
    vae = __import__("mine_encoders").vae.train()
    vae.linear.eval()  # frozen
    found, _ = encode_data(vae, data)
    again, _ = encode_data(vae, data)
    np.testing.assert_array_equal(found.sample.codes, again.sample.codes)  # no dropout
    np.testing.assert_array_equal(found.logvar, np.full((60, 2), -2.0))
    assert [module.training for module in vae.modules()] == [True, False, True]
    images = torch.from_numpy(data.grid_images() / np.float32(255))
    np.testing.assert_allclose(found.sample.codes, vae.linear(images.flatten(1)).detach(), atol=1e-6)


FAILED = "failed on an array of shape (60, 1, 8, 8)"
BAD_ENCODERS = [
    ("mine_encoders:short", "or a pair (mean, logvar) of this shape, got [(59, 8)]"),
    ("mine_encoders:fails", FAILED),
    ("mine_encoders:three", "must return codes or a pair (mean, logvar), got 3 values"),
    ("mine_encoders:leaves", f"{FAILED}: SystemExit: 0"),
    ("mine_encoders:ends", f"{FAILED}: SystemExit: os._exit(0)"),
    ("mine_encoders:nan", "must return finite codes, got NaN or infinity"),
    # What is no real number is not converted.
    ("mine_encoders:waves", "encoder mine_encoders:waves must return real numbers, got dtype complex128"),
    ("mine_encoders:days", "must return real numbers, got dtype datetime64[D]"),
    ("mine_encoders:words", "must return real numbers, got dtype <U1"),
    ("mine_encoders:objects", "must return real numbers, got dtype object"),
    ("moments", "an encoder is named as module:attribute"),
]
BAD_DATA = [
    ("mine_encoders:Ends", "data set 'squares' failed: SystemExit: os._exit(0) was called"),
    ("mine_encoders:Half", "'mine_encoders:Half' must have draw_factors"),
    ("mine_encoders:none", "has no attribute 'none'"),
    ("mine_encoders:broken", "'mine_encoders:broken' cannot be made: OSError: no disk"),
    ("dsprite", "unknown data set 'dsprite'"),
]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(([f"--encoder={name}", SQUARES], message) for name, message in BAD_ENCODERS),
        *(([MOMENTS, f"--data={name}"], message) for name, message in BAD_DATA),
        ([MOMENTS, SQUARES, "--codes=mu", "--discrete=*"], "come from --data: leave out --codes, --discrete"),
        ([MOMENTS], "score takes files, or --encoder together with --data"),
        ([], "score takes files, or --encoder together with --data"),
    ],
)
def test_bad_input_gives_one_line(arguments: list[str], message: str) -> None:
    result = run(*arguments, "--metric=mig")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr


def test_an_installed_package_can_list_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    point = EntryPoint("squares", "mine_encoders:Squares", "dbench.data_sets")
    monkeypatch.setattr("dbench.data.entry_points", lambda group: [point] if group == "dbench.data_sets" else [])
    assert load("squares").factor_sizes == (3, 4, 5)
    with pytest.raises(LookupError, match="did you mean 'squares'"):
        load("squaress")


def test_traversals_of_a_decoder_are_drawn(folder: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'figures' (matplotlib) is not installed")
    common = ["--encoder=mine_encoders:vae", SQUARES, "--metric=mig"]
    done = run(*common, "--decoder", "mine_encoders:dream", "--out", "pictures")
    assert done.exit_code == 0
    assert (folder / "pictures" / "traversals.png").read_bytes()[:4] == b"\x89PNG"
    for wrong, message in (
        (["--decoder", "mine_encoders:bright", "--out", "pictures"], "must return images in 0..1, got 2 to 2"),
        (["--decoder", "mine_encoders:twice", "--out", "pictures"], "must return images alone, got 2 values"),
        (["--decoder", "mine_encoders:nan", "--out", "pictures"], "must return 18 x C x H x W images"),
        (["--decoder", "mine_encoders:dream"], "--decoder goes with --out and an --encoder"),
    ):
        refused = run(*common, *wrong)
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
        assert message in refused.stderr
