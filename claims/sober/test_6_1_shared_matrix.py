"""A Sober Look, sections 6.1.1 and 6.1.2: aggregations compared on one factor-code matrix, and matrices under one."""

from functools import partial
from itertools import combinations, permutations, product

import numpy as np
import pytest

from dbench.claims import EVERY_PART, Claim, above, below, every_part
from dbench.estimates.correlations import from_correlations
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_statistics import agreement_gap_between
from dbench.stats import largest_of, smallest_of

MATRICES = ("importance", "mutual_information", "predictability")
FAMILY = ("dci_completeness", "mig", "sap")
OTHERS = (*FAMILY, "dci_disentanglement")
RANKED = ("dci_disentanglement", "mig", "modularity", "sap")
SHARED = ("mig", "sap", "dci_disentanglement")
THREE_MATRICES = "all runs: objectives, strengths and seeds; three matrices"
ONE_MATRIX = "all runs: objectives, strengths and seeds; one matrix at a time"
FOREST = "Importances are those of a random forest instead of boosted trees."
OVERALL = "'Overall' is read as on average over the two aggregations of either kind."
STRONG, OTHERWISE, SAME_RANKING = 0.7, 0.7, 0.9


def blend(matrix, aggregation):
    return f"blend.{matrix}.{aggregation}"


BLENDS = [blend(matrix, aggregation) for matrix in MATRICES for aggregation in (*OTHERS, "modularity")]


def models(law):
    """Simulated models of which every metric and every aggregation on every matrix follows one law."""
    return {"unsupervised": Simulated(dict.fromkeys([*BLENDS, "dci", "mig", "sap"], law))}


ALIKE = Law(loads={"quality": 1.0}, noise=0.1)
# All agree but SAP on a shared matrix and DCI by a matrix of its own.
REVERSED = {
    "unsupervised": Simulated(
        dict.fromkeys([*BLENDS, "mig", "sap"], ALIKE)
        | dict.fromkeys(["dci", *(blend(m, "sap") for m in MATRICES)], Law())
    )
}


def within_family(rho, matrix):
    return [rho(blend(matrix, a), blend(matrix, b)) for a, b in combinations(FAMILY, 2)]


def shortfall(rho, matrix):
    others = [rho(blend(matrix, a), blend(matrix, "dci_disentanglement")) for a in ("mig", "sap")]
    return float(np.mean(within_family(rho, matrix)) - np.mean(others))


def between_matrices(rho, *aggregations):
    pairs = [(blend(a, of), blend(b, of)) for of in aggregations for a, b in combinations(MATRICES, 2)]
    return float(np.mean([rho(*pair) for pair in pairs]))


def lead_of_gaps(rho):
    return between_matrices(rho, "mig", "sap") - between_matrices(rho, "dci_disentanglement", "modularity")


FAMILIES = Claim.zoo(
    id="sober.same-matrix-families",
    quote="We note that MIG, SAP and DCI Completeness are always strongly correlated with each other when the matrix "
    "is the same. On the contrary, MIG/SAP and DCI Disentanglement are consistently less correlated on the same "
    "matrix.",
    population=THREE_MATRICES,
    deviations=(FOREST, "'Always' and 'consistently' are on each of three matrices."),
    statistic="smallest over matrices of two, all models pooled, each on a scale of which 1 is its bound: smallest "
    f"Spearman correlation within the three, above {STRONG}; their mean minus that of MIG and SAP with DCI "
    f"disentanglement, above 0",
    rule=EVERY_PART,
    source="lexicon: always strongly, consistently less",
    false=REVERSED,
    revision=5,
)


@FAMILIES.covers
def test_families_of_aggregations_agree_on_one_matrix(unsupervised):
    def parts(rho):
        return [*(pair for m in MATRICES for pair in within_family(rho, m)), *(shortfall(rho, m) for m in MATRICES)]

    rules = {f"{m}: {a} with {b}": above(STRONG, null=0.0) for m in MATRICES for a, b in combinations(FAMILY, 2)}
    rules |= {f"{m}: that minus MIG and SAP with DCI disentanglement": above(0.0) for m in MATRICES}
    return every_part(from_correlations(unsupervised, BLENDS, parts), rules)


FAMILY_AGREES = FAMILIES.cell(
    "family agrees",
    says="On one matrix every two of MIG, SAP and DCI completeness agree strongly.",
    population=ONE_MATRIX,
    statistic="smallest Spearman correlation among MIG, SAP and DCI completeness on one matrix, all models pooled",
    rule=above(STRONG, null=0.0),
    source="lexicon: strongly",
    bounds=(-1.0, 1.0),
    false=models(Law()),
)


@FAMILY_AGREES.covers
@pytest.mark.parametrize("matrix", MATRICES)
def test_mig_sap_and_completeness_agree_on_one_matrix(unsupervised, matrix):
    names = [blend(matrix, a) for a in FAMILY]
    return smallest_of(from_correlations(unsupervised, names, partial(within_family, matrix=matrix)))


DISENTANGLEMENT_LESS = FAMILIES.cell(
    "disentanglement less",
    says="On one matrix MIG and SAP agree less with DCI disentanglement than they and completeness with each other.",
    population=ONE_MATRIX,
    statistic="mean Spearman correlation within MIG, SAP, DCI completeness minus that of MIG and SAP with DCI "
    "disentanglement",
    rule=above(0.0),
    source="sign",
)


@DISENTANGLEMENT_LESS.covers
@pytest.mark.parametrize("matrix", MATRICES)
def test_disentanglement_agrees_less_with_them_on_one_matrix(unsupervised, matrix):
    def gap(rho):
        return [shortfall(rho, matrix)]

    return from_correlations(unsupervised, [blend(matrix, a) for a in OTHERS], gap)[0]


MODULARITY_VARIES = FAMILIES.cell(
    "modularity varies",
    role="primary",
    quote="The correlation between Modularity and the other scores varies dramatically depending on the matrix.",
    says="How much Modularity agrees with the other aggregations depends strongly on the matrix.",
    deviations=(FOREST,),
    statistic="largest difference between matrices in the mean Spearman correlation of Modularity with the other four",
    rule=above(0.5, null=0.0),
    source="lexicon: varies dramatically",
)


@MODULARITY_VARIES.covers
def test_the_agreement_of_modularity_changes_with_the_matrix(unsupervised):
    """Largest of the signed differences between two matrices, so of the range; looking for it is paid for."""

    def differences(rho):
        means = [np.mean([rho(blend(m, "modularity"), blend(m, other)) for other in OTHERS]) for m in MATRICES]
        return [float(a - b) for a, b in permutations(means, 2)]

    return largest_of(from_correlations(unsupervised, BLENDS, differences))


FROM_MATRIX = Claim.zoo(
    id="sober.mig-sap-gap-from-matrix",
    where="6.1.1, 6.1.2, Figures 13, 16 and 17",
    quote="This is not in contrast with Figure 13 where we observed MIG being more correlated with DCI Disentanglement "
    "rather than SAP Score. Indeed, the [...] dissimilarity between MIG and SAP depends on differences in the "
    "estimation of the matrix as we show in Section 6.1.2.",
    says="With matrices of their own MIG ranks models more like DCI disentanglement than like SAP, on a shared matrix "
    "more like SAP.",
    population=THREE_MATRICES,
    deviations=(FOREST, "The paper compares printed correlations by eye."),
    statistic="smaller of two leads in Spearman correlation with MIG, all models pooled: DCI disentanglement's over "
    "SAP's, each by its own matrix; SAP's over DCI disentanglement's on one matrix, mean over three",
    rule=above(0.0),
    source="sign",
    false=REVERSED,
    revision=3,
)


@FROM_MATRIX.covers
def test_mig_is_like_dci_by_its_own_matrix_and_like_sap_on_a_shared_one(unsupervised):
    def lead_of_sap(rho, matrix):
        mig, sap, dci = (blend(matrix, a) for a in SHARED)
        return rho(mig, sap) - rho(mig, dci)

    def leads(rho):
        return [rho("mig", "dci") - rho("mig", "sap"), float(np.mean([lead_of_sap(rho, m) for m in MATRICES]))]

    names = ["mig", "dci", "sap", *(blend(*b) for b in product(MATRICES, SHARED))]
    return smallest_of(from_correlations(unsupervised, names, leads))


OWN_MATRICES = FROM_MATRIX.cell(
    "own matrices",
    where="6.1.1, Figure 13",
    says="With matrices of their own MIG ranks models more like DCI disentanglement than like SAP.",
    statistic="Spearman of MIG with DCI disentanglement minus Spearman of MIG with SAP, all models pooled",
    rule=above(0.0),
)


@OWN_MATRICES.covers
def test_mig_is_more_like_dci_than_like_sap(unsupervised):
    return agreement_gap_between(unsupervised, "mig", "dci", "sap")


SHARED_MATRIX = FROM_MATRIX.cell(
    "shared matrix",
    where="6.1.1, 6.1.2, Figures 16 and 17",
    says="On a shared matrix MIG ranks models more like SAP than like DCI disentanglement.",
    statistic="Spearman of MIG with SAP minus Spearman of MIG with DCI disentanglement, on one matrix",
    rule=above(0.0),
)


@SHARED_MATRIX.covers
@pytest.mark.parametrize("matrix", MATRICES)
def test_mig_is_more_like_sap_on_one_matrix(unsupervised, matrix):
    return agreement_gap_between(unsupervised, *(blend(matrix, a) for a in SHARED))


MATRIX_MATTERS = Claim.zoo(
    id="sober.matrix-changes-ranking",
    where="6.1.2, Figure 20",
    quote="We observe in Figure 20 that the ranking seem to be generally different and the level of correlation "
    "appears to depend on the data set. Overall, the aggregation of SAP Score and MIG seem to be more robust to "
    "changes in the estimation matrix compared to Modularity and DCI Disentanglement.",
    says="Another matrix generally ranks models otherwise under the same aggregation, overall less so under MIG's and "
    "SAP's.",
    population=THREE_MATRICES,
    deviations=(FOREST, OVERALL),
    statistic="smaller of two, each on a scale of which 1 is its bound, from the Spearman correlation of an "
    f"aggregation between two of three matrices: the mean over four aggregations, below {OTHERWISE} (the same "
    f"ranking: {SAME_RANKING}); the mean of MIG and SAP minus that of DCI and Modularity, above 0",
    rule=EVERY_PART,
    source="lexicon: generally different, more robust",
    false=REVERSED,
    revision=4,
)


@MATRIX_MATTERS.covers
def test_the_matrix_matters_and_less_to_gaps(unsupervised):
    def parts(rho):
        return [between_matrices(rho, *RANKED), lead_of_gaps(rho)]

    rules = {
        "an aggregation between two matrices": below(OTHERWISE, null=SAME_RANKING),
        "of MIG and SAP minus of DCI and Modularity": above(0.0),
    }
    return every_part(from_correlations(unsupervised, BLENDS, parts), rules)


RANKING_CHANGES = MATRIX_MATTERS.cell(
    "ranking changes",
    says="With the aggregation held fixed, changing the matrix changes the ranking of models.",
    deviations=(FOREST,),
    statistic="mean Spearman correlation of one aggregation between two of three matrices, all models pooled",
    rule=below(OTHERWISE, null=SAME_RANKING),
    source="lexicon: generally different",
)


@RANKING_CHANGES.covers
@pytest.mark.parametrize("aggregation", RANKED)
def test_the_matrix_changes_the_ranking_of_models(unsupervised, aggregation):
    def mean(rho):
        return [between_matrices(rho, aggregation)]

    return from_correlations(unsupervised, [blend(matrix, aggregation) for matrix in MATRICES], mean)[0]


GAPS_WITHSTAND = MATRIX_MATTERS.cell(
    "gaps withstand",
    says="The aggregations of MIG and SAP withstand a change of the matrix better than those of DCI and Modularity.",
    statistic="mean Spearman correlation between matrices of MIG and SAP minus that of DCI and Modularity",
    rule=above(0.0),
    source="sign",
)


@GAPS_WITHSTAND.covers
def test_gaps_withstand_a_change_of_the_matrix_better(unsupervised):
    def lead(rho):
        return [lead_of_gaps(rho)]

    return from_correlations(unsupervised, BLENDS, lead)[0]
