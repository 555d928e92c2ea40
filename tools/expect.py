"""Bring expected verdicts and two pages of docs up to a report: ``python tools/expect.py reports/latest/report.json``.

To be run after new evidence. Entries that still hold keep their reason, and their date unless a record joins them.
Entries of another verdict, or of no record, are dropped. Undecided and untested records get a general reason, since
the record says the rest, and so do records that are not primary. Any other verdict needs a reason that a person writes:
such records are printed, and stand under 'REASON MISSING' until then. A report of only some claims leaves the entries
of the other claims, the table of docs/sizes.md and the list of docs/verdicts.md as they are.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import click

from dbench.claims.expected import ANY, record_name
from dbench.claims.rules import Verdict
from dbench.files import atomic_write
from dbench.report import read_report
from dbench.report.markdown import sizes_table, unsupported_list

ROOT = Path(__file__).parents[1]
EXPECTED, SIZES, REASONS = ROOT / "claims/expected.toml", ROOT / "docs/sizes.md", ROOT / "docs/verdicts.md"
LIST = re.compile(r"(?<=<!-- from a report: tools/expect.py -->\n).*?(?=<!-- end -->)", re.DOTALL)
MISSING = "REASON MISSING"
SIZES_HEAD = """# Findings by image size

Findings over trained models that were judged on images of several sizes: the worst of the primary records at each size,
with its estimate and its interval, as wide as the seeds of that table make it; fewer than five decide nothing. The
table that the ledger names heads the finding ([how](concepts/verdict.md)).
"""
GENERAL = {
    Verdict.UNDECIDED: "The interval crosses the bound with the units there are; the record says how many would settle "
    "it.",
    Verdict.NOT_TESTED: "The models are outside the conditions set, or the evidence lacks what the sentence speaks of; "
    "the record says which.",
}
BESIDE = "It stands beside the finding's primary: the record says what was seen and asked."


@click.command()
@click.argument("report", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def main(report: Path) -> None:
    """Write claims/expected.toml, and what docs/sizes.md and docs/verdicts.md list, anew from REPORT, a report.json."""
    document = read_report(report)
    if document["scope"]["complete"]:
        with atomic_write(REASONS) as place:
            place.write_text(listed(REASONS.read_text(encoding="utf-8"), document), encoding="utf-8")
    if document["scope"]["complete"] and (sizes := sizes_table(document)):
        with atomic_write(SIZES) as place:
            place.write_text(f"{SIZES_HEAD}\n{sizes}\n", encoding="utf-8")
    text = EXPECTED.read_text(encoding="utf-8")
    head = text[: text.index("[[expected]]")]
    known, complete = tomllib.loads(text)["expected"], document["scope"]["complete"]
    tables = updated(known, document["records"], date.today(), complete=complete)
    with atomic_write(EXPECTED) as place:
        place.write_text(head + "\n".join(map(_as_toml, tables)), encoding="utf-8")
    for table in tables:
        if table["reason"] == MISSING:
            click.echo("\n".join(f"{table['verdict']}: {name}" for name in table["records"]))


def listed(page: str, document: Mapping[str, Any]) -> str:
    """Return docs/verdicts.md with its list of findings that are weaker or worse brought up to this report."""
    return LIST.sub(lambda _: f"{unsupported_list(document)}\n", page)


def updated(
    tables: list[dict[str, Any]], records: list[Mapping[str, Any]], today: date, *, complete: bool = True
) -> list[dict[str, Any]]:
    """Return the tables of expected.toml that agree with these records, those with a reason of their own first.

    A name that no record has stays where its claim broke, or where not all claims were judged.
    """
    verdicts = {record_name(record): Verdict(record["verdict"]) for record in records}
    verdicts = {name: verdict for name, verdict in verdicts.items() if verdict is not Verdict.BROKEN}
    roles = {record_name(record): record["role"] for record in records}
    broken = {record["claim"] for record in records if record["verdict"] == Verdict.BROKEN}
    judged = {record["claim"] for record in records} - broken
    groups: dict[tuple[str, str], dict[str, date]] = {}
    kept = set[str]()
    for table in tables:
        for name in table["records"]:
            unseen = name not in verdicts and (not complete or name.split(" / ")[0] not in judged)
            if unseen or table["verdict"] in (ANY, verdicts.get(name)):
                key = (table["verdict"], table["reason"])
                groups.setdefault(key, {})[name] = table["date"]
                kept.add(name)
    for name, verdict in verdicts.items():
        if name not in kept and not verdict.holds:
            reason = GENERAL.get(verdict, MISSING if roles[name] == "primary" else BESIDE)
            groups.setdefault((verdict, reason), {})[name] = today
    ordered = sorted(groups.items(), key=lambda item: (item[0][0] in GENERAL, item[0][0], min(item[1])))
    return [
        {"verdict": verdict, "reason": reason, "date": max(dates.values()), "records": sorted(dates)}
        for (verdict, reason), dates in ordered
    ]


def _as_toml(table: Mapping[str, Any]) -> str:
    names = "".join(f"  {json.dumps(name, ensure_ascii=False)},\n" for name in table["records"])
    quoted = (f"{key} = {json.dumps(table[key], ensure_ascii=False)}\n" for key in ("verdict", "reason"))
    return f"[[expected]]\n{''.join(quoted)}date = {table['date']}\nrecords = [\n{names}]\n"


if __name__ == "__main__":
    main()
