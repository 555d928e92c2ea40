"""Correlations over systems: intervals that hold for other systems, not for other runs of the same ones alone."""

import numpy as np
import pytest
from simulation import Law, simulated_zoo

from dbench.errors import EvidenceLacking
from dbench.estimates.systems import correlation_over_systems, lead_over_systems
from dbench.seeds import generator

SPREAD = np.array([0.1, 0.5, 0.2, 0.9, 0.4, 0.7])


def population(units=5):
    stream = generator(test="systems")
    return simulated_zoo({"mig": Law()}, generator=stream, seeds=units, objectives={"a": (1.0,)})


def points(values, units=5, noise=0.0, name="points"):
    """Systems' values, to which every unit adds its noise."""
    table = np.asarray(values) + noise * generator(test=name).standard_normal((units, len(values)))
    return lambda kept: table[kept].mean(axis=0)


def test_without_noise_the_interval_is_fishers():
    other = [0.3, 0.2, 0.1, 0.8, 0.5, 0.4]
    found = correlation_over_systems(population(), points(SPREAD), points(other)).at(0.95)
    r = np.corrcoef(SPREAD, other)[0, 1]
    half = 1.959964 / np.sqrt(3)
    assert (found.value, found.n) == (pytest.approx(r), 6)
    assert (found.low, found.high) == pytest.approx((np.tanh(np.arctanh(r) - half), np.tanh(np.arctanh(r) + half)))


def test_what_units_do_widens_it():
    steady, other = points(SPREAD), points(SPREAD[::-1] + SPREAD)
    noisy = points(SPREAD[::-1] + SPREAD, noise=0.3)
    alone, wider = (correlation_over_systems(population(), steady, second).at(0.95) for second in (other, noisy))
    widths = [np.arctanh(e.high) - np.arctanh(e.low) for e in (alone, wider)]
    assert widths[1] > widths[0] + 0.1


@pytest.mark.nightly
@pytest.mark.parametrize("systems", [6, 12])
def test_systems_drawn_anew_are_covered(systems):
    """Units without noise: whatever is missed is missed for the draw of systems."""
    stream, truth = generator(test="coverage", systems=systems), 0.5
    models, missed, short, lead_high = population(3), 0, 0, 0
    for _ in range(1_000):
        ability, own, other = stream.standard_normal((3, systems))
        first, second = truth * ability + np.sqrt(1 - truth**2) * np.array([own, other])
        scores = [points(values, 3) for values in (ability, first, second)]
        found = correlation_over_systems(models, *scores[:2]).at(0.95)
        missed += not found.low <= truth <= found.high
        lead = lead_over_systems(models, *scores).at(0.95)
        lead_high, short = lead_high + (lead.low > 0), short + (lead.high < 0)
    # 5% with its chance of a thousand; the lead's ends are known to miss less than the 2.5% meant.
    assert 0.03 <= missed / 1_000 <= 0.075
    assert 0 < lead_high / 1_000 <= 0.04
    assert 0 < short / 1_000 <= 0.04


def test_what_is_the_same_twice_leads_by_what_its_ends_differ_and_a_line_is_no_error():
    """Estimates of one correlation vary as one: the one's distance down less the other's distance up."""
    other = SPREAD[::-1] + SPREAD**2
    lead = lead_over_systems(population(), points(SPREAD), points(other), points(other)).at(0.95)
    r = np.corrcoef(SPREAD, other)[0, 1]
    low, high = (np.tanh(np.arctanh(r) + sign * 1.959964 / np.sqrt(3)) for sign in (-1, 1))
    skew = abs((r - low) - (high - r))
    assert (lead.value, lead.low, lead.high) == pytest.approx((0.0, -skew, skew), abs=1e-6)
    straight = points(np.array([-1.0, -1, 0, 0, 1, 1]))  # correlation 1 to the last bit
    line = correlation_over_systems(population(), straight, straight).at(0.95)
    assert (line.value, line.high) == pytest.approx((1.0, 1.0), abs=1e-8)
    assert line.low > 0.99


def test_three_systems_have_no_interval_and_two_units_or_systems_no_answer():
    for found in (
        correlation_over_systems(population(), points(SPREAD[:3]), points([1, 2, 4])).at(0.95),
        lead_over_systems(population(), points(SPREAD[:3]), points([1, 2, 4]), points([4, 1, 2])).at(0.95),
    ):
        assert (found.low, found.high) == (-np.inf, np.inf)
    with pytest.raises(EvidenceLacking, match="three units to tell their spread, got 2"):
        correlation_over_systems(population(2), points(SPREAD, 2), points(SPREAD**2, 2)).at(0.95)
    with pytest.raises(EvidenceLacking, match="systems that differ"):
        correlation_over_systems(population(), points(SPREAD[:2]), points(SPREAD[:2])).at(0.95)
    with pytest.raises(EvidenceLacking, match="systems that differ"):
        lead_over_systems(population(), points(np.zeros(6)), points(SPREAD), points(SPREAD**2)).at(0.95)
    with pytest.raises(EvidenceLacking, match="systems that differ"):  # by more than rounding
        correlation_over_systems(population(), points(0.3 + 1e-16 * SPREAD), points(SPREAD)).at(0.95)
