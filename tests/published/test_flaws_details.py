"""What is recomputed from the detailed tables of 'Correcting Flaws'; the errata list all that does not follow."""

import pytest

from dbench.errors import InvalidInput
from dbench_published import flaws
from dbench_published.errata.entries import errata


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


@pytest.mark.parametrize(("percent", "expected"), [(50, 0), (75, 50), (100, 100), (20, 0)])
def test_guessing_scores_0_and_perfection_100(percent, expected):
    assert flaws.adjusted(percent, 0.5) == expected


def test_exchanged_headings_are_put_right_unless_asked_for():
    right = flaws.product_of_shape_and_size("snc")
    as_headed = flaws.product_of_shape_and_size("snc", as_headed=True)
    assert right.index[right != as_headed].tolist() == [("MPI3D", "parted_vae")]


def test_the_supervised_model_has_its_own_accuracies_and_both_factors_their_chance():
    # Table 47, random splits, shape
    expected = sum((96.20, 95.94, 96.43, 95.56, 95.09)) / 5
    assert flaws.supervised_accuracy("MPI3D", "random_split")["shape"] == pytest.approx(expected)
    assert flaws.chance("MPI3D", "both") == pytest.approx(1 / 12)


def test_a_metric_that_a_table_lacks_is_refused():
    with pytest.raises(InvalidInput, match="one cell for each data set and model, got 0"):
        flaws.summary(7, "modularity")
