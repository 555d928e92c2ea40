"""``dbench audit``: what fools a metric."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dbench.errors import InvalidInput
from dbench.outside import user_code

if TYPE_CHECKING:
    from rich.status import Status

    from dbench.audit.record import CheckResult


@click.command()
@click.argument("metrics", metavar="METRIC...", nargs=-1, required=True)
@click.option("--check", "checks", multiple=True, help="Check or family to ask (repeatable).  [all]")
@click.option("--like", default="", metavar="METRIC", help="A metric of dbench that it is meant to be.")
@click.option("--expected", type=click.Path(path_type=Path), help="TOML file: check or family = 'reason'.")
@click.option("--observations", type=int, default=2000, show_default=True, help="Rows of a sample.")
@click.option("--bounds", type=float, nargs=2, help="Smallest and largest value.  [its card's, or 0 1]")
@click.option("--scale", type=float, nargs=2, help="Value at chance and when perfect.  [measured]")
@click.option("--less-is-better", is_flag=True, help="A perfect representation scores less than noise.")
@click.option("--timeout", type=float, default=60.0, show_default=True, help="Seconds for one score.")
@click.option("--strict", is_flag=True, help="Exit with 1 if a check fails that is not expected to.")
@click.option("--json", "as_json", is_flag=True, help="Print the records as JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Print every check with its rule.")
def audit(
    metrics: tuple[str, ...],
    checks: tuple[str, ...],
    like: str,
    expected: Path | None,
    strict: bool,
    as_json: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Ask a metric about every counterexample and every property; several, and ours, stand side by side.

    METRIC is module:attribute, found from the current folder too, or the name of a metric of dbench. It takes codes
    (n x d) and factors (n x k, integer labels) and returns a number. A line on top says what the audit amounts to; what
    is almost always a bug stands apart from what is so by definition.
    """
    from rich.markup import escape

    from dbench.audit.audit import audit as ask
    from dbench.audit.audit import load_expected, stale
    from dbench.audit.checks import CHECKS
    from dbench.audit.referee import answer
    from dbench.audit.table import comparison_table
    from dbench.shown import terminal

    known = load_expected(expected) if expected else {}
    audits: dict[str, list[CheckResult]] = {}
    for metric in metrics:
        # A terminal shows the last check; nothing is written to a pipe.
        with terminal(stderr=True).status(escape(f"audit of {metric}")) as status:
            done = count(1)

            def show_progress(
                record: CheckResult, metric: str = metric, status: Status = status, done: count[int] = done
            ) -> None:
                total = "" if checks else f" of {len(CHECKS)}"
                status.update(escape(f"{metric}: {next(done)}{total} checks, last {record.check}"))

            with user_code():
                audits[metric] = ask(
                    metric, callback=show_progress, only=checks, expected=known, like=like, name=metric, **options
                )
    records = [record for results in audits.values() for record in results]
    outdated = stale(records, known)
    if as_json:
        click.echo(json.dumps([asdict(record) for record in records], indent=1))
    elif len(audits) > 1 and not verbose:
        for metric, results in audits.items():
            terminal(emoji=False).print(f"{metric}: {answer(results)}", markup=False, highlight=False)
        terminal(emoji=False).print(comparison_table(audits))
    else:
        for metric, results in audits.items():
            _show(metric, results, verbose)
    for name in outdated:
        click.secho(f"expected to fail, but does not: {name}", fg="yellow", err=True)
    if not any(record.status in ("pass", "fail") for record in records):
        reason = next((record.reason for record in records if record.status == "error"), "no check applies")
        raise InvalidInput(f"{', '.join(audits)} must give a number to be audited, got none: {reason}")
    if strict and (outdated or any(record.status in ("fail", "error") and not record.deviation for record in records)):
        raise SystemExit(1)


def _show(metric: str, records: list[CheckResult], verbose: bool) -> None:
    """Print the audit of one metric: its answer, then tables by family, or of every check if ``verbose``."""
    from dbench.audit.referee import answer, likely_a_bug
    from dbench.audit.table import difference_table, family_table, record_table
    from dbench.shown import terminal

    console = terminal(emoji=False)  # else ':key:' in module:key: would become a picture
    console.print(f"{metric}: {answer(records)}\n", markup=False, highlight=False)
    if verbose:
        console.print(record_table(records))
    elif records:
        tables = [difference_table(records)] if records[0].like else []
        bugs = [record for record in records if likely_a_bug(record.check)]
        by_definition = [record for record in records if not likely_a_bug(record.check)]
        failing = {r.family for r in bugs if r.status in ("fail", "error")}
        if failing:
            tables.append(family_table("almost always a bug", [r for r in bugs if r.family in failing]))
        if by_definition:
            tables.append(family_table("by definition", by_definition))
        for table in tables:
            console.print(table, "")
        if len(failing) < len({r.family for r in bugs}):
            console.print(
                f"Every {'other ' if failing else ''}property of which a failure is almost always a bug holds."
            )
    for record in records:
        if record.family == "separation" and record.status != "error":
            console.print(f"The scale: {record.reason}.", markup=False, highlight=False)
    counts = {status: sum(record.status == status for record in records) for status in ("pass", "fail", "error")}
    line = f"{counts['pass']} checks pass, {counts['fail']} fail, {counts['error']} without a score."
    console.print(line, markup=False, highlight=False, soft_wrap=True)
