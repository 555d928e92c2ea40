"""A Sober Look, section 5.1: do the models reconstruct what they are trained on?"""

from dataclasses import dataclass, replace

import numpy as np

from dbench.claims import Claim, above
from dbench.claims.population import Population, PopulationPair
from dbench.claims.zoo_statistics import share_of_models
from dbench.claims.zoo_transfer import shared_settings
from dbench.data import load
from dbench.errors import DbenchError, EvidenceLacking
from dbench.seeds import generator
from dbench.stats import Estimate, mean_interval

REASONABLE = Claim(
    id="sober.reconstruction",
    part="reasonable",
    where="5.1, Figure 1",
    says="A model drawn at random reconstructs its data set reasonably.",
    evidence="zoo",
    kind="existence",
    population="all runs: objectives, strengths and seeds",
    deviations=(
        "The paper looks at pictures. 'Reasonably' is read as at least half of the way, in nats an image, from the "
        "best picture that is the same for all images to a perfect reconstruction; 'a random model' as more than half.",
        "Both ends are found from 4,000 images drawn at random.",
    ),
    unit="seed",
    statistic="mean over seeds of the share of models that go at least half of the way",
    rule=above(0.5),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
HARDER = replace(
    REASONABLE,
    part="variants are harder",
    says="The variants of dSprites with continuous noise variables are harder to reconstruct than dSprites.",
    kind="ranking",
    population="all runs on dSprites and on a variant of it; objectives, strengths and seeds shared",
    deviations=(
        "Hard is what is left of the way, in nats, from the best picture that is the same for all to a perfect one.",
        "That Noisy-dSprites loses its noise and Scream-dSprites the shape, and SmallNORB looks hardest, is not "
        "judged: no such models are shipped.",
    ),
    statistic="mean over seeds of the share of the way left on the variant, minus that on dSprites",
    # A twentieth of all there is to learn.
    rule=above(0.05),
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
    """Return a pair of dSprites and a variant of it with continuous noise variables, by the data sets' names."""
    first, second = (str(population.table["data"].iloc[0]) for population in (pair.source, pair.target))
    if not (
        first.startswith("dsprites") and second.startswith(("color_dsprites", "noisy_dsprites", "scream_dsprites"))
    ):
        raise EvidenceLacking(f"speaks of dSprites and its variants, got {first} and {second}")
    return pair


def share_reasonable(population: Population, ends: Ends) -> Estimate:
    return share_of_models(
        population,
        lambda reconstruction: way_left(reconstruction, ends) <= 0.5,
        ["reconstruction"],
        confidence=REASONABLE.confidence,
    )


def harder(pair: PopulationPair, first: Ends, second: Ends) -> Estimate:
    """How much more of the way is left on the second data set, seed by seed."""
    objectives, seeds = shared_settings(pair)

    def left(population: Population, ends: Ends) -> np.ndarray:
        tables = [population.scores("reconstruction", o, seeds=seeds) for o in objectives]
        return way_left(np.hstack(tables), ends).mean(axis=1)

    return mean_interval(left(pair.target, second) - left(pair.source, first), confidence=HARDER.confidence)


@REASONABLE.covers
def test_a_random_model_reconstructs_reasonably(judge, unsupervised):
    estimate = share_reasonable(unsupervised, ends_of(unsupervised))
    judge(REASONABLE, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@HARDER.covers
def test_a_variant_of_dsprites_is_harder(judge, pair):
    both = of_a_variant(pair())
    estimate = harder(both, ends_of(both.source), ends_of(both.target))
    judge(HARDER, estimate, population=both.name, deviations=both.deviations)
