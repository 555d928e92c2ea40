"""The metric of FactorVAE (Kim and Mnih 2018). Higher is better."""

import numpy as np
from numpy.typing import NDArray

from dbench.codes import Source
from dbench.errors import InvalidInput
from dbench.metrics.inputs import require_count, require_source, require_squarable
from dbench.metrics.registry import Score, metric
from dbench.seeds import given_generator


def _votes(
    source: Source,
    variance: NDArray[np.float64],
    active: NDArray[np.bool_],
    n_votes: int,
    batch: int,
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Count, for each code and factor (d x k), how often the code had the least variance with the factor fixed."""
    k = len(source.factor_names)
    fixed = generator.integers(k, size=n_votes)
    counts = np.zeros((len(variance), k), dtype=np.int64)
    for start in range(0, n_votes, 1000):  # bounds the memory
        fixed_in_block = fixed[start : start + 1000]
        factors = source.draw_factors(len(fixed_in_block) * batch, generator).reshape(len(fixed_in_block), batch, k)
        rows = np.arange(len(fixed_in_block))
        factors[rows, :, fixed_in_block] = factors[rows, 0, fixed_in_block][:, None]
        codes = source.held_codes(factors.reshape(-1, k), np.repeat(fixed_in_block, batch), generator)
        codes = codes.reshape(len(fixed_in_block), batch, -1)
        relative = np.where(active, codes.var(axis=1, ddof=1) / np.where(active, variance, 1.0), np.inf)
        np.add.at(counts, (relative.argmin(axis=1), fixed_in_block), 1)
    return counts


@metric(
    needs="source",
    bounds=(0, 1),
    perfect=1.0,
    cite="kim2018",
    label="FactorVAE",
    varies={"scale": "the threshold of active codes is in units of the codes"},
    quick={"train_votes": 1000, "test_votes": 500, "variance_draws": 1000, "batch": 32},
    picture=("factor_vae_votes", "Votes of FactorVAE"),
)
def factor_vae(
    source: Source,
    *,
    batch: int = 64,
    train_votes: int = 10_000,
    test_votes: int = 5_000,
    variance_draws: int = 10_000,
    threshold: float = 0.05,
    generator: np.random.Generator | None = None,
) -> Score:
    """Accuracy of guessing which factor is fixed from which code then varies least.

    A Sober Look, section 4.2.2: in each batch one factor is fixed to a random value. The code with the smallest
    variance, relative to its variance over ``variance_draws`` draws without intervention, votes for that factor. The
    classifier is the majority over the training votes. Codes with a variance below ``threshold`` (in units of the
    codes) are left out before the votes. Bounds 0 and 1; chance is about 1/k. If all codes are inactive, the score is
    0. A code that never won a training vote predicts the factor with most votes overall. The fixed factor takes its
    value from the first draw of the batch, so that it has its marginal distribution even if factors are dependent;
    the other factors are drawn as if it were not fixed.

    Returns:
        Score with per-factor accuracies, training votes (codes x factors) as relation, and details
        ``active`` (number of codes used), ``train`` (accuracy on the training votes), ``threshold``, ``chance``
        (1/k, the same guess for all votes) and ``ceiling`` (1: only the copy of the fixed factor has variance 0).

    Raises:
        InvalidInput: a number of draws that is too small, a negative threshold, or codes beyond 1e140.

    Example:
        >>> from dbench.codes import GridSource
        >>> grid = np.indices((4, 4, 4)).reshape(3, -1).T
        >>> noise = np.random.default_rng(0).normal(size=grid.shape)
        >>> for codes in (1.0 * grid, grid + noise, noise):
        ...     print(round(factor_vae(GridSource(codes, (4, 4, 4)), train_votes=500, test_votes=500).value, 2))
        1.0
        0.91
        0.44

    See Also:
        :func:`beta_vae_metric`; https://doi.org/10.48550/arXiv.1802.05983
    """
    require_source(source)
    require_count("batch", batch, 2)
    require_count("train_votes", train_votes, 1)
    require_count("test_votes", test_votes, 1)
    require_count("variance_draws", variance_draws, 2)
    if not 0 <= threshold < np.inf:
        raise InvalidInput(f"threshold must be a finite variance of at least 0, got {threshold}")
    generator = given_generator(generator, metric="factor_vae")
    k = len(source.factor_names)
    codes = source.sample(variance_draws, generator).codes
    require_squarable(codes)
    variance = codes.var(axis=0, ddof=1)
    # A constant that is no binary fraction has a computed variance of about 1e-34, so values are compared too.
    active = (variance >= threshold) & (variance > 0) & (codes != codes[0]).any(axis=0)
    details = {"active": float(active.sum()), "threshold": float(threshold), "chance": 1 / k, "ceiling": 1.0}
    if not active.any():
        return Score("factor_vae", 0.0, per_factor=np.zeros(k), relation=np.zeros((len(active), k)), details=details)
    train, test = (_votes(source, variance, active, votes, batch, generator) for votes in (train_votes, test_votes))
    guess = np.where(train.any(axis=1), train.argmax(axis=1), train.sum(axis=0).argmax())
    hits = np.zeros(k)
    np.add.at(hits, guess, test[np.arange(len(guess)), guess])
    return Score(
        "factor_vae",
        hits.sum() / test_votes,
        per_factor=hits / np.maximum(test.sum(axis=0), 1),
        relation=train.astype(np.float64),
        details=details | {"train": float(train.max(axis=1).sum() / train_votes)},
    )
