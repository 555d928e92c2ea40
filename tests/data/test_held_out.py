"""Data sets with grid points held out of training: which points, under which name, and nothing else changed."""

from functools import partial

import numpy as np
import pytest

from dbench.data import Downsampled, GridData, HeldOut, load, paper_splits, random_splits
from dbench.data.base import digest
from dbench.data.dsprites_variants import ColorDsprites
from dbench.data.held_out import held_out_name, parse_held_out
from dbench.errors import InvalidInput, UnknownName
from dbench.seeds import generator


class SmallDsprites(GridData):
    """A quick stand-in of the family: an image says which grid point it is of, or adds noise to that."""

    name, factor_names, factor_sizes, image_shape = "small_dsprites", ("shape", "scale", "pos"), (3, 6, 4), (1, 2, 2)
    fingerprint = digest("stand-in")

    def __init__(self, *, stochastic=False):
        self.stochastic = stochastic

    def _render(self, factors, generator):
        images = np.repeat(self.index(factors).astype(np.uint8), 4).reshape(-1, 1, 2, 2)
        return images + generator.integers(9, size=images.shape, dtype=np.uint8) if self.stochastic else images


@pytest.fixture
def base():
    return SmallDsprites()


def test_a_combination_is_held_out_wherever_it_occurs_and_nothing_else(base):
    data, three = HeldOut(base, {"shape": 2, "scale": 3}), HeldOut(base, {"shape": 2, "scale": 3, "pos": 1})
    assert data.name == "small_dsprites-without-shape2-scale3"
    assert (data.combined, three.combined) == ((0, 1), (0, 1, 2))
    assert data.grid()[data.held_out()].tolist() == [[2, 3, pos] for pos in range(4)]
    assert three.grid()[three.held_out()].tolist() == [[2, 3, 1]]


def test_every_value_stays_familiar_for_every_combination_of_the_paper():
    for base in ("dsprites_grid_16", "color_dsprites_grid_16"):
        names = paper_splits(base) + random_splits(base, 2)
        assert len(names) == len(set(names)) == 7
        for name in names:
            data = load(name)
            assert data.name == name
            familiar = data.grid()[~data.held_out()]
            assert data.held_out().sum() == 46_080 / 18
            assert [len(np.unique(column)) for column in familiar.T] == list(data.factor_sizes)


def test_the_combinations_of_dsprites_are_those_of_appendix_g_and_of_others_as_many():
    """There in the order size, shape: 0-0, 5-2, 2-1, 3-1, 3-2."""
    expected = ["shape0-scale0", "shape2-scale5", "shape1-scale2", "shape1-scale3", "shape2-scale3"]
    assert [name.partition("-without-")[2] for name in paper_splits("dsprites_grid_16")] == expected
    assert [len(paper_splits(name)) for name in ("dsprites", "shapes3d", "mpi3d_toy")] == [5, 8, 6]


def test_a_factor_of_one_value_makes_no_combination(base):
    base.factor_names, base.factor_sizes = ("color", "shape", "scale", "pos"), (1, 3, 6, 4)
    with pytest.raises(InvalidInput, match="at least two factors of several values"):
        HeldOut(base, {"color": 0, "shape": 2})
    assert HeldOut(base, {"color": 0, "shape": 2, "scale": 3}).held_out().sum() == 4


def test_a_random_draw_holds_out_as_many_points_as_a_combination(base):
    draws = [HeldOut(base, draw=number) for number in range(40)]
    assert all(data.held_out().sum() == 72 / 18 for data in draws)
    assert len({data.held_out().tobytes() for data in draws}) == 40
    assert {data.combined for data in draws} == {(0, 1)}
    np.testing.assert_array_equal(HeldOut(base, draw=3).held_out(), draws[3].held_out())


def test_random_draws_hold_out_every_point_equally_often(base):
    counts = sum(HeldOut(base, draw=number).held_out().astype(int) for number in range(900))
    # Each count is hypergeometric over draws: binomial with n = 900 and p = 1 / 18.
    assert np.abs(counts - 50).max() < 4.5 * np.sqrt(50 * 17 / 18)


def test_images_factors_and_grid_are_those_of_the_base(base):
    data = HeldOut(base, {"shape": 0, "scale": 0})
    np.testing.assert_array_equal(data.grid(), base.grid())
    np.testing.assert_array_equal(data.images(data.grid()), base.images(base.grid()))
    np.testing.assert_array_equal(data.draw_factors(9, generator(a=1)), base.draw_factors(9, generator(a=1)))


def test_a_stochastic_set_keeps_the_draws_of_its_grid():
    base = SmallDsprites(stochastic=True)
    np.testing.assert_array_equal(HeldOut(base, draw=0).grid_images(), base.grid_images())


def test_a_data_set_holds_nothing_out_unless_told_and_its_mask_cannot_be_changed_from_outside(base):
    assert base.held_out().shape == (72,)
    assert not base.held_out().any()
    data = HeldOut(base, draw=0)
    data.held_out()[:] = True
    assert data.held_out().sum() == 4


def test_the_fingerprint_tells_what_is_held_out(base):
    combinations = [HeldOut(base, {"shape": shape, "scale": 1}) for shape in range(3)]
    draws = [HeldOut(base, draw=draw) for draw in (0, 1)]
    assert len({data.fingerprint for data in (base, *combinations, *draws)}) == 6
    assert HeldOut(base, draw=0).fingerprint == draws[0].fingerprint


def test_factors_may_be_given_in_any_order_and_are_named_in_one(base):
    assert HeldOut(base, {"scale": 3, "shape": 2}).name == HeldOut(base, {"shape": 2, "scale": 3}).name
    with pytest.raises(InvalidInput, match="must stand in the order of the data set, 'dsprites_grid-without-shape2-sc"):
        load("dsprites_grid-without-scale3-shape2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either a combination or a draw, got neither"),
        ({"combination": {"shape": 1, "scale": 1}, "draw": 0}, "either a combination or a draw, got both"),
        ({"combination": {"shape": 1}}, "at least two factors of several values, so that every value stays familiar"),
        ({"combination": {"shape": 3, "scale": 1}}, r"factor 'shape' must lie in 0\.\.2, got 3"),
        ({"combination": {"shape": 1, "size": 1}}, "must name factors among shape, scale, pos, got 'size'"),
        ({"draw": -1}, "draw must be at least 0, got -1"),
    ],
)
def test_what_cannot_be_held_out_is_refused(base, arguments, message):
    with pytest.raises(InvalidInput, match=message):
        HeldOut(base, **arguments)


def test_a_draw_from_a_set_named_like_a_family_without_its_factors_is_refused(base):
    base.factor_names = ("kind", "scale", "pos")
    with pytest.raises(InvalidInput, match=r"must have the factors shape and scale .* got 'small_dsprites'"):
        HeldOut(base, draw=0)


def test_a_base_that_holds_points_out_is_refused(base):
    """What it keeps from training would be trained on."""
    inner = HeldOut(base, {"shape": 2, "scale": 3})
    for arguments in ({"combination": {"shape": 0, "scale": 0}}, {"draw": 0}):
        with pytest.raises(InvalidInput, match=f"base must be .* holds no points out, got '{inner.name}'"):
            HeldOut(inner, **arguments)


def test_a_family_without_combinations_in_the_paper_has_no_splits():
    for ask in (paper_splits, random_splits):
        with pytest.raises(InvalidInput, match="dsprites, shapes3d, mpi3d only, got 'cars3d'"):
            ask("cars3d")


@pytest.mark.parametrize(
    "left_out",
    ["", "shape", "2", "shape02-scale3", "shape2-shape1", "shape2--scale3", "shape-1-scale3", "Shape2-scale3",
     "shape2-scale3\n", "random0-random1", "random0-without-random0", "shape٣-scale1", "shape2-scale9999999999"],
)  # fmt: skip
def test_a_name_of_another_form_is_refused(left_out):
    with pytest.raises(UnknownName, match="is named like 'dsprites_grid-without-shape2-scale3'"):
        load(f"dsprites_grid-without-{left_out}")


def test_names_are_taken_apart_as_they_were_put_together():
    for combination in ({"shape": 0, "scale": 10}, {"pos_x": 3, "pos_y": 0}):
        assert parse_held_out(held_out_name("a_16", combination)) == ("a_16", combination, None)
    assert parse_held_out(held_out_name("a_16", draw=12)) == ("a_16", None, 12)


@pytest.mark.parametrize("change", [partial(Downsampled, block=2), ColorDsprites])
def test_what_is_changed_of_the_images_holds_out_what_the_base_does(base, change):
    data = HeldOut(base, draw=0)
    np.testing.assert_array_equal(change(data, name="changed").held_out(), data.held_out())
