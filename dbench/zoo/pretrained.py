"""Trained models as torch modules, from a panel or a store."""

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
    """A trained variational autoencoder; a call encodes, so that it is an encoder for :mod:`dbench.scoring`.

    Attributes:
        key: what it was trained with (:class:`dbench.zoo.keys.RunKey`).
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
            images: N x C x H x W, uint8 in 0..255 or floating point in 0..1; all at once, so give large sets in parts.

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
        given = _tensor("images", images)
        wanted = f"N x {' x '.join(map(str, self.image_shape))}, uint8 or floating point in 0..1"
        if tuple(given.shape[1:]) != self.image_shape or given.ndim != 4 or len(given) == 0:
            raise InvalidInput(f"images must be {wanted}, got shape {tuple(given.shape)}")
        if given.dtype == torch.uint8:
            x = given.float() / 255
        elif not given.is_floating_point():
            raise InvalidInput(f"images must be {wanted}, got {given.dtype}")
        elif not bool(((given >= 0) & (given <= 1)).all()):
            raise InvalidInput(f"images must be {wanted}, got {given.min():.3g} to {given.max():.3g}")
        else:
            x = given.float()
        parameters = self._stacked()
        mean, logvar = self._network.encode(parameters, x.to(self._device())[None])
        return mean[0], logvar[0]

    def decode(self, codes: ArrayLike | Tensor) -> Tensor:
        """Return the Bernoulli logits of the pixels, N x C x H x W float32; their sigmoid is the image in 0..1.

        Args:
            codes: N x d.

        Raises:
            InvalidInput: codes of another shape or not finite, or a model that came without its decoder.
        """
        z = _tensor("codes", codes)
        if len(self._names) < len(self._network.shapes):
            raise InvalidInput(f"decode needs the decoder of {self.key}, which this panel of encoders does not hold")
        if z.ndim != 2 or z.shape[1] != self.latents or len(z) == 0 or not bool(z.isfinite().all()):
            raise InvalidInput(f"codes must be finite, of shape N x {self.latents}, got shape {tuple(z.shape)}")
        return self._network.decode(self._stacked(), z.float().to(self._device())[None])[0]

    def extra_repr(self) -> str:
        """What it was trained with."""
        return str(self.key)

    def _stacked(self) -> dict[str, Tensor]:
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
        strength: of its swept constant, one of the profile's.
        seed: of the run; the first that there is when not given.
        profile: whose models, ``micro`` (dSprites at 16 x 16) or another of docs/zoo.md, or ``FILE.toml``; with
            ``panel`` it does not count.
        panel: a file of ``dbench zoo panel``; what is shipped of the profile when neither this nor a store is given.
        store: folder or URL of trained runs.

    Raises:
        InvalidInput: a panel and a store at once, or no such model there; what is not shipped is named with the command
            that trains it and how long that takes here.
        UnknownName: no such profile or objective.
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
        held = read_panel(panel)
        if (model := _model_of(held, objective, strength, seed)) is not None:
            return model
        there = "; ".join(dict.fromkeys(_described(key.objective, key.strength, None) for key in held.keys))
        raise InvalidInput(f"panel {panel} must hold {_described(objective, strength, seed)}, got {there}")
    grid = find_profile(profile)
    keys = grid.runs(objectives=[objective], seeds=None if seed is None else [seed])
    if (strengths := sorted({key.strength for key in keys})) and strength not in strengths:
        listed = ", ".join(f"{one:g}" for one in strengths)
        raise InvalidInput(f"strength of {objective} in profile {grid.name} must be one of {listed}, got {strength}")
    if store is None:
        shipped = _shipped(grid)
        model = _model_of(read_panel(shipped), objective, strength, seed) if shipped else None
        if model is not None and model.key in keys:  # a file may have the name of a profile that is shipped
            return model
        raise InvalidInput(
            f"{_described(objective, strength, seed)} of profile {grid.name} is not shipped; {_command(profile, keys)}"
        )
    place = Store(store, create=False)
    for key in keys:
        if key.strength == strength and place.status(key) == "done":
            network, weights = network_of(key, load_data(key.data)), read_weights(place, key)
            return Model(key, network, {name: torch.from_numpy(values) for name, values in weights.items()})
    raise InvalidInput(
        f"store must hold {_described(objective, strength, seed)} of profile {grid.name}, got none in {place.url!r}; "
        f"{_command(profile, keys, place)}"
    )


def _described(objective: str, strength: float, seed: int | None) -> str:
    return f"{objective} {strength:g}" + ("" if seed is None else f" seed {seed}")


def _command(profile: str, keys: Sequence[RunKey], store: Store | None = None) -> str:
    """Say what trains the first seed of some runs, and how long that takes here, from a few steps of them."""
    seed = min(key.seed for key in keys)
    wanted = [key for key in keys if key.seed == seed]
    there = find_profile(profile)
    setup, at_once = Setup(), cores()
    groups = cut_groups("", wanted, at_once, setup)
    seconds = expected_seconds(groups, min(at_once, len(groups)), setup)
    seeds = str(seed) if seed >= there.first_seed >= 1000 else f"{seed}-{seed}"
    place = store.url if store else f"store/{there.name}"
    command = f"dbench zoo train --profile {profile} --objective {wanted[0].objective} --seeds {seeds} --store {place}"
    length = clock(seconds or 0)
    return (
        f"{command} trains it, with all its strengths, in about {length} on this processor; then give store={place!r}"
    )


def _tensor(name: str, values: ArrayLike | Tensor) -> Tensor:
    if isinstance(values, Tensor):
        return values
    try:
        return torch.from_numpy(np.require(values, requirements=["W"]))  # torch warns of what cannot be written to
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be an array of numbers or a tensor: {error}") from None


def _shipped(profile: Profile) -> Path | None:
    name = "panel.safetensors" if profile.name == "micro" else f"panel-{profile.name}.safetensors"
    path = Path(str(files("dbench_fixtures") / name))
    return path if path.is_file() else None


def _model_of(panel: Panel, objective: str, strength: float, seed: int | None) -> Model | None:
    for number, key in enumerate(panel.keys):
        if (key.objective, key.strength) == (objective, strength) and seed in (None, key.seed):
            parameters = {name: values[0] for name, values in panel.parameters(number).items()}
            return Model(key, network_of(key, panel.data), parameters)
    return None
