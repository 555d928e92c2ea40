"""Other libraries' metrics beside ours: ``make peers`` writes docs/peers.md, peers-audit.md and peers-faults.md.

It runs in an environment with the other libraries (tools/peers/requirements.txt); pages say which are missing.
"""

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import click
from peers import audits, faults, page
from peers.calls import Call, gather
from peers.implementations import LIBRARIES, all_implementations, installed_version
from peers.inputs import NAMES, encode

from dbench.files import write_file
from dbench.report.badge import badge

ROOT = Path(__file__).parents[1]


def written(path: Path, lines: Iterable[str]) -> None:
    """Write a page; a line with columns is a line of a table."""
    text = "\n".join(f"| {line} |" if " | " in line else line for line in lines)
    write_file(path, text.strip() + "\n")


@click.group(context_settings={"show_default": True})
@click.option("--docs", type=click.Path(path_type=Path), default=ROOT / "docs", help="Folder of the pages.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=ROOT / "build" / "referee", help="Folder of the results."
)
@click.option("--library", "libraries", multiple=True, type=click.Choice(list(LIBRARIES)), help="Of these only.  [all]")
@click.pass_context
def main(context: click.Context, docs: Path, out: Path, libraries: tuple[str, ...]) -> None:
    """Compare every implementation of every metric."""
    out.mkdir(parents=True, exist_ok=True)
    names = [name for name in all_implementations() if not libraries or name.split(":")[0] in libraries]
    context.obj = docs, out, names, {library: installed_version(library) for library in libraries or LIBRARIES}


@main.command()
@click.option("--limit", type=float, default=120.0, help="Seconds of processor time for one call.")
@click.option("--again", is_flag=True, help="Write the page from the results that are there.")
@click.pass_obj
def values(settings: tuple[Path, Path, list[str], dict[str, str]], limit: float, again: bool) -> None:
    """Values and times; exit with 1 where a difference has no reason, or a reason no difference."""
    docs, out, names, versions = settings
    kept = out / "values.json"
    if not again:
        encode(out / "trained.npz")
        measured = list(gather(names, NAMES, out / "trained.npz", limit=limit))
        write_file(kept, json.dumps([asdict(call) for call in measured]))
    calls = [Call(**call) for call in json.loads(kept.read_text(encoding="utf-8"))]
    written(docs / "peers.md", page.page(calls, all_implementations(), versions, limit))
    reasons = page.read_reasons()
    missing, idle = page.unexplained(calls, reasons), page.outdated(calls, reasons)
    for call in missing:
        click.echo(f"no reason for {call.library}:{call.metric} on {call.given}: {call.values or call.said}", err=True)
    for reason in idle:
        click.echo(
            f"nothing differs for the reason of {', '.join(reason.libraries)}: {reason.metric}: {reason.text}", err=True
        )
    sys.exit(int(bool(missing or idle)))


@main.command()
@click.option("--limit", type=float, default=1800.0, help="Seconds of processor time for one audit.")
@click.option("--again", is_flag=True, help="Write the page from the results that are there.")
@click.pass_obj
def matrix(settings: tuple[Path, Path, list[str], dict[str, str]], limit: float, again: bool) -> None:
    """Audit every implementation; a badge each beside the results."""
    docs, out, names, versions = settings
    kept = out / "audits.jsonl"
    if not again:
        lines = [audits.record_line(name, records) for name, records in audits.audit_all(names, limit=limit)]
        write_file(kept, "\n".join(lines))
    records_by_name = audits.read_records(kept.read_text(encoding="utf-8"))
    written(docs / "peers-audit.md", audits.page(records_by_name, versions))
    for name, (label, message) in audits.badges(records_by_name).items():
        write_file(out / f"badge-{name.replace(':', '-')}.svg", badge(label, message))


@main.command(name="faults")
@click.pass_obj
def faults_page(settings: tuple[Path, Path, list[str], dict[str, str]]) -> None:
    """Run the smallest inputs of all faults."""
    docs, _, _, versions = settings
    outputs = [(fault, faults.shown(fault)) for fault in faults.read_faults() if fault.library in versions]
    written(docs / "peers-faults.md", faults.page(outputs, versions))
    for fault, output in outputs:
        click.echo(f"{_state(fault, output)}: {fault.library}: {fault.title}")


def _state(fault: faults.Fault, output: str) -> str:
    if faults.stands(fault, output):
        return "stands"
    return "not installed" if output == "not installed" else "mended"


if __name__ == "__main__":
    main()
