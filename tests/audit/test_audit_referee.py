"""The line on top of an audit names a planted bug, and what is almost always a bug stands apart from definitions."""

import time

import numpy as np
import pytest

from dbench.audit import answer, audit, likely_a_bug
from dbench.audit.referee import failures_of_ours
from dbench.codes import Sample
from dbench.errors import UnknownName
from dbench.metrics import mig
from dbench.metrics.relations import classes, entropy, mutual_information


def gaps(codes, factors, *, axis=0, normalised=True):
    """MIG: the gap between the two codes that know most of a factor; along the other axis, of a code's two factors."""
    labels = classes(Sample(codes, factors), 20)
    table = mutual_information(codes, labels, bins=20)
    if table.shape[axis] == 1:
        table = np.concatenate([table, 0 * table], axis=axis)
    ordered = np.sort(table / entropy(labels) if normalised else table, axis=axis)
    return float((ordered.take(-1, axis) - ordered.take(-2, axis)).mean())


def right(codes, factors):
    return gaps(codes, factors)


def along_codes(codes, factors):
    return gaps(codes, factors, axis=1)


def in_nats(codes, factors):
    return gaps(codes, factors, normalised=False)


def upside_down(codes, factors):
    return 1 - gaps(codes, factors)


def pairs_by_place(codes, factors):
    both = min(codes.shape[1], factors.shape[1])
    return float(np.mean([abs(np.nan_to_num(np.corrcoef(codes[:, i], factors[:, i])[0, 1])) for i in range(both)]))


def hangs(codes, factors):
    time.sleep(5)
    return 0.5


PLANTED = [
    (along_codes, "Likely a bug: dead_codes[perfect copy, last] fails", "sort along the wrong axis?"),
    (in_nats, "is declared: is it normalised?", "--bounds"),
    (upside_down, "it is reversed", "say --less-is-better"),
    (pairs_by_place, "Likely a bug: permutation[perfect copy] fails", "does it take code i for factor i?"),
]


@pytest.mark.parametrize("like", ["", "mig"])
@pytest.mark.parametrize(("planted", "named", "cause"), PLANTED, ids=[case[0].__name__ for case in PLANTED])
def test_a_planted_bug_is_named_in_one_line(planted, named, cause, like):
    said = answer(audit(planted, like=like, observations=500))
    assert named in said
    assert cause in said
    assert "\n" not in said
    assert ("mig passes" in said) is bool(like and named.startswith("Likely"))


def test_a_metric_that_hangs_is_given_up_and_the_line_says_so():
    started = time.monotonic()
    records = audit(hangs, observations=200, timeout=0.05)
    assert answer(records) == "No number was given: given up: no answer within 0.05 s in the first 3 calls."
    assert time.monotonic() - started < 60  # 159 checks of a second and more each, were it asked


def test_what_is_as_it_should_be_has_no_bug():
    alone = answer(audit(right, observations=1000))
    assert alone.startswith("Nothing that is almost always a bug. ")
    assert alone.endswith("checks fail by definition, as some of ours do.")
    assert answer(audit(right, observations=1000, like="mig")) == "Passes what mig passes."
    other = answer(audit("mig", like="sap", only=["separation", "permutation"], observations=1000))
    assert other.startswith("Passes what sap passes; scores are at most 0.")


def test_what_was_declared_is_no_bug():
    only = ["dead_codes", "permutation"]
    records = audit(along_codes, only=only, expected={"dead_codes": "it is of codes"}, observations=1000)
    assert answer(records) == "Nothing else fails. 4 fail as declared."


def test_less_is_better_said_of_a_metric_of_which_more_is():
    said = answer(audit(right, only=["separation"], observations=1000, less_is_better=True))
    assert "more is better, so leave --less-is-better" in said
    assert answer(audit(upside_down, only=["separation"], observations=1000, less_is_better=True)).startswith("Passes")


def test_beside_ours_each_record_says_what_that_gets_of_the_same_input():
    records = audit(mig, like="mig", only=["noise", "permutation", "strong_high"], observations=500)
    assert {record.like for record in records} == {"mig"}
    assert [(record.status, record.value) for record in records] == [(r.like_status, r.like_value) for r in records]
    with pytest.raises(UnknownName, match="migg"):
        audit(right, like="migg")


def test_what_hardly_any_of_ours_fails_is_almost_always_a_bug():
    bugs = {"permutation[leaky copy]", "sign[perfect copy]", "determinism", "dead_codes[leaky copy, first]", "bounds"}
    for check in bugs:
        assert likely_a_bug(check), check
    for check in ("modularity[factors packed in pairs]", "strong_low[rotated by 45 degrees]", "monotone[leaky copy]"):
        assert not likely_a_bug(check), check
    assert "gaussian_total_correlation" not in failures_of_ours()[""]  # it does not see factors
