"""docs/calibration.md: written from what was measured, and read again by its tests."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from calibration.judging import LARGEST_ERROR, Frequencies
from dbench.claims.card import Claim
from dbench.files import write_file
from dbench.stats import Interval

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"
HEAVY_TAILS = PAGE.with_name("heavy-tails.md")
COMMAND = "python tools/calibrate.py"
COLUMNS = (
    *("claim", "role", "rule", "confidence", "margin", "wrong 'reproduced'", "wrong 'contradicted' or 'absent'"),
    *("worlds", "effect", "'reproduced'", "what the effect is"),
)
TOO_OFTEN = "**too often**"

HEAD = f"""# How often the rules err

Each claim over trained models was judged in simulated zoos of the size of the evidence: six objectives, six
strengths and ten seeds, five where two data sets must share them; for novel combinations seven systems and five
combinations (eight on 3dshapes), with two runs each. On the noisy and the Scream sprites, of five seeds, a rule
sees less; on dSprites, of more than ten, and of novel combinations, with seven runs each, more. *At the margin* the
statistic of an endless zoo lies on the edge of the rule. 'Reproduced' is wrong there, since the finding is false by a
hair, and so are 'contradicted' and 'absent', since it is true but for a hair: neither must happen in more than
{LARGEST_ERROR:.0%} of worlds. A finding's heading is the verdict of its primary card, and errs as often. *At the
effect* the statistic of an endless zoo is the paper's printed one, or what the last column says. Brackets: what the
number of worlds leaves open, 95%. Where a card has conditions, a world leaves out up to half of the units that they are
asked of, whichever they are. Written by `{COMMAND}`; nobody edits it. [How a claim is
calibrated](claims-guide.md#calibration).

{{passes}}

The worlds have normal noise, a seed effect, and what the entry in `tools/calibration/` says. A rule is calibrated for
worlds like these; [heavy tails](heavy-tails.md), or scores computed from several models as UDR is, may behave
otherwise.

"""
HEAD_OF_HEAVY_TAILS = f"""# How often the rules err where tails are heavy

The primary claims over trained models in the worlds of [calibration](calibration.md), but with noise, seed effects and
hidden qualities from Student's t with three degrees of freedom, scaled to the same variance: now and then a run is
far off. Nothing was set by these worlds: confidence and bounds are those chosen in normal ones. Where a rule errs more
often than {LARGEST_ERROR:.0%}, its row says so. Written by `{COMMAND} --heavy-tails`; nobody edits it.

{{passes}}

{{outcome}}

"""


def name_of(claim: Claim) -> str:
    """Name a card as the table does."""
    return f"`{claim.id}`" + (f", {claim.part}" if claim.part else "")


def share_text(share: Interval) -> str:
    """Write a share with its interval."""
    return f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]"


def _wrong_text(share: Interval | None) -> str:
    if share is None:
        return "not placed"
    return share_text(share) + (f" {TOO_OFTEN}" if share.low > LARGEST_ERROR else "")


def cells_of(claim: Claim, margin: Frequencies, effect: Frequencies | None, at_says: str) -> list[str]:
    """Build the row of one margin, the effect beside it where worlds reach it."""
    return [
        name_of(claim),
        claim.role,
        str(claim.rule),
        f"{claim.confidence:g}",
        f"{margin.truth:g}",
        *map(_wrong_text, margin.wrong if margin.placed else (None, None)),
        f"{margin.worlds:,}",
        *((f"{effect.truth:g}", share_text(effect.share())) if effect else ("not reached", "-")),
        at_says,
    ]


def line(cells: Sequence[str]) -> str:
    """Write a row of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def passes_text(worlds: int, more: int, suspect: float, margins: Iterable[Frequencies]) -> str:
    """Say how many worlds there were, and how well the margins are known."""
    known = list(margins)
    again = sum(margin.worlds == more for margin in known)
    blurs = sorted(margin.blur for margin in known if margin.placed and not math.isnan(margin.blur))
    placed = ""
    if blurs:
        placed = (
            f" The place of a margin is estimated, with a standard error of {blurs[len(blurs) // 2]:.1%} of the spread "
            f"between zoos (median; {blurs[-1]:.1%} at most), which the brackets leave out. A margin that is wrong by "
            "5% of that spread makes an error of 5% one of 4.5% or 5.5%."
        )
    return (
        f"Every place was judged in {worlds:,} worlds. A margin where more than {suspect:.0%} of them came out wrong "
        f"was judged again in {more:,} others, {again} of {len(known)}, and the row gives those alone: the worlds that "
        f"picked it are not counted.{placed}"
    )


def outcome_text(erring: Sequence[Claim], left_out: Sequence[Claim]) -> str:
    """Say which claims err too often among heavy tails, and which have no place there and why."""
    names, without = ("; ".join(map(name_of, claims)) for claims in (erring, left_out))
    return (
        f"Too often: {names or 'none'}. Left out: {without}, which judge means of log-normal scores: e to the power of "
        "a number with such tails has no mean. 'Not reached': with outliers no world's statistic comes to the effect. "
        "'Not placed': it jumps over the rule's edge, so that no margin was found."
    )


def write(table: Iterable[Sequence[str]], passes: str, *, outcome: str = "") -> None:
    """Write the page; that of heavy tails where it is said what came out there."""
    lines = [line(COLUMNS), line(["---"] * len(COLUMNS)), *map(line, table)]
    path, head = (HEAVY_TAILS, HEAD_OF_HEAVY_TAILS) if outcome else (PAGE, HEAD)
    write_file(path, head.format(passes=passes, outcome=outcome) + "\n".join(lines) + "\n")


def read() -> list[Mapping[str, str]]:
    """Read the rows of the page, each by the names of its columns."""
    rows = [
        text.strip("| \n").split(" | ") for text in PAGE.read_text(encoding="utf-8").splitlines() if text[:1] == "|"
    ]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]
