"""docs/peers.md: values and times of every implementation beside ours, and the reason of each difference."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

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
    """Why a peer's values differ from ours: of a metric, and of the inputs ``given``, or of all where empty."""

    library: str
    metric: str
    kind: str
    text: str
    given: tuple[str, ...] = ()

    def covers(self, call: Call) -> bool:
        """Whether it is about this call."""
        named = not self.given or call.given in self.given
        return named and (self.library, self.metric) == (call.library, call.metric)


def read_reasons(path: Path = REASONS) -> list[Reason]:
    """Read the reasons.

    Raises:
        DamagedData: an entry without a kind or a text.
    """
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["reason"]
    reasons = [Reason(**entry | {"given": tuple(entry.get("given", ()))}) for entry in entries]
    for reason in reasons:
        if reason.kind not in KINDS or not reason.text.strip():
            raise DamagedData(f"{path.name} must give kind ({', '.join(KINDS)}) and text, got {reason}")
    return reasons


def equal(ours: Call, theirs: Call) -> bool:
    """Whether all parts that a peer gives agree with ours, where chance draws as far as two draws may differ."""
    apart = APART.get(ours.metric, EQUAL)
    return bool(theirs.values) and all(
        part in ours.values and abs(value - ours.values[part]) <= apart for part, value in theirs.values.items()
    )


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
        and not any(reason.covers(call) for reason in known)
    ]


def outdated(calls: Sequence[Call], reasons: Iterable[Reason]) -> list[Reason]:
    """Return the reasons of which no call differs, though the library was there."""
    ours = {(call.metric, call.given): call for call in calls if call.library == "dbench"}
    there = {call.library for call in calls if call.outcome != "not installed"}
    differ = [call for call in calls if not same(ours[call.metric, call.given], call)]
    return [reason for reason in reasons if reason.library in there and not any(map(reason.covers, differ))]


def _cell(call: Call, ours: Call, notes: Mapping[Reason, int]) -> str:
    said = " / ".join(f"{value:.4f}" for value in call.values.values()) or call.outcome
    if call is ours or call.outcome == "not installed":
        return said
    if same(ours, call):
        return "=" if call.metric not in APART or not call.values else f"{said} ="
    marks = [str(number) for reason, number in notes.items() if reason.covers(call)]
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
        "Written by `make peers`, which installs the libraries into an environment of their own and gives all of them the same",
        f"{ROWS:,} rows, one thread each. `=`: equal to ours within {EQUAL:g}, or, where both draw at random (`factor_vae`,",
        f"`beta_vae_metric`), within {APART['factor_vae']:.3f}, three standard errors of the difference of two accuracies from {TEST:,} draws.",
        "Every other value has the number of its reason: a **setting**, another **definition** under the same name, other",
        "random **draws**, or a **fault** ([peers-faults.md](peers-faults.md)). `raised` and `no answer` are outcomes, not numbers:",
        f"a call may take {limit:g} s of processor time.\n",
        "Versions: " + ", ".join(f"{library} {number or 'not installed'}" for library, number in versions.items()) + ".\n",
        *(f"- `{given}`: {describe(given)}" for given in inputs),
        "\nThree numbers of `dci` are disentanglement, completeness and informativeness.",
    )
    for metric in dict.fromkeys(call.metric for call in calls if call.library == "dbench"):
        found = {(call.library, call.given): call for call in calls if call.metric == metric}
        there = [library for library in libraries if (library, inputs[0]) in found]
        if not there:
            continue
        notes = {r: n for n, r in enumerate([r for r in reasons if r.metric == metric and r.library in there], 1)}
        yield from (f"\n## {metric}\n", " | ".join(["input", "dbench", *there]), " | ".join(["---"] * (len(there) + 2)))
        for given in inputs:
            ours = found["dbench", given]
            yield " | ".join([given, *(_cell(found[library, given], ours, notes) for library in ("dbench", *there))])
        yield ""
        settings = {library: known[f"{library}:{metric}"].settings for library in ("dbench", *there)}
        if any(settings.values()):
            yield "Settings: " + "; ".join(f"{name}: {text}" for name, text in settings.items() if text) + ".\n"
        yield from (f"{number}. {r.library}, **{r.kind}**: {r.text}" for r, number in notes.items())
        raised = {(c.library, c.said): c.given for c in found.values() if c.outcome in ("raised", "no answer")}
        yield from (f"- {library} on `{given}`: {said.replace('|', '/')}" for (library, said), given in raised.items())
    yield from _times(calls, libraries)


def _times(calls: Sequence[Call], libraries: Sequence[str]) -> Iterator[str]:
    yield from (
        "\n## Times at equal values\n",
        "Seconds of processor time, the sum over the inputs on which the values are equal, and how many these are.\n",
        "metric | library | inputs | dbench, s | theirs, s | theirs / ours",
        "--- | --- | ---: | ---: | ---: | ---:",
    )
    ours = {(call.metric, call.given): call for call in calls if call.library == "dbench"}
    for metric in dict.fromkeys(call.metric for call in ours.values()):
        for library in libraries:
            own = [c for c in calls if (c.metric, c.library) == (metric, library) and equal(ours[metric, c.given], c)]
            if not own:
                continue
            first = sum(ours[metric, call.given].seconds or 0 for call in own)
            second = sum(call.seconds or 0 for call in own)
            behind = f"{second / first:.1f}" if second >= first else f"{second / first:.2f}: **behind**"
            yield f"{metric} | {library} | {len(own)} | {first:.4f} | {second:.4f} | {behind}"
