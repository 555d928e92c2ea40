"""Worlds in which constructed findings of Duan et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, rows

AGREEMENT, ASSUMPTIONS = "udr/test_3_agreement", "udr/test_3_assumptions"
AXES, PROPERTIES = "udr/test_3_axes", "udr/test_5_metric_properties"


def pairs(card):
    return (
        AXES, card, lambda m: m.udr_of_pairs(getattr(m, card), m.monotone, "lasso", pairs=6),
        lambda m: m.udr_of_pairs(getattr(m, card), m.categories, "spearman", pairs=2),
    )  # fmt: skip


WORLDS = rows(
    # Models that hardly mix score high too, and among such the best is found.
    (AGREEMENT, "SEPARATES", {"d": 5, "relation": "spearman", "mixing": 0.2, "n": 200},
     {"d": 5, "relation": "spearman", "pairs": 2, "n": 200}),
    (AGREEMENT, "LONE", {"relation": "spearman", "good": 1, "others": 0.3},
     {"relation": "spearman", "good": 1, "sets": 20}),
    (AGREEMENT, "UNLIKE_EXACT", lambda m: m.score_of_equal_relations(np.eye(4)), EXACT),
    (AGREEMENT, "FOR_MODELS", lambda m: m.herd(lambda q, same, everyone: m.gain_for_models(q, everyone, same)),
     lambda m: m.herd(m.gain_for_models, sets=2)),
    (AGREEMENT, "PULLED", lambda m: m.herd(lambda q, same, everyone: m.pull(q, everyone, same)),
     lambda m: m.herd(m.pull, sets=2)),
    (AGREEMENT, "FOR_STRENGTHS", lambda m: m.herd(lambda q, same, everyone: m.for_strengths(-q, same, everyone)),
     lambda m: m.herd(m.for_strengths, sets=2)),
    (AGREEMENT, "NOT_PUNISHED",
     lambda m: m.gain_of_subset(m.NOT_PUNISHED, 0.0, "spearman", learnt=1, all_informative=True),
     lambda m: m.gain_of_subset(m.NOT_PUNISHED, 0.0, "spearman", samples=2)),
    (AGREEMENT, "HIGHER", lambda m: m.gain_of_subset(m.HIGHER, 0.4, "spearman", all_informative=True),
     lambda m: m.gain_of_subset(m.HIGHER, 0.4, "spearman", samples=2)),
    (ASSUMPTIONS, "PCA",
     lambda m: m.test_pca_of_the_same_images_agrees_with_itself_and_is_entangled(fit=m.random_projection), EXACT),
    (ASSUMPTIONS, "PCA_SPEARMAN",
     lambda m: m.test_pca_of_the_same_images_agrees_with_itself_by_spearman(fit=m.random_projection), EXACT),
    (ASSUMPTIONS, "PCA_BOOTSTRAP",
     lambda m: m.test_pca_of_other_samples_agrees("spearman", 0.95, fit=m.random_projection, pairs=6),
     lambda m: m.test_pca_of_other_samples_agrees("spearman", 0.95, pairs=2)),
    (ASSUMPTIONS, "SUITABLE_PCA", lambda m: m.transfer_of_pca(m.random_projection, fits=14),
     lambda m: m.transfer_of_pca(m.repeated, fits=2)),
    *map(pairs, ("CATEGORIES", "PHASES", "PLANES")),
    (AXES, "PHASE_EXACT", lambda m: m.udr_of_shift(0.0), EXACT),
    (AXES, "DISENTANGLED",
     lambda m: m.test_mig_sees_one_code_for_each_factor(encode=m.planes, confidence=m.DISENTANGLED.confidence),
     lambda m: m.test_mig_sees_one_code_for_each_factor(
         encode=m.categories, models=2, confidence=m.DISENTANGLED.confidence)),
    (AXES, "BLIND", lambda m: m.preference(m.lasso_udr), lambda m: m.preference(m.cca, samples=2)),
    (AXES, "RSM_BLIND", lambda m: m.preference(m.lasso_udr), lambda m: m.preference(m.rsm, samples=2)),
    (AXES, "UDR_SEES", lambda m: m.preference(m.rsm), lambda m: m.preference(m.lasso_udr, samples=2)),
    # A metric that is said to reward a property and does not.
    (PROPERTIES, "TABLE", {"metric": "dci", "trait": "modularity", "variant": "reference"},
     {"metric": "dci", "trait": "modularity", "variant": "packed", "repetitions": 2}),
    (ASSUMPTIONS, "SUITABLE_TELLS", {}, {"best_mixing": 0.9, "classes": 2}),
    (PROPERTIES, "BETA_VAE", {"k": 3, "missing": 2}, {"k": 3, "repetitions": 2}),
    (PROPERTIES, "FACTOR_VAE", {"k": 3, "missing": 0}, {"k": 3, "repetitions": 2}),
)  # fmt: skip
