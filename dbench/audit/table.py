"""Tables of an audit for the terminal: Table 1 of Sepliarskaia et al., with more properties."""

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
"""Family of checks -> its title in the tables, in order of their lines."""

_STYLE = {"pass": "green", "fail": "red", "error": "red", "not applicable": "dim"}
SHOWN = 3  # failures of a family that are named


def group(records: Sequence[CheckResult]) -> dict[str, list[CheckResult]]:
    """Return the records by family, in the order of the tables."""
    groups = {family: [record for record in records if record.family == family] for family in TITLES}
    return {family: members for family, members in groups.items() if members}


def tally(records: Sequence[CheckResult]) -> tuple[str, str]:
    """Return the result of a family (``yes``, ``no``, ``7 of 18``, ``error`` or ``-``), and its worst status."""
    applicable = [record for record in records if record.status != "not applicable"]
    passed = sum(record.status == "pass" for record in applicable)
    if not applicable:
        return "-", "not applicable"
    if passed == len(applicable):
        return "yes", "pass"
    errors = sum(record.status == "error" for record in applicable)
    if errors == len(applicable):
        return "error", "error"
    worst = "error" if errors else "fail"
    return (f"{passed} of {len(applicable)}" if passed else "no"), worst


def family_table(title: str, records: Sequence[CheckResult]) -> Table:
    """Return a table with a line for each family: its result, and where it failed."""
    table = _table([title, "holds"], ["does not hold on (score, or change)"])
    for family, results in group(records).items():
        table.add_row(TITLES[family], _cell(results), escape(_failures(results)))
    return table


def _table(fixed: Sequence[str], folded: Sequence[str]) -> Table:
    """Return a table of columns that keep their width, followed by those that wrap in a narrow terminal."""
    columns = [Column(name, no_wrap=True) for name in fixed] + [Column(name, overflow="fold") for name in folded]
    return Table(*columns, box=None, header_style="bold", pad_edge=False)


def _cell(records: Sequence[CheckResult]) -> str:
    text, worst = tally(records)
    return f"[{_STYLE[worst]}]{text}[/]"


def difference_table(records: Sequence[CheckResult]) -> Table:
    """Return a table with a line for each family in which a metric and its reference differ: results and an example."""
    like = records[0].like
    heads = [f"differs from {escape(like)}", "holds", f"of {escape(like)}"]
    table = _table(heads, ["such as (score, or change)"])
    for family, results in group(records).items():
        cases = [r for r in results if r.status != r.like_status and "not applicable" not in (r.status, r.like_status)]
        if cases:
            reference = [replace(record, status=record.like_status or "not applicable") for record in results]
            scores = (cases[0].value, cases[0].like_value)
            score, like_score = ("none" if value is None else f"{value:.2f}" for value in scores)
            example = escape(f"{_case(cases[0])} {score}, {like} {like_score}")
            table.add_row(TITLES[family], _cell(results), _cell(reference), example)
    return table


def _case(record: CheckResult) -> str:
    return record.check[len(record.family) :].strip("[]")


def comparison_table(audits: Mapping[str, Sequence[CheckResult]]) -> Table:
    """Return a table of results, with a line for each family and a column for each metric."""
    table = _table(["property"], [escape(name) for name in audits])
    grouped = [group(records) for records in audits.values()]
    for family, title in TITLES.items():
        if any(family in groups for groups in grouped):
            table.add_row(title, *(_cell(groups.get(family, [])) for groups in grouped))
    return table


def _failures(records: Sequence[CheckResult]) -> str:
    failed = [record for record in records if record.status in ("fail", "error")]
    cases = []
    for record in failed[:SHOWN]:
        score = record.reason if record.value is None else f"{record.value:.2f}"
        cases.append(f"{_case(record)} {score}".strip() + (" (expected)" if record.deviation else ""))
    hidden = len(failed) - SHOWN
    return ", ".join(cases) + (f", and {hidden} more" if hidden > 0 else "")


def record_table(records: Sequence[CheckResult]) -> Table:
    """Return a table with a line for each check: status, score, rule, and what happened."""
    table = _table([], ["check", "status", "score", "expected", "reason"])
    for record in records:
        value = "" if record.value is None else f"{record.value:.3g}"
        reason = f"{record.reason} (expected: {record.deviation})" if record.deviation else record.reason
        status = f"[{_STYLE[record.status]}]{record.status}[/]"
        table.add_row(escape(record.check), status, value, escape(record.expected), escape(reason))
    return table
