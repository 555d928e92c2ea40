"""Evidence about trained models: tables that are shipped, named by a user, or trained on demand."""

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
"""Folder of the tables that are shipped with dbench."""

FRESH = "-fresh"
"""Ending of the name of a table of fresh seeds: models trained after the freeze, to test the rules of another table."""

PINS = SHIPPED.with_suffix(".sha256")
"""Checksums of their files, which show even that a table and its manifest were rewritten together.

Made anew by: (cd fixtures/evidence && sha256sum */*.json */*.parquet */*.safetensors) > fixtures/evidence.sha256
"""


def unpinned(folders: Sequence[Path]) -> list[str]:
    """Return the files of shipped tables, as folder/name, that do not match their checksums."""
    pinned = dict(line.split()[::-1] for line in PINS.read_text(encoding="utf-8").splitlines())
    shipped = [folder for folder in folders if folder.parent.resolve() == SHIPPED.resolve()]
    paths = [path for folder in shipped for path in folder.glob("*") if path.suffix != ".md"]
    actual = {f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    expected = {name for name in pinned if name.partition("/")[0] in {folder.name for folder in shipped}}
    return sorted(name for name in actual.keys() | expected if actual.get(name) != pinned.get(name))


class OnDemand:
    """Evidence that a test asks for while it runs; ``made`` holds the populations given, for its record."""

    def __init__(
        self, make: Callable[..., Population | PopulationPair], scored: Sequence[str] = (), outside: Sequence[str] = ()
    ) -> None:
        self._make, self._scored, self._outside = make, tuple(scored), tuple(outside)
        self.made: list[Population | PopulationPair] = []

    def __call__(self, *asked: object) -> Population | PopulationPair:
        """Return the population asked for."""
        population = self._make(*asked)
        if self._outside:
            objectives = [objective for part in population.parts for objective in part.objectives]
            population = population.of([objective for objective in objectives if objective not in self._outside])
        self.made.append(population)
        for name in self._scored:  # noted before each step, because the record names it even if no seed is left
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

    The root is one such folder or a folder of them; by default it is that of the shipped tables.

    Raises:
        InvalidInput: there is no table.
    """
    top = SHIPPED if root is None else Path(root).resolve()
    candidates = [top, *top.iterdir()] if top.is_dir() else []
    # One of the two files is enough: a table without its manifest must fail later, not be passed over.
    tables = sorted(f for f in candidates if any((f / name).is_file() for name in (MANIFEST, TABLE)))
    if not tables:
        named = "those shipped, which are missing" if root is None else repr(str(root))
        raise InvalidInput(f"evidence must be a folder with {TABLE} and {MANIFEST}, or of such folders, got {named}")
    return tables


def whole_data_folders(folders: Sequence[Path]) -> list[Path]:
    """Return the tables of models that were trained on a whole data set, without held-out combinations of factors.

    They are sorted by how near they are to the papers: dSprites first, the table with most models in front, then the
    others by name, and tables of fresh seeds last. A table that cannot be read is kept, to fail where it is judged.
    """
    data = {folder: _trained_on(folder)[1] for folder in folders}

    def place(folder: Path) -> tuple[bool, bool, int, str]:
        models, dsprites = 0, data[folder].startswith("dsprites")
        with suppress(DbenchError):
            models = load_manifest(folder)["runs"] if dsprites else 0
        return is_fresh(folder), not dsprites, -models, folder.name

    return sorted((folder for folder in folders if WITHOUT not in data[folder]), key=place)


def is_fresh(*folders: Path) -> bool:
    """Whether any of these tables is one of fresh seeds, trained after the freeze."""
    return any(folder.name.endswith(FRESH) for folder in folders)


def repeats(case: object, heads: object) -> bool:
    """Whether ``case`` is the evidence of fresh seeds that belongs to the evidence ``heads``.

    Both are a table, a pair of tables, or the name of a study; or ``case`` is "fresh" and ``heads`` is empty.
    """

    def names(value: object) -> list[str]:
        parts = value if isinstance(value, tuple) else (value,)
        return [str(getattr(part, "name", part)) for part in parts]

    return names(case) == [f"{name}{FRESH}".removeprefix("-") for name in names(heads)]


def other_size(folder: str | Path, than: str | Path) -> bool:
    """Whether two tables are on the same data set with images of different sizes."""
    first, second = (_trained_on(Path(table))[1] for table in (folder, than))
    return first != second and full_size_of(first) == full_size_of(second)


def swept_folders(folders: Sequence[Path]) -> list[Path]:
    """Return the tables of :func:`whole_data_folders` in which an objective has several strengths.

    The others cannot decide sentences about sweeps. If no table has a sweep, all are returned.
    """

    def swept(folder: Path) -> bool:
        try:
            return any(len(sweep["strengths"]) > 1 for sweep in load_manifest(folder)["profile"]["sweeps"])
        except (DbenchError, LookupError, TypeError):
            return True  # a table that cannot be read fails where it is judged

    whole = whole_data_folders(folders)
    return [folder for folder in whole if swept(folder)] or whole


def has_objectives(folder: Path, objectives: Iterable[str]) -> bool:
    """Whether the profile of a table has all of these objectives; a table that cannot be read has none."""
    return set(objectives) <= {sweep["objective"] for sweep in _settings(folder).get("sweeps", ())}


def evidence_pairs(folders: Sequence[Path]) -> list[tuple[Path, Path]]:
    """Return the pairs of tables of one profile, with the same settings, on different whole data sets.

    Tables of fresh seeds are paired with each other only. Each pair is returned once, in the order of the data sets in
    the profile, or by name where the profile is not known.
    """
    described = {folder: _trained_on(folder) for folder in swept_folders(folders)}

    def place(folder: Path) -> tuple[int, str]:
        profile, data = described[folder]
        data_sets = PROFILES[profile].data if profile in PROFILES else ()
        return (data_sets.index(data) if data in data_sets else len(data_sets), data)

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

    Tables of fresh seeds are a study of their own, ``<profile>-<data set>-fresh``. A table with points left out at
    random, or one that cannot be read, is in no study.
    """
    studies: dict[str, tuple[Path, ...]] = {}
    for folder in sorted(folders):
        profile, data = _trained_on(folder)
        try:
            base, combination, _ = parse_held_out(data)
        except DbenchError:
            continue
        if combination is not None:
            name = f"{profile}-{base}{FRESH if is_fresh(folder) else ''}"
            studies[name] = (*studies.get(name, ()), folder)
    return studies


def load_left_out(name: str, folders: Sequence[Path]) -> Population:
    """Read the tables of one study of left-out combinations as a population whose units are the combinations.

    The column ``combination`` numbers the combinations; a jackknife leaves one out for all objectives at once. The
    column ``run_number`` numbers the runs of an objective for one combination, by strength and then seed. Runs are not
    averaged, because a relation matrix belongs to one model.

    Every table contributes its lowest complete seeds, as many as the table with fewest has. The rules of the population
    are those that were in force for every table.

    Raises:
        DamagedData: a table was damaged or edited.
        EvidenceLacking: no tables, or a table without a complete seed.
        InvalidInput: two tables of one combination, or tables of runs that were trained differently.
    """
    data = [_trained_on(folder)[1] for folder in folders]
    if len(set(data)) < len(data):
        raise InvalidInput(f"{name} must have one table of each combination, got {', '.join(sorted(data))}")
    if any(_settings(folder) != _settings(folders[0]) for folder in folders):
        raise InvalidInput(f"{name} must have tables of runs that were trained alike, got {', '.join(sorted(data))}")
    parts = [load_population(folder) for folder in folders]
    if not (seeds := min((len(part.seeds()) for part in parts), default=0)):
        raise EvidenceLacking(f"{name} needs a complete seed without each combination, got none")
    rows = pd.concat([_numbered(part, number, seeds) for number, part in enumerate(parts)], ignore_index=True)
    deviations = dict.fromkeys(sentence for part in parts for sentence in part.deviations)
    units = f"{len(parts)} combinations are the units, with {seeds} seeds each"
    arrays = joined([part.arrays for part in parts])
    rules = dict(set[tuple[str, str]].intersection(*(set(part.rules.items()) for part in parts)))
    return Population(name, rows, (*deviations, units), arrays, rules, unit="combination", setting="run_number")


def _numbered(part: Population, number: int, seeds: int) -> pd.DataFrame:
    """Return the rows of one combination, with its number and the number of each run within its objective."""
    rows = part.table[part.table["seed"].isin(part.seeds()[:seeds])]
    runs = rows.drop_duplicates("run").sort_values(["objective", "strength", "seed"])
    run_numbers = dict(zip(runs["run"], runs.groupby("objective").cumcount(), strict=True))
    return rows.assign(combination=number, run_number=rows["run"].map(run_numbers))


def _trained_on(folder: Path) -> tuple[str, str]:
    """Return the profile and data set in the first row of a table; both empty if it cannot be read."""
    try:
        with pq.ParquetFile(folder / TABLE) as file:
            row = next(file.iter_batches(batch_size=1, columns=["profile", "data"])).to_pylist()[0]
    except (pa.ArrowException, OSError, StopIteration, LookupError, ValueError):
        return "", ""
    return str(row["profile"]), str(row["data"])


def _settings(folder: Path) -> dict[str, Any]:
    """Return the training settings of a table, which may differ between tables of one profile; empty if unreadable."""
    try:
        profile, data = load_manifest(folder)["profile"], _trained_on(folder)[1]
    except DbenchError:
        return {}
    sweeps = [sweep for sweep in profile.get("sweeps", ()) if data in sweep.get("data", ()) or not sweep.get("data")]
    # A profile that is older than a field has its default.
    defaults = {"objective": "", "strengths": [], "constants": [], "network": "", "learning_rate": 0.0}
    fixed = ("network", "steps", "batch_size", "learning_rate")
    return {name: profile.get(name) for name in fixed} | {
        "factor": profile.get("likelihood_factor", 1.0),
        "cooldown": profile.get("cooldown", 0.0),
        "sweeps": [defaults | {name: sweep[name] for name in defaults if name in sweep} for sweep in sweeps],
    }


def evidence_sha256(folder: str | Path) -> str:
    """Return the SHA-256 of a table's manifest, which holds the checksums of its files."""
    return hashlib.sha256((Path(folder) / MANIFEST).read_bytes()).hexdigest()


def describe_evidence(folder: str | Path) -> dict[str, Any]:
    """Return what a report shows of a table; if it cannot be read, little more than its name.

    Returns:
        ``name``, ``data``, ``side`` (pixels), ``profile``, ``models`` (number), ``objectives``, ``seeds`` (most of any
        setting), ``steps``, ``deviations`` and ``sha256``. The side is None if the data set cannot be loaded.
    """
    path = Path(folder)
    profile, data = _trained_on(path)
    description: dict[str, Any] = {"name": path.name, "data": data, "side": None, "profile": profile, "models": 0}
    description |= {"objectives": [], "seeds": 0, "steps": None, "deviations": []}
    try:
        runs = load_runs(path).drop_duplicates("run")
        deviations = load_manifest(path)["profile"].get("deviations", [])
    except (DbenchError, OSError):
        return description
    # A table may come from anywhere, so code that it names (a data set as module:attribute) is not run here.
    with suppress(DbenchError):
        description["side"] = None if ":" in data else int(load(data).image_shape[-1])
    return description | {
        "sha256": evidence_sha256(path),
        "models": len(runs),
        "objectives": sorted(runs["objective"].unique()),
        "seeds": int(runs.groupby(["objective", "strength"])["seed"].nunique().max()),
        "steps": int(runs["steps"].max()),
        "deviations": list(deviations),
    }


def load_population(folder: str | Path, *, objectives: Sequence[str] | None = None) -> Population:
    """Read and validate one evidence table, or its runs of the given objectives only.

    Objectives that the table does not have are ignored. Only the runs that are read decide which seeds are complete.

    Raises:
        DamagedData: the table was damaged or edited.
        InvalidInput: a file is missing, or the table holds none of the objectives.
    """
    if changed := unpinned([Path(folder)]):
        raise DamagedData(
            f"evidence was edited after it was shipped: {', '.join(changed)} is not as {PINS.name} has it"
        )
    name, table, manifest = Path(folder).name, load_runs(folder), load_manifest(folder)
    arrays = load_arrays(folder, table, manifest)
    if objectives is not None:
        present = sorted(table["objective"].unique())
        table = table[table["objective"].isin(objectives)].reset_index(drop=True)
        if table.empty:
            raise InvalidInput(f"objectives must name one of {name}, {present}, got {[*objectives]}")
    deviations, rules = manifest["profile"].get("deviations", []), manifest.get("rules", {})
    population = Population(name, table, tuple(deviations), arrays, rules)
    return replace(population, deviations=(*deviations, *_losses(population)))


def _losses(population: Population) -> list[str]:
    """Return a sentence on the seeds left out because runs diverged or were not trained; no sentence if none is."""
    runs = population.table.drop_duplicates("run")
    kept, every = len(population.seeds()), int(runs["seed"].nunique())
    if kept == every:
        return []
    settings = len(runs[["objective", "strength"]].drop_duplicates())
    diverged, missing = int((runs["status"] == "diverged").sum()), settings * every - len(runs)
    lost = [f"{diverged} of {len(runs)} runs diverged"] if diverged else []
    if missing:
        by_objective = runs.groupby("objective")
        lacking = [name for name, group in by_objective if len(group) < every * group["strength"].nunique()]
        lost.append(f"{missing} of {settings * every} runs were not trained ({', '.join(sorted(map(str, lacking)))})")
    return [f"{' and '.join(lost)}; judged on the {kept} of {every} seeds whose runs are all done"]


def train_evidence(profile: str, store: str | None = None) -> Path:
    """Train and score the runs of a profile that a store lacks, write their evidence table, and return its folder.

    The profile is a name or a TOML file; the store is a folder or URL, by default ``store/<profile>``.

    Raises:
        DbenchError: training was cancelled, or a worker died.
    """
    from dbench.zoo.complete import write_population_table

    chosen = find_profile(profile)
    return write_population_table(chosen, store or f"store/{chosen.name}")
