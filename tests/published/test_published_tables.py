"""The printed tables: each is whole, and says what the papers say twice the same way twice."""

import numpy as np
import pytest

import dbench_published as published
from dbench.errors import DamagedData, UnknownName
from dbench_published import read_table, table_names

SHAPES = {
    "flaws_figure_14": 36,
    "flaws_table_1": 2 * 6,
    "flaws_table_2": 3 * 6 * 4,
    "flaws_table_3": 3 * 3 * (6 * 3 + 2),
    "flaws_table_4": 2 * 10,
    "flaws_table_6": 2 * 17,
    "flaws_table_7": 18 * 9,
    "flaws_table_8": 18 * 18,
    "flaws_tables_9_26": 6 * 5 * 4 * (6 + 7 + 8),
    "flaws_tables_27_44": 6 * 2 * (5 * 6 + 8 * 7 + 6 * 8),
    "flaws_tables_45_47": 9 * 6 + 13 * 7 + 11 * 8,
    "irs_table_1": 5 * 4,
    "sober_table_1": 4,
    "sober_table_5": 2 * 8 * 7,
    "udr_figure_4": 4,
    "udr_table_1": 9,
    "udr_table_6": 5,
}


def test_every_table_has_the_number_of_cells_its_shape_prescribes():
    assert {name: len(read_table(name)) for name in table_names()} == SHAPES


@pytest.mark.parametrize("name", [n for n in SHAPES if "percent" in read_table(n)])
def test_percentages_lie_between_0_and_100(name):
    percent = read_table(name)["percent"].dropna()
    assert percent.between(0, 100).all()


def test_table_8_repeats_table_7_within_rounding():
    rounded = read_table("flaws_table_8").query("variant == 'all_factors'")
    both = rounded.merge(read_table("flaws_table_7"), on=["data_set", "model", "metric"])
    assert len(both) == 18 * 7
    assert np.allclose(100 * both["value"], both["percent"], atol=0.0501)


def test_table_2_repeats_the_own_metrics_of_table_7_within_rounding_but_for_one_model():
    own = read_table("flaws_table_2").merge(read_table("flaws_table_7"), on=["data_set", "model", "metric"])
    apart = own[(own["mean"] - own["percent"]).abs() > 0.0501]
    assert apart[["data_set", "model", "metric"]].to_numpy().tolist() == [["dSprites", "weak_de", "nk"]]


def test_table_6_repeats_table_4():
    plain = read_table("flaws_table_6").query("variant == 'as_in_table_4'")
    both = plain.merge(read_table("flaws_table_4"), on=["metric", "population"])
    assert len(both) == 18
    assert (both["correlation_x"] == both["correlation_y"]).all()


def test_missing_figures_are_those_printed_as_a_dash():
    table = read_table("flaws_tables_9_26")
    missing = table[table["percent"].isna()]
    assert missing["remark"].eq('printed as "-"').all()
    outside = missing.query("not (classifier == 'mlp_knocked_out' and factor == 'both')")
    assert outside[["table", "split", "classifier", "factor"]].to_numpy().tolist() == [
        [13, 0, "snc", "both"],
        [13, 3, "mlp", "both"],
        [16, 3, "linear", "wall_hue"],
        [18, 1, "snc", "both"],
        [18, 2, "snc", "both"],
    ]


def test_a_table_is_fresh_each_time():
    table = read_table("udr_table_1")
    table["mean"] = 0.0
    assert (read_table("udr_table_1")["mean"] > 0).all()


def test_an_unknown_table_is_named_with_its_nearest_match():
    with pytest.raises(UnknownName, match="did you mean 'flaws_table_2'"):
        read_table("flaws_table_22")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("model,mean\na,1\n", "comment"),
        ("# place\nmodel,mean\na,high\n", "cannot be read"),
        ("# place\nmodel,mean\na,1\na,2\n", "a cell twice"),
        ("# place\nmodel,mean\na,\n", "without a figure"),
        ("# place\nmodel,mean\na,inf\n", "without a figure"),
        ("# place\nmodel,mean\n", "without a figure"),
        ("# place\nmodel,mean,remark\na,,\n", "without a figure"),
        ("# place\nrank,mean\nfirst,1\n", "cannot be read"),
        ("# place\n", "cannot be read"),
    ],
)
def test_a_damaged_table_is_refused(tmp_path, monkeypatch, text, why):
    (tmp_path / "broken.csv").write_text(text)
    monkeypatch.setattr(published, "_TABLES", tmp_path)
    published._read.cache_clear()
    with pytest.raises(DamagedData, match=why):
        read_table("broken")
