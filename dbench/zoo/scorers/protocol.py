"""Sample sizes and training settings of a run's scores, and choices that the papers leave open."""

from dbench.metrics.posterior import ACTIVE

BINS = (20, 30, 50, 100)
"""Bins of the modularity score: the paper's, then larger numbers (Suter et al. 2019, appendix D.1)."""

TRAIN, TEST = 10_000, 5_000
"""Training and test points of a sample."""

FEW, FEW_TEST = 100, 50
"""Training and test points of a small sample (A Sober Look, section 6.2, Figure 22)."""

EPOCHS = 75
"""Epochs of the perceptrons that classify novel combinations."""

KNOCKOUT_EPOCHS, KNOCKOUT_RATE = 10, 0.015
"""Epochs and initial learning rate, which falls to 0, of the perceptrons of the neuron knockout."""

NOVEL = 10_000
"""Training points, of familiar combinations, of the classifiers of novel combinations."""

DOWNSTREAM = (10, 100, 1000, 10_000)
"""Training points of the logistic regressions (A Sober Look, section 4.2.8)."""

TREES = (10, 100, 1000)
"""Training points of the boosted trees."""

TUNING = 1000
"""Training points by which the regularization strength of a logistic regression is chosen."""

SCORING: dict[str, str] = {
    "sample": f"{TRAIN} + {TEST} points drawn with replacement from the grid, mean codes",
    "dci": "a small random forest instead of boosted trees",
    "sap": "linear support vector machines; sap.r2: squared correlation with the rank of the label",
    "snc": "every point of the grid",
    "nk": f"{KNOCKOUT_EPOCHS} epochs at a learning rate that falls from {KNOCKOUT_RATE} to 0 instead of 75 at 0.001; "
    "in batches of 128, which the paper does not give",
    "mlp_accuracy": "the classifiers of all codes that nk trains, so the same split and batches",
    "gaussian_tc": f"{TRAIN} points; sampled codes are one draw from each posterior",
    "mutual_information": f"of the codes: mean over all pairs, 20 bins, {TRAIN} points, mean and sampled codes",
    "active": f"codes with more than {ACTIVE} nats of divergence from the prior, over the grid",
    "udr": "10000 points, the same for all models of a data set; all: all models of one objective; entropy: "
    "aggregated as in dci, both models' codes in turn",
    "relation": "relation.<kind>, codes x factors: the matrices of mig (mutual_information), dci (importance, of the "
    "forest) and sap (predictability)",
    "interventions": "irs.code, irs.one_nuisance and irs.mean of every point of the grid; importance_single: the "
    "forest of dci with one candidate code a split, 10 trees of depth 6 instead of 50 with leaves of 500",
    "downstream": f"tested on {TEST} points; the strength of a logistic regression is chosen with the first {TUNING} "
    f"training points; boosted trees with up to {TREES[-1]} instead of {DOWNSTREAM[-1]}",
    "efficiency": f"accuracy over that with {DOWNSTREAM[-1]} points (logistic) or {TREES[-1]} (trees)",
    "again": f"a second, independent sample of {TRAIN} + {TEST} points, or as many votes",
    "small": f"two independent samples of {FEW} + {FEW_TEST} points, or as many votes",
    "novel": f"classifiers of {NOVEL} familiar points; only for data sets that hold out a combination, "
    "which in turn have no downstream, again, small and interventions",
}
"""Score or group -> choices that the papers leave open or make differently; written into the manifest."""
