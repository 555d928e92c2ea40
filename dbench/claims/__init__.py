"""Claims: cards, decision rules, verdicts, records and expected verdicts. Nothing here imports pytest."""

from dbench.claims.card import CARD_ATTRIBUTE, Claim, Judgement, Printed, Role
from dbench.claims.expected import Expectations, load_expected
from dbench.claims.frozen import Frozen, load_frozen
from dbench.claims.ledger import ledger
from dbench.claims.record import broken_record, card_fields, record_of
from dbench.claims.regime import Predicate
from dbench.claims.rules import EVERY_PART, Rule, Verdict, above, below, every_part, within

__all__ = [
    "CARD_ATTRIBUTE",
    "EVERY_PART",
    "Claim",
    "Expectations",
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
    "every_part",
    "ledger",
    "load_expected",
    "load_frozen",
    "record_of",
    "within",
]
