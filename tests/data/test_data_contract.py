"""What every data set must satisfy, and the base it is built on."""

import re
from math import prod

import numpy as np
import pytest
import torch

from dbench.data import DATA_SETS, NEEDS_DOWNLOAD, Downsampled, GridData, load, torch_dataset
from dbench.data.base import digest
from dbench.errors import InvalidInput
from dbench.seeds import generator

LOCAL = sorted(set(DATA_SETS) - NEEDS_DOWNLOAD)
pytestmark = pytest.mark.extension


@pytest.fixture(scope="module", params=LOCAL)
def data(request):
    return load(request.param)


@pytest.fixture(scope="module")
def drawn(data):
    """Some factors and their images: to draw rooms takes most of the time of these tests."""
    factors = some_factors(data)
    return factors, images(data, factors)


def some_factors(data, n=64):
    return data.draw_factors(n, generator(test="contract", data=data.name))


def images(data, factors, seed=0):
    return data.images(factors, generator(test="images", seed=seed))


def test_names_and_sizes_are_of_the_same_factors(data):
    assert len(data.factor_names) == len(data.factor_sizes) == len(set(data.factor_names))
    assert all(size >= 2 for size in data.factor_sizes)


def test_images_are_bytes_of_the_stated_shape(data, drawn):
    batch = drawn[1]
    assert batch.dtype == np.uint8
    assert batch.shape == (64, *data.image_shape)
    assert batch.max() > 128 > batch.min()
    assert images(data, some_factors(data, 0)).shape == (0, *data.image_shape)


def test_loaded_again_with_equal_generators_it_gives_the_same_factors_and_images(data, drawn):
    factors, again = drawn[0], load(data.name)
    assert (again.name, again.fingerprint) == (data.name, data.fingerprint)
    assert len(bytes.fromhex(data.fingerprint)) == 32
    np.testing.assert_array_equal(factors, some_factors(data))
    np.testing.assert_array_equal(drawn[1], images(again, factors))


def test_an_image_without_chance_depends_on_its_own_factors_alone(data):
    factors = some_factors(data)
    if data.stochastic:
        assert (images(data, factors, seed=0) != images(data, factors, seed=1)).any()
    else:
        np.testing.assert_array_equal(data.images(factors)[::-1], data.images(factors[::-1]))


def test_the_grid_runs_through_all_combinations_with_the_last_factor_fastest(data):
    grid = data.grid()
    assert grid.dtype == np.int64
    assert grid.shape == (prod(data.factor_sizes), len(data.factor_sizes))
    np.testing.assert_array_equal(np.ravel_multi_index(tuple(grid.T), data.factor_sizes), np.arange(len(grid)))


def test_drawn_factors_lie_on_the_grid_and_reach_every_value(data):
    factors = data.draw_factors(2000, generator(test="reach"))
    assert factors.dtype == np.int64
    assert [len(np.unique(column)) for column in factors.T] == list(data.factor_sizes)
    assert (factors.min(axis=0) == 0).all()


def test_fingerprints_tell_data_sets_apart():
    assert len({load(name).fingerprint for name in LOCAL}) == len(LOCAL)


def test_a_factor_outside_its_range_is_named(data):
    for column, (name, size) in enumerate(zip(data.factor_names, data.factor_sizes, strict=True)):
        for value in (size, -1):
            factors = np.zeros((3, len(data.factor_sizes)), dtype=np.int64)
            factors[2, column] = value
            with pytest.raises(
                InvalidInput, match=rf"factor '{name}' must lie in 0\.\.{size - 1}, got {value} in row 2"
            ):
                images(data, factors)


def test_factors_that_are_no_integers_or_of_another_shape_and_negative_draws_are_refused(data):
    zeros = np.zeros((2, len(data.factor_sizes)), dtype=np.int64)
    for wrong in (zeros.astype(np.float64), zeros.astype(bool), zeros[:, 1:], zeros[0], [["a"] * zeros.shape[1]]):
        with pytest.raises(InvalidInput, match="factors must be"):
            images(data, wrong)
    with pytest.raises(InvalidInput, match="n must be at least 0, got -1"):
        data.draw_factors(-1, generator(test="negative"))


class Ramp(GridData):
    """A tiny data set of one factor."""

    name, factor_names, factor_sizes, image_shape = "ramp", ("value",), (200,), (1, 2, 2)

    def __init__(self, *, stochastic=False, content="a"):
        self.stochastic = stochastic
        self.fingerprint = digest("ramp", content)

    def _render(self, factors, generator):
        return np.full((len(factors), *self.image_shape), 255, dtype=np.uint8)


def floats(images):
    return images / 255


NOT_IMAGES = [
    (floats, "numpy.ndarray of float64 and shape (200, 1, 2, 2)"),
    (lambda images: images.astype(bool), "numpy.ndarray of bool and shape (200, 1, 2, 2)"),
    (lambda images: images.astype(np.int64), "numpy.ndarray of int64 and shape (200, 1, 2, 2)"),
    (lambda images: np.moveaxis(images, 1, 3), "numpy.ndarray of uint8 and shape (200, 2, 2, 1)"),
    (lambda images: images[:, 0], "numpy.ndarray of uint8 and shape (200, 2, 2)"),
    (lambda images: images[1:], "numpy.ndarray of uint8 and shape (199, 1, 2, 2)"),
    (torch.from_numpy, "torch.Tensor of torch.uint8 and shape (200, 1, 2, 2)"),
    (lambda images: images.tolist(), "builtins.list of no dtype and shape ()"),
]


@pytest.mark.parametrize(("change", "got"), NOT_IMAGES)
def test_images_of_ones_own_that_are_something_else_are_refused_wherever_they_are_used(change, got, monkeypatch):
    render = Ramp._render
    monkeypatch.setattr(Ramp, "_render", lambda self, *given: change(render(self, *given)))
    data = Ramp()
    rule = "images of data set 'ramp' must be a numpy array of uint8 (0 to 255) of shape 200 x 1 x 2 x 2, got "
    for use in (data.grid_images, lambda: data.images(data.grid()), lambda: torch_dataset(data)):
        with pytest.raises(InvalidInput, match=f"^{re.escape(rule + got)}$"):
            use()


def test_images_that_never_exceed_1_are_warned_of(monkeypatch):
    monkeypatch.setattr(Ramp, "_render", lambda self, factors, _: np.ones((len(factors), 1, 2, 2), dtype=np.uint8))
    for use in (Ramp().grid_images, lambda: torch_dataset(Ramp())):
        with pytest.warns(UserWarning, match="no image of ramp exceeds 1, where white is 255"):
            use()


def test_a_stochastic_data_set_and_a_downsampled_one_ask_for_a_generator():
    for data in (ramp := Ramp(stochastic=True), Downsampled(ramp, 2, name="small")):
        with pytest.raises(InvalidInput, match=f"generator must be given for the stochastic data set '{data.name}'"):
            data.images([[1]])


def test_the_fingerprint_of_a_downsampled_set_follows_base_and_block():
    a, b = Ramp(content="a"), Ramp(content="b")
    prints = {Downsampled(a, 1, name="x").fingerprint, Downsampled(a, 2, name="x").fingerprint}
    prints |= {Downsampled(b, 2, name="x").fingerprint, a.fingerprint}
    assert len(prints) == 4
    assert Downsampled(a, 2, name="y").fingerprint == Downsampled(a, 2, name="x").fingerprint


def test_a_digest_keeps_the_parts_apart():
    assert digest("ab", "c") != digest("a", "bc")


def test_a_block_that_does_not_divide_the_image_is_refused():
    for block in (0, 3):
        with pytest.raises(InvalidInput, match=f"block must divide the image size .*, got {block}"):
            Downsampled(Ramp(), block, name="small")


class Plane(Ramp):
    """Somebody's own data set, of two factors."""

    name, factor_names, factor_sizes = "plane", ("row", "column"), (2, 3)


@pytest.fixture
def own(monkeypatch):
    """Let ``mine:Plane`` name it, with methods that return something else."""

    def change(**methods):
        made = type("Own", (Plane,), {name: lambda _, value=value: value for name, value in methods.items()})
        monkeypatch.setattr("dbench.data.load_callable", lambda *_: made)

    return change


GRID = Plane().grid()


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"grid": GRID[np.lexsort(GRID.T)]}, r"last factor fastest, got shape \(6, 2\), .* \[\[0, 0\], \[1, 0\]"),
        ({"grid": GRID[:, :1]}, r"must be all 6 combinations of factors of \(2, 3\) .* got shape \(6, 1\)"),
        ({"grid": GRID[1:]}, r"got shape \(5, 2\)"),
        ({"grid": None}, r"got shape \(\)|cannot be made"),
        ({"held_out": np.zeros(6, np.int64)}, r"mask \(bool\) of the 6 points .* got int64 of shape \(6,\)"),
        ({"held_out": np.zeros((6, 1), bool)}, r"got bool of shape \(6, 1\)"),
    ],
)
def test_a_grid_or_mask_of_ones_own_data_set_that_others_cannot_rely_on_is_refused(own, methods, message):
    own(**methods)
    with pytest.raises(InvalidInput, match=message):
        load("mine:Plane")


@pytest.mark.parametrize(
    ("names", "sizes"), [(("row",), (2, 3)), (("row", "row"), (2, 3)), ((), ()), (("row", "column"), (0, 3))]
)
def test_names_and_sizes_of_ones_own_data_set_must_be_of_the_same_factors(monkeypatch, names, sizes):
    made = type("Own", (Plane,), {"factor_names": names, "factor_sizes": sizes})
    monkeypatch.setattr("dbench.data.load_callable", lambda *_: made)
    with pytest.raises(InvalidInput, match=re.escape(f"got factor_names {names} and factor_sizes {sizes}")):
        load("mine:Plane")


def test_images_of_ones_own_data_set_are_looked_at_when_it_is_loaded_whatever_base_it_has(monkeypatch):
    made = type("Own", (Plane,), {"images": lambda _, factors, generator=None: np.zeros((len(factors), 1, 2, 2))})
    monkeypatch.setattr("dbench.data.load_callable", lambda *_: made)
    with pytest.raises(InvalidInput, match=r"uint8 .* of shape 2 x 1 x 2 x 2, got numpy\.ndarray of float64"):
        load("mine:Plane")


def test_points_of_ones_own_data_set_can_be_held_out(own):
    own()
    assert load("mine:Plane-without-row1-column2").held_out().tolist() == 5 * [False] + [True]
    with pytest.raises(InvalidInput, match="in the order of the data set, 'mine:Plane-without-row1-column2', got "):
        load("mine:Plane-without-column2-row1")
