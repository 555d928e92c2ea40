"""Metrics with one option set, by the names that scores print."""

import numpy as np
import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.codes import Sample
from dbench.errors import InvalidInput, UnknownName
from dbench.metrics import METRICS, dci, sap
from dbench.metrics.registry import find_variant


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


def test_every_variant_that_is_printed_is_explained() -> None:
    for stem, function in METRICS.items():
        for variant in function.card.variants:  # type: ignore[attr-defined]
            shown = CliRunner(env={"COLUMNS": "100"}).invoke(main, ["metrics", f"{stem}[{variant}]"])
            assert shown.exit_code == 0
            assert shown.stdout.startswith(f"{stem}(")
