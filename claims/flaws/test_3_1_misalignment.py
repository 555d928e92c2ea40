"""Correcting Flaws, sections 3.1 and 4.1: aligning factors with codes one by one, and all at once."""

import numpy as np

from dbench.claims import Claim, above, below
from dbench.claims.regime import ALL_CODES_TELL
from dbench.codes import Sample
from dbench.constructions.spread_codes import toy_model
from dbench.estimates.relations import freely_misaligned, relations_of
from dbench.estimates.simulated import Law, Simulated
from dbench.estimates.zoo_statistics import settings_of
from dbench.metrics import align, alignment_collisions
from dbench.metrics.relations import mutual_information
from dbench.seeds import generator
from dbench.stats import exact, mean_of, share_of


def random_relation(rng):
    """Draw a matrix that tempts an assignment: rounded (ties), sparse, or with every code twice."""
    codes = int(rng.integers(2, 13))
    matrix = rng.exponential(size=(codes, int(rng.integers(1, codes + 1))))
    shape = rng.integers(4)
    if shape == 1:
        matrix = np.round(matrix)
    elif shape == 2:
        matrix = matrix * (rng.uniform(size=matrix.shape) < 0.2)
    elif shape == 3:
        matrix[codes // 2 :] = matrix[: codes - codes // 2]
    return matrix


def lone_codes(n, stream):
    """A code of its own for each of two factors."""
    factors = stream.integers(4, size=(n, 2))
    return Sample(factors + 0.01 * stream.standard_normal((n, 2)), factors)


def best_codes(matrix):
    """Assign factors one by one."""
    return matrix.argmax(axis=0)


SELDOM = {
    "kl.informative": Law(mean=2.0, noise=0.0),
    "relation.mutual_information.0.0": Law(mean=1.0, noise=0.0),
    "relation.mutual_information.0.1": Law(mean=0.2, noise=0.0),
    # The first factor's code rarely knows more of the second factor than the second code does.
    "relation.mutual_information.1.0": Law(mean=0.3, noise=0.12),
    "relation.mutual_information.1.1": Law(mean=0.5, noise=0.0),
}


GREEDY = Claim.synthetic(
    id="flaws.misalignment",
    quote="Thus, z1 will be chosen as the representative of both colour and shape.",
    says="In the toy model M1 one code is chosen as the representative of both factors.",
    population="the toy model M1 as a sampled representation; draws varied",
    deviations=("Codes carry noise of 0.05, so that they are real numbers.",),
    statistic="share of samples of 1,000 observations in which both factors get the same code",
    rule=above(0.95, null=0.5),
    source="lexicon: always",
    demonstration=True,
    min_n=20,
    given={"model": toy_model, "samples": 100},
    false={"model": lone_codes},
    revision=2,
)


@GREEDY.covers
def test_one_code_gets_both_factors_of_the_toy_model(model, samples):
    drawn = [model(1_000, generator(claim=GREEDY.id, sample=i)) for i in range(samples)]
    collisions = [alignment_collisions(mutual_information(sample.codes, sample.factors)) for sample in drawn]
    return share_of(sum(number > 0 for number in collisions), samples)


INJECTIVE = GREEDY.cell(
    "all at once",
    quote="This gives a mapping in which no two factors are mapped to the same neuron",
    says="The injective assignment of equation 2 never gives one code two factors.",
    where="4.1, equation 2",
    population="random, sparse, tied and duplicated relation matrices of 2 to 12 codes and at most as many factors",
    deviations=("A universal statement: searched, not proven here.",),
    unit="matrix",
    statistic="largest number of factors without a code of their own: factors beyond the first on one code",
    rule=below(0.5),
    source="sign",
    min_n=1000,
    given={"assign": align, "matrices": 2_000},
    false={"assign": best_codes},
    revision=1,
)


@INJECTIVE.covers
def test_the_injective_assignment_never_shares_a_code(assign, matrices):
    rng = generator(claim=INJECTIVE.id, part=INJECTIVE.part)
    assigned = [assign(random_relation(rng)) for _ in range(matrices)]
    return exact(max(len(codes) - len(np.unique(codes)) for codes in assigned), n=matrices)


TRAINED = Claim.zoo(
    id="flaws.misalignment",
    quote="This situation is not merely theoretical, it often occurs in practice.",
    population="the six systems of Table 2, all strengths and seeds",
    deviations=(
        "Only factors count that some code holds (more than 0.1 nats, where permuted labels stay below 0.05), and only "
        "models with an informative code for each of them: others share a code by chance or by necessity.",
        "'Often' is read as in more than 7 of 18: the smallest share that the paper calls so (5.1, of Table 2).",
    ),
    statistic="mean over seeds of the share of models in which two held factors share their most informative code, "
    "though informative codes would do for all",
    rule=above(7 / 18, null=0.0),
    source="paper: often",
    regime=(ALL_CODES_TELL,),
    false={"six_systems": Simulated(SELDOM, objectives=dict.fromkeys("abcdef", (1.0,)), seeds=20)},
    revision=5,
)


@TRAINED.covers
def test_trained_models_are_misaligned(six_systems):
    models = six_systems()
    information, informative = relations_of(models, "mutual_information"), settings_of(models, "kl.informative")
    return mean_of(freely_misaligned(information, informative).mean(axis=1))
