"""The rules decide as their docstring says, at every edge, and say how many units would settle an open case."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dbench.claims import Rule, Verdict, above, below, within
from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_interval

R, N, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE
# Multiples of 1/8 add and subtract without rounding, so that edges are hit.
EIGHTHS = st.integers(-40, 40).map(lambda number: number / 8)


def interval(low: float, high: float, *, n: int = 10) -> Estimate:
    value = (low + high) / 2 if math.isfinite(low + high) else min(max(0.0, low), high)
    return Estimate(value, low, high, n, 0.95)


@st.composite
def rules(draw) -> Rule:
    kind, bound, margin = draw(st.sampled_from([above, below, within])), draw(EIGHTHS), abs(draw(EIGHTHS))
    return within(bound, bound + margin) if kind is within else kind(bound, margin=margin)


@st.composite
def intervals(draw) -> Estimate:
    low, high = sorted((draw(EIGHTHS), draw(EIGHTHS)))
    return interval(low, high)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.6, 2.0, R),
        (1.5, 2.0, OPEN),  # bound plus margin is not beyond it
        (1.2, 1.4, OPEN),  # between bound and margin
        (0.5, 2.0, OPEN),
        (0.5, 1.0, OPEN),  # touches the bound
        (0.5, 0.9, N),
        (1.0, 1.0, N),  # known to lie on the bound, and so not above it
        (1.5, 1.5, OPEN),
        (-math.inf, math.inf, OPEN),
        (1.6, math.inf, R),
        (-math.inf, 0.9, N),
    ],
)
def test_above_and_below_are_each_others_mirror_and_decide_beyond_their_edges(low, high, verdict):
    assert above(1.0, margin=0.5).decide(interval(low, high)) is verdict
    assert below(-1.0, margin=0.5).decide(interval(-high, -low)) is verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.5, 0.25, R),
        (-1.0, 1.0, R),  # the ends belong to the range
        (1.0, 1.0, R),
        (-1.1, 0.5, OPEN),
        (0.5, 1.1, OPEN),
        (-2.0, 2.0, OPEN),
        (1.0, 2.0, OPEN),  # touches the end
        (1.1, 2.0, N),
        (-2.0, -1.1, N),
        (-math.inf, math.inf, OPEN),
    ],
)
def test_within_decides_by_its_closed_range(low, high, verdict):
    assert within(-1.0, 1.0).decide(interval(low, high)) is verdict


@given(rules(), intervals())
def test_every_interval_gets_one_of_three_verdicts(rule, estimate):
    assert rule.decide(estimate) in (R, N, OPEN)


@given(rules(), intervals(), EIGHTHS, EIGHTHS)
def test_widening_an_interval_decides_nothing_and_overturns_nothing(rule, estimate, left, right):
    wider = Estimate(estimate.value, estimate.low - abs(left), estimate.high + abs(right), estimate.n, 0.95)
    assert rule.decide(wider) in (rule.decide(estimate), OPEN)


@given(EIGHTHS, EIGHTHS, intervals())
def test_a_finding_and_its_opposite_are_never_both_reproduced(bound, margin, estimate):
    verdicts = {above(bound, margin=abs(margin)).decide(estimate), below(bound, margin=abs(margin)).decide(estimate)}
    assert verdicts != {R}
    # Only a value known to lie on the bound refutes both.
    assert verdicts != {N} or estimate.low == estimate.high == bound


@given(rules(), intervals())
def test_a_margin_never_turns_a_rejection_into_a_reproduction(rule, estimate):
    assume(rule.direction != "within")
    strict = Rule(rule.direction, rule.bound, rule.margin + 0.125)
    assert rule.decide(estimate) is R or strict.decide(estimate) is not R
    assert (rule.decide(estimate) is N) == (strict.decide(estimate) is N)


@pytest.mark.parametrize(
    ("rule", "estimate", "n"),
    [
        (above(0.0), interval(-1.0, 3.0, n=10), 40),  # half width 2, distance 1: four times as many
        (above(0.0, margin=0.5), interval(-1.0, 3.0, n=10), 160),  # the nearer edge is the margin's
        (below(0.0), interval(-1.0, 3.0, n=10), 40),  # on the wrong side it settles too
        (within(-1.0, 1.0), interval(-2.0, 2.0, n=10), 40),
        (above(0.0), interval(-1e-9, 3.0, n=10), 11),  # never fewer than one more
    ],
)
def test_the_n_that_would_settle_it_shrinks_the_interval_to_the_nearest_edge(rule, estimate, n):
    assert rule.n_to_settle(estimate) == n


@pytest.mark.parametrize(
    ("rule", "estimate"),
    [
        (above(1.0, margin=0.5), interval(1.1, 1.4)),  # too small an effect stays one
        (below(1.0, margin=0.5), interval(0.6, 0.9)),
        (above(1.0, margin=0.5), exact(1.25)),  # nothing is sampled
        (above(0.0), interval(-1.0, 1.0)),  # on the bound
        (above(0.0), interval(-1.0, 1.0 + 1e-6)),  # nobody collects so many
        (above(0.0), Estimate(1.0, -math.inf, math.inf, 2, 0.95)),  # the spread is not known
        (above(0.0), Estimate(1e-300, -1e300, 1e300, 5, 0.95)),
    ],
)
def test_no_n_is_promised_where_more_of_the_same_would_not_settle_it(rule, estimate):
    assert rule.n_to_settle(estimate) is None


@given(rules(), intervals())
def test_the_n_that_would_settle_it_would(rule, estimate):
    n = rule.n_to_settle(estimate)
    if n is not None:
        half = (estimate.high - estimate.low) / 2 * math.sqrt(estimate.n / n) * 0.999
        assert rule.decide(Estimate(estimate.value, estimate.value - half, estimate.value + half, n, 0.95)) is not OPEN


@pytest.mark.parametrize(
    ("effect", "verdict", "least", "most"),
    [
        (0.0, R, 0.0, 0.035),  # no effect: a false reproduction in one of forty worlds
        (0.0, N, 0.0, 0.035),
        (-0.5, R, 0.0, 0.001),
        (2.0, R, 0.95, 1.0),
        (-2.0, N, 0.95, 1.0),
    ],
)
def test_a_rule_errs_no_more_often_than_its_confidence_allows(effect, verdict, least, most):
    worlds = effect + generator(test="errors of a rule", effect=effect).standard_normal((2_000, 8))
    found = [above(0.0).decide(mean_interval(world)) is verdict for world in worlds]
    assert least <= sum(found) / len(found) <= most


def test_an_effect_at_the_margin_is_called_reproduced_in_one_world_of_forty():
    worlds = 0.5 + generator(test="effect at the margin").standard_normal((2_000, 8))
    found = [above(0.0, margin=0.5).decide(mean_interval(world)) for world in worlds]
    assert found.count(R) / len(found) == pytest.approx(0.025, abs=0.014)
    assert found.count(N) / len(found) < 0.01


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (above(0.5), "interval above 0.5"),
        (above(0.5, margin=0.1), "interval above 0.6 (bound 0.5, margin 0.1)"),
        (below(0.5, margin=0.1), "interval below 0.4 (bound 0.5, margin 0.1)"),
        (within(-0.5, 1.0), "interval within [-0.5, 1]"),
    ],
)
def test_a_rule_reads_as_its_inequality(rule, text):
    assert str(rule) == text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: above(math.nan), "finite bound"),
        (lambda: below(math.inf), "finite bound"),
        (lambda: above(0.0, margin=-0.1), "margin >= 0, got 0.0 and -0.1"),
        (lambda: above(0.0, margin=math.nan), "margin >= 0"),
        (lambda: within(1.0, 0.0), "low <= high, got 1.0 and 0.0"),
        (lambda: within(math.nan, 0.0), "low <= high, got nan"),
        (lambda: within(0.0, math.inf), "finite bound"),
        (lambda: Rule("abov", 0.0), "direction of a rule must be one of .*, got 'abov'"),
    ],
)
def test_a_rule_without_a_meaning_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
