"""Cases at the edge of a metric's rules, each with an answer that can be told by hand."""

import numpy as np
import pytest

from dbench.codes import Sample
from dbench.errors import InvalidInput
from dbench.metrics import med
from dbench.metrics.boosted_trees import boosted_trees
from dbench.metrics.lasso import _walk
from dbench.metrics.posterior import kl_per_code
from dbench.seeds import generator

BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_a_split_that_gains_nothing_is_made_for_what_it_makes_possible():
    """Neither bit says anything of their exclusive or; after either split the other bit says all."""
    codes = np.tile(BITS, (5, 1)).astype(float)
    found = boosted_trees(
        codes, codes.sum(axis=1).astype(int) % 2, codes, stages=1, depth=2, generator=generator(test="exclusive or")
    )
    assert (found.test == codes.sum(axis=1) % 2).all()


def test_codes_without_information_leave_the_normalised_matrix_empty():
    score = med(Sample(np.zeros((8, 3)), np.tile(BITS, (2, 1))), normalise=True)
    assert score.value == 0.0
    np.testing.assert_array_equal(score.relation, np.zeros((3, 2)))


def test_a_walk_along_a_lasso_path_that_is_broken_off_stands_still():
    """Orthogonal predictors: the first corner lies at the larger covariance, where its weight begins to grow."""
    stop, slopes = np.array([0.5]), np.array([[2.0, 1.0]])
    whole = _walk(np.eye(2)[None].copy(), slopes, stop, max_corners=20)
    broken = _walk(np.eye(2)[None].copy(), slopes, stop, max_corners=2)
    assert [segment.start[0] for segment in broken] == [2.0, 2.0, 1.0]
    assert broken[-1].weights.tolist() == [[1.0, 0.0]]
    assert broken[-1].slope.tolist() == [[0.0, 0.0]]
    assert whole[-1].start[0] <= 0.5


@pytest.mark.parametrize("spoilt", ["mean", "logvar"])
def test_one_number_that_is_not_finite_is_enough_to_refuse_a_posterior(spoilt):
    posterior = {"mean": np.zeros((4, 2)), "logvar": np.zeros((4, 2))}
    posterior[spoilt][1, 1] = np.nan
    with pytest.raises(InvalidInput, match="mean and logvar must be finite"):
        kl_per_code(**posterior)
