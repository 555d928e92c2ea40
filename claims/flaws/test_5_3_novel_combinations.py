"""Correcting Flaws, section 5.3 and appendix D: which metric goes with novel combinations, of systems trained here."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from dbench.claims import Claim, above
from dbench.claims.population import Population
from dbench.claims.relations import relations_of
from dbench.claims.systems import Points, correlation_over_systems, lead_over_systems
from dbench.claims.zoo_statistics import settings_of
from dbench.metrics.aggregations import completeness_per_factor, gap_per_factor
from dbench.metrics.novel_combinations import adjust_for_chance
from dbench.stats import Estimate, smallest_of

# Trained beside the six systems, and none of them: it is supervised throughout, and stands apart in the paper too.
SUPERVISED = "mtd"
# Number of values of dSprites' first two factors, whose combinations are left out.
SHAPE_AND_SCALE = {0: 3, 1: 6}
OWN = ("snc", "nk")
D, C, I = "dci", "dci.completeness", "dci.informativeness"  # noqa: E741
EXISTING = {"mig": ("mig",), "sap": ("sap",), "irs": ("irs",), "d": (D,), "c": (C,), "i": (I,), "med": ("med",)}
EXISTING |= {"dci": (D, C, I)}
# How SNC and NK are summed up: over shape and size, as in Table 4, or over all factors like the other metrics.
VERSIONS = ("product of shape and size", "average over factors")
ACCURACY = ("adjusted", "as it is")

ONE_DATA_SET = (
    "The paper's points are six systems on three data sets, or on 3dshapes; these are the six on dSprites, of which it "
    "expects no correlation, performance being rarely above chance there."
)
BOTH = (
    "Judged with the accuracy adjusted as in Table 3, which is 0 at chance and below, and as it is: systems at chance "
    "differ in the second alone. Where no system is above chance, the first leaves the claim open."
)
SAME_RUNS = "Metrics are those of the runs that were trained without a combination."
OTHER_SYSTEMS = (
    "Rev. 2: the interval is for other systems and combinations (Fisher's z over systems, the jackknife over "
    "combinations, added in squares). Before, combinations alone were resampled, the six systems held fixed: of worlds "
    "false by a hair with systems drawn anew 36 to 44% came out reproduced."
)
FOREST = "D, C and I by a random forest instead of boosted trees; DCI is their mean."
SHARED = (OTHER_SYSTEMS, ONE_DATA_SET, BOTH, SAME_RUNS, FOREST)
# Of normal values, where the two metrics correlate by 0.6 with each other.
SETTLED_BY = "Six systems leave this open: a true lead of {lead}, would be found eight times in ten among {systems}."

CORRELATES = Claim(
    id="flaws.cg-correlation",
    part="trained models, correlates",
    where="5.3, Table 4",
    says="A metric correlates with performance on novel combinations, at least weakly.",
    evidence="zoo",
    kind="direction",
    population="six systems trained without one combination of shape and size at a time, one strength each",
    deviations=(
        "'At least weakly' is read as above 0.1.",
        "Of six systems a correlation of 0.85 at least can be told from 0.1, and what is weaker stays open: a true one "
        "of 0.57, as printed for MIG, would be found eight times in ten among 27 systems.",
        *SHARED,
    ),
    unit="system",
    statistic="Pearson correlation over systems of means over runs and combinations: metric with accuracy",
    rule=above(0.1),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=2,
    superseded_by=None,
)
SNC_MOST = replace(
    CORRELATES,
    part="trained models, snc most",
    where="5.3, Tables 3, 4, 7, 8, appendix G",
    says="SNC correlates most with performance on novel combinations.",
    kind="ranking",
    deviations=(SETTLED_BY.format(lead="0.28, as printed (.850 against .571)", systems="some 45"), *SHARED),
    statistic="correlation of SNC minus the largest of NK, MIG, SAP, IRS, D, C, I, MED and DCI",
    # A twentieth: less is no lead.
    rule=above(0.05),
)
NK_SECOND = replace(
    SNC_MOST,
    part="trained models, nk second",
    says="NK correlates more than every existing metric.",
    deviations=(SETTLED_BY.format(lead="0.145, as printed (.716 against .571)", systems="some 330"), *SHARED),
    statistic="correlation of NK minus the largest of MIG, SAP, IRS, D, C, I, MED and DCI",
)
OVER_D = replace(
    SNC_MOST,
    id="flaws.c-and-i-over-d",
    part="trained models",
    where="5.3, last paragraph, Table 4",
    says="Completeness and informativeness predict performance on novel combinations better than D does.",
    deviations=(SETTLED_BY.format(lead="0.35, as printed (.819 against .472)", systems="some 30"), *SHARED),
    statistic="correlation of C or I minus that of D",
)
NO_BETTER = replace(
    SNC_MOST,
    id="flaws.restricted-metrics-no-better",
    part="trained models",
    where="5.3, appendix D, Table 6",
    says="Existing metrics of shape and size alone, as mean or product, stay less predictive than SNC and NK.",
    deviations=(
        SETTLED_BY.format(lead="0.22, as printed (.850 against .626)", systems="some 65"),
        *SHARED,
        "MIG, SAP and C; the accuracy of I is not kept by factor.",
    ),
    statistic="correlation of SNC or NK (products) minus the largest of MIG, SAP and C, as mean and as product",
)


def systems(population: Population) -> list[str]:
    return [name for name in population.objectives if name != SUPERVISED]


@lru_cache(maxsize=64)
def means(population: Population, score: str) -> np.ndarray:
    """Return a score's mean over runs, combinations x systems."""
    columns = [settings_of(population, score, objectives=[name]).mean(axis=1) for name in systems(population)]
    return np.stack(columns, axis=1)


def accuracy(population: Population, scale: str) -> Points:
    """Accuracy on novel combinations; averaged first, then adjusted."""
    found, guessing = means(population, "novel.mlp"), means(population, "novel.chance")[0, 0]
    if scale == ACCURACY[1]:
        return lambda kept: found[kept].mean(axis=0)
    return lambda kept: np.array([adjust_for_chance(mean, guessing) for mean in found[kept].mean(axis=0)])


def product_of(tables: Iterable[np.ndarray]) -> Points:
    """Product of the means of several tables; a negative mean (NK) counts as 0, so that two give no credit."""
    found = list(tables)
    return lambda kept: np.prod([np.maximum(table[kept].mean(axis=0), 0.0) for table in found], axis=0)


def mean_of(tables: Iterable[np.ndarray]) -> Points:
    found = np.mean(list(tables), axis=0)
    return lambda kept: found[kept].mean(axis=0)


def metric(population: Population, name: str, version: str = VERSIONS[1]) -> Points:
    if name in OWN and version == VERSIONS[0]:
        return product_of(means(population, f"{name}.{factor}") for factor in SHAPE_AND_SCALE)
    return mean_of(means(population, part) for part in EXISTING.get(name, (name,)))


@lru_cache(maxsize=1)
def restricted(population: Population) -> dict[str, Points]:
    """Return the metrics that can be taken of shape and size alone, as mean and as product.

    Read off every run's own relation matrices, as MIG, SAP and completeness read them.
    """
    read = {
        "mig": ("mutual_information", lambda matrix: gap_per_factor(matrix)[:2] / np.log([*SHAPE_AND_SCALE.values()])),
        "sap": ("predictability", gap_per_factor),
        "c": ("importance", completeness_per_factor),
    }
    found = {}
    for name, (kind, aggregate) in read.items():
        matrices = np.stack([relations_of(population, kind, objectives=[s]) for s in systems(population)], axis=1)
        flat = [aggregate(matrix)[:2] for matrix in matrices.reshape(-1, *matrices.shape[3:])]
        tables = np.array(flat).reshape(*matrices.shape[:3], 2).mean(axis=2)
        factors = [tables[..., factor] for factor in SHAPE_AND_SCALE]
        found |= {f"{name}, product": product_of(factors), f"{name}, mean": mean_of(factors)}
    return found


def correlate(population: Population, score: Points, scale: str) -> Estimate:
    """Correlation with performance."""
    return correlation_over_systems(population, score, accuracy(population, scale), confidence=CORRELATES.confidence)


def smallest_lead(population: Population, own: Points, others: Iterable[Points], scale: str, claim: Claim) -> Estimate:
    """How far a metric's correlation with performance exceeds every other's."""
    performance, rest = accuracy(population, scale), list(others)

    def leads(level: float) -> list[Estimate]:
        return [lead_over_systems(population, performance, own, other, confidence=level) for other in rest]

    return smallest_of(leads, confidence=claim.confidence)


def lead_of_snc(population: Population, version: str, scale: str) -> Estimate:
    others = [metric(population, "nk", version), *(metric(population, name) for name in EXISTING)]
    return smallest_lead(population, metric(population, "snc", version), others, scale, SNC_MOST)


def lead_of_nk(population: Population, version: str, scale: str) -> Estimate:
    others = [metric(population, name) for name in EXISTING]
    return smallest_lead(population, metric(population, "nk", version), others, scale, NK_SECOND)


def lead_over_d(population: Population, part: str, scale: str) -> Estimate:
    return smallest_lead(population, metric(population, part), [metric(population, "d")], scale, OVER_D)


def lead_over_restricted(population: Population, own: str, scale: str) -> Estimate:
    ours = metric(population, own, VERSIONS[0])
    return smallest_lead(population, ours, restricted(population).values(), scale, NO_BETTER)


@CORRELATES.covers
@pytest.mark.parametrize("scale", ACCURACY)
@pytest.mark.parametrize(
    ("name", "version"),
    [*((name, version) for name in OWN for version in VERSIONS), *((name, VERSIONS[1]) for name in EXISTING)],
)
def test_a_metric_correlates_with_novel_combinations(judge, left_out, name, version, scale):
    study = left_out("dsprites")
    estimate = correlate(study, metric(study, name, version), scale)
    judge(CORRELATES, estimate, population=study.name, deviations=study.deviations)


@SNC_MOST.covers
@pytest.mark.parametrize("scale", ACCURACY)
@pytest.mark.parametrize("version", VERSIONS)
def test_snc_correlates_most(judge, left_out, version, scale):
    study = left_out("dsprites")
    judge(SNC_MOST, lead_of_snc(study, version, scale), population=study.name, deviations=study.deviations)


@NK_SECOND.covers
@pytest.mark.parametrize("scale", ACCURACY)
@pytest.mark.parametrize("version", VERSIONS)
def test_nk_correlates_more_than_existing_metrics(judge, left_out, version, scale):
    study = left_out("dsprites")
    judge(NK_SECOND, lead_of_nk(study, version, scale), population=study.name, deviations=study.deviations)


@OVER_D.covers
@pytest.mark.parametrize("scale", ACCURACY)
@pytest.mark.parametrize("part", ["c", "i"])
def test_completeness_and_informativeness_predict_better_than_d(judge, left_out, part, scale):
    study = left_out("dsprites")
    judge(OVER_D, lead_over_d(study, part, scale), population=study.name, deviations=study.deviations)


@NO_BETTER.covers
@pytest.mark.parametrize("scale", ACCURACY)
@pytest.mark.parametrize("own", OWN)
def test_restricted_metrics_are_no_better(judge, left_out, own, scale):
    study = left_out("dsprites")
    judge(NO_BETTER, lead_over_restricted(study, own, scale), population=study.name, deviations=study.deviations)
