"""One look for all figures: small type, and colours that colour-blind readers tell apart."""

from typing import Any, NamedTuple

INK, SOFT, LINE = "#1c1e21", "#5b6068", "#d9dad6"

# Any: matplotlib types the keys of its settings as literals, which a plain dictionary is not.
STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": SOFT,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 8,
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",  # comes with matplotlib, so every machine draws the same letters
    "font.size": 8,
    "grid.color": LINE,
    "grid.linewidth": 0.5,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handletextpad": 0.4,
    "lines.linewidth": 1.4,
    "svg.hashsalt": "dbench",
    "text.color": INK,
}
_TICKS = {"color": SOFT, "labelcolor": INK, "labelsize": 7, "major.size": 2.5, "major.width": 0.6, "minor.size": 0}
for _axis in ("xtick", "ytick"):
    STYLE |= {f"{_axis}.{name}": value for name, value in _TICKS.items()}


class Look(NamedTuple):
    """How an objective appears in every figure: never by colour alone."""

    colour: str
    marker: str


# The colours of Okabe and Ito's palette that show on white.
LOOKS: dict[str, Look] = {
    "beta_vae": Look("#0072b2", "o"),
    "annealed_vae": Look("#e69f00", "s"),
    "factor_vae": Look("#009e73", "^"),
    "beta_tcvae": Look("#56b4e9", "D"),
    "dip_vae_i": Look("#d55e00", "v"),
    "dip_vae_ii": Look("#cc79a7", "P"),
    "parted_vae": Look("#000000", "X"),
    "parted_vae_semi": Look("#7f7f7f", "<"),
    "weak_de": Look("#8c7a00", ">"),
    "mtd": Look("#5e3c99", "*"),
}
"""Objectives in the order in which figures show them."""


def number(value: float, form: str = ".2f") -> str:
    """Return a number as text, with a real minus sign and no negative zero."""
    text = f"{value:{form}}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")
