"""How to cite a heading, where to dispute it, and where to find its test."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from dbench.report.schema import Document, Record
from dbench.shown import one_line

PAPER_LINKS = {
    "sober": "https://doi.org/10.3929/ethz-b-000450167",
    "udr": "https://doi.org/10.48550/arXiv.1905.12614",
    "flaws": "https://openreview.net/forum?id=c8WJ4Vozb2",
    "irs": "https://doi.org/10.48550/arXiv.1811.00007",
    "hownot": "https://doi.org/10.48550/arXiv.1910.05587",
}
_LATEX = {"\\": "/", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"} | {sign: f"\\{sign}" for sign in "#$%&_{}"}


def anchor(text: str) -> str:
    """Return the anchor of a claim or an erratum in the page.

    Example:
        >>> anchor("sober.tc-mean-rises"), anchor("a <b>")
        ('sober.tc-mean-rises', 'a-b-')
    """
    return re.sub(r"[^A-Za-z0-9.-]+", "-", text)


def bibtex(document: Document, heading: Mapping[str, Any]) -> str:
    r"""Return a BibTeX entry for a heading, with dbench's commit and the day of the report.

    For a paper of one's own it names no author.

    Example:
        >>> report = {"provenance": {"commit": "3f2c9d1e5b7a", "utc": "2026-11-20T17:46:28Z"}}
        >>> heading = {"claim": "udr.kl-gap", "paper": "udr", "verdict": "weaker", "statement": "90%.", "revision": 1}
        >>> print(bibtex(report, heading))
        @misc{dbench-udr.kl-gap-2026-11-20,
          author = {{The dbench developers}},
          title = {udr.kl-gap: weaker. 90\%.},
          howpublished = {dbench report of 2026-11-20, commit 3f2c9d1e5b7a, revision 1 of the rule},
          year = {2026},
        }
    """
    day = str(document["provenance"].get("utc", ""))[:10]
    commit = str(document["provenance"].get("commit", ""))
    revision = f"revision {heading['revision']} of the rule" if heading["revision"] else ""
    parts = [day and f"dbench report of {day}", commit and f"commit {commit}", revision]
    title = f"{heading['claim']}: {heading['verdict']}. {one_line(heading['statement'])}"
    escapes = str.maketrans(_LATEX)
    fields = {
        "author": "{The dbench developers}" if heading["paper"] in PAPER_LINKS else "",
        "title": title.translate(escapes),
        "howpublished": ", ".join(filter(None, parts)).translate(escapes),
        "year": day[:4],
    }
    key = "-".join(filter(None, ["dbench", anchor(heading["claim"]), day]))
    return "\n".join([f"@misc{{{key},", *(f"  {name} = {{{text}}}," for name, text in fields.items() if text), "}"])


def dispute_link(document: Document, heading: Mapping[str, Any]) -> str:
    """Return the address of a new issue that disputes a heading; empty where dbench does not hold the claim."""
    repository = _repository(document, heading["paper"])
    fields = {
        "template": "dispute.yml",
        "title": f"Dispute {heading['claim']}: {heading['verdict']}",
        "heading": heading["claim"],
    }
    return f"{repository}/issues/new?{urlencode(fields)}" if repository else ""


def source_link(document: Document, record: Record) -> str:
    """Return the address of a record's test at the report's commit; empty where it is not known."""
    repository = _repository(document, record["paper"])
    commit = str(document["provenance"].get("commit", "")).partition("+")[0]
    file = record["nodeid"].partition("::")[0]
    file = file.removeprefix("dbench_") if file.startswith("dbench_claims/") else file  # its name in a wheel
    return f"{repository}/blob/{commit}/{quote(file)}" if repository and commit else ""


def _repository(document: Document, paper: str) -> str:
    """Return the address of dbench's repository; empty where unknown, and for papers whose claims it does not hold."""
    if paper not in PAPER_LINKS:
        return ""
    repository = str(document["provenance"].get("repository", "")).rstrip("/")
    return repository if repository.startswith("https://") else ""
