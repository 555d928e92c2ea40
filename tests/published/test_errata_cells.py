"""The errata list every cell of a summary table that does not follow from the details, and no other."""

import pandas as pd

from dbench.claims.errata import errata
from dbench_published import flaws


def listing() -> list[str]:
    """Every cell of a summary table that does not follow from the details, as the entries list them."""
    lines = []

    def compare(label: str, printed: pd.Series, right: pd.Series, tolerance: float, digits: int) -> None:
        for data_set in flaws.DATA_SETS:
            apart = [
                f"{model} {printed[data_set, model]:.{digits}f} -> {right[data_set, model]:.{digits}f}"
                for model in flaws.MODELS
                if abs(printed[data_set, model] - right[data_set, model]) >= tolerance
            ]
            if apart:
                lines.append(f"{label}, {data_set}: {', '.join(apart)}")

    for metric in ("snc", "linear", "mlp", "nk"):
        right = flaws.mean_over_splits(metric, adjust=metric != "nk")
        compare(f"Table 2, {metric}", flaws.summary(2, metric), right, 0.06, 1)
    for target in ("shape", "size", "both"):
        for setting in ("novel", "novel_linear", "random_split"):
            if setting == "random_split":
                right = flaws.random_split_accuracy(target=target)
            else:
                classifier = "mlp" if setting == "novel" else "linear"
                right = flaws.recomputed_novel(classifier=classifier, target=target)
            printed = flaws.novel_accuracy(setting=setting, target=target)
            compare(f"Table 3, {target}, {setting}", printed, right, 0.015, 2)
    for metric in ("snc", "nk"):
        right = flaws.mean_over_splits(metric, adjust=metric == "snc")
        compare(f"Table 7, {metric}", flaws.summary(7, metric), right, 0.015, 2)
    for metric in ("snc", "nk"):
        compare(f"Table 8, {metric}", flaws.summary(8, metric), flaws.product_of_shape_and_size(metric), 0.01, 3)
    return lines


def test_the_entries_list_every_cell_that_does_not_follow():
    assert sorted(line for entry in errata() for line in entry.cells) == sorted(listing())
