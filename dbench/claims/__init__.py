"""Claims: cards, decision rules, verdicts, records and expected verdicts. Nothing here imports pytest."""

from dbench.claims.card import CARD_ATTRIBUTE, Claim, Judgement, Printed, Role
from dbench.claims.expected import Expectation, Expectations, load_expected
from dbench.claims.frozen import Frozen, load_frozen
from dbench.claims.ledger import Finding, ledger
from dbench.claims.record import broken_record, card_fields, record_of
from dbench.claims.regime import Predicate
from dbench.claims.rules import Rule, Verdict, above, below, within

__all__ = [
    "CARD_ATTRIBUTE",
    "Claim",
    "Expectation",
    "Expectations",
    "Finding",
    "Frozen",
    "Judgement",
    "Predicate",
    "Printed",
    "Role",
    "Rule",
    "Verdict",
    "above",
    "below",
    "broken_record",
    "card_fields",
    "ledger",
    "load_expected",
    "load_frozen",
    "record_of",
    "within",
]
