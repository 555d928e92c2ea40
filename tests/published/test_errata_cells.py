"""The errata list every cell of a summary table that does not follow from the details, and no other."""

from dbench.claims.errata import errata
from dbench_published import flaws


def tables():
    """Of every summary table what is printed and what follows, the tolerance and the digits."""
    for metric in ("snc", "linear", "mlp", "nk"):
        right = flaws.mean_over_splits(metric, adjust=metric != "nk")
        yield f"Table 2, {metric}", flaws.summary(2, metric), right, 0.06, 1
    for target in ("shape", "size", "both"):
        follows = {
            "novel": flaws.recomputed_novel(classifier="mlp", target=target),
            "novel_linear": flaws.recomputed_novel(classifier="linear", target=target),
            "random_split": flaws.random_split_accuracy(target=target),
        }
        for setting, right in follows.items():
            printed = flaws.novel_accuracy(setting=setting, target=target)
            yield f"Table 3, {target}, {setting}", printed, right, 0.015, 2
    for metric in ("snc", "nk"):
        right = flaws.mean_over_splits(metric, adjust=metric == "snc")
        yield f"Table 7, {metric}", flaws.summary(7, metric), right, 0.015, 2
        yield f"Table 8, {metric}", flaws.summary(8, metric), flaws.product_of_shape_and_size(metric), 0.01, 3


def test_the_entries_list_every_cell_that_does_not_follow():
    lines = []
    for label, printed, right, tolerance, digits in tables():
        for data_set in flaws.DATA_SETS:
            apart = [
                f"{model} {printed[data_set, model]:.{digits}f} -> {right[data_set, model]:.{digits}f}"
                for model in flaws.MODELS
                if abs(printed[data_set, model] - right[data_set, model]) >= tolerance
            ]
            if apart:
                lines.append(f"{label}, {data_set}: {', '.join(apart)}")
    assert sorted(line for entry in errata() for line in entry.cells) == sorted(lines)
