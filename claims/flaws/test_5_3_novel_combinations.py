"""Correcting Flaws, section 5.3 and appendix D: which metric goes with novel combinations, of systems trained here.

All are probes: of dSprites alone, which is what we have, the paper says that there is 'no insight to be gained'.
"""

from functools import lru_cache

import numpy as np
import pytest

from dbench.claims import Claim, above
from dbench.estimates.relations import relations_of
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.systems import correlation_over_systems, lead_over_systems
from dbench.estimates.zoo_statistics import arrays_of, settings_of
from dbench.metrics.aggregations import completeness_per_factor, gap_per_factor
from dbench.stats import smallest_of

# Trained beside the six systems, and none of them: MTD is supervised throughout, and stands apart in the paper too.
OTHERS = ("mtd", "annealed_vae", "dip_vae_i", "dip_vae_ii")
SIX = ("beta_vae", "beta_tcvae", "factor_vae", "parted_vae", "parted_vae_semi", "weak_de")
# Number of values of dSprites' first two factors, whose combinations are left out.
SHAPE_AND_SCALE = {0: 3, 1: 6}
RELATIONS = [
    f"relation.{kind}.{factor}"
    for kind in ("mutual_information", "predictability", "importance")
    for factor in SHAPE_AND_SCALE
]
OWN = ("snc", "nk")
D, C, I = "dci", "dci.completeness", "dci.informativeness"  # noqa: E741
EXISTING = {"mig": ("mig",), "sap": ("sap",), "irs": ("irs",), "d": (D,), "c": (C,), "i": (I,), "med": ("med",)}
SCORES = [score for (score,) in EXISTING.values()]
EXISTING |= {"dci": (D, C, I)}
# How SNC and NK are summed up: over shape and size, as in Table 4, or over all factors like the other metrics.
PRODUCT, AVERAGE = VERSIONS = ("product of shape and size", "average over factors")
# Of normal values, where the two metrics correlate by 0.6 with each other.
SETTLED_BY = "Six systems leave this open: a true lead of {lead}, would be found eight times in ten among {systems}."
TRAINED = "six systems trained without one combination of shape and size at a time, one strength each"
POINTS = (
    "The paper's points are six systems on three data sets, or on 3dshapes; these are the six on dSprites, of "
    "which it expects no correlation, performance being rarely above chance there."
)
HERE = (
    "Metrics are those of the runs that were trained without a combination; accuracy is not set to 0 below chance.",
    "D, C and I by a random forest instead of boosted trees; DCI is their mean.",
)


def systems_of(population):
    return [name for name in population.objectives if name not in OTHERS]


@lru_cache(maxsize=64)
def means(population, name):
    """Return the mean over runs of a score, or of an array by factor, combinations x systems (x factors)."""
    read = arrays_of if name.endswith(".factor") else settings_of
    found = [read(population, name, objectives=[system]).mean(axis=1) for system in systems_of(population)]
    return np.stack(found, axis=1)


def average_of(tables):
    found = np.mean(list(tables), axis=0)

    def average(kept):
        return found[kept].mean(axis=0)

    return average


def product_of(tables):
    """Product of the means of several tables; a negative mean (NK) counts as 0, so that two give no credit."""
    found = list(tables)

    def product(kept):
        return np.prod([np.maximum(table[kept].mean(axis=0), 0.0) for table in found], axis=0)

    return product


def metric(population, name, version=AVERAGE):
    if name in OWN and version == PRODUCT:
        by_factor = means(population, f"{name}.factor")
        return product_of(by_factor[..., factor] for factor in SHAPE_AND_SCALE)
    return average_of(means(population, part) for part in EXISTING.get(name, (name,)))


def information_gap(matrix):
    return gap_per_factor(matrix)[:2] / np.log([*SHAPE_AND_SCALE.values()])


def restricted(population):
    """Return the metrics that can be taken of shape and size alone, as mean and as product.

    Read off every run's own relation matrices, as MIG, SAP and completeness read them.
    """
    read = {
        "mutual_information": information_gap,
        "predictability": gap_per_factor,
        "importance": completeness_per_factor,
    }
    systems = systems_of(population)
    found = []
    for kind, aggregate in read.items():
        matrices = np.stack([relations_of(population, kind, objectives=[name]) for name in systems], axis=1)
        flat = [aggregate(matrix)[:2] for matrix in matrices.reshape(-1, *matrices.shape[3:])]
        tables = np.array(flat).reshape(*matrices.shape[:3], 2).mean(axis=2)
        factors = [tables[..., factor] for factor in SHAPE_AND_SCALE]
        found += [product_of(factors), average_of(factors)]
    return found


def smallest_lead(population, pairs):
    """How far the first of each pair exceeds the second in its correlation with performance, where it does least."""
    accuracy = average_of([means(population, "novel.mlp")])
    return smallest_of([lead_over_systems(population, accuracy, own, other) for own, other in pairs])


def models(*, falling, rising=(), flat=()):
    """Simulated: two runs of six systems without each of five combinations; scores fall or rise with accuracy."""
    up, down = ({system: start + step * i for i, system in enumerate(SIX)} for start, step in ((0.1, 0.1), (0.6, -0.1)))
    laws = {score: Law(mean=up, noise=0.01) for score in ("novel.mlp", *rising)}
    laws |= {score: Law(mean=down, noise=0.01) for score in falling}
    laws |= {score: Law(mean=0.05, noise=0.0) for score in flat}
    return {"left_out": Simulated(laws, objectives=dict.fromkeys(SIX, (0.0, 1.0)), seeds=5)}


CORRELATES = Claim.zoo(
    id="flaws.cg-correlation",
    role="probe",
    part="one metric",
    says="A metric correlates with performance on novel combinations, at least weakly.",
    population=TRAINED,
    deviations=(
        POINTS,
        "Of six systems a correlation of 0.85 at least can be told from 0.1, and what is weaker stays open: a true one "
        "of 0.57, as printed for MIG, would be found eight times in ten among 27 systems.",
        *HERE,
    ),
    unit="system",
    # For other systems and combinations: Fisher's z over systems and the jackknife over combinations, in squares.
    statistic="Pearson correlation over systems of means over runs and combinations: metric with accuracy",
    rule=above(0.1, null=0.0),
    source="lexicon: weakly",
    false={"name": "mig", "version": AVERAGE} | models(falling=["mig"]),
    revision=5,
)


@CORRELATES.covers
@pytest.mark.parametrize(
    ("name", "version"),
    [*((name, version) for name in OWN for version in VERSIONS), *((name, AVERAGE) for name in EXISTING)],
)
def test_a_metric_correlates_with_novel_combinations(left_out, name, version):
    study = left_out("dsprites")
    accuracy = average_of([means(study, "novel.mlp")])
    return correlation_over_systems(study, metric(study, name, version), accuracy)


ORDER = CORRELATES.probe(
    "order",
    says="SNC correlates most with performance on novel combinations, and NK second most.",
    deviations=(
        SETTLED_BY.format(lead="0.28 of SNC, as printed (.850 against .571)", systems="some 45"),
        SETTLED_BY.format(lead="0.145 of NK, as printed (.716 against .571)", systems="some 330"),
        POINTS,
        *HERE,
    ),
    statistic="smallest step of the correlations: SNC minus NK, NK minus each of MIG, SAP, IRS, D, C, I, MED and DCI",
    # A twentieth: less is no lead.
    rule=above(0.05, null=0.0),
    false={"version": AVERAGE} | models(falling=["snc"], rising=["nk", *SCORES]),
)


@ORDER.covers
@pytest.mark.parametrize("version", VERSIONS)
def test_snc_correlates_most_and_nk_second_most(left_out, version):
    study = left_out("dsprites")
    snc, nk = (metric(study, own, version) for own in OWN)
    return smallest_lead(study, [(snc, nk), *((nk, metric(study, name)) for name in EXISTING)])


OVER_D = Claim.zoo(
    id="flaws.c-and-i-over-d",
    role="probe",
    says="Completeness and informativeness predict performance on novel combinations better than D does.",
    population=TRAINED,
    deviations=(SETTLED_BY.format(lead="0.35, as printed (.819 against .472)", systems="some 30"), POINTS, *HERE),
    unit="system",
    statistic="smaller correlation of C and I minus that of D",
    # A twentieth: less is no lead.
    rule=above(0.05, null=0.0),
    false=models(falling=[C, I], rising=[D]),
    revision=5,
)


@OVER_D.covers
def test_completeness_and_informativeness_predict_better_than_d(left_out):
    study = left_out("dsprites")
    c, i, d = (metric(study, part) for part in ("c", "i", "d"))
    return smallest_lead(study, [(c, d), (i, d)])


NO_BETTER = Claim.zoo(
    id="flaws.restricted-metrics-no-better",
    role="probe",
    says="Existing metrics of shape and size alone, as mean or product, stay less predictive than SNC and NK.",
    population=TRAINED,
    deviations=(
        SETTLED_BY.format(lead="0.22, as printed (.850 against .626)", systems="some 65"),
        POINTS,
        *HERE,
        "MIG, SAP and C; the accuracy of I is not kept by factor.",
    ),
    unit="system",
    statistic="smaller correlation of SNC and NK (products) minus the largest of MIG, SAP and C, as mean or product",
    # A twentieth: less is no lead.
    rule=above(0.05, null=0.0),
    false=models(
        falling=["snc.factor.0", "snc.factor.1", "nk.factor.0", "nk.factor.1"],
        rising=[f"{cell}.0" for cell in RELATIONS],
        flat=[f"{cell}.1" for cell in RELATIONS],
    ),
    revision=5,
)


@NO_BETTER.covers
def test_restricted_metrics_are_less_predictive(left_out):
    study = left_out("dsprites")
    ours, others = [metric(study, own, PRODUCT) for own in OWN], restricted(study)
    return smallest_lead(study, [(own, other) for own in ours for other in others])
