"""Codes that hold two factors, and factors spread over several codes (Mahon et al., sections 2 and 3)."""

from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbench.codes import FunctionSource, Sample
from dbench.constructions.on_labels import labels

# Codes that hold two factors at once: the toy models M1 and M2 of Mahon et al. (section 3.1, figure 1, table 1).
#
# Colour and shape are fair bits. The first code is 0 for a blue square, 1 for a yellow circle and a fair coin
# otherwise, so it equals either factor with probability 75%; the second code equals the shape with probability 0.5 in
# M1 and 0.7 in M2. The first code has mutual information 1 - H(0.75) = 0.1887 bits with each factor, the second
# 1 - H(0.7) = 0.1187 bits with the shape in M2 and 0 in M1.

NAMES = ("colour", "shape")
NOISE = 0.05  # standard deviation of the noise that makes binary codes real numbers


class ToyLaw(NamedTuple):
    """Joint distribution of 16 cases: codes (16 x 2), factors (16 x 2: colour, shape), probabilities (16)."""

    codes: NDArray[np.int64]
    factors: NDArray[np.int64]
    probability: NDArray[np.float64]


def _encode(
    factors: NDArray[np.int64], generator: np.random.Generator, *, second_accuracy: float
) -> NDArray[np.float64]:
    colour, shape = factors.T
    coin = generator.integers(2, size=len(factors))
    first = np.where(colour == shape, colour, coin)
    second = shape ^ (generator.uniform(size=len(factors)) > second_accuracy)
    codes = np.stack([first, second], axis=1)
    return np.asarray(codes + NOISE * generator.standard_normal(codes.shape))


def toy_law(second_accuracy: float) -> ToyLaw:
    """Enumerate the toy model in which the second code equals the shape with probability ``second_accuracy``."""
    colour, shape, first, second = np.indices((2, 2, 2, 2)).reshape(4, -1)
    p_first = np.where(colour != shape, 0.5, first == colour)
    p_second = np.where(second == shape, second_accuracy, 1 - second_accuracy)
    return ToyLaw(np.stack([first, second], axis=1), np.stack([colour, shape], axis=1), p_first * p_second / 4)


def toy_model(n: int, generator: np.random.Generator, *, second_accuracy: float = 0.5) -> Sample:
    """Draw n observations of the toy model, with ``NOISE`` on the codes."""
    factors = np.stack([*generator.integers(2, size=(2, n))], axis=1)
    return Sample(_encode(factors, generator, second_accuracy=second_accuracy), factors, NAMES)


def toy_source(second_accuracy: float) -> FunctionSource:
    """Build the source of these codes, which can be sampled under interventions."""
    return FunctionSource(labels(2, 2), partial(_encode, second_accuracy=second_accuracy), NAMES)


# Every factor in five codes of its own, none sufficient alone (Mahon et al., section 2, definitions).
#
# Disentangled in the weak sense: a factor is a function of its own codes, which are independent of other factors.
# ``parity``: the factor is a bit, the sum of five fair bits modulo 2, so that any four of them are independent of it.
# ``digits``: the factor has 32 values and its codes are its binary digits. The smallest such group is a pair of codes
# whose XOR is the factor (section 3.2).

GROUP = 5  # codes of one factor
Spread = Literal["parity", "digits"]


def _factor(bits: NDArray[np.int64], spread: Spread) -> NDArray[np.int64]:
    return bits.sum(axis=-1) % 2 if spread == "parity" else bits @ (1 << np.arange(GROUP))


def _noisy(bits: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.float64]:
    codes = bits.reshape(len(bits), -1)
    return np.asarray(codes + NOISE * generator.standard_normal(codes.shape))


def _sum_to(factors: NDArray[np.int64], size: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Draw bits (n x k x size) that sum to the factor modulo 2: all are fair but the last, which completes the sum."""
    free = generator.integers(2, size=(*factors.shape, size - 1))
    return np.concatenate([free, (factors - free.sum(axis=2))[..., None] % 2], axis=2)


def group_codes(n: int, generator: np.random.Generator, *, spread: Spread) -> Sample:
    """Draw n observations of two independent factors, each held by ``GROUP`` codes."""
    bits = generator.integers(2, size=(n, 2, GROUP))
    return Sample(_noisy(bits, generator), _factor(bits, spread))


def group_source(spread: Spread) -> FunctionSource:
    """Build the source of these codes, which can be sampled under interventions."""

    def encode(factors: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.float64]:
        bits = _sum_to(factors, GROUP, generator) if spread == "parity" else factors[..., None] >> np.arange(GROUP) & 1
        return _noisy(bits, generator)

    return FunctionSource(labels(2 if spread == "parity" else 2**GROUP, 2), encode)


def xor_source() -> FunctionSource:
    """Build a source of two bits, each the XOR of two codes; every single code is independent of both bits."""
    return FunctionSource(labels(2, 2), lambda factors, generator: _noisy(_sum_to(factors, 2, generator), generator))


def group_cases(spread: Spread) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Enumerate :func:`group_codes` without noise: 1,024 equally likely rows of ten codes and of two factors."""
    bits = np.indices((2,) * (2 * GROUP)).reshape(2, GROUP, -1).transpose(2, 0, 1)
    return bits.reshape(len(bits), -1), _factor(bits, spread)


def xor_cases() -> NDArray[np.int64]:
    """Enumerate the four equally likely rows (first code, second code, factor)."""
    first, second = np.indices((2, 2)).reshape(2, -1)
    return np.stack([first, second, first ^ second], axis=1)


def xor_codes(n: int, generator: np.random.Generator, *, plain_copy: bool = False) -> Sample:
    """Draw two fair bits as codes, with noise, and their XOR as factor; ``plain_copy`` adds a copy of it in front."""
    bits = generator.integers(2, size=(n, 2))
    factor = bits[:, :1] ^ bits[:, 1:]
    codes = np.hstack([factor, bits]) if plain_copy else bits
    return Sample(codes + NOISE * generator.standard_normal(codes.shape), factor, ("xor",))


def absolute_difference(n: int, generator: np.random.Generator) -> Sample:
    """Draw two uniform codes a, b and the continuous factor |a - b|.

    Neither code is correlated with the factor, by the symmetry a -> 1 - a, b -> 1 - b. Their mutual information with it
    is not zero: |a - b| has entropy 1/2 - log 2 and, given a, (-log 2)/2 on average, so I = (1 - log 2)/2 = 0.153 nats.
    """
    codes = generator.uniform(size=(n, 2))
    return Sample(codes, np.abs(codes[:, :1] - codes[:, 1:]), ("absolute difference",))


# The band code of theorem 3.1 of Mahon et al.: every factor is a sum of two codes modulo its size.
#
# g_i = b(z_i, k) + b(c(z_j, k), k) mod k with j = i + 1 mod n (equation 1), where b is the leading digit of a code
# in base k and c the rest. The second digit of every code is uniform and independent of the factors; the leading
# digit completes the sum. Then each code is independent of each factor, by the argument of the proof.


def _leading(factors: NDArray[np.int64], second: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """Return the leading digits: each completes the next code's second digit to the factor, modulo ``classes``."""
    return (factors - np.roll(second, -1, axis=1)) % classes


def _codes(
    factors: NDArray[np.int64], second: NDArray[np.int64], classes: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Return codes in [0, 1) in base ``classes``: two digits, followed by a uniform rest."""
    rest = generator.uniform(size=factors.shape)
    return np.asarray((_leading(factors, second, classes) + (second + rest) / classes) / classes)


def modular_sum_codes(n: int, generator: np.random.Generator, *, n_codes: int, classes: int) -> Sample:
    """Draw n observations of n_codes factors of ``classes`` values, and their codes."""
    factors, second = generator.integers(classes, size=(2, n, n_codes))
    return Sample(_codes(factors, second, classes, generator), factors)


def band_source(n_codes: int, classes: int) -> FunctionSource:
    """Build the source of these codes, which can be sampled under interventions."""

    def encode(factors: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.float64]:
        return _codes(factors, generator.integers(classes, size=factors.shape), classes, generator)

    return FunctionSource(labels(classes, n_codes), encode)


def modular_sum_cases(*, n_codes: int, classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Enumerate equally likely rows of codes (their first two digits, as one number) and of factors."""
    digits = np.indices((classes,) * (2 * n_codes)).reshape(2 * n_codes, -1).T
    factors, second = digits[:, :n_codes], digits[:, n_codes:]
    return _leading(factors, second, classes) * classes + second, factors


def band_importance(n_codes: int) -> NDArray[np.float64]:
    """Importances (codes x factors) assumed in the proof: a half for each factor's own code, a half for the next."""
    identity = np.eye(n_codes)
    return (identity + np.roll(identity, 1, axis=0)) / 2
