"""A Sober Look, section 5.1: do the models reconstruct what they are trained on?"""

from functools import cache
from typing import NamedTuple

import numpy as np

from dbench.claims import Claim, above
from dbench.claims.zoo_statistics import settings_of
from dbench.claims.zoo_transfer import shared_settings
from dbench.data import load
from dbench.errors import DbenchError, EvidenceLacking
from dbench.seeds import generator
from dbench.stats import mean_interval

VARIANTS = ("color_dsprites", "noisy_dsprites", "scream_dsprites")

REASONABLE = Claim.zoo(
    id="sober.reconstruction",
    quote="First, we check for each data set that we manage to train models that achieve reasonable reconstructions. "
    "Therefore, for each data set we sample a random model and show real samples next to their reconstructions.",
    deviations=(
        "The paper looks at pictures. 'Reasonably' is more than half of the way, in nats an image, from the best "
        "picture that is the same for all images to a perfect reconstruction; 'a random model' is the median one.",
        "Both ends are found from 4,000 images drawn at random.",
    ),
    statistic="mean over seeds of the share of the way that the seed's median model goes",
    rule=above(0.5, null=0.0),
    revision=2,
)
HARDER = REASONABLE.cell(
    "variants are harder",
    quote="As expected, the additional variants of dSprites with continuous noise variables are harder than the "
    "original data set.",
    says="The variants of dSprites with continuous noise variables are harder to reconstruct than dSprites.",
    population="all runs on dSprites and on a variant of it; objectives, strengths and seeds shared",
    deviations=("Hard is what is left of the way from the best picture that is the same for all to a perfect one.",),
    statistic="mean over seeds of the share of the way left on the variant, minus that on dSprites",
    rule=above(0.05, null=0.0),
    revision=1,
)


class Ends(NamedTuple):
    """Negative log-likelihood of an image in nats: of the best constant picture, and of a perfect reconstruction."""

    constant: float
    perfect: float


def data_of(population):
    return str(population.table["data"].iloc[0])


@cache
def ends_of(name, *, n=4_000):
    """Find both ends for a data set.

    A pixel of grey level x given with the rate m costs -(x log m + (1 - x) log(1 - m)): least for all images together
    at their mean, and least of all at x itself, where it is the entropy of x and not 0.
    """
    try:
        data = load(name)
    except DbenchError as error:
        raise EvidenceLacking(f"needs the images of {name}: {error}") from error
    stream = generator(claim=REASONABLE.id, data=name)
    images = data.images(data.draw_factors(n, stream), stream).reshape(n, -1) / 255
    return Ends(float(_entropy(images.mean(axis=0)).sum()), float(_entropy(images).sum(axis=1).mean()))


def _entropy(rates):
    """Entropy of a Bernoulli variable in nats, elementwise; 0 at both ends."""
    inner = np.clip(rates, 1e-12, 1 - 1e-12)
    return -(inner * np.log(inner) + (1 - inner) * np.log1p(-inner))


def way_left(reconstruction, ends):
    """Return the share of the way that a reconstruction leaves: 0 for a perfect one, 1 for a constant picture."""
    return (reconstruction - ends.perfect) / (ends.constant - ends.perfect)


def way_of_median(population, ends, confidence):
    gone = 1 - way_left(settings_of(population, "reconstruction"), ends)
    return mean_interval(np.median(gone, axis=1), confidence=confidence)


def harder(pair, first, second, confidence=HARDER.confidence):
    objectives, seeds = shared_settings(pair)

    def left(population, ends):
        tables = [population.scores("reconstruction", o, seeds=seeds) for o in objectives]
        return way_left(np.hstack(tables), ends).mean(axis=1)

    return mean_interval(left(pair.target, second) - left(pair.source, first), confidence=confidence)


@REASONABLE.covers
def test_a_random_model_reconstructs_reasonably(unsupervised, confidence):
    return way_of_median(unsupervised, ends_of(data_of(unsupervised)), confidence)


@HARDER.covers
def test_a_variant_of_dsprites_is_harder(pair, confidence):
    both = pair()
    first, second = map(data_of, both.parts)
    if not first.startswith("dsprites") or not second.startswith(VARIANTS):
        raise EvidenceLacking(f"speaks of dSprites and its variants, got {first} and {second}")
    return harder(both, ends_of(first), ends_of(second), confidence)
