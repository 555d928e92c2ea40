"""Packs: finished runs in a few flat files, to move them from one machine to another.

A pack is a self-contained safetensors file. It holds the parameters of encoders and decoders, from which codes and
scores are computed again on the other machine, but no codes, heads or adversaries. Its header holds the run records.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save

from dbench.data import load
from dbench.errors import DamagedData, InvalidInput, UnknownName
from dbench.files import readable, write_file
from dbench.models import find_network
from dbench.models.objectives import find_card
from dbench.training.execution import PRECISIONS
from dbench.zoo.keys import KEY_SCHEMA, RunKey, check_no_code
from dbench.zoo.store import Store, seal, unseal
from dbench.zoo.survey import FINISHED, check_data
from dbench.zoo.table import check_provenance

PACK_SCHEMA = 1
_MB = 1_000_000
_HEADER = "pack"

Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class PackedRun:
    """A run of a pack: its record in the store that it came from, and the checksum of its weights if it is done."""

    key: RunKey
    record: Mapping[str, Any]
    path: Path
    sha256: str = ""

    @property
    def done(self) -> bool:
        """Whether the run is done and has weights; if not, it diverged."""
        return bool(self.record["status"] == "done")

    def weights(self) -> Weights:
        """Read and check the weights.

        Raises:
            DamagedData: their checksum is not the header's, their shapes are not the network's, or one is not finite.
        """
        weights = {}
        with readable(f"{self.path}: {self.key}"), safe_open(self.path, framework="numpy") as file:
            for name, shape in shapes_of(self.key).items():
                weights[name] = np.asarray(file.get_tensor(f"{self.key.digest}.{name}"))
                if weights[name].shape != shape or weights[name].dtype != np.float32:
                    actual = f"{weights[name].dtype} of shape {weights[name].shape}"
                    raise DamagedData(f"{self.path}: {name} of {self.key} must be float32 {shape}, got {actual}")
        if checksum(weights) != self.sha256:
            raise DamagedData(f"{self.path}: the weights of {self.key} have not the checksum that its header gives")
        if not all(np.isfinite(values).all() for values in weights.values()):
            raise DamagedData(f"{self.path}: the weights of {self.key} must be finite")
        return weights


class Packing(NamedTuple):
    """Result of :func:`pack_runs`: the files, how many runs they hold, and how many finished runs are left."""

    files: list[Path]
    runs: int
    left: int


def shapes_of(key: RunKey) -> dict[str, tuple[int, ...]]:
    """Return name -> shape of the parameters of a run's encoder and decoder."""
    return _shapes(key.network, key.data)


@cache
def _shapes(network: str, data_name: str) -> dict[str, tuple[int, ...]]:
    return find_network(network)(image_shape=load(data_name).image_shape).shapes


def checksum(weights: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of the names, types, shapes and values of arrays."""
    digest = hashlib.sha256()
    for name, values in sorted(weights.items()):
        digest.update(f"{name} {values.dtype.str} {values.shape}".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def pack_runs(
    store: Store, keys: Sequence[RunKey], folder: Path, *, skip: int = 0, files: int | None = None, size: float = 16
) -> Packing:
    """Write the finished runs of a plan, whole seeds first, as ``runs-000.safetensors`` and so on.

    The number in a file's name is the position of its first run in that order, which is fixed once training has ended.

    Args:
        store: the store of the runs.
        keys: the runs of the plan.
        folder: where to write the files.
        skip: number of runs to leave out at the beginning, because they were packed before.
        files: number of files to write at most; all when not given.
        size: largest size of a file, in MB.

    Raises:
        InvalidInput: no finished run is left, a run does not fit into a file, or one is on a user's data set.
        DamagedData: the files of a run do not match its record.
    """
    finished = [key for key in sorted(keys, key=_whole_seeds_first) if store.status(key) in FINISHED]
    if not 0 <= skip < len(finished):
        raise InvalidInput(f"skip must be fewer than the {len(finished)} finished runs of the plan, got {skip}")
    check_no_code("a pack", finished)
    written, position = list[Path](), skip
    while position < len(finished) and (files is None or len(written) < files):
        tensors: dict[str, NDArray[Any]] = {}
        runs = list[dict[str, Any]]()
        room = size * _MB
        for key in finished[position:]:
            entry, weights = _packed(store, key)
            # An upper bound: the header is JSON within JSON, and names every tensor with its shape and offsets.
            room -= sum(values.nbytes + 200 for values in weights.values()) + 2 * len(json.dumps(entry)) + 1000
            if not room >= 0:  # also true where the size is NaN
                break
            tensors |= {f"{key.digest}.{name}": values for name, values in weights.items()}
            runs.append(entry)
        if not runs:
            raise InvalidInput(f"size must hold a run, which takes {size - room / _MB:.2g} MB, got {size:g}")
        header = seal({"schema": PACK_SCHEMA, "runs": runs}).decode()
        path = folder / f"runs-{position:03d}.safetensors"
        written.append(write_file(path, save(tensors, metadata={_HEADER: header})))
        position += len(runs)
    return Packing(written, position - skip, len(finished) - position)


def _whole_seeds_first(key: RunKey) -> tuple[Any, ...]:
    return key.seed, key.data, key.objective, key.strength, key


def _packed(store: Store, key: RunKey) -> tuple[dict[str, Any], Weights]:
    """Return a run's entry in the header, and its weights; a diverged run has none."""
    record = store.record(key)
    if record is None or record["status"] != "done":
        return {"record": record}, {}
    stored = store.tensors(key, "weights")
    if missing := sorted(shapes_of(key).keys() - stored.keys()):
        raise DamagedData(f"the weights of run {key} must hold {', '.join(missing)}")
    weights = {name: stored[name] for name in shapes_of(key)}
    return {"record": record, "sha256": checksum(weights)}, weights


def check_files(paths: Iterable[Path]) -> None:
    """Check that all paths are files.

    Raises:
        InvalidInput: a path does not exist, or is no file.
    """
    for path in paths:
        if not path.is_file():
            raise InvalidInput(f"pack must be a file that dbench zoo pack wrote, got {str(path)!r}")


def read_pack(path: Path) -> list[PackedRun]:
    """Read the header of a pack and check all of it; nothing in it can run code.

    Raises:
        InvalidInput: the file does not exist.
        DamagedData: the file is no pack, has another schema of packs or keys, or holds runs on another version of a
            data set than is installed; or a record is not as a store writes it.
    """
    check_files([path])
    try:
        with readable(str(path), " as a pack"):
            with safe_open(path, framework="numpy") as file:
                header, names = unseal((file.metadata() or {})[_HEADER], str(path)), set(file.keys())
            if header["schema"] != PACK_SCHEMA:
                raise DamagedData(f"{path} must be a pack of schema {PACK_SCHEMA}, got {header['schema']!r:.80}")
            runs = [_checked(entry, path) for entry in header["runs"]]
    except (InvalidInput, UnknownName) as error:
        raise DamagedData(f"{path}: {error}") from None
    if not runs or len({run.key for run in runs}) < len(runs):
        raise DamagedData(f"{path} must hold one or more runs, none twice, got {len(runs)}")
    expected = {f"{run.key.digest}.{name}" for run in runs if run.done for name in shapes_of(run.key)}
    if wrong := sorted(expected ^ names):
        raise DamagedData(f"{path} must hold the weights of its runs and no others, missing or unknown: {wrong[0]:.80}")
    return runs


def _checked(entry: Mapping[str, Any], path: Path) -> PackedRun:
    record = entry["record"]
    if record["schema"] != KEY_SCHEMA:
        raise DamagedData(f"{path} holds keys of schema {record['schema']!r:.80}, this version reads {KEY_SCHEMA}")
    key = RunKey.from_axes(record["key"])
    check_no_code("a pack", [key])
    find_card(key.objective)
    check_data(key, record["data_sha256"])
    shapes_of(key)
    check_provenance(f"{path}: the record of {key}", record)
    if record["precision"] not in PRECISIONS or record["status"] not in FINISHED:
        status = f"{record['status']!r:.80} in {record['precision']!r:.80}"
        raise DamagedData(f"{path}: {key} must be done or diverged in a precision that dbench knows, got {status}")
    numbers = [record["trained_seconds"], *record["scores"].values()]
    if record["status"] == "diverged":
        numbers.append(record["diverged_at"])
    if not all(isinstance(number, int | float) and math.isfinite(number) for number in numbers):
        raise DamagedData(f"{path}: the record of {key} must hold finite numbers")
    return PackedRun(key, record, path, entry["sha256"] if record["status"] == "done" else "")
