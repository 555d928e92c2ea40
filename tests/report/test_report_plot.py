"""Where things stand in an interval plot."""

import itertools
import math

import pytest

from dbench.report.plot import interval_plot, nice_ticks


def test_the_order_on_the_axis_is_the_order_of_the_numbers(make_record):
    record = make_record(
        estimate=0.7, interval=[0.6, 0.8], low=0.5, high=None, null=0.1, printed="1", printed_value=0.9
    )
    plot = interval_plot(record)
    low, high = plot.interval
    assert plot.none < plot.holds[0] == plot.ends[0] < low < plot.estimate < high < plot.printed < plot.width
    assert math.isclose(plot.estimate, (low + high) / 2, abs_tol=0.01)


@pytest.mark.parametrize(("low", "high"), [(0.5, None), (None, -0.5)])
def test_the_range_of_an_open_rule_runs_to_the_edge(make_record, low, high):
    plot = interval_plot(make_record(estimate=0.0, interval=[-1.0, 1.0], low=low, high=high, null=0.0))
    start, size = plot.holds
    assert plot.ends == ((start,) if high is None else (size,))
    assert start + size == plot.width if high is None else start == 0
    assert start > plot.none if high is None else size < plot.none


def test_a_range_is_shaded_from_its_lower_to_its_upper_end(make_record):
    plot = interval_plot(make_record(estimate=0.9, interval=[0.0, 1.0], low=0.25, high=0.75, null=None))
    start, size = plot.holds
    inner = plot.interval[1] - plot.interval[0]
    assert math.isclose(start, plot.interval[0] + inner / 4, abs_tol=0.02)
    assert math.isclose(size, inner / 2, abs_tol=0.02)
    assert plot.ends == (start, start + size)
    assert plot.none is None


def test_no_effect_is_marked_only_where_it_is_not_the_end_of_the_range(make_record):
    assert interval_plot(make_record(low=0.0, high=None, null=0.0)).none is None


def test_a_record_without_an_estimate_has_no_plot(make_record):
    assert interval_plot(make_record(estimate=None, interval=None)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"estimate": 0.5, "interval": [0.5, 0.5], "low": 0.5, "high": 0.5, "null": None},
        {"estimate": 1e308, "interval": [-1e308, 1.7e308], "low": 0.0, "high": None},
        {"estimate": 5e-324, "interval": None, "low": None, "high": 0.0},
        {"estimate": 1e-8, "interval": [0.0, 2e-8], "low": None, "high": 1e6, "null": 0.0},
    ],
)
def test_extreme_numbers_stay_on_the_plot(make_record, changes):
    plot = interval_plot(make_record(**changes))
    places = [plot.estimate, *(plot.interval or ()), *(x for x, _ in plot.ticks)]
    places += [*plot.ends, *plot.holds]
    assert all(0 <= place <= plot.width for place in places)
    assert plot.ticks


def test_a_span_of_the_smallest_numbers_has_ticks():
    assert set(nice_ticks(0, 1e-323)) <= {0, 1e-323}


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 7), (0.981, 0.983), (-1e-8, 2e-8), (1e9, 3e9), (0.07, 0.93)])
def test_ticks_are_few_round_and_inside(low, high):
    ticks = nice_ticks(low, high)
    assert 2 <= len(ticks) <= 5
    assert all(low <= tick <= high for tick in ticks)
    steps = {f"{(b - a):.6g}" for a, b in itertools.pairwise(ticks)}
    assert len(steps) == 1
    assert f"{float(steps.pop()):.0e}"[0] in "125"
