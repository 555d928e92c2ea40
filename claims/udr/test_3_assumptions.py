"""UDR, limitation 1: methods that repeat themselves, and the score that is to tell which ones do."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dbench.claims import Claim, Printed, above, below, within
from dbench.codes import Sample
from dbench.data import load
from dbench.metrics import mig, udr_scores
from dbench.seeds import generator
from dbench.stats import Estimate, jackknife_interval, mean_interval, transfer_success
from dbench_fixtures.counterexamples.model_sets import mixed_models, uniform_factors

PCA = Claim(
    id="udr.pca-false-positive",
    role="primary",
    quote="it would give high false positive scores to non-parametric approaches, like PCA",
    where="limitation 1, high optimisation variance",
    says="PCA, run twice, gets a high UDR.",
    evidence="synthetic",
    population="ten components of real dSprites images, 16 x 16, fitted to bootstrap samples of 2,000; draws varied",
    deviations=("PCA has no posterior: all ten components count as informative.", "UDR on 1,000 other images."),
    unit="pair of fits",
    statistic="mean UDR of two fits",
    # High: the upper half of the scale, where pairs of entangled models with ten codes do not come (about 0.2).
    rule=above(0.5),
    min_n=5,
)
PCA_SAME = replace(
    PCA,
    role="cell",
    part="udr, same images",
    says="PCA of the same images gives the same representation, and so a UDR of 1.",
    population="ten components of 2,000 real dSprites images, 16 x 16, twice",
    unit="pair of fits",
    # 0.99: the cross-validated penalty is not quite 0.
    rule=above(0.99),
    min_n=5,
)
PCA_ENTANGLED = replace(
    PCA,
    role="cell",
    part="entangled",
    says="Components of PCA are not disentangled.",
    deviations=("MIG of 5,000 other images stands for the supervised metrics.",),
    unit="fit",
    statistic="mean MIG of a fit",
    # 0.1: trained models of dSprites score up to about 0.4.
    rule=below(0.1),
)
SUITABLE = Claim(
    id="udr.suitability-score",
    role="probe",
    part="deterministic",
    where="limitation 1, high optimisation variance",
    says="The seed-transfer probability of a deterministic method is 100%.",
    evidence="synthetic",
    population="tables of scores, settings by seeds, where the seed has no effect; draws varied",
    deviations=("The best model within a seed, held against all models of the search; ties count as success.",),
    unit="table",
    statistic="mean probability that the best model of a seed scores at least as high as a random model",
    rule=within(1 - 1e-9, 1),
    min_n=5,
    printed=Printed("100% for PCA", 1.0, 1e-9),
)
SUITABLE_VARIED = replace(
    SUITABLE,
    part="seeds matter",
    says="The seed-transfer probability is below 100% where the seed matters.",
    population="tables of scores, 6 settings by 50 seeds, half of the variance due to the seed; draws varied",
    rule=below(1.0),
    printed=Printed("80.7% for VAEs"),
)
SUITABLE_TELLS = replace(
    SUITABLE,
    part="tells",
    says="A probability of 100% tells that UDR does not suit a class of models.",
    population="classes of models, one setting of which always disentangles, up to order, sign and noise",
    deviations=(
        "A counterexample: a class that UDR suits, since its models differ by order and sign, and its others rotate.",
        "Quality is how little a model mixes its factors; six settings of six seeds, five codes.",
    ),
    statistic="UDR of the setting that disentangles minus the best of the others, where the probability is 100%",
    rule=below(0.25),
    printed=None,
)
SUITABLE_PCA = replace(
    SUITABLE,
    role="primary",
    quote="A method like PCA would score 100% and would be unsuitable for UDR.",
    part="",
    says="The seed-transfer probability of PCA is 100%.",
    population="two to ten components of real dSprites images, 16 x 16, fitted to 2,000 of them",
    deviations=(
        "PCA has no seeds: fits to the same images, and to bootstrap samples of others.",
        "The number of components is the setting, MIG of 3,000 other images the metric.",
        "The best setting of one fit is held against a random one at another (Sober Look 5.4); ties count as success.",
    ),
    unit="fit",
    statistic="probability that the best setting of one fit is at least as good at another fit as a random setting",
    # As for trained models, whose probability counts as below 100% where it is below 0.95.
    rule=above(0.95),
)
RELATIONS = pytest.mark.parametrize("relation", ["lasso", "spearman"])


def mean_udr(codes: np.ndarray, relation: str) -> float:
    flags = np.ones(codes.shape[::2], dtype=bool)
    return float(udr_scores(codes, flags, relation=relation, generator=generator(claim="udr")).mean())


# ------------------------------------------------------------------ PCA
@cache
def images_and_factors() -> tuple[np.ndarray, np.ndarray]:
    data = load("dsprites_grid_16")
    factors = data.draw_factors(10_000, generator(claim=PCA.id))
    return data.images(factors).reshape(len(factors), -1) / 255.0, factors


def components(images: np.ndarray, number: int) -> np.ndarray:
    return np.linalg.svd(images - images.mean(axis=0), full_matrices=False)[2][:number].T


def bootstrap(stream: np.random.Generator) -> np.ndarray:
    images = images_and_factors()[0][:4_000]
    return components(images[stream.integers(len(images), size=2_000)], 10)


def repeated(stream: np.random.Generator) -> np.ndarray:
    return components(images_and_factors()[0][:2_000], 10)


def random_projection(stream: np.random.Generator) -> np.ndarray:
    """Ten directions drawn at random among those of PCA: no method that repeats itself."""
    return repeated(stream) @ np.linalg.qr(stream.standard_normal((10, 10)))[0]


def udr_of_fits(card: Claim, relation: str, fit=bootstrap, *, pairs: int = 20) -> Estimate:
    def score(pair: int) -> float:
        streams = [generator(claim=card.id, part=card.part or "udr", pair=pair, fit=i) for i in (1, 2)]
        new = images_and_factors()[0][4_000:5_000]
        return mean_udr(np.stack([new @ fit(stream) for stream in streams]), relation)

    return mean_interval([score(i) for i in range(pairs)], confidence=card.confidence)


def mig_of_fits(encode=None, *, fits: int = 10, confidence: float = PCA_ENTANGLED.confidence) -> Estimate:
    images, factors = images_and_factors()

    def score(number: int) -> float:
        codes = images[5_000:] @ bootstrap(generator(claim=PCA.id, fit=number)) if encode is None else encode(factors)
        return float(mig(Sample(codes[-5_000:], factors[-5_000:])))

    return mean_interval([score(i) for i in range(fits)], confidence=confidence)


# ------------------------------------------------------------------ suitability
def transfer_probability(scores: np.ndarray) -> float:
    """Share of all models (settings x seeds) that the best model of a seed equals or beats, averaged over seeds."""
    best = scores.max(axis=0)
    return float((scores[:, :, None] <= best).mean())


def probability_of_tables(card: Claim, seed_share: float, *, tables: int = 10) -> Estimate:
    def probability(number: int) -> float:
        stream = generator(claim=card.id, part=card.part, table=number)
        effects = [stream.standard_normal((6, 1)), stream.standard_normal((6, 50))]
        return transfer_probability(np.sqrt(1 - seed_share) * effects[0] + np.sqrt(seed_share) * effects[1])

    return mean_interval([probability(i) for i in range(tables)], confidence=card.confidence)


def transfer_of_pca(fit, *, fits: int = 8, confidence: float = SUITABLE_PCA.confidence) -> Estimate:
    images, factors = (part[-3_000:] for part in images_and_factors())

    def one(number: int) -> list[float]:
        codes = images @ fit(generator(claim=SUITABLE.id, part="PCA", fit=number))
        return [float(mig(Sample(codes[:, :components], factors))) for components in (2, 3, 4, 6, 8, 10)]

    table = np.array([one(number) for number in range(fits)])
    return jackknife_interval(lambda kept: transfer_success(table[kept], table[kept]), fits, confidence=confidence)


def advantage_of_reliable_setting(
    *, best_mixing: float = 0.0, classes: int = 8, size: int = 6, confidence: float = SUITABLE_TELLS.confidence
) -> Estimate:
    def advantage(number: int) -> float:
        stream = generator(claim=SUITABLE.id, number=number)
        mixing = np.repeat(np.linspace(best_mixing, 1, size), size)
        if transfer_probability(-mixing.reshape(size, size)) < 1:
            return 0.0
        codes = mixed_models(uniform_factors(300, 5, stream), mixing, stream)
        groups = list(np.repeat(np.arange(size), size))
        flags = np.ones((size**2, 5), dtype=bool)
        scores = udr_scores(codes, flags, groups=groups, relation="spearman", generator=stream).reshape(size, size)
        medians = np.median(scores, axis=1)
        return float(medians[0] - medians[2:].max())

    return mean_interval([advantage(i) for i in range(classes)], confidence=confidence)


@PCA.covers
@RELATIONS
def test_two_fits_of_pca_agree(relation):
    return udr_of_fits(PCA, relation)


@PCA_SAME.covers
@RELATIONS
def test_pca_of_the_same_images_agrees_with_itself(relation):
    return udr_of_fits(PCA_SAME, relation, repeated)


@PCA_ENTANGLED.covers
def test_components_are_entangled(confidence):
    return mig_of_fits(confidence=confidence)


@SUITABLE.covers
def test_a_deterministic_method_transfers_always():
    return probability_of_tables(SUITABLE, 0.0)


@SUITABLE_VARIED.covers
def test_a_method_with_seeds_does_not_transfer_always():
    return probability_of_tables(SUITABLE_VARIED, 0.5)


@SUITABLE_PCA.covers
@pytest.mark.parametrize("images", ["same images", "bootstrap samples"])
def test_the_best_number_of_components_transfers(images, confidence):
    return transfer_of_pca(repeated if images == "same images" else bootstrap, confidence=confidence)


@SUITABLE_TELLS.covers
def test_a_probability_of_one_condemns_udr(confidence):
    return advantage_of_reliable_setting(confidence=confidence)
