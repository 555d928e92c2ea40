"""Can every check fail, and does it pass where it should? What may be audited, and what may not?"""

import functools
import signal
import time

import numpy as np
import pytest

from dbench.audit import CHECKS, REPRESENTATIONS, Subject, audit, parametrize_with_checks
from dbench.audit.audit import stale
from dbench.codes import Sample
from dbench.errors import InvalidInput, UnknownName
from dbench.metrics import mig


def linear(codes, factors):
    """How well is every factor correlated with some code? Passes whatever is asked of a score as an estimate."""
    with np.errstate(invalid="ignore"):
        relation = np.abs(np.nan_to_num(np.corrcoef(codes.T, factors.T)[: codes.shape[1], codes.shape[1] :]))
    return float(relation.max(axis=0).mean())


def relation_sum(codes, factors):
    return sum(linear(code[:, None], factors) for code in codes.T)


def binned(codes, factors, bins=20):
    return linear(codes, factors) * bins / 20


class Restless:
    """Another number at every call."""

    def __init__(self):
        self.calls = 0

    def __call__(self, codes, factors):
        self.calls += 1
        return linear(codes, factors) + 1e-6 * self.calls


SPOILT = {
    "separation": lambda codes, factors: 0.5,
    "chance": lambda codes, factors: 0.5 + linear(codes, factors) / 2,
    "permutation": lambda codes, factors: linear(codes[:, :1], factors),
    "sign": lambda codes, factors: linear(np.maximum(codes, 0.5), factors),
    "shift": lambda codes, factors: linear(np.maximum(codes, 0.5), factors),
    "scale": lambda codes, factors: linear(np.minimum(codes, 1.5) * (codes.std(axis=0) > 1e-3), factors),
    "monotone": linear,
    "dead_codes": lambda codes, factors: relation_sum(codes, factors) / codes.shape[1],
    "idle_codes": lambda codes, factors: relation_sum(codes, factors) / codes.shape[1],
    "duplicated_codes": relation_sum,
    "noise": lambda codes, factors: 0.5 + 0.5 * (linear(codes, factors) > 0.1),
    "sample_size": lambda codes, factors: linear(codes, factors) + 20 / len(codes),
    "bins": binned,
    "regime": lambda codes, factors: linear(codes, factors) + codes.shape[1] / len(codes),
    "bounds": lambda codes, factors: 2 * linear(codes, factors),
    "determinism": Restless(),
}
# What linear reads wrongly is a matter of its design (many codes of noise as well); these are asked of every metric.
FINE = sorted(set(SPOILT) - {"monotone", "bins", "regime"})


@pytest.mark.parametrize("family", SPOILT)
def test_every_property_is_found_missing_where_it_is(family):
    assert "fail" in {record.status for record in audit(SPOILT[family], only=[family], observations=500)}


@pytest.mark.parametrize("family", FINE)
def test_every_property_is_found_where_it_is(family):
    assert {record.status for record in audit(linear, only=[family], observations=500)} == {"pass"}


def test_every_family_of_judgement_is_spoilt_or_read_off_the_gallery():
    read_off = {"characteristic_1", "characteristic_2", "weak", "strong"}
    of_gallery = {f"{name}_{level}" for name in read_off for level in ("high", "low")}
    assert {check.family for check in CHECKS.values()} == set(SPOILT) | of_gallery | {
        "modularity",
        "compactness",
        "explicitness",
    }


def test_an_audit_repeats_and_tells_every_record_as_it_comes():
    seen = []
    first = audit(linear, only=["sign", "chance"], observations=500, callback=seen.append)
    assert seen == first == audit(linear, only=["sign", "chance"], observations=500)


def of_sample(sample):
    assert isinstance(sample, Sample)
    return linear(sample.codes, sample.factors)


def of_source(source):
    return of_sample(source.sample(2000, np.random.default_rng(0)))


class Scorer:
    def __call__(self, codes, factors):
        return np.float32(linear(codes, factors))


@pytest.mark.parametrize(
    "metric",
    [of_sample, of_source, Scorer(), functools.partial(mig, bins=10), lambda *arrays: linear(*arrays)],
    ids=["sample", "source", "callable object", "partial", "starred"],
)
def test_a_metric_is_called_in_the_way_it_wants(metric):
    (record,) = audit(metric, only=["separation"])
    assert (record.status, type(record.value)) == ("pass", float), record.reason


def test_what_a_metric_does_to_its_arrays_stays_its_own_affair():
    def spoils(codes, factors):
        score = linear(codes, factors)
        codes *= 0
        factors *= 0
        return score

    plain, spoilt = (audit(metric, only=["strong_low"], name="same", observations=500) for metric in (linear, spoils))
    assert plain == spoilt


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (3, "must be callable, got int"),
        (lambda: 0.0, "must be callable with"),
        (lambda codes, factors, *, needed: 0.0, "got required parameters codes, factors, needed"),
    ],
)
def test_what_cannot_be_called_with_codes_and_factors_is_refused(metric, message):
    with pytest.raises(InvalidInput, match=message):
        audit(metric)


def test_misspelt_expectations_are_refused_before_anything_is_asked():
    with pytest.raises(UnknownName, match="did you mean 'chance'"):
        parametrize_with_checks([linear], expected={"chnace": "no"})


def test_the_decorator_skips_what_does_not_apply_and_insists_on_what_is_expected():
    expected = {"monotone": "linear by design", "sign[perfect copy]": "outdated"}
    only = ["separation", "monotone", "sign", "bins", "characteristic_2_high[powers]"]
    mark = parametrize_with_checks([linear], expected=expected, only=only, observations=500).mark
    names, cases = mark.args
    assert (mark.name, names) == ("parametrize", ("metric", "check"))
    said = {}
    for case in cases:
        metric, check = case.values
        try:
            check(metric)
        except (AssertionError, pytest.skip.Exception, pytest.xfail.Exception) as error:
            said[case.id] = (type(error), str(error))
    named = {family: [name for name in said if name.startswith(f"linear-{family}")] for family in only}
    assert {family: len(names) for family, names in named.items()} == dict(zip(only, (0, 2, 1, 2, 1), strict=True))
    assert len(cases) == 8
    assert {said[name][0] for name in named["bins"]} == {pytest.skip.Exception}
    assert {said[name][0] for name in named["monotone"]} == {pytest.xfail.Exception}
    assert all(said[name][1].startswith("linear by design (") for name in named["monotone"])
    assert said["linear-sign[perfect copy]"][1].startswith("expected to fail (outdated), but passes")
    kind, reason = said["linear-characteristic_2_high[powers]"]
    assert (kind, reason.partition(":")[0]) == (AssertionError, "characteristic_2_high[powers] of linear")


def test_the_clock_of_somebody_else_goes_on():
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 30)
    try:
        Subject(linear, timeout=1).score("x", REPRESENTATIONS["perfect copy"].source)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_metric_that_swallows_every_error_is_stopped_all_the_same():
    def stubborn(codes, factors):
        try:
            time.sleep(30)
        except Exception:
            return 1.0

    (record,) = audit(stubborn, only=["separation"], timeout=0.2)
    assert (record.status, record.reason) == ("error", "gave no answer within 0.2 s")


def test_a_scale_that_is_declared_decides_where_scores_lie_and_not_whether_they_differ():
    found = audit(lambda codes, factors: 0.5, only=["separation", "chance"], scale=(0.0, 1.0))
    assert {record.check: record.status for record in found} == {"separation": "fail", "chance": "fail"}


def test_an_expectation_that_does_not_apply_is_not_outdated():
    records = audit(lambda codes, factors: 0.5, only=["bins", "permutation"], observations=300)
    assert stale(records, {"bins": "has none", "permutation": "holds"}) == ["permutation"]


def test_a_second_parameter_that_is_called_factors_gets_them():
    assert Subject(lambda codes, factors=None: 0.5).needs == "arrays"
    assert Subject(lambda sample, weight=1.0: 0.5).needs == "sample"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": 1e300}, "timeout must be a number of seconds above 0, at most 1,000,000"),
        ({"observations": 10**12}, "observations must fit into memory, got 1,000,000,000,000"),
    ],
)
def test_what_no_machine_has_is_one_line(options, message):
    with pytest.raises(InvalidInput, match=message):
        audit(lambda codes, factors: 0.5, only=["permutation"], **options)
    with pytest.raises(InvalidInput, match="a Subject has its options, got observations beside one"):
        audit(Subject(lambda codes, factors: 0.5), observations=500)
