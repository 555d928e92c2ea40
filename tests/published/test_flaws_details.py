"""What is recomputed from the detailed tables of 'Correcting Flaws'; test_errata_cells.py has the recomputed cells."""

import pytest

from dbench.errors import InvalidInput
from dbench_published import flaws


@pytest.mark.parametrize(("percent", "expected"), [(50, 0), (75, 50), (100, 100), (20, 0)])
def test_guessing_scores_0_and_perfection_100(percent, expected):
    assert flaws.adjusted(percent, 0.5) == expected


def test_exchanged_headings_are_put_right_unless_asked_for():
    right = flaws.product_of_shape_and_size("snc")
    as_headed = flaws.product_of_shape_and_size("snc", as_headed=True)
    assert right.index[right != as_headed].tolist() == [("MPI3D", "parted_vae")]


def test_a_metric_that_a_table_lacks_is_refused():
    with pytest.raises(InvalidInput, match="one cell for each data set and model, got 0"):
        flaws.summary(7, "modularity")
