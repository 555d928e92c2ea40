"""Intervals by resampling: what they agree with, and how often they cover in worlds whose truth is known."""

import math

import numpy as np
import pytest

from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import (
    bootstrap_interval,
    jackknife_interval,
    jackknife_intervals,
    mean_interval,
    rank_correlations,
)


def covered(estimates, truth: float) -> float:
    return float(np.mean([estimate.low <= truth <= estimate.high for estimate in estimates]))


def test_several_jackknives_are_those_of_each_statistic_alone():
    units = generator(test="several jackknives").standard_normal((8, 3))
    together = jackknife_intervals(lambda kept: units[kept].var(axis=0), 8)
    alone = [jackknife_interval(lambda kept, j=j: units[kept, j].var(), 8) for j in range(3)]
    for found, known in zip(together, alone, strict=True):
        assert (found.n, found.confidence) == (8, 0.95)
        assert (found.low, found.value, found.high) == pytest.approx((known.low, known.value, known.high))


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_units_give_no_ends(n):
    assert [e.low for e in jackknife_intervals(lambda kept: [1.0, 2.0], n)] == [-math.inf, -math.inf]


def test_three_units_give_students_interval_of_their_mean():
    units = np.array([1.0, 2.0, 6.0])
    (found,), known = jackknife_intervals(lambda kept: units[kept].mean(), 3), mean_interval(units)
    assert (found.low, found.high) == pytest.approx((known.low, known.high))


@pytest.mark.parametrize("n", [5, 10])
def test_the_jackknife_of_a_matrix_of_rank_correlations_covers_nearly_as_often_as_it_says(n):
    """Three scores of 6 settings; half the variance of a model's noise is shared: correlation 0.5, Spearman's 0.483."""
    truth = 6 / math.pi * math.asin(0.25)
    stream = generator(test="coverage of a matrix", n=n)
    shared, own = stream.standard_normal((400, n, 6, 1)), stream.standard_normal((400, n, 6, 3))
    estimates = [
        jackknife_intervals(lambda kept, w=world: rank_correlations(w[kept].reshape(-1, 3))[0, 1:], n)
        for world in shared + own
    ]
    assert 0.90 <= covered([e for pair in estimates for e in pair], truth) <= 0.98


@pytest.mark.parametrize("n", [10, 20])
def test_the_bootstrap_of_a_median_covers_nearly_as_often_as_it_says(n):
    """Where the jackknife fails: leaving one of an even number out moves the median to one of two values."""
    stream = generator(test="coverage of a median", n=n)
    worlds = stream.exponential(size=(300, n))
    estimates = [
        bootstrap_interval(lambda kept, w=world: np.median(w[kept]), n, generator=stream, draws=400) for world in worlds
    ]
    assert 0.92 <= covered(estimates, math.log(2)) <= 0.995


def test_the_bootstrap_widens_with_confidence_and_holds_its_value():
    units = generator(test="bootstrap").standard_normal(12)

    def interval(confidence):
        return bootstrap_interval(
            lambda kept: units[kept].mean(), 12, generator=generator(test="draws"), confidence=confidence
        )

    narrow, wide = interval(0.8), interval(0.95)
    assert wide.low < narrow.low < narrow.value == units.mean() < narrow.high < wide.high
    # Expanded: the half width is near Student's, 2.201 standard errors at 11 degrees of freedom.
    half = (wide.high - wide.low) / 2 / (units.std(ddof=1) / math.sqrt(12))
    assert half == pytest.approx(2.2, abs=0.25)


# Phi(-sqrt(n / (n - 1)) t) from printed tables: t = 2.776, 2.262 and 2.093.
@pytest.mark.parametrize(("n", "tail"), [(5, 0.00095), (10, 0.00855), (20, 0.01588)])
def test_the_tails_of_the_bootstrap_are_the_expanded_ones(n, tail):
    """A statistic that counts its calls has every quantile of the resamples at the place of its level."""
    draws, calls = 20_000, iter(range(20_001))
    found = bootstrap_interval(
        lambda _: (next(calls) - 1) % draws, n, generator=generator(test="expanded tails"), draws=draws
    )
    assert found.low / (draws - 1) == pytest.approx(tail, abs=1e-5)
    assert found.high == draws - 1


def test_a_reflected_bootstrap_undoes_the_shift_of_a_range():
    """The range of 20 uniform values is 19/21 on average, that of a resample less, and that of the law 1."""
    values = generator(test="reflected").random(20)
    plain, reflected = (
        bootstrap_interval(
            lambda drawn: float(np.ptp(values[drawn])), 20, generator=generator(test="drawn"), reflected=reflect
        )
        for reflect in (False, True)
    )
    assert plain.high == plain.value == reflected.value == reflected.low
    assert reflected.high == pytest.approx(2 * plain.value - plain.low)
    plain, reflected = (
        bootstrap_interval(
            lambda drawn: float(values[drawn].mean()), 20, generator=generator(test="drawn"), reflected=reflect
        )
        for reflect in (False, True)
    )
    assert plain.low < plain.value < plain.high
    assert (reflected.low, reflected.high) == pytest.approx((2 * plain.value - plain.high, 2 * plain.value - plain.low))


def test_the_bootstrap_of_few_units_has_no_ends_and_one_of_equal_units_no_width():
    few = bootstrap_interval(lambda kept: 1.0, 4, generator=generator(test="few"))
    same = bootstrap_interval(lambda kept: 1.0, 5, generator=generator(test="few"), draws=200)
    assert (few.low, few.high) == (-math.inf, math.inf)
    assert (same.low, same.high) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: jackknife_intervals(lambda kept: [1.0], 0), "n_units must be at least 1, got 0"),
        (lambda g: jackknife_intervals(lambda kept: [math.nan], 4), r"must be finite, got \[nan\]"),
        (lambda g: jackknife_intervals(lambda kept: [], 4), r"must be finite, got \[\]"),
        (lambda g: jackknife_intervals(lambda kept: [1.0], 4, confidence=1.0), "confidence"),
        (
            lambda g: bootstrap_interval(lambda kept: 1.0, 8, generator=g, draws=10),
            "draws must be at least 200, got 10",
        ),
        (lambda g: bootstrap_interval(lambda kept: math.inf, 8, generator=g), "must be finite"),
        (lambda g: bootstrap_interval(lambda kept: 1.0, 0, generator=g), "n_units"),
    ],
)
def test_bad_input_is_refused_with_the_value_received(call, message):
    with pytest.raises(InvalidInput, match=message):
        call(generator(test="bad input"))
