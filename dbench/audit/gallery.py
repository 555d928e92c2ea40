"""The representations that metrics are audited on, each with its place in the papers.

Continuous factors of the papers take a few values here, so that every metric can be computed. The factors that a code
holds are written as letters: ``"a b ab"`` is one code for each of two factors and one code that holds both; ``-`` is a
code that holds nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Source
from dbench.constructions.causal import confounded_copies, moved_codes
from dbench.constructions.characteristics import (
    THREE_VALUES,
    coin_copies,
    gaussian_mixtures,
    hidden,
    rectangles,
    uncaptured,
)
from dbench.constructions.entangling import QUARTER, orthogonal, rotated, same_law
from dbench.constructions.model_sets import broken_source
from dbench.constructions.on_labels import NORMAL, UNIFORM, circles, codes_of, on_labels
from dbench.constructions.relations import related
from dbench.constructions.spread_codes import band_source, group_source, toy_source, xor_source
from dbench.seeds import generator

PERFECT, NOISE_ONLY = "perfect copy", "noise only"
SEPLIARSKAIA, MAHON, LOCATELLO = "Sepliarskaia et al.", "Mahon et al.", "Locatello et al. (2020)"
SUTER, DUAN = "Suter et al.", "Duan et al."


@dataclass(frozen=True, eq=False)
class Representation:
    """A construction, and which code holds which factor."""

    source: Source  # factors are integer labels throughout
    holds: NDArray[np.bool_]  # codes x factors: whether the code depends on the factor, or is needed to tell it
    explicit: bool  # whether every factor can be told from all codes together
    reference: str  # place in the papers
    truth: str  # what is known about the codes, in words

    @property
    def characteristic_1(self) -> bool | None:
        """Whether every code changes with one factor only; ``None`` where no code holds anything."""
        return bool((self.holds.sum(axis=1) <= 1).all()) if self.holds.any() else None

    @property
    def characteristic_2(self) -> bool | None:
        """Whether every factor changes one code only; ``None`` where no code holds the whole of some factor."""
        if (self.holds.sum(axis=0) > 1).any():
            return False
        return True if self.explicit else None

    @property
    def weak(self) -> bool | None:
        """Whether codes form a group per factor that tells this factor only; ``None`` where no code holds anything."""
        return None if self.characteristic_1 is None else self.characteristic_1 and self.explicit

    @property
    def strong(self) -> bool | None:
        """Whether every factor is told by one code of its own and by no other; ``None`` where ``weak`` is ``None``."""
        return None if self.weak is None else self.weak and self.characteristic_2 is True


def _of(source: Source, holds: str, reference: str, truth: str, *, explicit: bool = True) -> Representation:
    """Return a representation; ``holds`` has the letters of the factors in each code."""
    letters = "abcdefghij"[: len(source.factor_names)]
    held = np.array([[letter in code for letter in letters] for code in holds.split()])
    return Representation(source, held, explicit, reference, truth)


REPRESENTATIONS: dict[str, Representation] = {
    # Both characteristics hold.
    PERFECT: _of(related("one-to-one"), "a b c d", f"{LOCATELLO}, 6.1.1", "every code is its factor"),
    "permuted copy": _of(
        codes_of(lambda z: np.roll(z, 1, axis=1), 4, 3),
        "c a b",
        f"{DUAN}, consideration 1",
        "every code is some factor",
    ),
    "flipped copy": _of(
        codes_of(lambda z: z * np.array([-1, 1, -1]), 4, 3),
        "a b c",
        f"{DUAN}, consideration 2",
        "every other code is minus its factor",
    ),
    "scaled copy": _of(
        codes_of(lambda z: z * np.array([100, 1, 0.01]), 4, 3),
        "a b c",
        f"{DUAN}, related work",
        "units of 100, 1 and 0.01",
    ),
    "exponential copy": _of(
        codes_of(np.exp, 4, 3),
        "a b c",
        f"{SEPLIARSKAIA}, fact 7",
        "every code is the exponential of its factor",
    ),
    "stretched copy": _of(
        codes_of(lambda z: THREE_VALUES[z], 3, 2),
        "a b",
        f"{SEPLIARSKAIA}, fact 7",
        "places 0, 1, 1000, two of which share a bin: MIG is 0.579",
    ),
    "powers": _of(
        codes_of(lambda z: UNIFORM[z] ** 15, len(UNIFORM), 2),
        "a b",
        f"{SEPLIARSKAIA}, fact 6",
        "z^15: squared correlation 0.32 where z is uniform on [-1, 1]",
    ),
    "copies beside dead codes": _of(
        codes_of(lambda z: np.hstack([z, np.ones((len(z), 2))]), 4, 3),
        "a b c - -",
        f"{LOCATELLO}, 4.2.2",
        "two codes never change",
    ),
    "confounded copies": _of(
        confounded_copies(0.6),
        "a b c",
        f"{SUTER}, 3",
        "two factors agree with probability 0.52, by chance 0.25",
    ),
    # Every code holds one factor, a factor is in several codes.
    "two codes a side": _of(
        rectangles("spread"),
        "a a b b",
        f"{SEPLIARSKAIA}, 2.3",
        "x, x^2, y, y^3: every code tells its side",
    ),
    "cosine and sine": _of(
        circles(),
        "a a b b",
        f"{SUTER}, 3.2",
        "only both tell the angle; one alone leaves two angles, or one",
    ),
    "factors copied twice": _of(
        broken_source("copied"),
        "a b c d a b c d",
        f"{DUAN}, table 5",
        "compactness alone is broken",
    ),
    "factors split into digits": _of(
        broken_source("split"),
        "a b c d a b c d",
        f"{DUAN}, table 5",
        "compactness alone is broken: a code tells 1 of 2 bits",
    ),
    "xor pairs": _of(xor_source(), "a a b b", f"{MAHON}, 3.2", "no code alone tells anything, its pair tells all"),
    "five codes, digits": _of(
        group_source("digits"),
        "a a a a a b b b b b",
        f"{MAHON}, 2",
        "a code tells 1 of 5 bits",
    ),
    "five codes, parity": _of(
        group_source("parity"),
        "a a a a a b b b b b",
        f"{MAHON}, 2 and 3.2",
        "four of a factor's five codes tell nothing, all five tell all",
    ),
    # Every factor is in one code, which it shares.
    "one code for all": _of(rectangles("single"), "ab", f"{SEPLIARSKAIA}, 2.3", "4a + b tells both sides"),
    "factors packed in pairs": _of(
        broken_source("packed"),
        "ab cd",
        f"{DUAN}, table 5",
        "modularity alone is broken",
    ),
    # Neither characteristic holds.
    "rotated by 45 degrees": _of(rotated(QUARTER), "ab ab", f"{LOCATELLO}, 3", "sum and difference"),
    "random rotation": _of(
        rotated(orthogonal(4, generator(audit="rotation")).numpy()),
        "abcd abcd abcd abcd",
        f"{LOCATELLO}, 3",
        "all is kept, every code holds every factor",
    ),
    "same law, entangled": _of(
        same_law(),
        "abc abc abc",
        f"{LOCATELLO}, theorem 1",
        "codes of continuous uniform factors would have the law of the factors themselves",
    ),
    "Gaussian mixtures": _of(
        on_labels(gaussian_mixtures(), NORMAL),
        "abc abc abc",
        f"{SEPLIARSKAIA}, fact 4",
        "weights from 0.4 to 0.6; FactorVAE is 1",
    ),
    "copies at the toss of a coin": _of(
        on_labels(coin_copies(), UNIFORM),
        "ab bc ac",
        f"{SEPLIARSKAIA}, fact 3",
        "BetaVAE is 0.9967",
        explicit=False,
    ),
    "hidden powers": _of(
        codes_of(lambda z: hidden(UNIFORM[z]), len(UNIFORM), 2),
        "a ab b",
        f"{SEPLIARSKAIA}, fact 8",
        "a third code x^25 + y^25; SAP by squared correlation is 0.75",
    ),
    "both bits beside their parity": _of(
        codes_of(lambda z: np.column_stack([2 * z[:, 0] + z[:, 1], z[:, 0] ^ z[:, 1]]), 2, 2),
        "ab ab",
        f"{SEPLIARSKAIA}, fact 9",
        "the second code tells nothing of either bit: MIG is 1",
    ),
    "band code": _of(
        band_source(8, 3),
        "ah ab bc cd de ef fg gh",
        f"{MAHON}, theorem 3.1",
        "no code alone tells anything of any factor; the lower bound of DCI is not vacuous",
    ),
    "rare events": _of(
        moved_codes("rare"),
        "acd abd abc bcd",
        f"{SUTER}, 6.2",
        "one combination of two others in 25 moves a code by more than its range",
    ),
    "cumulative effects": _of(
        moved_codes("cumulative"),
        "abcd abcd abcd abcd",
        f"{SUTER}, 6.2",
        "each of three others moves a code by a third of a step",
    ),
    # The codes do not tell all factors.
    "two of five factors": _of(
        on_labels(uncaptured(5), UNIFORM),
        "a b",
        f"{SEPLIARSKAIA}, fact 1",
        "two codes are copies; the best accuracy of BetaVAE is 3/5",
        explicit=False,
    ),
    "two of four missing": _of(
        broken_source("two missing"),
        "- - c d",
        f"{DUAN}, table 5",
        "explicitness alone is broken",
        explicit=False,
    ),
    "toy model M1": _of(
        toy_source(0.5),
        "ab -",
        f"{MAHON}, 3.1",
        "the first code tells 0.189 bits of each factor",
        explicit=False,
    ),
    "toy model M2": _of(
        toy_source(0.7),
        "ab b",
        f"{MAHON}, 3.1",
        "as M1, and the second code tells 0.119 bits of the shape",
        explicit=False,
    ),
    NOISE_ONLY: _of(related("none"), "- - - -", f"{LOCATELLO}, 6.1.1", "no code tells anything", explicit=False),
}
