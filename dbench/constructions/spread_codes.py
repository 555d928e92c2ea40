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
# otherwise, so it tells 75% of either; the second repeats the shape with some accuracy, 0.5 in M1 and 0.7 in M2. In
# bits the first code has I = 1 - H(0.75) = 0.1887 with each factor, the second I = 1 - H(0.7) = 0.1187 with the shape
# in M2 and 0 in M1.

NAMES = ("colour", "shape")
NOISE = 0.05  # deviation of what is added to codes of bits, so that they are real numbers


class ToyLaw(NamedTuple):
    """Sixteen cases: codes (16 x 2), factors (16 x 2: colour, shape), probabilities (16)."""

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
    """Enumerate the law whose second code equals the shape this often."""
    colour, shape, first, second = np.indices((2, 2, 2, 2)).reshape(4, -1)
    of_first = np.where(colour != shape, 0.5, first == colour)
    of_second = np.where(second == shape, second_accuracy, 1 - second_accuracy)
    return ToyLaw(np.stack([first, second], axis=1), np.stack([colour, shape], axis=1), of_first * of_second / 4)


def toy_model(n: int, generator: np.random.Generator, *, second_accuracy: float = 0.5) -> Sample:
    """Draw n observations, their codes with a little noise so that they are real numbers."""
    factors = np.stack([*generator.integers(2, size=(2, n))], axis=1)
    return Sample(_encode(factors, generator, second_accuracy=second_accuracy), factors, NAMES)


def toy_source(second_accuracy: float) -> FunctionSource:
    """Build the same codes as a source that can be asked for interventions."""
    return FunctionSource(labels(2, 2), partial(_encode, second_accuracy=second_accuracy), NAMES)


# Every factor in five codes of its own, none sufficient alone (Mahon et al., section 2, definitions).
#
# Perfect in the weak sense: a factor is a function of its own codes, which hold nothing of any other. ``parity``: the
# factor is a bit, the sum of five fair bits modulo 2, so that any four of them are independent of it. ``digits``: the
# factor has 32 values and its codes are its binary digits. The smallest group is a pair whose XOR is the factor
# (section 3.2).

GROUP = 5  # codes of one factor
Spread = Literal["parity", "digits"]


def _factor(bits: NDArray[np.int64], spread: Spread) -> NDArray[np.int64]:
    return bits.sum(axis=-1) % 2 if spread == "parity" else bits @ (1 << np.arange(GROUP))


def _noisy(bits: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.float64]:
    codes = bits.reshape(len(bits), -1)
    return np.asarray(codes + NOISE * generator.standard_normal(codes.shape))


def _sum_to(factors: NDArray[np.int64], size: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Bits (n x k x size) whose sum modulo 2 is the factor: all but the last are fair."""
    free = generator.integers(2, size=(*factors.shape, size - 1))
    return np.concatenate([free, (factors - free.sum(axis=2))[..., None] % 2], axis=2)


def group_codes(n: int, generator: np.random.Generator, *, spread: Spread) -> Sample:
    """Draw n observations of two independent factors."""
    bits = generator.integers(2, size=(n, 2, GROUP))
    return Sample(_noisy(bits, generator), _factor(bits, spread))


def group_source(spread: Spread) -> FunctionSource:
    """Build the same codes as a source that can be asked for interventions."""

    def encode(factors: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.float64]:
        bits = _sum_to(factors, GROUP, generator) if spread == "parity" else factors[..., None] >> np.arange(GROUP) & 1
        return _noisy(bits, generator)

    return FunctionSource(labels(2 if spread == "parity" else 2**GROUP, 2), encode)


def xor_source() -> FunctionSource:
    """Two bits that are each the XOR of two codes of their own; no code alone knows anything of a bit."""
    return FunctionSource(labels(2, 2), lambda factors, generator: _noisy(_sum_to(factors, 2, generator), generator))


def group_cases(spread: Spread) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Enumerate the law of two factors: 1,024 equally likely rows of ten codes and two factors."""
    bits = np.indices((2,) * (2 * GROUP)).reshape(2, GROUP, -1).transpose(2, 0, 1)
    return bits.reshape(len(bits), -1), _factor(bits, spread)


def xor_cases() -> NDArray[np.int64]:
    """Enumerate the joint law of (first code, second code, factor): four equally likely rows."""
    first, second = np.indices((2, 2)).reshape(2, -1)
    return np.stack([first, second, first ^ second], axis=1)


def xor_codes(n: int, generator: np.random.Generator, *, plain_copy: bool = False) -> Sample:
    """Two independent fair bits whose XOR is the factor, with a little noise; a plain copy is a code in front."""
    bits = generator.integers(2, size=(n, 2))
    factor = bits[:, :1] ^ bits[:, 1:]
    codes = np.hstack([factor, bits]) if plain_copy else bits
    return Sample(codes + NOISE * generator.standard_normal(codes.shape), factor, ("xor",))


def absolute_difference(n: int, generator: np.random.Generator) -> Sample:
    """Two uniform codes a, b and the continuous factor |a - b|.

    Neither code is correlated with the factor, by the symmetry a -> 1 - a, b -> 1 - b. Their mutual
    information is not zero: |a - b| has entropy 1/2 - log 2 and, given a, (-log 2)/2 on average, so
    I = (1 - log 2)/2 = 0.153 nats.
    """
    codes = generator.uniform(size=(n, 2))
    return Sample(codes, np.abs(codes[:, :1] - codes[:, 1:]), ("absolute difference",))


# The band code of theorem 3.1 of Mahon et al.: every factor is a sum of two codes modulo its size.
#
# g_i = b(z_i, k) + b(c(z_j, k), k) mod k with j = i + 1 mod n (equation 1), where b takes the leading digit of
# a code in base k and c the rest. The second digit of every code is uniform and independent of the factors, and
# the leading digit makes the sum come out. Then (code, factor) pairs are independent by the argument of the proof.


def _leading(factors: NDArray[np.int64], second: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """Digit that makes each factor the sum of it and the next code's second digit."""
    return (factors - np.roll(second, -1, axis=1)) % classes


def _codes(
    factors: NDArray[np.int64], second: NDArray[np.int64], classes: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Codes in [0, 1): two digits and a uniform rest."""
    rest = generator.uniform(size=factors.shape)
    return np.asarray((_leading(factors, second, classes) + (second + rest) / classes) / classes)


def modular_sum_codes(n: int, generator: np.random.Generator, *, n_codes: int, classes: int) -> Sample:
    """Draw n observations of n_codes factors of ``classes`` values, and their codes."""
    factors, second = generator.integers(classes, size=(2, n, n_codes))
    return Sample(_codes(factors, second, classes, generator), factors)


def band_source(n_codes: int, classes: int) -> FunctionSource:
    """Build the same codes as a source that can be asked for interventions."""

    def encode(factors: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.float64]:
        return _codes(factors, generator.integers(classes, size=factors.shape), classes, generator)

    return FunctionSource(labels(classes, n_codes), encode)


def modular_sum_cases(*, n_codes: int, classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Enumerate the law: equally likely rows of codes (their first two digits as one number) and factors."""
    digits = np.indices((classes,) * (2 * n_codes)).reshape(2 * n_codes, -1).T
    factors, second = digits[:, :n_codes], digits[:, n_codes:]
    return _leading(factors, second, classes) * classes + second, factors


def band_importance(n_codes: int) -> NDArray[np.float64]:
    """Importance that the proof grants: each factor owes half to its own code and half to the next."""
    own = np.eye(n_codes)
    return (own + np.roll(own, 1, axis=0)) / 2
