"""Work and memory are bounded: linear in columns, said before it is long, given up where it never ends."""

import time
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from damage import bounded
from pyarrow import csv, parquet

from dbench.audit import audit
from dbench.cli import main
from dbench.codes.arrays import read_arrays
from dbench.codes.factors import Labels, text_column
from dbench.codes.reading import read_codes
from dbench.errors import InvalidInput
from dbench.scoring import score

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 3, size=(60, 2))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_columns_are_read_in_time_linear_in_their_number(tmp_path: Path, suffix: str) -> None:
    columns = {f"code_{i}": RNG.integers(9, size=5) for i in range(20_000)} | {"factor_a": [*"abcab"]}
    table, path = pa.table(columns), tmp_path / f"wide.{suffix}"
    if suffix == "csv":
        csv.write_csv(table, path)
    else:
        parquet.write_table(table, path, use_dictionary=False, write_statistics=False)
    with bounded():
        found = read_codes(path)
    assert found.sample.n_codes == 20_000
    with pytest.raises(InvalidInput, match=r"no column 'x' for --codes; it has code_0, .* and 19981 more$"):
        read_codes(path, codes="x")


def test_columns_of_text_are_read_in_one_pass(tmp_path: Path) -> None:
    table = {f"factor_{j}": np.array([*"abc"])[LABELS[:, j % 2]] for j in range(400)}
    path = tmp_path / "t.csv"
    pd.DataFrame(table).assign(code_0=RNG.normal(size=60)).to_csv(path, index=False)
    start = time.process_time()
    assert read_codes(path).sample.kinds == ("text",) * 400
    assert time.process_time() - start < 2.0


def test_names_that_occur_twice_are_found_in_linear_time_and_clipped(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",".join(f"c{i // 2}" for i in range(60_000)) + "\n")
    with bounded(), pytest.raises(InvalidInput, match=r"must name each column once, got .* and 29995 more more than"):
        read_codes(path)


def test_long_labels_and_names_are_clipped_where_they_are_shown() -> None:
    labels = pd.DataFrame({"shape": ["a" * 2_000_000, "b"] * 30, "y" * 500: ["c", "d"] * 30})
    found = read_arrays(LABELS * 1.0, labels)
    assert max(map(len, found.notes)) < 300
    assert found.notes[0].startswith("shape: text, read as labels 0 = aaaa")
    with pytest.raises(InvalidInput) as caught:
        read_arrays([["z" * 1_000_000]], [[1]])
    assert len(str(caught.value)) < 300


def test_many_codes_are_said_beforehand_and_what_would_not_end_is_left_out(tmp_path: Path) -> None:
    codes = RNG.normal(size=(60, 20_000))
    with bounded():
        scores = score(codes, LABELS, repeats=0)
    reasons = {result.item.name: result.reason for result in scores.results}
    assert reasons["mig"] == ""
    for name in ("dci[forest]", "sap"):
        assert "fits predictors on 20,000 codes, about " in reasons[name]
    for name in ("gaussian_total_correlation", "code_mutual_information", "factor_vae"):
        assert "takes more than in proportion to 20,000 codes" in reasons[name]
    path = tmp_path / "codes.npz"
    np.savez(path, codes=codes[:, :300], factors=LABELS)
    result = CliRunner().invoke(main, ["score", str(path), "--metric", "mig", "--repeats", "0"])
    assert result.exit_code == 0
    assert "300 codes: metrics that fit predictors may take minutes each; --metric chooses" in result.stderr


def test_a_metric_that_never_answers_in_time_is_given_up() -> None:
    calls = []

    def endless(codes: object, factors: object) -> float:
        calls.append(1)
        while True:
            pass

    records = audit(endless, timeout=0.05, observations=200)
    assert len(calls) == 3
    assert {record.status for record in records} <= {"error", "not applicable"}
    assert any("given up: no answer within 0.05 s in the first 3 calls" in record.reason for record in records)


def test_a_metric_that_answers_at_times_is_asked_all() -> None:
    calls = []

    def moody(codes: object, factors: object) -> float:
        calls.append(1)
        while len(calls) % 2 == 0:
            pass
        return 0.5

    audit(moody, timeout=0.02, observations=200, only=["chance", "bounds", "determinism"])
    assert len(calls) > 6


def test_one_long_cell_does_not_make_all_others_as_wide() -> None:
    cells = np.array([*map(str, range(20_000)), "x" * 20_000], dtype=object)
    tracemalloc.start()
    found = text_column("factor", cells)
    assert isinstance(found, Labels)
    assert tracemalloc.get_traced_memory()[1] < 50e6  # 1.6 GB as an array of text
    tracemalloc.stop()
    assert [found.names[rank] for rank in found.ranks[[0, 9, 20_000]]] == ["0", "9", "x" * 20_000]
