"""The properties of dbench's own metrics as a page: ``python tools/properties.py docs/properties.md``.

It also writes which checks each of them fails (``dbench/audit/ours.json``), by which an audit tells bugs from design.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from dbench.audit.audit import audit
from dbench.audit.checks import CHECKS
from dbench.audit.gallery import REPRESENTATIONS
from dbench.audit.record import HIGH, LOW, scale_of, score_of
from dbench.audit.subject import MetricFailed, Subject
from dbench.audit.table import TITLES, group, tally
from dbench.files import atomic_write
from dbench.metrics.registry import METRICS, find_card, find_metric

OBSERVATIONS = 1000
OURS = Path(__file__).parents[1] / "dbench/audit/ours.json"

Column = dict[str, str]
"""Row of the page -> the cell of one metric."""

_HEAD = f"""# Properties of the metrics

What `dbench audit` finds of the metrics of dbench, and nothing else: written by
`python tools/properties.py docs/properties.md`, compared by a test. [audit.md](audit.md) says how to read it.

Samples have {OBSERVATIONS:,} observations. A score is high above {HIGH:g} and low below {LOW:g} on the metric's own
scale from noise (0) to perfect copies (1). No metric can pass everywhere: the two characteristics contradict each other
where a factor is in several codes or a code holds several factors, and so do the weak and the strong notion.
"""
_FIRST = """
## Properties

`yes`, `no`, or how many of the cases hold; `-` where a question does not apply.
"""
_SECOND = """
## Representations

Behind the name: whether characteristic 1 and 2 hold (`-` where nothing can be said).
"""


def prepared(name: str) -> Subject:
    """Return a metric of dbench with the settings of the page."""
    return Subject(
        find_metric(name),
        name=name,
        observations=OBSERVATIONS,
        options=find_card(name).quick,
        less_is_better=find_card(name).better == "lower",
    )


def column(subject: Subject, *, only: Sequence[str] = ()) -> Column:
    """Audit a metric and return its cells of the page.

    Args:
        subject: the metric, see :func:`prepared`.
        only: families of checks; by default all, and all representations.
    """
    cells = {TITLES[family]: tally(records)[0] for family, records in group(audit(subject, only=only)).items()}
    return cells if only else cells | {_row_of(name): _level(subject, name) for name in REPRESENTATIONS}


def failing(subject: Subject) -> set[str]:
    """Return the names of the checks that a metric fails or ends with an error."""
    return {record.check for record in audit(subject) if record.status in ("fail", "error")}


def failures_text(failures: Mapping[str, set[str]]) -> str:
    """Return the text of ``ours.json``: all metrics, and for each check those that fail it.

    Args:
        failures: for each metric what :func:`failing` returns.
    """
    by_check = {check: [name for name in sorted(failures) if check in failures[name]] for check in CHECKS}
    lines = [f"  {json.dumps(check)}: {json.dumps(names)}" for check, names in by_check.items() if names]
    return '{\n "metrics": ' + json.dumps(sorted(failures)) + ',\n "failures": {\n' + ",\n".join(lines) + "\n }\n}\n"


def read_failures(text: str) -> dict[str, set[str]]:
    """Return for each metric the checks that it fails, read from the text of ``ours.json``."""
    known = json.loads(text)
    return {name: {c for c, names in known["failures"].items() if name in names} for name in known["metrics"]}


def _row_of(name: str) -> str:
    words = {True: "yes", False: "no", None: "-"}
    representation = REPRESENTATIONS[name]
    return f"{name} ({words[representation.characteristic_1]}, {words[representation.characteristic_2]})"


def _level(subject: Subject, name: str) -> str:
    try:
        scale, score = scale_of(subject), score_of(subject, name)
    except MetricFailed:
        return "error"
    if not scale.separates:
        return "-"
    position = scale.position(score)
    if position > HIGH:
        return "high"
    return "low" if position < LOW else "mid"


def page(columns: Mapping[str, Column]) -> str:
    """Return the text of the page.

    Args:
        columns: for each metric what :func:`column` returns.
    """
    settings = [
        f"- `{name}`: " + ", ".join(f"`{option}={value!r}`" for option, value in find_card(name).quick.items())
        for name in sorted(METRICS)
        if find_card(name).quick
    ]
    less = ", ".join(f"`{name}`" for name in sorted(METRICS) if find_card(name).better == "lower")
    return "\n".join(
        [
            _HEAD,
            f"Less is better for {less}. Options other than the default:\n",
            *settings,
            _FIRST,
            *_table("property", list(TITLES.values()), columns),
            _SECOND,
            *_table("representation", [_row_of(name) for name in REPRESENTATIONS], columns),
            "",
        ]
    )


def _table(corner: str, rows: Sequence[str], columns: Mapping[str, Column]) -> list[str]:
    names = sorted(columns)
    lines = [[corner, *(f"`{name}`" for name in names)], ["---"] * (len(names) + 1)]
    lines += [[row, *(columns[name][row] for name in names)] for row in rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def read_columns(text: str) -> dict[str, Column]:
    """Return the columns of each metric, read from the text of a page."""
    columns: dict[str, Column] = {}
    names: list[str] = []
    for line in text.splitlines():
        if not line.startswith("| ") or line.startswith("| ---"):
            continue
        first, *cells = (cell.strip() for cell in line.strip("| ").split(" | "))
        if first in ("property", "representation"):
            names = [cell.strip("`") for cell in cells]
        else:
            for name, cell in zip(names, cells, strict=True):
                columns.setdefault(name, {})[first] = cell
    return columns


@click.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the page is another.")
@click.option("--new", is_flag=True, help="Audit only the metrics that the page lacks.")
def main(path: Path, check: bool, new: bool) -> None:
    """Audit every metric of dbench and write the page."""
    columns: dict[str, Column] = read_columns(path.read_text(encoding="utf-8")) if new else {}
    failures = read_failures(OURS.read_text(encoding="utf-8")) if new else {}
    columns = {name: known for name, known in columns.items() if name in METRICS}
    failures = {name: known for name, known in failures.items() if name in METRICS}
    for name in sorted(set(METRICS) - (columns.keys() & failures.keys())):
        click.echo(name, err=True)
        subject = prepared(name)
        columns[name], failures[name] = column(subject), failing(subject)
    texts = {path: page(columns), OURS: failures_text(failures)}
    if check:
        same = all(file.is_file() and file.read_text(encoding="utf-8") == text for file, text in texts.items())
        raise SystemExit(int(not same))
    for file, text in texts.items():
        with atomic_write(file) as place:
            place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
