"""Scaling down gives the same bytes whatever release of Pillow does it."""

import hashlib

import numpy as np
import pytest

from dbench.data.archives import lanczos

# SHA-256 of what Pillow 13.0.0 makes of noise of these sizes.
PILLOW = {
    (96, 96): "080995489e161356b684f4ae6e928a872ebc0996134b4e3e20a004c8d46a7720",
    (128, 128): "9d218106f687e0fc6d0d441c7401e08ade0543d3ae4402b91bf9bcf491f66335",
    (70, 100): "1c46c0191f42d366654623b739adf0abf50b0b2bc06eda82ddb9f272fd823408",
}


@pytest.mark.parametrize("size", PILLOW)
def test_images_come_out_as_pillow_makes_them(size):
    image = np.random.default_rng(size[0]).integers(256, size=size, dtype=np.uint8)
    assert hashlib.sha256(lanczos(image[np.newaxis]).tobytes()).hexdigest() == PILLOW[size]
