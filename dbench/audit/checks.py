"""The checks of a metric: characteristics, invariance to changes that keep relations, estimation, other regimes."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dbench.audit.gallery import NOISE_ONLY, PERFECT, REPRESENTATIONS
from dbench.audit.record import (
    BIAS,
    CHANCE,
    DRAWS,
    HIGH,
    LOW,
    SAME,
    Answer,
    Check,
    Scale,
    judge,
    measured_scale,
    scale_of,
    score_of,
)
from dbench.audit.subject import MetricFailed, Subject
from dbench.codes import FunctionSource, Source
from dbench.constructions.causal import confounded_copies
from dbench.constructions.on_labels import labels
from dbench.constructions.relations import N_FACTORS, SIZE, UNEQUAL

# Representations that lack one property but have the others (Duan et al., table 5).
BROKEN = {
    "modularity": ("factors packed in pairs",),
    "compactness": ("factors copied twice", "factors split into digits"),
    "explicitness": ("two of four missing",),
}


def characteristic_checks() -> Iterator[Check]:
    """Yield the checks that read a score as high or low."""
    yield Check("separation", "", _separates, REPRESENTATIONS[PERFECT].reference)
    yield Check("chance", "", _chance, REPRESENTATIONS[NOISE_ONLY].reference)
    for holding in ("characteristic_1", "characteristic_2", "weak", "strong"):
        for level, wanted, bound in (("high", True, HIGH), ("low", False, LOW)):
            for name, representation in REPRESENTATIONS.items():
                if getattr(representation, holding) is wanted:
                    ask = partial(judge, name=name, bound=bound, above=wanted)
                    yield Check(f"{holding}_{level}", name, ask, representation.reference)
    for broken, names in BROKEN.items():
        for name in names:
            # Only one property is broken, so the score need not be low, but it must not be high.
            ask = partial(judge, name=name, bound=HIGH, above=False)
            yield Check(broken, name, ask, REPRESENTATIONS[name].reference)


def _separates(subject: Subject) -> Answer:
    scale = measured_scale(subject)
    return Answer(
        scale.separates,
        scale.range,
        f"perfect copies {'below' if subject.direction < 0 else 'above'} noise, by more than {CHANCE:g} of the larger",
        f"perfect copies score {scale.perfect:.3g}, noise {scale.chance:.3g}",
        _hint_if_reversed(subject, scale),
    )


def _hint_if_reversed(subject: Subject, scale: Scale) -> str:
    """Return a hint if every draw of perfect copies scores worse than every draw of noise; else an empty text."""
    noise = [score_of(subject, NOISE_ONLY, repetition=i) for i in range(DRAWS)]
    copies = [score_of(subject, PERFECT, repetition=i) for i in range(DRAWS)]
    sign = subject.direction
    if subject.scale is not None or max(sign * score for score in copies) >= min(sign * score for score in noise):
        return ""
    scores = f"Perfect copies score {scale.perfect:.3g}, noise {scale.chance:.3g}: "
    if sign < 0:
        return f"{scores}more is better, so leave --less-is-better (less_is_better=True) out."
    return f"{scores}it is reversed. If less is meant to be better, say --less-is-better (less_is_better=True)."


def _chance(subject: Subject) -> Answer:
    scale = measured_scale(subject)
    largest = max(abs(scale.chance), abs(scale.perfect))
    return Answer(
        abs(scale.chance) <= CHANCE * largest,
        scale.chance,
        f"noise within {CHANCE * largest:.3g} of 0",
        f"noise scores {scale.chance:.3g}, perfect copies {scale.perfect:.3g}",
    )


Codes = NDArray[np.float64]
Factors = NDArray[np.int64] | NDArray[np.float64]
Change = Callable[[Codes, np.random.Generator], Codes]


def _leaky(factors: Factors, generator: np.random.Generator) -> Codes:
    """Mix the factors and add noise that grows from code to code: no ties, and no two codes are alike."""
    codes = UNEQUAL["leaky"](factors, generator)
    deviations = np.linspace(0, 1, codes.shape[1])
    return np.asarray(codes + deviations * generator.standard_normal(codes.shape))


LEAKY = FunctionSource(labels(SIZE, N_FACTORS), _leaky)
BASES: dict[str, Source] = {PERFECT: REPRESENTATIONS[PERFECT].source, "leaky copy": LEAKY}


def _times(*factors: float) -> Change:
    return lambda codes, generator: codes * np.resize(factors, codes.shape[1])


# Changes that must not move a score, by family and case. Factors are powers of two, so that scaling rounds nothing.
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
REFERENCES = {
    "permutation": "Duan et al., consideration 1",
    "sign": "Duan et al., consideration 2",
    "monotone": "Sepliarskaia et al., fact 7",
    "dead_codes": "Locatello et al. (2020), 4.2.2",
    "idle_codes": "Locatello et al. (2020), 4.2.2",
}
# Standard deviations of noise on the codes, in steps of the factors.
NOISE = (0.0, 0.5, 1.0, 2.0, 4.0)


def changed(source: Source, change: Change) -> FunctionSource:
    """Return a source whose codes are changed; factors and everything drawn before the change stay the same."""
    return FunctionSource(
        source.draw_factors,
        lambda factors, generator: change(source.codes(factors, generator), generator),
        source.factor_names,
    )


def transform_checks() -> Iterator[Check]:
    """Yield the checks that compare the scores of a representation before and after a change."""
    for (family, kind), change in SAME_SCORE.items():
        for base in BASES:
            case = f"{base}, {kind}" if kind else base
            ask = partial(_same, base=base, key=f"{family} {case}", change=change)
            yield Check(family, case, ask, REFERENCES.get(family, ""))
    yield Check("duplicated_codes", "leaky copy", _duplicated, "Duan et al., table 5")
    yield Check("noise", PERFECT, _noise, "Locatello et al. (2020), 7")


def _same(subject: Subject, base: str, key: str, change: Change) -> Answer:
    """Ask whether a change of the codes leaves the score as it is."""
    allowed = SAME * scale_of(subject).unit
    before = subject.score(base, BASES[base])
    after = subject.score(key, changed(BASES[base], change))
    moved = after - before
    return Answer(abs(moved) <= allowed, moved, f"moved by at most {allowed:.3g}", f"{before:.3g} became {after:.3g}")


def _duplicated(subject: Subject) -> Answer:
    """Ask whether a second copy of every code scores no better."""
    allowed = SAME * scale_of(subject).unit
    before = subject.score("leaky copy", LEAKY)
    after = subject.score("duplicated", changed(LEAKY, lambda codes, generator: np.hstack([codes, codes])))
    moved = after - before
    return Answer(
        bool(moved * subject.direction <= allowed),
        moved,
        f"no better by more than {allowed:.3g} when every code is repeated",
        f"{before:.3g} became {after:.3g}",
    )


def _noise(subject: Subject) -> Answer:
    """Ask whether more noise never scores better, and much noise scores low."""
    scale = scale_of(subject)
    scores = [subject.score(f"noise {s}", changed(BASES[PERFECT], partial(_add_noise, deviation=s))) for s in NOISE]
    steps = np.diff(scores) * subject.direction
    worst = float(steps.max())
    low = scale.separates and scale.position(scores[-1]) < LOW
    scores_text = ", ".join(f"{score:.3g}" for score in scores)
    return Answer(
        bool(low and worst <= SAME * scale.unit),
        worst,
        f"no better by more than {SAME * scale.unit:.3g} from level to level, and low at the last",
        f"noise of {', '.join(f'{s:g}' for s in NOISE)} steps scores {scores_text}",
    )


def _add_noise(codes: Codes, generator: np.random.Generator, deviation: float) -> Codes:
    return np.asarray(codes + deviation * generator.standard_normal(codes.shape))


FEWER = 10  # a small sample has a tenth of the observations; its score is averaged over DRAWS samples


def estimation_checks() -> Iterator[Check]:
    """Yield the checks of bias, bounds and repeatability."""
    for name in (PERFECT, NOISE_ONLY):
        yield Check("sample_size", name, partial(_sample_size, name=name), "Locatello et al. (2020), 7")
    for name in (PERFECT, NOISE_ONLY):
        yield Check("bins", name, partial(_bins, name=name))
    yield Check("bounds", "", _bounds)
    yield Check("determinism", "", _determinism)


def _sample_size(subject: Subject, name: str) -> Answer:
    """Ask whether the mean score of small samples is that of a large one."""
    few = subject.observations // FEWER
    expected = f"the mean score of {few} observations within {BIAS:g} of the scale of that of {subject.observations}"
    if subject.needs == "source":
        return Answer(None, None, expected, "it chooses the number of its observations itself")
    scores = [score_of(subject, name, n=few, repetition=i) for i in range(DRAWS)]
    before, after = score_of(subject, name), sum(scores) / DRAWS
    within = abs(after - before) <= BIAS * scale_of(subject).unit
    return Answer(within, after - before, expected, f"{before:.3g} with all, {after:.3g} with {few}")


def _bins(subject: Subject, name: str) -> Answer:
    """Ask whether the score stays with half and with twice the bins."""
    expected = f"the score with half and with twice the bins within {BIAS:g} of the scale"
    if subject.bins is None:
        return Answer(None, None, expected, "it has no option for a number of bins")
    option, default = subject.bins
    before = score_of(subject, name)
    scores = {count: score_of(subject, name, **{option: count}) for count in (default // 2, 2 * default)}
    moved = max((score - before for score in scores.values()), key=abs)
    others = ", ".join(f"{score:.3g} with {count}" for count, score in scores.items())
    return Answer(
        abs(moved) <= BIAS * scale_of(subject).unit, moved, expected, f"{before:.3g} with {default} bins, {others}"
    )


def _bounds(subject: Subject) -> Answer:
    """Ask whether every representation of the gallery scores within the declared bounds."""
    scores: dict[str, float] = {}
    failed: MetricFailed | None = None
    for name in REPRESENTATIONS:
        try:
            scores[name] = score_of(subject, name)
        except MetricFailed as error:  # the checks of that representation report it
            failed = error
    if failed is not None and not scores:
        raise failed
    low, high = subject.bounds
    rounding = 1e-9  # a score that is off by so little is within bounds
    outside = {
        name: score
        for name, score in scores.items()
        if (low is not None and score < low - rounding) or (high is not None and score > high + rounding)
    }
    worst = max(outside, key=lambda name: abs(outside[name])) if outside else max(scores, key=scores.__getitem__)
    interval = " to ".join("unbounded" if bound is None else f"{bound:g}" for bound in (low, high))
    seen = f"scores from {min(scores.values()):.3g} to {max(scores.values()):.3g}"
    return Answer(
        not outside,
        scores[worst],
        f"every score within {interval}",
        f"{seen}{f', on {worst!r}' if outside else ''}",
        f"Scores of {scores[worst]:.3g} ({worst}) where {interval} is declared: is it normalised? If those are not its "
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


NARROW, WIDTH = 4, 50  # numbers of codes that hold noise, in the regime checks


def wide_noise(width: int) -> FunctionSource:
    """Return a source of four factors and ``width`` codes of Gaussian noise that are independent of them."""
    return FunctionSource(labels(SIZE, 4), lambda factors, generator: generator.standard_normal((len(factors), width)))


def small_copies(*, redundant: bool) -> FunctionSource:
    """Copy two factors with four values and one with two; if ``redundant``, the third is the first's upper bit."""

    def draw(n: int, generator: np.random.Generator) -> NDArray[np.int64]:
        factors = generator.integers((SIZE, SIZE, 2), size=(n, 3))
        if redundant:
            factors[:, 2] = factors[:, 0] // 2
        return factors

    return FunctionSource(draw, lambda factors, generator: factors.astype(np.float64))


def regime_checks() -> Iterator[Check]:
    """Yield the checks with many codes of noise, and those with copies of dependent factors."""
    yield Check("regime", "many codes of noise", partial(_many_codes, few=False))
    yield Check("regime", "many codes of noise, few rows", partial(_many_codes, few=True))
    for case, source, independent in (
        ("correlated factors", confounded_copies(0.8), confounded_copies(0.0)),
        ("redundant factors", small_copies(redundant=True), small_copies(redundant=False)),
    ):
        ask = partial(_dependent_copies, source=source, independent=independent, case=case)
        yield Check("regime", case, ask, "Almudévar and Ortega (2024)")


def _many_codes(subject: Subject, few: bool) -> Answer:
    """Ask whether many codes of noise score like few."""
    rows = subject.observations // FEWER if few else subject.observations
    expected = f"within {BIAS:g} of {NARROW} codes of noise on as many rows"
    if few and subject.needs == "source":
        return Answer(None, None, expected, "it chooses the number of its observations itself")
    narrow, wide = (
        np.mean([subject.score(f"{d} codes of noise", wide_noise(d), n=rows, repetition=i) for i in range(DRAWS)])
        for d in (NARROW, WIDTH)
    )
    moved = (wide - narrow) / scale_of(subject).unit
    return Answer(bool(abs(moved) <= BIAS), float(wide), expected, f"{narrow:.3g}, {wide:.3g} of {WIDTH} codes")


def _dependent_copies(subject: Subject, source: Source, independent: Source, case: str) -> Answer:
    """Ask whether copies of dependent factors score like copies of independent ones."""
    expected = f"within {BIAS:g} of copies of as many independent factors"
    reference = subject.score(f"copies, no {case}", independent)
    score = subject.score(f"copies, {case}", source)
    moved = (score - reference) / scale_of(subject).unit
    return Answer(abs(moved) <= BIAS, score, expected, f"{reference:.3g}, {score:.3g} where {case} are copied")


CHECKS: dict[str, Check] = {
    check.name: check
    for check in (*characteristic_checks(), *transform_checks(), *estimation_checks(), *regime_checks())
}
"""All checks by name, ``family[case]``."""
