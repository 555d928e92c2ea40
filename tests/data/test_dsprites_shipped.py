"""The shipped real images and the re-rendered ones: right content, right order, damage noticed; filling of polygons."""

from importlib.resources import files

import numpy as np
import pytest

from dbench.data import load
from dbench.data.dsprites import GRID_FILE, DspritesGrid
from dbench.data.dsprites_rendered import fill
from dbench.errors import DamagedData


def test_all_but_three_of_the_real_images_come_out_the_same_and_those_by_one_pixel():
    grid, rendered = load("dsprites_grid"), load("dsprites_rendered")
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


def test_the_first_and_last_orientation_are_one_image():
    rendered = load("dsprites_rendered")
    factors = rendered.draw_factors(500, np.random.default_rng(0))
    first, last = factors.copy(), factors.copy()
    first[:, 2], last[:, 2] = 0, 39
    np.testing.assert_array_equal(rendered.images(first), rendered.images(last))


def test_left_and_lower_edges_own_the_centres_on_them():
    corners = (256 * np.array([[[2.5, 3.5], [6.5, 3.5], [6.5, 8.5], [2.5, 8.5]]])).astype(np.int64)
    expected = np.zeros((64, 64))
    expected[4:9, 2:6] = 1
    for outline in (corners, corners[:, ::-1]):
        np.testing.assert_array_equal(fill(outline)[0], expected)


def test_any_damage_is_noticed(monkeypatch, tmp_path):
    content = (files("dbench_fixtures.data") / GRID_FILE).read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    monkeypatch.setattr("dbench.data.archives.files", lambda package: tmp_path)
    for damaged in (bytes(flipped), content[:-1], b""):
        (tmp_path / GRID_FILE).write_bytes(damaged)
        with pytest.raises(DamagedData, match=r"dsprites_grid\.npz must have SHA-256 .*reinstall dbench"):
            DspritesGrid()


def test_the_shipped_file_says_where_it_comes_from():
    notice = (files("dbench_fixtures.data") / "NOTICE.md").read_text(encoding="utf-8")
    assert all(word in notice for word in ("Apache License", "Matthey", GRID_FILE))
