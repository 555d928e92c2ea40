"""Correcting Flaws, section 3.1, Table 1: the two toy models by every metric's definition, and from samples."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dbench.claims import Claim, Printed, above, below, within
from dbench.metrics import align, dci, dci_completeness, dci_disentanglement, mig, mig_gap, nk, sap, sap_gap, snc
from dbench.metrics.relations import mutual_information
from dbench.seeds import generator
from dbench.stats import Estimate, exact, mean_interval
from dbench_fixtures.counterexamples.alignment import toy_model
from dbench_fixtures.counterexamples.toy_law import ToyLaw, toy_law

# How often the second code equals the shape.
MODELS = {"M1": 0.5, "M2": 0.7}
# Percent, as printed in Table 1.
PRINTED = {
    "mig": (18.9, 11.9),
    "sap": (25.0, 15.0),
    "dci": (58.3, 47.1),
    "med": (58.3, 46.4),
    "snc": (12.5, 22.5),
    "nk": (12.5, 12.5),
}
# What the scores of this table are made of.
READINGS = {
    "mig": "The gap in bits by the factor's entropy (1 bit), averaged over both factors.",
    "sap": "Accuracies of the codes stand for R2, as in Appendix A (by R2 itself: 25.0 and 17.0).",
    "dci": "Mean of D, C and I; importance is accuracy above chance, I the accuracy of both codes. Appendix A "
    "normalises 0.75 to 0.5, but 0.7 to 0.2 where it should be 0.4.",
    "med": "Mean of D, C and I; importance is mutual information, I the accuracy of both codes (Appendix A).",
    "snc": "Equation (a - r) / (1 - r) of 4.2; Appendix A forgets to divide by 1 - r, which halves both scores.",
    "nk": "Raw accuracies, as in 4.3; chance-adjusted ones would give twice the score.",
}

CELL = Claim(
    id="flaws.toy-table",
    part="",
    where="3.1, Table 1, appendix A",
    says="",
    evidence="synthetic",
    kind="size",
    population="the toy law, enumerated",
    deviations=(),
    unit="law",
    statistic="score by the metric's definition, percent",
    rule=within(0, 0),
    confidence=1.0,
    min_n=1,
    printed=None,
    tier="smoke",
    rollup="each",
    revision=1,
    superseded_by=None,
)
CELLS = {
    f"{name} {model}": replace(
        CELL,
        part=f"{name} {model}",
        says=f"{name.upper()} scores {model} at {figure}%.",
        deviations=(READINGS[name],),
        rule=within(figure - 0.05, figure + 0.05),
        printed=Printed(f"{figure}%", figure, 0.05),
    )
    for name, figures in PRINTED.items()
    for model, figure in zip(MODELS, figures, strict=True)
}
PREFERS = {
    **{name: (f"{name.upper()} gives M1 a higher score than M2.", above(0.0)) for name in ("mig", "sap", "dci", "med")},
    "snc": ("SNC gives M2 a higher score than M1.", below(0.0)),
    "nk": ("NK gives both models the same score.", within(-1e-9, 1e-9)),
}
ORDER = {
    name: replace(
        CELL,
        part=f"{name}, order",
        says=says,
        kind="ranking",
        deviations=(READINGS[name],),
        statistic="score of M1 minus score of M2, by the metric's definition, percent",
        rule=rule,
    )
    for name, (says, rule) in PREFERS.items()
}
SAMPLED = {
    name: replace(
        ORDER[name],
        part=f"{name}, sampled",
        population="samples of 1,000 observations of both models; draws varied",
        deviations=("Codes carry noise of 0.05, so that they are real numbers.", *readings),
        unit="pair of samples",
        statistic="score of M1 minus score of M2, by the metric as it is used",
        # NK, 0.05: noise of two test parts of 333; a fifth of what the first code is worth.
        rule=within(-0.05, 0.05) if name == "nk" else ORDER[name].rule,
        confidence=0.95,
        min_n=5,
    )
    for name, readings in {
        "mig": (),
        "sap": ("Accuracies of a linear support vector machine.",),
        "dci": ("Mean of D, C and I with boosted trees.",),
        "med": ("Mean of D and C of the binned mutual information; I is left out, being the same for both models.",),
        "snc": (),
        "nk": ("Classifiers are trained for 20 epochs instead of 75.",),
    }.items()
}


# ------------------------------------------------------------------ by definition
def joint(law: ToyLaw, code: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Table of probabilities of a code (as numbers from 0) and a factor."""
    table = np.zeros((code.max() + 1, 2))
    np.add.at(table, (code, factor), law.probability)
    return table


def accuracy(law: ToyLaw, code: np.ndarray, factor: np.ndarray) -> float:
    """How often the best guess from this code is right."""
    return float(joint(law, code, factor).max(axis=1).sum())


def bits(table: np.ndarray) -> float:
    """Mutual information of a joint table."""
    independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
    present = table > 0
    return float((table[present] * np.log2(table[present] / independent[present])).sum())


def scores(law: ToyLaw) -> dict[str, float]:
    """All six scores of a law with fair factors, in percent."""
    codes, factors = law.codes.T, law.factors.T
    alone = np.array([[accuracy(law, code, factor) for factor in factors] for code in codes])
    information = np.array([[bits(joint(law, code, factor)) for factor in factors] for code in codes])
    pair = 2 * codes[0] + codes[1]
    both = np.array([accuracy(law, pair, factor) for factor in factors])
    aligned = align(np.maximum(information, 0.0))
    own = alone[aligned, [0, 1]]
    rest = alone[1 - aligned, [0, 1]]

    def mean_of_three(importance: np.ndarray) -> float:
        return (dci_disentanglement(importance) + dci_completeness(importance) + both.mean()) / 3

    parts = {
        "mig": mig_gap(np.maximum(information, 0.0), [1.0, 1.0]),
        "sap": sap_gap(alone),
        "dci": mean_of_three(np.maximum(alone - 0.5, 0.0)),
        "med": mean_of_three(np.maximum(information, 0.0)),
        "snc": float(((own - 0.5) / 0.5).mean()),
        "nk": float((both - rest).mean()),
    }
    return {name: 100 * value for name, value in parts.items()}


def cell(name: str, second_accuracy: float) -> Estimate:
    return exact(scores(toy_law(second_accuracy))[name])


def order(name: str, *, first: float = MODELS["M1"], second: float = MODELS["M2"]) -> Estimate:
    return exact(scores(toy_law(first))[name] - scores(toy_law(second))[name])


# ------------------------------------------------------------------ from samples
def _trees(sample, stream) -> float:
    score = dci(sample, generator=stream)
    return (score.value + score.details["completeness"] + score.details["informativeness"]) / 3


def _information(sample, stream) -> float:
    relation = mutual_information(sample.codes, sample.factors)
    return (dci_disentanglement(relation) + dci_completeness(relation)) / 2


AS_USED: dict[str, Callable] = {
    "mig": lambda sample, stream: float(mig(sample)),
    "sap": lambda sample, stream: float(sap(sample, generator=stream)),
    "dci": _trees,
    "med": _information,
    "snc": lambda sample, stream: float(snc(sample)),
    "nk": lambda sample, stream: float(nk(sample, epochs=20, generator=stream)),
}


def sampled_order(
    name: str,
    *,
    first: float = MODELS["M1"],
    second: float = MODELS["M2"],
    repetitions: int = 6,
    n: int = 1_000,
) -> Estimate:
    def score(repetition: int, model: int, share: float) -> float:
        stream = generator(claim=CELL.id, metric=name, repetition=repetition, model=model)
        return AS_USED[name](toy_model(n, stream, second_accuracy=share), stream)

    differences = [score(i, 1, first) - score(i, 2, second) for i in range(repetitions)]
    return mean_interval(differences, confidence=SAMPLED[name].confidence)


def _test_of(card: Claim, estimate: Callable[[], Estimate]) -> Callable[..., None]:
    """Make the test of one entry of a table of cards."""

    @card.covers
    def test(judge):
        judge(card, estimate())

    return test


for _name in PRINTED:
    for _model, _share in MODELS.items():
        globals()[f"test_{_name}_scores_{_model.lower()}_as_printed"] = _test_of(
            CELLS[f"{_name} {_model}"], lambda name=_name, share=_share: cell(name, share)
        )
    globals()[f"test_{_name}_orders_the_models_as_printed"] = _test_of(ORDER[_name], lambda name=_name: order(name))
    globals()[f"test_{_name}_orders_samples_of_the_models_as_printed"] = _test_of(
        SAMPLED[_name], lambda name=_name: sampled_order(name)
    )
