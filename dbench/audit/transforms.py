"""Checks of changes of the codes that change no relation: they must leave a score as it is, or not raise it."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dbench.audit.gallery import PERFECT, REPRESENTATIONS
from dbench.audit.record import Answer, Check
from dbench.audit.scale import LOW, SAME, scale_of
from dbench.audit.subject import Subject
from dbench.codes import FunctionSource, Source
from dbench.constructions.on_labels import labels
from dbench.constructions.relations import N_FACTORS, SIZE, UNEQUAL

Codes = NDArray[np.float64]
Factors = NDArray[np.int64] | NDArray[np.float64]
Change = Callable[[Codes, np.random.Generator], Codes]


def _leaky(factors: Factors, generator: np.random.Generator) -> Codes:
    """Mix codes and add noise, more to each than to the one before: no ties, no two codes alike."""
    codes = UNEQUAL["leaky"](factors, generator)
    more = np.linspace(0, 1, codes.shape[1])
    return np.asarray(codes + more * generator.standard_normal(codes.shape))


LEAKY = FunctionSource(labels(SIZE, N_FACTORS), _leaky)
BASES: dict[str, Source] = {PERFECT: REPRESENTATIONS[PERFECT].source, "leaky copy": LEAKY}


def _times(*factors: float) -> Change:
    return lambda codes, generator: codes * np.resize(factors, codes.shape[1])


# By property and case; powers of two, so that no digit is lost.
SAME_SCORE: dict[tuple[str, str], Change] = {
    ("permutation", ""): lambda codes, generator: np.roll(codes, 1, axis=1),
    ("sign", ""): _times(-1.0, 1.0),
    ("shift", ""): lambda codes, generator: codes + np.resize([1.0, -3.0, 0.5, 2.0], codes.shape[1]),
    ("scale", "one unit a code"): _times(16.0, 0.25, 1.0, 4.0),
    ("scale", "tiny unit"): _times(2.0**-24),
    ("monotone", ""): lambda codes, generator: np.exp(codes),
    ("dead_codes", "last"): lambda codes, generator: np.hstack([codes, np.full((len(codes), 2), 0.1)]),
    ("dead_codes", "first"): lambda codes, generator: np.hstack([np.zeros((len(codes), 2)), codes]),
    ("idle_codes", ""): lambda codes, generator: np.hstack([codes, generator.standard_normal((len(codes), 2))]),
}
PLACES = {
    "permutation": "Duan et al., consideration 1",
    "sign": "Duan et al., consideration 2",
    "monotone": "Sepliarskaia et al., fact 7",
    "dead_codes": "Locatello et al. (2020), 4.2.2",
    "idle_codes": "Locatello et al. (2020), 4.2.2",
}
# Standard deviations of noise on the codes, in steps of the factors.
NOISE = (0.0, 0.5, 1.0, 2.0, 4.0)


def changed(source: Source, change: Change) -> FunctionSource:
    """Let a source change its codes; factors and everything drawn before are the same."""
    return FunctionSource(
        source.draw_factors,
        lambda factors, generator: change(source.codes(factors, generator), generator),
        source.factor_names,
    )


def transform_checks() -> Iterator[Check]:
    """Yield the checks that compare a representation with a change of it."""
    for (name, kind), change in SAME_SCORE.items():
        for base in BASES:
            case = f"{base}, {kind}" if kind else base
            yield Check(
                name, case, partial(_same, base=base, key=f"{name} {case}", change=change), PLACES.get(name, "")
            )
    yield Check("duplicated_codes", "leaky copy", _duplicated, "Duan et al., table 5")
    yield Check("noise", PERFECT, _noise, "Locatello et al. (2020), 7")


def _same(subject: Subject, base: str, key: str, change: Change) -> Answer:
    allowed = SAME * scale_of(subject).unit
    before = subject.score(base, BASES[base])
    after = subject.score(key, changed(BASES[base], change))
    moved = after - before
    return Answer(abs(moved) <= allowed, moved, f"moved by at most {allowed:.3g}", f"{before:.3g} became {after:.3g}")


def _duplicated(subject: Subject) -> Answer:
    """A second copy never scores better."""
    scale = scale_of(subject)
    before = subject.score("leaky copy", LEAKY)
    after = subject.score("duplicated", changed(LEAKY, lambda codes, generator: np.hstack([codes, codes])))
    moved, allowed = (after - before) * subject.direction, SAME * scale.unit
    return Answer(
        bool(moved <= allowed),
        after - before,
        f"no better by more than {allowed:.3g} when every code is repeated",
        f"{before:.3g} became {after:.3g}",
    )


def _noise(subject: Subject) -> Answer:
    """More noise never scores better, and a lot of it scores low."""
    scale = scale_of(subject)
    scores = [subject.score(f"noise {s}", changed(BASES[PERFECT], partial(_blur, deviation=s))) for s in NOISE]
    steps = np.diff(scores) * subject.direction
    worst = float(steps.max())
    low = scale.separates and scale.position(scores[-1]) < LOW
    path = ", ".join(f"{score:.3g}" for score in scores)
    return Answer(
        bool(low and worst <= SAME * scale.unit),
        worst,
        f"no better by more than {SAME * scale.unit:.3g} from level to level, and low at the last",
        f"noise of {', '.join(f'{s:g}' for s in NOISE)} steps scores {path}",
    )


def _blur(codes: Codes, generator: np.random.Generator, deviation: float) -> Codes:
    return np.asarray(codes + deviation * generator.standard_normal(codes.shape))
