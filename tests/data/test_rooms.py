"""The stand-in for Shapes3D shows what its factors say."""

import numpy as np
import pytest

from dbench.data.rooms import _COLOURS, Rooms, _object, _views


def test_every_view_is_another_picture_and_every_hue_another_colour():
    views = _views().reshape(480, -1)
    assert len(np.unique(views, axis=0)) == 480
    assert len(np.unique(_COLOURS, axis=0)) == 10


def test_a_hue_changes_what_it_colours_and_nothing_else():
    rooms = Rooms()
    base = rooms.images([[0, 3, 6, 4, 2, 7]])[0]
    shown = _views()[4, 2, 7].reshape(3, 64, 64) > 0
    for column in range(3):
        factors = np.array([[0, 3, 6, 4, 2, 7]])
        factors[0, column] = 8
        changed = (rooms.images(factors)[0] != base).any(axis=0)
        assert changed.mean() > 0.02
        assert not (changed & ~shown[column]).any()


def test_a_larger_scale_shows_more_of_the_object_for_every_shape():
    areas = (_views()[:, :, 7, 2] > 0).sum(axis=-1)  # 8 scales x 4 shapes
    assert (np.diff(areas, axis=0) > 0).all()


def test_going_round_to_the_left_mirrors_going_round_to_the_right_but_for_the_light():
    cover = (_views()[4, :, :, 2] > 0).reshape(4, 15, 64, 64)
    assert (cover != cover[:, ::-1, :, ::-1]).mean() < 1e-3  # rays along an edge


@pytest.mark.parametrize(("shape", "top"), [(0, 1.6), (1, 2.0), (2, 2.0), (3, 2.4)])
def test_a_ray_from_above_meets_the_top_of_the_object(shape, top):
    _, near = _object(shape, 1.0, np.array([1e-3, 10.0, 1e-3]), np.array([[1e-6, -1.0, 1e-6]]))
    assert near[0] == pytest.approx(10 - top, abs=1e-5)
