"""What is recomputed from the detailed tables of 'Correcting Flaws', against cells worked out by hand."""

import pytest

from dbench.errors import InvalidInput
from dbench_published import flaws


@pytest.mark.parametrize(("percent", "expected"), [(50, 0), (75, 50), (100, 100), (20, 0)])
def test_guessing_scores_0_and_perfection_100(percent, expected):
    assert flaws.adjusted(percent, 0.5) == expected


def test_chance_of_two_factors_together_is_the_product():
    assert flaws.chance("MPI3D", "both") == pytest.approx(1 / 12)
    assert flaws.chance("3dshapes", "orientation") == pytest.approx(1 / 15)


def test_the_mean_over_splits_is_that_of_the_printed_rows():
    # Table 9, MLP: the means of x, y, size, orientation and shape over five splits
    columns = [
        (89.63, 91.22, 90.43, 94.07, 89.92),
        (92.87, 92.46, 91.39, 94.23, 89.44),
        (99.04, 99.22, 98.92, 98.88, 99.02),
        (65.54, 66.79, 65.73, 67.51, 61.74),
        (99.64, 99.53, 99.78, 99.87, 99.07),
    ]
    expected = sum(map(sum, columns)) / 25
    assert flaws.mean_over_splits("mlp", adjust=False)["dSprites", "beta_vae"] == pytest.approx(expected)


def test_a_product_takes_the_mean_of_each_factor_first():
    # Table 9, SNC: size and shape over five splits, chance 1/6 and 1/3
    size = sum((44.80, 45.90, 32.82, 45.15, 31.20)) / 5
    shape = sum((52.17, 49.99, 47.69, 48.19, 51.50)) / 5
    expected = (size - 100 / 6) / (5 / 6) * (shape - 100 / 3) / (2 / 3) / 100
    assert flaws.product_of_shape_and_size("snc")["dSprites", "beta_vae"] == pytest.approx(expected)


def test_novel_accuracy_is_adjusted_after_averaging():
    mean = sum((4.97, 14.41, 32.94, 0, 0, 0, 49.19, 37.78)) / 8
    expected = (mean - 100 / 32) / (31 / 32)
    assert flaws.recomputed_novel()["3dshapes", "beta_vae"] == pytest.approx(expected)


def test_exchanged_headings_are_put_right_unless_asked_for():
    right = flaws.product_of_shape_and_size("snc")
    as_headed = flaws.product_of_shape_and_size("snc", as_headed=True)
    assert right.index[right != as_headed].tolist() == [("MPI3D", "parted_vae")]


def test_the_supervised_model_has_its_own_accuracies():
    # Table 47, random splits, shape
    expected = sum((96.20, 95.94, 96.43, 95.56, 95.09)) / 5
    assert flaws.supervised_accuracy("MPI3D", "random_split")["shape"] == pytest.approx(expected)


def test_a_metric_that_a_table_lacks_is_refused():
    with pytest.raises(InvalidInput, match="one cell for each data set and model, got 0"):
        flaws.summary(7, "modularity")
