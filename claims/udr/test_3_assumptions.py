"""UDR, 'assumptions and limitations' and related work: what agreement of axes does and does not presume."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from dbench.claims import Claim, Printed, above, below, within
from dbench.codes import Sample
from dbench.data import load
from dbench.metrics import mig, udr_scores
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_interval
from dbench_fixtures.counterexamples.model_sets import mixed_models, uniform_factors

PCA = Claim(
    id="udr.pca-false-positive",
    part="udr",
    where="limitation 1, high optimisation variance",
    says="PCA, run twice, gets a high UDR.",
    evidence="synthetic",
    kind="existence",
    population="ten components of real dSprites images, 16 x 16, fitted to bootstrap samples of 2,000; draws varied",
    deviations=("PCA has no posterior: all ten components count as informative.", "UDR on 1,000 other images."),
    unit="pair of fits",
    statistic="mean UDR of two fits",
    # High: the upper half of the scale, where pairs of entangled models with ten codes do not come (about 0.2).
    rule=above(0.5),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
PCA_SAME = replace(
    PCA,
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
    part="deterministic",
    where="limitation 1, high optimisation variance",
    says="The seed-transfer probability of a deterministic method is 100%.",
    evidence="synthetic",
    kind="equivalence",
    population="tables of scores, settings by seeds, where the seed has no effect; draws varied",
    deviations=("The best model within a seed, held against all models of the search; ties count as success.",),
    unit="table",
    statistic="mean probability that the best model of a seed scores at least as high as a random model",
    rule=within(1 - 1e-9, 1),
    confidence=0.95,
    min_n=5,
    printed=Printed("100% for PCA", 1.0, 1e-9),
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
SUITABLE_VARIED = replace(
    SUITABLE,
    part="seeds matter",
    says="The seed-transfer probability is below 100% where the seed matters.",
    kind="direction",
    population="tables of scores, 6 settings by 50 seeds, half of the variance due to the seed; draws varied",
    rule=below(1.0),
    printed=Printed("80.7% for VAEs"),
)
SUITABLE_TELLS = replace(
    SUITABLE,
    part="tells",
    says="A probability of 100% tells that UDR does not suit a class of models.",
    kind="impossibility",
    population="classes of models, one setting of which always disentangles, up to order, sign and noise",
    deviations=(
        "A counterexample: a class that UDR suits, since its models differ by order and sign, and its others rotate.",
        "Quality is how little a model mixes its factors; six settings of six seeds, five codes.",
    ),
    statistic="UDR of the setting that disentangles minus the best of the others, where the probability is 100%",
    rule=below(0.25),
    printed=None,
)
CATEGORIES = Claim(
    id="udr.monotone-scalar-assumption",
    part="categories",
    where="limitation 3, continuous, monotonic and scalar factors",
    says="Models disentangled without monotone codes can score low together.",
    evidence="synthetic",
    kind="existence",
    population="five factors of ten values; each model copies each factor into its own code, values in an own order",
    deviations=(),
    unit="pair",
    statistic="mean UDR",
    rule=below(0.5),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
PHASES = replace(
    CATEGORIES,
    part="angles",
    population="five angles; each model measures each angle from an own origin",
)
PHASE_EXACT = replace(
    CATEGORIES,
    part="angles, exact",
    population="angles measured from origins a fifth of a turn apart (0.2113)",
    deviations=("For a shift of s turns the correlation is 1 - 6s(1 - s), zero at s = (3 - sqrt 3) / 6.",),
    unit="matrix",
    statistic="UDR by equation 2, whose relation matrix is the correlation times the identity",
    confidence=1.0,
    min_n=1,
)
PLANES = replace(
    CATEGORIES,
    part="planes",
    population="three angles as cosine and sine; each model turns each plane by an own phase",
    deviations=("No scalar: two codes for a factor, disentangled as groups.",),
)
DISENTANGLED = replace(
    CATEGORIES,
    part="disentangled",
    says="These models are disentangled: MIG sees one code for each factor.",
    statistic="mean MIG",
    unit="model",
    rule=above(0.75),
)
BLIND = Claim(
    id="udr.affine-invariant-comparisons-blind",
    part="cca",
    where="Related work (supplement)",
    says="Canonical correlations do not tell a disentangled model from a rotated one.",
    evidence="synthetic",
    kind="equivalence",
    population="a disentangled model beside another, and beside its rotation; draws varied",
    deviations=("Mean canonical correlation.",),
    unit="sample",
    statistic="similarity of two disentangled models minus that of a disentangled and a rotated one",
    rule=within(-0.02, 0.02),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
RSM_BLIND = replace(
    BLIND,
    part="rsm",
    says="Representational similarity matrices do not tell a disentangled model from a rotated one.",
    deviations=("Correlation of all pairwise Euclidean distances.",),
)
UDR_SEES = replace(
    BLIND,
    part="udr",
    says="UDR tells a disentangled model from a rotated one.",
    kind="direction",
    deviations=(),
    rule=above(0.25),
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
        streams = [generator(claim=card.id, part=card.part, pair=pair, fit=i) for i in (1, 2)]
        new = images_and_factors()[0][4_000:5_000]
        return mean_udr(np.stack([new @ fit(stream) for stream in streams]), relation)

    return mean_interval([score(i) for i in range(pairs)], confidence=card.confidence)


def mig_of_fits(encode=None, *, fits: int = 10) -> Estimate:
    images, factors = images_and_factors()

    def score(number: int) -> float:
        codes = images[5_000:] @ bootstrap(generator(claim=PCA.id, fit=number)) if encode is None else encode(factors)
        return float(mig(Sample(codes[-5_000:], factors[-5_000:])))

    return mean_interval([score(i) for i in range(fits)], confidence=PCA_ENTANGLED.confidence)


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


def advantage_of_reliable_setting(*, best_mixing: float = 0.0, classes: int = 8, size: int = 6) -> Estimate:
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

    return mean_interval([advantage(i) for i in range(classes)], confidence=SUITABLE_TELLS.confidence)


# ------------------------------------------------------------------ codes that are no monotone scalars
def categories(factors: np.ndarray, stream: np.random.Generator) -> np.ndarray:
    return np.stack([stream.permutation(10)[(10 * column).astype(int)] for column in factors.T], axis=1).astype(float)


def phases(factors: np.ndarray, stream: np.random.Generator) -> np.ndarray:
    return (factors + stream.uniform(size=factors.shape[1])) % 1


def planes(factors: np.ndarray, stream: np.random.Generator) -> np.ndarray:
    turns = 2 * np.pi * (factors[:, :3] + stream.uniform(size=3))
    return np.hstack([np.cos(turns), np.sin(turns)])


def monotone(factors: np.ndarray, stream: np.random.Generator) -> np.ndarray:
    return factors ** stream.uniform(0.5, 2, size=factors.shape[1])


def udr_of_pairs(card: Claim, encode, relation: str, *, pairs: int = 30, n: int = 400) -> Estimate:
    def score(pair: int) -> float:
        stream = generator(claim=card.id, part=card.part, pair=pair)
        factors = stream.uniform(size=(n, 5))
        codes = np.stack([encode(factors, stream) for _ in range(2)])
        return mean_udr(codes + 0.01 * stream.standard_normal(codes.shape), relation)

    return mean_interval([score(i) for i in range(pairs)], confidence=card.confidence)


def udr_of_shift(shift: float) -> Estimate:
    return exact(abs(1 - 6 * shift * (1 - shift)))


def mig_of_models(encode, *, models: int = 5, n: int = 3_000) -> Estimate:
    def score(number: int) -> float:
        stream = generator(claim=DISENTANGLED.id, model=number)
        factors = stream.uniform(size=(n, 5))
        return float(mig(Sample(encode(factors, stream), (10 * factors).astype(int))))

    return mean_interval([score(i) for i in range(models)], confidence=DISENTANGLED.confidence)


# ------------------------------------------------------------------ comparisons that ignore axes
def cca(first: np.ndarray, second: np.ndarray) -> float:
    bases = [np.linalg.qr(codes - codes.mean(axis=0))[0] for codes in (first, second)]
    return float(np.linalg.svd(bases[0].T @ bases[1], compute_uv=False).mean())


def rsm(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(pdist(first), pdist(second))[0, 1])


def lasso_udr(first: np.ndarray, second: np.ndarray) -> float:
    return mean_udr(np.stack([first, second]), "lasso")


def preference(compare, *, mixing: float = 1.0, samples: int = 8, n: int = 300) -> Estimate:
    def one(number: int) -> float:
        stream = generator(claim=BLIND.id, sample=number)
        straight, other, rotated = mixed_models(uniform_factors(n, 5, stream), [0, 0, mixing], stream)
        return compare(straight, other) - compare(straight, rotated)

    return mean_interval([one(i) for i in range(samples)], confidence=BLIND.confidence)


@PCA.covers
@RELATIONS
def test_two_fits_of_pca_agree(judge, relation):
    judge(PCA, udr_of_fits(PCA, relation))


@PCA_SAME.covers
@RELATIONS
def test_pca_of_the_same_images_agrees_with_itself(judge, relation):
    judge(PCA_SAME, udr_of_fits(PCA_SAME, relation, repeated))


@PCA_ENTANGLED.covers
def test_components_are_entangled(judge):
    judge(PCA_ENTANGLED, mig_of_fits())


@SUITABLE.covers
def test_a_deterministic_method_transfers_always(judge):
    judge(SUITABLE, probability_of_tables(SUITABLE, 0.0))


@SUITABLE_VARIED.covers
def test_a_method_with_seeds_does_not_transfer_always(judge):
    judge(SUITABLE_VARIED, probability_of_tables(SUITABLE_VARIED, 0.5))


@SUITABLE_TELLS.covers
def test_a_probability_of_one_condemns_udr(judge):
    judge(SUITABLE_TELLS, advantage_of_reliable_setting())


@CATEGORIES.covers
@RELATIONS
def test_categories_in_another_order_score_low(judge, relation):
    judge(CATEGORIES, udr_of_pairs(CATEGORIES, categories, relation))


@PHASES.covers
@RELATIONS
def test_angles_from_another_origin_score_low(judge, relation):
    judge(PHASES, udr_of_pairs(PHASES, phases, relation))


@PHASE_EXACT.covers
def test_angles_a_fifth_of_a_turn_apart_score_nothing(judge):
    judge(PHASE_EXACT, udr_of_shift((3 - np.sqrt(3)) / 6))


@PLANES.covers
@RELATIONS
def test_angles_as_planes_score_low(judge, relation):
    judge(PLANES, udr_of_pairs(PLANES, planes, relation))


@DISENTANGLED.covers
@pytest.mark.parametrize("encode", [categories, phases], ids=["categories", "angles"])
def test_mig_sees_one_code_for_each_factor(judge, encode):
    judge(DISENTANGLED, mig_of_models(encode))


@BLIND.covers
def test_canonical_correlations_ignore_axes(judge):
    judge(BLIND, preference(cca))


@RSM_BLIND.covers
def test_similarity_matrices_ignore_axes(judge):
    judge(RSM_BLIND, preference(rsm))


@UDR_SEES.covers
def test_udr_sees_axes(judge):
    judge(UDR_SEES, preference(lasso_udr))
