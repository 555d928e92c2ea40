"""Every option of every metric against the value that algebra gives for it; what is learned is held elsewhere."""

import inspect
from math import log2
from pathlib import Path

import numpy as np
import pytest

from dbench.codes import Sample
from dbench.metrics import METRICS
from dbench.metrics.ceilings import between

TESTS = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))


def table(*columns, codes, times=20):
    """Rows of all combinations of factors; ``codes`` are functions of them."""
    cases = np.tile(np.indices(columns).reshape(len(columns), -1).T, (times, 1))
    return Sample(np.stack([code(*cases.T) for code in codes], axis=1).astype(float), cases)


def numbered(labels, sample):
    """The same sample with other labels for the factors' values."""
    return Sample(sample.codes, np.asarray(labels)[sample.factors])


RULER = np.indices((100, 100)).reshape(2, -1).T.astype(float)  # two independent continuous factors
COPIES = Sample(RULER, RULER)
# Factors of 2 and 4 values. Information in bits is (0, 2) and (1, 1); of 2 bins it is (0, 1) and (1, 0).
SHARING = table(2, 4, codes=[lambda a, b: b, lambda a, b: 2 * a + (b >= 2)])
IDLE = Sample(np.pad(SHARING.codes, ((0, 0), (0, 1))), SHARING.factors)
# The first code's parity is a, its upper half is b; the second is b but once in four (the third factor is left out).
HALVES = table(2, 2, 4, codes=[lambda a, b, e: 2 * b + a, lambda a, b, e: b ^ (e == 0)])
HALVES = Sample(HALVES.codes, HALVES.factors[:, :2])
BITS = table(2, 2, codes=[lambda a, b: a])
HALF_KNOWN = table(4, 4, codes=[lambda a, b: 1 * (a >= 2) + (b == 3)])
TEN = table(10, 2, codes=[lambda a, b: a, lambda a, b: b], times=1)
CONFOUNDED = np.repeat([(0, 0), (0, 1), (1, 0), (1, 1)], [9, 1, 1, 9], axis=0)
CONFOUNDED = Sample(CONFOUNDED.astype(float), CONFOUNDED)
SCATTERED = table(2, 2, 2, codes=[lambda a, b, e: a + e / 2], times=1)
SCATTERED = Sample(SCATTERED.codes, SCATTERED.factors[:, :2])
# The factor is the first code less the second, which by itself knows nothing.
SUM = table(2, 2, codes=[lambda a, n: a + 2 * n, lambda a, n: n], times=300)
SUM = Sample(SUM.codes, SUM.factors[:, :1])
PARITY = table(2, 2, codes=[lambda a, b: 2 * b + a], times=1000)
PARITY = Sample(PARITY.codes, PARITY.factors[:, :1])  # four places in a row, every other one of the same label
CUBES = Sample(TEN.codes**3, TEN.factors)
# Of SHARING: with 20 bins information in bits is (0, 2) and (1, 1), entropies of codes are 2 and 2, of factors 1 and 2;
# with 2 bins it is (0, 1) and (1, 0), entropies of codes are 1 and 1.
LOGS = {bins: log2(bins) for bins in (2, 20)}
INFORMATION = {
    "infom": {20: (1 + 1 / 3) / 2, 2: 1.0},
    "infoc": {20: (1 + 1 / 3) / 2, 2: 1.0},
    "mig_sup": {20: (1 + 1 / 2) / 2, 2: (1 / 2 + 1) / 2},
    "dcimig": {20: 2 / 3, 2: 2 / 3},
    "jemmig": {
        20: 1 - ((2 + 1 - 1 - 1) / (1 + LOGS[20]) + (2 - 2 + 1) / (2 + LOGS[20])) / 2,
        2: 1 - ((1 - 1) / (1 + LOGS[2]) + (2 - 1) / (2 + LOGS[2])) / 2,
    },
    "minimality": {20: (1 + 1 / 2) / 2, 2: 1.0},
    "sufficiency": {20: 1.0, 2: 3 / 4},
}
QUARTERS = np.tile(np.arange(4.0)[:, None], (16, 2))
PAIR = np.tile(np.indices((2, 3)).reshape(2, -1).T.astype(float), (10, 1))
SIGNS = np.array([(a, (a + b) / 4) for a in (-1, 1) for b in (-1, 1)])  # variances 1 and 1/8, correlated at sqrt(1/2)


def value(score):
    return score.value


ROWS = [
    *[("mig", {"bins": bins}, (COPIES,), value, 1.0, 1e-9) for bins in (5, 20, 50)],
    ("code_mutual_information", {"bins": 20}, (QUARTERS,), value, np.log(4), 1e-9),
    ("code_mutual_information", {"bins": 2}, (QUARTERS,), value, np.log(2), 1e-9),
    ("code_mutual_information", {}, (PAIR,), lambda score: score.details["bias"], 1 * 2 / (2 * 60), 1e-9),
    ("code_mutual_information", {"corrected": True}, (QUARTERS,), value, np.log(4) - 3 * 3 / (2 * 64), 1e-9),
    *[
        ("irs", {"bins": 2}, (numbered(labels, HALF_KNOWN),), value, 1 - 0.25 / 0.75, 1e-9)
        for labels in ([0, 1, 2, 3], [0, 1, 7, 100])
    ],
    ("irs", {"quantile": 0.5}, (TEN,), lambda score: score.relation[0, 1], 1 - 2.5 / 4.5, 1e-9),
    ("irs", {"reweight": True}, (CONFOUNDED,), lambda score: score.relation[1, 0], 0.0, 1e-9),
    ("irs", {"reweight": False}, (CONFOUNDED,), lambda score: score.relation[1, 0], 1 - 0.9 / 0.5, 1e-9),
    ("irs", {"crossed": False}, (SCATTERED,), lambda score: score.relation[0, 0], 1.0, 1e-9),
    ("irs", {"crossed": True}, (SCATTERED,), lambda score: score.relation[0, 0], 1 - 0.25 / 0.75, 1e-9),
    ("med", {"normalise": False}, (SHARING,), value, 1 / 2, 1e-9),
    ("med", {"normalise": True}, (SHARING,), value, (2 + 4 * (0.75 * log2(3) - 1)) / 6, 1e-9),
    ("med", {"bins": 2}, (SHARING,), value, 1.0, 1e-9),
    ("modularity", {"bins": 20}, (SHARING,), value, 1 / 2, 1e-9),
    ("modularity", {"bins": 2}, (SHARING,), value, 1.0, 1e-9),
    ("modularity", {"idle": "skip"}, (IDLE,), value, 1 / 2, 1e-9),
    ("modularity", {"idle": "zero"}, (IDLE,), value, 1 / 3, 1e-9),
    ("snc", {"bins": 20}, (HALVES,), value, 1 / 4, 1e-9),
    ("snc", {"bins": 2}, (HALVES,), value, 1 / 2, 1e-9),
    ("snc", {"min_bin_size": 40}, (BITS,), lambda score: score.per_factor[0], 1.0, 1e-9),
    ("snc", {"min_bin_size": 80}, (BITS,), lambda score: score.per_factor[0], 0.0, 1e-9),
    ("sap", {"relation": "r2"}, (TEN,), value, 1.0, 1e-9),
    ("sap", {"relation": "svm"}, (BITS,), lambda score: score.per_factor[0], 1.0, 1e-9),
    ("gaussian_total_correlation", {}, (SIGNS,), value, np.log(2) / 2, 1e-9),
    ("gaussian_total_correlation", {"dead": 0.124}, (SIGNS,), value, np.log(2) / 2, 1e-9),
    ("gaussian_total_correlation", {"dead": 0.126}, (SIGNS,), value, 0.0, 1e-9),
    ("informative_codes", {"threshold": 0}, (np.array([[0.0, 1.0]] * 3), np.zeros((3, 2))), value, 1.0, 0),
    ("informative_codes", {"threshold": 0.5}, (np.array([[1.0, 1.1]] * 3), np.zeros((3, 2))), value, 1.0, 0),
    ("explicitness", {"rescaled": True}, (SUM,), value, 1.0, 1e-9),
    ("explicitness", {"penalty": 1e-9}, (SUM,), value, 3 / 4, 0.04),
    ("explicitness", {"penalty": 1e-9, "rescaled": True}, (SUM,), value, 1 / 2, 0.08),
    *[
        (name, {"bins": bins}, (SHARING,), value, expected, 1e-9)
        for name, by_bins in INFORMATION.items()
        for bins, expected in by_bins.items()
    ],
    ("mcc", {"correlation": "spearman"}, (CUBES,), value, 1.0, 1e-9),
    ("r2", {"model": "linear"}, (PARITY,), value, 1 / 5, 0.06),
    ("r2", {"model": "nonlinear"}, (PARITY,), value, 1.0, 1e-3),
    ("infoe", {"penalty": 1e-9}, (SUM,), value, 0.0, 1e-3),
    ("linear_accuracy", {"penalty": 1.0}, (SUM,), value, 1.0, 1e-9),
    ("linear_accuracy", {"penalty": 1e-9}, (SUM,), value, 0.0, 0.12),
]

# Of metrics that learn or draw: the test that holds the option, by name.
ELSEWHERE = {
    "beta_vae_metric corrected": "test_the_corrected_beta_vae_metric_takes_chance_off",
    "dci estimator": "test_dci_with_lasso_is_scikit_learns_lasso_on_standardised_codes",
    "downstream model": "test_boosted_trees_repeat_under_one_generator_and_read_exact_copies",
    "factor_vae threshold": "test_idle_and_dead_codes_are_left_out_whatever_the_threshold",
    "irs corrected": "test_chance_and_ceiling_are_the_scores_of_shuffled_codes_and_of_exact_copies",
    "nk bins": "test_the_bins_asked_for_are_those_of_the_relation",
    "nk falling_from": "test_the_written_out_gradient_trains_what_autograd_trains",
    "statistical_efficiency model": "test_efficiency_is_that_of_the_model_asked_for",
    "udr relation": "test_relations_are_those_of_the_reference_libraries",
}
# How much is drawn, or how long is trained: no formula says what that does to a score.
AMOUNTS = {"batch", "train_points", "test_points", "train_votes", "test_votes", "variance_draws"} | {
    *("epochs", "hidden", "device", "sizes", "test", "tuning", "few", "many", "draws")
}
OPTIONS = [
    f"{name} {option}"
    for name, metric in sorted(METRICS.items())
    for option, parameter in inspect.signature(metric).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY and option not in {"generator", *AMOUNTS}
]


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_is_held_against_a_value(option):
    held = {f"{name} {key}" for name, options, *_ in ROWS for key in options}
    held |= {f"{name} corrected" for name, _ in CORRECTED}
    assert option in held or f"def {ELSEWHERE[option]}(" in TESTS


@pytest.mark.parametrize(
    ("name", "options", "given", "read", "expected", "slack"),
    ROWS,
    ids=[f"{name}-{'-'.join(f'{key}={option}' for key, option in options.items())}" for name, options, *_ in ROWS],
)
def test_an_option_gives_what_algebra_gives(name, options, given, read, expected, slack):
    assert read(METRICS[name](*given, **options)) == pytest.approx(expected, abs=slack)


NOISE = np.random.default_rng(0).normal(size=400)
ONE_FACTOR = Sample(np.stack([np.arange(400) % 4 + NOISE, NOISE], axis=1), np.arange(400)[:, None] % 4)


CORRECTED = [("mig", ONE_FACTOR), ("snc", ONE_FACTOR), ("sap", ONE_FACTOR), ("med", SHARING)]


@pytest.mark.parametrize(("name", "sample"), CORRECTED, ids=[name for name, _ in CORRECTED])
def test_correction_puts_a_score_between_the_stated_chance_and_ceiling(name, sample):
    plain, corrected = (METRICS[name](sample, corrected=flag) for flag in (False, True))
    expected = between(plain.value, plain.details["chance"], plain.details["ceiling"])
    assert corrected.value == pytest.approx(float(expected))
    assert 0 < corrected.value != plain.value


def test_efficiency_is_that_of_the_model_asked_for():
    # One code whose parity is the factor: trees cut it out, a line does not.
    parity = table(2, 2, codes=[lambda a, b: 2 * b + a], times=100)
    parity = Sample(parity.codes, parity.factors[:, :1])
    line, trees = (
        METRICS["statistical_efficiency"](parity, few=20, many=100, test=200, model=model).details["accuracy.many"]
        for model in ("logistic", "gbt")
    )
    assert line < 0.9  # at best three of the four values are on the right side
    assert trees == 1.0
