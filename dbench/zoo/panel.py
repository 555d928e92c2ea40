"""Panels: the weights of trained models in one file, so that new metrics can be computed on them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save

from dbench.codes import GridSource
from dbench.data import DataSet, load
from dbench.errors import DamagedData, InvalidInput
from dbench.files import readable, write_file
from dbench.training.encode import encode_grid
from dbench.zoo.engine import images_of, network_of
from dbench.zoo.keys import RunKey, check_no_code
from dbench.zoo.pack import shapes_of
from dbench.zoo.store import Store
from dbench.zoo.survey import check_data

SHIPPED = Path(str(files("dbench_fixtures") / "panel.safetensors"))
"""Panel of the profile micro on dSprites: six objectives at the study's six strengths, two seeds each."""

_SCHEMA = 1
_data = cache(load)
_OF_ENCODERS = ("convolution.", "encoder.")
"""Prefixes of the names of an encoder's parameters; all other parameters of a network are the decoder's."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Trained models of one network and data set.

    Attributes:
        keys: the run keys of the m models.
        weights: parameter name -> m x its shape, float16; a panel of encoders lacks the decoders' parameters.
    """

    keys: tuple[RunKey, ...]
    weights: dict[str, NDArray[np.float16]]

    @property
    def data(self) -> DataSet:
        """The data set that the models were trained on."""
        return _data(self.keys[0].data)

    def parameters(self, number: int) -> dict[str, torch.Tensor]:
        """Return the parameters of one model, numbered from 0, each 1 x its shape, float32."""
        rows = slice(number, number + 1)
        return {name: torch.from_numpy(values[rows].astype(np.float32)) for name, values in self.weights.items()}

    def take(self, keys: Sequence[RunKey]) -> Self:
        """Return a panel of only these models, in this order."""
        rows = [self.keys.index(key) for key in keys]
        return type(self)(tuple(keys), {name: values[rows] for name, values in self.weights.items()})

    def source(self, number: int) -> GridSource:
        """Encode the whole grid with one model, numbered from 0; return a source that samples its mean codes."""
        data, images = images_of(self.keys[0].data)
        mean, _ = encode_grid(self.parameters(number), images, network_of(self.keys[number], data))
        return GridSource(mean[0].numpy().astype(np.float64), data.factor_sizes, data.factor_names)


def choose_runs(keys: Sequence[RunKey], each: int, strengths: int | None = None) -> list[RunKey]:
    """Return the first ``each`` seeds, or fewer, of every objective and strength.

    With ``strengths``, only so many strengths of each objective, evenly spaced from the first to the last.
    """
    sweeps: dict[tuple[Any, ...], dict[float, list[RunKey]]] = {}
    for key in sorted(keys):
        sweep = sweeps.setdefault((key.data, key.objective, key.network, key.steps), {})
        sweep.setdefault(key.strength, []).append(key)
    chosen = []
    for sweep in sweeps.values():
        runs_by_strength = [*sweep.values()]
        positions = np.linspace(0, len(sweep) - 1, min(strengths or len(sweep), len(sweep))).round().astype(int)
        chosen += [key for i in positions for key in runs_by_strength[i][:each]]
    return chosen


def _check_one_kind(keys: Sequence[RunKey]) -> None:
    if len({(key.data, *shapes_of(key).items()) for key in keys}) > 1:
        kinds = sorted({(key.data, key.network) for key in keys})
        raise InvalidInput(f"a panel must be of one data set and network, got {kinds}")


def read_weights(store: Store, key: RunKey) -> dict[str, NDArray[Any]]:
    """Read the weights of a done run.

    Raises:
        DamagedData: the run has no weights, they do not match its record, or it was trained on another version of its
            data set than is installed.
    """
    weights = store.tensors(key, "weights")
    check_data(key, str((store.record(key) or {}).get("data_sha256")))
    return weights


def write_panel(store: Store, keys: Sequence[RunKey], path: Path, *, encoders_only: bool = False) -> None:
    """Write the weights of finished runs of one data set and network as one safetensors file of float16.

    With ``encoders_only``, decoders are left out; metrics do not need them.

    Raises:
        InvalidInput: no runs, runs of several data sets or networks, runs on a user's data set (``module:attribute``),
            or weights that are too large for float16.
        DamagedData: a run is missing, does not match its record, or was trained on another version of the data.
    """
    if not keys:
        raise InvalidInput("a panel must hold at least one finished run, got none")
    check_no_code("a panel", keys)
    _check_one_kind(keys)
    weights_of_runs = [read_weights(store, key) for key in keys]
    shapes = _shapes(keys[0], encoders_only)
    for key, tensors in zip(keys, weights_of_runs, strict=True):
        _check_shapes(f"the weights of run {key}", tensors, shapes)
    with np.errstate(over="ignore"):
        weights = {name: np.stack([tensors[name].astype(np.float16) for tensors in weights_of_runs]) for name in shapes}
    for name, values in weights.items():
        if not np.isfinite(values).all():
            raise InvalidInput(f"weights must fit into float16, got larger ones in {name}")
    header = {"schema": _SCHEMA, "keys": [key.axes for key in keys], "data_sha256": _data(keys[0].data).fingerprint}
    write_file(path, save(weights, metadata={"panel": json.dumps(header)}))


def read_panel(path: str | Path) -> Panel:
    """Read a panel; nothing in it can run code.

    Raises:
        InvalidInput: the file does not exist.
        DamagedData: the file is no panel, has another schema, is of another version of its data set than is installed,
            or holds weights of other shapes than the network's.
    """
    if not Path(path).is_file():
        raise InvalidInput(f"panel must be a file that dbench zoo panel wrote, got {str(path)!r}")
    try:
        with readable(str(path), " as a panel"):
            with safe_open(path, framework="numpy") as file:
                header = json.loads((file.metadata() or {})["panel"])
                weights = {name: np.asarray(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118 (no mapping)
            keys = tuple(RunKey.from_axes(axes) for axes in header["keys"])
            check_no_code("a panel", keys)
            if header["schema"] != _SCHEMA or not keys:
                raise DamagedData(f"{path} must be a panel of schema {_SCHEMA}, got {header['schema']!r:.80}")
            _check_one_kind(keys)
            check_data(keys[0], header["data_sha256"])
    except InvalidInput as error:
        raise DamagedData(f"{path}: {error}") from None
    encoders_only = all(name.startswith(_OF_ENCODERS) for name in weights.keys() & shapes_of(keys[0]).keys())
    shapes = {name: (len(keys), *shape) for name, shape in _shapes(keys[0], encoders_only).items()}
    _check_shapes(str(path), weights, shapes)
    return Panel(keys, weights)


def _shapes(key: RunKey, encoders_only: bool) -> dict[str, tuple[int, ...]]:
    shapes = shapes_of(key).items()
    return {name: shape for name, shape in shapes if name.startswith(_OF_ENCODERS) or not encoders_only}


def _check_shapes(what: str, weights: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]) -> None:
    for name, shape in shapes.items():
        actual = weights[name].shape if name in weights else None
        if actual != shape:
            raise DamagedData(f"{what} must hold {name} of shape {shape}, got {actual}")
