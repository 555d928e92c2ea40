import functools
import inspect
import re
import subprocess
import sys
from typing import Literal, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dbench.metrics as metrics
from dbench.codes import GridSource, Sample
from dbench.errors import InvalidInput
from dbench.metrics import METRICS, Score, find_metric

SIZES = (3, 4, 5)
RNG = np.random.default_rng(3)
GRID = np.stack(np.meshgrid(*[np.arange(size) for size in SIZES], indexing="ij"), axis=-1).reshape(-1, 3)
ROWS = RNG.integers(len(GRID), size=600)
# Generic codes of every grid point: mixed, noisy, all of them active.
CODES = np.tanh(GRID @ RNG.normal(size=(3, 5))) + GRID @ np.eye(3, 5) + 0.2 * RNG.normal(size=(60, 5))
OTHER = (GRID @ RNG.normal(size=(3, 5)) + 0.2 * RNG.normal(size=(60, 5)))[ROWS]

TRANSFORMS = {
    "permutation": lambda codes: codes[..., [2, 4, 0, 1, 3]],
    "sign": lambda codes: codes * np.array([1, -1, -1, 1, -1]),
    "scale": lambda codes: codes * np.array([4.0, 0.25, 1.0, 16.0, 2.0**-20]),
    "shift": lambda codes: codes + np.array([1.0, -3.0, 0.5, 2.0, 0.0]),
}
CARDS = {name: function.card for name, function in METRICS.items()}
NAMES = sorted(METRICS)
OF_SAMPLE = [name for name in NAMES if CARDS[name].needs == "sample"]
LABELS_ONLY = [name for name in OF_SAMPLE if CARDS[name].labels]
# Some look at codes alone.
OF_FACTORS = [name for name in OF_SAMPLE if "codes" not in inspect.signature(METRICS[name]).parameters]
# Undeclared, yet never far off under permutation, sign and shift.
APPROXIMATE = {"dci": 0.1, "nk": 0.15, "sap": 0.02, "mlp_accuracy": 0.15}
ZERO = (
    "code_mutual_information", "dci", "dci_explicitness", "dcimig", "factor_vae", "gaussian_total_correlation", "infoc",
    "infom", "informative_codes", "irs", "jemmig", "mcc", "med", "mig", "mig_sup", "minimality", "modularity", "nk",
    "posterior_mig", "r2", "sap", "snc", "sufficiency", "udr",
)  # fmt: skip
# What constant codes score, and how far draws move it.
CONSTANT = dict.fromkeys(ZERO, (0.0, 1e-12)) | {
    "beta_vae_metric": (1 / 3, 0.1),
    "downstream": (0.26, 0.05),
    "explicitness": (0.5, 1e-12),
    "infoe": (0.0, 1e-3),
    "linear_accuracy": (0.0, 0.03),
    "mlp_accuracy": (0.0, 0.03),
    "statistical_efficiency": (1.0, 0.15),
}
pytestmark = pytest.mark.extension


def score(name, codes, **options):
    needs = CARDS[name].needs
    options = CARDS[name].quick | options
    if needs == "source":
        return METRICS[name](GridSource(codes, SIZES), **options)
    if needs == "models":
        return METRICS[name](np.stack([codes[ROWS], OTHER]), np.ones((2, 5), dtype=bool), **options)
    if needs == "posterior":
        return METRICS[name](codes[ROWS], np.zeros((600, 5)), **options)
    if needs == "sample+logvar":
        few = ROWS[:250]  # its time grows as their square
        return METRICS[name](Sample(codes[few], GRID[few]), np.full((250, 5), -4.0), **options)
    return METRICS[name](Sample(codes[ROWS], GRID[ROWS]), **options)


@functools.cache
def usual(name):
    return score(name, CODES)


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_is_exported_under_its_own_name(name):
    assert getattr(metrics, name) is METRICS[name] is find_metric(name)
    module = inspect.unwrap(METRICS[name]).__module__.rpartition(".")[2]
    assert CARDS[name].name == name == {"posterior": "informative_codes"}.get(module, module)


@pytest.mark.parametrize(
    ("name", "change"), [(name, change) for name in NAMES for change in sorted(CARDS[name].invariant)]
)
def test_a_declared_invariance_holds(name, change):
    after = score(name, TRANSFORMS[change](CODES))
    assert after.value == pytest.approx(usual(name).value, abs=CARDS[name].tolerance)


@pytest.mark.parametrize(
    "name", [name for name in NAMES if "scale" in CARDS[name].invariant and CARDS[name].speed != "slow"]
)
@pytest.mark.parametrize("unit", [2.0**1019, 2.0**-1000])
def test_codes_may_be_as_large_or_small_as_floats_are(name, unit):
    largest = CODES / np.abs(CODES).max() * 16
    assert score(name, largest * unit).value == pytest.approx(score(name, largest).value, abs=CARDS[name].tolerance)


@pytest.mark.parametrize(
    ("name", "change"),
    [(name, change) for name in APPROXIMATE for change in sorted(CARDS[name].varies) if change != "scale"],
)
def test_an_undeclared_change_moves_a_fitted_score_only_a_little(name, change):
    assert abs(score(name, TRANSFORMS[change](CODES)).value - usual(name).value) < APPROXIMATE[name]


@pytest.mark.parametrize(
    "name", ["beta_vae_metric", "sap", "factor_vae", "gaussian_total_correlation", "informative_codes"]
)
def test_a_denied_invariance_to_scale_is_really_absent(name):
    assert abs(score(name, CODES * 1e-7).value - usual(name).value) > 0.01


@pytest.mark.parametrize("name", NAMES)
def test_a_score_is_a_python_float_within_its_bounds_that_repeats(name):
    result = usual(name)
    low, high = CARDS[name].bounds
    assert isinstance(result, Score)
    assert type(result.value) is float
    assert low is None or result.value >= low
    assert high is None or result.value <= high
    assert all(np.isfinite(number) for number in result.details.values())
    assert score(name, CODES).value == result.value


@pytest.mark.parametrize("name", [n for n in NAMES if "generator" in inspect.signature(METRICS[n]).parameters])
def test_a_generator_that_is_given_is_drawn_from_and_decides_the_score(name):
    first, again, other = (np.random.default_rng(seed) for seed in (0, 0, 1))
    before = first.bit_generator.state
    one, two, three = (score(name, CODES, generator=stream) for stream in (first, again, other))
    assert first.bit_generator.state != before
    assert one.details == two.details
    assert (one.value, one.details) != (three.value, three.details)


@pytest.mark.parametrize("name", NAMES)
def test_codes_that_are_all_constant_have_a_stated_answer(name):
    constant = 0.0 if CARDS[name].needs == "posterior" else 1.0  # the mean of the prior
    found = score(name, np.full((60, 5), constant))
    value, slack = CONSTANT.get(name, (found.value, 1e-12))  # of a new metric it is finite
    assert found.value == pytest.approx(value, abs=slack)
    for part in (found.per_factor, found.per_code):
        assert part is None or np.mean(part) == pytest.approx(value, abs=slack)


@pytest.mark.parametrize("name", NAMES)
def test_one_dead_code_does_not_turn_a_score_into_nan(name):
    codes = CODES.copy()
    codes[:, 1] = 3.0
    assert np.isfinite(score(name, codes).value)


@pytest.mark.parametrize("name", OF_SAMPLE)
def test_a_single_code_is_scored(name):
    assert np.isfinite(METRICS[name](Sample(CODES[ROWS, :1], GRID[ROWS]), **CARDS[name].quick).value)


@pytest.mark.parametrize("name", OF_FACTORS)
def test_a_factor_that_does_not_vary_is_refused_by_name(name):
    factors = GRID[ROWS].copy()
    factors[:, 1] = 2
    with pytest.raises(InvalidInput, match="factor_1"):
        METRICS[name](Sample(CODES[ROWS], factors), **CARDS[name].quick)


@pytest.mark.parametrize("name", OF_FACTORS)
def test_labels_are_arbitrary(name):
    odd = np.array([70, -5, 9, 1000, 3])
    if CARDS[name].ordered or "permutation" in CARDS[name].varies:
        odd = np.array([-9, 2, 5, 70, 1000])  # by rank, or what they draw depends on the order
    relabelled = METRICS[name](Sample(CODES[ROWS], odd[GRID[ROWS]]), **CARDS[name].quick)
    assert relabelled.value == pytest.approx(usual(name).value, abs=1e-2)


@pytest.mark.parametrize("name", LABELS_ONLY)
def test_continuous_factors_are_refused_where_classes_are_needed(name):
    with pytest.raises(InvalidInput, match="discrete"):
        METRICS[name](Sample(CODES[ROWS], GRID[ROWS].astype(float)), **CARDS[name].quick)


# Of copies of two uniform factors.
LEAST = {"dci": 0.9, "irs": 0.8, "med": 0.5, "mig": 0.4, "modularity": 0.9, "sap": 0.9}


@pytest.mark.parametrize("name", sorted(set(OF_FACTORS) - set(LABELS_ONLY)))
def test_continuous_factors_are_scored_where_that_makes_sense(name):
    factors, noise = np.random.default_rng(1).uniform(-1, 1, size=(2, 900, 2))
    copies, nothing = (METRICS[name](Sample(codes, factors), **CARDS[name].quick).value for codes in (factors, noise))
    assert copies > max(nothing + 0.25, LEAST.get(name, 0.0))


@pytest.mark.parametrize("name", sorted(set(OF_FACTORS) - set(LABELS_ONLY)))
@pytest.mark.parametrize("unit", [2.0**60, -(2.0**-400), 2.0**1022])
def test_the_unit_of_a_continuous_factor_changes_nothing(name, unit):
    factors = np.random.default_rng(1).uniform(-1, 1, size=(300, 2))
    codes = factors + 0.2 * OTHER[:300, :2]
    one, other = (METRICS[name](Sample(codes, factors * [1.0, by]), **CARDS[name].quick) for by in (1.0, unit))
    assert other.value == pytest.approx(one.value, abs=1e-6)


OPTIONS = {
    (name, option): get_type_hints(inspect.unwrap(METRICS[name]))[option]
    for name in NAMES
    for option, parameter in inspect.signature(METRICS[name]).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY and option != "generator"
}
# The least of those that do not begin at 1.
LEAST_COUNT = {("factor_vae", "batch"): 2, ("factor_vae", "variance_draws"): 2, ("posterior_mig", "draws"): 2}


@pytest.mark.parametrize(("name", "option"), [key for key, kind in OPTIONS.items() if kind in (int, int | None)])
def test_a_count_is_taken_from_its_least_on_and_refused_below_or_where_it_is_none(name, option):
    least = LEAST_COUNT.get((name, option), 1)
    for value in (least - 1, -1, True, 2.5, "2", float("nan")):
        with pytest.raises(InvalidInput, match=f"^{option} must be an integer of at least {least}, got {value!r}$"):
            score(name, CODES, **{option: value})
    accepted = 250 if option == "draws" else least  # few rows that are drawn need not vary in every factor
    short = {"epochs": 1} if "epochs" in CARDS[name].quick else {}  # a batch of one is a step for each row
    assert np.isfinite(score(name, CODES, **short | {option: accepted}).value)


@pytest.mark.parametrize(("name", "option"), [key for key, kind in OPTIONS.items() if kind in (float, float | None)])
def test_a_number_is_refused_where_it_is_none_or_out_of_range(name, option):
    for value in ("1", [1.0], True, np.nan, np.inf, -np.inf, -1.0):
        with pytest.raises(InvalidInput, match=f"^{option} must .*, got .*{re.escape(str(value))}"):
            score(name, CODES, **{option: value})


@pytest.mark.parametrize(("name", "option"), [key for key, kind in OPTIONS.items() if kind is bool])
def test_a_flag_is_true_or_false_and_nothing_that_passes_for_it(name, option):
    for value in ("no", 0, 1, None):
        with pytest.raises(InvalidInput, match=f"^{option} must be True or False, got {value!r}$"):
            score(name, CODES, **{option: value})


@pytest.mark.parametrize(("name", "option"), [key for key, kind in OPTIONS.items() if get_origin(kind) is Literal])
def test_a_choice_is_one_of_those_named(name, option):
    for value in ("x", 3, None, ["x"]):
        with pytest.raises(InvalidInput, match=f"{option} must be .*, got {re.escape(repr(value))}"):
            score(name, CODES, **{option: value})


TWO = {"downstream": {}, "statistical_efficiency": {"few": 1, "many": 1}}  # room for no more


@pytest.mark.parametrize("name", OF_SAMPLE)
def test_two_observations_are_enough_to_get_an_answer(name):
    tiny = Sample(np.array([[0.0, 1.0], [1.0, 1.5]]), np.array([[0, 1], [1, 0]]))
    assert np.isfinite(METRICS[name](tiny, **TWO.get(name, CARDS[name].quick)).value)


def test_importing_the_metrics_does_not_import_torch():
    code = "import sys, dbench.metrics; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", [name for name in OF_SAMPLE if CARDS[name].speed != "slow"])
@given(seed=st.integers(0, 100_000))
@settings(max_examples=12)
def test_odd_samples_are_scored_within_bounds_or_refused(name, seed):
    rng = np.random.default_rng(seed)
    n, d, k = rng.integers(2, 40), rng.integers(1, 5), rng.integers(1, 4)
    columns = [
        np.full(n, rng.normal()),
        rng.integers(3, size=n).astype(float),
        1e3 * rng.standard_cauchy(size=n),
        1e-9 * rng.normal(size=n),
        rng.normal(size=n),
    ]
    codes = np.stack([columns[column] for column in rng.integers(5, size=d)], axis=1)
    sample = Sample(codes, rng.integers(4, size=(n, k)))
    if any((column == column[0]).all() for column in sample.factors.T) and name in OF_FACTORS:
        with pytest.raises(InvalidInput, match="at least 2 values"):
            METRICS[name](sample, **CARDS[name].quick)
        return
    value = METRICS[name](sample, **CARDS[name].quick).value
    low, high = CARDS[name].bounds
    assert low <= value
    assert high is None or value <= high
