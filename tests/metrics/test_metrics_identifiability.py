"""Metrics of information and those of identifiability against plain implementations of their formulas."""

import functools
import itertools

import numpy as np
import pytest
from scipy import stats
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss, mutual_info_score, r2_score
from sklearn.preprocessing import StandardScaler

from dbench.codes import Sample
from dbench.metrics import (
    dci_explicitness,
    dcimig,
    exact_copies,
    infoc,
    infoe,
    infom,
    jemmig,
    mcc,
    med,
    mig,
    mig_sup,
    minimality,
    modularity,
    posterior_mig,
    r2,
    shuffled,
    sufficiency,
)
from dbench.metrics.dci_explicitness import RIDGE, UNITS
from dbench.metrics.r2 import PENALTIES

BINS = 20
INFORMATION = [mig, modularity, med, infom, infoc, mig_sup, dcimig, jemmig, minimality, sufficiency]


def world(seed, n=300):
    """Noisy mixtures, a constant code, and codes of few values, beside factors of 2 to 5 values."""
    rng = np.random.default_rng(seed)
    factors = np.stack([rng.integers(size, size=n) for size in rng.integers(2, 6, size=rng.integers(1, 5))], axis=1)
    mixed = factors @ rng.normal(size=(factors.shape[1], 3)) + rng.normal(size=(n, 3))
    return Sample(np.hstack([mixed, np.full((n, 1), 7.0), rng.integers(3, size=(n, 1)), factors[:, :1]]), factors)


WORLDS = [pytest.param(world(seed), id=str(seed)) for seed in range(5)]


def cut(code):
    edges = np.linspace(code.min(), code.max(), BINS + 1)[1:-1]
    return np.searchsorted(edges, code + 1e-9 * np.ptp(code), side="right")


@functools.cache
def tables(sample):
    """Information (codes x factors), entropies of codes and of factors, in nats, by scikit-learn and scipy."""
    codes = [cut(code) for code in sample.codes.T]
    found = np.array([[max(mutual_info_score(code, factor), 0.0) for factor in sample.factors.T] for code in codes])
    h_codes, h_factors = (
        np.array([stats.entropy(np.unique(column, return_counts=True)[1]) for column in columns])
        for columns in (codes, sample.factors.T)
    )
    found[h_codes == 0] = 0.0  # scikit-learn leaves rounding
    return found, h_codes, h_factors


def second(values):
    return sorted(values)[-2] if len(values) > 1 else 0.0


# Each gives the parts of its score, of the codes that vary or of the factors, and their weights where it has some.
def plain_mig(found, h_codes, h_factors):
    return [(max(column) - second(column)) / h for column, h in zip(found.T, h_factors, strict=True)]


def plain_modularity(found, h_codes, h_factors):
    k = len(h_factors)
    # The template takes the largest entry of each code away.
    return [1 - sum(np.sort(row)[:-1] ** 2) / (max(row) ** 2 * max(k - 1, 1)) for row in found[h_codes > 0]]


def plain_med(found, h_codes, h_factors):
    shares = (found / found.sum(axis=0))[h_codes > 0]
    k = len(h_factors)
    return [1 - stats.entropy(row, base=k) if k > 1 else 1.0 for row in shares], shares.sum(axis=1)


def plain_infom(found, h_codes, h_factors):
    k, shares = len(h_factors), []
    for row in found[h_codes > 0] / h_factors:
        share = max(row) / sum(row)
        shares.append((share - 1 / k) / (1 - 1 / k) if k > 1 else 1.0)
    return shares


def plain_infoc(found, h_codes, h_factors):
    active = found[h_codes > 0]
    d = len(active)
    shares = [max(column) / sum(column) for column in active.T]
    return [(share - 1 / d) / (1 - 1 / d) for share in shares]


def plain_mig_sup(found, h_codes, h_factors):
    return [max(row) - second(row) for row in found[h_codes > 0] / h_factors]


def plain_dcimig(found, h_codes, h_factors):
    best = [0.0] * len(h_factors)
    for row in found:
        first = int(np.argmax(row))
        best[first] = max(best[first], max(row) - second(row))
    return best / h_factors, h_factors


def plain_jemmig(found, h_codes, h_factors):
    scores = []
    for j, h_factor in enumerate(h_factors):
        i = int(np.argmax(found[:, j]))
        joint = h_codes[i] + h_factor - found[i, j]
        scores.append(1 - (joint - found[i, j] + second(found[:, j])) / (h_factor + np.log(BINS)))
    return scores


def plain_minimality(found, h_codes, h_factors):
    return [max(row) / h for row, h in zip(found, h_codes, strict=True) if h > 0]


def plain_sufficiency(found, h_codes, h_factors):
    return [max(column) / h for column, h in zip(found.T, h_factors, strict=True)]


@pytest.mark.parametrize("metric", INFORMATION, ids=lambda metric: metric.__name__)
@pytest.mark.parametrize("sample", WORLDS)
def test_a_metric_of_information_is_its_formula(metric, sample):
    plain, score = globals()[f"plain_{metric.__name__}"](*tables(sample)), metric(sample)
    parts, weights = plain if isinstance(plain, tuple) else (plain, None)
    varies = tables(sample)[1] > 0
    assert score.value == pytest.approx(np.average(parts, weights=weights), abs=1e-9)
    assert (score.per_factor if score.per_code is None else score.per_code[varies]) == pytest.approx(parts, abs=1e-9)


@pytest.mark.parametrize("metric", INFORMATION, ids=lambda metric: metric.__name__)
@pytest.mark.parametrize("sample", WORLDS[:2])
def test_chance_and_ceiling_are_the_scores_of_dealt_codes_and_of_copies(metric, sample):
    details = metric(sample, generator=np.random.default_rng(5)).details
    of_shuffled = metric(shuffled(sample, np.random.default_rng(5))).value
    assert details["chance"] == pytest.approx(of_shuffled, abs=1e-12)
    assert details["ceiling"] == pytest.approx(metric(exact_copies(sample)).value, abs=1e-12)


@pytest.mark.parametrize("sample", WORLDS)
def test_the_completeness_of_med_is_that_of_each_factors_shares(sample):
    found, score = tables(sample)[0], med(sample)
    shares = found / found.sum(axis=0)
    spread = 1 - stats.entropy(shares, base=len(shares), axis=0)
    np.testing.assert_allclose(score.relation, shares, atol=1e-9)
    assert score.per_factor == pytest.approx(spread, abs=1e-9)
    assert score.details["completeness"] == pytest.approx(spread.mean(), abs=1e-9)  # each factor weighs as much


@pytest.mark.parametrize("correlation", ["pearson", "spearman"])
@pytest.mark.parametrize("sample", WORLDS)
def test_mcc_is_the_best_of_all_matchings_read_on_the_other_half(sample, correlation):
    function = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[correlation]
    halves = sample.split(1 / 2, np.random.default_rng(3))
    d, k = sample.n_codes, sample.n_factors
    a, b = (
        [
            [
                0.0 if np.ptp(half.codes[:, i]) == 0 else function(half.codes[:, i], half.factors[:, j])[0]
                for j in range(k)
            ]
            for i in range(d)
        ]
        for half in halves
    )
    values = []
    for chosen, seen in ((a, b), (b, a)):
        best = max(
            itertools.permutations(range(d), k), key=lambda codes: sum(abs(chosen[i][j]) for j, i in enumerate(codes))
        )
        values.append([np.sign(chosen[i][j]) * seen[i][j] for j, i in enumerate(best)])
    result = mcc(sample, correlation=correlation, generator=np.random.default_rng(3))
    assert result.per_factor == pytest.approx(np.mean(values, axis=0), abs=1e-9)
    assert result.value == pytest.approx(np.mean(values), abs=1e-9)


@pytest.mark.parametrize("sample", WORLDS)
def test_linear_r2_is_that_of_scikit_learn(sample):
    train, test = sample.split(1 / 3, np.random.default_rng(3))
    predicted = LinearRegression().fit(train.codes, train.factors).predict(test.codes)
    expected = np.maximum(r2_score(test.factors, predicted, multioutput="raw_values"), 0)
    assert r2(sample, generator=np.random.default_rng(3)).per_factor == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_nonlinear_r2_is_scikit_learns_kernel_ridge_of_the_best_penalty(seed):
    sample = world(seed, n=60)
    train, test = sample.split(1 / 3, np.random.default_rng(3))
    scaler, mean = StandardScaler().fit(train.codes), train.factors.mean(axis=0)
    x, x_test, y = scaler.transform(train.codes), scaler.transform(test.codes), train.factors - mean
    errors, scores = [], []
    for penalty in PENALTIES:
        model, rows = KernelRidge(alpha=penalty, kernel="rbf", gamma=1 / x.shape[1]), np.arange(len(x))
        left_out = [model.fit(x[rows != i], y[rows != i]).predict(x[[i]])[0] for i in rows]
        errors.append(((left_out - y) ** 2).mean(axis=0))
        predicted = model.fit(x, y).predict(x_test) + mean
        scores.append(r2_score(test.factors, predicted, multioutput="raw_values"))
    expected = np.maximum(np.array(scores)[np.argmin(errors, axis=0), range(sample.n_factors)], 0)
    found = r2(sample, model="nonlinear", generator=np.random.default_rng(3)).per_factor
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("sample", WORLDS)
def test_infoe_is_the_loss_that_scikit_learns_regression_takes_off(sample):
    train, test = sample.split(1 / 3, np.random.default_rng(3))
    scaler = StandardScaler().fit(train.codes)
    expected = []
    for y, truth in zip(train.factors.T, test.factors.T, strict=True):
        model = LogisticRegression(C=100.0, max_iter=5000, tol=1e-8).fit(scaler.transform(train.codes), y)
        given = log_loss(truth, model.predict_proba(scaler.transform(test.codes)), labels=model.classes_)
        alone = -np.mean(np.log([(y == value).mean() for value in truth]))
        expected.append(max(1 - given / alone, 0))
    found = infoe(sample, generator=np.random.default_rng(3)).per_factor
    assert found == pytest.approx(expected, abs=0.01)  # ours stops at a gradient of 1e-4


@pytest.mark.parametrize("sample", WORLDS)
def test_dci_explicitness_is_the_area_of_ridge_regressions(sample):
    order = np.random.default_rng(3).permutation(len(sample))
    test, train = order[: len(sample) // 3], order[len(sample) // 3 :]
    scaler = StandardScaler().fit(sample.codes[train])
    x, x_test = scaler.transform(sample.codes[train]), scaler.transform(sample.codes[test])
    scores = []
    for factor in sample.factors.T:
        target = (factor[:, None] == np.unique(factor)).astype(float)
        y, truth = target[train], target[test]
        rows = []
        for units in UNITS:
            centres = x[:units]
            wide = [
                np.hstack([part, *[np.exp(-((part - c) ** 2).sum(1, keepdims=True) / x.shape[1]) for c in centres]])
                for part in (x, x_test)
            ]
            middle = wide[0].mean(axis=0)
            design = np.vstack([wide[0] - middle, np.sqrt(RIDGE * len(x)) * np.eye(wide[0].shape[1])])
            goal = np.vstack([y - y.mean(axis=0), np.zeros((wide[0].shape[1], y.shape[1]))])
            weights = np.linalg.lstsq(design, goal, rcond=None)[0]
            rows.append(((truth - y.mean(axis=0) - (wide[1] - middle) @ weights) ** 2).sum(axis=1))
        base = ((truth - y.mean(axis=0)) ** 2).sum(axis=1)
        losses = np.mean(rows, axis=1)
        gained = base - rows[int(np.argmin(losses))]
        if gained.mean() <= 2 * stats.sem(gained):
            scores.append(0.0)
            continue
        curve = [min(losses[: i + 1]) for i in range(len(losses))]
        area = sum((a + b) / 2 - curve[-1] for a, b in itertools.pairwise(curve)) / (len(curve) - 1)
        scores.append(1 - area / (base.mean() / 2))
    found = dci_explicitness(sample, generator=np.random.default_rng(3))
    assert found.per_factor == pytest.approx(scores, abs=1e-6)
    assert found.details["size"] == sample.n_factors / sample.n_codes


def plain_posterior_mig(sample, logvar, generator):
    noise = generator.standard_normal(sample.codes.shape)
    d, k = sample.n_codes, sample.n_factors
    found = np.zeros((d, k))
    for i in range(d):
        spread = np.exp(logvar[:, i] / 2)
        drawn = sample.codes[:, i] + spread * noise[:, i]
        for z, row in zip(drawn, sample.factors, strict=True):
            density = stats.norm.pdf(z, loc=sample.codes[:, i], scale=spread)
            for j in range(k):
                found[i, j] += np.log(density[sample.factors[:, j] == row[j]].mean() / density.mean())
    found = np.maximum(found / len(sample), 0)
    h_factors = tables(sample)[2]
    gaps = [max(column) - second(column) for column in found.T] / h_factors
    return np.mean(gaps), found


@pytest.mark.parametrize("seed", range(3))
def test_posterior_mig_is_its_formula(seed):
    sample, rng = world(seed, n=60), np.random.default_rng(seed)
    logvar = rng.normal(-1, 1, size=sample.codes.shape)
    result = posterior_mig(sample, logvar, generator=np.random.default_rng(3))
    value, matrix = plain_posterior_mig(sample, logvar, np.random.default_rng(3))
    np.testing.assert_allclose(result.relation, matrix, atol=1e-9)
    assert result.value == pytest.approx(value, abs=1e-9)
