"""Load trained models as torch modules from a panel or a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from dbench.data import load as load_data
from dbench.errors import InvalidInput
from dbench.models import Network
from dbench.zoo.engine import network_of
from dbench.zoo.executor import cores
from dbench.zoo.keys import RunKey
from dbench.zoo.panel import Panel, read_panel, read_weights
from dbench.zoo.plan import Setup, cut_groups, expected_seconds
from dbench.zoo.profiles import Profile, find_profile
from dbench.zoo.progress import clock
from dbench.zoo.store import Store


class Model(nn.Module):
    """A trained variational autoencoder; calling it encodes, so it can serve as an encoder for :mod:`dbench.scoring`.

    Attributes:
        key: the key of its run (:class:`dbench.zoo.keys.RunKey`).
        image_shape: channels, height and width.
        latents: number of codes, d.
    """

    def __init__(self, key: RunKey, network: Network, parameters: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.key, self.image_shape, self.latents = key, tuple(network.image_shape), network.latents
        self._network, self._names = network, [name for name in network.shapes if name in parameters]
        for name in self._names:
            self.register_parameter(name.replace(".", "_"), nn.Parameter(parameters[name].clone()))

    def forward(self, images: ArrayLike | Tensor) -> tuple[Tensor, Tensor]:
        """As :meth:`encode`."""
        return self.encode(images)

    def encode(self, images: ArrayLike | Tensor) -> tuple[Tensor, Tensor]:
        """Return means and log-variances of the codes of images, each N x d float32, on the device of the module.

        Args:
            images: N x C x H x W, uint8 in 0..255 or floating point in 0..1; one batch, so pass large sets in parts.

        Raises:
            InvalidInput: images of another shape, type or range.

        Example:
            >>> import dbench
            >>> from dbench.data import load
            >>> model = dbench.load("beta_vae", 4)
            >>> mean, logvar = model.encode(load("dsprites_grid_16").grid_images()[:5])
            >>> mean.shape
            torch.Size([5, 10])
        """
        x = _tensor("images", images)
        expected = f"N x {' x '.join(map(str, self.image_shape))}, uint8 or floating point in 0..1"
        if tuple(x.shape[1:]) != self.image_shape or x.ndim != 4 or len(x) == 0:
            raise InvalidInput(f"images must be {expected}, got shape {tuple(x.shape)}")
        if x.dtype == torch.uint8:
            x = x.float() / 255
        elif not x.is_floating_point():
            raise InvalidInput(f"images must be {expected}, got {x.dtype}")
        elif not bool(((x >= 0) & (x <= 1)).all()):
            raise InvalidInput(f"images must be {expected}, got {x.min():.3g} to {x.max():.3g}")
        mean, logvar = self._network.encode(self._stacked(), x.float().to(self._device())[None])
        return mean[0], logvar[0]

    def decode(self, codes: ArrayLike | Tensor) -> Tensor:
        """Return the Bernoulli logits of the pixels, N x C x H x W float32; their sigmoid is the image in 0..1.

        Args:
            codes: N x d.

        Raises:
            InvalidInput: codes of another shape or not finite, or a model from a panel without decoders.
        """
        z = _tensor("codes", codes)
        if len(self._names) < len(self._network.shapes):
            raise InvalidInput(f"decode needs the decoder of {self.key}, which this panel of encoders does not hold")
        if z.ndim != 2 or z.shape[1] != self.latents or len(z) == 0 or not bool(z.isfinite().all()):
            raise InvalidInput(f"codes must be finite, of shape N x {self.latents}, got shape {tuple(z.shape)}")
        return self._network.decode(self._stacked(), z.float().to(self._device())[None])[0]

    def extra_repr(self) -> str:
        """Return the run key, for ``repr``."""
        return str(self.key)

    def _stacked(self) -> dict[str, Tensor]:
        """Return the parameters of an ensemble of one model, each 1 x its shape."""
        return {name: self.get_parameter(name.replace(".", "_"))[None] for name in self._names}

    def _device(self) -> torch.device:
        return next(self.parameters()).device


def load(
    objective: str,
    strength: float,
    seed: int | None = None,
    *,
    profile: str = "micro",
    panel: str | Path | None = None,
    store: str | Path | None = None,
) -> Model:
    """Return a trained model, shipped or from a panel or a store, as a torch module with ``encode`` and ``decode``.

    Args:
        objective: such as ``beta_vae``; docs/objectives.md lists them.
        strength: value of the objective's swept constant, one of the profile's.
        seed: of the run; the first available when not given.
        profile: ``micro`` (dSprites at 16 x 16), another profile of docs/zoo.md, or ``FILE.toml``; ignored with
            ``panel``.
        panel: a file of ``dbench zoo panel``; the profile's shipped panel when neither this nor a store is given.
        store: folder or URL of trained runs.

    Raises:
        InvalidInput: both a panel and a store are given, or the model is not there. For a model that is not shipped or
            not in the store, the message gives the command that trains it and how long that takes here.
        UnknownName: a profile or objective that does not exist.
        DamagedData: the panel or the run is damaged, or of another version of its data set than is installed.

    Example:
        >>> import dbench
        >>> model = dbench.load("factor_vae", 10, seed=10_001)
        >>> model.decode(model.encode(0.5 + 0 * model.decode([[0.0] * 10]))[0]).shape
        torch.Size([1, 1, 16, 16])
    """
    if panel is not None and store is not None:
        raise InvalidInput("panel must not be given beside store, got both")
    if panel is not None:
        models = read_panel(panel)
        if (model := _model_of(models, objective, strength, seed)) is not None:
            return model
        available = "; ".join(dict.fromkeys(_described(key.objective, key.strength, None) for key in models.keys))
        raise InvalidInput(f"panel {panel} must hold {_described(objective, strength, seed)}, got {available}")
    grid = find_profile(profile)
    keys = grid.runs(objectives=[objective], seeds=None if seed is None else [seed])
    if (strengths := sorted({key.strength for key in keys})) and strength not in strengths:
        listed = ", ".join(f"{value:g}" for value in strengths)
        raise InvalidInput(f"strength of {objective} in profile {grid.name} must be one of {listed}, got {strength}")
    if store is None:
        shipped = _shipped(grid)
        model = _model_of(read_panel(shipped), objective, strength, seed) if shipped else None
        if model is not None and model.key in keys:  # a user's file may have the name of a shipped profile
            return model
        raise InvalidInput(
            f"{_described(objective, strength, seed)} of profile {grid.name} is not shipped; {_command(profile, keys)}"
        )
    run_store = Store(store, create=False)
    for key in keys:
        if key.strength == strength and run_store.status(key) == "done":
            network, weights = network_of(key, load_data(key.data)), read_weights(run_store, key)
            return Model(key, network, {name: torch.from_numpy(values) for name, values in weights.items()})
    raise InvalidInput(
        f"store must hold {_described(objective, strength, seed)} of profile {grid.name}, "
        f"got none in {run_store.url!r}; {_command(profile, keys, run_store)}"
    )


def _described(objective: str, strength: float, seed: int | None) -> str:
    return f"{objective} {strength:g}" + ("" if seed is None else f" seed {seed}")


def _command(profile: str, keys: Sequence[RunKey], store: Store | None = None) -> str:
    """Return a text with the command that trains the first seed of these runs, and how long it takes, measured here."""
    seed = min(key.seed for key in keys)
    runs = [key for key in keys if key.seed == seed]
    grid = find_profile(profile)
    setup, at_once = Setup(), cores()
    groups = cut_groups("", runs, at_once, setup)
    seconds = expected_seconds(groups, min(at_once, len(groups)), setup)
    seeds = str(seed) if seed >= grid.first_seed >= 1000 else f"{seed}-{seed}"
    target = store.url if store else f"store/{grid.name}"
    command = f"dbench zoo train --profile {profile} --objective {runs[0].objective} --seeds {seeds} --store {target}"
    length = clock(seconds or 0)
    return (
        f"{command} trains it, with all its strengths, in about {length} on this processor; then give store={target!r}"
    )


def _tensor(name: str, values: ArrayLike | Tensor) -> Tensor:
    if isinstance(values, Tensor):
        return values
    try:
        return torch.from_numpy(np.require(values, requirements=["W"]))  # torch warns of read-only arrays
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be an array of numbers or a tensor: {error}") from None


def _shipped(profile: Profile) -> Path | None:
    """Return the path of a profile's shipped panel, ``None`` if there is none."""
    name = "panel.safetensors" if profile.name == "micro" else f"panel-{profile.name}.safetensors"
    path = Path(str(files("dbench_fixtures") / name))
    return path if path.is_file() else None


def _model_of(panel: Panel, objective: str, strength: float, seed: int | None) -> Model | None:
    """Return the first model of a panel that fits, ``None`` if none does."""
    for number, key in enumerate(panel.keys):
        if (key.objective, key.strength) == (objective, strength) and seed in (None, key.seed):
            parameters = {name: values[0] for name, values in panel.parameters(number).items()}
            return Model(key, network_of(key, panel.data), parameters)
    return None
