"""Scores of runs that are arrays: relation matrices, scores of single codes, agreements with other runs.

They lie in one file beside the runs table.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from safetensors.numpy import load, save

from dbench.errors import DamagedData, InvalidInput
from dbench.files import readable

ARRAYS = "arrays.safetensors"

AGREEMENTS = "udr.lasso.with"
"""Name of a run's agreements (Duan et al. 2020, equation 2) with the runs of its objective that are done."""

_PREFIX = f"{AGREEMENTS}."  # of their matrices in the file


@dataclass(frozen=True, eq=False)
class RunArrays:
    """Arrays of the runs of a table that are done, in its order.

    Attributes:
        runs: their digests.
        of_runs: name -> runs x whatever one run has, such as codes x factors; NaN throughout where a run lacks it.
        agreements: objective -> its runs that are done, by strength and then seed, in both directions; float32. NaN
            between seeds that were compared apart (:func:`compared_apart`).
    """

    runs: tuple[str, ...] = ()
    of_runs: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    agreements: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def with_rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a table, and one for each of the :func:`cells` of each run's arrays but agreements."""
        first = table[table["status"] == "done"].drop_duplicates("run").set_index("run", drop=False)
        done, rows = first.loc[list(self.runs)], []
        for name, values in self.of_runs.items():
            for place in np.ndindex(values.shape[1:]):
                rows.append(done.assign(score=_cell(name, place), value=values[(slice(None), *place)]))
        return pd.concat([table, *rows], ignore_index=True)

    def encoded(self) -> tuple[bytes, dict[str, Any]]:
        """Return the file, and what a manifest says of it."""
        arrays = {**self.of_runs, **{_PREFIX + name: matrix for name, matrix in self.agreements.items()}}
        tensors = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
        data = save(tensors, metadata={"runs": json.dumps(self.runs)})
        shapes = {name: list(values.shape) for name, values in sorted(tensors.items())}
        return data, {"file": ARRAYS, "sha256": hashlib.sha256(data).hexdigest(), "shapes": shapes}


def joined(parts: Sequence[RunArrays]) -> RunArrays:
    """Return the arrays that the runs of all tables have, one table after another; agreements are left out."""
    names = set.intersection(*(set(part.of_runs) for part in parts))
    of_runs = {name: np.concatenate([part.of_runs[name] for part in parts]) for name in sorted(names)}
    return RunArrays(tuple(run for part in parts for run in part.runs), of_runs)


def cells(scores: Mapping[str, ArrayLike]) -> dict[str, float]:
    """Name every number of scores and arrays: that of ``relation.importance`` at [2, 1] ``relation.importance.2.1``.

    Example:
        >>> cells({"mig": 0.5, "kl.code": [1.0, 0.0]})
        {'mig': 0.5, 'kl.code.0': 1.0, 'kl.code.1': 0.0}
    """
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    return {_cell(name, at): float(value) for name, array in arrays.items() for at, value in np.ndenumerate(array)}


def _cell(name: str, place: tuple[int, ...]) -> str:
    return ".".join((name, *map(str, place)))


def read_promised(path: Path, sha256: str) -> bytes:
    """Read a file of a runs table, of which the manifest promises the checksum."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"runs must be a folder with {path.name}, got {str(path.parent)!r}: {error}") from None
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise DamagedData(f"{path} has SHA-256 {found[:12]}..., its manifest says {sha256[:12]}...")
    return data


def check_whole_seeds(what: str, missing: pd.Series, seeds: pd.Series) -> None:
    """Insist that something is there for all runs of some seeds, and for none of the others.

    ``missing`` is the share of it that each run lacks, ``seeds`` the seed of each.

    Raises:
        DamagedData: it is there for a part of a seed's runs, or for no seed.
    """
    of_seed = missing.groupby(seeds).mean()
    if not of_seed.isin([0, 1]).all() or of_seed.min() == 1:
        raise DamagedData(
            f"{what} must be there for all done runs of some seeds, and for none of the others, "
            f"got {missing.mean():.0%} missing"
        )


def compared_apart(agreements: NDArray[np.float32], seeds: ArrayLike) -> pd.Series:
    """Return seed -> number of its part: within a part every run was compared with every run, across parts none.

    ``agreements`` are those of the runs of an objective, ``seeds`` the seed of each.

    Raises:
        InvalidInput: the pairs of runs that were compared make no such parts.
    """
    there = ~np.isnan(agreements)
    _, part = np.unique(there, axis=0, return_inverse=True)
    of_seed = pd.Series(part.ravel()).groupby(np.asarray(seeds))
    if not np.array_equal(there, np.equal.outer(part.ravel(), part.ravel())) or of_seed.nunique().gt(1).any():
        raise InvalidInput(
            "agreements must be there for all pairs of runs of some seeds, and for none with those of the others, "
            f"got {1 - there.mean():.0%} missing"
        )
    return of_seed.first()


def load_arrays(folder: str | Path, table: pd.DataFrame, manifest: Mapping[str, Any]) -> RunArrays:
    """Read the arrays beside a runs table, believing nothing; the table and the manifest are of that folder.

    Raises:
        InvalidInput: the file is not there.
        DamagedData: it is not what the manifest promises, or has not the runs that are done in their order, finite
            for all of some seeds and NaN for the others; or agreements that make no parts.
    """
    path, promised = Path(folder) / ARRAYS, manifest["arrays"]
    data = read_promised(path, promised["sha256"])
    with readable(str(path), " as arrays of runs"):
        tensors = load(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        runs = tuple(json.loads(header["__metadata__"]["runs"]))
    shapes = {name: list(values.shape) for name, values in tensors.items()}
    for name in sorted({*shapes, *promised["shapes"]}):
        if shapes.get(name) != (shape := promised["shapes"].get(name)):
            raise DamagedData(f"{path}: {name} must have shape {shape}, got {shapes.get(name)}")
    done = table.loc[table["status"] == "done", ["run", "objective", "seed"]].drop_duplicates("run")
    if runs != tuple(done["run"]):
        raise DamagedData(
            f"{path} must have the {len(done)} done runs of the table in their order, got {len(runs)} runs, "
            "others or in another order"
        )
    arrays = RunArrays(runs, {}, {})
    for name, values in tensors.items():
        among, objective = name.startswith(_PREFIX), name.removeprefix(_PREFIX)
        seeds = done.loc[done["objective"] == objective, "seed"] if among else done["seed"]
        if seeds.empty and among:
            raise DamagedData(f"{path}: {name} must be of an objective with done runs")
        m = len(seeds)
        if values.shape[:1] != (m,) or (among and values.shape != (m, m)):
            raise DamagedData(f"{path}: {name} must have {m} runs, got shape {values.shape}")
        if values.dtype.kind != "f" or np.isinf(values).any():
            raise DamagedData(f"{path}: {name} must hold finite real numbers, got {values.dtype} or others")
        if among:
            try:
                compared_apart(values, seeds)
            except InvalidInput as error:
                raise DamagedData(f"{path}: {name}: {error}") from None
            arrays.agreements[objective] = values
        else:
            missing = np.isnan(values).mean(axis=tuple(range(1, values.ndim)))
            check_whole_seeds(f"{path}: {name}", pd.Series(missing, seeds.index), seeds)
            arrays.of_runs[name] = values
    return arrays
