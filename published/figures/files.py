"""Write figures as files: equal figures give equal bytes."""

import base64
import io
import re
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.spines import Spine
from matplotlib.text import Text
from PIL import Image

from dbench.files import write_file
from dbench.scoring.style import STYLE

DPI = 160  # of PNG files
# Small SVG files with more than MOST_MARKS marks hold these as a picture of this resolution.
DPI_SMALL, MOST_MARKS = 110, 200
# Higher than any zorder of matplotlib: letters and axes are raised to it, so that they are not rasterised.
ABOVE = 10


def write_figure(figure: Figure, folder: Path, name: str, *, title: str, alt: str) -> None:
    """Write a figure as PNG and SVG, with title and description inside and without dates."""
    described = {"Title": title, "Description": alt}
    png = _saved(figure, "png", {"Software": None, **described})
    svg = _saved(figure, "svg", {"Date": None, "Creator": None, **described})
    write_file(folder / f"{name}.png", png)
    write_file(folder / f"{name}.svg", svg)


def write_small(figure: Figure, folder: Path, name: str, *, title: str, alt: str) -> None:
    """Write a figure as a small SVG: text in the reader's font, and many marks as one picture."""
    if sum(map(_marks, figure.axes)) > MOST_MARKS:
        for axes in figure.axes:
            for artist in axes.get_children():
                if isinstance(artist, (Text, Axis, Spine, Legend)):
                    artist.set_zorder(artist.get_zorder() + ABOVE)
            axes.set_rasterization_zorder(ABOVE)
    described = {"Date": None, "Creator": None, "Title": title, "Description": alt}
    svg = _saved(figure, "svg", described, text="none", dpi=DPI_SMALL)
    svg = svg.replace(b"'DejaVu Sans'", b"'DejaVu Sans', sans-serif")
    write_file(folder / f"{name}.svg", re.sub(rb'(?<=data:image/png;base64,)[^"]+', _fewer_colours, svg))


def _marks(axes: Axes) -> int:
    dots = sum(np.size(group.get_offsets()) // 2 for group in axes.collections)
    return len(axes.patches) + dots + sum(np.size(line.get_xdata()) for line in axes.lines)


def _fewer_colours(picture: re.Match[bytes]) -> bytes:
    """Return a PNG in base64 reduced to 64 colours, which takes a third of the bytes."""
    buffer = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(picture[0]))).quantize(64).save(buffer, "png", optimize=True)
    return base64.b64encode(buffer.getvalue())


def _saved(figure: Figure, kind: str, metadata: dict[str, str | None], *, text: str = "path", dpi: int = DPI) -> bytes:
    buffer = io.BytesIO()
    with rc_context(STYLE | {"svg.fonttype": text}):
        figure.savefig(buffer, format=kind, dpi=dpi, metadata=metadata)
    return buffer.getvalue()
