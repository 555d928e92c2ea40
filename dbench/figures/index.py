"""The page that shows every figure with its caption and the findings it illustrates."""

import os
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from dbench.claims.ledger import ledger
from dbench.figures.draw import Drawn
from dbench.figures.files import DPI
from dbench.figures.style import WIDTH
from dbench.files import write_aside

_STYLE = """
:root { color-scheme: light; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 52rem; background: #fdfdfb; color: #1c1e21;
  font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1, h2, h3 { font-weight: 600; line-height: 1.25; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 3rem; }
h3 { font-size: 1.05rem; margin: 2.5rem 0 0.5rem; }
figure { margin: 0; } img { width: 100%; height: auto; background: #fff; border: 1px solid #d9dad6; }
figcaption, .soft { color: #5b6068; } a { color: #1f4e8c; } li { margin: 0.2rem 0; } ul { padding-left: 1.2rem; }
code { font-size: 0.875em; } .verdict { font-weight: 600; }
"""


def write_index(folder: Path, drawn: Sequence[Drawn], *, verdicts: Mapping[str, str] | None = None) -> list[Path]:
    """Write ``index.html`` and ``index.md``, with the verdict of each finding where a report has told them.

    Raises:
        DbenchError: the folder cannot be written to.
    """
    known = verdicts or {}
    pages = {"index.html": _html(folder, drawn, known), "index.md": _markdown(folder, drawn, known)}
    return [write_aside(folder / name, text) for name, text in pages.items()]


def _by_evidence(drawn: Sequence[Drawn]) -> list[tuple[str, list[Drawn]]]:
    return [(name, list(group)) for name, group in groupby(drawn, key=lambda one: one.evidence.name)]


def _place(folder: Path, file: Path) -> str:
    return Path(os.path.relpath(file, folder)).as_posix()


def _claims(one: Drawn, verdicts: Mapping[str, str]) -> list[tuple[str, str, str]]:
    return [(claim, ledger()[claim].says, verdicts.get(claim, "")) for claim in one.card.claims]


def _html(folder: Path, drawn: Sequence[Drawn], verdicts: Mapping[str, str]) -> str:
    parts = [
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Figures</title><style>{_STYLE}</style></head>\n<body>\n<h1>Figures</h1>",
        "<p class='soft'>Drawn from evidence. A figure shows what was measured; whether a finding holds is decided by "
        "its claim.</p>",
    ]
    for name, group in _by_evidence(drawn):
        parts.append(f"<h2>{escape(name)}</h2>")
        links = [f'<a href="#{_anchor(one)}">{escape(one.card.title)}</a>' for one in group if one.files]
        parts.append(f"<p>{' · '.join(links)}</p>")
        if group[0].evidence.deviations:
            items = "".join(f"<li>{escape(text)}</li>" for text in group[0].evidence.deviations)
            parts.append(f"<details><summary>Departures from the papers</summary><ul>{items}</ul></details>")
        parts += [_html_figure(folder, one, verdicts) for one in group if one.files]
        if lacking := [one for one in group if one.lacking]:
            items = "".join(f"<li>{escape(one.card.title)}: {escape(one.lacking)}</li>" for one in lacking)
            parts.append(f"<h3>Not drawn</h3><ul>{items}</ul>")
    return "\n".join([*parts, "</body>\n</html>\n"])


def _html_figure(folder: Path, one: Drawn, verdicts: Mapping[str, str]) -> str:
    png, svg = (_place(folder, file) for file in one.files)
    claims = "".join(
        f"<li><code>{escape(claim)}</code>{f' <span class=verdict>{escape(verdict)}</span>' if verdict else ''}: "
        f"{escape(says)}</li>"
        for claim, says, verdict in _claims(one, verdicts)
    )
    return (
        f'<h3 id="{_anchor(one)}">{escape(one.card.title)}</h3>\n<figure><a href="{escape(svg)}">'
        f'<img src="{escape(png)}" alt="{escape(one.alt)}" width="{round(WIDTH * DPI)}" loading="lazy"></a>\n'
        f"<figcaption>{escape(one.caption)} After {escape('; '.join(one.card.after))}.</figcaption></figure>\n"
        f"<ul>{claims}</ul>"
    )


def _anchor(one: Drawn) -> str:
    return escape(f"{one.evidence.name}-{one.evidence.of}-{one.card.name}")


def _markdown(folder: Path, drawn: Sequence[Drawn], verdicts: Mapping[str, str]) -> str:
    parts = ["# Figures"]
    for name, group in _by_evidence(drawn):
        parts.append(f"## {name}")
        if group[0].evidence.deviations:
            parts.append(
                "\n".join(["Departures from the papers:", "", *(f"- {d}" for d in group[0].evidence.deviations)])
            )
        for one in group:
            if not one.files:
                continue
            claims = [f"- `{c}`{f' ({v})' if v else ''}: {says}" for c, says, v in _claims(one, verdicts)]
            png, svg = (_place(folder, file) for file in one.files)
            parts += [
                f"### {one.card.title}",
                f"![{one.alt.replace('[', '(').replace(']', ')')}]({png})",
                f"{one.caption} After {'; '.join(one.card.after)}. [SVG]({svg})",
                "\n".join(claims),
            ]
        if lacking := [one for one in group if one.lacking]:
            parts += ["### Not drawn", "\n".join(f"- {one.card.title}: {one.lacking}" for one in lacking)]
    return "\n\n".join(parts) + "\n"
