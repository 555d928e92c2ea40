"""Agreement of scores and equivalence of effects: known answers, coverage, levels and power."""

import math

import numpy as np
import pytest

from dbench.errors import InvalidInput
from dbench.seeds import generator
from dbench.stats import (
    jackknife_interval,
    rank_correlation,
    rank_correlations,
    variance_explained,
)


def test_the_matrix_holds_the_correlations_of_all_pairs():
    table = generator(test="matrix").integers(0, 4, size=(15, 3)).astype(float)
    found = rank_correlations(table)
    for i in range(3):
        for j in range(3):
            assert found[i, j] == pytest.approx(rank_correlation(table[:, i], table[:, j]))
    constant = rank_correlations(np.c_[table, np.ones(15)])
    assert constant[3].tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.parametrize("second", [0.8, 0.4])
def test_the_jackknife_of_the_gap_covers_nearly_as_often_as_it_says(n, second):
    """One score and two that follow it, correlations 0.8 and ``second``; six settings a seed."""

    def spearman(r):
        return 6 / math.pi * math.asin(r / 2)

    stream = generator(test="coverage of the gap", n=n, second=second)
    shared, one, two = stream.standard_normal((3, 400, n, 6))
    first, other = 0.8 * shared + 0.6 * one, second * shared + math.sqrt(1 - second**2) * two
    truth, hits = spearman(0.8) - spearman(second), 0
    for a, b, c in zip(shared, first, other, strict=True):

        def gap(kept, a=a, b=b, c=c):
            x, y, z = (part[kept].ravel() for part in (a, b, c))
            return rank_correlation(x, y) - rank_correlation(x, z)

        found = jackknife_interval(gap, n)
        hits += found.low <= truth <= found.high
    assert 0.90 <= hits / 400 <= 0.985


def test_the_corrected_share_is_a_half_where_the_settings_explain_half():
    stream, settings = generator(test="two corrections"), np.tile(np.arange(12), 10)
    means = np.arange(12) / np.std(np.arange(12))
    worlds = [means[settings] + stream.standard_normal(120) for _ in range(200)]
    adjusted = np.mean([variance_explained(world, settings) for world in worlds])
    assert adjusted == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_correlations([[1.0, 2.0]]), r"at least 2 x 1, got shape \(1, 2\)"),
        (lambda: rank_correlations([[1.0], [math.nan]]), "finite, got nan"),
    ],
)
def test_bad_input_is_refused_with_the_value_received(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
