"""The rules decide as the design says, at every edge, and say how many units would settle an open case."""

import math
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from dbench.claims import EVERY_PART, Rule, Verdict, above, below, every_part, within
from dbench.errors import InvalidInput
from dbench.stats import Estimate, Interval, exact

R, W, OPEN, A, C = Verdict.REPRODUCED, Verdict.WEAKER, Verdict.UNDECIDED, Verdict.ABSENT, Verdict.CONTRADICTED
# Multiples of 1/8 add and subtract without rounding, so that edges are hit.
EIGHTHS = st.integers(-40, 40).map(lambda number: number / 8)


def interval(low: float, high: float, *, n: int = 10) -> Interval:
    value = (low + high) / 2 if math.isfinite(low + high) else min(max(0.0, low), high)
    return Interval(value, low, high, n, 0.95)


@st.composite
def rules(draw) -> Rule:
    kind, bound, width = draw(st.sampled_from([above, below, within])), draw(EIGHTHS), abs(draw(EIGHTHS))
    if kind is within:
        return within(bound, bound + width)
    return kind(bound, null=bound - width if kind is above else bound + width)


@st.composite
def intervals(draw) -> Interval:
    low, high = sorted((draw(EIGHTHS), draw(EIGHTHS)))
    return interval(low, high)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.1, 2.0, R),
        (1.0, 2.0, OPEN),  # the bound itself is not beyond it
        (0.6, 1.0, OPEN),
        (-0.5, 2.0, OPEN),
        (0.1, 0.9, W),
        (0.0, 0.9, A),  # touches the value of no effect
        (-0.5, 0.5, A),
        (-0.5, 0.0, A),
        (-0.5, -0.1, C),
        (-math.inf, math.inf, OPEN),
        (1.1, math.inf, R),
        (-math.inf, -0.1, C),
    ],
)
def test_above_and_below_are_each_others_mirror(low, high, verdict):
    assert above(1.0, null=0.0).decide(interval(low, high)) is verdict
    assert below(-1.0, null=0.0).decide(interval(-high, -low)) is verdict


@pytest.mark.parametrize(("low", "high", "verdict"), [(0.6, 0.9, R), (0.4, 0.6, OPEN), (0.1, 0.4, C)])
def test_where_the_bound_is_the_null_nothing_is_weaker_or_absent(low, high, verdict):
    assert above(0.5).decide(interval(low, high)) is verdict
    assert below(-0.5).decide(interval(-high, -low)) is verdict


@pytest.mark.parametrize(
    ("rule", "value", "verdict"),
    [
        (above(0.5), 0.5, C),  # known to lie on the bound, and so not above it
        (above(0.5, null=0.0), 0.5, W),
        (above(0.5, null=0.0), 0.0, A),
        (below(0.5), 0.4, R),
        (within(0.5, 0.5), 0.5, R),
    ],
)
def test_exact_values_are_decided_on_their_edges_too(rule, value, verdict):
    assert rule.decide(exact(value).at(1.0)) is verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.5, 0.25, R),
        (-1.0, 1.0, R),  # the ends belong to the range
        (-1.1, 0.5, OPEN),
        (0.5, 1.1, OPEN),
        (1.0, 2.0, OPEN),  # touches the end
        (1.1, 2.0, C),
        (-2.0, -1.1, C),
        (-math.inf, math.inf, OPEN),
    ],
)
def test_within_decides_by_its_closed_range(low, high, verdict):
    assert within(-1.0, 1.0).decide(interval(low, high)) is verdict


@given(rules(), intervals(), EIGHTHS, EIGHTHS)
def test_a_wider_interval_says_less(rule, estimate, left, right):
    wider = Interval(estimate.value, estimate.low - abs(left), estimate.high + abs(right), estimate.n, 0.95)
    before, after = rule.decide(estimate), rule.decide(wider)
    assert after in {R: (R, OPEN), W: (W, A, OPEN), A: (A, OPEN), C: (C, A, OPEN), OPEN: (OPEN,)}[before]


@given(EIGHTHS, EIGHTHS, intervals())
def test_a_sentence_and_its_opposite_are_never_both_reproduced(bound, width, estimate):
    up, down = above(bound, null=bound - abs(width)), below(bound, null=bound + abs(width))
    assert {up.decide(estimate), down.decide(estimate)} != {R}


@given(rules(), intervals())
def test_a_null_never_decides_what_is_reproduced_or_open(rule, estimate):
    if rule.null is not None:
        plain = Rule(rule.low, rule.high, rule.low if math.isfinite(rule.low) else rule.high)
        mine, other = rule.decide(estimate), plain.decide(estimate)
        assert mine is other if other in (R, OPEN) else mine in (W, A, C)


@pytest.mark.parametrize(
    "estimate",
    [
        exact(0.25).at(0.95),
        interval(-1.0, 1.0),  # on the bound
        interval(-1.0, 1.0 + 1e-6),  # nobody collects so many
        Interval(1.0, 0.5, 1.5, 1, 0.95),  # one unit has no spread
        Interval(1.0, 1.0, 1.0, 10, 0.95),  # and neither have equal ones
        Interval(1.0, -math.inf, math.inf, 2, 0.95),  # the spread is not known
        Interval(1e-300, -1e300, 1e300, 5, 0.95),
    ],
)
def test_no_n_is_promised_where_more_of_the_same_would_not_settle_it(estimate):
    assert above(0.0).n_to_settle(estimate) is None


def test_no_fewer_units_than_there_are_are_promised():
    assert above(0.0).n_to_settle(Interval(1.0, 0.9, 1.1, 10, 0.95)) == 11


@pytest.mark.parametrize("confidence", [0.9, 0.99])
@pytest.mark.parametrize("n", [2, 3, 5, 20])
def test_the_n_to_settle_is_the_first_at_which_student_and_the_power_fit_into_the_distance(n, confidence):
    distance, half = 0.5, 1.3
    level = (1 + confidence) / 2
    spread = half / student.ppf(level, n - 1) * math.sqrt(n)
    known = next(k for k in count(n + 1) if k >= (spread / distance * (student.ppf(level, k - 1) + norm.ppf(0.8))) ** 2)
    assert above(-distance).n_to_settle(Interval(0.0, -half, 9.0, n, confidence)) == known
    assert below(distance).n_to_settle(Interval(0.0, -9.0, half, n, confidence)) == known


@pytest.mark.parametrize("needed", [999_999.5, 1_000_000.5])
def test_a_million_units_are_promised_and_no_more(needed):
    n, level = 1_000, 0.975
    wide = (
        math.sqrt(needed) / (student.ppf(level, 10**6 - 1) + norm.ppf(0.8)) * student.ppf(level, n - 1) / math.sqrt(n)
    )
    found = above(0.0).n_to_settle(Interval(1.0, 1 - wide, 2.0, n, 0.95))
    assert found == (1_000_000 if needed < 1_000_000 else None)


def test_inside_a_range_both_ends_must_clear():
    lopsided = Interval(0.0, -3.0, 1.5, 100, 0.95)
    assert within(-1.0, 1.0).n_to_settle(lopsided) == above(-1.0).n_to_settle(lopsided)
    assert within(-1.0, 1.0).n_to_settle(lopsided) > below(1.0).n_to_settle(lopsided)
    # Outside, the near end alone: a value of 2 needs not clear -9.
    outside = Interval(2.0, -9.0, 2.5, 100, 0.95)
    assert within(-9.0, 1.0).n_to_settle(outside) == above(1.0).n_to_settle(outside)
    below_it = Interval(-2.0, -2.5, 9.0, 100, 0.95)
    assert within(-1.0, 9.0).n_to_settle(below_it) == below(-1.0).n_to_settle(below_it)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (above(0.5), "above 0.5"),
        (above(0.5, null=0.0), "above 0.5 (no effect: 0)"),
        (below(0.5, null=1.0), "below 0.5 (no effect: 1)"),
        (within(-0.5, 1.0), "within [-0.5, 1]"),
    ],
)
def test_a_rule_reads_as_its_range(rule, text):
    assert str(rule) == text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: above(math.nan), "finite end, got nan"),
        (lambda: below(math.inf), "finite end"),
        (lambda: above(0.0, null=0.1), "null of a rule must lie outside its range"),
        (lambda: below(0.0, null=-0.1), "null of a rule must lie outside its range"),
        (lambda: above(0.0, null=math.nan), "null of a rule must be a number"),
        (lambda: Rule(0.0, 1.0, 0.5), "null of a rule must be a number for a range with one end alone, got 0.5"),
        (lambda: Rule(0.0, math.inf, None), "null of a rule must be a number"),
        (lambda: within(1.0, 0.0), "low <= high with a finite end, got 1.0 and 0.0"),
        (lambda: within(0.0, math.inf), "null of a rule must be a number"),
    ],
)
def test_a_rule_without_a_meaning_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


PARTS = (
    above(0.5, null=0.0),
    above(0.1),
    below(0.9, null=1.0),
    below(0.1),
    above(0.3, null=0.0),
    below(-0.3, null=0.0),
)


@pytest.mark.parametrize("rule", PARTS, ids=str)
@pytest.mark.parametrize("value", [-0.7, -0.05, 0.05, 0.11, 0.3, 0.55, 0.91, 0.97, 1.2])
def test_a_part_is_decided_as_by_its_own_rule(rule, value):
    estimate = Interval(value, value - 0.004, value + 0.004, 10, 0.95)
    assert EVERY_PART.decide(rule.scaled(estimate)) == rule.decide(estimate)


@pytest.mark.parametrize("rule", PARTS, ids=str)
@pytest.mark.parametrize(("below_it", "above_it"), [(0.0, 0.0), (0.25, 0.0), (0.0, 0.25)])
def test_a_part_on_its_bound_is_decided_as_by_its_own_rule(rule, below_it, above_it):
    bound = rule.low if math.isfinite(rule.low) else rule.high
    estimate = Interval(bound, bound - below_it, bound + above_it, 10, 0.95)
    assert EVERY_PART.decide(rule.scaled(estimate)) == rule.decide(estimate)


@pytest.mark.parametrize(
    ("rule", "placed"),
    [
        (above(0.4, null=0.0), (0.5, 0.25, 1.25)),
        (above(0.4, null=-0.4), (0.75, 0.625, 1.125)),
        (below(0.4, null=1.0), (4 / 3, 5 / 6, 1.5)),
        (above(0.1), (1.1, 1.0, 1.4)),
        (below(0.5), (1.3, 1.0, 1.4)),
        (below(0.2), (1.0, -0.3, 1.1)),
    ],
)
def test_a_part_is_placed_between_its_value_of_no_effect_at_0_and_its_bound_at_1(rule, placed):
    found = rule.scaled(Interval(0.2, 0.1, 0.5, 10, 0.95))
    assert (found.value, found.low, found.high) == pytest.approx(placed)


@pytest.mark.parametrize("short", [1e-20, 5e-324, 0.0])
def test_what_falls_short_of_a_bound_without_effect_keeps_its_distance_and_what_lies_on_it_is_short(short):
    assert above(0.0).scaled(Interval(-short, -short, -short, 10, 0.95)).value == -(short or 5e-324)


def test_a_sentence_of_several_parts_is_as_good_as_its_worst():
    def judged(*values):
        parts = [Estimate(value, 10, lambda _, value=value: (value - 0.004, value + 0.004)) for value in values]
        return EVERY_PART.decide(every_part(parts, dict(zip("abcd", PARTS, strict=False))).at(0.95))

    assert judged(0.6, 0.2, 0.8, 0.0) == Verdict.REPRODUCED
    assert judged(0.4, 0.2, 0.8, 0.0) == Verdict.WEAKER
    assert judged(0.4, 0.05, 0.8, 0.0) == Verdict.CONTRADICTED
    assert judged(0.6, 0.2, 1.1, 0.0) == Verdict.CONTRADICTED
    assert judged(0.5, 0.2, 0.8, 0.0) == Verdict.UNDECIDED
    assert judged(0.0, 0.2, 0.8, 0.0) == Verdict.ABSENT


def test_a_part_has_a_rule_with_one_end():
    with pytest.raises(InvalidInput, match="one end, got within"):
        within(0.0, 1.0).scaled(Interval(0.5, 0.4, 0.6, 10, 0.95))
