"""What a report holds, read from ``schema.json``; and what verdicts and papers are called on its pages."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from dbench.errors import DbenchError, InvalidInput

Record = Mapping[str, Any]
Document = Mapping[str, Any]

SCHEMA: dict[str, Any] = json.loads(files("dbench.report").joinpath("schema.json").read_text(encoding="utf-8"))
VERDICTS: tuple[str, ...] = tuple(SCHEMA["$defs"]["verdict"]["enum"])
"""From best to worst."""
ROLES: tuple[str, ...] = tuple(SCHEMA["$defs"]["role"]["enum"])
SYMBOLS = {
    "reproduced": "R",
    "demonstrated": "D",
    "weaker": "W",
    "undecided": "?",
    "not tested": "-",
    "absent": "A",
    "contradicted": "C",
    "broken": "F",
}
MEANINGS = {
    "reproduced": "the interval lies in the range that the rule asks for",
    "demonstrated": "the same, of what is true by definition or proof, or of an existence shown by one example",
    "weaker": "the effect has the claimed sign, but is smaller than the rule asks",
    "undecided": "the interval reaches across the end of the range: more runs could decide it either way",
    "not tested": "the models or data at hand do not meet a condition of the sentence, which the reason names; "
    "a number that is shown all the same does not count",
    "absent": "no effect is seen, and one as large as the rule asks is excluded",
    "contradicted": "the interval lies wholly on the other side",
    "broken": "the test failed for a reason that has nothing to do with the finding",
}
# Title of each paper, and whose it is.
_PAPERS = {
    "sober": ("A Sober Look", "Locatello et al., JMLR 2020"),
    "udr": ("Unsupervised Disentanglement Ranking", "Duan et al., ICLR 2020"),
    "flaws": ("Correcting Flaws in Common Disentanglement Metrics", "Mahon et al., TMLR"),
    "irs": ("Robustly Disentangled Causal Mechanisms", "Suter et al., ICML 2019"),
    "hownot": ("How Not to Measure Disentanglement", "Sepliarskaia et al., 2019"),
}
TITLES = {paper: title for paper, (title, _) in _PAPERS.items()}
PAPERS = {paper: f"{title} ({source})" for paper, (title, source) in _PAPERS.items()}


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator  # a tenth of a second to import

    return Draft202012Validator(SCHEMA)


def validate(document: Document, *, error: type[DbenchError] = InvalidInput, source: str = "report") -> None:
    """Refuse a document that breaks ``schema.json``; fields that are not in the schema are allowed.

    Raises:
        DbenchError: an error of the given class that names source, field, rule and value received.
    """
    version = document.get("schema") if isinstance(document, Mapping) else None
    if version == 1 and "findings" in document:
        raise error(f"{source} has schema 1, of an earlier dbench; only schema 2 can be read: judge again")
    fault = next(_validator().iter_errors(document), None)
    if fault is not None:
        field = fault.json_path.removeprefix("$").removeprefix(".") or "the document"
        raise error(f"{source}: {field}: {_short(fault.message)}{_whose(document, fault.absolute_path)}")


def _short(text: str) -> str:
    """Cut a long message in the middle: its start has the value, its end the rule."""
    return text if len(text) <= 300 else f"{text[:120]} ... {text[-170:]}"


def _whose(document: Document, path: Any) -> str:
    """Return the claim or test of the entry at a path, in words; empty where there is none."""
    parts = list(path)
    if len(parts) < 2 or not isinstance(parts[1], int):
        return ""
    item = document[parts[0]][parts[1]]
    name = item.get("claim", item.get("nodeid")) if isinstance(item, Mapping) else None
    return f" (in {name!r})" if isinstance(name, str) else ""
