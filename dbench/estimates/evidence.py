"""Evidence about trained models: the tables shipped, those a user names, or those trained on demand."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from dbench.data import full_size_of, load
from dbench.data.held_out import WITHOUT, parse_held_out
from dbench.errors import DamagedData, DbenchError, EvidenceLacking, InvalidInput
from dbench.estimates.population import Population, PopulationPair
from dbench.zoo.arrays import joined, load_arrays
from dbench.zoo.profiles import PROFILES, find_profile
from dbench.zoo.table import MANIFEST, TABLE, load_manifest, load_runs

SHIPPED = Path(str(files("dbench_fixtures") / "evidence"))
"""The tables that came with dbench."""

FRESH = "-fresh"
"""How a table is named after another one whose rules it tests on models of other seeds, trained after the freeze."""

PINS = SHIPPED.with_suffix(".sha256")
"""Checksums of their files: a table and its manifest that were rewritten together do not pass.

Made anew by: (cd fixtures/evidence && sha256sum */*.json */*.parquet */*.safetensors) > fixtures/evidence.sha256
"""


def unpinned(folders: Sequence[Path]) -> list[str]:
    """Return the files of tables that came with dbench, by folder and name, that are not as their checksums say."""
    pinned = dict(line.split()[::-1] for line in PINS.read_text(encoding="utf-8").splitlines())
    ours = [folder for folder in folders if folder.parent.resolve() == SHIPPED.resolve()]
    paths = [path for folder in ours for path in folder.glob("*") if path.suffix != ".md"]
    found = {f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    asked = {name for name in pinned if name.partition("/")[0] in {folder.name for folder in ours}}
    return sorted(name for name in found.keys() | asked if found.get(name) != pinned.get(name))


class OnDemand:
    """Evidence that a test asks for while it runs, kept so that its record can name it."""

    def __init__(
        self,
        make: Callable[..., Population | PopulationPair],
        scored: Sequence[str] = (),
        outside: Sequence[str] = (),
    ) -> None:
        self._make, self._scored, self._outside = make, tuple(scored), tuple(outside)
        self.made: list[Population | PopulationPair] = []

    def __call__(self, *asked: object) -> Population | PopulationPair:
        """Return the population asked for."""
        made = self._make(*asked)
        if self._outside:
            made = made.of([o for part in made.parts for o in part.objectives if o not in self._outside])
        self.made.append(made)
        for name in self._scored:
            self.made[-1] = self.made[-1].having(name)
        return self.made[-1]

    def having(self, name: str) -> "OnDemand":
        """Return the evidence without the seeds that lack a score or an array."""
        return OnDemand(self._make, (*self._scored, name), self._outside)

    def without(self, objectives: Sequence[str]) -> "OnDemand":
        """Return the evidence without the runs of these objectives."""
        return OnDemand(self._make, self._scored, (*self._outside, *objectives))


def evidence_folders(root: str | Path | None = None) -> list[Path]:
    """Return the folders that hold an evidence table, sorted by name.

    The root is a folder of such folders, or one of them; without it they are the tables shipped with dbench.

    Raises:
        InvalidInput: there is no table.
    """
    top = SHIPPED if root is None else Path(root).resolve()
    candidates = [top, *top.iterdir()] if top.is_dir() else []
    # Either file makes a folder evidence: a table without its manifest must fail loudly, not vanish.
    found = sorted(f for f in candidates if any((f / name).is_file() for name in (MANIFEST, TABLE)))
    if not found:
        asked = "those shipped, which are missing" if root is None else repr(str(root))
        raise InvalidInput(f"evidence must be a folder with {TABLE} and {MANIFEST}, or of such folders, got {asked}")
    return found


def whole_data_folders(folders: Sequence[Path]) -> list[Path]:
    """Return the tables of models that saw all of their data set in training: no combination of factors held out.

    The nearest to the papers' comes first: dSprites, of several tables that of most models, then the others by name,
    and last those of fresh seeds. A table that cannot be read stays in, so that it fails where it is judged.
    """
    data = {folder: _trained_on(folder)[1] for folder in folders}

    def place(folder: Path) -> tuple[bool, bool, int, str]:
        try:
            models = load_manifest(folder)["runs"] if data[folder].startswith("dsprites") else 0
        except DbenchError:
            models = 0
        return is_fresh(folder), not data[folder].startswith("dsprites"), -models, folder.name

    return sorted((folder for folder in folders if WITHOUT not in data[folder]), key=place)


def is_fresh(*folders: Path) -> bool:
    """Whether these are tables of seeds that were drawn after the freeze."""
    return any(folder.name.endswith(FRESH) for folder in folders)


def repeats(case: object, heads: object) -> bool:
    """Whether a table, a pair of tables, the name of a study, or "fresh" itself, is that of fresh seeds to another."""

    def names(of: object) -> list[str]:
        each = of if isinstance(of, tuple) else (of,)
        return [str(getattr(one, "name", one)) for one in each]

    return names(case) == [f"{name}{FRESH}".removeprefix("-") for name in names(heads)]


def other_size(folder: str | Path, than: str | Path) -> bool:
    """Whether a table is of another one's data set, with images of another size."""
    own, theirs = (_trained_on(Path(table))[1] for table in (folder, than))
    return own != theirs and full_size_of(own) == full_size_of(theirs)


def swept_folders(folders: Sequence[Path]) -> list[Path]:
    """Return the tables of whole data sets in which an objective has several strengths, as :func:`whole_data_folders`.

    A table of single settings would leave sentences about sweeps open. Without any such table, all are returned.
    """

    def swept(folder: Path) -> bool:
        try:
            return any(len(sweep["strengths"]) > 1 for sweep in load_manifest(folder)["profile"]["sweeps"])
        except (DbenchError, LookupError, TypeError):
            return True  # what cannot be read fails where it is judged

    whole = whole_data_folders(folders)
    return [folder for folder in whole if swept(folder)] or whole


def has_objectives(folder: Path, objectives: Iterable[str]) -> bool:
    """Whether the profile of a table has all of these; that of one that cannot be read has none."""
    return set(objectives) <= {sweep["objective"] for sweep in _settings(folder).get("sweeps", ())}


def evidence_pairs(folders: Sequence[Path]) -> list[tuple[Path, Path]]:
    """Return the pairs of tables of one profile, trained alike, on different data sets, nothing held out of either.

    Tables of fresh seeds make pairs of their own. Each pair stands once, in the order in which the profile names its
    data sets (by name where it is not known).
    """
    described = {folder: _trained_on(folder) for folder in swept_folders(folders)}

    def place(folder: Path) -> tuple[int, str]:
        profile, data = described[folder]
        named = PROFILES[profile].data if profile in PROFILES else ()
        return (named.index(data) if data in named else len(named), data)

    return [
        (first, second)
        for first, second in combinations(sorted(described, key=place), 2)
        if described[first][0] == described[second][0] != ""
        and is_fresh(first) == is_fresh(second)
        and described[first][1] != described[second][1]
        and _settings(first) == _settings(second)
    ]


def left_out_folders(folders: Sequence[Path]) -> dict[str, tuple[Path, ...]]:
    """Return the tables of models trained without a combination of factor values, by study: ``<profile>-<data set>``.

    Those of fresh seeds make a study of their own, ``<profile>-<data set>-fresh``.
    Tables with points left out at random, which are no combination, and those that cannot be read are in none.
    """
    found: dict[str, tuple[Path, ...]] = {}
    for folder in sorted(folders):
        profile, data = _trained_on(folder)
        try:
            base, combination, _ = parse_held_out(data)
        except DbenchError:
            continue
        if combination is not None:
            name = f"{profile}-{base}{FRESH if is_fresh(folder) else ''}"
            found[name] = (*found.get(name, ()), folder)
    return found


def load_left_out(name: str, folders: Sequence[Path]) -> Population:
    """Read the tables of one study of left-out combinations as a population whose units are the combinations.

    Its column ``combination`` numbers them, left out for all objectives at once, and ``run_number`` the runs of an
    objective without each of them, by strength and then seed. Runs are not averaged: a relation matrix is one model's.

    Of each table as many complete seeds count as all of them have, the lowest. Its rules are those in force when each
    table was scored.

    Raises:
        DamagedData: a table was damaged or edited.
        EvidenceLacking: no tables, or one without a complete seed.
        InvalidInput: two tables of one combination, or of runs that were not trained alike.
    """
    data = [_trained_on(folder)[1] for folder in folders]
    if len(set(data)) < len(data):
        raise InvalidInput(f"{name} must have one table of each combination, got {', '.join(sorted(data))}")
    if any(_settings(folder) != _settings(folders[0]) for folder in folders):
        raise InvalidInput(f"{name} must have tables of runs that were trained alike, got {', '.join(sorted(data))}")
    parts = [load_population(folder) for folder in folders]
    seeds = min((len(part.seeds()) for part in parts), default=0)
    if not seeds:
        raise EvidenceLacking(f"{name} needs a complete seed without each combination, got none")
    rows = pd.concat([_numbered(part, number, seeds) for number, part in enumerate(parts)], ignore_index=True)
    deviations = list(dict.fromkeys(sentence for part in parts for sentence in part.deviations))
    deviations = [*deviations, f"{len(parts)} combinations are the units, with {seeds} seeds each"]
    arrays = joined([part.arrays for part in parts])
    rules = dict(set[tuple[str, str]].intersection(*(set(part.rules.items()) for part in parts)))
    return Population(name, rows, tuple(deviations), arrays, rules, unit="combination", setting="run_number")


def _numbered(part: Population, number: int, seeds: int) -> pd.DataFrame:
    """Rows of one combination's runs, numbered within their objective."""
    rows = part.table[part.table["seed"].isin(part.seeds()[:seeds])]
    runs = rows.drop_duplicates("run").sort_values(["objective", "strength", "seed"])
    place = dict(zip(runs["run"], runs.groupby("objective").cumcount(), strict=True))
    return rows.assign(combination=number, run_number=rows["run"].map(place))


def _trained_on(folder: Path) -> tuple[str, str]:
    """Profile and data set of a table, from its first row; empty where it cannot be read."""
    try:
        with pq.ParquetFile(folder / TABLE) as file:
            row = next(file.iter_batches(batch_size=1, columns=["profile", "data"])).to_pylist()[0]
    except (pa.ArrowException, OSError, StopIteration, LookupError, ValueError):
        return "", ""
    return str(row["profile"]), str(row["data"])


def _settings(folder: Path) -> dict[str, Any]:
    """What a profile of one name may have said otherwise when another table was trained."""
    try:
        profile = load_manifest(folder)["profile"]
    except DbenchError:
        return {}
    data = _trained_on(folder)[1]
    own = [sweep for sweep in profile.get("sweeps", ()) if data in sweep.get("data", ()) or not sweep.get("data")]
    # Profiles of before a field have its default.
    usual = {"objective": "", "strengths": [], "constants": [], "network": "", "learning_rate": 0.0}
    fixed = ("network", "steps", "batch_size", "learning_rate")
    return {name: profile.get(name) for name in fixed} | {
        "factor": profile.get("likelihood_factor", 1.0),
        "cooldown": profile.get("cooldown", 0.0),
        "sweeps": [usual | {name: sweep[name] for name in usual if name in sweep} for sweep in own],
    }


def evidence_sha256(folder: str | Path) -> str:
    """Return the checksum of a table's manifest, which holds those of its files."""
    return hashlib.sha256((Path(folder) / MANIFEST).read_bytes()).hexdigest()


def describe_evidence(folder: str | Path) -> dict[str, Any]:
    """Return what a table rests on, as a report shows it; of one that cannot be read its name alone.

    Returns:
        ``name``, ``data``, ``side`` (pixels), ``profile``, ``models``, ``objectives``, ``seeds`` (most of a setting),
        ``steps``, ``deviations`` and ``sha256``. The side is None where the data set cannot be loaded.
    """
    path = Path(folder)
    profile, data = _trained_on(path)
    found: dict[str, Any] = {"name": path.name, "data": data, "side": None, "profile": profile, "models": 0}
    found |= {"objectives": [], "seeds": 0, "steps": None, "deviations": []}
    try:
        runs = load_runs(path).drop_duplicates("run")
        deviations = load_manifest(path)["profile"].get("deviations", [])
    except (DbenchError, OSError):
        return found
    # A table may come from anywhere: a data set that it names as module:attribute is not run to describe it.
    with suppress(DbenchError):
        found["side"] = None if ":" in data else int(load(data).image_shape[-1])
    return found | {
        "sha256": evidence_sha256(path),
        "models": len(runs),
        "objectives": sorted(runs["objective"].unique()),
        "seeds": int(runs.groupby(["objective", "strength"])["seed"].nunique().max()),
        "steps": int(runs["steps"].max()),
        "deviations": list(deviations),
    }


def load_population(folder: str | Path, *, objectives: Sequence[str] | None = None) -> Population:
    """Read and validate one evidence table, or of its objectives those named that it has.

    Seeds are complete, or diverged, among the runs of these objectives alone.

    Raises:
        DamagedData: the table was damaged or edited.
        InvalidInput: a file is missing, or the table holds none of the objectives.
    """
    if changed := unpinned([Path(folder)]):
        raise DamagedData(
            f"evidence was edited after it was shipped: {', '.join(changed)} is not as {PINS.name} has it"
        )
    table, manifest = load_runs(folder), load_manifest(folder)
    arrays = load_arrays(folder, table, manifest)
    if objectives is not None:
        present = sorted(table["objective"].unique())
        table = table[table["objective"].isin(objectives)].reset_index(drop=True)
        if table.empty:
            raise InvalidInput(f"objectives must name one of {Path(folder).name}, {present}, got {[*objectives]}")
    deviations, rules = manifest["profile"].get("deviations", []), manifest.get("rules", {})
    population = Population(Path(folder).name, table, tuple(deviations), arrays, rules)
    return replace(population, deviations=(*deviations, *_losses(population)))


def _losses(population: Population) -> list[str]:
    """Say how many seeds are left out, and why: runs of theirs diverged, or were never trained."""
    runs = population.table.drop_duplicates("run")
    kept, every = len(population.seeds()), int(runs["seed"].nunique())
    if kept == every:
        return []
    settings = len(runs[["objective", "strength"]].drop_duplicates())
    diverged, missing = int((runs["status"] == "diverged").sum()), settings * every - len(runs)
    lost = [f"{diverged} of {len(runs)} runs diverged"] if diverged else []
    if missing:
        fewer = [name for name, own in runs.groupby("objective") if len(own) < every * own["strength"].nunique()]
        lost.append(f"{missing} of {settings * every} runs were not trained ({', '.join(sorted(map(str, fewer)))})")
    return [f"{' and '.join(lost)}; judged on the {kept} of {every} seeds whose runs are all done"]


def train_evidence(profile: str, store: str | None = None) -> Path:
    """Train and score what a store lacks of a profile, write its evidence table, and return its folder.

    The profile is a name or a file.toml, the store a folder or URL, by default ``store/<profile>``.

    Raises:
        DbenchError: training was cancelled, or a worker died.
    """
    from dbench.zoo.complete import write_population_table

    found = find_profile(profile)
    return write_population_table(found, store or f"store/{found.name}")
