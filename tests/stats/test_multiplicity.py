"""Statements about several statistics: the ends by hand, and how often each mistake is made."""

from functools import partial

import numpy as np
import pytest

from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import Interval, common_direction, exact, largest_of, mean_interval, smallest_of


def means(table: np.ndarray, confidence: float) -> list[Interval]:
    return [mean_interval(column, confidence=confidence) for column in table.T]


def test_the_smallest_takes_plain_lower_and_adjusted_upper_ends():
    table = generator(test="smallest").standard_normal((9, 4)) + np.arange(4)
    found = smallest_of(partial(means, table))
    plain, adjusted = means(table, 0.95), means(table, 1 - 0.05 / 4)
    assert found.value == min(e.value for e in plain)
    assert found.low == min(e.low for e in plain)
    assert found.high == pytest.approx(min(e.high for e in adjusted))
    assert (found.n, found.confidence) == (9, 0.95)


def test_the_largest_is_the_mirror_image_of_the_smallest():
    table = generator(test="largest").standard_normal((9, 4))
    largest, smallest = largest_of(partial(means, table)), smallest_of(partial(means, -table))
    assert (largest.value, largest.low, largest.high) == (-smallest.value, -smallest.high, -smallest.low)


@pytest.mark.parametrize(
    ("effects", "value"),
    [((0.2, 0.6), 0.2), ((-0.2, -0.6), 0.2), ((-0.2, 0.6), -0.2), ((0.0, 0.0), 0.0), ((0.5,), 0.5)],
)
def test_the_common_direction_is_that_of_the_weakest(effects, value):
    found = common_direction(lambda confidence: [exact(effect) for effect in effects])
    assert (found.value, found.low, found.high) == (value, value, value)


def test_the_smallest_rests_on_as_many_units_as_the_smallest_sample():
    estimates = [Interval(0.5, 0.4, 0.6, n, 1.0) for n in (7, 5, 9)]
    assert smallest_of(lambda _: estimates).n == largest_of(lambda _: estimates).n == 5


@pytest.mark.parametrize("sign", [1, -1])
def test_each_end_of_the_common_direction_is_that_of_its_own_error(sign):
    """Two effects with intervals as wide as the error asked for is small: 1 / error on either side."""

    def effects(confidence):
        half = 1 / (1 - confidence)
        return [Interval(value, value - half, value + half, 9, confidence) for value in (sign * 30.0, sign * 50.0)]

    found = common_direction(effects, confidence=0.9)
    # Upper end: the smaller one's, of two, by Bonferroni. Lower end: with half the error, because the sign was chosen.
    assert (found.value, found.n, found.confidence) == (30.0, 9, 0.9)
    assert found.high == pytest.approx(30 + 1 / 0.05)
    assert found.low == pytest.approx(30 - 1 / 0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: smallest_of(lambda c: []), "at least one, got none"),
        (lambda: largest_of(lambda c: [Interval(0, -1, 1, 5, 0.9)]), "confidence asked for, 0.95, got 0.9"),
        (lambda: smallest_of(lambda c: [exact(0)], confidence=1.0), "confidence must lie strictly"),
    ],
)
def test_bad_input_is_refused_with_the_value_received(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
