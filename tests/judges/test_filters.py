"""What a filter on models does to an estimate: it counts what it removes, and does not repeat what it leaves alone."""

import numpy as np
import pytest
from simulation import Law, simulated_zoo

from dbench.claims.filters import NothingLeftOut, filtered, kept_by
from dbench.claims.zoo_among import SEVERAL_ACTIVE
from dbench.errors import EvidenceLacking
from dbench.seeds import generator
from dbench.stats import exact


def zoo(codes):
    laws = {"kl.informative": Law(mean=codes, noise=0.0)}
    return simulated_zoo(laws, generator=generator(test="filters"), seeds=5, objectives={"a": (1.0, 2.0), "b": (1.0,)})


@pytest.mark.parametrize(("objectives", "left_out"), [(None, (5, 15)), (["b"], (5, 5))])
def test_it_counts_the_models_below_the_least_value(objectives, left_out):
    kept = kept_by(zoo({"a": 3.0, "b": 1.0}), SEVERAL_ACTIVE, objectives=objectives)
    assert filtered(exact(0.5), kept).left_out == left_out


def test_a_filter_that_removes_nothing_makes_no_judgement():
    with pytest.raises(NothingLeftOut, match="removes none of 15"):
        filtered(exact(0.5), kept_by(zoo(2.0), SEVERAL_ACTIVE))


def test_a_score_that_is_not_there_leaves_the_claim_open():
    with pytest.raises(EvidenceLacking):
        kept_by(zoo(2.0), ("mlp_accuracy", 0.1))


def test_the_estimate_stays_as_it_is():
    found = filtered(exact(0.5, n=7), np.array([[True], [False]]))
    assert (found.value, found.n, found.confidence) == (0.5, 7, 1.0)
