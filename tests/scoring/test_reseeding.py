"""What another seed moves: read off the shipped tables, by the right name of each score."""

import itertools

import numpy as np
import pandas as pd
import pytest

from dbench.codes.arrays import read_arrays
from dbench.errors import DamagedData, UnknownName
from dbench.scoring import reseeding
from dbench.scoring.compute import compute
from dbench.scoring.inputs import prepared
from dbench.scoring.plan import PLAN
from dbench.scoring.reseeding import (
    LARGEST,
    differences_of_seeds,
    read_scores,
    score_name,
    smallest_reliable_difference,
    tables,
)
from dbench.zoo.panel import SHIPPED, read_panel

SAME_SETTING = ["objective", "strength"]


def test_pairs_are_of_one_setting():
    rows = [("a", 1, 0.1), ("a", 1, 0.4), ("a", 1, 0.5), ("a", 2, 7.0), ("b", 1, 9.0), ("b", 1, 8.0)]
    found = differences_of_seeds(pd.DataFrame(rows, columns=[*SAME_SETTING, "value"]))
    assert sorted(found) == pytest.approx([0.1, 0.3, 0.4, 1.0])
    assert len(differences_of_seeds(pd.DataFrame(rows[3:5], columns=[*SAME_SETTING, "value"]))) == 0


@pytest.mark.parametrize("metric", ["mig", "sap[r2]", "dci[forest]"])
def test_one_pair_in_twenty_differs_by_more(metric):
    runs = pd.read_parquet(tables()[LARGEST])
    runs = runs[runs["score"] == score_name(metric)].dropna(subset=["value"])
    pairs = [
        abs(a - b)
        for _, one in runs.groupby(SAME_SETTING)["value"]
        for a, b in itertools.combinations(one.to_list(), 2)
    ]
    assert len(pairs) == 36 * 50 * 49 / 2
    assert np.mean(np.array(pairs) > smallest_reliable_difference(metric)) == pytest.approx(0.05, abs=1e-4)


def test_tables_are_told_apart_and_what_they_lack_has_no_number():
    assert smallest_reliable_difference("mig", "small-dsprites_grid_32") < smallest_reliable_difference("mig")
    for metric in ("dci", "mcc", "irs[crossed]", "udr", "dci[lasso]"):
        assert smallest_reliable_difference(metric) is None
    with pytest.raises(UnknownName, match="unknown table 'small'"):
        smallest_reliable_difference("mig", "small")


def test_names_that_differ_are_metrics_and_scores():
    for metric, score in reseeding._NAMES.items():
        assert metric in PLAN
        assert score is None or score in read_scores(LARGEST)


def test_a_damaged_table_is_named(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "runs.parquet").write_bytes(b"no table")
    monkeypatch.setattr(reseeding, "SHIPPED", tmp_path)
    with pytest.raises(DamagedData, match=r"own/runs\.parquet cannot be read as a table of runs"):
        smallest_reliable_difference("mig", "own")


@pytest.mark.long
def test_a_score_of_the_table_is_what_the_metric_of_that_name_gives():
    """One model's codes of the whole grid, scored here, against its row of the table, which is of other draws."""
    panel = read_panel(SHIPPED)
    number = next(i for i, key in enumerate(panel.keys) if (key.objective, key.strength) == ("factor_vae", 50))
    key, source = panel.keys[number], panel.source(number)
    names = [
        item.name
        for item in PLAN.values()
        if item.speed == "fast" and item.needs in ("sample", "source") and score_name(item.name) in read_scores(LARGEST)
    ]
    names = [name for name in names if name not in ("dci[forest]", "beta_vae_metric")]  # which take as long as the rest
    assert len(names) > 10
    scored = prepared(read_arrays(source.grid_codes, panel.data.grid()))
    for result in compute(scored, metrics=names, repeats=0):
        runs = read_scores(LARGEST)[score_name(result.item.name)]
        own = runs[(runs["objective"] == key.objective) & (runs["strength"] == key.strength)]
        (value,) = own[own["seed"] == key.seed]["value"]
        assert result.score.value == pytest.approx(value, abs=0.05), result.item.name
