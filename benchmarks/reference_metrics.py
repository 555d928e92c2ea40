"""The metrics as a plain loop over scikit-learn: one factor, code and draw at a time.

Written from the descriptions in A Sober Look (section 4.2) and the papers of the metrics, with the options of its
study: 10,000 training and 5,000 test points, 20 bins, scikit-learn's defaults. No batching, no caching: what the fast
versions in `dbench.metrics` are timed against and must agree with. Every function returns a float.
"""

import warnings

import numpy as np
from scipy.stats import zscore
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV, LogisticRegression
from sklearn.metrics import mutual_info_score, roc_auc_score
from sklearn.model_selection import KFold
from sklearn.svm import LinearSVC

BINS = 20


def draw_sharing(source, factor: int, batch: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Codes of two batches whose pairs share one factor."""
    first, second = source.draw_factors(batch, rng), source.draw_factors(batch, rng)
    second[:, factor] = first[:, factor]
    return source.codes(first, rng), source.codes(second, rng)


def beta_vae_metric(source, rng, *, train=10_000, test=5_000, batch=64) -> float:
    k = len(source.factor_names)

    def points(count):
        x, y = np.empty((count, source.n_codes)), np.empty(count, dtype=int)
        for i in range(count):
            y[i] = rng.integers(k)
            first, second = draw_sharing(source, y[i], batch, rng)
            x[i] = np.abs(first - second).mean(axis=0)
        return x, y

    (x, y), (x_test, y_test) = points(train), points(test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return float(LogisticRegression().fit(x, y).score(x_test, y_test))


def factor_vae(source, rng, *, train=10_000, test=5_000, batch=64, threshold=0.05) -> float:
    k = len(source.factor_names)
    spread = source.codes(source.draw_factors(10_000, rng), rng).var(axis=0, ddof=1)
    active = np.flatnonzero(spread >= threshold)

    def votes(count):
        table = np.zeros((len(active), k), dtype=int)
        for _ in range(count):
            factor = rng.integers(k)
            factors = source.draw_factors(batch, rng)
            factors[:, factor] = factors[0, factor]
            variance = source.codes(factors, rng)[:, active].var(axis=0, ddof=1)
            table[np.argmin(variance / spread[active]), factor] += 1
        return table

    guess = votes(train).argmax(axis=1)
    return float(votes(test)[np.arange(len(active)), guess].sum() / test)


def binned(codes: np.ndarray) -> np.ndarray:
    """Every column in bins of equal width."""
    labels = np.empty(codes.shape, dtype=int)
    for i, column in enumerate(codes.T):
        labels[:, i] = np.digitize(column, np.histogram(column, BINS)[1][:-1])
    return labels


def information(codes: np.ndarray, factors: np.ndarray) -> np.ndarray:
    labels = binned(codes)
    return np.array([[mutual_info_score(factor, code) for factor in factors.T] for code in labels.T])


def mig(codes, factors) -> float:
    ordered = np.sort(information(codes, factors), axis=0)
    entropies = [mutual_info_score(factor, factor) for factor in factors.T]
    return float(np.mean((ordered[-1] - ordered[-2]) / entropies))


def modularity(codes, factors) -> float:
    squares = information(codes, factors) ** 2
    best = squares.max(axis=1)
    return float(np.mean(1 - (squares.sum(axis=1) - best) / (best * (factors.shape[1] - 1))))


def explicitness(codes, factors, codes_test, factors_test) -> float:
    mean, spread = codes.mean(axis=0), codes.std(axis=0)
    x, x_test = (codes - mean) / spread, (codes_test - mean) / spread
    areas = []
    for y, y_test in zip(factors.T, factors_test.T, strict=True):
        of_factor = []
        for value in np.unique(y):
            score = LogisticRegression().fit(x, y == value).decision_function(x_test)
            of_factor.append(roc_auc_score(y_test == value, score))
        areas.append(np.mean(of_factor))
    return float(np.mean(areas))


def sap(codes, factors, codes_test, factors_test) -> float:
    accuracy = np.empty((codes.shape[1], factors.shape[1]))
    for i in range(codes.shape[1]):
        for j in range(factors.shape[1]):
            machine = LinearSVC(C=0.01, class_weight="balanced").fit(codes[:, [i]], factors[:, j])
            accuracy[i, j] = machine.score(codes_test[:, [i]], factors_test[:, j])
    ordered = np.sort(accuracy, axis=0)
    return float(np.mean(ordered[-1] - ordered[-2]))


def irs(codes, factors, *, quantile=0.99) -> float:
    """The crossed special case: factors in 20 bins, a high quantile of the deviations from each value's mean."""
    labels = binned(factors)
    whole = np.abs(codes - codes.mean(axis=0)).max(axis=0)
    robust = np.empty((codes.shape[1], factors.shape[1]))
    for j, factor in enumerate(labels.T):
        worst = []
        for value in np.unique(factor):
            part = codes[factor == value]
            worst.append(np.quantile(np.abs(part - part.mean(axis=0)), quantile, axis=0))
        robust[:, j] = 1 - np.mean(worst, axis=0) / whole
    return float(np.average(robust.max(axis=1), weights=whole))


def gaussian_total_correlation(codes) -> float:
    covariance = np.cov(codes, rowvar=False)
    return float(0.5 * (np.log(np.diag(covariance)).sum() - np.linalg.slogdet(covariance)[1]))


def code_mutual_information(codes) -> float:
    labels, d = binned(codes), codes.shape[1]
    pairs = [mutual_info_score(labels[:, i], labels[:, j]) for i in range(d) for j in range(d) if i != j]
    return float(np.mean(pairs))


def disentanglement(importance: np.ndarray) -> float:
    share = importance / importance.sum(axis=1, keepdims=True)
    entropies = -(share * np.log(share + 1e-11)).sum(axis=1) / np.log(importance.shape[1])
    return float(np.average(1 - entropies, weights=importance.sum(axis=1)))


def dci(codes, factors, codes_test, factors_test) -> float:
    """Disentanglement; the accuracies that the protocol also takes are computed, for their time, and left."""
    importance = np.empty((codes.shape[1], factors.shape[1]))
    for j in range(factors.shape[1]):
        model = GradientBoostingClassifier().fit(codes, factors[:, j])
        importance[:, j] = np.abs(model.feature_importances_)
        model.score(codes, factors[:, j]), model.score(codes_test, factors_test[:, j])
    return disentanglement(importance)


def udr(first, second) -> float:
    """Of two models that keep all their codes (Duan et al. 2020, equation 2): one Lasso after the other, both ways."""
    scores = []
    for a, b in ((first, second), (second, first)):
        weights = np.abs([LassoCV(cv=5).fit(zscore(b), target).coef_ for target in zscore(a).T])
        shares = [weights.max(axis=axis) ** 2 / weights.sum(axis=axis) for axis in (0, 1)]
        scores.append(np.concatenate(shares).mean())
    return float(np.mean(scores))


def downstream_logistic(codes, factors, codes_test, factors_test) -> float:
    """Ten strengths, five folds, one fit after the other."""
    accuracy = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for y, y_test in zip(factors.T, factors_test.T, strict=True):
            quality = [
                np.mean(
                    [
                        LogisticRegression(C=c).fit(codes[a], y[a]).score(codes[b], y[b])
                        for a, b in KFold(5).split(codes)
                    ]
                )
                for c in np.logspace(-4, 4, 10)
            ]
            best = LogisticRegression(C=np.logspace(-4, 4, 10)[int(np.argmax(quality))]).fit(codes, y)
            accuracy.append(best.score(codes_test, y_test))
    return float(np.mean(accuracy))


def downstream_boosted(codes, factors, codes_test, factors_test) -> float:
    pairs = zip(factors.T, factors_test.T, strict=True)
    return float(np.mean([GradientBoostingClassifier().fit(codes, y).score(codes_test, t) for y, t in pairs]))
