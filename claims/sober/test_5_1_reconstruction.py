"""A Sober Look, section 5.1: do the models reconstruct what they are trained on?"""

from dataclasses import dataclass

import numpy as np

from dbench.claims import Claim, above
from dbench.claims.population import Population, PopulationPair
from dbench.claims.zoo_statistics import settings_of
from dbench.claims.zoo_transfer import shared_settings
from dbench.data import load
from dbench.errors import DbenchError, EvidenceLacking
from dbench.seeds import generator
from dbench.stats import Estimate, mean_interval

REASONABLE = Claim.zoo(
    id="sober.reconstruction",
    role="primary",
    quote="First, we check for each data set that we manage to train models that achieve reasonable reconstructions. "
    "Therefore, for each data set we sample a random model and show real samples next to their reconstructions.",
    population="all runs: objectives, strengths and seeds",
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


@dataclass(frozen=True)
class Ends:
    """Negative log-likelihood of an image in nats: of the best constant picture, and of a perfect reconstruction."""

    constant: float
    perfect: float


_ENDS: dict[str, Ends] = {}


def ends_of(population: Population, *, n: int = 4_000) -> Ends:
    """Find both ends for the data set of a population.

    A pixel of grey level x given with the rate m costs -(x log m + (1 - x) log(1 - m)): least for all images together
    at their mean, and least of all at x itself, where it is the entropy of x and not 0.
    """
    name = str(population.table["data"].iloc[0])
    if name not in _ENDS:
        try:
            data = load(name)
        except DbenchError as error:
            raise EvidenceLacking(f"needs the images of {name}: {error}") from error
        stream = generator(claim=REASONABLE.id, data=name)
        images = data.images(data.draw_factors(n, stream), stream).reshape(n, -1) / 255
        _ENDS[name] = Ends(float(_entropy(images.mean(axis=0)).sum()), float(_entropy(images).sum(axis=1).mean()))
    return _ENDS[name]


def _entropy(rates: np.ndarray) -> np.ndarray:
    """Entropy of a Bernoulli variable in nats, elementwise; 0 at both ends."""
    inner = np.clip(rates, 1e-12, 1 - 1e-12)
    return -(inner * np.log(inner) + (1 - inner) * np.log1p(-inner))


def way_left(reconstruction: np.ndarray, ends: Ends) -> np.ndarray:
    """Return the share of the way that a reconstruction leaves: 0 for a perfect one, 1 for a constant picture."""
    return (reconstruction - ends.perfect) / (ends.constant - ends.perfect)


def of_a_variant(pair: PopulationPair) -> PopulationPair:
    first, second = (str(population.table["data"].iloc[0]) for population in (pair.source, pair.target))
    if not (
        first.startswith("dsprites") and second.startswith(("color_dsprites", "noisy_dsprites", "scream_dsprites"))
    ):
        raise EvidenceLacking(f"speaks of dSprites and its variants, got {first} and {second}")
    return pair


def way_of_median(population: Population, ends: Ends, confidence: float) -> Estimate:
    gone = 1 - way_left(settings_of(population, "reconstruction"), ends)
    return mean_interval(np.median(gone, axis=1), confidence=confidence)


def harder(pair: PopulationPair, first: Ends, second: Ends, confidence: float = HARDER.confidence) -> Estimate:
    objectives, seeds = shared_settings(pair)

    def left(population: Population, ends: Ends) -> np.ndarray:
        tables = [population.scores("reconstruction", o, seeds=seeds) for o in objectives]
        return way_left(np.hstack(tables), ends).mean(axis=1)

    return mean_interval(left(pair.target, second) - left(pair.source, first), confidence=confidence)


@REASONABLE.covers
def test_a_random_model_reconstructs_reasonably(unsupervised, confidence):
    return way_of_median(unsupervised, ends_of(unsupervised), confidence)


@HARDER.covers
def test_a_variant_of_dsprites_is_harder(pair, confidence):
    both = of_a_variant(pair())
    return harder(both, ends_of(both.source), ends_of(both.target), confidence)
