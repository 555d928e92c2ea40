"""What a record says of a filter on models."""

import numpy as np
import pytest

from dbench.claims.filters import removed, removed_text
from dbench.claims.simulation import Law, simulated_zoo
from dbench.claims.zoo_among import SEVERAL_ACTIVE
from dbench.errors import EvidenceLacking
from dbench.report.text import filter_text
from dbench.seeds import generator


def zoo(codes):
    laws = {"kl.informative": Law(mean=codes, noise=0.0)}
    return simulated_zoo(laws, generator=generator(test="filters"), seeds=5, objectives={"a": (1.0, 2.0), "b": (1.0,)})


def test_it_counts_the_models_below_the_least_value():
    assert removed(zoo({"a": 3.0, "b": 1.0}), SEVERAL_ACTIVE) == ("The filter removes 5 of the 15 models.",)
    assert removed(zoo({"a": 3.0, "b": 1.0}), SEVERAL_ACTIVE, objectives=["b"]) == (
        "The filter removes 5 of the 5 models.",
    )


def test_a_filter_that_removes_nothing_says_that_the_judgement_is_the_same():
    (told,) = removed(zoo(2.0), SEVERAL_ACTIVE)
    assert told == "The filter removes none of the 15 models: the same judgement as with all."


def test_without_a_filter_nothing_is_said():
    assert removed(zoo(2.0), None) == ()


def test_a_score_that_is_not_there_leaves_the_claim_open():
    with pytest.raises(EvidenceLacking):
        removed(zoo(2.0), ("mlp_accuracy", 0.1))


@pytest.mark.parametrize("kept", [[True, True], [[True], [False]]])
def test_the_report_finds_what_the_filter_says(kept):
    told = removed_text(np.array(kept), "codes")
    assert filter_text({"deviations": ["The filter is described here.", told]}) == told.removeprefix("The ").rstrip(".")
    assert "codes" in told
