"""``dbench figures``: the papers' figures from evidence."""

from pathlib import Path

import click

from dbench.errors import DbenchError, EvidenceLacking, find
from dbench.shown import say


@click.command()
@click.option("--runs", help="Folder of evidence tables, or one of them.  [those shipped]")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write into.")
@click.option("--only", multiple=True, metavar="NAME", help="Figure to draw (repeatable).  [all]")
@click.option("--store", help="Store of trained runs, for figures that need weights.")
@click.option("--data", multiple=True, help="Data set of the store (repeatable).  [all whole ones]")
@click.option("--report", type=click.Path(path_type=Path), help="report.json whose verdicts to show beside the claims.")
@click.option("--small", is_flag=True, help="Each figure once, as a small SVG for the report's page (make pages).")
@click.option("--list", "as_list", is_flag=True, help="List the figures and draw none.")
@click.pass_context
def figures(
    context: click.Context,
    /,
    runs: str | None,
    out: Path | None,
    only: tuple[str, ...],
    store: str | None,
    data: tuple[str, ...],
    report: Path | None,
    small: bool,
    as_list: bool,
) -> None:
    """Draw the papers' figures from evidence, as PNG and SVG, with a page that shows them all.

    Figures of tables need --runs (or the tables shipped), those of trained models --store. A figure that the evidence
    cannot carry is named with the reason, and the others are drawn.
    """
    try:
        from dbench_published.figures.draw import ORDER, draw_figures, evidence_of_store, evidence_of_tables
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise DbenchError("figures need matplotlib: pip install 'dbench[figures]'") from None
    from dbench_published.figures.card import FIGURES

    if as_list:
        for name in ORDER:
            card = FIGURES[name]
            say(f"{name:{max(map(len, ORDER))}}  {card.title} ({'; '.join(card.after)})")
        return
    if out is None:
        raise click.UsageError("Missing option '--out'.")
    if small and (ignored := [f"--{n}" for n in ("only", "store", "data", "report") if context.params[n]]):
        raise click.UsageError(f"--small draws every figure of the tables once: leave out {', '.join(ignored)}.")
    if data and store is None:
        raise click.UsageError("--data names data sets of a --store, got none.")
    if small:
        from dbench_published.figures.small import write_small_figures

        say(f"{len(write_small_figures(runs, out))} figures: {out}")
        return
    from dbench.report.files import read_report
    from dbench_published.figures.index import write_index

    for name in only:  # refuse unknown names before tables are read
        find("figure", name, FIGURES)

    verdicts = {each["claim"]: each["verdict"] for each in read_report(report)["headings"]} if report else {}
    evidence = [] if runs is None and store is not None else evidence_of_tables(runs)
    evidence += evidence_of_store(store, data=data) if store is not None else []
    drawn = []
    for picture in draw_figures(evidence, out, only=only):
        drawn.append(picture)
        place = f"{picture.evidence.name}/{picture.card.name}"
        if picture.lacking:
            click.secho(f"not drawn: {place}: {picture.lacking}", fg="yellow", err=True)
        else:
            say(place)
    if all(picture.lacking for picture in drawn):
        hint = "" if store else "; figures of trained models need --store"
        raise EvidenceLacking(f"no figure could be drawn from this evidence{hint}")
    page = write_index(out, drawn, verdicts=verdicts)
    say(f"{sum(not picture.lacking for picture in drawn)} figures: {page}")
