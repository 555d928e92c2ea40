"""Checks of a metric as an estimator: bias in small samples and with other bins, bounds, and determinism."""

from collections.abc import Iterator
from functools import partial

from dbench.audit.gallery import NOISE_ONLY, PERFECT, REPRESENTATIONS
from dbench.audit.record import Answer, Check
from dbench.audit.scale import BIAS, scale_of, score_of
from dbench.audit.subject import MetricFailed, Subject

# A tenth of the observations, as often as it takes to tell bias from luck.
FEWER, DRAWS = 10, 5


def estimation_checks() -> Iterator[Check]:
    """Yield the checks of bias, bounds and repeatability."""
    for name in (PERFECT, NOISE_ONLY):
        yield Check("sample_size", name, partial(_sample_size, name=name), "Locatello et al. (2020), 7")
    for name in (PERFECT, NOISE_ONLY):
        yield Check("bins", name, partial(_bins, name=name))
    yield Check("bounds", "", _bounds)
    yield Check("determinism", "", _determinism)


def _sample_size(subject: Subject, name: str) -> Answer:
    few = subject.observations // FEWER
    expected = f"the mean score of {few} observations within {BIAS:g} of the scale of that of {subject.observations}"
    if subject.needs == "source":
        return Answer(None, None, expected, "it chooses the number of its observations itself")
    scores = [score_of(subject, name, n=few, repetition=i) for i in range(DRAWS)]
    before, after = score_of(subject, name), sum(scores) / DRAWS
    within = abs(after - before) <= BIAS * scale_of(subject).unit
    return Answer(within, after - before, expected, f"{before:.3g} with all, {after:.3g} with {few}")


def _bins(subject: Subject, name: str) -> Answer:
    expected = f"the score with half and with twice the bins within {BIAS:g} of the scale"
    if subject.bins is None:
        return Answer(None, None, expected, "it has no option for a number of bins")
    option, default = subject.bins
    before = score_of(subject, name)
    scores = {count: score_of(subject, name, **{option: count}) for count in (default // 2, 2 * default)}
    moved = max((score - before for score in scores.values()), key=abs)
    said = ", ".join(f"{score:.3g} with {count}" for count, score in scores.items())
    return Answer(
        abs(moved) <= BIAS * scale_of(subject).unit, moved, expected, f"{before:.3g} with {default} bins, {said}"
    )


def _bounds(subject: Subject) -> Answer:
    scores: dict[str, float] = {}
    failed: MetricFailed | None = None
    for name in REPRESENTATIONS:
        try:
            scores[name] = score_of(subject, name)
        except MetricFailed as error:  # reported by the checks of that representation
            failed = error
    if failed is not None and not scores:
        raise failed
    low, high = subject.bounds
    # A rounding error is no score out of bounds.
    slack = 1e-9
    outside = {
        name: score
        for name, score in scores.items()
        if (low is not None and score < low - slack) or (high is not None and score > high + slack)
    }
    name = max(outside, key=lambda n: abs(outside[n])) if outside else max(scores, key=scores.__getitem__)
    interval = " to ".join("unbounded" if bound is None else f"{bound:g}" for bound in (low, high))
    seen = f"scores from {min(scores.values()):.3g} to {max(scores.values()):.3g}"
    return Answer(
        not outside,
        scores[name],
        f"every score within {interval}",
        f"{seen}{f', on {name!r}' if outside else ''}",
        f"Scores of {scores[name]:.3g} ({name}) where {interval} is declared: is it normalised? If those are not its "
        "bounds, say --bounds LOW HIGH (bounds=)."
        if outside
        else "",
    )


def _determinism(subject: Subject) -> Answer:
    source = REPRESENTATIONS[PERFECT].source
    before, after = score_of(subject, PERFECT), subject.fresh_score(source)
    return Answer(
        before == after, after - before, "the same number for the same arrays", f"{before:.6g}, then {after:.6g}"
    )
