"""An audit for the terminal: Table 1 of Sepliarskaia et al., widened."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rich.markup import escape
from rich.table import Column, Table

from dbench.audit.record import CheckResult

TITLES = {
    "separation": "perfect copies and noise differ",
    "chance": "noise scores 0",
    "characteristic_1_high": "characteristic 1: high where it holds",
    "characteristic_1_low": "characteristic 1: low where it fails",
    "characteristic_2_high": "characteristic 2: high where it holds",
    "characteristic_2_low": "characteristic 2: low where it fails",
    "weak_high": "weak: high where it holds",
    "weak_low": "weak: low where it fails",
    "strong_high": "strong: high where it holds",
    "strong_low": "strong: low where it fails",
    "modularity": "not high without modularity",
    "compactness": "not high without compactness",
    "explicitness": "not high without explicitness",
    "permutation": "permuted codes score the same",
    "sign": "flipped codes score the same",
    "shift": "shifted codes score the same",
    "scale": "scaled codes score the same",
    "monotone": "monotone re-mapping scores the same",
    "dead_codes": "dead codes change nothing",
    "idle_codes": "codes of noise change nothing",
    "duplicated_codes": "duplicates are no better",
    "noise": "falls with noise",
    "sample_size": "no bias with few observations",
    "bins": "no bias with other bins",
    "regime": "no bias with width or dependence",
    "bounds": "stays within bounds",
    "determinism": "same arrays, same score",
}
"""Family of checks -> its line in the table, in order."""

_STYLE = {"pass": "green", "fail": "red", "error": "red", "not applicable": "dim"}
SHOWN = 3


def group(records: Sequence[CheckResult]) -> dict[str, list[CheckResult]]:
    """Sort records by family, in the order of the table."""
    groups = {family: [record for record in records if record.family == family] for family in TITLES}
    return {family: members for family, members in groups.items() if members}


def tally(records: Sequence[CheckResult]) -> tuple[str, str]:
    """Return what a family came to, and its worst status: ``yes``, ``no``, ``7 of 18``, ``error`` or ``-``."""
    applicable = [record for record in records if record.status != "not applicable"]
    passed = sum(record.status == "pass" for record in applicable)
    if not applicable:
        return "-", "not applicable"
    worst = "error" if any(r.status == "error" for r in applicable) else "pass" if passed == len(applicable) else "fail"
    if all(record.status == "error" for record in applicable):
        return "error", "error"
    if passed in (0, len(applicable)):
        return ("yes" if passed else "no"), worst
    return f"{passed} of {len(applicable)}", worst


def family_table(title: str, records: Sequence[CheckResult]) -> Table:
    """One line a family: what it came to, and where it failed."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(title, no_wrap=True)
    table.add_column("holds", no_wrap=True)
    table.add_column("does not hold on (score, or change)", overflow="fold")
    for family, results in group(records).items():
        text, worst = tally(results)
        table.add_row(TITLES[family], f"[{_STYLE[worst]}]{text}[/]", escape(_failures(results)))
    return table


def difference_table(records: Sequence[CheckResult]) -> Table:
    """One line a family on which a metric and the one beside it differ: what each came to, and one such check."""
    like = records[0].like
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(f"differs from {escape(like)}", no_wrap=True)
    for name in ("holds", f"of {escape(like)}"):
        table.add_column(name, no_wrap=True)
    table.add_column("such as (score, or change)", overflow="fold")
    for family, results in group(records).items():
        apart = [r for r in results if r.status != r.like_status and "not applicable" not in (r.status, r.like_status)]
        if apart:
            ours = [replace(record, status=record.like_status or "not applicable") for record in results]
            texts = [f"[{_STYLE[worst]}]{text}[/]" for text, worst in map(tally, (results, ours))]
            first = apart[0]
            case = first.check[len(family) :].strip("[]")
            table.add_row(
                TITLES[family], *texts, escape(f"{case} {_number(first.value)}, {like} {_number(first.like_value)}")
            )
    return table


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def comparison_table(audits: Mapping[str, Sequence[CheckResult]]) -> Table:
    """Return one line a family and one column a metric: what it came to."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("property", no_wrap=True)
    for name in audits:
        table.add_column(escape(name), overflow="fold")
    grouped = {name: group(records) for name, records in audits.items()}
    for family, title in TITLES.items():
        results = [tally(groups.get(family, [])) for groups in grouped.values()]
        if any(family in groups for groups in grouped.values()):
            table.add_row(title, *(f"[{_STYLE[worst]}]{text}[/]" for text, worst in results))
    return table


def _failures(records: Sequence[CheckResult]) -> str:
    failed = [record for record in records if record.status in ("fail", "error")]
    cases = []
    for record in failed[:SHOWN]:
        case = record.check[len(record.family) :].strip("[]")
        score = record.reason if record.value is None else f"{record.value:.2f}"
        cases.append(f"{case} {score}".strip() + (" (expected)" if record.deviation else ""))
    rest = len(failed) - SHOWN
    return ", ".join(cases) + (f", and {rest} more" if rest > 0 else "")


def record_table(records: Sequence[CheckResult]) -> Table:
    """One line a check, with the rule and what happened."""
    columns = [Column(name, overflow="fold") for name in ("check", "status", "score", "expected", "reason")]
    table = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for record in records:
        value = "" if record.value is None else f"{record.value:.3g}"
        reason = f"{record.reason} (expected: {record.deviation})" if record.deviation else record.reason
        status = f"[{_STYLE[record.status]}]{record.status}[/]"
        table.add_row(escape(record.check), status, value, escape(record.expected), escape(reason))
    return table
