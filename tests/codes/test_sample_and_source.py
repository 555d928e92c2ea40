"""Samples and sources refuse what does not fit, keep copies of their own, and draw as they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbench.codes import FunctionSource, GridSource, RowSource, Sample
from dbench.errors import InvalidInput

# Two factors of 2 and 3 values, last fastest: the codes spell the grid point out.
GRID = np.array([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]], dtype=np.float64)


@pytest.fixture
def sample() -> Sample:
    rows = np.arange(12)
    return Sample(np.stack([rows, -rows], axis=1), np.stack([rows, rows % 3, rows % 2], axis=1), ("a", "b", "c"))


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
        ([1.0, 2.0], [[1], [2]], (), r"codes must be a non-empty array of 2 axes.*got shape \(2,\)"),
        ([[1.0], [2.0]], [1, 2], (), r"factors must be a non-empty array of 2 axes.*got shape \(2,\)"),
        (np.zeros((0, 2)), np.zeros((0, 1)), (), r"codes .*got shape \(0, 2\)"),
        ([[], []], [[1], [2]], (), r"codes .*got shape \(2, 0\)"),
        ([["a"]], [[1]], (), "codes must hold real numbers, got dtype <U1"),
        ([[1j]], [[1]], (), "codes must hold real numbers, got dtype complex128"),
        ([[1.0]], [[None]], (), "factors must hold real numbers, got dtype object"),
        ([[1.0, 2.0], [3.0]], [[1], [2]], (), "codes must be a matrix with rows of equal length"),
        ([[np.nan, 1.0, np.inf]], [[1]], (), "codes must be finite, got 2 entries"),
        ([[1.0]], [[-np.inf]], (), "factors must be finite, got 1 entries"),
        (np.array([["1e400"]], np.longdouble), [[1]], (), "codes must be finite, got 1 entries"),
        ([[1.0], [2.0]], [[1]], (), "equally many rows, got 2 and 1"),
        ([[1.0]], [[1, 2]], ("a",), r"2 different names, got \['a'\]"),
        ([[1.0]], [[1, 2]], ("a", "a"), r"2 different names, got \['a', 'a'\]"),
        ([[1.0]], [[1, 2]], np.array(["a", "a"]), "2 different names"),
        (np.ma.masked_less([[1.0]], 2), [[1]], (), "codes must not be masked, got 1 masked entries"),
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


def test_factors_are_taken_in_the_order_asked_for():
    taken = Sample(np.zeros((2, 1)), [[0, 1], [2, 3]], ("a", "b")).of_factors([1, 0])
    assert (taken.factor_names, taken.factors.tolist()) == (("b", "a"), [[1, 0], [3, 2]])


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


SOURCE = GridSource(10 * GRID, (2, 3), ("shape", "size"))
# Two binary factors, the first shown with noise beside both exact ones.
NOISY = FunctionSource(
    lambda n, rng: rng.integers(2, size=(n, 2)),
    lambda factors, rng: np.column_stack([factors, factors[:, 0] + 0.1 * rng.standard_normal(len(factors))]),
    ("first", "second"),
)


def test_a_grid_looks_up_the_codes_of_the_factors_asked_for():
    factors = np.array([[1, 2], [0, 0], [1, 0], [1, 2]])
    assert (SOURCE.codes(factors) == 10 * factors).all()
    assert SOURCE.codes(factors[:0]).shape == (0, 2)
    assert GridSource(GRID, (2, 3)).factor_names == ("factor_0", "factor_1")


def test_a_grid_keeps_its_own_copy_and_takes_lists():
    codes = GRID.astype(np.float64)
    source = GridSource(codes, (2, 3))
    codes[:] = 7
    assert (source.grid_codes == GRID).all()
    assert (GridSource(GRID.tolist(), (2, 3)).grid_codes == GRID).all()


def test_a_grid_draws_every_value_of_every_factor_alike():
    factors = SOURCE.draw_factors(6_000, np.random.default_rng(0))
    counts = np.bincount(np.ravel_multi_index(tuple(factors.T), SOURCE.factor_sizes))
    # Six standard deviations of a count of 6,000 draws over 6 cells.
    assert np.abs(counts - 1_000).max() < 6 * np.sqrt(6_000 * 5 / 36)


@pytest.mark.parametrize(
    ("source", "names", "n_codes", "scale"), [(SOURCE, ("shape", "size"), 2, 10), (NOISY, ("first", "second"), 3, 1)]
)
def test_a_sample_of_a_source_shows_the_factors_that_made_its_codes(source, names, n_codes, scale):
    sample, again = (source.sample(50, np.random.default_rng(1)) for _ in range(2))
    assert source.factor_names == sample.factor_names == names
    assert (len(sample), sample.n_factors) == (50, 2)
    assert source.n_codes == sample.n_codes == n_codes
    assert (sample.codes[:, :2] == sample.factors * scale).all()
    assert (sample.codes == again.codes).all()


@pytest.mark.parametrize(
    ("codes", "sizes", "names", "message"),
    [
        (GRID, (2, 2), (), r"each of the 4 grid points, got shape \(6, 2\)"),
        (GRID[:, 0], (2, 3), (), r"got shape \(6,\)"),
        (GRID[:0], (0, 3), (), r"factor_sizes must be at least one whole number of at least 1, got \(0, 3\)"),
        (GRID[:1], (), (), r"factor_sizes must be at least one whole number"),
        (GRID, [2.7, 3], (), r"got \[2.7, 3\]"),
        (GRID, (-2, -3), (), r"got \(-2, -3\)"),
        (np.where(GRID == 2, np.nan, GRID), (2, 3), (), "grid_codes must be finite, got 2 entries"),
        (GRID, (2, 3), ("shape",), r"must name 2 factors, got \['shape'\]"),
    ],
)
def test_a_grid_refuses_what_does_not_fit(codes, sizes, names, message):
    with pytest.raises(InvalidInput, match=message):
        GridSource(codes, sizes, names)


def test_a_function_is_scored_in_float64_and_its_draws_are_not_written_to():
    pool = np.arange(6, dtype=np.uint8).reshape(3, 2)
    source = FunctionSource(lambda n, _: pool[:n], lambda factors, _: factors.astype(np.uint8))
    factors = source.draw_factors(3, np.random.default_rng(0))
    factors[:] = 0
    codes = source.codes(pool, np.random.default_rng(0))
    assert pool[2, 1] == 5
    assert codes.dtype == np.float64


@pytest.mark.parametrize(
    ("encode", "names", "message"),
    [
        (lambda factors, _: factors / 0.0, (), "codes must be finite, got 2 entries"),
        (lambda factors, _: factors, ("shape",), r"factor_names must name 2 factors, got \['shape'\]"),
    ],
)
@pytest.mark.filterwarnings("ignore:(divide|invalid)")
def test_a_function_that_does_not_fit_is_refused(encode, names, message):
    with pytest.raises(InvalidInput, match=message):
        FunctionSource(lambda n, _: np.ones((n, 2)), encode, names)


def test_a_function_that_returns_another_number_of_rows_is_refused():
    one = FunctionSource(lambda n, _: np.ones((1, 2)), lambda factors, _: factors)
    with pytest.raises(InvalidInput, match="draw_factors must return 5 rows, got 1"):
        one.draw_factors(5, np.random.default_rng(0))
    source = FunctionSource(lambda n, _: np.ones((n, 2)), lambda factors, _: factors[:1])
    with pytest.raises(InvalidInput, match="encode must return 5 rows, got 1"):
        source.sample(5, np.random.default_rng(0))


@pytest.mark.parametrize("factors", [[[0, 3]], [[-1, 0]], [[0.5, 0.0]], [[0, 0, 0]], [[0]]])
def test_factors_off_the_grid_are_refused_instead_of_looked_up(factors):
    with pytest.raises(InvalidInput, match=r"factors must be integers on a grid of \(2, 3\)"):
        SOURCE.codes(np.array(factors))


def test_rows_hold_a_factor_and_leave_the_others_as_they_go_with_it():
    factors = np.repeat([[0, 7], [1, 7], [1, 9]], [100, 100, 300], axis=0)
    rows = RowSource(Sample(np.column_stack([factors, np.arange(500)]), factors, ("first", "second")))
    asked, held = np.tile([1, 7], (4000, 1)), np.repeat([0, 1], 2000)  # set the first to 1, or the second to 7
    codes = rows.held_codes(asked, held, np.random.default_rng(0))
    first, second = codes[:2000], codes[2000:]
    assert set(first[:, 0]) == {1}
    assert set(second[:, 1]) == {7}
    assert (first[:, 1] == 9).mean() == pytest.approx(3 / 4, abs=0.05)  # given that the first is 1
    assert (second[:, 0] == 1).mean() == pytest.approx(1 / 2, abs=0.05)
    often = np.bincount(first[:, 2].astype(int), minlength=500)
    assert often[:100].sum() == 0  # these rows have another value
    assert often.max() < 5 + 6 * np.sqrt(5)  # six deviations above the 5 times that each of the 400 others is due


@pytest.mark.parametrize("absent", [2, -1])
def test_rows_refuse_to_hold_a_factor_that_there_is_not(absent):
    rows = RowSource(Sample(np.zeros((2, 1)), [[0, 7], [1, 8]]))
    with pytest.raises(InvalidInput, match="held must be numbers of the 2 factors"):
        rows.held_codes(np.array([[0, 7]]), np.array([absent]), np.random.default_rng(0))


def test_rows_are_drawn_with_their_factors_and_give_the_codes_of_combinations_that_occur():
    factors, stream = np.array([[0, 7], [1, 7], [1, 9]]), np.random.default_rng(0)
    rows = RowSource(Sample(10.0 * factors, factors))
    sample = rows.sample(50, stream)
    assert (sample.codes == 10 * sample.factors).all()
    assert (rows.factor_names, rows.n_codes) == (("factor_0", "factor_1"), 2)
    with pytest.raises(InvalidInput, match="factors must be those of some row, got 1 that no row has"):
        rows.codes(np.array([[0, 9], [0, 7]]), stream)
    with pytest.raises(InvalidInput, match=r"factors must be n x 2, got shape \(1, 3\)"):
        rows.codes(np.array([[0, 7, 0]]), stream)
    with pytest.raises(InvalidInput, match="got 2 that no row has"):
        rows.held_codes(np.array([[2, 9], [0, 7], [3, 9]]), np.array([0, 0, 0]), stream)
    with pytest.raises(InvalidInput, match="factors must be labels, so that rows can share a value"):
        RowSource(Sample(10.0 * factors, factors + 0.5))
