"""A Sober Look, sections 6.1.1 and 6.1.2: what the factor-code matrices of trained models look like."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from dbench.claims import Claim, above
from dbench.claims.population import Population
from dbench.claims.relations import HELD, relations_of
from dbench.errors import EvidenceLacking
from dbench.metrics.groups import merge_thresholds
from dbench.stats import Estimate, correlation, jackknife_intervals, mean_interval, smallest_of

KINDS = ("importance", "mutual_information", "predictability")
FOREST = "Importances are those of a random forest instead of boosted trees."
CHANCE = (
    "Taken off as (accuracy - chance) / (1 - chance), at least 0; chance is the mean accuracy of codes that know "
    f"nothing of a factor (mutual information below {HELD / 2:g} nats)."
)

# ------------------------------------------------------------------ the tail of the SVM matrix
TAIL = Claim(
    id="sober.svm-long-tail",
    part="trained models",
    where="6.1.2, Figure 17",
    says="The SVM predictability matrix of trained models has a longer tail of small entries than the other two.",
    evidence="zoo",
    kind="size",
    population="all runs: objectives, strengths and seeds; factors that some code holds",
    deviations=(
        "The paper looks at one trained model.",
        f"Only factors of which some code holds {HELD} nats: beside no large entry there is no tail.",
        FOREST,
        CHANCE,
    ),
    unit="seed",
    statistic="mean of the smaller half of a factor's entries, by the largest: SVM minus the longer of the other two",
    # A twentieth of the largest entry, as for the constructed codes.
    rule=above(0.05),
    confidence=0.95,
    min_n=5,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)

# ------------------------------------------------------------------ which factors merge
MERGES_AGREE = replace(
    TAIL,
    id="sober.independent-groups",
    part="trained models",
    where="6.1.2, Figure 34",
    says="On dSprites and Color-dSprites the different matrices agree on which factors are the most entangled.",
    kind="ranking",
    population="all runs: objectives, strengths and seeds",
    deviations=(
        "The paper compares printed averages by eye, and finds disagreement on data sets that are not here.",
        "Pearson's correlation, above 0.5 (Cohen's 'large').",
        FOREST,
        CHANCE,
    ),
    statistic="smallest correlation of two matrices over pairs of factors: threshold of merging, averaged over models",
    rule=above(0.5),
)

# ------------------------------------------------------------------ one factor in several codes
ONE_TO_MANY = replace(
    TAIL,
    id="sober.one-to-many-avoided",
    part="",
    where="6.1.1",
    says="In trained models factors relate to codes one-to-one, or many-to-many, more often than one-to-many.",
    kind="direction",
    deviations=(
        f"A code holds a factor with at least {HELD} nats and 'share' of the factor's most informative code: the "
        "paper gives no rule.",
        "A factor is one-to-many if several codes hold it and nothing else, many-to-many if one of them holds more.",
    ),
    statistic="share of held factors of the preferred relation minus share of those one-to-many",
    # A twentieth of the factors.
    rule=above(0.05),
)
SHARES = (0.1, 0.25)
PREFERRED = ("many-to-many", "one-to-one")


def chance_of(population: Population) -> np.ndarray:
    """Accuracy on each factor of codes that know nothing of it, mean over all models."""
    accuracy, known = (relations_of(population, kind) for kind in ("predictability", "mutual_information"))
    ignorant = known < HELD / 2
    counts = ignorant.sum(axis=(0, 1, 2))
    if (counts == 0).any():
        raise EvidenceLacking(f"{population.name} has no code that knows nothing of factor {int(counts.argmin())}")
    return np.asarray((accuracy * ignorant).sum(axis=(0, 1, 2)) / counts)


def matrices_of(population: Population, *, corrected: bool) -> dict[str, np.ndarray]:
    """Matrices of every model, seeds x settings x codes x factors, with chance taken off accuracies or as they are."""
    found = {kind: relations_of(population, kind) for kind in KINDS}
    if corrected:
        chance = chance_of(population)
        found["predictability"] = np.maximum((found["predictability"] - chance) / (1 - chance), 0.0)
    return found


def tails(matrices: np.ndarray) -> np.ndarray:
    """Mean of the smaller half of each factor's entries, by its largest; 0 where a factor has no entries."""
    ordered = np.sort(matrices, axis=-2)
    largest = ordered[..., -1, :]
    half = ordered[..., : matrices.shape[-2] // 2, :].mean(axis=-2)
    return np.divide(half, largest, out=np.zeros_like(half), where=largest > 0)


def excess_tail(population: Population, *, corrected: bool) -> Estimate:
    matrices = matrices_of(population, corrected=corrected)
    held = matrices["mutual_information"].max(axis=-2) > HELD
    seeds = held.any(axis=(1, 2))
    if not seeds.any():
        raise EvidenceLacking(f"{population.name} has no model of which a code holds a factor")
    mean = {k: (tails(m) * held).sum(axis=(1, 2))[seeds] / held.sum(axis=(1, 2))[seeds] for k, m in matrices.items()}
    excess = mean["predictability"] - np.maximum(mean["importance"], mean["mutual_information"])
    return mean_interval(excess, confidence=TAIL.confidence)


def agreement_of_merges(population: Population, *, corrected: bool) -> Estimate:
    thresholds = {}
    for kind, matrices in matrices_of(population, corrected=corrected).items():
        seeds, settings, codes, factors = matrices.shape
        upper = np.triu_indices(factors, k=1)
        merged = [merge_thresholds(matrix)[upper] for matrix in matrices.reshape(-1, codes, factors)]
        thresholds[kind] = np.array(merged).reshape(seeds, settings, -1).mean(axis=1)

    def correlations(kept: np.ndarray) -> list[float]:
        mean = {kind: values[kept].mean(axis=0) for kind, values in thresholds.items()}
        return [correlation(mean[a], mean[b]) for a, b in combinations(KINDS, 2)]

    return smallest_of(
        lambda level: jackknife_intervals(correlations, len(thresholds[KINDS[0]]), confidence=level),
        confidence=MERGES_AGREE.confidence,
    )


def relations_to_codes(information: np.ndarray, share: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Tell of every factor whether it is held, and how it relates to the codes that hold it.

    Args:
        information: ... x codes x factors, nats.
        share: of a factor's most informative code that another one must reach.

    Returns:
        Whether each factor is held, ... x factors, and by relation the factors that relate so. What is left of the
        held ones is many-to-one: a single code, which holds other factors too.
    """
    best = information.max(axis=-2, keepdims=True)
    holds = (information >= HELD) & (information >= share * best)
    several = holds.sum(axis=-2) > 1
    mixed = (holds & (holds.sum(axis=-1, keepdims=True) > 1)).any(axis=-2)
    held = holds.any(axis=-2)
    return held, {
        "one-to-one": held & ~several & ~mixed,
        "one-to-many": held & several & ~mixed,
        "many-to-many": held & several & mixed,
    }


def lead_over_one_to_many(population: Population, preferred: str, share: float) -> Estimate:
    held, relations = relations_to_codes(relations_of(population, "mutual_information"), share)
    seeds = held.any(axis=(1, 2))
    if not seeds.any():
        raise EvidenceLacking(f"{population.name} has no model of which a code holds a factor")
    lead = relations[preferred].sum(axis=(1, 2)) - relations["one-to-many"].sum(axis=(1, 2))
    return mean_interval(lead[seeds] / held.sum(axis=(1, 2))[seeds], confidence=ONE_TO_MANY.confidence)


@TAIL.covers
@pytest.mark.parametrize("chance", ["as it is", "taken off"])
def test_the_svm_matrix_of_trained_models_has_the_longest_tail(judge, unsupervised, chance):
    estimate = excess_tail(unsupervised, corrected=chance == "taken off")
    judge(TAIL, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@MERGES_AGREE.covers
@pytest.mark.parametrize("chance", ["as it is", "taken off"])
def test_the_matrices_agree_on_the_factors_that_merge(judge, unsupervised, chance):
    estimate = agreement_of_merges(unsupervised, corrected=chance == "taken off")
    judge(MERGES_AGREE, estimate, population=unsupervised.name, deviations=unsupervised.deviations)


@ONE_TO_MANY.covers
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("preferred", PREFERRED)
def test_factors_are_seldom_spread_over_codes_of_their_own(judge, unsupervised, preferred, share):
    estimate = lead_over_one_to_many(unsupervised, preferred, share)
    judge(ONE_TO_MANY, estimate, population=unsupervised.name, deviations=unsupervised.deviations)
