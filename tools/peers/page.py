"""docs/peers.md: values and times of every implementation beside ours, and the reason of each difference."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from pathlib import Path
from typing import Any

from dbench.errors import DamagedData
from peers.calls import Call
from peers.implementations import TEST, Implementation
from peers.inputs import ROWS, describe

REASONS = Path(__file__).parent / "reasons.toml"
KINDS = ("setting", "definition", "draws", "fault")

EQUAL = 1e-6
# Accuracies of two sets of draws lie within this of each other, but for one pair in some four hundred.
APART = dict.fromkeys(("factor_vae", "beta_vae_metric"), 3 * sqrt(2 * 0.25 / TEST))


@dataclass(frozen=True)
class Reason:
    """Why a peer's values differ from ours: of a metric, and of the inputs ``given``, or of all where empty.

    Attributes:
        within: the largest difference that it explains, which random draws must say.
    """

    libraries: tuple[str, ...]
    metric: str
    kind: str
    text: str
    given: tuple[str, ...] = ()
    within: float = inf

    def covers(self, ours: Call, theirs: Call) -> bool:
        """Whether it is about this call, and the difference is no larger than it explains."""
        named = not self.given or theirs.given in self.given
        about = named and theirs.library in self.libraries and theirs.metric == self.metric
        return about and (self.within == inf or agree(ours, theirs, self.within))


def read_reasons(path: Path = REASONS) -> list[Reason]:
    """Read the reasons.

    Raises:
        DamagedData: an entry without a kind or a text, or of draws without a bound.
    """
    entries: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["reason"]
    reasons = [Reason(**e | {name: tuple(e.get(name, ())) for name in ("libraries", "given")}) for e in entries]
    for reason in reasons:
        if reason.kind not in KINDS or not reason.text.strip() or (reason.kind == "draws") == (reason.within == inf):
            raise DamagedData(
                f"{path.name} must give kind ({', '.join(KINDS)}) and text, and within for draws, got {reason}"
            )
    return reasons


def agree(ours: Call, theirs: Call, apart: float) -> bool:
    """Whether all parts that a peer gives lie so near to ours."""
    return bool(theirs.values) and all(
        part in ours.values and abs(value - ours.values[part]) <= apart for part, value in theirs.values.items()
    )


def equal(ours: Call, theirs: Call) -> bool:
    """Whether the values agree, where both draw at random as far as two draws may differ."""
    return agree(ours, theirs, APART.get(ours.metric, EQUAL))


def same(ours: Call, theirs: Call) -> bool:
    """Whether nothing needs a reason: equal values, or neither gives one."""
    return equal(ours, theirs) or not (ours.values or theirs.values)


def unexplained(calls: Sequence[Call], reasons: Iterable[Reason]) -> list[Call]:
    """Return the calls of peers that differ from ours without a reason; those of missing libraries do not."""
    ours = {(call.metric, call.given): call for call in calls if call.library == "dbench"}
    known = list(reasons)
    return [
        call
        for call in calls
        if call.outcome != "not installed"
        and not same(ours[call.metric, call.given], call)
        and not any(reason.covers(ours[call.metric, call.given], call) for reason in known)
    ]


def outdated(calls: Sequence[Call], reasons: Iterable[Reason]) -> list[Reason]:
    """Return the reasons of which no call differs, though the library was there."""
    ours = {(call.metric, call.given): call for call in calls if call.library == "dbench"}
    there = {call.library for call in calls if call.outcome != "not installed"}
    pairs = [(ours[call.metric, call.given], call) for call in calls]
    differ = [pair for pair in pairs if not same(*pair)]
    return [r for r in reasons if there.intersection(r.libraries) and not any(r.covers(*pair) for pair in differ)]


def _cell(call: Call, ours: Call, notes: Mapping[Reason, int]) -> str:
    said = " / ".join(f"{value:.4f}" for value in call.values.values()) or call.outcome
    if call is ours or call.outcome == "not installed":
        return said
    if same(ours, call):
        return "=" if call.metric not in APART or not call.values else f"{said} ="
    marks = [str(number) for reason, number in notes.items() if reason.covers(ours, call)]
    return f"{said} [{', '.join(marks) or '?'}]"


def page(
    calls: Sequence[Call], known: Mapping[str, Implementation], versions: Mapping[str, str], limit: float
) -> Iterator[str]:
    """Write the lines of the page."""
    reasons = read_reasons()
    inputs = list(dict.fromkeys(call.given for call in calls))
    libraries = [name for name in versions if name != "dbench"]
    yield from (
        "# Other libraries beside ours\n",
        "Written by `make peers`, which installs the libraries into an environment of their own and gives all of them",
        f"the same {ROWS:,} rows, one thread each. `=`: equal to ours within {EQUAL:g}, or, where both draw",
        f"(`factor_vae`, `beta_vae_metric`), within {APART['factor_vae']:.3f}, three standard errors of the difference",
        f"of two accuracies from {TEST:,} draws. Every other value has the number of its reason: a **setting**,",
        "another **definition** under the same name, other random **draws**, or a **fault**",
        "([peers-faults.md](peers-faults.md)). `raised` and `no answer` are outcomes, not numbers: a call may take",
        f"{limit:g} s of processor time.\n Versions: "
        + ", ".join(f"{library} {number or 'not installed'}" for library, number in versions.items())
        + ".\n",
        *(f"- `{given}`: {describe(given)}" for given in inputs),
        "\nThree numbers of `dci` are disentanglement, completeness and informativeness.",
    )
    for metric in dict.fromkeys(call.metric for call in calls if call.library == "dbench"):
        found = {(call.library, call.given): call for call in calls if call.metric == metric}
        there = [library for library in libraries if (library, inputs[0]) in found]
        if not there:
            continue
        about = [r for r in reasons if r.metric == metric and set(there).intersection(r.libraries)]
        notes = {reason: number for number, reason in enumerate(about, 1)}
        yield from (f"\n## {metric}\n", " | ".join(["input", "dbench", *there]), " | ".join(["---"] * (len(there) + 2)))
        for given in inputs:
            ours = found["dbench", given]
            yield " | ".join([given, *(_cell(found[library, given], ours, notes) for library in ("dbench", *there))])
        yield ""
        settings = {library: known[f"{library}:{metric}"].settings for library in ("dbench", *there)}
        if any(settings.values()):
            yield "Settings: " + "; ".join(f"{name}: {text}" for name, text in settings.items() if text) + ".\n"
        yield from (f"{number}. {', '.join(r.libraries)}, **{r.kind}**: {r.text}" for r, number in notes.items())
        raised = {(c.library, c.said): c.given for c in found.values() if c.outcome in ("raised", "no answer")}
        yield from (f"- {library} on `{given}`: {said.replace('|', '/')}" for (library, said), given in raised.items())
    yield from _times(calls, libraries, reasons)


def _times(calls: Sequence[Call], libraries: Sequence[str], reasons: Sequence[Reason]) -> Iterator[str]:
    yield from (
        "\n## Times at equal values\n",
        "Seconds of processor time, the sum over the inputs on which the values are equal or differ by random draws",
        "only, and how many these are; pairs that agree on less than half of the inputs are left out. Ours of `mig`,",
        "`modularity` and `irs` compute ceiling and chance besides, which are two more scores, and `sap` its",
        "ceiling.\n",
        "metric | library | inputs | dbench, s | theirs, s | theirs / ours",
        "--- | --- | ---: | ---: | ---: | ---:",
    )
    ours = {(call.metric, call.given): call for call in calls if call.library == "dbench"}
    draws = [reason for reason in reasons if reason.kind == "draws"]
    for metric in dict.fromkeys(call.metric for call in ours.values()):
        for library in libraries:
            asked = [(ours[metric, c.given], c) for c in calls if (c.metric, c.library) == (metric, library)]
            own = [pair[1] for pair in asked if equal(*pair) or any(reason.covers(*pair) for reason in draws)]
            if 2 * len(own) < len(asked) or not own:
                continue
            first = sum(ours[metric, call.given].seconds or 0 for call in own)
            second = sum(call.seconds or 0 for call in own)
            behind = f"{second / first:.1f}" if second >= first else f"{second / first:.2f}: **behind**"
            yield f"{metric} | {library} | {len(own)} | {first:.4f} | {second:.4f} | {behind}"
