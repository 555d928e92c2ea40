"""The shipped real images: right content, right order, damage noticed."""

from importlib.resources import files

import numpy as np
import pytest

from dbench.data import load
from dbench.data.dsprites_grid import FILE, DspritesGrid
from dbench.errors import DamagedData


@pytest.fixture(scope="module")
def grid():
    return load("dsprites_grid")


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
