import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbench.codes import Sample
from dbench.errors import InvalidInput


@pytest.fixture
def sample() -> Sample:
    rows = np.arange(12)
    return Sample(np.stack([rows, -rows], axis=1), np.stack([rows, rows % 3, rows % 2], axis=1), ("a", "b", "c"))


def test_a_sample_knows_its_sizes_and_names(sample):
    assert (len(sample), sample.n_codes, sample.n_factors) == (12, 2, 3)
    assert sample.factor_names == ("a", "b", "c")
    assert Sample([[1.0]], [[1, 2]]).factor_names == ("factor_0", "factor_1")


@pytest.mark.parametrize(
    ("factors", "discrete"),
    [([[1], [2]], True), ([[True], [False]], True), (np.array([[1], [2]], np.uint8), True), ([[1.0], [2.0]], False)],
)
def test_integers_are_discrete_factors_and_floats_are_continuous(factors, discrete):
    sample = Sample([[0.0], [1.0]], factors)
    assert sample.discrete == discrete
    assert sample.factors.dtype == (np.int64 if discrete else np.float64)


def test_a_sample_keeps_its_own_copy_of_the_arrays():
    codes, factors = np.zeros((2, 1)), np.zeros((2, 1))
    sample = Sample(codes, factors)
    codes[:], factors[:] = 7, 7
    assert sample.codes.max() == sample.factors.max() == 0


@pytest.mark.parametrize(
    ("codes", "factors", "names", "message"),
    [
        ([1.0, 2.0], [[1], [2]], (), r"codes must be a non-empty matrix .*got shape \(2,\)"),
        ([[1.0], [2.0]], [1, 2], (), r"factors must be a non-empty matrix .*got shape \(2,\)"),
        (np.zeros((0, 2)), np.zeros((0, 1)), (), r"codes .*got shape \(0, 2\)"),
        ([[], []], [[1], [2]], (), r"codes .*got shape \(2, 0\)"),
        ([["a"]], [[1]], (), "codes must hold real numbers, got dtype <U1"),
        ([[1j]], [[1]], (), "codes must hold real numbers, got dtype complex128"),
        ([[1.0]], [[None]], (), "factors must hold real numbers, got dtype object"),
        ([[1.0, 2.0], [3.0]], [[1], [2]], (), "codes must be a matrix with rows of equal length"),
        ([[np.nan, 1.0, np.inf]], [[1]], (), "codes must be finite, got 2 entries"),
        ([[1.0]], [[-np.inf]], (), "factors must be finite, got 1 entries"),
        ([[1.0], [2.0]], [[1]], (), "equally many rows, got 2 and 1"),
        ([[1.0]], [[1, 2]], ("a",), r"2 different names, got \['a'\]"),
        ([[1.0]], [[1, 2]], ("a", "a"), r"2 different names, got \['a', 'a'\]"),
    ],
)
def test_a_sample_refuses_what_it_cannot_be(codes, factors, names, message):
    with pytest.raises(InvalidInput, match=message):
        Sample(codes, factors, names)


def test_rows_are_taken_in_the_order_asked_for(sample):
    taken = sample.take(np.array([3, 0, 3]))
    assert taken.codes[:, 0].tolist() == [3, 0, 3]
    assert taken.factors[:, 0].tolist() == [3, 0, 3]
    assert taken.factor_names == sample.factor_names


@given(n=st.integers(2, 40), share=st.floats(0.001, 0.999), seed=st.integers(0, 9))
def test_a_split_gives_every_row_to_exactly_one_part_and_none_is_empty(n, share, seed):
    rows = np.arange(n)[:, None]
    train, test = Sample(rows, rows).split(share, np.random.default_rng(seed))
    assert sorted([*train.factors[:, 0], *test.factors[:, 0]]) == list(range(n))
    assert (train.codes == train.factors).all()
    assert (test.codes == test.factors).all()
    assert len(test) == min(max(round(n * share), 1), n - 1)


def test_a_split_depends_on_its_generator_alone(sample):
    first, again, other = (sample.split(0.5, np.random.default_rng(seed))[1].factors for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize(
    ("rows", "share", "message"),
    [(2, share, "test_share must lie strictly between 0 and 1") for share in (0, 1, -0.1, 1.5, float("nan"))]
    + [(1, 0.5, "at least 2 observations, got 1")],
)
def test_what_leaves_a_part_empty_is_refused(rows, share, message):
    with pytest.raises(InvalidInput, match=message):
        Sample(np.zeros((rows, 1)), np.zeros((rows, 1))).split(share, np.random.default_rng(0))
