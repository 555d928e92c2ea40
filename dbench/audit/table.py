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
    table = _table([title, "holds"], ["does not hold on (score, or change)"])
    for family, results in group(records).items():
        table.add_row(TITLES[family], _cell(results), escape(_failures(results)))
    return table


def _table(whole: Sequence[str], folded: Sequence[str]) -> Table:
    """Columns that keep their width, and behind them those that a narrow terminal breaks."""
    columns = [Column(name, no_wrap=True) for name in whole] + [Column(name, overflow="fold") for name in folded]
    return Table(*columns, box=None, header_style="bold", pad_edge=False)


def _cell(records: Sequence[CheckResult]) -> str:
    text, worst = tally(records)
    return f"[{_STYLE[worst]}]{text}[/]"


def difference_table(records: Sequence[CheckResult]) -> Table:
    """One line a family on which a metric and the one beside it differ: what each came to, and one such check."""
    like = records[0].like
    heads = [f"differs from {escape(like)}", "holds", f"of {escape(like)}"]
    table = _table(heads, ["such as (score, or change)"])
    for family, results in group(records).items():
        apart = [r for r in results if r.status != r.like_status and "not applicable" not in (r.status, r.like_status)]
        if apart:
            ours = [replace(record, status=record.like_status or "not applicable") for record in results]
            one, other = (
                "none" if value is None else f"{value:.2f}" for value in (apart[0].value, apart[0].like_value)
            )
            such = escape(f"{_case(apart[0])} {one}, {like} {other}")
            table.add_row(TITLES[family], _cell(results), _cell(ours), such)
    return table


def _case(record: CheckResult) -> str:
    return record.check[len(record.family) :].strip("[]")


def comparison_table(audits: Mapping[str, Sequence[CheckResult]]) -> Table:
    """Return one line a family and one column a metric: what it came to."""
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
    rest = len(failed) - SHOWN
    return ", ".join(cases) + (f", and {rest} more" if rest > 0 else "")


def record_table(records: Sequence[CheckResult]) -> Table:
    """One line a check, with the rule and what happened."""
    table = _table([], ["check", "status", "score", "expected", "reason"])
    for record in records:
        value = "" if record.value is None else f"{record.value:.3g}"
        reason = f"{record.reason} (expected: {record.deviation})" if record.deviation else record.reason
        status = f"[{_STYLE[record.status]}]{record.status}[/]"
        table.add_row(escape(record.check), status, value, escape(record.expected), escape(reason))
    return table
