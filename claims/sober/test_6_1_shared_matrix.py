"""A Sober Look, sections 6.1.1 and 6.1.2: aggregations compared on one factor-code matrix, and matrices under one."""

from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pytest

from dbench.claims import Claim, above, below
from dbench.claims.correlations import Correlation, from_correlations
from dbench.claims.population import Population
from dbench.claims.zoo_statistics import agreement_gap_between
from dbench.stats import Estimate, largest_of, smallest_of

MATRICES = ("importance", "mutual_information", "predictability")
FAMILY = ("dci_completeness", "mig", "sap")
OTHERS = (*FAMILY, "dci_disentanglement")
RANKED = ("dci_disentanglement", "mig", "modularity", "sap")
FOREST = "Importances are those of a random forest instead of boosted trees."
A_TENTH = "A tenth is the least difference of two correlations that deserves the sentence."

# ------------------------------------------------------------------ aggregations of one matrix
FAMILY_AGREES = Claim(
    id="sober.same-matrix-families",
    part="family agrees",
    where="6.1.1, Figures 15 and 16",
    says="Computed on one matrix, MIG, SAP and DCI completeness agree strongly with each other.",
    evidence="zoo",
    kind="ranking",
    population="all runs: objectives, strengths and seeds; one matrix at a time",
    deviations=(FOREST, "'Strongly' is read as above 0.5 (Cohen's 'large')."),
    unit="seed",
    statistic="smallest Spearman correlation among MIG, SAP and DCI completeness on one matrix, all models pooled",
    rule=above(0.5),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="all",
    revision=1,
    superseded_by=None,
)
DISENTANGLEMENT_LESS = replace(
    FAMILY_AGREES,
    part="disentanglement less",
    says="On one matrix MIG, SAP and DCI completeness agree less with DCI disentanglement than with each other.",
    deviations=(FOREST, A_TENTH),
    statistic="mean Spearman correlation within MIG, SAP, DCI completeness minus theirs with DCI disentanglement",
    rule=above(0.1),
)
MODULARITY_VARIES = replace(
    FAMILY_AGREES,
    part="modularity varies",
    says="How much Modularity agrees with the other aggregations depends strongly on the matrix.",
    population="all runs: objectives, strengths and seeds",
    deviations=(FOREST, "'Varies dramatically' is read as by more than 0.3, the step from weak to strong."),
    statistic="largest difference between matrices in the mean Spearman correlation of Modularity with the other four",
    rule=above(0.3),
)

# ------------------------------------------------------------------ why MIG is like DCI
OWN_MATRICES = replace(
    FAMILY_AGREES,
    id="sober.mig-sap-gap-from-matrix",
    part="own matrices",
    where="6.1.1, Figure 13",
    says="With matrices of their own MIG ranks models more like DCI disentanglement than like SAP.",
    population="all runs: objectives, strengths and seeds",
    deviations=(FOREST, A_TENTH, "The paper compares printed correlations by eye."),
    statistic="Spearman of MIG with DCI disentanglement minus Spearman of MIG with SAP, all models pooled",
    rule=above(0.1),
)
SHARED_MATRIX = replace(
    OWN_MATRICES,
    part="shared matrix",
    where="6.1.1, 6.1.2, Figures 16 and 17",
    says="On a shared matrix MIG ranks models more like SAP than like DCI disentanglement.",
    population="all runs: objectives, strengths and seeds; one matrix at a time",
    statistic="Spearman of MIG with SAP minus Spearman of MIG with DCI disentanglement, on one matrix",
)

# ------------------------------------------------------------------ one aggregation on several matrices
RANKING_CHANGES = replace(
    FAMILY_AGREES,
    id="sober.matrix-changes-ranking",
    part="ranking changes",
    where="6.1.2, Figure 20",
    says="With the aggregation held fixed, changing the matrix changes the ranking of models.",
    population="all runs: objectives, strengths and seeds; one aggregation at a time",
    deviations=(FOREST, "'Changes' is read as a mean rank correlation below 0.9: a score computed twice reaches more."),
    statistic="mean Spearman correlation of one aggregation between two of three matrices, all models pooled",
    rule=below(0.9),
    rollup="each",
)
GAPS_WITHSTAND = replace(
    RANKING_CHANGES,
    part="gaps withstand",
    says="The aggregations of MIG and SAP withstand a change of the matrix better than those of DCI and Modularity.",
    population="all runs: objectives, strengths and seeds",
    deviations=(FOREST, A_TENTH, "'Overall' is read as on average over the two of either kind."),
    statistic="mean Spearman correlation between matrices of MIG and SAP minus that of DCI and Modularity",
    rule=above(0.1),
)


def blend(matrix: str, aggregation: str) -> str:
    return f"blend.{matrix}.{aggregation}"


def agreement_within_family(population: Population, matrix: str) -> Estimate:
    names = [blend(matrix, aggregation) for aggregation in FAMILY]
    return smallest_of(
        lambda level: from_correlations(
            population, names, lambda rho: [rho(a, b) for a, b in combinations(names, 2)], confidence=level
        ),
        confidence=FAMILY_AGREES.confidence,
    )


def shortfall_of_disentanglement(population: Population, matrix: str) -> Estimate:
    family, other = [blend(matrix, a) for a in FAMILY], blend(matrix, "dci_disentanglement")
    (gap,) = from_correlations(
        population,
        [*family, other],
        lambda rho: [
            float(np.mean([rho(a, b) for a, b in combinations(family, 2)]) - np.mean([rho(a, other) for a in family]))
        ],
        confidence=DISENTANGLEMENT_LESS.confidence,
    )
    return gap


def range_of_modularity(population: Population) -> Estimate:
    """Largest of the signed differences between two matrices, so of the range; looking for it is paid for."""
    names = [blend(matrix, aggregation) for matrix in MATRICES for aggregation in (*OTHERS, "modularity")]

    def differences(rho: Correlation) -> list[float]:
        means = [np.mean([rho(blend(m, "modularity"), blend(m, other)) for other in OTHERS]) for m in MATRICES]
        return [float(a - b) for a, b in permutations(means, 2)]

    return largest_of(
        lambda level: from_correlations(population, names, differences, confidence=level),
        confidence=MODULARITY_VARIES.confidence,
    )


def lead_of_dci(population: Population) -> Estimate:
    return agreement_gap_between(population, "mig", "dci", "sap", confidence=OWN_MATRICES.confidence)


def lead_of_sap(population: Population, matrix: str) -> Estimate:
    names = [blend(matrix, aggregation) for aggregation in ("mig", "sap", "dci_disentanglement")]
    return agreement_gap_between(population, *names, confidence=SHARED_MATRIX.confidence)


def agreement_between_matrices(population: Population, aggregation: str) -> Estimate:
    names = [blend(matrix, aggregation) for matrix in MATRICES]
    (mean,) = from_correlations(
        population,
        names,
        lambda rho: [float(np.mean([rho(a, b) for a, b in combinations(names, 2)]))],
        confidence=RANKING_CHANGES.confidence,
    )
    return mean


def lead_of_gaps(population: Population) -> Estimate:
    names = [blend(matrix, aggregation) for matrix, aggregation in product(MATRICES, RANKED)]

    def lead(rho: Correlation) -> list[float]:
        def robustness(*aggregations: str) -> float:
            pairs = [(blend(a, of), blend(b, of)) for of in aggregations for a, b in combinations(MATRICES, 2)]
            return float(np.mean([rho(*pair) for pair in pairs]))

        return [robustness("mig", "sap") - robustness("dci_disentanglement", "modularity")]

    (gap,) = from_correlations(population, names, lead, confidence=GAPS_WITHSTAND.confidence)
    return gap


@FAMILY_AGREES.covers
@pytest.mark.parametrize("matrix", MATRICES)
def test_mig_sap_and_completeness_agree_on_one_matrix(judge, unsupervised, matrix):
    estimate = agreement_within_family(unsupervised, matrix)
    judge(FAMILY_AGREES, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@DISENTANGLEMENT_LESS.covers
@pytest.mark.parametrize("matrix", MATRICES)
def test_disentanglement_agrees_less_with_them_on_one_matrix(judge, unsupervised, matrix):
    estimate = shortfall_of_disentanglement(unsupervised, matrix)
    judge(DISENTANGLEMENT_LESS, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@MODULARITY_VARIES.covers
def test_the_agreement_of_modularity_changes_with_the_matrix(judge, unsupervised):
    estimate = range_of_modularity(unsupervised)
    judge(MODULARITY_VARIES, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@OWN_MATRICES.covers
def test_mig_is_more_like_dci_than_like_sap(judge, unsupervised):
    judge(OWN_MATRICES, lead_of_dci(unsupervised), population=unsupervised.name, deviations=unsupervised.deviations)


@SHARED_MATRIX.covers
@pytest.mark.parametrize("matrix", MATRICES)
def test_mig_is_more_like_sap_on_one_matrix(judge, unsupervised, matrix):
    estimate = lead_of_sap(unsupervised, matrix)
    judge(SHARED_MATRIX, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@RANKING_CHANGES.covers
@pytest.mark.parametrize("aggregation", RANKED)
def test_the_matrix_changes_the_ranking_of_models(judge, unsupervised, aggregation):
    estimate = agreement_between_matrices(unsupervised, aggregation)
    judge(RANKING_CHANGES, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@GAPS_WITHSTAND.covers
def test_gaps_withstand_a_change_of_the_matrix_better(judge, unsupervised):
    judge(GAPS_WITHSTAND, lead_of_gaps(unsupervised), population=unsupervised.name, deviations=unsupervised.deviations)
