"""Claims: cards, decision rules, verdicts, records and expected verdicts. Nothing here imports pytest."""

from dbench.claims.card import CARD_ATTRIBUTE, Claim, Judgement, Printed
from dbench.claims.expected import Expectation, Expectations, load_expected
from dbench.claims.ledger import Finding, ledger
from dbench.claims.record import broken_record, card_fields, record_of
from dbench.claims.rules import Rule, Verdict, above, below, within

__all__ = [
    "CARD_ATTRIBUTE",
    "Claim",
    "Expectation",
    "Expectations",
    "Finding",
    "Judgement",
    "Printed",
    "Rule",
    "Verdict",
    "above",
    "below",
    "broken_record",
    "card_fields",
    "ledger",
    "load_expected",
    "record_of",
    "within",
]
