"""Intervals against tabulated quantiles, and their coverage measured in worlds whose truth is known."""

import math

import numpy as np
import pytest
from scipy import stats

from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import (
    Interval,
    bootstrap,
    exact,
    jackknife,
    jackknife_each,
    luck_beats_choice,
    mean_of,
    rank_correlation,
    share_of,
    sweep_correlations,
    uniform_deviation,
    variance_explained,
)

EITHER = pytest.mark.parametrize(
    "jackknife",
    [jackknife, lambda statistic, n: jackknife_each(statistic, n)[0]],
    ids=["one", "several"],
)


def coverage(estimates: list[Interval], truth: float) -> float:
    return float(np.mean([estimate.low <= truth <= estimate.high for estimate in estimates]))


def test_one_unit_has_an_interval_without_ends_and_units_that_agree_one_of_no_width():
    assert mean_of([0.3]).at(0.95) == Interval(0.3, -math.inf, math.inf, 1, 0.95)
    assert mean_of([0.0, 2.0]).at(0.95).high == pytest.approx(1 + 12.706, abs=5e-4)  # Student's table
    assert mean_of([2.0, 2.0, 2.0]).at(0.95) == Interval(2.0, 2.0, 2.0, 3, 0.95)


@pytest.mark.parametrize(("n", "usual", "strict"), [(5, 0.065, 0.034), (10, 0.057, 0.031)])
def test_trends_need_a_confidence_of_98_not_to_be_confirmed_too_often(n, usual, strict):
    """Sweeps of six strengths that fall by 1.657 against noise of 1: their correlations have the mean -0.5, skewed."""
    levels, stream = np.arange(6.0), generator(test="skewed trends", n=n)
    sweeps = -1.657 * np.linspace(0, 1, 6) + stream.standard_normal((4_000 * n, 6))
    trends = sweep_correlations(levels, sweeps).reshape(4_000, n)
    assert trends.mean() == pytest.approx(-0.5, abs=0.01)
    for confidence, wrong in ((0.95, usual), (0.98, strict)):
        found = [mean_of(units).at(confidence) for units in trends]
        # Four standard errors of a share in 4,000 worlds.
        assert np.mean([e.high < -0.5 for e in found]) == pytest.approx(wrong, abs=4 * math.sqrt(wrong / 4_000))
        assert np.mean([e.low > -0.5 for e in found]) <= 0.025


@EITHER
@pytest.mark.parametrize("n", [3, 5, 20])
def test_the_jackknife_of_a_mean_is_students_interval(n, jackknife):
    units = generator(test="jackknife of a mean", n=n).standard_normal(n)
    found, known = jackknife(lambda kept: units[kept].mean(), n).at(0.95), mean_of(units).at(0.95)
    assert (found.value, found.n) == (known.value, known.n)
    assert (found.low, found.high) == pytest.approx((known.low, known.high))


@EITHER
@pytest.mark.parametrize("n", [1, 2])
def test_a_jackknife_of_fewer_than_three_units_has_no_ends(n, jackknife):
    estimate = jackknife(lambda kept: float(len(kept)), n).at(0.95)
    assert (estimate.low, estimate.value, estimate.high) == (-math.inf, n, math.inf)


@pytest.mark.parametrize(("n", "least"), [(5, 0.90), (10, 0.92)])
def test_the_jackknife_of_variance_explained_covers_nearly_as_often_as_it_says(n, least):
    """Six settings with means 0 to 2.5 and noise of variance 1: the settings explain v / (v + 1)."""
    settings = np.arange(6)
    spread = (settings / 2).var()
    stream = generator(test="coverage of variance explained", n=n)
    worlds = settings / 2 + stream.standard_normal((600, n, 6))
    estimates = [
        jackknife(lambda kept, w=world: variance_explained(w[kept].ravel(), np.tile(settings, len(kept))), n).at(0.95)
        for world in worlds
    ]
    assert least <= coverage(estimates, spread / (spread + 1)) <= 0.99


@pytest.mark.parametrize(("n", "least"), [(5, 0.90), (10, 0.92)])
def test_the_jackknife_of_a_rank_correlation_of_pooled_rows_covers_nearly_as_often_as_it_says(n, least):
    """Bivariate normal pairs of correlation 0.6: Spearman's is 6/pi arcsin(0.3)."""
    stream = generator(test="coverage of rank correlation", n=n)
    first, noise = stream.standard_normal((2, 600, n, 6))
    worlds = zip(first, 0.6 * first + 0.8 * noise, strict=True)
    estimates = [
        jackknife(lambda kept, a=a, b=b: rank_correlation(a[kept].ravel(), b[kept].ravel()), n).at(0.95)
        for a, b in worlds
    ]
    assert least <= coverage(estimates, 6 / math.pi * math.asin(0.3)) <= 0.99


@pytest.mark.parametrize("n", [5, 10])
def test_the_jackknife_of_luck_against_choice_covers_nearly_as_often_as_it_says(n):
    """Two settings half a standard deviation apart; not smooth, for the seeds also order the settings."""
    gap, grid = 0.5, np.linspace(-6, 7, 4_001)
    # P(max of two from N(0, 1) > min of two from N(gap, 1)), by integration.
    lucky, unlucky = stats.norm.cdf(grid) ** 2, 1 - (1 - stats.norm.cdf(grid, gap)) ** 2
    truth = float(np.sum((unlucky[1:] + unlucky[:-1]) / 2 * np.diff(lucky)))
    worlds = np.array([0.0, gap]) + generator(test="coverage of luck", n=n).standard_normal((400, n, 2))
    estimates = [jackknife(lambda kept, world=world: luck_beats_choice(world[kept]), n).at(0.95) for world in worlds]
    assert 0.90 <= coverage(estimates, truth) <= 0.99


def test_the_interval_of_the_largest_deviation_is_hoeffdings():
    estimate = uniform_deviation(0.1, n=1000, points=10).at(0.95)
    half = math.sqrt(math.log(400) / 2000)
    assert (estimate.low, estimate.high) == pytest.approx((0.1 - half, 0.1 + half))
    assert uniform_deviation(0.0, n=1000, points=10).at(0.95).low == 0.0
    surer = uniform_deviation(1.0, n=300, points=7).at(0.9)
    assert (surer.value, surer.high) == pytest.approx((1.0, 1 + math.sqrt(math.log(140) / 600)))


def test_several_jackknives_are_those_of_each_statistic_alone():
    units = generator(test="several jackknives").standard_normal((8, 3))
    together = [one.at(0.95) for one in jackknife_each(lambda kept: units[kept].var(axis=0), 8)]
    alone = [jackknife(lambda kept, j=j: units[kept, j].var(), 8).at(0.95) for j in range(3)]
    for found, known in zip(together, alone, strict=True):
        assert (found.n, found.confidence) == (8, 0.95)
        assert (found.low, found.value, found.high) == pytest.approx((known.low, known.value, known.high))


@pytest.mark.parametrize("n", [10, 20])
def test_the_bootstrap_of_a_median_covers_nearly_as_often_as_it_says(n):
    """Where the jackknife fails: leaving one of an even number out moves the median to one of two values."""
    stream = generator(test="coverage of a median", n=n)
    worlds = stream.exponential(size=(300, n))
    estimates = [
        bootstrap(lambda kept, w=world: np.median(w[kept], axis=1), n, generator=stream, draws=400, at_once=400)
        for world in worlds
    ]
    assert 0.92 <= coverage([one.at(0.95) for one in estimates], math.log(2)) <= 0.995


def test_the_bootstrap_widens_with_confidence_and_holds_its_value():
    units = generator(test="bootstrap").standard_normal(12)
    narrow, wide = (
        bootstrap(lambda kept: units[kept].mean(), 12, generator=generator(test="draws")).at(level)
        for level in (0.8, 0.95)
    )
    assert wide.low < narrow.low < narrow.value == units.mean() < narrow.high < wide.high


# Phi(-sqrt(n / (n - 1)) t) from printed tables: t = 2.776, 2.262 and 2.093.
@pytest.mark.parametrize(("n", "tail"), [(5, 0.00095), (10, 0.00855), (20, 0.01588)])
def test_the_tails_of_the_bootstrap_are_the_expanded_ones(n, tail):
    """A statistic that counts its calls has every quantile of the resamples at the place of its level."""
    draws, calls = 20_000, iter(range(20_001))
    found = bootstrap(
        lambda _: (next(calls) - 1) % draws, n, generator=generator(test="expanded tails"), draws=draws
    ).at(0.95)
    assert found.low / (draws - 1) == pytest.approx(tail, abs=1e-5)
    assert found.high == draws - 1
    again = iter(range(20_001))  # of all units themselves 0, then 1 to 20,000
    found = bootstrap(lambda _: next(again), n, generator=generator(test="expanded tails"), draws=draws).at(0.95)
    assert (draws - found.high) / (draws - 1) == pytest.approx(tail, abs=1e-5)


@pytest.mark.parametrize("of", [np.ptp, np.mean])
def test_a_reflected_bootstrap_undoes_the_shift_of_a_range(of):
    """The range of 20 uniform values is 19/21 on average, that of a resample less, and that of the law 1."""
    values = generator(test="reflected").random(20)
    plain, reflected = (
        bootstrap(lambda drawn: of(values[drawn]), 20, generator=generator(test="drawn"), reflected=mirror).at(0.95)
        for mirror in (False, True)
    )
    assert plain.low < plain.value == reflected.value < reflected.high
    assert (reflected.low, reflected.high) == pytest.approx((2 * plain.value - plain.high, 2 * plain.value - plain.low))


def test_a_bootstrap_of_many_draws_at_once_is_that_of_one_by_one():
    values = generator(test="at once").random(9)
    one = bootstrap(lambda drawn: np.mean(values[drawn]), 9, generator=generator(test="at once"), draws=250)
    many = bootstrap(
        lambda drawn: np.mean(values[drawn], axis=1), 9, generator=generator(test="at once"), draws=250, at_once=40
    )
    assert one.at(0.95) == many.at(0.95)


def test_the_bootstrap_of_few_units_has_no_ends_and_one_of_equal_units_no_width():
    few = bootstrap(lambda kept: 1.0, 4, generator=generator(test="few")).at(0.95)
    same = bootstrap(lambda kept: 1.0, 5, generator=generator(test="few"), draws=200).at(0.95)
    assert (few.low, few.high) == (-math.inf, math.inf)
    assert (same.low, same.high) == (1.0, 1.0)


def test_an_exact_value_has_no_width_and_full_confidence():
    assert exact(0.25, n=3).at(0.95) == Interval(0.25, 0.25, 0.25, 3, 1.0)
    assert exact(np.float64(0.25)).at(1.0) == Interval(0.25, 0.25, 0.25, 1, 1.0)
    assert exact(0.25).at(0.95).is_exact
    assert not mean_of([2.0, 2.0]).at(0.95).is_exact


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_of([]).at(0.95), "at least 1 number"),
        (lambda: mean_of([[1.0]]).at(0.95), "must be a vector"),
        (lambda: mean_of([1.0, math.nan]).at(0.95), "finite, got nan"),
        (lambda: mean_of([1.0, math.inf]).at(0.95), "finite, got inf"),
        (lambda: mean_of([1.0]).at(1.0), "strictly between 0 and 1, got 1"),
        (lambda: mean_of([1.0]).at(math.nan), "strictly between 0 and 1, got nan"),
        (lambda: jackknife(lambda kept: 0.0, 0).at(0.95), "n_units must be at least 1, got 0"),
        (lambda: jackknife(lambda kept: 0.0, 5).at(0.0), "confidence"),
        (lambda: jackknife(lambda kept: math.nan, 5).at(0.95), "statistic must be finite"),
        (lambda: jackknife(lambda kept: 0.0 if 2 in kept else math.nan, 5).at(0.95), "without unit 2"),
        (lambda: share_of(3, 2).at(0.95), "got 3 of 2"),
        (lambda: share_of(-1, 2).at(0.95), "got -1 of 2"),
        (lambda: share_of(0, 0).at(0.95), "got 0 of 0"),
        (lambda: share_of(0.5, 2).at(0.95), "whole number"),
        (lambda: share_of(math.nan, 2).at(0.95), "got nan of 2"),
        (lambda: mean_of([1.0, 2.0]).at(0.0), "strictly between 0 and 1, got 0"),
        (lambda: uniform_deviation(0.1, n=0, points=1).at(0.95), "got 0 and 1"),
        (lambda: uniform_deviation(0.1, n=1, points=0).at(0.95), "got 1 and 0"),
        (lambda: uniform_deviation(-0.1, n=1, points=1).at(0.95), "deviation must lie between 0 and 1"),
        (lambda: uniform_deviation(1.5, n=1, points=1).at(0.95), "deviation must lie between 0 and 1, got 1.5"),
        (lambda: uniform_deviation(math.nan, n=1, points=1).at(0.95), "got nan"),
        (lambda: Interval(1.0, 2.0, 3.0, 1, 0.95), "must lie in its interval"),
        (lambda: Interval(1.0, 0.0, math.nan, 1, 0.95), "must lie in its interval"),
        (lambda: Interval(math.inf, 0.0, math.inf, 1, 0.95), "finite, got inf"),
        (lambda: Interval(1.0, 0.0, 2.0, 0, 0.95), "n must be at least 1"),
        (lambda: Interval(1.0, 0.0, 2.0, 1, 0.0), "confidence"),
        (lambda: Interval(1.0, 0.0, 2.0, 1, 1.5), "confidence"),
        (lambda: exact(math.nan), "finite, got nan"),
        (lambda: [one.at(0.95) for one in jackknife_each(lambda kept: [1.0], 0)], "n_units must be at least 1, got 0"),
        (lambda: [one.at(0.95) for one in jackknife_each(lambda kept: [math.nan], 4)], r"must be finite, got \[nan\]"),
        (lambda: [one.at(0.95) for one in jackknife_each(lambda kept: [1.0, math.nan], 4)], "must be finite"),
        (lambda: [one.at(0.95) for one in jackknife_each(lambda kept: [], 4)], r"must be finite, got \[\]"),
        (lambda: [one.at(1.0) for one in jackknife_each(lambda kept: [1.0], 4)], "confidence"),
        (lambda: bootstrap(lambda kept: 1.0, 8, generator=None, draws=10).at(0.95), "at least 200, got 10"),
        (lambda: bootstrap(lambda kept: math.inf, 8, generator=None).at(0.95), "must be finite"),
        (lambda: bootstrap(lambda kept: 1.0, 0, generator=None).at(0.95), "n_units"),
    ],
)
def test_bad_input_is_refused_with_the_value_received(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
