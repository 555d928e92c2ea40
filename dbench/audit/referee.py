"""Sum up an audit in one line, and tell failures that are almost always bugs from failures by definition.

Our own metrics decide to which group a check belongs: ``ours.json`` names those that fail it, as measured by
``tools/properties.py``. If hardly any of them fails a check, failing it is almost always a bug.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from statistics import mode

from dbench.audit.record import CheckResult

# Share of our own metrics that tell perfect copies from noise: a check that more of them fail is one of definition.
LIKELY = 0.1
ROUNDING = 1e-9  # scores that differ by less are the same
# Family of checks -> frequent cause of its failure. The first family with a likely bug is named.
CAUSES = {
    "determinism": "does it draw random numbers of its own?",
    "permutation": "does it take code i for factor i?",
    "dead_codes": "does it average over codes, or sort along the wrong axis?",
    "idle_codes": "does it average over codes, or sort along the wrong axis?",
    "sign": "does it use relations with their sign?",
    "shift": "are its bins, or its threshold, at fixed places?",
    "scale": "are its bins, or its threshold, at fixed places?",
    "duplicated_codes": "does it add up over codes?",
    "sample_size": "is it biased where rows are few?",
    "bins": "does the number of bins decide the score?",
    "noise": "does it count noise in codes as a relation?",
    "chance": "is it adjusted for chance?",
    "separation": "does it see the factors at all?",
}


@cache
def failures_of_ours() -> Mapping[str, frozenset[str]]:
    """Return check -> our metrics that fail it, among those that tell perfect copies from noise (all under ``""``)."""
    known = json.loads(files("dbench.audit").joinpath("ours.json").read_text(encoding="utf-8"))
    judged = frozenset(known["metrics"]) - frozenset(known["failures"].get("separation", ()))
    return {"": judged} | {check: judged.intersection(names) for check, names in known["failures"].items()}


def likely_a_bug(check: str) -> bool:
    """Return whether failing this check is almost always a bug.

    Example:
        >>> likely_a_bug("permutation[perfect copy]"), likely_a_bug("modularity[factors packed in pairs]")
        (True, False)
    """
    ours = failures_of_ours()
    return len(ours.get(check, ())) <= LIKELY * len(ours[""])


def likely_bugs(records: Iterable[CheckResult]) -> list[CheckResult]:
    """Return failures that are likely bugs; beside a reference metric (``like``), those that it passes."""
    failed = [record for record in records if record.status in ("fail", "error") and not record.deviation]
    return [r for r in failed if (r.like_status == "pass" if r.like else likely_a_bug(r.check))]


def answer(records: Sequence[CheckResult]) -> str:
    """Sum up an audit in one line.

    Args:
        records: those of one metric, as :func:`dbench.audit.audit` returns them.

    Example:
        >>> from dbench.audit import audit
        >>> said = answer(audit(lambda codes, factors: 1 / codes.shape[1], only=["dead_codes"]))
        >>> said.partition(" (")[0]
        'Likely a bug: dead_codes[perfect copy, last] fails'
    """
    applicable = [record for record in records if record.status != "not applicable"]
    like = next((record.like for record in records if record.like), "")
    if not applicable:
        return "Nothing of it applies."
    errors = [record.reason for record in applicable if record.status == "error"]
    if len(errors) == len(applicable):
        gave_up = next((reason for reason in errors if reason.startswith("given up")), "")
        return f"No number was given: {gave_up or mode(errors)}."
    bugs, hints = likely_bugs(records), list(dict.fromkeys(record.hint for record in records if record.hint))
    if hints:
        return " ".join(hints)
    rest = f" {len(errors)} of {len(applicable)} checks got no score, most often: {mode(errors)}." if errors else ""
    if bugs:
        families = list(CAUSES)
        first = min(bugs, key=lambda bug: families.index(bug.family) if bug.family in CAUSES else len(families))
        cause = CAUSES.get(first.family, "")
        passes = f", {like} passes" if like else ""
        line = f"Likely a bug: {first.check} fails ({first.reason}{passes})"
        return line + (f": {cause}" if cause else ".") + rest
    declared = sum(bool(record.deviation) for record in records)
    if declared:
        rest = f" {declared} {'fails' if declared == 1 else 'fail'} as declared.{rest}"
    if like:
        scored = [record for record in records if record.value is not None and record.like_value is not None]
        farthest = max(scored, key=_distance, default=None)
        distance = ""
        if farthest and _distance(farthest) > ROUNDING:
            distance = f"; scores are at most {_distance(farthest):.2g} apart ({farthest.check})"
        exception = ", but for what is declared" if declared else ""
        return f"Passes what {like} passes{exception}{distance}.{rest}"
    failed = sum(record.status == "fail" and not record.deviation for record in records)
    if not failed:
        return f"{'Nothing else fails' if declared else 'Passes all that was asked'}.{rest}"
    return f"Nothing that is almost always a bug. {failed} checks fail by definition, as some of ours do.{rest}"


def _distance(record: CheckResult) -> float:
    return abs((record.value or 0.0) - (record.like_value or 0.0))
