"""Worlds in which findings of A Sober Look about made representations are false, or too small to tell."""

import numpy as np
import torch
from counter_worlds import EXACT, Worlds

from dbench.stats import exact
from dbench_fixtures.counterexamples.entangling import entangling, householder
from dbench_fixtures.counterexamples.uncorrelated import dependent_codes, independent_codes, parity_law

CONSEQUENCE, TC, RELATIONS, DIFFERENCES, MATRICES, EFFICIENCY = (
    f"sober/test_{name}"
    for name in (
        "3_consequence",
        "4_2_gaussian_tc",
        "6_1_relations",
        "6_1_differences",
        "6_1_matrices",
        "7_efficiency",
    )
)
INDEPENDENT_BITS = np.indices((2, 2)).reshape(2, -1).T.astype(np.float64)
EQUAL_BITS = INDEPENDENT_BITS[:, [0, 0]]
STRONG = entangling("uniform", householder(2, 0.146))
# No rotation: the codes of its second world are correlated, which observations show.
SKEWED = entangling("uniform", torch.tensor([[1.0, 0.6], [0.0, 1.0]], dtype=torch.float64))


def confounded(factors: np.ndarray) -> np.ndarray:
    """Let only those combinations occur in which the last two factors are equal."""
    return factors[:, -1] == factors[:, -2]


WORLDS = [
    Worlds(
        CONSEQUENCE,
        "BEST",
        false=lambda m: m.supervised("mig", STRONG, entangled=True),
        small=lambda m: m.supervised("mig", STRONG, entangled=False, repetitions=2),
    ),
    Worlds(
        CONSEQUENCE,
        "ENTANGLED",
        false=lambda m: m.supervised("mig", STRONG, entangled=False),
        small=lambda m: m.supervised("mig", STRONG, entangled=True, repetitions=2),
    ),
    Worlds(
        CONSEQUENCE,
        "WEAKLY",
        false=lambda m: m.supervised("mig", STRONG, entangled=False),
        small=lambda m: m.supervised("mig", STRONG, entangled=True, repetitions=2),
    ),
    Worlds(
        CONSEQUENCE,
        "UNMOVED",
        false=lambda m: m.difference_of_worlds(
            "gaussian_total_correlation", m.world(SKEWED, entangled=False), m.world(SKEWED, entangled=True)
        ),
        small=lambda m: m.difference_of_worlds(
            "gaussian_total_correlation",
            m.world(STRONG, entangled=False),
            m.world(STRONG, entangled=True),
            repetitions=2,
        ),
    ),
    Worlds(
        TC,
        "LOW_YET_DEPENDENT",
        false=lambda m: m.sampled(independent_codes, name="normal", correlation=1.0),
        small=lambda m: m.sampled(dependent_codes, name="circle", repetitions=2),
    ),
    Worlds(
        TC,
        "LOW_EXACT",
        false=lambda m: m.gaussian_of_law(EQUAL_BITS),
        small=lambda m: m.gaussian_of_law(INDEPENDENT_BITS[:3]),
    ),
    Worlds(
        TC,
        "DEPENDENT_EXACT",
        false=lambda m: m.total_correlation_of_law(INDEPENDENT_BITS),
        small=lambda m: m.total_correlation_of_law(parity_law()[:3]),
    ),
    Worlds(
        TC,
        "NEVER_HIGH",
        false=lambda m: m.largest(independent_codes, name="normal", correlation=1.0),
        small=lambda m: m.largest(independent_codes, name="normal", repetitions=5),
    ),
    Worlds(
        RELATIONS,
        "HIGH_ON",
        false=lambda m: m.place("mig", "one-to-many"),
        small=lambda m: m.place("mig", "one-to-one", repetitions=2),
    ),
    Worlds(
        RELATIONS,
        "LOW_ON",
        false=lambda m: m.place("mig", "one-to-one"),
        small=lambda m: m.place("mig", "one-to-many", repetitions=2),
    ),
    Worlds(
        RELATIONS,
        "PUNISHED",
        false=lambda m: m.loss("mig", "one-to-one"),
        small=lambda m: m.loss("mig", "one-to-many", repetitions=2),
    ),
    Worlds(
        RELATIONS,
        "SPARED",
        false=lambda m: m.loss("mig", "one-to-many"),
        small=lambda m: m.loss("mig", "one-to-one", repetitions=2),
    ),
    Worlds(RELATIONS, "PUNISHED_MATRIX", false=lambda m: m.loss_of_matrix("mig", np.eye(4)), small=EXACT),
    Worlds(
        RELATIONS,
        "SPARED_MATRIX",
        false=lambda m: m.loss_of_matrix("mig", m.MATRICES["one-to-many"]),
        small=EXACT,
    ),
    Worlds(
        DIFFERENCES,
        "FACTOR_OF_TWO",
        false=lambda m: m.ratio_of_laws("straight", "straight"),
        small=lambda m: exact(4.0, n=16),
    ),
    Worlds(
        DIFFERENCES,
        "REVERSED",
        false=lambda m: m.reversed_leads("copied", "leaky"),
        small=lambda m: m.reversed_leads(repetitions=2),
    ),
    Worlds(
        DIFFERENCES,
        "EQUIVALENT",
        false=lambda m: m.disagreement(((2, 2, 2),), support=confounded),
        small=lambda m: m.disagreement(((2, 2),)),
    ),
    Worlds(
        DIFFERENCES,
        "APART",
        false=lambda m: m.leads_apart("factor_vae", "two of four", "straight beside sums"),
        small=lambda m: m.leads_apart("factor_vae", repetitions=2),
    ),
    Worlds(
        MATRICES,
        "TAIL",
        false=lambda m: m.excess_tail(matrix="information", n=300),
        small=lambda m: m.excess_tail(repetitions=2, n=150),
    ),
    Worlds(
        MATRICES,
        "TAIL_ABOVE_CHANCE",
        false=lambda m: m.excess_tail(corrected=True, matrix="trees", n=300),
        small=lambda m: m.excess_tail(corrected=True, repetitions=2, n=150),
    ),
    Worlds(
        MATRICES,
        "CURVE",
        false=lambda m: m.share_as_worked_out(np.eye(5), m.WORKED_OUT),
        small=lambda m: m.share_as_worked_out(m.GROUPED[:1], m.WORKED_OUT[:1]),
    ),
    Worlds(
        MATRICES,
        "DISAGREE",
        false=lambda m: m.share_of_first_merges(packed=False, same=False, n=500),
        small=lambda m: m.share_of_first_merges(packed=True, same=False, repetitions=5, n=500),
    ),
    Worlds(
        MATRICES,
        "AGREE",
        false=lambda m: m.share_of_first_merges(packed=True, same=True, n=500),
        small=lambda m: m.share_of_first_merges(packed=False, same=True, repetitions=5, n=500),
    ),
    Worlds(
        EFFICIENCY,
        "EFFICIENT",
        false=lambda m: m.lead_in_efficiency(0.0, 0.0),
        small=lambda m: m.lead_in_efficiency(repetitions=2),
    ),
    # Ten observations cannot hold sixteen values, so those that come later do help.
    Worlds(
        EFFICIENCY,
        "SIMILAR",
        false=lambda m: m.efficiency(1.0, few=10),
        small=lambda m: m.efficiency(repetitions=2),
    ),
    Worlds(
        EFFICIENCY,
        "POOR",
        false=lambda m: m.lead_in_accuracy(0.0, 0.0),
        small=lambda m: m.lead_in_accuracy(repetitions=2),
    ),
]
