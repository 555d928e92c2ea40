"""Records as a session of judging hands them in, and a document that looks like a real one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dbench.report import build_document

Record = dict[str, Any]


def record_with(**changes: Any) -> Record:
    claim = changes.get("claim", "sober.tc-sampled-falls")
    return {
        "claim": claim,
        "part": "",
        "paper": claim.partition(".")[0],
        "where": "5.2, Figure 2",
        "says": "The Gaussian total correlation of the sampled representation falls as the strength rises.",
        "kind": "direction",
        "evidence": "zoo",
        "population": "micro profile, dSprites sub-grid, six strengths",
        "params": {},
        "verdict": "reproduced",
        "estimate": -0.62,
        "interval": [-0.71, -0.53],
        "statistic": "Spearman correlation of strength and total correlation",
        "rule": "interval below -0.1 (bound 0, margin 0.1)",
        "bound": 0.0,
        "margin": 0.1,
        "direction": "below",
        "confidence": 0.95,
        "n": 30,
        "unit": "seeds",
        "printed": None,
        "printed_value": None,
        "printed_agrees": None,
        "reason": "the interval lies wholly below the bound by the margin",
        "deviations": [],
        "expected": None,
        "rollup": "all",
        "nodeid": f"claims/{claim.replace('.', '/')}.py::test_holds",
        "seconds": 1.2,
    } | changes


def realistic_document() -> Record:
    exact = {"interval": None, "n": 1, "unit": "construction", "evidence": "synthetic", "kind": "existence"}
    micro = ["images averaged down to 16 x 16", "strengths of the micro profile instead of the paper's"]
    zoo = {"deviations": micro}
    records = [
        record_with(params={"objective": "beta_vae"}, **zoo),
        record_with(params={"objective": "beta_tcvae"}, estimate=-0.48, interval=[-0.6, -0.35], **zoo),
        record_with(
            claim="sober.tc-mean-exceeds-sampled",
            verdict="not reproduced",
            expected="not reproduced",
            expected_reason="collapsed codes decide it at 16 x 16",
            estimate=0.412,
            interval=[0.361, 0.463],
            bound=0.5,
            margin=0.0,
            direction="above",
            says="For a large number of trained models the total correlation of the mean representation exceeds "
            "that of the sampled one.",
            where="5.2, Figure 4",
            n=180,
            unit="models",
            reason="the interval lies wholly below 0.5",
            seconds=3.41,
            **zoo,
        ),
        *(
            record_with(
                claim="sober.variance-explained",
                part="objective alone",
                params={"metric": metric},
                kind="size",
                says="The objective alone explains a minor part of the variance of the scores.",
                where="5.3, Table 5",
                estimate=value,
                interval=[value - 0.07, value + 0.08],
                bound=0.5,
                margin=0.05,
                direction="below",
                printed="37% on average",
                printed_value=0.37,
                printed_agrees=abs(value - 0.37) < 0.05,
                verdict=verdict,
                rollup="each",
                seconds=8.4,
                reason=reason,
                expected=expected,
                **zoo,
            )
            for metric, value, verdict, expected, reason in [
                ("dci", 0.352, "reproduced", None, "the interval lies wholly below the bound by the margin"),
                (
                    "mig",
                    0.441,
                    "inconclusive",
                    None,
                    "the interval reaches into the margin; about 74 seeds would settle",
                ),
                ("sap", 0.284, "reproduced", "reproduced", "the interval lies wholly below the bound by the margin"),
                ("factor_vae", 0.612, "not reproduced", "reproduced", "the interval lies wholly above 0.5"),
            ]
        ),
        record_with(
            claim="sober.transfer-table",
            evidence="published",
            where="5.4.3, Table 1",
            says="A setting chosen by a metric beats a random model clearly on the same metric and data set, less "
            "across data sets, and hardly at all across both.",
            estimate=0.292,
            interval=None,
            bound=0.0,
            margin=0.0,
            direction="above",
            printed="81.9% same, 52.7% both",
            printed_value=0.292,
            printed_agrees=True,
            n=4,
            unit="cells",
            seconds=0.02,
        ),
        record_with(
            claim="sober.theorem-1",
            where="section 3, Theorem 1, appendix A",
            says="For any factorised density there are infinitely many bijections of the support that leave the "
            "distribution unchanged and whose Jacobian has no zero entry almost everywhere.",
            estimate=1.2e-8,
            bound=0.0,
            margin=1e-6,
            direction="within",
            statistic="largest round-trip error",
            rule="interval within [0, 1e-06]",
            params={"dimensions": 4, "marginal": "skewed"},
            **exact,
        ),
        record_with(
            claim="sober.metric-pairs",
            verdict="broken",
            estimate=None,
            interval=None,
            n=None,
            reason="DamagedData: runs.parquet of micro-dsprites does not match its checksum",
            where="6.1, Figures 12 and 13",
            says="BetaVAE with FactorVAE, and MIG with DCI disentanglement, are the pairs that agree most.",
        ),
        record_with(
            claim="udr.correlates-with-supervised",
            where="Experiments, Table 6",
            says="UDR ranks models much as the supervised metrics do.",
            estimate=0.543,
            interval=[0.43, 0.64],
            bound=0.2,
            margin=0.1,
            direction="above",
            printed="Spearman 0.54 +- 0.06",
            printed_value=0.54,
            printed_agrees=True,
            **zoo,
        ),
        record_with(
            claim="udr.lasso-not-worse-than-spearman",
            verdict="inconclusive",
            estimate=0.012,
            interval=[-0.031, 0.055],
            bound=-0.02,
            margin=0.0,
            direction="above",
            says="The Lasso variant correlates with the supervised metrics slightly better than the Spearman variant.",
            reason="the interval contains the bound; about 210 models would settle",
            **zoo,
        ),
        record_with(
            claim="udr.invariances",
            estimate=1.0,
            bound=0.99,
            margin=0.0,
            direction="above",
            says="UDR is meant to be invariant to permuting codes and to flipping signs.",
            statistic="UDR of a model with its permuted copy",
            **exact,
        ),
        *(
            record_with(
                claim="flaws.single-code-scores",
                params={"metric": metric},
                estimate=value,
                bound=0.9,
                margin=0.0,
                direction="above",
                verdict="reproduced" if value > 0.9 else "not reproduced",
                expected="not reproduced" if metric == "mig" else None,
                says="One code that holds several factors still gets a nearly perfect score.",
                where="section 3, Figure 2",
                printed="1.0",
                printed_value=1.0,
                printed_agrees=value > 0.99,
                reason="exact on the constructed example",
                seconds=0.3,
                **exact,
            )
            for metric, value in [("dci", 1.0), ("mig", 0.498), ("sap", 0.961), ("irs", 0.934)]
        ),
        record_with(
            claim="irs.monotone",
            estimate=0.87,
            interval=[0.82, 0.91],
            bound=0.5,
            margin=0.1,
            direction="above",
            says="The score falls as interventions on nuisance factors move the code further.",
            where="section 4",
            printed="0.98",
            printed_value=0.98,
            printed_agrees=False,
            seconds=64.0,
        ),
        *(
            record_with(
                claim=f"hownot.{name}",
                estimate=value,
                bound=0.5,
                margin=0.0,
                direction="below",
                says="A metric gives a low score to a representation that is disentangled by its own definition.",
                where="Facts 1 to 6",
                seconds=0.1,
                **exact,
            )
            for name, value in [("sap-fact-1", 0.0), ("mig-fact-3", -0.12), ("dci-fact-5", 0.25)]
        ),
    ]
    for i, record in enumerate(records):
        record["nodeid"] = f"claims/{record['paper']}/section.py::test_{i}"
    return build_document(
        records,
        provenance={
            "commit": "3f2c9d1e",
            "dirty": False,
            "finished": "2026-11-20T17:46:28+00:00",
            "versions": {"dbench": "0.1.0", "python": "3.11.9", "numpy": "2.3.5", "torch": "2.9.1"},
            "evidence": [{"table": "micro-dsprites", "runs": 180, "sha256": "9f" * 32}],
            "seeds": {"analysis": 4712},
            "judgements": len(records),
        },
        checks=[
            {
                "nodeid": "claims/test_shipped.py::test_retrained_runs_agree",
                "outcome": "passed",
                "detail": "3 runs retrained, largest difference 2.1e-7",
                "seconds": 74.2,
            },
            {"nodeid": "claims/test_shipped.py::test_gpu", "outcome": "skipped", "detail": "no GPU", "seconds": 0.0},
        ],
    )


@pytest.fixture
def make_record() -> Callable[..., Record]:
    return record_with


@pytest.fixture
def sample() -> Record:
    return realistic_document()
