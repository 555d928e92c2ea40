"""Records as a session of judging hands them in, and a document that looks like a real one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from dbench.report import build_document

Record = dict[str, Any]


@dataclass(frozen=True)
class Row:
    where: str
    says: str
    heads: str
    note: str = ""


def record_with(**changes: Any) -> Record:
    claim = changes.get("claim", "sober.tc-sampled-falls")
    return {
        "claim": claim,
        "part": "",
        "paper": claim.partition(".")[0],
        "role": "primary",
        "quote": "the total correlation of the sampled representation decreases [...] as the strength is increased",
        "where": "5.2, Figure 2",
        "says": "The Gaussian total correlation of the sampled representation falls as the strength rises.",
        "evidence": "zoo",
        "population": "micro profile, dSprites sub-grid, six strengths",
        "statistic": "Spearman correlation of strength and total correlation",
        "unit": "seed",
        "rule": "below -0.1, no effect at 0",
        "low": None,
        "high": -0.1,
        "closed": False,
        "null": 0.0,
        "confidence": 0.95,
        "params": {},
        "verdict": "reproduced",
        "estimate": -0.62,
        "interval": [-0.71, -0.53],
        "n": 30,
        "settles_at": None,
        "left_out": None,
        "regime": [],
        "printed": None,
        "printed_value": None,
        "printed_agrees": None,
        "reason": "the interval lies wholly below -0.1",
        "deviations": [],
        "revision": 1,
        "exploratory": False,
        "expected": None,
        "expected_reason": None,
        "unexpected": False,
        "nodeid": f"claims/{claim.replace('.', '/')}.py::test_holds",
        "seconds": 1.2,
    } | changes


def above(bound: float, null: float | None = None) -> Record:
    return {"low": bound, "high": None, "null": bound if null is None else null, "rule": f"above {bound}"}


def below(bound: float, null: float | None = None) -> Record:
    return {"low": None, "high": bound, "null": bound if null is None else null, "rule": f"below {bound}"}


EXACT = {"interval": None, "n": 1, "unit": "construction", "evidence": "synthetic", "confidence": 1.0}
MICRO = {
    "deviations": ["images averaged down to 16 x 16", "strengths of the micro profile instead of the paper's"],
    "regime": [
        {
            "name": "factors known",
            "says": "at least half of the factors are held by a code",
            "rule": "above 0.5",
            "source": "traversals in the papers",
            "value": 0.6,
            "holds": True,
        }
    ],
}
PRINTED = {"printed": "37% on average", "printed_value": 0.37}
LEDGER = {
    "sober.theorem-1": Row("section 3, Theorem 1", "Infinitely many bijections entangle any density.", "synthetic"),
    "sober.tc-sampled-falls": Row("5.2, Figure 2", "Total correlation of samples falls with the strength.", "zoo"),
    "sober.tc-mean-exceeds-sampled": Row("5.2, Figure 4", "Total correlation of means exceeds it.", "zoo"),
    "sober.variance-explained": Row("5.3, Table 5", "The objective explains a minor part of the variance.", "zoo"),
    "sober.transfer-table": Row("5.4.3, Table 1", "Settings hardly transfer.", "published"),
    "sober.metric-pairs": Row("6.1, Figures 12 and 13", "MIG and DCI agree most.", "zoo"),
    "udr.correlates-with-supervised": Row("4, Table 6", "UDR ranks models as supervised metrics do.", "zoo"),
    "udr.lasso-not-worse-than-spearman": Row("4", "The Lasso variant correlates slightly better.", "zoo"),
    "udr.kl-gap": Row("4.2", "UDR needs informative codes.", "zoo"),
    "flaws.single-code-scores": Row("section 3, Figure 2", "One code for several factors scores well.", "synthetic"),
    "irs.monotone": Row("section 4", "The score falls as nuisance factors move the code.", "zoo"),
    "hownot.sap-fact-1": Row("Fact 1", "SAP is low for a disentangled representation.", "synthetic"),
}
ERRATUM = {
    "name": "transfer-percentage",
    "paper": "sober",
    "place": "Table 1",
    "printed": "80.7%",
    "right": "81.9%",
    "derivation": "The text and the table give two numbers for the same cell.",
    "cells": [],
    "claims": ["sober.transfer-table"],
}


def realistic_records() -> list[Record]:
    shares = {"dci": 0.352, "mig": 0.441, "sap": 0.284, "factor_vae": 0.612}
    found = {"mig": "undecided", "factor_vae": "contradicted"}
    records = [
        record_with(**MICRO),
        *(
            record_with(role="cell", params={"objective": name}, estimate=value, **MICRO)
            for name, value in [("beta_vae", -0.62), ("beta_tcvae", -0.58)]
        ),
        record_with(
            claim="sober.tc-mean-exceeds-sampled",
            verdict="weaker",
            expected="weaker",
            expected_reason="collapsed codes decide it at 16 x 16",
            estimate=0.412,
            interval=[0.361, 0.463],
            statistic="share of models",
            n=180,
            unit="model",
            seconds=3.41,
            **above(0.5, 0),
            **MICRO,
        ),
        record_with(
            claim="sober.variance-explained",
            estimate=0.42,
            interval=[0.37, 0.48],
            printed_agrees=True,
            statistic="share of variance",
            **below(0.5),
            **PRINTED,
            **MICRO,
        ),
        *(
            record_with(
                claim="sober.variance-explained",
                role="cell",
                params={"metric": metric},
                estimate=value,
                interval=[value - 0.07, value + 0.08],
                verdict=found.get(metric, "reproduced"),
                unexpected=metric == "factor_vae",
                expected="reproduced" if metric == "factor_vae" else None,
                settles_at=74 if metric == "mig" else None,
                **below(0.5),
                **MICRO,
            )
            for metric, value in shares.items()
        ),
        record_with(
            claim="sober.variance-explained",
            part="strength adds",
            role="probe",
            verdict="absent",
            estimate=0.01,
            interval=[-0.02, 0.03],
            **above(0.05, 0),
            **MICRO,
        ),
        record_with(
            claim="sober.transfer-table",
            estimate=0.292,
            printed="81.9% same, 52.7% both",
            printed_value=0.292,
            printed_agrees=True,
            **EXACT | {"evidence": "published", "unit": "cell", "n": 4},
            **above(0),
        ),
        record_with(
            claim="sober.theorem-1",
            estimate=1.2e-8,
            low=0.0,
            high=1e-6,
            closed=True,
            null=None,
            statistic="largest round-trip error",
            params={"dimensions": 4, "marginal": "skewed"},
            **EXACT,
        ),
        record_with(
            claim="sober.metric-pairs",
            verdict="broken",
            estimate=None,
            interval=None,
            n=None,
            reason="DamagedData: runs.parquet of micro-dsprites does not match its checksum",
            **above(0.5),
        ),
        record_with(
            claim="udr.correlates-with-supervised",
            estimate=0.543,
            interval=[0.43, 0.64],
            printed="Spearman 0.54 +- 0.06",
            printed_value=0.54,
            printed_agrees=True,
            **above(0.3, 0),
            **MICRO,
        ),
        record_with(
            claim="udr.lasso-not-worse-than-spearman",
            verdict="undecided",
            estimate=0.012,
            interval=[-0.031, 0.055],
            settles_at=210,
            unit="model",
            **above(0),
            **MICRO,
        ),
        record_with(
            claim="udr.kl-gap",
            verdict="not tested",
            reason="no model holds more than two factors",
            regime=[MICRO["regime"][0] | {"value": 0.4, "holds": False}],
            **above(0.3, 0),
        ),
        *(
            record_with(
                claim="flaws.single-code-scores",
                params={"metric": metric},
                estimate=value,
                verdict="reproduced" if value > 0.9 else "contradicted",
                expected="reproduced" if value > 0.9 else "contradicted",
                printed="1.0",
                printed_value=1.0,
                printed_agrees=value > 0.99,
                seconds=0.3,
                **EXACT,
                **above(0.9),
            )
            for metric, value in [("dci", 1.0), ("mig", 0.498), ("sap", 0.961), ("irs", 0.934)]
        ),
        record_with(
            claim="irs.monotone",
            verdict="absent",
            estimate=0.07,
            interval=[-0.02, 0.16],
            printed="0.98",
            printed_value=0.98,
            printed_agrees=False,
            seconds=64.0,
            **above(0.5, 0),
        ),
        record_with(claim="hownot.sap-fact-1", estimate=0.0, seconds=0.1, **EXACT, **below(0.5)),
    ]
    for i, record in enumerate(records):
        record["nodeid"] = f"claims/{record['paper']}/section.py::test_{i}"
    return records


PROVENANCE = {
    "commit": "3f2c9d1e5b7a",
    "utc": "2026-11-20T17:46:28Z",
    "versions": "python 3.11.9, dbench 0.1.0, torch 2.9.1",
    "evidence": [
        {
            "name": "micro-dsprites",
            "data": "dSprites",
            "side": 16,
            "profile": "micro",
            "models": 440,
            "objectives": ["beta_vae", "beta_tcvae"],
            "seeds": 10,
            "steps": 6000,
            "deviations": ["images averaged down to 16 x 16"],
        }
    ],
}
CHECKS = [
    {
        "nodeid": "claims/test_shipped.py::test_retrained_runs_agree",
        "outcome": "passed",
        "detail": "3 runs retrained, largest difference 2.1e-7",
        "seconds": 74.2,
    },
    {"nodeid": "claims/test_shipped.py::test_gpu", "outcome": "skipped", "detail": "no GPU", "seconds": 0.0},
]


@pytest.fixture
def make_record() -> Callable[..., Record]:
    return record_with


@pytest.fixture
def make_document() -> Callable[..., Record]:
    """A document of given records and parts, else of realistic ones."""

    def make(records: list[Record] | None = None, **parts: Any) -> Record:
        return build_document(realistic_records() if records is None else records, **{"ledger": LEDGER} | parts)

    return make


@pytest.fixture
def sample(make_document: Callable[..., Record]) -> Record:
    return make_document(provenance=PROVENANCE, checks=CHECKS, errata=[ERRATUM])
