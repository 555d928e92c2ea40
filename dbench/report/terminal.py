"""The summary that a session prints at its end."""

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dbench.claims import Verdict
from dbench.report.document import by_paper, deciders, worst_first
from dbench.report.overview import FAMOUS, famous_failures, lead_text, scope_text, tally, totals_text
from dbench.report.schema import PAPERS, Document, Record
from dbench.report.text import asked_text, clip, counted, estimate_text, expected_text, listed, name_text
from dbench.shown import LEAST_WIDTH, one_line


def summary_lines(
    document: Document, *, width: int = 80, verbose: bool = False, paths: Sequence[str | Path] = ()
) -> list[str]:
    """Return the summary of a session as plain lines of at most ``width`` characters (paths stay whole).

    One sentence, the totals and the famous claims that failed come first. Then there is a line for each finding that
    does not hold or is unexpected; the verbose summary has every finding, with its whole reason and its notes. The
    files written (``paths``) come last.
    """
    width = max(width, LEAST_WIDTH)
    decider_of = deciders(document)
    lines = _opening(document, width)
    for paper, headings in by_paper(document["headings"]).items():
        lines.append(clip(one_line(PAPERS.get(paper, paper)), width))
        lines += _wrap(f"{counted(len(headings), 'finding')}: {tally(headings)}", width, first="  ")
        for heading in worst_first(headings):
            if verbose or not Verdict(heading["verdict"]).holds or heading["unexpected"]:
                line = _line(heading, decider_of.get(heading["claim"]))
                if verbose:
                    lines += _full_entry(heading, line, width)
                elif heading["verdict"] == "not tested":  # its line ends in the reason, other lines in figures
                    lines += _wrap(line, width, rest=" " * 15)
                else:
                    lines.append(clip(line, width))
        lines.append("")
    for record in document["records"]:
        if record["unexpected"]:
            lines += _wrap(f"{name_text(record)}: {record['verdict']}, {expected_text(record)}", width, first="! ")
    for check in document["checks"]:
        if verbose or check["outcome"] == "failed":
            detail = f": {check['detail']}" if check["detail"] else ""
            lines += _wrap(one_line(f"check {check['outcome']} {check['nodeid']}{detail}"), width)
    lines += _wrap(scope_text(document), width) if document["records"] else ["nothing was judged"]
    outcomes = [check["outcome"] for check in document["checks"]]
    if outcomes:
        counts = [f"{outcomes.count(word)} {word}" for word in ("passed", "skipped", "failed") if word in outcomes]
        lines.append(f"checks beside the claims: {', '.join(counts)}")
    if document["errata"]:
        lines.append(f"errata: {counted(len(document['errata']), 'entry')}")
    names = [Path(path).name for path in paths]
    lines += [f"wrote {path}" for path in paths if Path(path).name == "index.html"]
    return lines + _wrap(f"beside it {listed(name for name in names if name != 'index.html')}" if names else "", width)


def _opening(document: Document, width: int) -> list[str]:
    """Return one sentence, the totals, and the famous claims that failed, each with what was seen."""
    lines = [line for text in (lead_text(document), totals_text(document)) for line in _wrap(text, width)]
    famous = famous_failures(document)
    if famous:
        lines += ["", f"{FAMOUS}:"]
    for heading in famous:
        line = f"{heading['verdict']:<12} {one_line(heading['claim'])}: {one_line(heading['says'])}"
        lines += _wrap(line, width, first="  ", rest=" " * 15)
    return [*lines, ""] if lines else []


def _line(heading: Mapping[str, Any], decider: Record | None) -> str:
    """Return the line of a finding: verdict, claim, and the figures or the reason that decided."""
    figures = one_line(decider["reason"] if decider else heading["says"])
    if decider and decider["estimate"] is not None and heading["verdict"] not in ("not tested", "broken"):
        figures = f"{estimate_text(decider)} ({asked_text(decider, signs=True)})"
    return f"  {heading['verdict']:<12} {one_line(heading['claim']):<30} {figures}"


def _full_entry(heading: Mapping[str, Any], line: str, width: int) -> list[str]:
    """Return the line of a finding, then what was seen, what would change it, and its notes."""
    lines = [clip(line, width)]
    for text in (heading["says"], heading.get("change", ""), *heading["notes"]):
        lines += _wrap(one_line(text), width, first="      ", rest="        ")
    return lines


def _wrap(text: str, width: int, *, first: str = "", rest: str = "    ") -> list[str]:
    """Break text into lines, but not at hyphens, which claim ids have."""
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
