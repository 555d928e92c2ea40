"""A data set of ours as one of torch, and of Hugging Face."""

import importlib.util
import pickle

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from dbench.data import hugging_face_dataset, load, torch_dataset
from dbench.errors import DbenchError


def test_items_are_the_images_and_factors_of_the_grid():
    data = load("dsprites_grid_16")
    points = torch_dataset(data)
    assert len(points) == 46_080
    images, factors = next(iter(DataLoader(points, batch_size=32, shuffle=True)))
    assert (images.dtype, factors.dtype) == (torch.float32, torch.int64)
    np.testing.assert_array_equal((images * 255).round().numpy(), data.images(factors.numpy()))
    assert torch.equal(points[7][0], next(iter(DataLoader(points, batch_size=8)))[0][7])


def test_what_is_held_out_is_not_among_them():
    data = load("dsprites_grid_16-without-shape2-scale3")
    factors = np.array([factors.numpy() for _, factors in torch_dataset(data).__getitems__([*range(0, 43_520, 100)])])
    assert len(torch_dataset(data)) == 43_520
    assert not ((factors[:, 0] == 2) & (factors[:, 1] == 3)).any()


def test_a_stochastic_image_is_drawn_once():
    points = torch_dataset(load("color_dsprites_grid_16"))
    (image, _), (again, _) = points[40_000], points.__getitems__([3, 40_000])[1]
    assert torch.equal(image, again)


@pytest.mark.parametrize("name", ["dsprites_grid_16", "color_dsprites_grid_16"])
def test_a_worker_that_is_sent_the_points_has_the_same_ones_by_any_whole_number(name):
    points = torch_dataset(load(name))
    image, _ = points[46_079]
    for same in (pickle.loads(pickle.dumps(points))[46_079], points[-1], points[np.int64(46_079)]):
        assert torch.equal(same[0], image)


def test_rows_of_hugging_face_are_the_same_points():
    pytest.importorskip("datasets", reason="the extra 'huggingface' (datasets) is not installed")
    data = load("color_dsprites_grid_16-without-shape2-scale3")
    rows, points = hugging_face_dataset(data), torch_dataset(data)
    assert len(rows) == len(points) == 43_520
    hearts = rows.filter(lambda shape: shape == 2, input_columns="shape")
    assert set(hearts.unique("scale")) == {0, 1, 2, 4, 5}
    shuffled = hearts.shuffle(seed=0)[:8]
    for row, (image, factors) in enumerate(points.__getitems__(shuffled["point"])):
        np.testing.assert_array_equal(shuffled["image"][row], image.numpy())
        assert [shuffled[name][row] for name in data.factor_names] == factors.tolist()


@pytest.mark.skipif(importlib.util.find_spec("datasets") is not None, reason="datasets is installed")
def test_without_hugging_face_the_extra_is_named():
    with pytest.raises(DbenchError, match=r"this needs datasets: pip install 'dbench\[huggingface\]'"):
        hugging_face_dataset(load("dsprites_grid_16"))
