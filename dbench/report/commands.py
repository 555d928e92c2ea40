"""``dbench report``: what changed between two reports, and a history of many."""

from pathlib import Path

import click

from dbench.errors import InvalidInput
from dbench.report.changes import compare, difference_lines, history_lines, read_history, trends
from dbench.report.figures import LIST, read_figures
from dbench.report.files import read_report, write_page

_REPORT = click.Path(path_type=Path)


@click.group()
def report() -> None:
    """Compare reports that sessions of claims have written."""


@report.command()
@click.argument("old", type=_REPORT)
@click.argument("new", type=_REPORT)
def diff(old: Path, new: Path) -> None:
    """Say what changed from report OLD to report NEW (report.json, or its folder).

    The headings that changed come first, those that became worse before the others; then estimates that moved out of
    their interval, and counts of records.
    """
    for line in difference_lines(compare(read_report(old), read_report(new))):
        click.echo(line)


@report.command()
@click.argument("folder", type=_REPORT)
@click.option("--page", metavar="FILE", type=_REPORT, help="Write the page of the latest report with its history.")
@click.option("--figures", metavar="DIR", type=_REPORT, help="Figures for the page, as make pages writes them.")
def history(folder: Path, page: Path | None, figures: Path | None) -> None:
    """Say how the headings of the reports in FOLDER changed over time (NAME.json, or NAME/report.json)."""
    if figures and not page:
        raise click.UsageError("--figures are for a --page, got none.")
    if figures and not (figures / LIST).is_file():
        raise InvalidInput(f"--figures must be a folder with a {LIST}, got {str(figures)!r}")
    if page and page.suffix == ".json":
        raise InvalidInput(f"--page must be a page (NAME.html), got {str(page)!r}, as reports are called")
    reports = read_history(folder)
    for line in history_lines(reports):
        click.echo(line)
    if page:
        latest = reports[-1][1]
        write_page(page, latest, trends=trends(reports), figures=read_figures(figures, latest))
