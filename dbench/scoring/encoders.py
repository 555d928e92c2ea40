"""A user's encoder on a data set of known factors, so that metrics that intervene can be computed."""

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

ROWS = 50_000  # unless another number is asked for
_BATCH = 512

Array = NDArray[np.float64]
Encode = Callable[[Any], Any]


def encode_data(
    encode: Encode, data: DataSet, *, name: str = "encoder", rows: int = ROWS, seed: int = 0
) -> tuple[CodesFile, FunctionSource | None]:
    """Encode a data set: a grid of at most ``rows`` points whole, of a larger one so many points that are drawn.

    The encoder is one of ``dbench score --encoder``; it gets at most 512 images at once.

    Returns:
        The codes with their factors; and where the grid was not encoded whole, a source that encodes the images of
        any factors asked for.

    Raises:
        InvalidInput: an encoder that fails, or returns anything but codes for each image.
    """
    step, names = partial(_encoded, encode, f"encoder {name}"), tuple(data.factor_names)
    if prod(data.factor_sizes) <= rows:
        factors, images = data.grid(), _of_data(data, data.grid_images)
        source = None
    else:
        stream = generator(task="encode_data", seed=seed)
        factors = data.draw_factors(rows, stream)
        images = _of_data(data, data.images, factors, stream)
        source = FunctionSource(
            data.draw_factors, lambda wanted, rng: step(_of_data(data, data.images, wanted, rng))[0], names
        )
    codes, logvar = step(images)
    code_names = tuple(f"code_{i}" for i in range(codes.shape[1]))
    note = f"Codes of {name} for {'the whole grid' if source is None else 'points drawn from the grid'} of {data.name}."
    return CodesFile(name, Sample(codes, factors, names), code_names, len(codes), None, logvar, (note,)), source


def _of_data(data: DataSet, images: Callable[..., NDArray[np.uint8]], *arguments: Any) -> NDArray[np.uint8]:
    """Ask a data set, which may be the user's, for images; whatever happens in it is a message."""
    try:
        with user_code():
            return images(*arguments)
    except DbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise InvalidInput(f"data set {data.name!r} failed: {type(error).__name__}: {error}") from error


def decoder_of(decode: Encode, name: str) -> Callable[[Array], Array]:
    """Return a decoder as a function of n x d codes that insists on n x C x H x W images in 0..1, C 1 or 3."""

    def images(z: Array) -> Array:
        images = _ask(decode, name, z.astype(np.float32), most=1, wanted="images alone")[0]
        if images.ndim != 4 or len(images) != len(z) or images.shape[1] not in (1, 3):
            raise InvalidInput(f"{name} must return {len(z)} x C x H x W images, C 1 or 3, got shape {images.shape}")
        if not (np.isfinite(images).all() and images.min() >= 0 and images.max() <= 1):
            raise InvalidInput(f"{name} must return images in 0..1, got {images.min():.3g} to {images.max():.3g}")
        return images

    return images


def _encoded(encode: Encode, name: str, images: NDArray[np.uint8]) -> tuple[Array, Array | None]:
    parts = [_batch(encode, name, images[start : start + _BATCH]) for start in range(0, len(images), _BATCH)]
    if len({(part.shape[1:], logvar is None) for part, logvar in parts}) > 1:
        raise InvalidInput(f"{name} must return equally many codes for every batch")
    codes = np.concatenate([part for part, _ in parts])
    logvars = [logvar for _, logvar in parts if logvar is not None]
    return codes, np.concatenate(logvars) if logvars else None


def _batch(encode: Encode, name: str, images: NDArray[np.uint8]) -> tuple[Array, Array | None]:
    given: Any = (images / np.float32(255)).astype(np.float32)
    parts = _ask(encode, name, given)
    shapes = [part.shape for part in parts]
    if parts[0].ndim != 2 or len(parts[0]) != len(images) or set(shapes) != {shapes[0]}:
        wanted = f"{len(images)} x d codes, or a pair (mean, logvar) of this shape"
        raise InvalidInput(f"{name} must return {wanted}, got {shapes}")
    if not all(np.isfinite(part).all() for part in parts):
        raise InvalidInput(f"{name} must return finite codes, got NaN or infinity")
    return parts[0], parts[1] if len(parts) > 1 else None


def _ask(
    function: Encode,
    name: str,
    given: NDArray[np.float32],
    *,
    most: int = 2,
    wanted: str = "codes or a pair (mean, logvar)",
) -> list[Array]:
    """Call the user's function, for an array or a pair; whatever happens in it is a message."""
    try:
        with user_code():
            answered = answer(function, given)
        parts = answered if isinstance(answered, tuple) else (answered,)
        if not 1 <= len(parts) <= most:
            raise InvalidInput(f"{name} must return {wanted}, got {len(parts)} values")
        return [_as_floats(name, part) for part in parts]
    except DbenchError:
        raise
    except (Exception, SystemExit) as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())
        raise InvalidInput(f"{name} failed on an array of shape {given.shape}: {message}") from error


def _as_floats(name: str, part: Any) -> Array:
    """Return what a user's function gave as floats; complex numbers would lose a part, and dates are none."""
    array = as_array(f"what {name} returns", part)
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"{name} must return real numbers, got dtype {array.dtype}")
    return array.astype(np.float64)


def answer(function: Any, given: Any) -> Any:
    """Ask a torch module on its device, in evaluation mode, and leave it as it was; anything else is called.

    For a module an array becomes a tensor of the type of its weights; a tensor keeps its own.
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
        for module, training in modes:  # each its own: train() would wake those that are frozen
            module.training = training
