"""The shipped real images and the re-rendered ones: right content, right order, damage noticed; filling of polygons."""

from importlib.resources import files

import numpy as np
import pytest

from dbench.data import load
from dbench.data.dsprites_grid import FILE, DspritesGrid
from dbench.data.dsprites_rendered import fill, outline
from dbench.errors import DamagedData


@pytest.fixture(scope="module")
def grid():
    return load("dsprites_grid")


@pytest.fixture(scope="module")
def rendered():
    return load("dsprites_rendered")


def square(left, top, right, bottom):
    """One square whose sides are given in pixels."""
    corners = [[left, top], [right, top], [right, bottom], [left, bottom]]
    return np.round(256 * np.array([corners])).astype(np.int64)


def test_all_but_three_of_the_real_images_come_out_the_same_and_those_by_one_pixel(grid, rendered):
    factors = grid.grid()
    wrong = np.zeros(len(factors), dtype=np.int64)
    for rows in np.array_split(np.arange(len(factors)), 15):
        same_place = rendered.images(factors[rows] * [1, 1, 4, 2, 2])
        wrong[rows] = (same_place != grid.images(factors[rows])).sum(axis=(1, 2, 3))
    different = {
        shape: int((wrong[factors[:, 0] == j] > 0).sum()) for j, shape in enumerate(("square", "ellipse", "heart"))
    }
    assert different == {"square": 1, "ellipse": 0, "heart": 2}  # of 15,360 each: 99.993, 100 and 99.987 % identical
    assert wrong.max() == 1


def test_the_first_and_last_orientation_are_one_image(rendered):
    factors = rendered.draw_factors(500, np.random.default_rng(0))
    first, last = factors.copy(), factors.copy()
    first[:, 2], last[:, 2] = 0, 39
    np.testing.assert_array_equal(rendered.images(first), rendered.images(last))


def test_every_other_orientation_turns_the_heart(rendered):
    turns = np.array([[2, 5, turn, 16, 16] for turn in range(39)])
    assert len(np.unique(rendered.images(turns), axis=0)) == 39


def test_sprites_never_touch_the_border(rendered):
    turns = [(shape, 5, turn, x, y) for shape in range(3) for turn in range(40) for x in (0, 31) for y in (0, 31)]
    images = rendered.images(turns)[:, 0]
    assert not images[:, [0, -1]].any()
    assert not images[:, :, [0, -1]].any()


def test_left_and_lower_edges_own_the_centres_on_them():
    image = fill(square(2.5, 3.5, 6.5, 8.5))[0]
    rows, columns = np.nonzero(image)
    assert (columns.min(), columns.max()) == (2, 5)
    assert (rows.min(), rows.max()) == (4, 8)
    assert image.sum() == 4 * 5


def test_squares_that_share_an_edge_share_no_pixel():
    parts = [fill(square(*sides)) for sides in ((2.5, 2.5, 6.5, 6.5), (6.5, 2.5, 9.5, 6.5), (2.5, 6.5, 9.5, 9.5))]
    np.testing.assert_array_equal(sum(parts), fill(square(2.5, 2.5, 9.5, 9.5)))


def test_filling_agrees_with_half_planes_on_triangles():
    corners = np.random.default_rng(2).integers(-2000, 64 * 256 + 2000, size=(200, 3, 2))
    x, y = np.meshgrid(np.arange(64) * 256 + 128, np.arange(64) * 256 + 128)
    start, side = corners[..., None, None], (np.roll(corners, -1, axis=1) - corners)[..., None, None]
    left_of = side[:, :, 0] * (y - start[:, :, 1]) - side[:, :, 1] * (x - start[:, :, 0])
    inside = (left_of > 0).all(axis=1) | (left_of < 0).all(axis=1)
    off_the_edges = (left_of != 0).all(axis=1)
    np.testing.assert_array_equal(fill(corners)[off_the_edges], inside[off_the_edges])


def test_the_direction_of_an_outline_does_not_matter():
    corners = np.rint(256 * (outline(2) + 32.3)).astype(np.int64)[np.newaxis]
    np.testing.assert_array_equal(fill(corners), fill(corners[:, ::-1]))


def test_no_polygons_give_no_images():
    assert fill(np.empty((0, 4, 2), dtype=np.int64)).shape == (0, 64, 64)


def moments(images):
    """Area and centre (x, y) of each image."""
    on = images[:, 0] / 255.0
    area = on.sum(axis=(1, 2))
    steps = np.arange(64) + 0.5
    return area, on.sum(axis=1) @ steps / area, on.sum(axis=2) @ steps / area


def test_it_holds_46080_binary_images_of_every_combination(grid):
    assert len(grid) == len(grid.grid()) == 46_080
    assert set(np.unique(grid.images(grid.grid()[::97]))) == {0, 255}


def test_factors_mean_what_they_are_called(grid):
    base = np.zeros(5, dtype=np.int64)
    sizes = base + np.arange(6)[:, np.newaxis] * [0, 1, 0, 0, 0]
    assert (np.diff(moments(grid.images(sizes))[0]) > 0).all()
    for column, axis in ((3, 1), (4, 2)):
        line = base + np.arange(16)[:, np.newaxis] * np.eye(5, dtype=np.int64)[column]
        found = moments(grid.images(line))
        np.testing.assert_allclose(found[axis], 16 + 32 * 2 * np.arange(16) / 31, atol=0.5)
        np.testing.assert_allclose(found[3 - axis], 16, atol=0.5)
    square, ellipse, heart = moments(grid.images(base + np.arange(3)[:, np.newaxis] * [1, 0, 0, 0, 0]))[0]
    assert square == 100
    assert square > ellipse > heart


def test_any_damage_is_noticed(monkeypatch, tmp_path):
    content = (files("dbench_fixtures.data") / FILE).read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    monkeypatch.setattr("dbench.data.archives.files", lambda package: tmp_path)
    for damaged in (bytes(flipped), content[:-1], b""):
        (tmp_path / FILE).write_bytes(damaged)
        with pytest.raises(DamagedData, match=r"dsprites_grid\.npz must have SHA-256 .*reinstall dbench"):
            DspritesGrid()


def test_the_shipped_file_says_where_it_comes_from():
    notice = (files("dbench_fixtures.data") / "NOTICE.md").read_text(encoding="utf-8")
    assert all(word in notice for word in ("Apache License", "Matthey", FILE))
