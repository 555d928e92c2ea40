"""Run a user's encoder or decoder: codes of a data set with known factors, so that metrics can intervene on them."""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbench.codes import FunctionSource, Sample
from dbench.codes.reading import CodesFile
from dbench.codes.sample import as_array
from dbench.data.base import DataSet
from dbench.errors import DbenchError, InvalidInput
from dbench.outside import user_code
from dbench.seeds import generator

ROWS = 50_000  # default number of points to encode
_BATCH = 512  # images per call of the encoder

Array = NDArray[np.float64]
Encode = Callable[[Any], Any]


def encode_data(
    encode: Encode, data: DataSet, *, name: str = "encoder", rows: int = ROWS, seed: int = 0
) -> tuple[CodesFile, FunctionSource | None]:
    """Encode a data set: the whole grid if it has at most ``rows`` points, else ``rows`` points drawn at random.

    The encoder is a function or torch module as for ``dbench score --encoder``; it gets at most 512 images at once.

    Returns:
        The codes with their factors; and a source that encodes the images of any factors, or None where the whole grid
        was encoded.

    Raises:
        InvalidInput: an encoder that fails, or returns anything but codes for each image.
    """
    encode_images, names = partial(_encoded, encode, f"encoder {name}"), tuple(data.factor_names)
    if prod(data.factor_sizes) <= rows:
        factors, images = data.grid(), _images_of(data, data.grid_images)
        source = None
    else:
        stream = generator(task="encode_data", seed=seed)
        factors = data.draw_factors(rows, stream)
        images = _images_of(data, data.images, factors, stream)

        def codes_of(factors: NDArray[np.int64], stream: np.random.Generator) -> Array:
            return encode_images(_images_of(data, data.images, factors, stream))[0]

        source = FunctionSource(data.draw_factors, codes_of, names)
    codes, logvar = encode_images(images)
    code_names = tuple(f"code_{i}" for i in range(codes.shape[1]))
    note = f"Codes of {name} for {'the whole grid' if source is None else 'points drawn from the grid'} of {data.name}."
    return CodesFile(name, Sample(codes, factors, names), code_names, len(codes), None, logvar, (note,)), source


def _images_of(data: DataSet, images: Callable[..., NDArray[np.uint8]], *arguments: Any) -> NDArray[np.uint8]:
    """Return images of a data set, which may be the user's; any error in it becomes a message."""
    try:
        with user_code():
            return images(*arguments)
    except DbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise InvalidInput(f"data set {data.name!r} failed: {type(error).__name__}: {error}") from error


def decoder_of(decode: Encode, name: str) -> Callable[[Array], Array]:
    """Return a function that decodes n x d codes, and refuses anything but n x C x H x W images in 0..1, C 1 or 3."""

    def decoded(z: Array) -> Array:
        images = _call(decode, name, z.astype(np.float32), most=1, wanted="images alone")[0]
        if images.ndim != 4 or len(images) != len(z) or images.shape[1] not in (1, 3):
            raise InvalidInput(f"{name} must return {len(z)} x C x H x W images, C 1 or 3, got shape {images.shape}")
        if not (np.isfinite(images).all() and images.min() >= 0 and images.max() <= 1):
            raise InvalidInput(f"{name} must return images in 0..1, got {images.min():.3g} to {images.max():.3g}")
        return images

    return decoded


def _encoded(encode: Encode, name: str, images: NDArray[np.uint8]) -> tuple[Array, Array | None]:
    """Return codes and, if the encoder returns them, log-variances of images, in batches."""
    parts = [_batch(encode, name, images[start : start + _BATCH]) for start in range(0, len(images), _BATCH)]
    if len({(part.shape[1:], logvar is None) for part, logvar in parts}) > 1:
        raise InvalidInput(f"{name} must return equally many codes for every batch")
    codes = np.concatenate([part for part, _ in parts])
    logvars = [logvar for _, logvar in parts if logvar is not None]
    return codes, np.concatenate(logvars) if logvars else None


def _batch(encode: Encode, name: str, images: NDArray[np.uint8]) -> tuple[Array, Array | None]:
    scaled: Any = (images / np.float32(255)).astype(np.float32)
    parts = _call(encode, name, scaled)
    shapes = [part.shape for part in parts]
    if parts[0].ndim != 2 or len(parts[0]) != len(images) or set(shapes) != {shapes[0]}:
        wanted = f"{len(images)} x d codes, or a pair (mean, logvar) of this shape"
        raise InvalidInput(f"{name} must return {wanted}, got {shapes}")
    if not all(np.isfinite(part).all() for part in parts):
        raise InvalidInput(f"{name} must return finite codes, got NaN or infinity")
    return parts[0], parts[1] if len(parts) > 1 else None


def _call(
    function: Encode,
    name: str,
    array: NDArray[np.float32],
    *,
    most: int = 2,
    wanted: str = "codes or a pair (mean, logvar)",
) -> list[Array]:
    """Call the user's function and return its array, or both of a pair; any error in it becomes a message."""
    try:
        with user_code():
            output = answer(function, array)
        parts = output if isinstance(output, tuple) else (output,)
        if not 1 <= len(parts) <= most:
            raise InvalidInput(f"{name} must return {wanted}, got {len(parts)} values")
        return [_as_floats(name, part) for part in parts]
    except DbenchError:
        raise
    except (Exception, SystemExit) as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())
        raise InvalidInput(f"{name} failed on an array of shape {array.shape}: {message}") from error


def _as_floats(name: str, part: Any) -> Array:
    """Return the output of a user's function as floats; refuse complex numbers, dates and whatever is no number."""
    array = as_array(f"what {name} returns", part)
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"{name} must return real numbers, got dtype {array.dtype}")
    return array.astype(np.float64)


def answer(function: Any, given: Any) -> Any:
    """Call a torch module on its device in evaluation mode, then restore its modes; call anything else as it is.

    For a module, an array becomes a tensor of the type of its weights; a tensor keeps its type.
    """
    if not hasattr(function, "parameters") or not hasattr(function, "eval"):
        return function(given)
    import torch

    weight = next((parameter for parameter in function.parameters() if parameter.is_floating_point()), torch.empty(0))
    if isinstance(given, torch.Tensor):
        tensor = given.to(weight.device)
    else:
        tensor = torch.from_numpy(np.ascontiguousarray(given)).to(weight.device, weight.dtype)
    modes = [(module, module.training) for module in function.modules()]
    function.eval()
    try:
        with torch.no_grad():
            return function(tensor)
    finally:
        for module, training in modes:  # one by one: train() would also set frozen submodules to training
            module.training = training
