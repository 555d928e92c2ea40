"""Causes in the images: whether 16 x 16 pixels tell shape and size apart."""

import numpy as np
from causes_runs import MICRO, Budget, Report, Scores, experiment, keys_of, mean, train_state

from dbench.metrics.classifiers import Classifier, Training, predict_labels
from dbench.metrics.novel_combinations import adjust_for_chance
from dbench.seeds import generator
from dbench.training import State, encode_grid
from dbench.zoo.engine import images_of
from dbench.zoo.scorers import protocol


@experiment
def random_split(budget: Budget, report: Report) -> None:
    """Shape and size of unseen random points are not recognised from the codes: are the runs too short?

    dsprites_grid_16 without 2,560 points at random (draw 0), on which neither model nor classifier is trained; beta_vae
    at 1 and mtd at 10, two seeds. After 6,000 steps, after 30,000 of the same runs, and after 6,000 with layers of 256
    units instead of 64. Perceptrons as in novel_combinations, 10,000 points, 75 passes. The same perceptrons are also
    given the 256 pixels in place of codes, which says what images of this size tell.

    Looked at: the share of points whose shape and size are both right, adjusted for chance, and each alone.

    - Length, width: each supported for a system if it brings the adjusted accuracy to the claim's bound, 0.5 for
      beta_vae and 0.9 for mtd; 'partly' if it raises it by 0.1 or more.
    - The size of the images: refuted if the pixels reach 0.9, supported if they stay below the bounds.
    """
    name = f"{MICRO.data[0]}-without-random0"
    short, long = budget.steps(6000), budget.steps(30_000)
    images = images_of(name)[1]
    found = {"256 pixels": _recognised(images.flatten(1).numpy()[None], name, budget)}
    for objective, strength in (("beta_vae", 1.0), ("mtd", 10.0)):
        keys = keys_of(objective, (strength,), budget.numbers(2), long, name)
        kept: dict[int, State] = {}
        train_state(keys, each_block=lambda now, kept=kept: kept.update({now.step: now}))  # type: ignore[misc]
        for steps in (short, long):
            codes = encode_grid(kept[steps].parameters, images, kept[steps].network)[0].numpy()
            found[f"{objective} {strength:g}, {steps:,} steps"] = _recognised(codes, name, budget)
        keys = keys_of(objective, (strength,), budget.numbers(2), short, name)
        wide = train_state(keys, network={"hidden": (256, 256)})
        codes = encode_grid(wide.parameters, images, wide.network)[0].numpy()
        found[f"{objective} {strength:g}, {short:,} steps, 256 units"] = _recognised(codes, name, budget)
    report.table("codes of", found, {"both": "both, adjusted", "0": "shape", "1": "size"})

    both = {row: mean(scores, "both") for row, scores in found.items()}
    for objective, strength, bound in (("beta_vae", 1, 0.5), ("mtd", 10, 0.9)):
        base, more, wider = (value for row, value in both.items() if row.startswith(objective))
        for cause, value in (("length", more), ("width", wider)):
            answer = "yes" if value >= bound > base else "partly" if value >= base + 0.1 else "no"
            report.finding(f"{cause}, {objective} {strength}", answer, f"From {base:.2f} to {value:.2f}.")
    ceiling = both["256 pixels"]
    answer = "no" if ceiling >= 0.9 else "yes" if ceiling < 0.5 else "partly"
    report.finding("size of the images", answer, f"From the pixels {ceiling:.2f}.")


def _recognised(codes: np.ndarray, name: str, budget: Budget) -> list[Scores]:
    """Train perceptrons on the codes (M x N x d) of familiar points; return their accuracies on held-out ones."""
    data, stream = images_of(name)[0], generator(purpose="causes of random_split")
    held_out, sizes = data.held_out(), np.array(data.factor_sizes)
    factors = [data.factor_names.index(factor) for factor in ("shape", "scale")]
    labels = data.grid()[:, factors]
    shown = stream.permutation(np.flatnonzero(~held_out))[: max(100, round(protocol.NOVEL * budget.share))]
    values = codes.astype(np.float64)
    predicted = predict_labels(
        values[:, shown],
        labels[shown],
        values[:, held_out],
        [Classifier(model, j) for model in range(len(codes)) for j in range(len(factors))],
        Training(epochs=protocol.EPOCHS),
        sizes[factors],
        stream,
    )
    right = predicted.reshape(len(codes), len(factors), -1) == labels[held_out].T
    chance = 1 / float(sizes[factors].prod())
    return [
        {
            "both": adjust_for_chance(float(one.all(0).mean()), chance),
            "0": float(one[0].mean()),
            "1": float(one[1].mean()),
        }
        for one in right
    ]
