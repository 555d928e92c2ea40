"""``dbench claims``: judge, look up, freeze."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dbench.errors import InvalidInput, unknown_name
from dbench.shown import one_line

if TYPE_CHECKING:
    import pytest

    from dbench.claims.frozen import Frozen

_REPORTS = [Path("reports/latest/report.json"), Path("reports/latest-partial/report.json")]


@click.group()
def claims() -> None:
    """Judge the findings; look one up; freeze the rules before new evidence is scored."""


@claims.command()
@click.argument("claim", metavar="ID")
@click.option("--report", type=click.Path(path_type=Path), help="[reports/latest/report.json, else that of a part]")
@click.option("--ledger", type=click.Path(path_type=Path), help="Findings beside those shipped.")
def show(claim: str, report: Path | None, ledger: Path | None) -> None:
    """Print what a finding says, by which rule it is judged, what came out and how to cite that."""
    from dbench.claims.ledger import find_finding
    from dbench.report import read_report
    from dbench.report.text import estimate_text, n_text, within_claims

    finding = find_finding(claim, ledger)
    click.echo(f"{finding.id}\n{finding.says}\n{finding.where}; headed by: {finding.heads}")
    if finding.note:
        click.echo(f"How it is asked: {finding.note}")
    if report is None:
        report = next((path for path in _REPORTS if path.is_file()), None)
    if report is None:
        missing = f"No verdict: {_REPORTS[0]} is not there."
        click.echo(f"{missing} Judge it: dbench claims run {finding.id.partition('.')[0]}")
        return
    document = read_report(report)
    heading = next((item for item in document["headings"] if item["claim"] == finding.id), None)
    if heading is None:
        click.echo(f"No verdict: {report} did not judge it.")
        return
    record = next((item for item in document["records"] if item["nodeid"] == heading["record"]), None)
    if record is not None:
        texts = {name: one_line(record[name]) for name in ("quote", "statistic", "rule")}
        click.echo(f'\nThe paper: "{texts["quote"]}"\nStatistic: {texts["statistic"]}\nRule:      {texts["rule"]}')
        for condition in record["regime"]:
            values = ", ".join(f"{unit} {value:.3g}" for unit, value in condition.get("values", {}).items())
            rule = f"{condition['says']} {condition['rule']}"
            click.echo(one_line(f"Condition: {rule}: {values} ({condition['source']})"))
    if record is not None and record["estimate"] is not None:
        click.echo(f"Estimate:  {estimate_text(record)} ({n_text(record)})")
    click.echo(f"\n{heading['verdict'].upper()}. {one_line(heading['says'])}")
    if heading.get("change"):  # reports of earlier versions have none
        click.echo(f"What would change it: {one_line(heading['change'])}")
    for note in heading["notes"]:
        click.echo(f"  {one_line(note)}")
    origin = [document["provenance"].get(name, f"unknown {name}") for name in ("commit", "utc")]
    click.echo(f"\nCite: {one_line(', '.join(['dbench', finding.id, heading['verdict'], *origin]))}")
    if record is not None:
        test = within_claims(record["nodeid"])
        is_shipped = (_shipped_claims() / test.partition("::")[0]).is_file()
        command = f"dbench claims run -n0 '{test}'" if is_shipped else f"pytest '{record['nodeid']}'"
        click.echo(one_line(f"Again: {command}"))


# Options of pytest that take the next word as their value.
_TAKES_VALUE = {
    *("-k", "-m", "-n", "-o", "-p", "-c", "-W", "-r", "--ignore", "--ignore-glob", "--deselect", "--confcutdir"),
    *("--rootdir", "--basetemp", "--junitxml", "--junit-xml", "--maxfail", "--durations", "--dist", "--tb"),
}


@claims.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", metavar="[PAPER[/FILE]]... [OPTIONS OF PYTEST]", nargs=-1, type=click.UNPROCESSED)
def run(arguments: tuple[str, ...]) -> None:
    """Judge the findings with pytest, those of a checkout or those that came with the wheel.

    \b
    dbench claims run                       all, on all cores; the report goes to reports/latest
    dbench claims run hownot irs -n0        two papers, in one process
    """  # noqa: D301 (click reads \b as: keep these lines as they are)
    import pytest

    folder = _shipped_claims()
    words, default = list(arguments), [str(folder)]  # all claims, unless a word names a file or folder
    for index, (previous, word) in enumerate(zip(("", *arguments), arguments, strict=False)):
        # '-k irs' is an expression for pytest, and '--ignore irs' a path: neither names the paper
        if previous in _TAKES_VALUE or (previous.startswith("--dbench-") and "=" not in previous):
            continue
        path = Path(word.partition("::")[0])
        if (folder / path).exists():
            words[index], default = str(folder / word), []
        elif path.exists():
            if not previous.startswith("-") or path.resolve().is_relative_to(folder.resolve()):  # claims/irs
                default = []
        elif not word.startswith("-") and not previous.startswith("-"):
            raise unknown_name("paper", word, {path.parent.name for path in folder.glob("*/test_*.py")})
    report = Path("reports/latest").absolute()
    files = {"expect": folder / "expected.toml", "frozen": folder / "frozen.json"}
    settings = {"claims": folder, **files, "report": report, "errata": "dbench_published.errata.entries:errata"}
    ini_options = [part for name, value in settings.items() for part in ("-o", f"dbench_{name}={value}")]
    # The root of a checkout, so that tests have the same names as under pytest claims/.
    root = ["--rootdir", str(folder.parent)]
    options = ["-c", os.devnull, *root, "--import-mode=importlib", "-p", "no:cacheprovider", *ini_options]
    # Passed by the environment: a partial report quotes the arguments to say which part of the claims it covers.
    added = shlex.join([*options, "-n", "auto", "--dist=worksteal"])
    os.environ["PYTEST_ADDOPTS"] = f"{added} {os.environ.get('PYTEST_ADDOPTS', '')}"
    raise SystemExit(int(pytest.main([*words, *default])))


def _shipped_claims() -> Path:
    """Return the folder of the claims: in an installed wheel, or else in the checkout."""
    import dbench

    root = Path(dbench.__file__).parents[1]
    return next(path for path in (root / "dbench_claims", root / "claims") if path.is_dir())


@claims.command()
@click.option("--folder", type=click.Path(path_type=Path, exists=True), default=Path("claims"), show_default=True)
@click.option(
    "--same",
    type=click.Path(path_type=Path, exists=True),
    nargs=2,
    metavar="OLD NEW",
    help="Two reports: a changed card keeps its date where all its records are equal in both.",
)
@click.option("--evidence", type=click.Path(path_type=Path, exists=True), help="Tables that --same translates.")
@click.option("--blind", is_flag=True, help="What changed was proposed by readers who had seen no table (docs/blind).")
@click.option("--check", is_flag=True, help="Write nothing, and fail where a card is not as it was frozen.")
def freeze(folder: Path, same: tuple[Path, Path] | None, evidence: Path | None, blind: bool, check: bool) -> None:
    """Write FOLDER/frozen.json: what each card declares, with a hash of it and the commit.

    A card that is as it was keeps its date. One that changed gets today's, and is unconfirmed on every table that was
    scored before, unless it is --blind, or --same proves that the change was one of form: then the tables of --evidence
    get its new hash.
    """
    from dbench.claims.frozen import Frozen, frozen_again, load_frozen, translate_rules, write_frozen
    from dbench.estimates.evidence import evidence_folders
    from dbench.report import read_report

    path = folder / "frozen.json"
    before = load_frozen(path) if path.is_file() else Frozen()
    equal = _equal_cards(*(read_report(report) for report in same)) if same else set[str]()
    after = frozen_again(before, _collect_cards(folder), equal, blind=blind)
    changed = [name for name, card in after.cards.items() if before.cards.get(name) != card]
    gone = before.cards.keys() - after.cards.keys()
    counts = f"{len(changed)} new or changed, {len(gone)} gone"
    if check and (changed or gone):
        some = ", ".join(repr(name) for name in [*changed, *sorted(gone)][:3])
        raise InvalidInput(f"{path} must hold every card as it is, got {counts}, first {some}: dbench claims freeze")
    if not check:
        for table in evidence_folders(evidence) if evidence else []:
            click.echo(f"{translate_rules(table, before, after, equal)} hashes translated in {table.name}")
        write_frozen(path, after)  # last: if anything above fails, a second try still finds the earlier hashes
    click.echo(f"{len(after.cards)} cards frozen in {path}; {counts}")


def _equal_cards(old: dict[str, Any], new: dict[str, Any]) -> set[str]:
    """Return the names of the cards whose records are equal in two reports.

    A card is left out if a record broke or none has an estimate: its records prove nothing about the code of its test.
    """
    from dbench.claims.card import name_of

    unproven = set[str]()

    def results_by_card(document: dict[str, Any]) -> dict[str, list[str]]:
        cards = dict[str, list[dict[str, Any]]]()
        for record in document["records"]:
            name = name_of(record["claim"], record["evidence"], record["part"])
            cards.setdefault(name, []).append(record)
        for name, records in cards.items():
            no_estimate = all(record["estimate"] is None for record in records)
            if no_estimate or any(record["verdict"] == "broken" for record in records):
                unproven.add(name)
        keys = ("params", "estimate", "interval", "n", "rule", "verdict", "role")
        return {
            name: sorted(json.dumps([record[key] for key in keys], sort_keys=True) for record in records)
            for name, records in cards.items()
        }

    before, after = results_by_card(old), results_by_card(new)
    return {name for name in before if before[name] == after.get(name)} - unproven


def _collect_cards(folder: Path) -> Frozen:
    """Let pytest collect the claims of a folder, and return what their cards declare now, dated today."""
    import pytest

    from dbench.claims.fingerprint import fingerprint
    from dbench.claims.frozen import Frozen, FrozenCard
    from dbench.plugin.cases import card_of, role_of
    from dbench.plugin.judge import declaration
    from dbench.provenance import commit

    declared: dict[str, dict[str, Any]] = {}
    cells: dict[str, int] = {}  # how many cells each card has

    failed: list[str] = []

    class Collector:
        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if report.failed:
                error = re.search(r"^E +(.+)$", report.longreprtext, re.MULTILINE)
                failed.append(f"{report.nodeid}: {error[1]}" if error else report.nodeid)

        def pytest_collection_finish(self, session: pytest.Session) -> None:
            for item in session.items:
                if (card := card_of(item)) is None:
                    continue
                cells[card.name] = cells.get(card.name, 0) + (role_of(item, card) == "cell")
                if card.name not in declared:
                    declared[card.name] = declaration(item, card)

    with contextlib.redirect_stdout(io.StringIO()):
        arguments = [str(folder), "--collect-only", "-q", "-n0", "--dbench-frozen=none", "--dbench-expect=none"]
        # Under python -m dbench, pytest warns that dbench was imported before its asserts could be rewritten.
        arguments += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        status = pytest.main(arguments, plugins=[Collector()])
    if status != pytest.ExitCode.OK:
        reason = failed[0] if failed else f"exit status {int(status)}"
        raise InvalidInput(f"claims must be collected by pytest before they are frozen, got {reason}")
    date, revision = datetime.now(UTC).date().isoformat(), commit()
    cards = {
        name: FrozenCard(fingerprint(fields), date, revision, cells[name], fields)
        for name, fields in sorted(declared.items())
    }
    return Frozen(cards)
