"""Kill a sweep again and again and compare its table with that of a sweep nobody disturbed.

``python tools/torture.py`` trains a small plan twice. The first sweep is left alone. The second is killed with SIGKILL
at random moments (all its processes, its controller or one worker) and started again until the plan is done. While
kills are left, another sweep begins in a new store. Every table must equal the undisturbed one, except for when and
from which commit its runs were trained. The plan has every kind of checkpoint: of a network alone, with an adversary
that sees second batches, and with heads, labels and an adversary.
"""

import io
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from kill_targets import MOMENTS, TARGETS, Witness, kill, wait_for_file

from dbench import seeds
from dbench.errors import DbenchError, InvalidInput
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import Sweep, find_profile
from dbench.zoo.store import Store
from dbench.zoo.survey import FINISHED, state_of

STEPS = 1000
"""Steps of a run: a sweep of the small plan then takes two idle cores a quarter of a minute."""

_MAY_DIFFER = ["trained_seconds", "trained_utc", "commit"]

_CHECKPOINT_EVERY = 0.5  # seconds

_AIMED = 0.5
"""Share of the kills that wait until a file is being written: few would hit that by chance."""

_WITHIN = 0.5
"""Share of an undisturbed sweep's time within which a start is killed. Each start goes on from what was saved, so later
starts reach later parts of the sweep, and one sweep is killed several times."""

_PATIENCE = 5.0
"""Seconds that a kill waits for such a file at most."""

_SCORES = ("posterior", "gaussian_tc", "mutual_information", "mig", "sap", "factor_vae", "modularity", "irs", "med")
"""Groups of scores that a killed sweep computes, a third of a second a run; all of them take 20 seconds a run."""


def small_plan(*, steps: int = STEPS, number: int = 2) -> list[RunKey]:
    """Return runs that take seconds: four objectives with ``number`` seeds each, on small images.

    Two have nothing beside a network. Factor-VAE has an adversary and second batches; WeakDE has labels, heads and an
    adversary. These have two strengths each, so that their groups have several runs too.
    """
    sweeps = (
        Sweep("beta_vae", (0.25,)),
        Sweep("beta_tcvae", (6.0,)),
        Sweep("factor_vae", (10.0, 40.0)),
        Sweep("weak_de", (10.0, 50.0)),
    )
    return replace(find_profile("micro"), sweeps=sweeps, steps=steps).runs(seeds=range(number))


def trained_table(store: Store, keys: Sequence[RunKey]) -> pd.DataFrame:
    """Return what training left: a row for the status of each run and for each of its scores and files.

    Provenance stands on every row. A file stands with its checksum, so equal tables mean equal weights and codes; and
    every other score is a function of the key and the codes.
    """
    rows = []
    for key in sorted(keys):
        record = store.record(key)
        if record is None or not store.intact(key):
            raise DbenchError(f"run {key} is not whole in {store.url}")
        shared = {name: value for name, value in record.items() if name not in ("key", "status", "scores", "files")}
        content = {"status": record["status"], **record["scores"], **record["files"]}
        rows += [{"run": key.digest, "name": name, "value": repr(value), **shared} for name, value in content.items()]
    return pd.DataFrame(rows)


def differences(one: pd.DataFrame, other: pd.DataFrame) -> int:
    """Count the cells in which two tables differ; a table of another shape differs in all of them.

    Time, duration and commit of training may differ.
    """
    first, second = map(compared, (one, other))
    if first.shape != second.shape or list(first.columns) != list(second.columns):
        return int(max(first.size, second.size))
    same = (first == second) | (first.isna() & second.isna())
    return int((~same).to_numpy().sum())


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table without the columns that say when and from which commit a run was trained."""
    return table.drop(columns=_MAY_DIFFER)


def torture(
    folder: str | Path,
    keys: Sequence[RunKey],
    *,
    kills: int,
    generator: np.random.Generator,
    workers: int = 2,
    score: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Counter[str]:
    """Kill sweeps of a plan, and compare the table of each with that of the undisturbed sweep.

    Args:
        folder: an empty folder for the stores.
        keys: the plan.
        kills: number of kills, over as many sweeps as that takes.
        generator: draws moments and targets.
        workers: processes of a sweep.
        score: whether a sweep also computes a few scores of its runs and writes the runs table, which is compared
            then; otherwise :func:`trained_table` is compared.
        tell: called with each line of progress.

    Returns:
        How often each of :data:`TARGETS` was killed, and each of :data:`MOMENTS` hit; ``sweeps`` and ``starts`` of
        killed sweeps; the ``cells`` of all their tables; and ``differences``, the number of cells that differ, 0 if
        every sweep ended as the undisturbed one did.

    Raises:
        InvalidInput: a folder that is not empty: sweeps that are done already cannot be killed.
        DbenchError: a sweep cannot be brought to its end.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"folder must be empty or not there yet, got {str(folder)!r}")
    began = time.monotonic()
    tell(f"an undisturbed sweep of {len(keys)} runs")
    expected = _Sweep(folder / "undisturbed", keys, workers, score).finish()
    seconds, counts = time.monotonic() - began, Counter[str](differences=0)
    tell(f"it took {seconds:.0f} s")

    def tell_kill(target: str, moment: str) -> None:
        counts.update([target, moment])
        place = f"sweep {counts['sweeps']}, {time.monotonic() - began:.0f} s"
        tell(f"kill {_killed(counts)} of {kills}: {target}, hit: {moment} ({place})")

    while (killed := _killed(counts)) < kills:
        sweep = _Sweep(folder / f"sweep-{counts['sweeps']}", keys, workers, score)
        counts["sweeps"] += 1
        counts["starts"] += sweep.suffer(kills - killed, generator, seconds, tell_kill)
        counts["cells"] += compared(expected).size
        counts["differences"] += differences(sweep.finish(), expected)
        tell(f"sweep {counts['sweeps']} is done: {counts['differences']} cells differ so far")
    return counts


def _killed(counts: Counter[str]) -> int:
    return sum(counts[target] for target in TARGETS)


def sweep_command(folder: Path, keys: Sequence[RunKey], workers: int, score: bool) -> list[str]:
    """Return the command line that is killed: it calls :func:`sweep_once` on the store of a folder."""
    plan = json.dumps([key.axes for key in keys])
    # This file is imported, not run as the main program: worker processes would import that again.
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from torture import sweep_once; sweep_once()"
    )
    return [sys.executable, "-c", code, str(folder), plan, str(workers), str(int(score))]


class _Sweep:
    """A sweep in processes of its own, in a store of its own."""

    def __init__(self, folder: Path, keys: Sequence[RunKey], workers: int, score: bool) -> None:
        self.store, self.keys, self.score = Store(folder), list(keys), score
        self.command = sweep_command(folder, keys, workers, score)

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self.command, start_new_session=True, stderr=subprocess.DEVNULL)

    @property
    def done(self) -> bool:
        if self.score:
            return (Path(self.store.root) / "table" / "manifest.json").exists()
        return self._trained()

    def _trained(self) -> bool:
        return all(state_of(self.store, key) in FINISHED for key in self.keys)

    def finish(self, attempts: int = 20) -> pd.DataFrame:
        """Start the sweep until it is done, and return its table."""
        for _ in range(attempts):
            if not self.done:
                self.start().wait()
        if not self.done:
            raise DbenchError(f"the sweep in {self.store.url} did not come to its end in {attempts} attempts")
        if not self.score:
            return trained_table(self.store, self.keys)
        from dbench.zoo.table import load_runs

        return load_runs(Path(self.store.root) / "table")

    def suffer(
        self, kills: int, generator: np.random.Generator, seconds: float, tell: Callable[[str, str], None]
    ) -> int:
        """Kill the sweep at random moments until it is done or has been killed ``kills`` times.

        Moments lie within half of an undisturbed sweep's time after a start or kill; half of the kills then wait for
        the next file. Returns how often the sweep was started.
        """
        root, starts, killed = Path(self.store.root), 0, 0
        witness, process = Witness(root, self._trained), None
        while killed < kills and not self.done:
            if process is None or process.poll() is not None:
                witness.note_start()
                process = self.start()
                starts += 1
            with suppress(subprocess.TimeoutExpired):
                process.wait(generator.uniform(0.0, _WITHIN * seconds))
                continue
            if generator.random() < _AIMED:
                wait_for_file(root, process, patience=_PATIENCE)
            target = str(generator.choice(TARGETS))
            if kill(process, target, generator):
                killed += 1
                tell(target, witness.hit(target))
        if process is not None:
            kill(process, "all", generator)
        return starts


def sweep_once() -> None:
    """Train, and if asked score, the runs that a store lacks: this is the program that is killed."""
    from rich.console import Console

    from dbench.zoo.train import train_runs

    folder, plan, workers, score = sys.argv[1:5]
    store, keys = Store(folder), [RunKey.from_axes(axes) for axes in json.loads(plan)]
    options: dict[str, Any] = {"checkpoint_every": _CHECKPOINT_EVERY, "console": Console(file=io.StringIO())}
    summary = train_runs(store, keys, workers=int(workers), group_size=2, **options)
    if score == "1" and not summary.others["left"]:
        _score_and_write(store, keys, int(workers))


def _score_and_write(store: Store, keys: Sequence[RunKey], workers: int) -> None:
    """Compute a few scores and write the runs table into the store."""
    from dbench.zoo.complete import build_table, write_table
    from dbench.zoo.population import score_population
    from dbench.zoo.score import score_runs
    from dbench.zoo.scorers import SCORERS

    profile = find_profile("micro")
    score_runs(store, keys, workers=workers, without=[name for name in SCORERS if name not in _SCORES])
    table, _ = build_table(store, keys, profile, score_population(store, keys, workers=workers))
    write_table(Path(store.root) / "table", table, profile)


@click.command()
@click.option("--kills", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides moments and targets.")
@click.option("--steps", type=click.IntRange(100), default=STEPS, show_default=True, help="Steps of each run.")
@click.option("--seeds", "number", type=click.IntRange(2), default=2, show_default=True, help="Seeds of each cell.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes of a sweep.")
@click.option("--score", is_flag=True, help="Compute a few scores too; compare runs tables.")
@click.option("--store", "folder", help="Empty folder for the stores, where they stay.  [a temporary one]")
def main(kills: int, seed: int, steps: int, number: int, workers: int, score: bool, folder: str | None) -> None:
    """Kill sweeps at random moments; exit with 1 if any table differs from the undisturbed one, 2 on bad input."""
    generator = seeds.generator(purpose="torture", seed=seed)
    with tempfile.TemporaryDirectory(prefix="dbench-torture-", ignore_cleanup_errors=True) as place:
        try:
            counts = torture(
                folder or place,
                small_plan(steps=steps, number=number),
                kills=kills,
                generator=generator,
                workers=workers,
                score=score,
                tell=click.echo,
            )
        except DbenchError as error:
            click.echo(f"torture: {error}", err=True)
            raise click.exceptions.Exit(2) from None
    for title, names in (("killed", TARGETS), ("hit", MOMENTS)):
        click.echo(f"{title}: {', '.join(f'{name} {counts[name]}' for name in names)}")
    click.echo(
        f"{_killed(counts)} kills in {counts['sweeps']} sweeps and {counts['starts']} starts: "
        f"{counts['cells']:,} cells compared, {counts['differences']} differ"
    )
    if counts["differences"]:
        raise click.exceptions.Exit(1)


if __name__ == "__main__":
    main()
