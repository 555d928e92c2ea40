"""UDR, 'Experiments', Figures 2 and 3: the order in which UDR puts the strengths of an objective."""

import numpy as np
import pytest

from dbench.claims import Claim, above
from dbench.errors import EvidenceLacking
from dbench.estimates.filters import filtered
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_among import SEVERAL_ACTIVE
from dbench.estimates.zoo_statistics import settings_of
from dbench.seeds import generator
from dbench.stats import bootstrap

OBJECTIVES = ("annealed_vae", "beta_tcvae", "beta_vae", "dip_vae_i", "dip_vae_ii", "factor_vae")
METRICS = ("beta_vae_metric", "factor_vae", "mig", "dci")
# Models of fewer informative codes have nothing to disentangle, and agree with others by accident or not at all.
INFORMATIVE, FEWEST = SEVERAL_ACTIVE
BY_EYE = "The paper compares profiles of medians by eye; here their order over the strengths counts."
NOT_REDONE = "The bootstrap draws seeds; UDR is not computed again without the seeds that are left out."
# UDR within a strength falls where the metrics and UDR all to all rise.
OPPOSED = Simulated(
    {name: Law(trend=-5.0 if name == "udr.lasso" else 5.0) for name in ("udr.lasso", "udr.lasso.all", *METRICS)}
)


def _profiles(population, names, objectives, models):
    """Scores as objectives x names x seeds x strengths, an array for each number of strengths that count."""
    seeds, found = population.seeds(), {}
    for o in objectives:
        table = np.stack([population.scores(name, o, seeds=seeds) for name in names])
        if models == "informative":
            table = table[:, :, np.median(population.scores(INFORMATIVE, o, seeds=seeds), axis=0) >= FEWEST]
        if table.shape[2] >= 3:
            found.setdefault(table.shape[2], []).append(table)
    if not found:
        raise EvidenceLacking(f"{population.name} holds no objective with three strengths of informative codes")
    return [np.stack(tables) for tables in found.values()]


def _order(profiles):
    """Ranks along the last axis, ties sharing theirs, centred and of length 1; 0 where all are tied."""
    less = profiles[..., :, None] > profiles[..., None, :]
    centred = less.sum(axis=-1) - less.sum(axis=-2)
    norm = np.sqrt((centred**2).sum(axis=-1, keepdims=True))
    return np.divide(centred, norm, out=np.zeros(centred.shape), where=norm > 0)


def order_agreement(population, weights, card, *, objectives=None, models="all"):
    """Weighted sum over variants of the agreement of their median profiles with those of the metrics."""
    chosen = population.objectives if objectives is None else list(objectives)
    parts = _profiles(population, [*weights, *METRICS], chosen, models)
    share = np.array([*weights.values()])

    def statistic(kept):
        found = []
        for tables in parts:
            orders = _order(np.median(tables[:, :, kept], axis=2))
            variants, metrics = orders[:, : len(share)], orders[:, len(share) :]
            found.extend((variants @ metrics.swapaxes(1, 2)).mean(axis=2) @ share)
        return float(np.mean(found))

    stream = generator(claim=card.id, part=card.part)
    return bootstrap(statistic, len(population.seeds()), generator=stream, draws=2_000)


SELECTS = Claim.zoo(
    id="udr.selects-strengths",
    quote="It can be seen that UDR broadly agrees with the supervised metrics on which hyperparameters are more "
    "promising for disentangling.",
    where="Experiments, 'UDR is useful for hyperparameter selection', Figures 2 and 3",
    population="strengths of an objective; averaged over objectives and four supervised metrics",
    deviations=(
        BY_EYE,
        "Strengths whose median model has two or more informative codes are looked at apart.",
        NOT_REDONE,
    ),
    statistic="mean over objectives and metrics of Spearman's correlation over strengths of the median UDR and score",
    rule=above(0.5, null=0.0),
    source="lexicon: broadly agree",
    false={"unsupervised": OPPOSED},
    given={"models": "all"},
    filtered={"models": "informative"},
    revision=2,
)


@SELECTS.covers
def test_udr_and_the_metrics_order_strengths_alike(unsupervised, models):
    estimate = order_agreement(unsupervised, {"udr.lasso": 1.0}, SELECTS, models=models)
    if models == "all":
        return estimate
    return filtered(estimate, np.median(settings_of(unsupervised, INFORMATIVE), axis=0) >= FEWEST)


SELECTS_EACH = SELECTS.cell(
    "each objective",
    role="primary",
    quote="This holds across datasets and model classes.",
    population="strengths of one objective; averaged over four supervised metrics",
    deviations=(BY_EYE, NOT_REDONE),
    statistic="mean over objectives and metrics of Spearman's correlation over strengths of the median UDR and score",
    rule=above(0.0),
    source="sign",
)


@SELECTS_EACH.covers
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_udr_and_the_metrics_order_the_strengths_of_an_objective_alike(unsupervised, objective):
    return order_agreement(unsupervised, {"udr.lasso": 1.0}, SELECTS_EACH, objectives=[objective])


FOR_STRENGTHS = Claim.zoo(
    part="own models, strengths",
    id="udr.all-to-all-for-models",
    quote="it is preferable to perform the UDR-A2A during model selection and UDR during hyperparameter selection.",
    says="To choose a strength, comparing within one strength serves better than comparing all to all.",
    where="limitation 4, herd effect",
    population="strengths of an objective; averaged over objectives and four supervised metrics",
    deviations=("The paper recommends it and gives no figures.", BY_EYE, NOT_REDONE),
    statistic="the correlation of medians over strengths (udr.selects-strengths), same strength minus all to all",
    rule=above(0.0),
    source="sign",
    false={"unsupervised": OPPOSED},
    revision=2,
)


@FOR_STRENGTHS.covers
def test_scores_within_a_strength_choose_strengths_better(unsupervised):
    weights = {"udr.lasso": 1.0, "udr.lasso.all": -1.0}
    return order_agreement(unsupervised, weights, FOR_STRENGTHS)
