"""Where things stand in an interval plot."""

from __future__ import annotations

import itertools
import math

import pytest

from dbench.report.plot import interval_plot, nice_ticks


def test_the_order_on_the_axis_is_the_order_of_the_numbers(make_record):
    record = make_record(
        estimate=0.7, interval=[0.6, 0.8], bound=0.5, margin=0.05, direction="above", printed="1", printed_value=0.9
    )
    plot = interval_plot(record)
    low, high = plot.interval
    assert plot.bound < plot.holds[0] < low < plot.estimate < high < plot.printed < plot.width
    assert math.isclose(plot.estimate, (low + high) / 2, abs_tol=0.01)


@pytest.mark.parametrize("direction", ["above", "below"])
def test_the_claimed_side_starts_beyond_the_margin_and_runs_to_the_edge(make_record, direction):
    plot = interval_plot(make_record(estimate=0.0, interval=[-1.0, 1.0], bound=0.0, margin=0.5, direction=direction))
    start, size = plot.holds
    strip, strip_size = plot.margin
    if direction == "above":
        assert start > plot.bound
        assert start + size == plot.width
        assert strip == plot.bound
        assert math.isclose(strip + strip_size, start, abs_tol=0.02)
    else:
        assert start == 0
        assert size < plot.bound
        assert math.isclose(strip, size, abs_tol=0.02)
        assert math.isclose(strip + strip_size, plot.bound, abs_tol=0.02)


def test_a_range_is_shaded_from_its_lower_to_its_upper_end(make_record):
    plot = interval_plot(make_record(estimate=0.9, interval=[0.0, 1.0], bound=0.25, margin=0.5, direction="within"))
    start, size = plot.holds
    inner = plot.interval[1] - plot.interval[0]
    assert math.isclose(start, plot.interval[0] + inner / 4, abs_tol=0.02)
    assert math.isclose(size, inner / 2, abs_tol=0.02)
    assert plot.margin is None


def test_a_record_without_an_estimate_has_no_plot(make_record):
    assert interval_plot(make_record(estimate=None, interval=None)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"estimate": 0.0, "interval": None, "bound": None, "margin": None, "direction": None},
        {"estimate": 0.5, "interval": [0.5, 0.5], "bound": 0.5, "margin": 0.0, "direction": "within"},
        {"estimate": 1e308, "interval": [-1e308, 1.7e308], "bound": 0.0, "margin": 0.0, "direction": "above"},
        {"estimate": 5e-324, "interval": None, "bound": 0.0, "margin": 0.0, "direction": "below"},
        {"estimate": 1e-8, "interval": [0.0, 2e-8], "bound": 1e6, "margin": None, "direction": "below"},
    ],
)
def test_extreme_numbers_stay_on_the_plot(make_record, changes):
    plot = interval_plot(make_record(**changes))
    places = [plot.estimate, *(plot.interval or ()), *(tick.x for tick in plot.ticks)]
    places += [plot.bound] if plot.bound is not None else []
    assert all(0 <= place <= plot.width for place in places)
    assert plot.ticks


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 7), (0.981, 0.983), (-1e-8, 2e-8), (1e9, 3e9), (0.07, 0.93)])
def test_ticks_are_few_round_and_inside(low, high):
    ticks = nice_ticks(low, high)
    assert 2 <= len(ticks) <= 5
    assert all(low <= tick <= high for tick in ticks)
    steps = {f"{(b - a):.6g}" for a, b in itertools.pairwise(ticks)}
    assert len(steps) == 1
    assert f"{float(steps.pop()):.0e}"[0] in "125"
