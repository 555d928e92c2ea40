"""What was seen of a finding and what would change it, in a sentence each.

The ledger may say what was seen in the field's words. Every number in such a sentence comes from a record, by a slot
``{part / name=value, name=value : form}``: the record of the finding with this part and these parameters, on the kind
of evidence and the table that head the finding. ``{}`` is the estimate of the record that decided, ``{~name}`` that of
one part of a sentence of several parts (:func:`dbench.claims.rules.every_part`).
"""

import re
from collections.abc import Callable, Mapping, Sequence

from dbench.claims import Verdict
from dbench.claims.ledger import Finding
from dbench.report.schema import Record
from dbench.report.text import asked_text, counted, estimate_text, n_text, number, part_text, plural
from dbench.shown import one_line

# Nobody trains more units, but an estimate close to its bound would need thousands.
MOST_UNITS = 1_000
SLOT = re.compile(r"\{([^{}:]*)(?::\s*(\S+)\s*)?\}")


def seen_text(records: Sequence[Record], row: Finding, decider: Record, cases: Sequence[Record]) -> str:
    """Return what was seen of the finding of these records: the ledger's sentence, or else the statistic.

    The ledger has one sentence for each verdict. It is not used where a record for one of its slots is missing.
    ``cases`` are the records that head the finding, ``decider`` the one that gave the verdict.
    """
    sentence = row.seen.get(decider["verdict"], "")
    slots = list(SLOT.finditer(sentence))
    texts = {slot[0]: _slot_text(slot[1].strip(), slot[2] or "", records, row, decider) for slot in slots}
    if not sentence or None in texts.values():
        return _statistic_text(decider, cases)
    return SLOT.sub(lambda slot: str(texts[slot[0]]), sentence)


def _slot_text(name: str, form: str, records: Sequence[Record], row: Finding, decider: Record) -> str | None:
    """Return the text of a slot; None where its record, form or number is missing."""
    if name.startswith("~"):
        prefix = f"{name[1:]}: "
        note = next((note for note in decider.get("notes", []) if note.startswith(prefix)), None)
        value = note and re.match(r"-?[\d.]+", note.removeprefix(prefix))
        return _short(float(value[0]), form) if value else None
    record = _record(name, records, row) if name else decider
    if record is None or form not in FORMS or record["estimate"] is None:
        return None
    return FORMS[form](record)


def _record(name: str, records: Sequence[Record], row: Finding) -> Record | None:
    """Return the one record that a slot names, a primary one before others; None where there is none, or several."""
    part, _, params = (text.strip() for text in name.partition("/"))
    wanted = dict(param.strip().split("=", 1) for param in params.split(",") if param)
    table = {} if "evidence_folder" in wanted else {"evidence_folder": row.table}
    fitting = [
        record
        for record in records
        if record["evidence"] == row.heads
        and record["part"] == part
        and all(str(record["params"].get(key)) == value for key, value in wanted.items())
        and all(record["params"].get(key, value) == value for key, value in table.items())
    ]
    preferred = [record for record in fitting if record["role"] == "primary"] or fitting
    return preferred[0] if len(preferred) == 1 else None


def _short(value: float, form: str = "") -> str:
    """Return a number with two decimals, or two digits where it is below 0.1; ``abs``: without sign, ``%``: in percent.

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
"""Form of a slot -> its text: estimate, without sign, in percent; bound asked (of two the upper); n; printed value."""


def _statistic_text(record: Record, cases: Sequence[Record]) -> str:
    """Return what was seen, in the words of the statistic."""
    if record["verdict"] in ("not tested", "broken") or record["estimate"] is None:
        sentence = f"{_capital(one_line(record['reason'])).rstrip('.')}."
    else:
        sentence = f"{_capital(one_line(record['statistic']))}: {estimate_text(record)} ({n_text(record)}), "
        sentence += f"{_position_text(record)}."
    if len(cases) == 1:
        return sentence
    # All cases of a finding have the same table, so that it need not be named.
    params = {name: value for name, value in record["params"].items() if name != "evidence_folder"}
    name = part_text({**record, "params": params})
    where = f" ({name})" if name else ""
    holding = sum(Verdict(case["verdict"]).holds for case in cases)
    if holding == len(cases):
        return f"Holds in all {len(cases)} cases. The narrowest{where}: {sentence}"
    return f"Holds in {holding} of {len(cases)} cases. The worst{where}: {sentence}"


def _position_text(record: Record) -> str:
    """Say where the interval lies relative to the range that the rule asks for."""
    asked, none, verdict = asked_text(record), number(record["null"]), record["verdict"]
    if record["confidence"] == 1 and verdict in ("reproduced", "demonstrated", "contradicted"):
        return f"{'' if Verdict(verdict).holds else 'not '}{asked} as asked"
    if verdict == "undecided":
        if _without_width(record):
            return f"all {plural(record['unit'], 2)} gave the same, so that no interval can be given"
        needed = record["settles_at"]
        if needed and record["n"] < record.get("min_n", 0):  # reports of earlier versions have no min_n
            return f"of fewer than the {counted(needed, record['unit'])} that are asked for"
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
    """Say what would change a verdict, and for which bounds it would be another; empty where nothing was judged."""
    verdict, unit = record["verdict"], record["unit"]
    if verdict == "not tested":
        return "Such evidence would be judged."
    if verdict == "broken" or record["estimate"] is None:
        return ""
    if record["confidence"] == 1 and verdict != "undecided":
        source = "other printed cells or " if record["evidence"] == "published" else ""
        return f"An exact value: only {source}another reading of the sentence.{_tipping(record)}"
    if verdict == "undecided":
        needed = record["settles_at"]
        more = f"about {counted(needed, unit)}" if needed else f"more {plural(unit, 2)}"
        if needed and needed > MOST_UNITS:
            more = f"more than {counted(MOST_UNITS, unit)}"
        return _capital(f"{plural(unit, 2)} that differ" if _without_width(record) else more) + " would decide it."
    condition = {
        "weaker": "reaches either end",
        "absent": "reaches that range or leaves no effect out",
        "contradicted": f"reaches {number(record['null']) if _between(record) else 'that range'}",
    }.get(verdict, "leaves that range")
    return f"An interval that {condition} ({asked_text(record)}).{_tipping(record)}"


def _between(record: Record) -> bool:
    """Return whether the value of no effect is known and no bound of what is asked."""
    return record["null"] not in (None, record["low"], record["high"])


def _without_width(record: Record) -> bool:
    return bool(record["interval"]) and record["interval"][0] == record["interval"][1]


def _tipping(record: Record) -> str:
    """Say up to which bound the verdict would be reproduced, and where ours comes from; empty where unknown."""
    limit, source = record.get("tips_at"), record.get("source")  # reports of earlier versions have neither
    if limit is None or not source:
        return ""
    direction = "up to" if record["high"] is None else "down to"
    return f" Reproduced for any bound {direction} {number(limit)}; asked by {source}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
