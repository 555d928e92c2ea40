"""``dbench score``: every metric of a file of codes; ``dbench compare``: two or more models on the same rows."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dbench.errors import DbenchError, InvalidInput
from dbench.files import same_file, write_file
from dbench.outside import load_callable
from dbench.shown import one_line, terminal

if TYPE_CHECKING:
    from dbench.codes.reading import CodesFile
    from dbench.scoring.compute import Result
    from dbench.scoring.scores import Scores


_READING = (
    click.option(
        "--codes",
        metavar="NAME",
        help="Array of an archive, or columns of a table (a,b or mu_*).  [codes; code_*, z_*]",
    ),
    click.option("--factors", metavar="NAME", help="The same for the factors.  [factors; factor_*]"),
    click.option(
        "--continuous", multiple=True, metavar="NAME", help="Factor that is no label (repeatable; * for all)."
    ),
    click.option("--discrete", multiple=True, metavar="NAME", help="Factor that is a label (repeatable; * for all)."),
    click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Metric to compute (repeatable).  [all]"),
    click.option(
        "--family",
        default="papers",
        show_default=True,
        help="Metrics without --metric: papers (the five papers'), identifiability (later ones'), or all.",
    ),
    click.option(
        "--rows",
        type=click.IntRange(1),
        help="Rows to keep of a longer file, drawn at random.  [2,000,000; encoders 50,000]",
    ),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides all draws."),
)


def _with_reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for reading files, passed on as one dictionary ``reading``, and those for choosing metrics."""

    @wraps(command)
    def called(**options: Any) -> Any:
        reading = {name: options.pop(name) for name in ("codes", "factors", "continuous", "discrete")}
        return command(reading=reading, **options)

    return reduce(lambda decorated, option: option(decorated), reversed(_READING), called)


def _pairs(files: Sequence[Path]) -> list[tuple[Path, Path | None]]:
    """Pair each file of codes with its file of factors: the next argument after an .npy, else None."""
    pairs, remaining = list[tuple[Path, Path | None]](), list(files)
    while remaining:
        codes = remaining.pop(0)
        has_factors = codes.suffix.lower() == ".npy" and remaining
        pairs.append((codes, remaining.pop(0) if has_factors else None))
    return pairs


def _read(
    pairs: Sequence[tuple[Path, Path | None]], rows: int | None, seed: int, reading: dict[str, Any]
) -> list[CodesFile]:
    """Read the codes and factors of all files; models are named by file name, by path if two names are equal."""
    from dbench.codes.reading import MOST_ROWS, read_codes

    read = [read_codes(first, second, rows=rows or MOST_ROWS, seed=seed, **reading) for first, second in pairs]
    if len({codes.name for codes in read}) < len(read):
        return [replace(codes, name=str(first)) for codes, (first, _) in zip(read, pairs, strict=True)]
    return read


def _require_new(option: str, path: Path | None, files: Sequence[Path], done: str) -> None:
    """Refuse an output file that is a folder or one of the input files."""
    if path and any(same_file(path, file) for file in files):
        raise InvalidInput(f"{option} must be no file that is {done}, got {str(path)!r}")
    if path and path.is_dir():
        raise InvalidInput(f"{option} must be a file, got the folder {str(path)!r}")


def _print_results(records: list[dict[str, Any]] | None, show: Callable[[], None], written: Sequence[Path]) -> None:
    """Print records as JSON, or call ``show`` if None; then list the files written (to stderr after JSON)."""
    if records is None:
        show()
    else:
        click.echo(json.dumps(records, indent=1, allow_nan=False))
    for path in written:
        click.echo(f"Written: {one_line(str(path))}", err=records is not None)


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, metavar="FILE...")
@click.option("--encoder", metavar="MODULE:NAME", help="Score this encoder of images (with --data) in place of a file.")
@click.option("--data", metavar="NAME", help="Data set for --encoder: one of dbench's, or module:class.")
@click.option("--decoder", metavar="MODULE:NAME", help="Draw traversals of this decoder (with --encoder and --out).")
@_with_reading_options
@click.option("--fast", is_flag=True, help="Leave out the slow ones.")
@click.option(
    "--repeats",
    type=click.IntRange(0),
    help="Repeats behind each interval.  [10; 0 with predictors]",
)
@click.option("--most", type=click.IntRange(1), help="Codes of most information to fit predictors on.  [all]")
@click.option("--json", "as_json", is_flag=True, help="Print a list of records in place of tables.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Also write all numbers to this file.")
@click.option("--html", "html_file", type=click.Path(path_type=Path), help="Also write a page: tables and diagrams.")
@click.option("--out", type=click.Path(path_type=Path), help="Also write diagrams of the relations to this folder.")
@click.pass_context
def score(
    context: click.Context,
    /,
    files: tuple[Path, ...],
    encoder: str | None,
    data: str | None,
    decoder: str | None,
    reading: dict[str, Any],
    rows: int | None,
    as_json: bool,
    csv_file: Path | None,
    html_file: Path | None,
    out: Path | None,
    **options: Any,
) -> None:
    """Score the codes in each FILE with every metric it allows; several stand side by side.

    FILE is an .npz, .safetensors, .h5, .mat or .pt with arrays codes (n x d) and factors (n x k), optionally
    factor_names, factor_sizes, and logvar or std; a .csv, .tsv, .parquet or .feather with columns code_* or z_*, and
    factor_*; or an .npy of the codes, followed by one of the factors. Text, whole numbers and few distinct values are
    labels; other factors are continuous.

    --encoder names a function or torch module that takes float32 images in 0..1 (n x C x H x W) and returns codes
    (n x d), or a pair: means and logarithms of variances.

    Quick metrics come first. Ctrl-C prints and writes what there is by then, and ends with exit code 130.
    """
    from dbench.scoring.compute import STOPPED
    from dbench.scoring.inputs import prepared
    from dbench.scoring.page import page
    from dbench.scoring.plan import choose, long_work
    from dbench.scoring.scores import Scores
    from dbench.scoring.tables import csv
    from dbench.scoring.terminal import show

    choose(options["metrics"], options["family"])  # refuses misspelt names before long files are read
    pairs = _pairs(files)
    if out and len(pairs) > 1:
        raise InvalidInput(f"--out takes the diagrams of one file, got {len(pairs)} files")
    for option, path in (("--csv", csv_file), ("--html", html_file)):
        _require_new(option, path, files, "scored")
    if csv_file and html_file and same_file(csv_file, html_file):
        raise InvalidInput(f"--csv and --html must be two files, got {str(csv_file)!r} for both")
    if out and out.exists() and not out.is_dir():
        raise InvalidInput(f"--out must be a folder, got the file {str(out)!r}")
    source = None
    if files and not (encoder or data):
        read = _read(pairs, rows, options["seed"], reading)
    elif encoder and data and not files:
        if given := [f"--{name}" for name, value in reading.items() if value]:
            raise InvalidInput(f"with --encoder, codes and factors come from --data: leave out {', '.join(given)}")
        encoded, source = _encoded(encoder, data, rows, options["seed"])
        read = [encoded]
    else:
        raise InvalidInput("score takes files, or --encoder together with --data, got neither or a mixture")
    if decoder:
        if out is None or read[0].logvar is None or not encoder:
            raise InvalidInput("--decoder goes with --out and an --encoder that returns (mean, logvar), got it without")
        click.echo(f"Written: {one_line(str(_draw(decoder, read[0], out)))}", err=True)
    scored: list[Scores] = []
    for codes in read:
        if remark := long_work(codes.sample):
            click.echo(f"dbench: {one_line(codes.name)}: {remark}", err=True)
        model = prepared(codes, source)
        scored.append(Scores(model, _with_progress(model, options)))
        if any(result.reason == STOPPED for result in scored[-1].results):
            break
    texts = dict[Path, str]()
    if csv_file:
        frames = [model.frame.assign(file=model.file.name) if len(scored) > 1 else model.frame for model in scored]
        texts[csv_file] = csv(frames)
    if html_file:
        texts[html_file] = page(scored)
    if out:
        texts |= {out / f"{name}.svg": picture for name, picture in scored[0].pictures.items()}
    # Files are written first, since a closed pipe ends the printing; scores are printed even if a disk is full.
    written, failed = list[Path](), list[DbenchError]()
    for path, text in texts.items():
        try:
            written.append(write_file(path, text))
        except DbenchError as error:
            failed.append(error)
    records = [record for model in scored for record in model.records] if as_json else None
    _print_results(records, lambda: show(terminal(highlight=False), scored), written)
    if failed:
        raise failed[0]
    results = [result for model in scored for result in model.results]
    if any(result.reason == STOPPED for result in results):
        click.echo("dbench: stopped; what was computed by then stands above", err=True)
        context.exit(130)
    if all(result.score is None for result in results):
        raise InvalidInput("no metric could be computed; the reasons stand above")


def _encoded(encoder: str, data: str, rows: int | None, seed: int) -> Any:
    """Return the codes of an encoder, and a source of more of them unless the whole grid was encoded."""
    from dbench.data import load
    from dbench.scoring.encoders import ROWS, encode_data

    return encode_data(load_callable("encoder", encoder), load(data), name=encoder, rows=rows or ROWS, seed=seed)


def _draw(decoder: str, codes: CodesFile, out: Path) -> Path:
    """Draw traversals of a decoder into a folder; return the picture's path."""
    from dbench.scoring.encoders import decoder_of
    from dbench.scoring.plots import traversals

    decode = decoder_of(load_callable("decoder", decoder), f"decoder {decoder}")
    figure = traversals(decode, codes.sample.codes, codes.logvar).get_figure(root=True)
    assert figure is not None
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=200, bbox_inches="tight")
    return write_file(out / "traversals.png", picture.getvalue())


def _with_progress(codes: CodesFile, options: dict[str, Any]) -> Sequence[Result]:
    """Compute all results; a terminal shows a table that fills as scores come."""
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    from dbench.scoring.compute import compute
    from dbench.scoring.terminal import scores_table

    console = terminal(stderr=True)
    if not console.is_terminal:
        return compute(codes, **options)
    with Live(console=console, transient=True, refresh_per_second=4) as live:

        def advance(item: Any, number: int, total: int, results: Any) -> None:
            computed = [results[name] for name in sorted(results) if results[name].score is not None]
            slow = "" if item.speed == "fast" else " (slow)"
            step = f"{item.name}{slow}, step {number + 1} of {total}; Ctrl-C keeps what is there"
            table = scores_table(computed, console.width).terminal()
            live.update(Group(table, Text(f"{one_line(codes.name)}: {step}")), refresh=True)

        return compute(codes, progress=advance, **options)


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, metavar="FILE FILE...")
@_with_reading_options
@click.option("--repeats", type=click.IntRange(2), help="Halves of the rows behind each interval.  [20]")
@click.option("--table", metavar="NAME", help="Shipped runs that say what a seed moves.  [micro-dsprites_grid_16]")
@click.option("--json", "as_json", is_flag=True, help="Print a list of records in place of tables.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Also write all numbers to this file.")
@click.pass_context
def compare(
    context: click.Context,
    /,
    files: tuple[Path, ...],
    reading: dict[str, Any],
    rows: int | None,
    repeats: int | None,
    table: str | None,
    as_json: bool,
    csv_file: Path | None,
    **options: Any,
) -> None:
    """Compare the models whose codes are in each FILE: differences with intervals, and what another seed moves.

    Each FILE holds the codes of one model and the factors of the same rows, in the forms that dbench score reads. All
    quick metrics are compared; --metric names others. Ctrl-C compares by the halves of the rows that are done.
    """
    from dbench.errors import find
    from dbench.scoring.comparing import REPEATS, compare_codes
    from dbench.scoring.plan import choose
    from dbench.scoring.reseeding import LARGEST, tables
    from dbench.scoring.tables import csv
    from dbench.scoring.terminal import bar, show_comparison

    choose(options["metrics"], options["family"])  # refuses misspelt names before long files are read
    find("table", table or LARGEST, tables())
    pairs = _pairs(files)
    _require_new("--csv", csv_file, files, "compared")
    if len(pairs) < 2:
        raise InvalidInput(f"compare takes the files of at least 2 models, got {len(pairs)}")
    read = _read(pairs, rows, options["seed"], reading)
    with bar("compare") as advance:
        comparison = compare_codes(
            read, repeats=repeats or REPEATS, table=table or LARGEST, progress=advance, **options
        )
    written = [write_file(csv_file, csv([comparison.frame]))] if csv_file else []
    records = comparison.records if as_json else None
    _print_results(records, lambda: show_comparison(terminal(highlight=False), comparison), written)
    if comparison.stopped:
        click.echo("dbench: stopped; what was compared by then stands above", err=True)
        context.exit(130)
    if comparison.asked == 0:
        raise InvalidInput("no difference could be told; the reasons stand above")
