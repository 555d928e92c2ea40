"""The metric of beta-VAE (Higgins et al. 2017). Higher is better."""

import warnings

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Source
from dbench.metrics.ceilings import between
from dbench.metrics.inputs import require_count, require_source, require_squarable
from dbench.metrics.registry import Score, metric
from dbench.seeds import given_generator


def _points(
    source: Source, count: int, batch: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return mean absolute differences (count x d) of the codes of pairs, and the factor that the pairs share."""
    k = len(source.factor_names)
    fixed = generator.integers(k, size=count)
    features = np.empty((count, source.n_codes))
    for start in range(0, count, 1000):  # bounds the memory
        shared = fixed[start : start + 1000]
        shape = (2, len(shared), batch, k)
        factors = source.draw_factors(2 * len(shared) * batch, generator).reshape(shape)
        rows = np.arange(len(shared))
        factors[1, rows, :, shared] = factors[0, rows, :, shared]
        held_factor = np.tile(np.repeat(shared, batch), 2)
        codes = source.held_codes(factors.reshape(-1, k), held_factor, generator).reshape(*shape[:3], -1)
        require_squarable(codes)
        features[start : start + 1000] = np.abs(codes[0] - codes[1]).mean(axis=1)
    return features, fixed


@metric(
    needs="source",
    bounds=(0, 1),
    perfect=1.0,
    cite="higgins2017",
    label="BetaVAE",
    varies={"scale": "weights on codes that are not standardised are penalised"},
    tolerance=0.02,
    quick={"train_points": 1000, "test_points": 500, "batch": 32},
)
def beta_vae_metric(
    source: Source,
    *,
    batch: int = 64,
    train_points: int = 10_000,
    test_points: int = 5_000,
    corrected: bool = False,
    generator: np.random.Generator | None = None,
) -> Score:
    """Accuracy of a linear guess of the factor that pairs share from how far apart their codes are.

    A Sober Look, section 4.2.1: a factor is chosen, and two batches are drawn so that the two observations of a pair
    agree in that factor (its value varies from pair to pair, as in the supplement of Sepliarskaia et al., A.1) and are
    independent in all others. The mean absolute differences of their codes are one point for scikit-learn's logistic
    regression with default options. Bounds 0 and 1; chance is 1/k, and is not subtracted unless ``corrected``:
    max(0, (a - 1/k) / (1 - 1/k)) for an accuracy of a. The metric hardly notices a rotation.

    Returns:
        Score with per-factor accuracies; details ``chance`` (1/k), ``ceiling`` (1: exact copies of the shared factor
        are equal in each pair), ``train`` (accuracy on the training points), ``iterations`` of the solver (100 is
        its limit). Constant codes score about chance. With a single factor every guess is right: 1.

    Raises:
        InvalidInput: a number of draws below 1, or codes beyond 1e140.

    Example:
        >>> from dbench.codes import GridSource
        >>> grid = np.indices((4, 4, 4)).reshape(3, -1).T
        >>> noise = np.random.default_rng(0).normal(size=grid.shape)
        >>> for codes in (1.0 * grid, grid + 5 * noise, noise):
        ...     source = GridSource(codes, (4, 4, 4))
        ...     print(round(beta_vae_metric(source, train_points=500, test_points=500).value, 1))
        1.0
        0.5
        0.3

    See Also:
        :func:`factor_vae`; https://openreview.net/forum?id=Sy2fzU9gl
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    require_source(source)
    for name, count in (("batch", batch), ("train_points", train_points), ("test_points", test_points)):
        require_count(name, count, 1)
    generator = given_generator(generator, metric="beta_vae_metric")
    k = len(source.factor_names)
    x, label = _points(source, train_points, batch, generator)
    x_test, truth = _points(source, test_points, batch, generator)
    if (label == label[0]).all():
        guess, iterations, train = np.full(test_points, label[0]), 0, 1.0
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # stopping at 100 steps is part of the protocol
            model = LogisticRegression().fit(x, label)
        guess = model.predict(x_test)
        iterations, train = int(model.n_iter_.max()), float(model.score(x, label))
    hits = np.bincount(truth[guess == truth], minlength=k)
    accuracy = hits.sum() / test_points
    return Score(
        "beta_vae_metric[corrected]" if corrected else "beta_vae_metric",
        float(between(accuracy, 1 / k, 1.0)) if corrected and k > 1 else accuracy,
        per_factor=hits / np.maximum(np.bincount(truth, minlength=k), 1),
        details={"chance": 1 / k, "ceiling": 1.0, "train": train, "iterations": iterations},
    )
