"""Errata of 'Correcting Flaws', Tables 9 to 47: rows that no experiment can have given, or has given twice."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dbench_fixtures.published import flaws, read_table

DETAILS = {
    "flaws_tables_9_26": ["table", "data_set", "split", "classifier"],
    "flaws_tables_27_44": ["table", "data_set", "combination", "classifier"],
    "flaws_tables_45_47": ["table", "data_set", "setting", "case"],
}


def rows_of(name: str) -> pd.DataFrame:
    return read_table(name).pivot_table(index=DETAILS[name], columns="factor", values="percent")


def contradictions(cells: pd.DataFrame, shape: str) -> pd.DataFrame:
    """Rows whose joint accuracy of size and shape no two events with the printed accuracies can have."""
    low, high = cells["size"] + cells[shape] - 100, np.minimum(cells["size"], cells[shape])
    return cells[(cells["both"] < low - 0.02) | (cells["both"] > high + 0.02)]


def test_exchanging_two_headings_removes_the_contradictions(shown):
    found, left = {}, {}
    for name in DETAILS:
        for (table, data_set), cells in rows_of(name).groupby(["table", "data_set"]):
            other = {"dSprites": "shape", "3dshapes": "object_hue", "MPI3D": "background_hue"}[data_set]
            printed, exchanged = contradictions(cells, "shape"), contradictions(cells, other)
            if len(printed) > len(exchanged):
                found[table] = len(printed)
                left[table] = set(exchanged.index.get_level_values(-1))
    assert set(found) == set(flaws.EXCHANGED)
    assert {table: rows for table, rows in left.items() if rows} == {24: {"snc"}}
    first = rows_of("flaws_tables_9_26").loc[24, "MPI3D", 0, "mlp"]
    second = rows_of("flaws_tables_27_44").loc[36, "3dshapes", "2-1", "mlp"]
    assert first["both"] < first["size"] + first["shape"] - 100
    assert second["shape"] < second["both"] < second["object_hue"]
    shown(
        "flaws-exchanged-headings",
        *(f"{first[f]:.2f}" for f in ("size", "shape", "both")),
        *(f"{second[f]:.2f}" for f in ("both", "shape", "object_hue")),
        f"{min(found.values())} to {max(found.values())} rows",
    )


def test_two_joint_accuracies_are_impossible(shown):
    strange = {}
    for name in ("flaws_tables_9_26", "flaws_tables_27_44"):
        for (table, _), cells in rows_of(name).groupby(["table", "data_set"]):
            bad = contradictions(cells, flaws.EXCHANGED.get(table, "shape"))
            strange |= {(table, *place[2:]): row for place, row in bad.iterrows() if place[-1] in ("mlp", "linear")}
    assert list(strange) == [(15, 1, "mlp"), (16, 0, "mlp")]
    above, below = strange.values()
    shown(
        "flaws-impossible-cells",
        f"both {above['both']:.2f}",
        f"at most {min(above['size'], above['shape']):.2f}",
        f"both {below['both']:.2f}",
        f"at least {below['size'] + below['shape'] - 100:.2f}",
    )


def test_some_rows_stand_twice(shown):
    twice = []
    for name in ("flaws_tables_9_26", "flaws_tables_27_44"):
        keys = [key for key in DETAILS[name] if key != "data_set"]
        rows: dict[tuple, list] = {}
        for place, cells in read_table(name).query("factor != 'both'").groupby(keys):
            rows.setdefault(tuple(cells["percent"]), []).append(place)
        twice += [places for places in rows.values() if len(places) > 1]
    tables = sorted({str(places[0][0]) for places in twice})
    cells = read_table("flaws_tables_9_26")
    stray = cells.query("table == 12 and split == 2 and classifier == 'mlp_knocked_out'")["percent"].tolist()
    assert stray == cells.query("table == 18 and split == 2 and classifier == 'snc'")["percent"].dropna().tolist()
    for metric, point in (("snc", ("dSprites", "parted_vae_ss")), ("nk", ("dSprites", "parted_vae"))):
        follows = flaws.mean_over_splits(metric, adjust=metric == "snc")[point]
        assert abs(follows - flaws.summary(7, metric)[point]) < 0.015
    shown("flaws-repeated-rows", *(f"Table {table}" for table in tables), f"{stray[0]} {stray[1]} {stray[2]}")
