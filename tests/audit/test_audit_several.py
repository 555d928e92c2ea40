"""Metrics side by side, under the names that scores print."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dbench.audit import audit
from dbench.cli import main


def run(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, arguments, catch_exceptions=False)


def test_metrics_stand_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flat_metric.py").write_text("def flat(codes, factors):\n    return 1.0\n")
    arguments = ["audit", "flat_metric:flat", "mig", "sap[r2]", "--check", "separation", "--check", "permutation"]
    result = run(*arguments)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("flat_metric:flat: Likely a bug: separation fails (")
    start = next(place for place, line in enumerate(lines) if line.startswith("property"))
    assert lines[start].split() == ["property", "flat_metric:flat", "mig", "sap[r2]"]
    rows = {" ".join(line.split()[:-3]): line.split()[-3:] for line in lines[start + 1 :]}
    assert rows["perfect copies and noise differ"] == ["no", "yes", "yes"]
    assert rows["permuted codes score the same"] == ["yes", "yes", "yes"]
    records = json.loads(run(*arguments, "--json").stdout)
    assert {record["metric"] for record in records} == {"flat_metric:flat", "mig", "sap[r2]"}


def test_the_records_of_a_variant_bear_its_name() -> None:
    assert {record.metric for record in audit("sap[r2]", only=["separation"], observations=200)} == {"sap[r2]"}
