"""The page that shows every figure with its caption and the findings it illustrates."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from dbench.claims.ledger import ledger
from dbench.files import write_file
from dbench_published.figures.draw import Drawn
from dbench_published.figures.files import DPI
from dbench_published.figures.labels import WIDTH


def write_index(folder: Path, drawn: Sequence[Drawn], *, verdicts: Mapping[str, str] | None = None) -> Path:
    """Write ``index.md`` and ``index.html``, and return the path of the latter."""
    content = {
        "groups": [(name, list(group)) for name, group in groupby(drawn, key=lambda figure: figure.evidence.name)],
        "ledger": ledger(),
        "verdicts": verdicts or {},
        "width": round(WIDTH * DPI),
    }
    _write(folder / "index.md", content)
    return _write(folder / "index.html", content)


def _write(path: Path, content: Mapping[str, object]) -> Path:
    environment = Environment(
        autoescape=path.suffix == ".html",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = files("dbench_published.figures").joinpath(f"{path.name}.j2").read_text(encoding="utf-8")
    return write_file(path, environment.from_string(template).render(content))
