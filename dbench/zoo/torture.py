"""Kill a sweep again and again and compare its table with that of a sweep nobody disturbed.

``python -m dbench.zoo.torture`` trains a small plan twice. The first sweep is left alone. The second is killed, by the
signal that cannot be caught, at random moments: the whole of it, its master, or one of its workers; and started again,
until the plan is done. As long as kills are left over, the next sweep begins in a new store. Every table must be the
undisturbed one, except for when and from which commit its runs were trained.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from dbench import seeds
from dbench.errors import DbenchError, InvalidInput
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import Sweep, find_profile
from dbench.zoo.store import Store
from dbench.zoo.survey import FINISHED, state_of

__all__ = ["VICTIMS", "differences", "main", "small_plan", "torture", "trained_table"]

VICTIMS = ("all", "master", "worker")
"""Who is killed: every process of the sweep at once, the one that shares out the work, or one that trains."""

_MAY_DIFFER = ["trained_seconds", "trained_utc", "commit"]

_CHECKPOINT_EVERY = 0.5


def small_plan(*, steps: int = 3000, number: int = 2) -> list[RunKey]:
    """Return runs that take seconds: two objectives, two strengths each, so many seeds and steps, on small images."""
    sweeps = (Sweep("beta_vae", (0.25, 2.0)), Sweep("beta_tcvae", (1.0, 6.0)))
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
    first, second = (table.drop(columns=_MAY_DIFFER) for table in (one, other))
    if first.shape != second.shape or list(first.columns) != list(second.columns):
        return int(max(first.size, second.size))
    same = (first == second) | (first.isna() & second.isna())
    return int((~same).to_numpy().sum())


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
    """Kill sweeps of a plan so many times and compare each with the undisturbed one.

    Args:
        folder: an empty folder for the stores.
        keys: the plan.
        kills: how many, over as many sweeps as that takes.
        generator: draws moments and victims.
        workers: processes of a sweep.
        score: whether a sweep also scores its runs and writes the runs table, and the tables are compared; else what
            training left is (:func:`trained_table`).
        tell: takes a line of progress.

    Returns:
        How often each of :data:`VICTIMS` was killed; ``sweeps`` and ``starts`` of killed sweeps, and ``differences``
        between the tables in all, which is 0 where every sweep ended as the undisturbed one.

    Raises:
        InvalidInput: a folder that is not empty: sweeps that are done already cannot be killed.
        DbenchError: a sweep cannot be brought to its end.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"folder must be empty or not there yet, got {str(folder)!r}")
    began = time.monotonic()
    expected = _Sweep(folder / "undisturbed", keys, workers, score).finish()
    seconds, counts = time.monotonic() - began, Counter[str](differences=0)
    tell(f"undisturbed: {len(keys)} runs in {seconds:.0f} s")
    while (killed := _killed(counts)) < kills:
        sweep = _Sweep(folder / f"sweep-{counts['sweeps']}", keys, workers, score)
        counts["sweeps"] += 1
        counts.update(sweep.suffer(kills - killed, generator, seconds))
        counts["differences"] += differences(sweep.finish(), expected)
        tell(f"{_killed(counts)} kills in {counts['sweeps']} sweeps: {counts['differences']} cells differ")
    return counts


def _killed(counts: Counter[str]) -> int:
    return sum(counts[victim] for victim in VICTIMS)


class _Sweep:
    """A sweep in processes of its own, in a store of its own."""

    def __init__(self, folder: Path, keys: Sequence[RunKey], workers: int, score: bool) -> None:
        self.store, self.keys, self.score = Store(folder), list(keys), score
        plan = json.dumps([key.axes for key in keys])
        # Not -m: the worker processes would import the program anew by that name.
        code = "from dbench.zoo.torture import sweep_once; sweep_once()"
        self.command = [sys.executable, "-c", code, str(folder), plan, str(workers), str(int(score))]

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self.command, start_new_session=True, stderr=subprocess.DEVNULL)

    @property
    def done(self) -> bool:
        if self.score:
            return (Path(self.store.root) / "table" / "manifest.json").exists()
        return all(state_of(self.store, key) in FINISHED for key in self.keys)

    def finish(self, attempts: int = 20) -> pd.DataFrame:
        """Let the sweep come to its end and return its table."""
        for _ in range(attempts):
            if not self.done:
                self.start().wait()
        if not self.done:
            raise DbenchError(f"the sweep in {self.store.url} did not come to its end in {attempts} attempts")
        if not self.score:
            return trained_table(self.store, self.keys)
        from dbench.zoo.table import load_runs

        return load_runs(Path(self.store.root) / "table")

    def suffer(self, kills: int, generator: np.random.Generator, seconds: float) -> Counter[str]:
        """Be killed at moments drawn from the length of an undisturbed sweep, until done or out of kills."""
        counts = Counter[str]()
        process = None
        while _killed(counts) < kills and not self.done:
            if process is None or process.poll() is not None:
                process = self.start()
                counts["starts"] += 1
            try:
                process.wait(generator.uniform(0.0, seconds))
            except subprocess.TimeoutExpired:
                victim = str(generator.choice(VICTIMS))
                counts[victim] += _kill(process, victim, generator)
        if process is not None:
            _kill(process, "all", generator)
        return counts


def _kill(process: subprocess.Popen[bytes], victim: str, generator: np.random.Generator) -> bool:
    """Kill; return whether there was anybody to kill."""
    if process.poll() is not None:
        return False
    if victim == "all":
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    chosen = process.pid
    if victim == "worker":
        workers = _children(process.pid)
        if not workers:
            return False
        chosen = int(generator.choice(workers))
    try:
        os.kill(chosen, signal.SIGKILL)
    except ProcessLookupError:
        return False
    if victim == "master":
        process.wait()
    return True


def _children(parent: int) -> list[int]:
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in listed.splitlines()]
    return sorted(pid for pid, of in pairs if of == parent)


def sweep_once() -> None:
    """Train (and score) what a store lacks; the program that is killed."""
    from rich.console import Console

    from dbench.zoo.train import train_runs

    folder, plan, workers, score = sys.argv[1:5]
    store, keys = Store(folder), [RunKey(**axes) for axes in json.loads(plan)]
    options: dict[str, Any] = {"checkpoint_every": _CHECKPOINT_EVERY, "console": Console(file=io.StringIO())}
    summary = train_runs(store, keys, workers=int(workers), group_size=2, **options)
    if score == "1" and not summary.left:
        from dbench.zoo.complete import write_population_table

        write_population_table(find_profile("micro"), store.root, keys=keys, workers=int(workers))


@click.command()
@click.option("--kills", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides moments and victims.")
@click.option("--steps", type=click.IntRange(100), default=3000, show_default=True, help="Steps of each run.")
@click.option("--seeds", "number", type=click.IntRange(2), default=2, show_default=True, help="Seeds of each cell.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes of a sweep.")
@click.option("--score", is_flag=True, help="Score the runs too and compare the tables of dbench zoo table.")
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
    killed = ", ".join(f"{victim} {counts[victim]}" for victim in VICTIMS)
    click.echo(f"killed: {killed}; {counts['starts']} starts, {counts['differences']} cells differ")
    if counts["differences"]:
        raise click.exceptions.Exit(1)


if __name__ == "__main__":
    main()
