"""Checks of what a metric says where a property holds, and where it does not."""

from collections.abc import Iterator
from functools import partial

from dbench.audit.gallery import NOISE_ONLY, PERFECT, REPRESENTATIONS
from dbench.audit.record import Answer, Check
from dbench.audit.scale import CHANCE, DRAWS, HIGH, LOW, Scale, judge, scale_of, score_of
from dbench.audit.subject import Subject

# Representations that lack one property and have the others (Duan et al., table 5).
BROKEN = {
    "modularity": ("factors packed in pairs",),
    "compactness": ("factors copied twice", "factors split into digits"),
    "explicitness": ("two of four missing",),
}


def characteristic_checks() -> Iterator[Check]:
    """Yield the checks that read a score as high or low."""
    yield Check("separation", "", _separates, REPRESENTATIONS[PERFECT].place)
    yield Check("chance", "", _chance, REPRESENTATIONS[NOISE_ONLY].place)
    for holding in ("characteristic_1", "characteristic_2", "weak", "strong"):
        for level, wanted, bound in (("high", True, HIGH), ("low", False, LOW)):
            ask = partial(judge, bound=bound, above=wanted)
            for name, representation in REPRESENTATIONS.items():
                if getattr(representation, holding) is wanted:
                    yield Check(f"{holding}_{level}", name, partial(ask, name=name), representation.place)
    for broken, names in BROKEN.items():
        for name in names:
            # A part is broken, so a score need not be low; it must not be high.
            yield Check(broken, name, partial(judge, name=name, bound=HIGH, above=False), REPRESENTATIONS[name].place)


def _separates(subject: Subject) -> Answer:
    scale = scale_of(subject)
    return Answer(
        scale.separates,
        scale.range,
        f"perfect copies {'below' if subject.direction < 0 else 'above'} noise, by more than {CHANCE:g} of the larger",
        f"perfect copies score {scale.perfect:.3g}, noise {scale.chance:.3g}",
        _reversed(subject, scale),
    )


def _reversed(subject: Subject, scale: Scale) -> str:
    """Say so where every draw of perfect copies lies on the wrong side of every draw of noise."""
    noise, copies = ([score_of(subject, name, repetition=i) for i in range(DRAWS)] for name in (NOISE_ONLY, PERFECT))
    sign = subject.direction
    if subject.scale is not None or max(sign * score for score in copies) >= min(sign * score for score in noise):
        return ""
    seen = f"Perfect copies score {scale.perfect:.3g}, noise {scale.chance:.3g}: "
    if sign < 0:
        return f"{seen}more is better, so leave --less-is-better (less_is_better=True) out."
    return f"{seen}it is reversed. If less is meant to be better, say --less-is-better (less_is_better=True)."


def _chance(subject: Subject) -> Answer:
    scale = scale_of(subject)
    largest = max(abs(scale.chance), abs(scale.perfect))
    return Answer(
        abs(scale.chance) <= CHANCE * largest,
        scale.chance,
        f"noise within {CHANCE * largest:.3g} of 0",
        f"noise scores {scale.chance:.3g}, perfect copies {scale.perfect:.3g}",
    )
