"""Representations with known characteristics, and some that mislead metrics (Sepliarskaia et al., section 2).

Characteristic 1: a code changes with one factor only. Characteristic 2: a factor changes one code only.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, rel_entr

from dbench.codes import FunctionSource, Sample, Source
from dbench.constructions.on_labels import labels

# Lengths and widths are 1/4, 2/4, 3/4 and 1; their 16 combinations fit into the 20 bins of MIG.
SIDE = 4

CODES: dict[str, Callable[..., list[NDArray[np.float64]]]] = {
    # As printed: a linear and a non-linear code for each side. Characteristic 1 holds, 2 does not.
    "spread": lambda x, y: [x, x**2, y, y**3],
    # One code for both sides, a number of two digits. Characteristic 2 holds, 1 does not.
    "single": lambda x, y: [SIDE * x + y],
    "straight": lambda x, y: [x, y],
}


def rectangles(codes: str) -> FunctionSource:
    """Build the source of one of ``CODES``; the sides are uniform and independent."""
    encode = CODES[codes]
    return FunctionSource(
        labels(SIDE, 2),
        lambda factors, generator: np.stack(encode(*((factors.T + 1) / SIDE)), axis=1),
        ("length", "width"),
    )


# Codes that each hold one factor, and leave some factors out (Sepliarskaia et al., fact 1, figure 3).


def uncaptured(n_factors: int, captured: int = 2) -> FunctionSource:
    """Build a source of factors uniform on [-1, 1]; codes copy the first ``captured`` and do not depend on others."""
    return FunctionSource(
        lambda n, generator: generator.uniform(-1, 1, size=(n, n_factors)),
        lambda factors, generator: factors[:, :captured],
    )


def beta_vae_limit(n_factors: int, captured: int) -> float:
    """Best accuracy of the beta-VAE metric in large batches, for :func:`uncaptured` codes: (captured + 1) / n_factors.

    Factors with the same mean differences of codes cannot be distinguished. Fixing a captured factor gives a zero at
    its code; fixing any other gives none. So there is one more different feature vector than captured factors.
    """
    features = 1 - np.eye(n_factors, captured)  # which codes still differ, for each fixed factor
    return len(np.unique(features, axis=0)) / n_factors


def factor_vae_limit(n_factors: int, captured: int, *, idle_code_wins: bool = False) -> float:
    """Best accuracy of the majority vote of FactorVAE in large batches, for :func:`uncaptured` codes.

    If a captured factor is fixed, its code wins; if another one is, all codes have equal variance and chance decides.
    So the accuracy is captured / n_factors. With ``idle_code_wins`` there is one more code, last and constant but not
    left out, that wins whenever no captured factor is fixed: the accuracy is 1 / n_factors higher.
    """
    votes = np.eye(n_factors, captured + idle_code_wins)
    votes[captured:] = 0.0
    if idle_code_wins:
        votes[captured:, captured] = 1.0
    else:
        votes[captured:] = 1 / captured
    return float(votes.max(axis=0).sum() / n_factors)


# Entangled codes that metrics take for disentangled (Sepliarskaia et al., facts 2 to 4).

# Row i: probabilities that code i copies each of the three factors (fact 3, figure 4a), as printed.
COPIES = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])
# Row i: weights of the three factors in code i (fact 4), as printed.
MIXTURE = np.array([[0.5, 0.4, 0.5], [0.4, 0.5, 0.5], [0.4, 0.4, 0.6]])

N_FACTORS = 11
# Rows are codes that each hold mainly one factor (fact 2), columns are factors, as printed.
PRINTED = np.full((N_FACTORS, N_FACTORS), 0.02) + 0.78 * np.eye(N_FACTORS)


def gaussian_mixtures(weights: np.ndarray = MIXTURE) -> FunctionSource:
    """Build a source of standard normal factors; codes are their sums by ``weights`` (codes x factors)."""
    n_factors = weights.shape[1]
    return FunctionSource(
        lambda n, generator: generator.standard_normal((n, n_factors)),
        lambda factors, generator: np.asarray(factors @ weights.T, dtype=np.float64),
        tuple(f"gaussian_{j}" for j in range(n_factors)),
    )


def coin_copies(probabilities: np.ndarray = COPIES) -> FunctionSource:
    """Build a source of factors uniform on [-1, 1]; for every observation each code copies a factor drawn at random."""
    n_factors = probabilities.shape[1]
    edges = probabilities.cumsum(axis=1)[:, :-1]

    def encode(factors: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        draw = generator.uniform(size=(len(factors), len(probabilities), 1))
        chosen = (draw >= edges).sum(axis=2)
        return np.asarray(np.take_along_axis(factors, chosen, axis=1), dtype=np.float64)

    return FunctionSource(lambda n, generator: generator.uniform(-1, 1, size=(n, n_factors)), encode)


def nearly_straight_rotation() -> NDArray[np.float64]:
    """Return an 11 x 11 orthogonal matrix whose squares are the printed ones: 0.799 beside 0.017 and 0.023.

    11 is a prime of the form 4m + 3, so the matrix Q of quadratic residues (Paley 1933) is skew-symmetric with
    Q Q' = 11 I - J and Q J = 0. Then a I + b Q + g J is orthogonal if a^2 + 11 b^2 = 1 and 11 g^2 + 2 a g = b^2;
    b^2 = 0.02 gives g = 0.011.
    """
    residues = {i * i % N_FACTORS for i in range(1, N_FACTORS)}
    quadratic_character = np.array([0.0] + [1.0 if i in residues else -1.0 for i in range(1, N_FACTORS)])
    positions = np.arange(N_FACTORS)
    b = np.sqrt(0.02)
    a = np.sqrt(1 - N_FACTORS * b**2)
    g = (np.sqrt(a**2 + N_FACTORS * b**2) - a) / N_FACTORS
    return np.asarray(a * np.eye(N_FACTORS) + b * quadratic_character[(positions[:, None] - positions) % N_FACTORS] + g)


def nearly_straight(n: int, generator: np.random.Generator, *, straight: bool = False) -> Sample:
    """Draw standard normal factors and their rotation; code i explains entry (i, j) squared of factor j's variance."""
    factors = generator.standard_normal((n, N_FACTORS))
    return Sample(factors if straight else factors @ nearly_straight_rotation().T, factors)


# Codes that copy factors on another scale, which mislead correlations and bins of equal width.
#
# Sepliarskaia et al., facts 6 to 8. The proof of fact 7 uses a code that determines the factor; every strictly
# increasing function of the factor is such a code.

# The smallest example: with up to 999 bins 0 and 1 share a bin, so only one of three values is separated, and MIG is
# 1 - (2/3) log 2 / log 3 = 0.579.
THREE_VALUES = np.array([0.0, 1.0, 1000.0])


def plain_powers(n: int, generator: np.random.Generator, *, power: int = 15) -> Sample:
    """Draw two factors uniform on [-1, 1] and codes (z_1^p, z_2^p): one for each factor, invertible for odd p."""
    z = generator.uniform(-1, 1, size=(n, 2))
    return Sample(z**power, z, ("z_1", "z_2"))


def hidden(z: NDArray[np.float64], power: int = 25) -> NDArray[np.float64]:
    """Return the codes (z_1, z_1^p + z_2^p, z_2) of n x 2 factors; the middle code holds both, non-linearly."""
    return np.stack([z[:, 0], (z**power).sum(axis=1), z[:, 1]], axis=1)


def hidden_powers(n: int, generator: np.random.Generator, *, power: int = 25) -> Sample:
    """Draw two factors uniform on [-1, 1] and their :func:`hidden` codes."""
    z = generator.uniform(-1, 1, size=(n, 2))
    return Sample(hidden(z, power), z, ("z_1", "z_2"))


def squared_correlation_of_power(power: int, *, terms: int = 1) -> float:
    """Squared correlation of a factor z with the sum of the p-th powers of ``terms`` independent factors, z included.

    For z uniform on [-1, 1]: E z^(p+1) = 1/(p+2), Var z = 1/3, Var z^p = 1/(2p+1).
    """
    return (1 / (power + 2)) ** 2 / ((1 / 3) * (terms / (2 * power + 1)))


def binned_gap_of_power(power: int, *, bins: int = 20) -> float:
    """MIG of :func:`plain_powers` in the limit of many observations, code and factor cut into ``bins`` equal bins.

    The joint distribution of the two bin numbers is enumerated: the bin edges of z and of z^p cut [-1, 1] into
    pieces whose probability is half their length. The other code is independent of the factor, so its information is
    0. For an even number of bins samples converge very slowly: the middle edge is where the density of the code peaks.
    """
    cuts = np.linspace(-1, 1, bins + 1)
    edges = np.unique(np.concatenate([cuts, np.sign(cuts) * np.abs(cuts) ** (1 / power)]))
    lengths, middles = np.diff(edges), (edges[1:] + edges[:-1]) / 2
    joint = np.zeros((bins, bins))
    bin_numbers = [
        np.clip(np.searchsorted(cuts, values, side="right") - 1, 0, bins - 1) for values in (middles**power, middles)
    ]
    np.add.at(joint, tuple(bin_numbers), lengths / 2)
    of_code, of_factor = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    information = rel_entr(joint, of_code * of_factor).sum()
    return float(information / entr(of_factor).sum())


def random_scale(n_values: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Draw an increasing scale with log-normal steps, so that a few of them may take up most of the range."""
    return np.exp(3.0 * generator.standard_normal(n_values)).cumsum()


def stretched(n: int, generator: np.random.Generator, *, scale: NDArray[np.float64] = THREE_VALUES) -> Sample:
    """Draw a factor uniform on the positions of a scale; its code is the value of the scale there."""
    factors = generator.integers(len(scale), size=(n, 1))
    return Sample(scale[factors], factors)


Bits = Callable[[NDArray[np.int64], NDArray[np.int64]], list[NDArray[np.int64]]]

# Codes of two fair bits: the smallest representations on which MIG and characteristic 2 disagree (2.2), found by
# enumerating all small ones (:mod:`dbench.constructions.small_codes`).
BITS: dict[str, Bits] = {
    # Changing either bit changes the only code, but the code has no information about either: MIG is 0.
    "parity alone": lambda a, b: [a ^ b],
    # Changing either bit changes both codes, but the second has no information about either: MIG is 1.
    "parity beside both": lambda a, b: [2 * a + b, a ^ b],
    "parity beside each": lambda a, b: [a, b, a ^ b],
    "one to one": lambda a, b: [a, b],
}


@dataclass(frozen=True)
class Characterised:
    """A representation, and whether characteristics 1 and 2 hold."""

    source: Source
    first: bool
    second: bool | None  # None if a factor changes no code, a case that the characteristic does not define


def _bits(codes: str) -> FunctionSource:
    return FunctionSource(
        labels(2, 2), lambda bits, generator: np.stack(BITS[codes](*bits.T), axis=1).astype(np.float64), ("a", "b")
    )


def _uniform(codes: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> FunctionSource:
    return FunctionSource(
        lambda n, generator: generator.uniform(-1, 1, size=(n, 2)), lambda z, generator: codes(z), ("z_1", "z_2")
    )


BATTERY: dict[str, Characterised] = {
    "straight": Characterised(rectangles("straight"), first=True, second=True),
    # Section 2.3.
    "two codes a side": Characterised(rectangles("spread"), first=True, second=False),
    "one code for all": Characterised(rectangles("single"), first=False, second=True),
    # Facts 1, 3, 4, 6 and 8.
    "two of five": Characterised(uncaptured(5), first=True, second=None),
    "coin copies": Characterised(coin_copies(), first=False, second=False),
    "mixtures": Characterised(gaussian_mixtures(), first=False, second=False),
    "powers": Characterised(_uniform(lambda z: z**15), first=True, second=True),
    "hidden powers": Characterised(_uniform(hidden), first=False, second=False),
    # Found by enumerating small representations, and a scale that bins of equal width cannot resolve.
    "parity": Characterised(_bits("parity alone"), first=False, second=True),
    "bits beside their parity": Characterised(_bits("parity beside each"), first=False, second=False),
    "both bits beside their parity": Characterised(_bits("parity beside both"), first=False, second=False),
    "stretched": Characterised(
        FunctionSource(labels(len(THREE_VALUES), 2), lambda z, generator: THREE_VALUES[z], ("u", "v")),
        first=True,
        second=True,
    ),
}


def parity_cases(codes: str) -> Sample:
    """Enumerate the four equally likely pairs of two bits, with one of the ``BITS`` codes."""
    bits = np.indices((2, 2)).reshape(2, -1).T
    return Sample(np.stack(BITS[codes](*bits.T), axis=1).astype(np.float64), bits)
