"""The templates of page, Markdown and badges, with the functions and filters that they share."""

import html
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template

from dbench.report import cite, overview, text
from dbench.report.document import by_paper
from dbench.report.headings import EVIDENCE, PARAMETERS, count_verdicts
from dbench.report.plot import interval_plot
from dbench.report.schema import MEANINGS, PAPERS, SYMBOLS, TITLES, VERDICTS, Record
from dbench.shown import one_line

LONGEST = 600
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!$&@])")


def read(name: str) -> str:
    """Return the text of a file beside this one."""
    return files("dbench.report").joinpath(name).read_text(encoding="utf-8")


@cache
def template(name: str) -> Template:
    """Return a template by its file name; all but those of Markdown escape the values they are given."""
    environment = Environment(
        autoescape=not name.endswith(".md.j2"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.update(
        EVIDENCE=EVIDENCE | {"published": "printed tables"},
        LINKS=cite.PAPER_LINKS,
        MEANINGS=MEANINGS,
        SYMBOLS=SYMBOLS,
        VERDICTS=VERDICTS,
        bar=_bar,
        bibtex=cite.bibtex,
        by_paper=by_paper,
        count_verdicts=count_verdicts,
        dispute_link=cite.dispute_link,
        overview=overview,
        plot=interval_plot,
        same_words=text.same_words,
        source_link=cite.source_link,
    )
    environment.filters.update(
        anchor=cite.anchor,
        asked=text.asked_text,
        by_kind=lambda counts: text.listed(f"{count} on {EVIDENCE[kind]}" for kind, count in counts.items()),
        counted=text.counted,
        duration=text.duration,
        estimate=text.estimate_text,
        expected=text.expected_text,
        in_words=_in_words,
        label=lambda paper: PAPERS.get(paper, paper),
        folded=lambda title: html.escape(text.clip(one_line(title), LONGEST)),
        line=one_line,
        md=escape,
        n=text.n_text,
        name=text.name_text,
        number=text.number,
        part=_part,
        printed=text.printed_text,
        short=lambda paper: TITLES.get(paper, paper),
        slug=lambda verdict: verdict.replace(" ", "-"),
        tally=lambda counts: ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count),
    )
    return environment.from_string(read(name))


def escape(words: str) -> str:
    """Return text as one line of Markdown, with all markup escaped, clipped where very long."""
    return _SPECIAL.sub(r"\\\1", text.clip(one_line(words), LONGEST))


def _part(record: Record) -> str:
    """Return what tells a record from the others of its finding, with parameters named in words."""
    params = {PARAMETERS.get(name, name.replace("_", " ")): value for name, value in record["params"].items()}
    return text.part_text({**record, "params": params})


def _in_words(record: Record) -> str:
    """Return what a plot shows in words, for readers who cannot see it."""
    parts = [f"estimate {text.estimate_text(record)}", f"asked {text.asked_text(record)}"]
    if record["printed"]:
        parts.append(f"printed {text.printed_text(record)}")
    return "; ".join(parts)


def _bar(counts: Mapping[str, int]) -> list[tuple[str, float, float]]:
    """Lay out a bar of verdicts as (verdict, start, width), in percent of the bar."""
    total, start, parts = sum(counts.values()), 0.0, []
    for verdict, count in counts.items():
        if count:
            width = 100 * count / total
            parts.append((verdict, round(start, 2), round(width, 2)))
            start += width
    return parts
