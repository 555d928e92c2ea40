"""docs/errata.md is recomputed: every entry shows the printed figure and the right one, and lists no cell too many."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dbench.metrics.aggregations import dci_completeness, dci_disentanglement
from dbench.stats import compare_independent_correlations, correlation, correlation_test
from dbench_fixtures.published import flaws, read_table
from dbench_fixtures.published.flaws_correlations import CORRECTED, POPULATIONS, novel, printed_correlation, scores

PAGE = (Path(__file__).parents[2] / "docs" / "errata.md").read_text(encoding="utf-8")
# "### name: place", then the text up to the next heading.
ENTRIES = {
    match[1]: " ".join(match[2].split())
    for match in re.finditer(r"^### ([^\s:]+)[^\n]*\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S)
}
RECOMPUTED: dict[str, Callable[[], list[str]]] = {}


def erratum(function: Callable[[], list[str]]) -> Callable[[], list[str]]:
    """Register what an entry must show, all of it computed here; the entry has the function's name."""
    RECOMPUTED[function.__name__.replace("_", "-")] = function
    return function


def entropy(*p: float) -> float:
    return -sum(x * math.log2(x) for x in p)


def table_2(metric: str, data_set: str, model: str, value: str = "mean") -> float:
    return float(flaws.summary(2, metric, value=value)[data_set, model])


@erratum
def sober_variance():
    cells = read_table("sober_table_5").set_index(["metric", "data_set"])
    kept = cells.drop("irs").drop("MPI3D", level=1)
    shown = []
    for regressors in ("objective", "objective x strength"):
        shown += [f"{t[t['regressors'] == regressors]['percent'].mean():.2f}%" for t in (cells, kept)]
    assert shown[1::2] == ["37.29%", "58.64%"]
    return [*shown, "37%", "59%"]


@erratum
def sober_householder():
    v = np.array([math.sqrt(0.2), math.sqrt(0.8)])
    assert (np.eye(2) - 2 * np.outer(v, v))[0, 1] == pytest.approx(-2 * v[0] * v[1])
    return ["`-v_i v_j`", "`-2 v_i v_j`"]


@erratum
def hownot_fact_8():
    power = 25
    explained = (1 / (power + 2)) ** 2 / ((1 / 3) * (2 / (2 * power + 1)))
    return ["0.98", f"{explained:.3f}", f"{1 - explained:.3f}"]


@erratum
def irs_ranks():
    cells = read_table("irs_table_1").query("metric == 'informativeness'").set_index("model")
    right = cells["value"].rank(ascending=False, method="min")
    assert right[right != cells["rank"]].to_dict() == {"annealed_vae": 3.0, "factor_vae": 3.0}
    assert (cells["rank"][["annealed_vae", "factor_vae"]] == 4).all()
    return ["0.79(4)", "0.79(3)"]


@erratum
def flaws_images():
    images = {data_set: math.prod(sizes.values()) for data_set, sizes in flaws.FACTOR_SIZES.items()}
    assert (images["dSprites"], images["3dshapes"]) == (737_280, 480_000)
    return ["103,680", f"{images['MPI3D']:,}"]


@erratum
def flaws_theorem_3_1():
    shown = []
    for n in (16, 64):
        half = -2 * 0.5 * math.log(0.5, n)
        assert half == pytest.approx(math.log(2, n))
        shown += [f"{1 - 2 * half:.2f} at {n}", f"{1 - half:.2f} at {n}"]
    return shown


@erratum
def flaws_toy_mig():
    first, second = 1 - entropy(0.75, 0.25), 1 - entropy(0.7, 0.3)
    return ["11.9", f"{100 * (first + first - second) / 2:.1f}", f"{second:.4f}", f"{first:.4f}"]


@erratum
def flaws_toy_snc():
    by_definition = [100 * np.mean([(a - 0.5) / 0.5 for a in pair]) for pair in ((0.75, 0.5), (0.75, 0.7))]
    return ["12.5", "22.5", *(f"{value:.1f}" for value in by_definition)]


@erratum
def flaws_toy_dci():
    scores_of = []
    for second in (0.2, 0.4):
        matrix = np.array([[0.5, 0.5], [0.0, second]])
        scores_of.append(100 * (dci_disentanglement(matrix) + dci_completeness(matrix) + 0.75) / 3)
    return [f"{value:.1f}" for value in scores_of]


@erratum
def flaws_table_2_caption():
    point = ("dSprites", "beta_vae")
    shown = [f"{flaws.mean_over_splits('mlp', adjust=adjust)[point]:.2f}" for adjust in (False, True)]
    unadjusted = {m: (flaws.summary(2, m) - flaws.mean_over_splits(m, adjust=False)).abs() for m in ("linear", "mlp")}
    for apart in unadjusted.values():
        assert apart[apart >= 0.06].index.tolist() == [("dSprites", "weak_de")]
    return [f"{table_2('mlp', *point):.1f}", *shown]


@erratum
def flaws_table_2_weak_de():
    shown = []
    for metric in ("snc", "linear", "mlp", "nk"):
        right = flaws.mean_over_splits(metric, adjust=metric == "snc")["dSprites", "weak_de"]
        shown.append(f"{table_2(metric, 'dSprites', 'weak_de'):.1f}, {right:.1f}")
    accuracy, difference = (flaws.mean_over_splits(m, adjust=False)["dSprites", "weak_de"] for m in ("mlp", "nk"))
    assert table_2("mlp", "3dshapes", "weak_de") == table_2("mlp", "dSprites", "weak_de") == 99.8
    return [*shown, "93.9", f"{accuracy - difference:.1f}"]


@erratum
def flaws_table_2_snc():
    adjusted_by = {
        "3dshapes": {
            "floor_hue": 0.1,
            "wall_hue": 0.1,
            "object_hue": 0.1,
            "size": 0.05,
            "orientation": 0.05,
            "shape": 0.05,
        },
        "MPI3D": {f: 1 / k for f, k in flaws.FACTOR_SIZES["MPI3D"].items()}
        | {"camera_height": 0.03, "background_hue": 0.03},
    }
    cells = read_table("flaws_tables_9_26").query("classifier == 'snc' and factor != 'both'")
    means = cells.groupby(["data_set", "model", "factor"])["percent"].mean()
    for data_set, guessing in adjusted_by.items():
        for model in flaws.MODELS:
            values = [flaws.adjusted(means[data_set, model, f], r) for f, r in guessing.items()]
            assert np.mean(values) == pytest.approx(flaws.summary(7, "snc")[data_set, model], abs=0.015)
    right = flaws.mean_over_splits("snc", adjust=True)
    return [f"{table_2('snc', d, 'beta_vae'):.1f}, {right[d, 'beta_vae']:.1f}" for d in ("3dshapes", "MPI3D")]


@erratum
def flaws_table_2_deviations():
    shown = []
    for model in ("beta_vae", "factor_vae"):
        own, other = (flaws.deviation_over_splits(m, adjust=False)["dSprites", model] for m in ("mlp", "nk"))
        printed = [table_2(m, "dSprites", model, "sd") for m in ("mlp", "nk")]
        assert [round(other, 2), round(own, 2)] == printed
        shown += [f"{own:.2f}", f"{other:.2f}"]
    return shown


@erratum
def flaws_table_3_columns():
    shown = []
    for data_set in ("dSprites", "MPI3D"):
        means = flaws.supervised_accuracy(data_set, "random_split")
        shape, size = (float(flaws.adjusted(means[t], flaws.chance(data_set, t))) for t in ("shape", "size"))
        shown += [f"{shape:.2f}", f"{size:.2f}"]
    printed = read_table("flaws_table_3").query("model == 'mtd' and setting == 'random_split'")
    printed = printed.set_index(["data_set", "target"])["percent"]
    assert printed["dSprites", "shape"] == pytest.approx(float(shown[1]), abs=0.01)
    assert printed["dSprites", "size"] == pytest.approx(float(shown[0]), abs=0.01)
    assert printed["MPI3D", "size"] == pytest.approx(float(shown[2]), abs=0.01)
    return [*shown, "99.66", "99.80"]


@erratum
def flaws_table_3_random_split():
    printed, mlp = flaws.novel_accuracy(setting="random_split"), flaws.summary(2, "mlp")
    means = flaws.mean_over_splits("mlp", adjust=False)
    same = ((printed - means).abs() < 0.015).sum()
    assert same == 17
    assert printed["dSprites", "weak_de"] != mlp["dSprites", "weak_de"]
    right = flaws.random_split_accuracy()
    points = (("dSprites", "beta_vae"), ("MPI3D", "parted_vae"))
    return [text for point in points for text in (f"{printed[point]:.2f}", f"{right[point]:.2f}")]


@erratum
def flaws_table_3_novel():
    shown = []
    for classifier, setting in (("mlp", "novel"), ("linear", "novel_linear")):
        printed, right = flaws.novel_accuracy(setting=setting), flaws.recomputed_novel(classifier=classifier)
        apart = (printed - right).abs() >= 0.015
        shown += [f"{a:.2f}, {b:.2f}" for a, b in zip(printed[apart], right[apart], strict=True)]
    mean = flaws.novel_by_combination("3dshapes").loc["parted_vae"].mean()
    assert len(shown) == 5
    return [*shown, f"{mean:.2f}"]


@erratum
def flaws_table_4_dci():
    shown = []
    for population in POPULATIONS:
        values, accuracy = scores(CORRECTED, population), novel(CORRECTED, population)
        for metric in ("snc", "nk", "mig", "sap", "irs", "med"):
            assert correlation(values[metric], accuracy) == pytest.approx(
                printed_correlation(metric, population), abs=0.0015
            )
        recomputed = {m: correlation(values[m], accuracy) for m in ("d", "c", "i", "dci")}
        assert printed_correlation("dci", population) == pytest.approx(recomputed["d"], abs=0.0015)
        shown += [f"{recomputed[m]:.3f}"[1:] for m in ("d", "c", "i", "dci")]
        shown += [f"{printed_correlation(m, population):.3f}"[1:] for m in ("d", "c", "i", "dci")]
    return shown


@erratum
def flaws_table_6_nk():
    cells = (
        read_table("flaws_table_6").query("population == '3dshapes'").set_index(["metric", "variant"])["correlation"]
    )
    shown = [cells["nk", "as_in_table_4"], cells["mig", "mean"], cells["c", "mean"]]
    assert shown[0] < min(shown[1:])
    return [f"{value:.3f}" for value in shown]


@erratum
def flaws_table_7_caption():
    own = [flaws.summary(7, m) - flaws.summary(2, m) for m in ("snc", "nk")]
    assert (pd.concat(own).abs() > 0.0501).sum() == 1
    return [f"{flaws.summary(t, 'snc', variant=v)['dSprites', 'beta_vae']}" for t, v in ((7, None), (8, "product"))]


@erratum
def flaws_table_8_dci():
    point = ("dSprites", "beta_vae")
    parts = [flaws.summary(8, m, variant="all_factors")[point] for m in ("dci", "d", "c", "i")]
    assert parts[0] < min(parts[1:])
    return [f"{value:.3f}" for value in parts]


@erratum
def flaws_table_8_nk():
    splits = read_table("flaws_tables_9_26").query("data_set == 'dSprites' and model == 'factor_vae'")
    means = splits.groupby(["classifier", "factor"])["percent"].mean()
    size, shape = (means["mlp", f] - means["mlp_knocked_out", f] for f in ("size", "shape"))
    product = size * shape / 100
    printed = flaws.summary(8, "nk")["dSprites", "factor_vae"]
    assert printed == pytest.approx(product * (1 - 1 / 6) * (1 - 1 / 3), abs=0.001)
    return [f"{size:.2f}", f"{shape:.2f}", f"{product:.2f}", f"{printed:.3f}"]


@erratum
def flaws_table_8_snc():
    printed, right = flaws.summary(8, "snc"), flaws.product_of_shape_and_size("snc")
    points = [("3dshapes", "parted_vae"), ("3dshapes", "weak_de"), ("MPI3D", "parted_vae")]
    return [text for p in points for text in (f"{printed[p]:.2f}", f"{right[p]:.2f}")]


def joint_bounds(table: int, split: int, classifier: str, first: str, second: str) -> tuple[float, float, float]:
    """Least and largest joint accuracy that two accuracies allow, and the printed one."""
    cells = read_table("flaws_tables_9_26").query("table == @table and split == @split and classifier == @classifier")
    percent = cells.set_index("factor")["percent"]
    low = max(0.0, percent[first] + percent[second] - 100)
    return low, min(percent[first], percent[second]), percent["both"]


def contradicted_tables() -> set[int]:
    """Tables in which more rows contradict the headings of shape and another factor than contradict their exchange."""
    found = set()
    for name, keys in (
        ("flaws_tables_9_26", ["table", "data_set", "split", "classifier"]),
        ("flaws_tables_27_44", ["table", "data_set", "combination", "classifier"]),
        ("flaws_tables_45_47", ["table", "data_set", "setting", "case"]),
    ):
        rows = read_table(name).pivot_table(index=keys, columns="factor", values="percent")
        for (table, data_set), cells in rows.groupby(["table", "data_set"]):
            if data_set != "dSprites":
                other = {"3dshapes": "object_hue", "MPI3D": "background_hue"}[data_set]
                if contradictions(cells, "shape") > contradictions(cells, other):
                    found.add(table)
    return found


def contradictions(cells: pd.DataFrame, shape: str) -> int:
    """Rows whose joint accuracy of size and shape no two events with the printed accuracies can have."""
    low, high = cells["size"] + cells[shape] - 100, np.minimum(cells["size"], cells[shape])
    return int(((cells["both"] < low - 0.02) | (cells["both"] > high + 0.02)).sum())


@erratum
def flaws_exchanged_headings():
    low, _, both = joint_bounds(24, 0, "mlp", "size", "shape")
    assert both < low
    least, most, both_again = joint_bounds(24, 0, "mlp", "size", "background_hue")
    assert least <= both_again <= most
    novel_cells = read_table("flaws_tables_27_44").query("table == 36 and combination == '2-1' and classifier == 'mlp'")
    percent = novel_cells.set_index("factor")["percent"]
    assert percent["both"] > percent["shape"]
    assert percent["both"] <= min(percent["size"], percent["object_hue"])
    assert contradicted_tables() == set(flaws.EXCHANGED)
    return [f"{x:.2f}" for x in (low, both, percent["both"], percent["shape"], percent["object_hue"])]


@erratum
def flaws_impossible_cells():
    shown = []
    for table, split in ((15, 1), (16, 0)):
        low, high, both = joint_bounds(table, split, "mlp", "size", "shape")
        assert not low - 0.02 <= both <= high + 0.02
        shown += [f"{both:.2f}", f"{high if both > high else low:.2f}"]
    return shown


@erratum
def flaws_repeated_rows():
    shown = []
    for name, keys in (
        ("flaws_tables_9_26", ["table", "split", "classifier"]),
        ("flaws_tables_27_44", ["table", "combination", "classifier"]),
    ):
        rows: dict[tuple, list] = {}
        for place, cells in read_table(name).query("factor != 'both'").groupby(keys):
            rows.setdefault(tuple(cells["percent"]), []).append(place)
        shown += [str(places[0][0]) for places in rows.values() if len(places) > 1]
    cells = read_table("flaws_tables_9_26")
    stray = cells.query("table == 12 and split == 2 and classifier == 'mlp_knocked_out'")["percent"].tolist()
    assert stray == cells.query("table == 18 and split == 2 and classifier == 'snc'")["percent"].dropna().tolist()
    return [*(f"Table {table}" for table in sorted(set(shown))), f"{stray[0]} {stray[1]} {stray[2]}"]


@erratum
def flaws_significance():
    printed = {m: printed_correlation(m, "all") for m in ("snc", "mig", "sap", "irs")}
    shown = []
    for metric in ("mig", "sap", "irs"):
        result = compare_independent_correlations(printed["snc"], printed[metric], 18, 18)
        shown += [f"{result.statistic:.2f}", f"{result.p / 2:.4f}"]
    without_factor_2 = (math.atanh(printed["snc"]) - math.atanh(printed["mig"])) * math.sqrt(18 - 3)
    one_sided = float(stats.norm.sf(without_factor_2))
    assert one_sided < 0.01 < compare_independent_correlations(printed["snc"], printed["mig"], 18, 18).p / 2
    assert correlation_test(printed["snc"], 18).p < 1e-5
    return [*shown, f"{without_factor_2:.2f}", f"{one_sided:.4f}"]


def test_every_entry_is_recomputed_and_every_recomputation_has_an_entry():
    assert set(ENTRIES) == set(RECOMPUTED)


@pytest.mark.parametrize("name", RECOMPUTED)
def test_an_entry_shows_the_printed_figure_and_the_right_one(name):
    missing = [text for text in RECOMPUTED[name]() if text not in ENTRIES[name]]
    assert not missing
