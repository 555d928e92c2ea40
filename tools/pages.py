"""Write the parts of docs/ that are generated from cards: ``python tools/pages.py`` (``make docs``).

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``; the rest is written by hand.
"""

import difflib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from math import prod
from pathlib import Path
from typing import Any

import dbench.metrics
from dbench.data import FETCHED, SHIPPED, class_of, load
from dbench.metrics import METRICS
from dbench.models.objectives import OBJECTIVES, find_card
from dbench.zoo.profiles import PROFILES, Profile

DOCS = Path(__file__).parents[1] / "docs"
PART = re.compile(r"(?<=<!-- generated: )(\w+)( -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
ROW = re.compile(r"^\| `(\w+)` \| (.*) \| .* \|$", re.MULTILINE)

_DATA_SET = "name | images | shape | factors | image drawn?"


def table(head: str, rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    columns = len(head.split(" | "))
    lines = [head, " | ".join(["---"] * columns), *(" | ".join(cells) for cells in rows)]
    return "".join(f"| {line} |\n" for line in lines)


def data_sets(_: str) -> str:
    """List the data sets that need no download."""
    return table(_DATA_SET, (_data_set(name, load(name)) for name in sorted(SHIPPED)))


def archives(_: str) -> str:
    """List the published archives from what their classes declare, since none of them is on this machine."""
    kinds = {name: class_of(name) for name in sorted(FETCHED) if FETCHED[name] != "variant"}
    rows = ((*_data_set(name, kind), kind.checked_by) for name, kind in kinds.items())
    return table(f"{_DATA_SET} | checked by", rows)


def _data_set(name: str, data: Any) -> Iterator[str]:
    yield f"`{name}`"
    yield f"{prod(data.factor_sizes):,}"
    yield " x ".join(map(str, data.image_shape))
    yield ", ".join(f"{factor} {size}" for factor, size in zip(data.factor_names, data.factor_sizes, strict=True))
    yield "yes" if data.stochastic else "no"


def objectives(_: str) -> str:
    """List what the cards of the objectives say."""
    head = "objective | strength | a larger one | plain VAE at | swept | swept in | paper | needs beside one batch"
    return table(head, map(_objective, OBJECTIVES))


def _objective(name: str) -> Iterator[str]:
    card = find_card(name)
    yield f"`{name}`"
    yield f"`{card.strength}`"
    yield card.larger
    yield "never" if card.plain_at is None else f"{card.plain_at:g}"
    yield ", ".join(f"{value:g}" for value in card.swept)
    yield card.swept_in
    yield f"`{card.cite}`"
    needs = {
        "second batch": card.second_batch,
        "factors": card.needs_factors,
        f"{card.labels or 0:.0%} labels": card.labels is not None,
        "heads": card.extra is not None,
        "adversary": card.adversary is not None,
    }
    yield ", ".join(need for need, is_needed in needs.items() if is_needed) or "nothing"


def references(before: str) -> str:
    """Say which cards cite each paper. Papers are written by hand; a cited key without a row is an error."""
    cards = [function.card for function in (*METRICS.values(), *OBJECTIVES.values())]  # type: ignore[attr-defined]
    papers = dict(ROW.findall(before))
    if unknown := sorted({card.cite for card in cards} - set(papers)):
        raise SystemExit(f"docs/references.md must have a row for every paper that a card cites, got none of {unknown}")
    uses = {key: sorted({card.name for card in cards if card.cite == key}) for key in sorted(papers)}
    rows = ((f"`{key}`", papers[key], ", ".join(f"`{name}`" for name in names)) for key, names in uses.items())
    return table("key | paper | of it here", rows)


def members(_: str) -> str:
    """List what the page of the metrics documents: all that dbench.metrics exports, metrics first.

    Each is named by the module that defines it: most metrics share a name with their module, which would be shown.
    """
    exported = {name: value for name, value in vars(dbench.metrics).items() if _exported(name, value)}
    first = sorted(name for name in exported if name in METRICS)
    return "".join(f"::: {_home(exported[name])}.{name}\n" for name in [*first, *sorted(exported.keys() - METRICS)])


def _exported(name: str, value: object) -> bool:
    return not name.startswith("_") and type(value).__name__ != "module"


def _home(value: object) -> str:
    """Return the module that defines an exported value; the package for data, which have no ``__module__``."""
    return getattr(value, "__module__", None) or dbench.metrics.__name__


def profiles(_: str) -> str:
    """List the grids of runs that have a name."""
    return table("profile | data sets | objectives | network | steps | runs", map(_profile, PROFILES.values()))


def _profile(profile: Profile) -> Iterator[str]:
    yield f"`{profile.name}`"
    yield ", ".join(f"`{name}`" for name in profile.data)
    yield ", ".join(f"`{name}`" for name in dict.fromkeys(sweep.objective for sweep in profile.sweeps))
    yield f"`{profile.network}`"
    yield f"{profile.steps:,}"
    yield f"{len(profile.runs(data=profile.data)):,}"


def objective_pitfalls(_: str) -> str:
    """List what goes wrong elsewhere, and the tests that show what is done here."""
    cards = [find_card(name) for name in sorted(OBJECTIVES)]
    rows = ((f"`{card.name}`", pitfall, f"`{test}`") for card in cards for pitfall, test in card.pitfalls.items())
    return table("name | pitfall elsewhere | shown by", rows)


PARTS: dict[str, Callable[[str], str]] = {
    "archives": archives,
    "data_sets": data_sets,
    "members": members,
    "objective_pitfalls": objective_pitfalls,
    "objectives": objectives,
    "profiles": profiles,
    "references": references,
}


def written(text: str) -> str:
    """Return the text of a page with its generated parts written anew."""
    return PART.sub(lambda part: part[1] + part[2] + PARTS[part[1]](part[3]), text)


def main(arguments: list[str]) -> int:
    """Write all pages and print what changed; with --check write nothing, and return 1 where something would."""
    changed = []
    for page in sorted(DOCS.rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = written(before)
        if after != before:
            changed.append("".join(difflib.unified_diff(before.splitlines(True), after.splitlines(True), page.name)))
            if "--check" not in arguments:
                page.write_text(after, encoding="utf-8")
    print("".join(changed), end="")
    return int("--check" in arguments and bool(changed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
