"""Records as a session of judging hands them in, and a document that looks like a real one."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from dbench.claims import Claim, Judgement, Verdict, record_of, rules
from dbench.claims.ledger import Finding
from dbench.report import build_document
from dbench.stats import Interval

CARD = Claim.zoo(
    id="sober.tc-sampled-falls",
    quote="the total correlation of the sampled representation decreases [...] as the strength is increased",
    where="5.2, Figure 2",
    says="The Gaussian total correlation of the sampled representation falls as the strength rises.",
    statistic="Spearman correlation of strength and total correlation",
    rule=rules.below(-0.1, null=0.0),
)


def record_with(**changes: Any) -> dict[str, Any]:
    claim = changes.get("claim", CARD.id)
    interval = Interval(-0.62, -0.71, -0.53, 30, 0.95)
    judgement = Judgement(Verdict.REPRODUCED, "the interval lies wholly below -0.1", interval)
    record = record_of(CARD, judgement, params={}, ids=(), nodeid="")
    del record["notes"]  # as reports of before
    nodeid = f"claims/{claim.replace('.', '/')}.py::test_holds"
    return record | {"paper": claim.partition(".")[0], "nodeid": nodeid, "seconds": 1.2} | changes


def judged(claim: str, verdict: str = "reproduced", estimate: float | None = -0.62, **changes: Any) -> dict[str, Any]:
    return record_with(claim=claim, verdict=verdict, estimate=estimate, **changes)


def above(bound: float, null: float | None = None) -> dict[str, Any]:
    return {"low": bound, "high": None, "null": bound if null is None else null, "rule": f"above {bound}"}


def below(bound: float) -> dict[str, Any]:
    return {"low": None, "high": bound, "null": bound, "rule": f"below {bound}"}


def printed(text: str, value: float, word: str | None = None) -> dict[str, Any]:
    known = {"printed_expects": [value - 0.1, value + 0.1], "agreement": word} if word else {}
    return {"printed": text, "printed_value": value} | known


def row(where: str, says: str, heads: str = "zoo", **more: Any) -> Finding:
    return Finding("", where, says, (), heads, **more)


EXACT = {"interval": None, "n": 1, "unit": "construction", "evidence": "synthetic", "confidence": 1.0}
CONDITION = {"name": "factors known", "says": "half of the factors are held", "rule": "above 0.5", "source": "papers"}
MICRO = {
    "deviations": ["images averaged down to 16 x 16"],
    "regime": [CONDITION | {"values": {"beta_vae": 0.6}, "outside": [], "holds": True}],
}
LEDGER = {
    "sober.theorem-1": row("section 3, Theorem 1", "Infinitely many bijections entangle any density.", "synthetic"),
    "sober.tc-sampled-falls": row("5.2, Figure 2", "Total correlation of samples falls with the strength."),
    "sober.tc-mean-exceeds-sampled": row("5.2, Figure 4", "Total correlation of means exceeds it."),
    "sober.variance-explained": row(
        "5.3, Table 5", "The objective explains a minor part of the variance.", famous="abstract"
    ),
    "sober.transfer-table": row("5.4.3, Table 1", "Settings hardly transfer.", "published"),
    "sober.metric-pairs": row("6.1, Figures 12 and 13", "MIG and DCI agree most."),
    "udr.correlates-with-supervised": row("4, Table 6", "UDR ranks models as supervised metrics do."),
    "udr.lasso-not-worse-than-spearman": row("4", "The Lasso variant correlates slightly better."),
    "udr.kl-gap": row("4.2", "UDR needs informative codes."),
    "flaws.single-code-scores": row(
        "section 3, Figure 2", "One code for several factors scores well.", "synthetic", famous="abstract"
    ),
    "irs.monotone": row(
        "section 4",
        "The score falls as nuisance factors move the code.",
        famous="conclusion",
        seen={"absent": "The score falls by {}, where {:asked} is asked."},
    ),
    "hownot.sap-fact-1": row("Fact 1", "SAP is low for a disentangled representation.", "synthetic"),
}
ERRATUM = {
    "name": "transfer-percentage",
    "paper": "sober",
    "place": "Table 1",
    "printed": "80.7%",
    "right": "81.9%",
    "derivation": "The text and the table\ngive two numbers.",
    "cells": ["Table 2, nk, dSprites: weak_de 5.9 -> 8.6"],
    "claims": ["sober.transfer-table"],
    "stands": "The first row.",
}


def realistic_records() -> list[dict[str, Any]]:
    shares = {"dci": 0.352, "mig": 0.441, "sap": 0.284, "factor_vae": 0.612}
    found = {"mig": "undecided", "factor_vae": "contradicted"}
    records = [
        judged("sober.tc-sampled-falls", **MICRO),
        *(
            judged("sober.tc-sampled-falls", estimate=value, role="cell", params={"objective": name}, **MICRO)
            for name, value in [("beta_vae", -0.62), ("beta_tcvae", -0.58)]
        ),
        judged("sober.tc-mean-exceeds-sampled", "weaker", 0.412, interval=[0.361, 0.463], **above(0.5, 0), **MICRO)
        | {"expected": "weaker", "expected_reason": "collapsed codes decide it at 16 x 16"},
        judged("sober.variance-explained", estimate=0.42, interval=[0.37, 0.48], **below(0.5), **MICRO)
        | printed("37% on average", 0.37),
        *(
            judged("sober.variance-explained", found.get(metric, "reproduced"), value, **below(0.5), **MICRO)
            | {"role": "cell", "params": {"metric": metric}, "interval": [value - 0.07, value + 0.08]}
            | ({"unexpected": True, "expected": "reproduced"} if metric == "factor_vae" else {})
            for metric, value in shares.items()
        ),
        judged("sober.variance-explained", "absent", 0.01, interval=[-0.02, 0.03], **above(0.05, 0), **MICRO)
        | {"role": "probe", "part": "strength adds"},
        judged("sober.transfer-table", estimate=0.292, **EXACT, **above(0))
        | {"evidence": "published", "unit": "cell", "n": 4}
        | printed("81.9% same, 52.7% both", 0.292),
        judged("sober.theorem-1", estimate=1.2e-8, params={"dimensions": 4, "marginal": "skewed"}, **EXACT)
        | {"low": 0.0, "high": 1e-6, "closed": True, "null": None},
        judged("sober.metric-pairs", "broken", None, interval=None, n=None, **above(0.5))
        | {"reason": "DamagedData: runs.parquet of micro-dsprites does not match its checksum"},
        judged("udr.correlates-with-supervised", estimate=0.543, interval=[0.43, 0.64], **above(0.3, 0), **MICRO)
        | printed("Spearman 0.54 +- 0.06", 0.54, "agrees"),
        judged("udr.lasso-not-worse-than-spearman", "undecided", 0.012, interval=[-0.031, 0.055], **above(0), **MICRO),
        judged("udr.kl-gap", "not tested", reason="no model holds more than two factors", **above(0.3, 0))
        | {"regime": [CONDITION | {"values": {"beta_vae": 0.4}, "outside": ["beta_vae"], "holds": False}]},
        *(
            judged("flaws.single-code-scores", verdict, value, params={"metric": metric}, **EXACT, **above(0.9))
            | printed("1.0", 1.0)
            | {"expected": verdict}
            for metric, value, verdict in [
                ("dci", 1.0, "reproduced"),
                ("mig", 0.498, "contradicted"),
                ("sap", 0.961, "reproduced"),
                ("irs", 0.934, "reproduced"),
            ]
        ),
        judged("irs.monotone", "absent", 0.07, interval=[-0.02, 0.16], **above(0.5, 0)) | printed("0.98", 0.98),
        judged("hownot.sap-fact-1", estimate=0.0, **EXACT, **below(0.5)),
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
    {"nodeid": "a.py::test_retrained_runs_agree", "outcome": "passed", "detail": "3 runs retrained", "seconds": 74.2},
    {"nodeid": "a.py::test_gpu", "outcome": "skipped", "detail": "no GPU", "seconds": 0.0},
]


@pytest.fixture
def make_record() -> Callable[..., dict[str, Any]]:
    return record_with


@pytest.fixture
def make_document() -> Callable[..., dict[str, Any]]:
    return partial(build_document, ledger=LEDGER)


@pytest.fixture
def sample(make_document: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return make_document(realistic_records(), provenance=PROVENANCE, checks=CHECKS, errata=[ERRATUM])
