"""Statements about several statistics: the ends by hand, and how often each mistake is made."""

import numpy as np
import pytest

from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import Estimate, Interval, common_direction, exact, largest_of, mean_of, most_below, smallest_of


def means(table: np.ndarray) -> list[Estimate]:
    return [mean_of(column) for column in table.T]


def at(estimates: list[Estimate], confidence: float) -> list[Interval]:
    return [one.at(confidence) for one in estimates]


def test_the_smallest_takes_plain_lower_and_adjusted_upper_ends():
    table = generator(test="smallest").standard_normal((9, 4)) + np.arange(4)
    found = smallest_of(means(table)).at(0.95)
    plain, adjusted = at(means(table), 0.95), at(means(table), 1 - 0.05 / 4)
    assert found.value == min(e.value for e in plain)
    assert found.low == min(e.low for e in plain)
    assert found.high == pytest.approx(min(e.high for e in adjusted))
    assert (found.n, found.confidence) == (9, 0.95)


def test_the_largest_is_the_mirror_image_of_the_smallest():
    table = generator(test="largest").standard_normal((9, 4))
    largest, smallest = largest_of(means(table)).at(0.95), smallest_of(means(-table)).at(0.95)
    assert (largest.value, largest.low, largest.high) == (-smallest.value, -smallest.high, -smallest.low)


@pytest.mark.parametrize(("k", "rank"), [(1, 1), (5, 3), (6, 4)])
def test_most_lie_below_the_value_of_the_rank_past_the_middle(k, rank):
    table = generator(test="most").standard_normal((9, k)) + np.arange(k)
    found = most_below(means(table)).at(0.95)
    lower, upper = at(means(table), 1 - 0.05 / rank), at(means(table), 1 - 0.05 / (k - rank + 1))
    assert found.value == sorted(table.mean(axis=0))[rank - 1]
    assert found.low == pytest.approx(sorted(e.low for e in lower)[rank - 1])
    assert found.high == pytest.approx(sorted(e.high for e in upper)[rank - 1])


def test_most_are_rarely_said_to_lie_below_where_half_of_them_do():
    """Six true values, three far below 0 and three at it: four must be, so each of three may be missed."""
    stream = generator(test="most, false")
    tables = stream.standard_normal((2_000, 9, 6)) - [9, 9, 9, 0, 0, 0]
    assert np.mean([most_below(means(table)).at(0.95).high < 0 for table in tables]) < 0.035


@pytest.mark.parametrize(
    ("effects", "value"),
    [((0.2, 0.6), 0.2), ((-0.2, -0.6), 0.2), ((-0.2, 0.6), -0.2), ((0.0, 0.0), 0.0), ((0.5,), 0.5)],
)
def test_the_common_direction_is_that_of_the_weakest(effects, value):
    found = common_direction([exact(effect) for effect in effects]).at(0.95)
    assert (found.value, found.low, found.high) == (value, value, value)


def test_the_smallest_rests_on_as_many_units_as_the_smallest_sample():
    estimates = [exact(0.5, n=n) for n in (7, 5, 9)]
    assert smallest_of(estimates).n == largest_of(estimates).n == 5


@pytest.mark.parametrize("of", [smallest_of, largest_of, most_below, common_direction])
def test_what_is_made_of_exact_values_alone_is_exact(of):
    assert of([exact(0.5), exact(0.25)]).at(0.95).is_exact
    assert not of([exact(0.5), mean_of([0.25, 0.75])]).at(0.95).is_exact


@pytest.mark.parametrize("sign", [1, -1])
def test_each_end_of_the_common_direction_is_that_of_its_own_error(sign):
    """Two effects with intervals as wide as the error asked for is small: 1 / error on either side."""

    def effect(value):
        return Estimate(value, 9, lambda confidence: (value - 1 / (1 - confidence), value + 1 / (1 - confidence)))

    found = common_direction([effect(sign * 30.0), effect(sign * 50.0)]).at(0.9)
    # Upper end: the smaller one's, of two, by Bonferroni. Lower end: with half the error, because the sign was chosen.
    assert (found.value, found.n, found.confidence) == (30.0, 9, 0.9)
    assert found.high == pytest.approx(30 + 1 / 0.05)
    assert found.low == pytest.approx(30 - 1 / 0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: smallest_of([]), "at least one, got none"),
        (lambda: smallest_of([mean_of([0.0])]).at(1.0), "confidence must lie strictly"),
    ],
)
def test_bad_input_is_refused_with_the_value_received(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
