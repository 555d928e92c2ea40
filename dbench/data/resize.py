"""Images scaled down with a Lanczos filter, as Locatello et al. do with those of SmallNORB and Cars3D."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def lanczos(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return n x 64 x 64 bytes of n x H x W bytes, n at least 1."""
    scaled = [Image.fromarray(image).resize((64, 64), Image.Resampling.LANCZOS) for image in images]
    return np.stack([np.asarray(image) for image in scaled])
