"""Array-valued scores of runs: relation matrices, scores of single codes, agreements with other runs.

One file beside the runs table holds them.
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
"""Score name of a run's agreements (Duan et al. 2020, equation 2) with the done runs of its objective."""

_PREFIX = f"{AGREEMENTS}."  # of the agreement matrices in the file, followed by the objective


@dataclass(frozen=True, eq=False)
class RunArrays:
    """Arrays of the done runs of a table, in the order of the table.

    Attributes:
        runs: digests of the runs.
        of_runs: score name -> array of runs x the shape of one run's score, such as codes x factors. All NaN for a run
            without this score.
        agreements: objective -> square float32 matrix over its done runs, sorted by strength and then seed. NaN between
            runs that were not compared with each other (:func:`compared_apart`).
    """

    runs: tuple[str, ...] = ()
    of_runs: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    agreements: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def with_rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the table with one more row for each run and array element (:func:`cells`), without agreements."""
        one_row_per_run = table[table["status"] == "done"].drop_duplicates("run").set_index("run", drop=False)
        done, rows = one_row_per_run.loc[list(self.runs)], []
        for name, values in self.of_runs.items():
            for index in np.ndindex(values.shape[1:]):
                rows.append(done.assign(score=_cell(name, index), value=values[(slice(None), *index)]))
        return pd.concat([table, *rows], ignore_index=True)

    def encoded(self) -> tuple[bytes, dict[str, Any]]:
        """Return the bytes of the file, and the entry that describes it in the manifest."""
        arrays = {**self.of_runs, **{_PREFIX + name: matrix for name, matrix in self.agreements.items()}}
        tensors = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
        data = save(tensors, metadata={"runs": json.dumps(self.runs)})
        shapes = {name: list(values.shape) for name, values in sorted(tensors.items())}
        return data, {"file": ARRAYS, "sha256": hashlib.sha256(data).hexdigest(), "shapes": shapes}


def joined(parts: Sequence[RunArrays]) -> RunArrays:
    """Concatenate the runs of several tables; keep only arrays that every table has, and no agreements."""
    names = set.intersection(*(set(part.of_runs) for part in parts))
    of_runs = {name: np.concatenate([part.of_runs[name] for part in parts]) for name in sorted(names)}
    return RunArrays(tuple(run for part in parts for run in part.runs), of_runs)


def cells(scores: Mapping[str, ArrayLike]) -> dict[str, float]:
    """Flatten scores to single numbers; ``relation.importance[2, 1]`` is named ``relation.importance.2.1``.

    Example:
        >>> cells({"mig": 0.5, "kl.code": [1.0, 0.0]})
        {'mig': 0.5, 'kl.code.0': 1.0, 'kl.code.1': 0.0}
    """
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    return {_cell(name, i): float(value) for name, array in arrays.items() for i, value in np.ndenumerate(array)}


def _cell(name: str, index: tuple[int, ...]) -> str:
    return ".".join((name, *map(str, index)))


def read_promised(path: Path, sha256: str) -> bytes:
    """Read a file of a runs table and check it against the SHA-256 that the manifest gives."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"runs must be a folder with {path.name}, got {str(path.parent)!r}: {error}") from None
    actual = hashlib.sha256(data).hexdigest()
    if actual != sha256:
        raise DamagedData(f"{path} has SHA-256 {actual[:12]}..., its manifest says {sha256[:12]}...")
    return data


def check_whole_seeds(what: str, missing: pd.Series, seeds: pd.Series) -> None:
    """Check that each seed has a score for all of its runs or for none, and that some seed has it.

    ``missing`` is the share of the score's values that each run lacks, ``seeds`` the seed of each run.

    Raises:
        DamagedData: a seed has the score for only some of its runs or values, or no seed has it.
    """
    missing_by_seed = missing.groupby(seeds).mean()
    if not missing_by_seed.isin([0, 1]).all() or missing_by_seed.min() == 1:
        raise DamagedData(
            f"{what} must be there for all done runs of some seeds, and for none of the others, "
            f"got {missing.mean():.0%} missing"
        )


def compared_apart(agreements: NDArray[np.float32], seeds: ArrayLike) -> pd.Series:
    """Return seed -> number of its part: all runs of a part were compared with each other, no two parts were.

    ``agreements`` is the matrix of an objective's runs, NaN for pairs not compared; ``seeds`` is the seed of each run.

    Raises:
        InvalidInput: the pairs of runs that were compared do not form such parts.
    """
    compared = ~np.isnan(agreements)
    _, inverse = np.unique(compared, axis=0, return_inverse=True)
    part = inverse.ravel()
    part_by_seed = pd.Series(part).groupby(np.asarray(seeds))
    if not np.array_equal(compared, np.equal.outer(part, part)) or part_by_seed.nunique().gt(1).any():
        raise InvalidInput(
            "agreements must be there for all pairs of runs of some seeds, and for none with those of the others, "
            f"got {1 - compared.mean():.0%} missing"
        )
    return part_by_seed.first()


def load_arrays(folder: str | Path, table: pd.DataFrame, manifest: Mapping[str, Any]) -> RunArrays:
    """Read and check the arrays beside a runs table; ``table`` and ``manifest`` come from the same folder.

    Raises:
        InvalidInput: the file does not exist.
        DamagedData: checksum or shapes differ from the manifest; the runs are not the table's done runs in their order;
            values are infinite, or NaN for only some runs of a seed; or the agreements form no parts.
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
        is_agreement, objective = name.startswith(_PREFIX), name.removeprefix(_PREFIX)
        seeds = done.loc[done["objective"] == objective, "seed"] if is_agreement else done["seed"]
        if seeds.empty and is_agreement:
            raise DamagedData(f"{path}: {name} must be of an objective with done runs")
        m = len(seeds)
        if values.shape[:1] != (m,) or (is_agreement and values.shape != (m, m)):
            raise DamagedData(f"{path}: {name} must have {m} runs, got shape {values.shape}")
        if values.dtype.kind != "f" or np.isinf(values).any():
            raise DamagedData(f"{path}: {name} must hold finite real numbers, got {values.dtype} or others")
        if is_agreement:
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
