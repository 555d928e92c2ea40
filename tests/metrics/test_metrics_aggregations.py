from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from dbench.errors import InvalidInput
from dbench.metrics import (
    align,
    alignment_collisions,
    completeness_per_factor,
    dci_completeness,
    dci_disentanglement,
    disentanglement_per_code,
    gap_per_factor,
    mig_gap,
    sap_gap,
)

MATRICES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(0, 1e6))


@given(MATRICES)
@settings(max_examples=40)
def test_scores_of_any_matrix_lie_between_0_and_1(matrix):
    for aggregate in (dci_disentanglement, dci_completeness):
        assert 0.0 <= aggregate(matrix) <= 1.0
    for each in (disentanglement_per_code(matrix), completeness_per_factor(matrix)):
        assert ((each >= 0) & (each <= 1)).all()


@given(MATRICES, st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_the_order_of_codes_and_factors_does_not_matter(matrix, random):
    rows, columns = list(range(matrix.shape[0])), list(range(matrix.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    shuffled = matrix[rows][:, columns]
    for aggregate in (dci_disentanglement, dci_completeness, sap_gap):
        assert aggregate(shuffled) == pytest.approx(aggregate(matrix), rel=1e-9, abs=1e-9)


@given(MATRICES)
@settings(max_examples=40)
def test_completeness_is_disentanglement_of_the_transposed_matrix(matrix):
    assert dci_completeness(matrix) == dci_disentanglement(matrix.T)


def test_the_printed_matrices_of_how_not_to_measure_facts_2_and_5_score_as_printed():
    assert dci_disentanglement(np.full((11, 11), 0.02) + 0.78 * np.eye(11)) == pytest.approx(0.6, abs=0.005)
    assert dci_disentanglement([[1.0, 0.0], [0.01, 0.09]]) == pytest.approx(0.957, abs=0.0005)


def test_dead_codes_weigh_nothing_wherever_they_stand():
    matrix = np.array([[0.7, 0.1], [0.2, 0.8]])
    dead = np.zeros((3, 2))
    assert dci_disentanglement(np.concatenate([dead, matrix])) == pytest.approx(dci_disentanglement(matrix))
    assert disentanglement_per_code(np.concatenate([dead, matrix]))[:3].tolist() == [0, 0, 0]


def test_completeness_depends_on_the_number_of_codes():
    twice = np.concatenate([np.eye(5), np.eye(5)])
    assert dci_completeness(twice) == pytest.approx(1 - np.log(2) / np.log(10))
    assert dci_disentanglement(twice) == 1.0


def test_a_single_factor_or_code_is_trivially_pure():
    assert dci_disentanglement([[0.3], [0.0]]) == 1.0
    assert dci_completeness([[0.3, 0.1]]) == 1.0
    assert gap_per_factor([[0.3, 0.1]]).tolist() == [0.3, 0.1]
    assert disentanglement_per_code([[0.0], [2.0]]).tolist() == [0.0, 1.0]


def test_gaps_are_taken_along_factors_and_divided_by_entropy():
    matrix = [[0.6, 0.2], [0.1, 0.5], [0.0, 0.4]]
    assert sap_gap(matrix) == pytest.approx((0.5 + 0.1) / 2)
    assert mig_gap(matrix, [1.0, 0.5]) == pytest.approx((0.5 + 0.2) / 2)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1.0, -0.1]],
        [[np.nan, 1.0]],
        [1.0, 2.0],
        np.zeros((0, 2)),
        [[1.0], [1.0, 2.0]],
        [["a", "b"]],
        np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]),
        torch.ones((1, 2), requires_grad=True) * -1,
    ],
)
def test_what_is_no_relation_is_refused(matrix):
    for aggregate in (dci_disentanglement, dci_completeness, sap_gap, align, alignment_collisions):
        with pytest.raises(InvalidInput, match="matrix must"):
            aggregate(matrix)


@given(arrays(np.float64, (4, 3), elements=st.floats(0, 100)))
def test_alignment_finds_the_largest_sum_over_all_injections(matrix):
    found = align(matrix)
    assert len(set(found.tolist())) == 3
    best = max(sum(matrix[code, factor] for factor, code in enumerate(chosen)) for chosen in permutations(range(4), 3))
    assert matrix[found, np.arange(3)].sum() == pytest.approx(best)


def test_factors_left_without_a_code_are_marked():
    assert align([[0.1, 0.9, 0.2]]).tolist() == [-1, 0, -1]


def test_collisions_count_every_factor_that_shares_its_best_code():
    assert alignment_collisions(np.eye(3)) == 0
    assert alignment_collisions([[1.0, 1.0, 0.0], [0.0, 0.5, 1.0]]) == 2
    assert alignment_collisions([[1.0, 1.0, 1.0], [0.0, 0.5, 0.0]]) == 3
    assert alignment_collisions(np.zeros((3, 3))) == 0  # nothing is related, so nothing is shared
