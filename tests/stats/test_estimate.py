"""An estimate says its interval at any confidence, and resamples once, when it is first asked."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import (
    Estimate,
    Interval,
    bootstrap,
    common_direction,
    exact,
    jackknife,
    jackknife_each,
    largest_of,
    mean_of,
    most_below,
    rank_correlations,
    share_of,
    smallest_of,
    uniform_deviation,
)

UNITS = generator(test="estimate").standard_normal((9, 3)) + np.arange(1.0, 4.0)
MEANS = [mean_of(column) for column in UNITS.T]
ALL = {
    "mean": MEANS[0],
    "jackknife": jackknife(lambda kept: UNITS[kept, 0].var(), 9),
    "each": jackknife_each(lambda kept: UNITS[kept].var(axis=0), 9)[1],
    "bootstrap": bootstrap(lambda kept: float(UNITS[kept, 0].max()), 9, generator=generator(test="boot"), draws=300),
    "share": share_of(3, 9),
    "deviation": uniform_deviation(0.2, n=100, points=3),
    "smallest": smallest_of(MEANS),
    "largest": largest_of(MEANS),
    "most": most_below(MEANS),
    "direction": common_direction(MEANS),
}


@pytest.mark.parametrize("estimate", ALL.values(), ids=ALL)
def test_an_interval_is_the_wider_the_surer_and_the_same_whenever_it_is_asked(estimate):
    wide, narrow = estimate.at(0.99), estimate.at(0.5)
    assert (wide.confidence, narrow.confidence) == (0.99, 0.5)
    assert wide.value == narrow.value == estimate.value
    assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert wide.high - wide.low > narrow.high - narrow.low
    assert estimate.at(0.99) == wide
    for refused in (0.0, 1.0, float("nan")):
        with pytest.raises(InvalidInput, match="confidence must lie strictly between 0 and 1, got"):
            estimate.at(refused)


def test_nothing_is_left_out_before_an_interval_is_asked_for_and_then_once():
    calls = []

    def statistic(kept):
        calls.append(len(kept))
        return float(kept.mean())

    estimate = jackknife(statistic, 6)
    assert calls == [6]
    assert estimate.at(0.9).high > estimate.at(0.5).high
    assert calls == [6] + [5] * 6


def test_notes_may_depend_on_the_confidence_and_what_was_left_out_is_kept():
    estimate = Estimate(0.5, 3, lambda level: (0.0, 1.0), (1, 4), ("as is", lambda level: f"at {level:g}"))
    assert estimate.at(0.9) == Interval(0.5, 0.0, 1.0, 3, 0.9, (1, 4), ("as is", "at 0.9"))


@pytest.mark.parametrize(("value", "n", "message"), [(float("nan"), 1, "finite, got nan"), (0.5, 0, "n must be")])
def test_an_estimate_is_finite_and_of_one_unit_or_more(value, n, message):
    with pytest.raises(InvalidInput, match=message):
        exact(value, n=n)


def test_an_estimate_never_changes_and_is_itself_alone():
    one, other = exact(0.5), exact(0.5)
    with pytest.raises(FrozenInstanceError):
        one.value = 0.6
    with pytest.raises(FrozenInstanceError):
        one.at(1.0).value = 0.6
    assert len({one, other}) == 2


def test_no_rank_correlation_of_a_table_lies_beyond_one():
    for n in range(2, 200):
        rising = np.arange(n) ** 2.0
        found = rank_correlations(np.stack([rising, 3 * rising, -rising], axis=1))
        assert np.abs(found).max() <= 1
