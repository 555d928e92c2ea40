"""A Sober Look, section 5.1: do the models reconstruct what they are trained on?"""

from functools import cache

import numpy as np
import pytest

from dbench.claims import Claim, above
from dbench.data import load
from dbench.errors import DbenchError, EvidenceLacking
from dbench.estimates.population import PopulationPair
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_statistics import settings_of
from dbench.estimates.zoo_transfer import shared_settings
from dbench.seeds import generator
from dbench.stats import mean_of

VARIANTS = ("color_dsprites", "noisy_dsprites", "scream_dsprites")
SIMULATED_ENDS = (100.0, 0.0)


def data_of(population):
    return str(population.table["data"].iloc[0])


@cache
def ends_of(name, *, n=4_000):
    """Negative log-likelihood of an image in nats: of the best constant picture, and of a perfect reconstruction.

    A pixel of grey level x given with the rate m costs -(x log m + (1 - x) log(1 - m)): least for all images together
    at their mean, and least of all at x itself, where it is the entropy of x and not 0.
    """
    try:
        data = load(name)
    except DbenchError as error:
        raise EvidenceLacking(f"needs the images of {name}: {error}") from error
    stream = generator(claim=REASONABLE.id, data=name)
    images = data.images(data.draw_factors(n, stream), stream).reshape(n, -1) / 255
    return float(_entropy(images.mean(axis=0)).sum()), float(_entropy(images).sum(axis=1).mean())


def _entropy(rates):
    """Entropy of a Bernoulli variable in nats, elementwise; 0 at both ends."""
    inner = np.clip(rates, 1e-12, 1 - 1e-12)
    return -(inner * np.log(inner) + (1 - inner) * np.log1p(-inner))


def way_left(reconstruction, ends):
    """Return the share of the way that a reconstruction leaves: 0 for a perfect one, 1 for a constant picture."""
    constant, perfect = ends
    return (reconstruction - perfect) / (constant - perfect)


def leaving(nats):
    """Simulated models with so much left of the way from a constant picture, 100 nats, to a perfect one."""
    return {"reconstruction": Law(mean=nats, noise=10.0)}


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
    source="lexicon: reasonable",
    given={"ends": None},  # found from the images
    false={"unsupervised": Simulated(leaving(70.0)), "ends": SIMULATED_ENDS},
    revision=2,
)


@REASONABLE.covers
def test_a_random_model_reconstructs_reasonably(unsupervised, ends):
    left = way_left(settings_of(unsupervised, "reconstruction"), ends or ends_of(data_of(unsupervised)))
    return mean_of(np.median(1 - left, axis=1))


HARDER = REASONABLE.cell(
    "variants are harder",
    role="primary",
    quote="As expected, the additional variants of dSprites with continuous noise variables are harder than the "
    "original data set.",
    says="The variants of dSprites with continuous noise variables are harder to reconstruct than dSprites.",
    population="all runs on dSprites and on one of its three variants; objectives, strengths and seeds shared",
    deviations=("Hard is what is left of the way from the best picture that is the same for all to a perfect one.",),
    statistic="mean over seeds of the share of the way left on the variant, minus that on dSprites",
    rule=above(0.0),
    source="sign",
    given={"ends": None},
    false={"data_set": Simulated(leaving(70.0), elsewhere=leaving(50.0)), "ends": (SIMULATED_ENDS, SIMULATED_ENDS)},
)


@HARDER.covers
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_of_dsprites_is_harder(data_set, variant, ends):
    both = PopulationPair(data_set("dsprites"), data_set(variant))
    known = ends or tuple(ends_of(data_of(part)) for part in both.parts)
    objectives, seeds = shared_settings(both)

    def left(population, ends):
        tables = [population.scores("reconstruction", o, seeds=seeds) for o in objectives]
        return way_left(np.hstack(tables), ends).mean(axis=1)

    source, target = map(left, both.parts, known)
    return mean_of(target - source)
