"""What was seen of a finding and what would change it, in a sentence each.

The ledger may say what was seen in the field's words, in which every number is that of a record. It stands as a slot,
``{part / name=value, name=value : form}``: of the record of the finding that has this part and these parameters, on the
kind of evidence and the table that head it. ``{}`` is the estimate of the record that decided, ``{~name}`` that of one
part of a sentence of several (:func:`dbench.claims.rules.every_part`).
"""

import re
from collections.abc import Callable, Mapping, Sequence

from dbench.claims import Verdict
from dbench.claims.ledger import Finding
from dbench.report.schema import Record
from dbench.report.text import asked_text, counted, estimate_text, n_text, number, part_text, plural
from dbench.shown import one_line

# Nobody trains more: an estimate that lies on its bound would ask for thousands.
MOST_UNITS = 1_000
SLOT = re.compile(r"\{([^{}:]*)(?::\s*(\S+)\s*)?\}")


def seen_text(records: Sequence[Record], row: Finding, decider: Record, cases: Sequence[Record]) -> str:
    """Return what was seen of a finding, whose records these are: the ledger's sentence, or else the statistic.

    A sentence is for one verdict; without a record of which it gives a number it is left. ``cases`` are those that
    head the finding, ``decider`` the one that gave the verdict.
    """
    sentence = row.seen.get(decider["verdict"], "")
    slots = list(SLOT.finditer(sentence))
    filled = {slot[0]: _filled(slot[1].strip(), slot[2] or "", records, row, decider) for slot in slots}
    if not sentence or None in filled.values():
        return _of_statistic(decider, cases)
    return SLOT.sub(lambda slot: str(filled[slot[0]]), sentence)


def _filled(name: str, form: str, records: Sequence[Record], row: Finding, decider: Record) -> str | None:
    if name.startswith("~"):
        part = next((note for note in decider.get("notes", []) if note.startswith(f"{name[1:]}: ")), None)
        value = part and re.match(r"-?[\d.]+", part.removeprefix(f"{name[1:]}: "))
        return _short(float(value[0]), form) if value else None
    record = _record(name, records, row) if name else decider
    if record is None or form not in FORMS or record["estimate"] is None:
        return None
    return FORMS[form](record)


def _record(name: str, records: Sequence[Record], row: Finding) -> Record | None:
    """Return the one record of a name; of several that of the sentence itself."""
    part, _, params = (each.strip() for each in name.partition("/"))
    wanted = dict(each.strip().split("=", 1) for each in params.split(",") if each)
    table = {} if "evidence_folder" in wanted else {"evidence_folder": row.table}
    fitting = [
        record
        for record in records
        if record["evidence"] == row.heads
        and record["part"] == part
        and all(str(record["params"].get(key)) == value for key, value in wanted.items())
        and all(record["params"].get(key, value) == value for key, value in table.items())
    ]
    first = [record for record in fitting if record["role"] == "primary"] or fitting
    return first[0] if len(first) == 1 else None


def _short(value: float, form: str = "") -> str:
    """Two decimals, or two digits of what is smaller than a tenth; ``abs`` without a sign, ``%`` in percent.

    Example:
        >>> [_short(x) for x in (0.2583, -0.0413, 0.0048, 0, 12.3)], _short(-0.2, "abs"), _short(0.108, "%")
        (['0.26', '-0.041', '0.0048', '0', '12'], '0.20', '11%')
    """
    if form == "%":
        return f"{100 * value:.0f}%"
    value = abs(value) if form == "abs" else value
    if abs(value) < 0.095:
        return number(float(f"{value:.1e}"))
    return f"{value:.2f}" if abs(value) < 9.5 else number(float(f"{value:.0f}"))


def _printed(record: Record, form: str) -> str | None:
    return None if record["printed_value"] is None else _short(record["printed_value"], form)


FORMS: Mapping[str, Callable[[Record], str | None]] = {
    "": lambda record: _short(record["estimate"]),
    "abs": lambda record: _short(record["estimate"], "abs"),
    "%": lambda record: _short(record["estimate"], "%"),
    "asked": lambda record: number(record["low"] if record["high"] is None else record["high"]),
    "n": n_text,
    "printed": lambda record: _printed(record, ""),
    "printed%": lambda record: _printed(record, "%"),
}
"""How a slot is written: the estimate, without its sign, in percent; the bound, of two the upper; how many; printed."""


def _of_statistic(record: Record, cases: Sequence[Record]) -> str:
    """What was seen, in the words of the statistic."""
    if record["verdict"] in ("not tested", "broken") or record["estimate"] is None:
        sentence = f"{_capital(one_line(record['reason'])).rstrip('.')}."
    else:
        sentence = f"{_capital(one_line(record['statistic']))}: {estimate_text(record)} ({n_text(record)}), "
        sentence += f"{_against(record)}."
    if len(cases) == 1:
        return sentence
    # The table that heads the finding is that of all its cases.
    params = {name: value for name, value in record["params"].items() if name != "evidence_folder"}
    case = part_text({**record, "params": params})
    where = f" ({case})" if case else ""
    holding = sum(Verdict(case["verdict"]).holds for case in cases)
    if holding == len(cases):
        return f"Holds in all {len(cases)} cases. The narrowest{where}: {sentence}"
    return f"Holds in {holding} of {len(cases)} cases. The worst{where}: {sentence}"


def _against(record: Record) -> str:
    """How the interval lies to the range of the rule."""
    asked, none, verdict = asked_text(record), number(record["null"]), record["verdict"]
    if record["confidence"] == 1 and verdict in ("reproduced", "demonstrated", "contradicted"):
        return f"{'' if Verdict(verdict).holds else 'not '}{asked} as asked"
    if verdict == "undecided":
        if _without_width(record):
            return f"all {plural(record['unit'], 2)} gave the same, so that no interval can be given"
        at = record["settles_at"]
        if at and record["n"] < record.get("min_n", 0):  # reports of before do not say it
            return f"of fewer than the {counted(at, record['unit'])} that are asked for"
        return f"not wholly {asked} as asked, and not wholly outside"
    away = f"no effect ({none}), away from what is asked ({asked})" if _between(record) else f"what is asked ({asked})"
    return {
        "reproduced": f"{asked} as asked",
        "demonstrated": f"{asked} as asked",
        "weaker": f"on the claimed side of {none}, but not {asked} as asked",
        "absent": f"no effect ({none}), and not {asked} as asked",
        "contradicted": f"wholly on the other side of {away}",
    }[verdict]


def change_text(record: Record) -> str:
    """What would change a verdict, and from where on another bound would; empty where nothing was judged."""
    verdict, unit = record["verdict"], record["unit"]
    if verdict == "not tested":
        return "Such evidence would be judged."
    if verdict == "broken" or record["estimate"] is None:
        return ""
    if record["confidence"] == 1 and verdict != "undecided":
        source = "other printed cells or " if record["evidence"] == "published" else ""
        return f"An exact value: only {source}another reading of the sentence.{_tipping(record)}"
    if verdict == "undecided":
        at = record["settles_at"]
        more = f"about {counted(at, unit)}" if at else f"more {plural(unit, 2)}"
        if at and at > MOST_UNITS:
            more = f"more than {counted(MOST_UNITS, unit)}"
        return _capital(f"{plural(unit, 2)} that differ" if _without_width(record) else more) + " would decide it."
    other = {
        "weaker": "reaches either end",
        "absent": "reaches that range or leaves no effect out",
        "contradicted": f"reaches {number(record['null']) if _between(record) else 'that range'}",
    }.get(verdict, "leaves that range")
    return f"An interval that {other} ({asked_text(record)}).{_tipping(record)}"


def _between(record: Record) -> bool:
    """Whether there is something between no effect and what is asked."""
    return record["null"] not in (None, record["low"], record["high"])


def _without_width(record: Record) -> bool:
    return bool(record["interval"]) and record["interval"][0] == record["interval"][1]


def _tipping(record: Record) -> str:
    """Where the bound would have to lie for another word, and where ours comes from."""
    at, source = record.get("tips_at"), record.get("source")  # reports of before have neither
    if at is None or not source:
        return ""
    up = "up to" if record["high"] is None else "down to"
    return f" Reproduced for any bound {up} {number(at)}; asked by {source}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
