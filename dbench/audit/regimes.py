"""Checks of a metric away from independent factors and few codes: more codes, fewer rows, factors that depend."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dbench.audit.record import Answer, Check
from dbench.audit.scale import BIAS, scale_of
from dbench.audit.subject import Subject
from dbench.codes import FunctionSource, Source
from dbench.constructions.causal import confounded_copies
from dbench.constructions.on_labels import labels

WIDTH = 50  # codes of noise, where the scale is taken from four
FEWER = 10  # a tenth of the observations
SIZE = 4  # values of each factor


def wide_noise(width: int) -> FunctionSource:
    """Four factors, and so many codes that tell nothing of them, Gaussian each."""
    return FunctionSource(labels(SIZE, 4), lambda factors, generator: generator.standard_normal((len(factors), width)))


def redundant_copies() -> FunctionSource:
    """Copies of three factors of four values, of which the third is the upper half of the first."""

    def draw(n: int, generator: np.random.Generator) -> NDArray[np.int64]:
        factors = generator.integers(SIZE, size=(n, 3))
        factors[:, 2] = factors[:, 0] // 2
        return factors

    return FunctionSource(draw, lambda factors, generator: factors.astype(np.float64))


def regime_checks() -> Iterator[Check]:
    """Yield the checks of noise in many codes, and of copies of factors that depend."""
    noise = wide_noise(WIDTH)
    yield Check("regime", "many codes of noise", partial(_noise, source=noise, few=False))
    yield Check("regime", "many codes of noise, few rows", partial(_noise, source=noise, few=True))
    for case, source in (("correlated factors", confounded_copies(0.8)), ("redundant factors", redundant_copies())):
        yield Check("regime", case, partial(_copies, source=source, case=case), "Almudévar and Ortega (2024)")


def _noise(subject: Subject, source: Source, few: bool) -> Answer:
    expected = f"within {BIAS:g} of the scale of four codes of noise"
    if few and subject.needs == "source":
        return Answer(None, None, expected, "it chooses the number of its observations itself")
    rows = subject.observations // FEWER if few else subject.observations
    scale, found = scale_of(subject), subject.score(f"{WIDTH} codes of noise", source, n=rows)
    moved = (found - scale.chance) / scale.unit
    return Answer(abs(moved) <= BIAS, found, expected, f"{scale.chance:.3g}, {found:.3g} of {WIDTH} codes")


def _copies(subject: Subject, source: Source, case: str) -> Answer:
    expected = f"within {BIAS:g} of the scale of copies of independent factors"
    scale, found = scale_of(subject), subject.score(f"copies, {case}", source)
    moved = (found - scale.perfect) / scale.unit
    return Answer(abs(moved) <= BIAS, found, expected, f"{scale.perfect:.3g}, {found:.3g} where {case} are copied")
