"""Scaling down as Pillow does."""

import hashlib

import numpy as np
import pytest

from dbench.data.resize import lanczos
from dbench.errors import InvalidInput

# SHA-256 of what Image.resize((64, 64), Image.Resampling.LANCZOS) of Pillow 13.0.0 makes of noise of these sizes.
PILLOW = {
    (96, 96): "080995489e161356b684f4ae6e928a872ebc0996134b4e3e20a004c8d46a7720",
    (128, 128): "9d218106f687e0fc6d0d441c7401e08ade0543d3ae4402b91bf9bcf491f66335",
    (70, 100): "1c46c0191f42d366654623b739adf0abf50b0b2bc06eda82ddb9f272fd823408",
}


@pytest.mark.parametrize("size", PILLOW)
def test_images_come_out_as_pillow_makes_them(size):
    image = np.random.default_rng(size[0]).integers(256, size=size, dtype=np.uint8)
    assert hashlib.sha256(lanczos(image[np.newaxis], 64, 64).tobytes()).hexdigest() == PILLOW[size]


def test_the_same_size_is_the_same_image():
    images = np.random.default_rng(0).integers(256, size=(3, 20, 30), dtype=np.uint8)
    np.testing.assert_array_equal(lanczos(images, 20, 30), images)


def test_batches_change_nothing(monkeypatch):
    images = np.random.default_rng(1).integers(256, size=(5, 96, 96), dtype=np.uint8)
    small = lanczos(images, 64, 64)
    monkeypatch.setattr("dbench.data.resize.PIXELS", 1)
    np.testing.assert_array_equal(lanczos(images, 64, 64), small)


def test_images_that_cannot_be_scaled_down_are_refused():
    with pytest.raises(InvalidInput, match="can be scaled down only, got 64 x 64"):
        lanczos(np.zeros((1, 32, 96), dtype=np.uint8), 64, 64)
    with pytest.raises(InvalidInput, match="must be n x H x W bytes, got float64"):
        lanczos(np.zeros((1, 96, 96)), 64, 64)
