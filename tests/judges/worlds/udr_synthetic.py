"""Worlds in which constructed findings of Duan et al. are false, or too small to tell."""

import numpy as np
from counter_worlds import EXACT, Worlds, by_test

AGREEMENT, ASSUMPTIONS = "udr/test_3_agreement", "udr/test_3_assumptions"
AXES, PROPERTIES = "udr/test_3_axes", "udr/test_5_metric_properties"


WORLDS = [
    # Models that hardly mix score high too, and among such the best is found.
    *by_test(
        (
            AGREEMENT,
            "SEPARATES",
            {"d": 5, "relation": "spearman", "mixing": 0.2, "n": 200},
            {"d": 5, "relation": "spearman", "pairs": 2, "n": 200},
        ),
        (
            AGREEMENT,
            "LONE",
            {"relation": "spearman", "good": 1, "others": 0.3},
            {"relation": "spearman", "good": 1, "sets": 20},
        ),
    ),
    Worlds(AGREEMENT, "UNLIKE_EXACT", false=lambda m: m.score_of_equal_relations(np.eye(4)), small=EXACT),
    Worlds(
        AGREEMENT,
        "FOR_MODELS",
        false=lambda m: m.herd(lambda q, same, everyone: m.gain_for_models(q, everyone, same)),
        small=lambda m: m.herd(m.gain_for_models, sets=2),
    ),
    Worlds(
        AGREEMENT,
        "PULLED",
        false=lambda m: m.herd(lambda q, same, everyone: m.pull(q, everyone, same)),
        small=lambda m: m.herd(m.pull, sets=2),
    ),
    Worlds(
        AGREEMENT,
        "FOR_STRENGTHS",
        false=lambda m: m.herd(lambda q, same, everyone: m.for_strengths(-q, same, everyone)),
        small=lambda m: m.herd(m.for_strengths, sets=2),
    ),
    Worlds(
        AGREEMENT,
        "NOT_PUNISHED",
        false=lambda m: m.gain_of_subset(m.NOT_PUNISHED, 0.0, "spearman", learnt=1, all_informative=True),
        small=lambda m: m.gain_of_subset(m.NOT_PUNISHED, 0.0, "spearman", samples=2),
    ),
    Worlds(
        AGREEMENT,
        "HIGHER",
        false=lambda m: m.gain_of_subset(m.HIGHER, 0.4, "spearman", all_informative=True),
        small=lambda m: m.gain_of_subset(m.HIGHER, 0.4, "spearman", samples=2),
    ),
    Worlds(
        ASSUMPTIONS,
        "PCA",
        false=lambda m: m.test_pca_of_the_same_images_agrees_with_itself_and_is_entangled(fit=m.random_projection),
        small=EXACT,
    ),
    Worlds(
        ASSUMPTIONS,
        "PCA_SPEARMAN",
        false=lambda m: m.test_pca_of_the_same_images_agrees_with_itself_by_spearman(fit=m.random_projection),
        small=EXACT,
    ),
    Worlds(
        ASSUMPTIONS,
        "PCA_BOOTSTRAP",
        false=lambda m: m.test_pca_of_other_samples_agrees("spearman", 0.95, fit=m.random_projection, pairs=6),
        small=lambda m: m.test_pca_of_other_samples_agrees("spearman", 0.95, pairs=2),
    ),
    Worlds(
        ASSUMPTIONS,
        "SUITABLE_PCA",
        false=lambda m: m.transfer_of_pca(m.random_projection, fits=14),
        small=lambda m: m.transfer_of_pca(m.repeated, fits=2),
    ),
    *(
        Worlds(
            AXES,
            card,
            false=lambda m, card=card: m.udr_of_pairs(getattr(m, card), m.monotone, "lasso", pairs=6),
            small=lambda m, card=card: m.udr_of_pairs(getattr(m, card), m.categories, "spearman", pairs=2),
        )
        for card in ("CATEGORIES", "PHASES", "PLANES")
    ),
    Worlds(AXES, "PHASE_EXACT", false=lambda m: m.udr_of_shift(0.0), small=EXACT),
    Worlds(
        AXES,
        "DISENTANGLED",
        false=lambda m: m.test_mig_sees_one_code_for_each_factor(encode=m.planes, confidence=m.DISENTANGLED.confidence),
        small=lambda m: m.test_mig_sees_one_code_for_each_factor(
            encode=m.categories, models=2, confidence=m.DISENTANGLED.confidence
        ),
    ),
    *(
        Worlds(
            AXES,
            card,
            false=lambda m: m.preference(m.lasso_udr),
            small=lambda m, compare=compare: m.preference(getattr(m, compare), samples=2),
        )
        for card, compare in (("BLIND", "cca"), ("RSM_BLIND", "rsm"))
    ),
    Worlds(
        AXES,
        "UDR_SEES",
        false=lambda m: m.preference(m.rsm),
        small=lambda m: m.preference(m.lasso_udr, samples=2),
    ),
    # A metric that is said to reward a property and does not.
    *by_test(
        (
            PROPERTIES,
            "TABLE",
            {"metric": "dci", "trait": "modularity", "variant": "reference"},
            {"metric": "dci", "trait": "modularity", "variant": "packed", "repetitions": 2},
        )
    ),
    *by_test(
        (ASSUMPTIONS, "SUITABLE_TELLS", {}, {"best_mixing": 0.9, "classes": 2}),
        (PROPERTIES, "BETA_VAE", {"k": 3, "missing": 2}, {"k": 3, "repetitions": 2}),
        (PROPERTIES, "FACTOR_VAE", {"k": 3, "missing": 0}, {"k": 3, "repetitions": 2}),
    ),
]
