"""UDR, limitation 3 and related work: agreement of axes presumes monotone scalars, and is what others do not see."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from dbench.claims import Claim, above, below, within
from dbench.codes import Sample
from dbench.constructions.model_sets import mixed_models, uniform_factors
from dbench.estimates.agreements import mean_udr
from dbench.metrics import mig
from dbench.seeds import generator
from dbench.stats import exact, mean_of

FIFTH = (3 - np.sqrt(3)) / 6
# UDR is the Lasso variant unless the paper says otherwise.
LASSO_ALONE = {"spearman": "cell"}
RELATIONS = pytest.mark.parametrize("relation", ["lasso", "spearman"])


def categories(factors, stream):
    return np.stack([stream.permutation(10)[(10 * column).astype(int)] for column in factors.T], axis=1).astype(float)


def phases(factors, stream):
    return (factors + stream.uniform(size=factors.shape[1])) % 1


def planes(factors, stream):
    turns = 2 * np.pi * (factors[:, :3] + stream.uniform(size=3))
    return np.hstack([np.cos(turns), np.sin(turns)])


def monotone(factors, stream):
    return factors ** stream.uniform(0.5, 2, size=factors.shape[1])


def udr_of_pairs(card, encode, relation, pairs):
    def score(pair):
        stream = generator(claim=card.id, part=card.part or "categories", pair=pair)
        factors = stream.uniform(size=(400, 5))
        codes = np.stack([encode(factors, stream) for _ in range(2)])
        return mean_udr(codes + 0.01 * stream.standard_normal(codes.shape), relation)

    return mean_of([score(i) for i in range(pairs)])


def cca(first, second):
    bases = [np.linalg.qr(codes - codes.mean(axis=0))[0] for codes in (first, second)]
    return float(np.linalg.svd(bases[0].T @ bases[1], compute_uv=False).mean())


def rsm(first, second):
    return float(np.corrcoef(pdist(first), pdist(second))[0, 1])


def lasso_udr(first, second):
    return mean_udr(np.stack([first, second]), "lasso")


def preference(compare, samples):
    def one(number):
        stream = generator(claim=BLIND.id, sample=number)
        straight, other, rotated = mixed_models(uniform_factors(300, 5, stream), [0, 0, 1.0], stream)
        return compare(straight, other) - compare(straight, rotated)

    return mean_of([one(i) for i in range(samples)])


CATEGORIES = Claim.synthetic(
    id="udr.monotone-scalar-assumption",
    quote="Continuous, monotonic and scalar factors [...] UDR assumes that these properties hold for the data "
    "generative factors and their representations.",
    where="limitation 3, continuous, monotonic and scalar factors",
    deviations=("The paper states the assumption; asked is what follows for models that do not meet it.",),
    population="five factors of ten values; each model copies each factor into a code, its values in random order",
    unit="pair",
    statistic="mean UDR",
    rule=below(0.212, null=0.607),
    source="paper: low",
    demonstration=True,
    given={"encode": categories, "pairs": 30},
    false={"encode": monotone, "pairs": 6},
    roles=LASSO_ALONE,
    revision=2,
)


@CATEGORIES.covers
@RELATIONS
def test_categories_in_another_order_score_low(relation, encode, pairs):
    return udr_of_pairs(CATEGORIES, encode, relation, pairs)


PHASES = CATEGORIES.cell(
    "angles",
    role="primary",
    population="five angles; each model measures each angle from an own origin",
    statistic="mean UDR",
    rule=below(0.212, null=0.607),
    given={"encode": phases, "pairs": 30},
    roles=LASSO_ALONE,
)


@PHASES.covers
@RELATIONS
def test_angles_from_another_origin_score_low(relation, encode, pairs):
    return udr_of_pairs(PHASES, encode, relation, pairs)


PHASE_EXACT = CATEGORIES.cell(
    "angles, exact",
    population="angles measured from origins a fifth of a turn apart (0.2113)",
    deviations=("For a shift of s turns the correlation is 1 - 6s(1 - s), zero at s = (3 - sqrt 3) / 6.",),
    unit="matrix",
    statistic="UDR by equation 2, whose relation matrix is the correlation times the identity",
    rule=below(0.212, null=0.607),
    min_n=1,
    given={"shift": FIFTH},
    false={"shift": 0.0},
)


@PHASE_EXACT.covers
def test_angles_a_fifth_of_a_turn_apart_score_nothing(shift):
    return exact(abs(1 - 6 * shift * (1 - shift)))


PLANES = CATEGORIES.cell(
    "planes",
    role="primary",
    says="UDR assumes scalar factors and representations: models of two codes for each factor score low together.",
    population="three angles as cosine and sine; each model turns each plane by an own phase",
    deviations=("No scalar: two codes for a factor, disentangled as groups.",),
    statistic="mean UDR",
    rule=below(0.212, null=0.607),
    given={"encode": planes, "pairs": 30},
    roles=LASSO_ALONE,
)


@PLANES.covers
@RELATIONS
def test_angles_as_planes_score_low(relation, encode, pairs):
    return udr_of_pairs(PLANES, encode, relation, pairs)


DISENTANGLED = CATEGORIES.cell(
    "disentangled",
    quote="",
    says="These models are disentangled: MIG sees one code for each factor.",
    deviations=(),
    unit="model",
    statistic="mean MIG",
    rule=above(0.95, null=0.0),
    source="lexicon: perfect",
    given={"models": 5},
    false={"encode": planes},
)


@DISENTANGLED.covers
@pytest.mark.parametrize("encode", [categories, phases], ids=["categories", "angles"])
def test_mig_sees_one_code_for_each_factor(encode, models):
    def score(number):
        stream = generator(claim=DISENTANGLED.id, model=number)
        factors = stream.uniform(size=(3_000, 5))
        return float(mig(Sample(encode(factors, stream), (10 * factors).astype(int))))

    return mean_of([score(i) for i in range(models)])


BLIND = Claim.synthetic(
    id="udr.affine-invariant-comparisons-blind",
    quote="These approaches, however, tend to be invariant to invertible affine transformations and therefore to the "
    "axis alignment of individual neurons, which makes them unsuitable for evaluating disentangling quality.",
    population="a disentangled model beside another, and beside its rotation; draws varied",
    deviations=("Mean canonical correlation.",),
    statistic="similarity of two disentangled models minus that of a disentangled and a rotated one",
    rule=within(-0.02, 0.02),
    source="lexicon: equal, of samples",
    demonstration=True,
    given={"compare": cca, "samples": 8},
    false={"compare": lasso_udr},
    revision=2,
)


@BLIND.covers
def test_canonical_correlations_ignore_axes(compare, samples):
    return preference(compare, samples)


RSM_BLIND = BLIND.cell(
    "rsm",
    role="primary",
    quote="This technique, however, is not applicable for measuring disentangling, because it ignores dimension-wise "
    "response properties.",
    says="Representational similarity matrices do not tell a disentangled model from a rotated one.",
    deviations=("Correlation of all pairwise Euclidean distances.",),
    statistic="similarity of two disentangled models minus that of a disentangled and a rotated one",
    rule=within(-0.02, 0.02),
    given={"compare": rsm, "samples": 8},
)


@RSM_BLIND.covers
def test_similarity_matrices_ignore_axes(compare, samples):
    return preference(compare, samples)


UDR_SEES = BLIND.cell(
    "udr",
    quote="",
    says="UDR tells a disentangled model from a rotated one.",
    deviations=(),
    statistic="similarity of two disentangled models minus that of a disentangled and a rotated one",
    rule=above(0.395, null=0.0),
    source="paper: high minus low",
    given={"compare": lasso_udr, "samples": 8},
    false={"compare": rsm},
)


@UDR_SEES.covers
def test_udr_sees_axes(compare, samples):
    return preference(compare, samples)
