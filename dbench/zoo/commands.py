"""``dbench zoo``: train, score, table, verify, panel, pack, unpack, ls."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dbench.errors import InvalidInput
from dbench.shown import one_line, say

if TYPE_CHECKING:
    from rich.table import Table

    from dbench.zoo.keys import RunKey
    from dbench.zoo.profiles import Profile
    from dbench.zoo.progress import Summary
    from dbench.zoo.store import Contents, Store

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def parse_seeds(text: str, first: int = 0) -> list[int]:
    """Read ``5`` (five, from the first on), ``2-4`` or ``0,3,7`` as a list of seeds.

    If ``first`` is 1000 or more, a single number of at least ``first`` is that seed, since nobody wants so many seeds.
    """
    if re.fullmatch(r"\d{1,6}", text) and not 1000 <= first <= int(text):
        return list(range(first, first + int(text)))
    seeds: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,8})(?:-(\d{1,8}))?", part.strip())
        if not match or not 0 <= int(match[2] or match[1]) - int(match[1]) < 1_000_000:
            raise InvalidInput(f"seeds must be a count (5), a range (2-4) or a list (0,3,7), got {text!r}")
        seeds.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return sorted(seeds)


def parse_duration(text: str) -> float:
    """Read ``90``, ``90s``, ``9m`` or ``1.5h`` as seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if not match or float(match[1]) == 0:
        raise InvalidInput(f"budget must be a time above zero such as 90s, 9m or 1.5h, got {text!r}")
    return float(match[1]) * _UNITS[match[2]]


_PLAN = (
    click.option(
        "--profile",
        default="micro",
        show_default=True,
        metavar="micro|small|full|systems|novel|standard|paper|FILE.toml",
        help="Which grid of runs.",
    ),
    click.option("--store", envvar="DBENCH_STORE", help="Folder or URL of the runs.  [store/PROFILE]"),
    click.option("--data", "--dataset", multiple=True, help="Data set of the profile (repeatable).  [its first]"),
    click.option("--objective", multiple=True, help="Objective to keep (repeatable).  [all]"),
    click.option("--seeds", help="How many (5), or which (2-4; 0,3,7).  [as the profile]"),
)
_WORKERS = click.option("--workers", type=click.IntRange(1), help="Processes.  [one a core; to train on a GPU, one]")


def _of_a_plan(command: Callable[..., Any]) -> Callable[..., Any]:
    """Attach the options that :func:`_plan` takes."""
    for option in reversed(_PLAN):
        command = option(command)
    return command


def _plan(
    profile: str,
    store: str | None,
    data: tuple[str, ...],
    objective: tuple[str, ...],
    seeds: str | None,
    *,
    create: bool | None = False,
) -> tuple[Profile, Store, list[RunKey], Contents]:
    """Return the profile, its store, the runs asked for and the store's contents; ``create`` as in :class:`Store`."""
    from dbench.zoo.profiles import find_profile
    from dbench.zoo.store import Store
    from dbench.zoo.survey import unplanned

    grid = find_profile(profile)
    seed_numbers = None if seeds is None else parse_seeds(seeds, grid.first_seed)
    keys = grid.runs(data=data, objectives=objective, seeds=seed_numbers)
    run_store = Store(store or f"store/{grid.name}", create=create)
    stored = run_store.contents()
    if others := unplanned(stored.keys, grid):
        say(
            f"{len(others)} runs of {run_store.url} are not of profile {grid.name} as it is now and are left alone, "
            f"such as {others[0]} with {others[0].steps:,} steps: they were trained by another profile or an earlier "
            "version",
            err=True,
        )
    return grid, run_store, keys, stored


def _print(table: Table) -> None:
    """Print a table at the width of the terminal, or in full width when the output is no terminal."""
    from dbench.shown import terminal

    console = terminal()
    terminal(width=None if console.is_terminal else 140).print(table)


def _end(summary: Summary) -> None:
    say(str(summary))
    if summary.cancelled:
        raise click.exceptions.Exit(130)


@click.group()
def zoo() -> None:
    """Train, score and check the models that findings are judged on."""


@zoo.command()
@_of_a_plan
@_WORKERS
@click.option("--budget", help="Stop after this time (90s, 9m, 1.5h); the same command goes on later.")
@click.option(
    "--device", default="cpu", show_default=True, help="cpu, cuda, or one of several GPUs (cuda:1; not on Ray)."
)
@click.option("--precision", default="float32", show_default=True, help="float32; on a GPU also tf32 or bfloat16.")
@click.option("--group-size", type=click.IntRange(1), help="Runs trained as one.  [15; on a GPU what its memory holds]")
@click.option("--engine", default="local", show_default=True, help="local, or ray: the cluster of RAY_ADDRESS.")
@click.option("--num-gpus", type=float, help="GPUs of each group on a Ray cluster, 1 or a fraction.  [1 on cuda]")
def train(
    profile: str,
    store: str | None,
    data: tuple[str, ...],
    objective: tuple[str, ...],
    seeds: str | None,
    budget: str | None,
    **setup: Any,
) -> None:
    """Train what the store lacks of a profile."""
    from dbench.provenance import commit
    from dbench.zoo.plan import Setup
    from dbench.zoo.train import train_runs

    seconds = None if budget is None else parse_duration(budget)
    Setup(**setup)  # raises for bad options before the store is read, which may take long
    _, run_store, keys, _ = _plan(profile, store, data, objective, seeds, create=None)
    if commit().endswith("+dirty"):
        say(
            "dbench/ has changes that are not committed: rows of runs trained now say +dirty, which is not accepted of "
            "evidence that is shipped",
            err=True,
        )
    _end(train_runs(run_store, keys, budget=seconds, **setup))


@zoo.command()
@_of_a_plan
@_WORKERS
@click.option("--again", multiple=True, help="Scores to compute once more after a metric changed (repeatable).")
@click.option("--quick", is_flag=True, help="Leave the slow scores for a later call: perceptrons, trees, repetitions.")
def score(workers: int | None, again: tuple[str, ...], quick: bool, **plan: Any) -> None:
    """Score the trained runs with every metric, and print what each metric cost."""
    from dbench.zoo.score import score_runs
    from dbench.zoo.scorers import SLOW

    _, run_store, keys, _ = _plan(**plan)
    _end(score_runs(run_store, keys, workers=workers, again=again, without=SLOW if quick else ()))


@zoo.command()
@_of_a_plan
@_WORKERS
@click.option("--out", required=True, help="Folder to write runs.parquet and manifest.json into.")
@click.option("--rules", type=click.Path(path_type=Path), help="claims/frozen.json as it was when scoring began.")
@click.option("--extend", "--onto", help="Folder of an earlier table: the new one has its runs, too, and its rules.")
def table(workers: int | None, out: str, rules: Path | None, extend: str | None, **plan: Any) -> None:
    """Write the runs table of a profile that is trained and scored.

    Claims whose cards are not as --rules has them are unconfirmed on the table; without it all are.
    """
    from dbench.zoo.arrays import load_arrays
    from dbench.zoo.complete import read_rules, write_evidence
    from dbench.zoo.table import load_manifest, load_runs

    hashes = read_rules(rules) if rules else {}
    grid, run_store, keys, _ = _plan(**plan)
    if len(names := sorted({key.data for key in keys})) > 1:  # before anything is computed
        raise InvalidInput(f"data must name one data set for a table, got {', '.join(names)}")
    path = write_evidence(run_store, keys, grid, out, workers=workers, rules=hashes, extend=extend)
    manifest = load_manifest(out)
    load_arrays(out, load_runs(out), manifest)
    say(f"{manifest['runs']} runs, {len(manifest['scores'])} scores: {path}")
    if not any(name.startswith("udr.") for name in manifest["scores"]):
        say("without udr.*: these need at least 2 done runs of each objective and strength")


@zoo.command()
@click.option("--runs", required=True, help="Folder with runs.parquet and manifest.json.")
@_WORKERS
@click.option("--number", type=click.IntRange(1), default=2, show_default=True, help="How many runs to retrain.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides which runs.")
def verify(runs: str, workers: int | None, number: int, seed: int) -> None:
    """Retrain a few runs of a table from their keys alone and compare every score."""
    from dbench.zoo.verify import RESULTS, comparison_table, verify_runs

    try:
        comparison = verify_runs(runs, number=number, seed=seed, workers=workers)
    except KeyboardInterrupt:
        say("stopped: nothing was compared", err=True)
        raise click.exceptions.Exit(130) from None
    _print(comparison_table(comparison))
    counts = {result: int((comparison["result"] == result).sum()) for result in RESULTS}
    say(
        f"{counts['same']} of {len(comparison)} scores are the same to the last bit, {counts['agrees']} agree, "
        f"{counts['outlier']} lie beyond, as a few of a true rerun do, {counts['not tested']} cannot be tested, "
        f"{counts['differs']} differ"
    )
    if counts["differs"]:
        raise click.exceptions.Exit(1)


@zoo.command()
@_of_a_plan
@click.option("--each", type=click.IntRange(1), default=2, show_default=True, help="Models of every strength, at most.")
@click.option("--strengths", type=click.IntRange(1), help="Strengths of every objective, first to last, evenly.  [all]")
@click.option("--encoders-only", is_flag=True, help="Leave out the decoders, which dbench.load decodes with.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The file.")
def panel(each: int, strengths: int | None, encoders_only: bool, out: Path, **plan: Any) -> None:
    """Write the weights of finished runs as one file, for dbench rank and dbench.load."""
    from dbench.zoo.panel import choose_runs, write_panel

    _, run_store, keys, _ = _plan(**plan)
    chosen = choose_runs([key for key in keys if run_store.status(key) == "done"], each, strengths)
    write_panel(run_store, chosen, out, encoders_only=encoders_only)
    say(f"{len(chosen)} models, {out.stat().st_size / 1e6:.1f} MB: {out}")


@zoo.command()
@_of_a_plan
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to write the files into.")
@click.option("--size", type=click.FloatRange(0, min_open=True), default=16, show_default=True, help="MB of a file.")
@click.option("--files", type=click.IntRange(1), help="Files to write at most.  [all]")
@click.option("--skip", type=click.IntRange(0), default=0, show_default=True, help="Runs that were packed before.")
def pack(out: Path, size: float, files: int | None, skip: int, **plan: Any) -> None:
    """Write finished runs as few flat files, which dbench zoo unpack takes in on another machine."""
    from dbench.zoo.pack import pack_runs

    _, run_store, keys, _ = _plan(**plan)
    done = pack_runs(run_store, keys, out, skip=skip, files=files, size=size)
    total = sum(path.stat().st_size for path in done.files) / 1e6
    say(f"{done.runs} runs, {total:.1f} MB: {', '.join(map(str, done.files))}")
    if done.left:
        say(f"{done.left} finished runs are left: --skip {skip + done.runs}")


@zoo.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--store", envvar="DBENCH_STORE", required=True, help="Folder or URL of the runs; made if missing.")
@_WORKERS
def unpack(files: tuple[Path, ...], store: str, workers: int | None) -> None:
    """Take packed runs into a store: check them, and make their codes on this machine."""
    from dbench.zoo.pack import check_files
    from dbench.zoo.store import Store
    from dbench.zoo.unpack import unpack_runs

    check_files(files)
    _end(unpack_runs(Store(store, create=None), files, workers=workers))


@zoo.command()
@_of_a_plan
def ls(**plan: Any) -> None:
    """Show how far a store is with a profile."""
    from rich.table import Table
    from rich.text import Text

    from dbench.zoo.survey import STATES, survey

    grid, run_store, keys, stored = _plan(**plan)
    counts = survey(run_store, keys)
    columns = ["done", "scored", "partly scored", *STATES[1:]]
    for rare in ("partly scored", "unreadable"):
        if not any(row[rare] for row in counts.values()):
            columns.remove(rare)
    title = Text(one_line(f"{grid.name} in {run_store.url}"))
    layout = Table(box=None, header_style="bold", padding=(0, 1), title=title, title_justify="left")
    for name in ("data", "objective", "strength"):
        layout.add_column(name, no_wrap=True)
    for name in columns:
        layout.add_column(name, justify="right")
    for (data_name, objective_name, strength), row in sorted(counts.items()):
        names = (Text(one_line(name)) for name in (data_name, objective_name))
        layout.add_row(*names, f"{strength:g}", *(str(row.get(name, 0) or "") for name in columns))
    _print(layout)
    if stored.foreign:
        say(f"{stored.foreign} further runs have keys of another schema version; this version never reads them")
    if stored.unreadable:
        say(f"{stored.unreadable} records of this store cannot be read: the system refuses")
