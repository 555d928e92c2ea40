"""The frozen rules are those of the claims: a card that changed without ``dbench claims freeze`` is noticed."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from dbench.claims.frozen import Frozen, FrozenCard, frozen_again, load_frozen, write_frozen
from dbench.claims_commands import _equal_cards

ROOT = Path(__file__).parents[2]
CARD = """
from dbench.claims import Claim, above
from dbench.stats import Interval

CARD = Claim(
    id="flaws.xor", where="3.1", says="It holds.", evidence="synthetic", role="cell", population="worlds", unit="world",
    statistic="mean", rule=above({bound}), min_n=5,
)

@CARD.covers
def test_holds():
    return Interval(0.7, 0.6, 0.8, 10, 0.95)
"""


def freeze(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    # The installed command: python -m would put the checkout before what is installed.
    command = [str(Path(sys.executable).with_name("dbench")), "claims", "freeze", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize(
    ("records", "equal"),
    [
        ([{"estimate": 0.5}], True),
        ([{"estimate": 0.5}, {"estimate": None, "verdict": "not tested"}], True),
        ([{"estimate": None, "verdict": "not tested"}], False),  # nothing was computed
        ([{"estimate": 0.5}, {"estimate": None, "verdict": "broken"}], False),
    ],
)
def test_records_without_an_estimate_prove_nothing_of_a_card(records, equal):
    fixed = {"claim": "a.b", "evidence": "zoo", "part": "", "params": {}, "interval": None, "n": 5, "rule": "above 0"}
    document = {"records": [{**fixed, "role": "primary", "verdict": "reproduced", **record} for record in records]}
    assert (_equal_cards(document, document) == {"a.b / zoo"}) == equal


@pytest.mark.long
def test_the_shipped_rules_are_frozen_as_they_are():
    checked = freeze(ROOT, "--check")
    assert checked.returncode == 0, checked.stderr
    assert "0 new or changed, 0 gone" in checked.stdout


def test_frozen_rules_are_read_as_they_were_written(tmp_path):
    frozen = Frozen(
        {"flaws.xor / zoo": FrozenCard("ab" * 32, "2026-01-01", 3), "sober.ä": FrozenCard("cd", "2026-01-02")}
    )
    write_frozen(tmp_path / "frozen.json", frozen)
    assert load_frozen(tmp_path / "frozen.json") == frozen


def test_a_change_of_form_keeps_the_date_and_counts_as_the_card_in_force_before():
    before = Frozen(
        {name: FrozenCard(f"{name} 2", "2026-01-01", 0, (f"{name} 1",)) for name in ("same", "form", "rule")}
    )
    now = Frozen(
        {name: FrozenCard(hash, "2026-02-02") for name, hash in (("same", "same 2"), ("form", "3"), ("rule", "3"))}
    )
    after = frozen_again(before, now, equal={"same", "form"}).cards
    assert after == {
        "same": FrozenCard("same 2", "2026-01-01", 0, ("same 1",)),
        "form": FrozenCard("3", "2026-01-01", 0, ("form 1", "form 2")),
        "rule": FrozenCard("3", "2026-02-02"),
    }


@pytest.mark.parametrize(("in_force", "newer"), [("now", False), ("before", False), ("another", True), (None, True)])
def test_a_card_is_newer_than_a_table_scored_under_neither_its_hash_nor_an_earlier_one(in_force, newer):
    table = SimpleNamespace(rules={"card": in_force} if in_force else {})
    card, models = SimpleNamespace(name="card"), SimpleNamespace(parts=(table,))
    assert Frozen({"card": FrozenCard("now", "2026-01-01", 0, ["before"])}).is_newer(card, models) is newer


def test_a_changed_rule_is_refused_by_name_until_it_is_frozen(tmp_path):
    (tmp_path / "claims").mkdir()
    test = tmp_path / "claims" / "test_own.py"
    test.write_text(CARD.format(bound=0.5))
    assert freeze(tmp_path).returncode == 0
    before = (tmp_path / "claims" / "frozen.json").read_bytes()
    assert set(json.loads(before)["cards"]) == {"flaws.xor / synthetic"}
    test.write_text(CARD.format(bound=0.6))
    changed = freeze(tmp_path, "--check")
    assert changed.returncode == 2
    assert "1 new or changed, 0 gone, first 'flaws.xor / synthetic'" in changed.stderr
    assert "Traceback" not in changed.stderr
    assert (tmp_path / "claims" / "frozen.json").read_bytes() == before
    assert freeze(tmp_path).returncode == 0
    assert (tmp_path / "claims" / "frozen.json").read_bytes() != before
