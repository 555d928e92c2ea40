"""A Sober Look, section 3: what Theorem 1 means for scores. Two generative models share their observations alone.

In the first the factors are z and the observation is x = z. In the second they are f(z), of the same law, and the
observation is x = f^-1 of them. The representation r(x) = x is perfect for the first and entangled for the second;
observations, and so codes, have one law in both.
"""

import numpy as np
import pytest
import torch

from dbench.claims import Claim, above, below, within
from dbench.codes import FunctionSource, Sample
from dbench.constructions.entangling import entangling, householder
from dbench.metrics import beta_vae_metric, code_mutual_information, dci, factor_vae, mig, sap
from dbench.metrics.gaussian_total_correlation import gaussian_total_correlation
from dbench.seeds import generator
from dbench.stats import exact, mean_of

# d = 2 with sin^2(pi/8) and d = 4 with 1/4 give matrices of entries of one size: nothing of a factor has a code.
STRONG = {"d2-alpha0.146": householder(2, float(np.sin(np.pi / 8) ** 2)), "d4-alpha0.25": householder(4, 0.25)}
WEAK = {"d2-alpha0.01": householder(2, 0.01), "d10-alpha0.1": householder(10, 0.1)}
# Hardly mixing; and no rotation: it squeezes one direction, and so changes the distribution, which observations show.
OTHERS = {"hardly": householder(2, 0.001), "skewed": torch.tensor([[1.0, 0.6], [0.0, 1.0]], dtype=torch.float64)}


def model(matrix, *, entangled):
    """Build the model whose factors are z, or the one whose factors are f(z), for codes x = z."""
    f = entangling("uniform", matrix)

    def encode(factors, stream):
        return f.inverse(torch.from_numpy(factors)).numpy() if entangled else factors

    d = len(matrix)
    return FunctionSource(lambda n, stream: f.draw(n, stream).numpy(), encode, tuple(f"factor_{j}" for j in range(d)))


def _levels(sample, levels=3):
    """Cut uniform factors into levels, for a metric of discrete factors."""
    cut = np.minimum((sample.factors * levels).astype(np.int64), levels - 1)
    return Sample(sample.codes, cut, sample.factor_names)


def _above_chance(accuracy, source):
    chance = 1 / len(source.factor_names)
    return (float(accuracy) - chance) / (1 - chance)


SUPERVISED = {
    "beta_vae_metric": lambda source, stream: _above_chance(
        beta_vae_metric(source, generator=stream, test_points=2_000, train_points=2_000), source
    ),
    "factor_vae": lambda source, stream: _above_chance(
        factor_vae(source, generator=stream, test_votes=2_000, train_votes=2_000), source
    ),
    "mig": lambda source, stream: float(mig(source.sample(10_000, stream))),
    "dci": lambda source, stream: float(dci(_levels(source.sample(900, stream)), generator=stream)),
    "sap": lambda source, stream: float(sap(source.sample(10_000, stream), relation="r2")),
}
UNSUPERVISED = {f.__name__: f for f in (gaussian_total_correlation, code_mutual_information)}


def supervised(metric, matrix, repetitions, *, entangled):
    source = model(matrix, entangled=entangled)
    axes = {"claim": ENTANGLED.id, "metric": metric, "entangled": int(entangled), "d": len(matrix)}
    return [SUPERVISED[metric](source, generator(**axes, repetition=i)) for i in range(repetitions)]


ENTANGLED = Claim.synthetic(
    id="sober.impossibility-consequence",
    quote="Since the (unsupervised) disentanglement method only has access to observations \\mathbf{x} , it hence "
    "cannot distinguish between the two equivalent generative models and thus has to be entangled to at least one of "
    "them.",
    population="uniform factors f(z), representation x = z, f mixing strongly; matrix, metric and draws varied",
    deviations=("'Entangled' is a score below half of the way from chance to the best.",),
    unit="repetition",
    statistic="mean score, on a scale from chance (0; 1/d for BetaVAE and FactorVAE) to the best (1)",
    rule=below(0.5, null=1.0),
    source="lexicon: entangled",
    demonstration=True,
    min_n=3,
    given={"matrices": STRONG, "repetitions": 3},
    false={"metric": "sap", "matrix": "hardly", "matrices": OTHERS},
)


@ENTANGLED.covers
@pytest.mark.parametrize("matrix", sorted(STRONG))
@pytest.mark.parametrize("metric", sorted(SUPERVISED))
def test_supervised_scores_are_far_lower_for_the_other_model(metric, matrix, matrices, repetitions):
    return mean_of(supervised(metric, matrices[matrix], repetitions, entangled=True))


BEST = ENTANGLED.cell(
    "perfect for one",
    role="primary",
    says="The representation is perfect for the model whose factors it copies: supervised scores are near their best.",
    population="uniform factors z, representation x = z; number of factors, metric and draws varied",
    deviations=("'Near its best' is above nine tenths of the way from chance to the best score.",),
    # Not their mean: scores at their best are the same in every draw, which leaves no spread to judge by.
    statistic="lowest score of the draws, chance taken off (1/d for BetaVAE and FactorVAE, 0 for the others)",
    rule=above(0.95, null=0.0),
    source="lexicon: perfect",
    given={"entangled": False, "repetitions": 3},
    false={"metric": "mig", "entangled": True},
    revision=3,
)


@BEST.covers
@pytest.mark.parametrize("matrix", sorted(STRONG))
@pytest.mark.parametrize("metric", sorted(SUPERVISED))
def test_supervised_scores_are_near_their_best_for_one_model(metric, matrix, entangled, repetitions):
    scores = supervised(metric, STRONG[matrix], repetitions, entangled=entangled)
    return exact(min(scores), n=len(scores))


UNMOVED = ENTANGLED.cell(
    "observations alone",
    role="primary",
    says="Scores computed from observations alone cannot tell the two models apart.",
    population="codes drawn from the one model and from the other; matrix, score and draws varied",
    deviations=("'Cannot' is a difference within 0.01 nats, on independent draws from the two.",),
    statistic="mean difference between the two models, nats",
    rule=within(-0.01, 0.01),
    source="lexicon: no difference, nats",
    min_n=5,
    given={"matrices": STRONG, "repetitions": 5},
    false={"score": "gaussian_total_correlation", "matrix": "skewed", "matrices": OTHERS},
)


@UNMOVED.covers
@pytest.mark.parametrize("matrix", sorted(STRONG))
@pytest.mark.parametrize("score", sorted(UNSUPERVISED))
def test_unsupervised_scores_are_the_same_for_both_models(score, matrix, matrices, repetitions):
    """Independent draws from either model are scored; the differences are the replicates."""
    first, second = (model(matrices[matrix], entangled=entangled) for entangled in (False, True))

    def difference(stream):
        scores = [float(UNSUPERVISED[score](source.sample(10_000, stream).codes)) for source in (second, first)]
        return scores[0] - scores[1]

    streams = [generator(claim=UNMOVED.id, score=score, repetition=i) for i in range(repetitions)]
    return mean_of([difference(stream) for stream in streams])


WEAKLY = ENTANGLED.probe(
    "weakly mixing",
    says="Even a weakly mixing f, none of whose derivatives is zero, shows in supervised scores.",
    population="uniform factors f(z), representation x = z, f mixing weakly; matrix, metric and draws varied",
    statistic="mean score, on a scale from chance (0; 1/d for BetaVAE and FactorVAE) to the best (1)",
    rule=below(0.5, null=1.0),
    given={"matrices": WEAK, "repetitions": 3},
)


@WEAKLY.covers
@pytest.mark.parametrize("matrix", sorted(WEAK))
@pytest.mark.parametrize("metric", ["beta_vae_metric", "factor_vae", "mig", "sap"])
def test_supervised_scores_are_far_lower_if_the_models_differ_little(metric, matrix, matrices, repetitions):
    return mean_of(supervised(metric, matrices[matrix], repetitions, entangled=True))
