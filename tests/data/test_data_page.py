"""docs/data.md says what the code says."""

import re
from pathlib import Path

import pytest

from dbench.data import DATA_SETS, NEEDS_DOWNLOAD, load

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
ROWS = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| `")]
CELLS = {name: [cell.strip() for cell in cells[1:]] for cells in ROWS for name in re.findall("`([^`]*)`", cells[0])}


def test_every_data_set_stands_on_the_page_once():
    named = [name for cells in ROWS for name in re.findall("`([^`]*)`", cells[0])]
    assert sorted(named) == sorted(DATA_SETS)


@pytest.mark.parametrize("name", sorted(set(DATA_SETS) - NEEDS_DOWNLOAD))
def test_a_row_says_what_the_data_set_is(name):
    data = load(name)
    factors = ", ".join(f"{n} {s}" for n, s in zip(data.factor_names, data.factor_sizes, strict=True))
    shape = " x ".join(map(str, data.image_shape))
    assert CELLS[name] == [f"{len(data.grid()):,}", shape, factors, ("no", "yes")[data.stochastic]]
