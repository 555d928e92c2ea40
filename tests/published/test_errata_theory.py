"""Errata of statements and toy examples: what can be worked out without the detailed tables."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dbench.metrics.aggregations import dci_completeness, dci_disentanglement
from dbench_fixtures.published import flaws, read_table


def entropy(*p: float) -> float:
    return -sum(x * math.log2(x) for x in p)


def test_the_mean_share_of_variance_is_not_that_of_the_table(shown):
    cells = read_table("sober_table_5").set_index(["metric", "data_set"])
    kept = cells.drop("irs").drop("MPI3D", level=1)
    texts = ["37%", "59%"]
    for regressors, printed in (("objective", 37), ("objective x strength", 59)):
        whole, part = (t[t["regressors"] == regressors]["percent"].mean() for t in (cells, kept))
        assert abs(whole - printed) > 1  # each cell is rounded to a percent, so a mean is off by 0.5 at most
        assert round(part) == printed
        texts += [f"{whole:.0f}% ({whole:.2f}%)", f"{whole:.2f}%", f"{part:.2f}%"]
    shown("sober-variance", *texts)


def test_a_householder_matrix_has_twice_the_product_off_its_diagonal(shown):
    v = np.array([math.sqrt(0.2), math.sqrt(0.8)])
    assert (np.eye(2) - 2 * np.outer(v, v))[0, 1] == pytest.approx(-2 * v[0] * v[1])
    shown("sober-householder", "A_ij = -v_i v_j", "-2 v_i v_j")


def test_no_way_of_ranking_ties_gives_the_printed_ranks(shown):
    cells = read_table("irs_table_1").query("metric == 'informativeness'").set_index("model")
    ranks = {way: cells["value"].rank(ascending=False, method=way) for way in ("min", "max", "average", "dense")}
    assert all((rank != cells["rank"]).any() for rank in ranks.values())
    right = ranks["min"]
    assert right[right != cells["rank"]].to_dict() == {"annealed_vae": 3.0, "factor_vae": 3.0}
    of_information = read_table("irs_table_1").query("metric == 'mutual_information'")
    assert (of_information["value"].rank(ascending=False, method="min") == of_information["rank"]).all()
    listed = [", ".join(f"{rank:g}" for rank in sorted(ranks[way])) for way in ("min", "max", "average")]
    shown("irs-ranks", "0.79(4)", "0.79(3)", "0.82(1)", "0.74(5)", *listed)


def explained(power: int, terms: int) -> float:
    """Share of one uniform factor's variance that a linear model explains from a sum of odd powers of the factors."""
    return (1 / (power + 2)) ** 2 / ((1 / 3) * (terms / (2 * power + 1)))


def test_powers_explain_a_tenth_of_each_of_two_factors(shown):
    assert f"{explained(15, 1):.2f}" == "0.32"
    share = explained(25, 2)
    shown("hownot-fact-8", "0.98", f"{share:.3f}", f"{1 - share:.3f}", "0.32")


def test_mpi3d_has_ten_times_the_printed_number_of_images(shown):
    images = {data_set: math.prod(sizes.values()) for data_set, sizes in flaws.FACTOR_SIZES.items()}
    sizes = " x ".join(map(str, flaws.FACTOR_SIZES["MPI3D"].values()))
    shown("flaws-images", "103,680", sizes, *(f"{number:,}" for number in images.values()))


def test_two_equal_halves_have_the_entropy_log_2(shown):
    texts = []
    for n in (16, 64):
        half = -2 * 0.5 * math.log(0.5, n)
        assert half == pytest.approx(math.log(2, n))
        texts += [f"{1 - 2 * half:.2f} at {n}", f"{1 - half:.2f} at {n}"]
    shown("flaws-theorem-3-1", *texts)


def test_the_gaps_of_m2_have_the_mean_12_9(shown):
    first, second = 1 - entropy(0.75, 0.25), 1 - entropy(0.7, 0.3)
    right = 100 * (first + first - second) / 2
    shown("flaws-toy-mig", "11.9", f"{right:.1f}", f"{second:.4f}", f"{first:.4f}", f"{first - second:.2f}")


def test_adjusting_for_chance_divides_by_what_chance_leaves(shown):
    right = [100 * np.mean([(a - 0.5) / 0.5 for a in pair]) for pair in ((0.75, 0.5), (0.75, 0.7))]
    shown("flaws-toy-snc", "12.5", "22.5", *(f"{value:.1f}" for value in right))


def test_dci_of_m2_depends_on_the_ratio_of_two_importances(shown):
    def dci(first: float, second: float) -> str:
        matrix = np.array([[first, first], [0.0, second]])
        return f"{100 * (dci_disentanglement(matrix) + dci_completeness(matrix) + 0.75) / 3:.1f}"

    assert dci(0.5, 0.4) == dci(0.25, 0.2)
    shown("flaws-toy-dci", dci(0.5, 0.2), dci(0.5, 0.4))
