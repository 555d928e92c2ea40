"""Metrics side by side, under the names that scores print."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from dbench.audit import audit
from dbench.cli import main
from dbench.codes import Sample
from dbench.errors import InvalidInput, UnknownName
from dbench.metrics import METRICS, dci, sap
from dbench.metrics.registry import find_variant


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


def test_a_variant_is_the_metric_with_its_option() -> None:
    rng = np.random.default_rng(0)
    factors = rng.integers(3, size=(300, 2))
    sample = Sample(factors + rng.normal(size=(300, 2)), factors)
    assert find_variant("sap[r2]")(sample).value == sap(sample, relation="r2").value
    assert find_variant("dci[forest]")(sample).value == dci(sample, estimator="forest").value
    assert find_variant("irs[crossed]").keywords == {"crossed": True}  # type: ignore[attr-defined]
    assert find_variant("mig") is METRICS["mig"]


@pytest.mark.parametrize("name", ["dci[forrest]", "mig[forest]", "dci[]", "dci[forest", "migg"])
def test_other_variants_are_unknown(name: str) -> None:
    with pytest.raises(UnknownName, match="unknown metric"):
        find_variant(name)


def test_a_variant_that_asks_for_the_posterior_says_so() -> None:
    with pytest.raises(InvalidInput, match=r"got gaussian_total_correlation\[active\], which asks for the posterior"):
        find_variant("gaussian_total_correlation[active]")


def test_the_records_of_a_variant_bear_its_name() -> None:
    assert {record.metric for record in audit("sap[r2]", only=["separation"], observations=200)} == {"sap[r2]"}


def test_every_variant_that_is_printed_is_explained() -> None:
    for stem, function in METRICS.items():
        for variant in function.card.variants:  # type: ignore[attr-defined]
            shown = run("metrics", f"{stem}[{variant}]")
            assert shown.exit_code == 0
            assert shown.stdout.startswith(f"{stem}(")
