"""A Sober Look, sections 6 and 6.1.1: which metrics look at disentanglement, and which at compactness.

Scores are put on the scale from codes that hold nothing (0) to one-to-one codes (1), so that metrics compare.
"""

from functools import cache, partial

import numpy as np
import pytest

from dbench.claims import Claim, above, below
from dbench.constructions.relations import related
from dbench.metrics import beta_vae_metric, dci, factor_vae, irs, mig, modularity, sap
from dbench.metrics.aggregations import dci_disentanglement, mig_gap, sap_gap
from dbench.seeds import generator
from dbench.stats import exact, jackknife

HIGH, LOW, QUARTER = 0.75, 0.5, 0.25
ENDS = "From codes that hold nothing (0) to one-to-one codes (1), each end measured on draws of its own."
PLACE = "place of the mean score between codes that hold nothing and one-to-one codes"
LOSS = "share of the way from nothing to one-to-one that the mean score loses"
OWN_MATRIX = "'Penalise' is to take off more than a quarter of the way. Each metric has its own matrix."

OF_SOURCES = {
    "beta_vae_metric": partial(beta_vae_metric, train_points=2_000, test_points=2_000),
    "factor_vae": partial(factor_vae, train_votes=2_000, test_votes=2_000),
}
OF_SAMPLES = {"dci": dci, "irs": irs, "mig": mig, "modularity": modularity, "sap": sap}
OF_SAMPLES["sap[r2]"] = partial(sap, relation="r2")
AGGREGATIONS = {"dci": dci_disentanglement, "mig": partial(mig_gap, entropies=np.ones(4)), "sap": sap_gap}
# Rows are codes, columns factors.
MATRICES = {
    "one-to-many": np.vstack([np.eye(4), np.eye(4)]),
    "many-to-one": np.kron(np.eye(2), np.ones((1, 2))),
}
# The relation that has the property a metric looks at, and the one that lacks it. One-to-one codes have both: they are
# the upper end of the scale, and judging them by it would prove nothing.
LOOKS_AT = dict.fromkeys(("beta_vae_metric", "dci", "factor_vae", "irs", "modularity"), ("one-to-many", "many-to-one"))
LOOKS_AT |= dict.fromkeys(("mig", "sap"), ("many-to-one", "one-to-many"))
LOW_CELLS = [(m, r) for m, (_, lacks) in LOOKS_AT.items() for r in (lacks, "many-to-many")]
AS_IF_OF_DISENTANGLEMENT = {"metric": "mig", "looks_at": {"mig": ("one-to-many", "many-to-one")}}


@cache
def score(metric, relation, role, repetition):
    axes = {"claim": GROUPS.id, "metric": metric, "relation": relation, "role": role, "repetition": repetition}
    source, stream = related(relation), generator(**axes)
    if metric in OF_SOURCES:
        return float(OF_SOURCES[metric](source, generator=stream))
    sample = source.sample(250 if metric == "dci" else 10_000, stream)
    return float(OF_SAMPLES[metric](sample, generator=stream))


def place(metric, weights, *, start=0.0):
    """Start plus the weighted places of some relations: of their mean scores between the mean scores of both ends.

    A repetition draws the judged codes and both ends, so the error of the ends is in the interval.
    """
    rows = range(3 if metric == "dci" else 5)
    nothing = np.array([score(metric, "none", "end", i) for i in rows])
    best = np.array([score(metric, "one-to-one", "end", i) for i in rows])
    found = {relation: np.array([score(metric, relation, "judged", i) for i in rows]) for relation in weights}

    def place_of(kept):
        low, high = nothing[kept].mean(), best[kept].mean()
        return float(start + sum(w * (found[r][kept].mean() - low) / (high - low) for r, w in weights.items()))

    return jackknife(place_of, len(rows))


GROUPS = Claim.synthetic(
    id="sober.metric-groups",
    quote="Maintaining the terminology, the disentanglement scores in (Higgins et al., 2017a; Kim and Mnih, 2018; "
    "Ridgeway and Mozer, 2018; Eastwood and Williams, 2018; Suter et al., 2019) focus on disentanglement in the sense "
    "of (Eastwood and Williams, 2018) and (Chen et al., 2018; Kumar et al., 2018) on compactness.",
    says="BetaVAE, FactorVAE, Modularity, DCI and IRS score one-to-many relations higher than many-to-one, MIG and SAP "
    "the other way round.",
    population="four factors of four values, related to codes one-to-many and many-to-one; draws varied",
    deviations=(ENDS, "'Focus on' is a lead of more than a quarter of the way."),
    unit="repetition",
    statistic=f"{PLACE}: on the relation that has the property minus on the one that lacks it",
    rule=above(QUARTER, null=0.0),
    source="lexicon: focus on",
    min_n=3,
    given={"looks_at": LOOKS_AT},
    false=AS_IF_OF_DISENTANGLEMENT,
)


@GROUPS.covers
@pytest.mark.parametrize("metric", sorted(LOOKS_AT))
def test_a_metric_looks_at_the_property_of_its_group(metric, looks_at):
    has, lacks = looks_at[metric]
    return place(metric, {has: 1.0, lacks: -1.0})


HIGH_ON = GROUPS.cell(
    "high",
    says="BetaVAE, FactorVAE, Modularity, DCI and IRS are high on one-to-many relations, MIG and SAP on many-to-one.",
    deviations=(ENDS, "'High' is three quarters of the way."),
    statistic=PLACE,
    rule=above(HIGH, null=0.0),
    source="lexicon: high, of the way",
    given={"looks_at": LOOKS_AT},
)


@HIGH_ON.covers
@pytest.mark.parametrize("metric", sorted(LOOKS_AT))
def test_a_metric_is_high_where_what_it_looks_at_holds(metric, looks_at):
    has, _ = looks_at[metric]
    return place(metric, {has: 1.0})


LOW_ON = GROUPS.cell(
    "low",
    says="BetaVAE, FactorVAE, Modularity, DCI and IRS are low on many-to-one relations, MIG and SAP on one-to-many; "
    "all are low on many-to-many.",
    population="four factors of four values, related to codes one-to-many, many-to-one or many-to-many; draws varied",
    deviations=(ENDS, "'Low' is less than half of the way."),
    statistic=PLACE,
    rule=below(LOW, null=1.0),
    source="lexicon: low, of the way",
    false={"metric": "mig", "relation": "one-to-one"},
    revision=2,
)


@LOW_ON.covers
@pytest.mark.parametrize(("metric", "relation"), LOW_CELLS)
def test_a_metric_is_low_where_what_it_looks_at_fails(metric, relation):
    return place(metric, {relation: 1.0})


PENALISED = Claim.synthetic(
    id="sober.compactness-not-disentanglement",
    quote="MIG and SAP computes the gap between the entries of the matrix per factor and therefore penalize "
    "compactness rather than disentanglement. In other words, they penalize whether a factor of variation is embedded "
    "in multiple codes but do not penalize the same code capturing multiple factors. DCI Disentanglement instead "
    "penalizes whether a code is related to multiple factors.",
    population="matrices of four factors: the identity, two codes a factor, two factors a code",
    deviations=("'Penalise' is to take off more than a quarter of the score of the identity, which is 1.",),
    unit="matrix",
    statistic="smaller of two: what the aggregation takes off the one relation, minus a quarter; a quarter minus what "
    "it takes off the other",
    rule=above(0.0),
    source="lexicon: penalise and spare",
    demonstration=True,
    min_n=1,
    given={"quarter": QUARTER},
    false={"aggregation": "mig", "penalised": "many-to-one", "spared": "one-to-many"},
    revision=2,
)


@PENALISED.covers
@pytest.mark.parametrize(
    ("aggregation", "penalised", "spared"),
    [(m, lacks, has) for m, (has, lacks) in LOOKS_AT.items() if m in AGGREGATIONS],
)
def test_an_aggregation_penalises_one_relation_and_spares_the_other(aggregation, penalised, spared, quarter):
    aggregate = AGGREGATIONS[aggregation]
    taken_off = {name: aggregate(np.eye(4)) - aggregate(matrix) for name, matrix in MATRICES.items()}
    return exact(min(taken_off[penalised] - quarter, quarter - taken_off[spared]))


PUNISHED = PENALISED.cell(
    "penalised, samples",
    where="6.1.1",
    says="MIG and SAP penalise one factor in several codes, DCI disentanglement several factors in one code.",
    population=GROUPS.population,
    deviations=(ENDS, OWN_MATRIX),
    unit="repetition",
    statistic=LOSS,
    rule=above(QUARTER, null=0.0),
    source="lexicon: penalise",
    demonstration=False,
    min_n=3,
    false={"metric": "mig", "relation": "one-to-one"},
    revision=1,
)


@PUNISHED.covers
@pytest.mark.parametrize(("metric", "relation"), [(m, LOOKS_AT[m][1]) for m in ("mig", "sap", "dci")])
def test_samples_show_what_each_metric_penalises(metric, relation):
    return place(metric, {relation: -1.0}, start=1.0)


SPARED = PENALISED.cell(
    "spared, samples",
    where="6.1.1",
    says="MIG and SAP spare several factors in one code, DCI disentanglement spares one factor in several codes.",
    population=GROUPS.population,
    deviations=(ENDS, OWN_MATRIX),
    unit="repetition",
    statistic=LOSS,
    rule=below(QUARTER, null=0.5),
    source="lexicon: spare",
    demonstration=False,
    min_n=3,
    false={"metric": "mig", "relation": "one-to-many"},
)


@SPARED.covers
@pytest.mark.parametrize(("metric", "relation"), [(m, LOOKS_AT[m][0]) for m in ("mig", "sap", "dci")])
def test_samples_show_what_each_metric_spares(metric, relation):
    return place(metric, {relation: -1.0}, start=1.0)


SPARED_BY_R2 = PENALISED.probe(
    "spared by SAP of squared correlations",
    where="6.1.1",
    says="SAP spares several factors in one code with squared correlations in place of a linear machine.",
    population=GROUPS.population,
    deviations=(ENDS, OWN_MATRIX),
    unit="repetition",
    statistic=LOSS,
    rule=below(QUARTER, null=0.5),
    source="lexicon: spare",
    min_n=3,
    given={"relation": "many-to-one"},
    false={"relation": "one-to-many"},
)


@SPARED_BY_R2.covers
def test_samples_show_what_sap_of_squared_correlations_spares(relation):
    return place("sap[r2]", {relation: -1.0}, start=1.0)
