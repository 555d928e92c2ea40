"""The frozen rules are those of the claims: a card that changed without ``dbench claims freeze`` is noticed."""

import ast
import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from forked import run_forked

from dbench.claims import CARD_ATTRIBUTE, Claim, ledger
from dbench.claims.fingerprint import declared_by, fingerprint
from dbench.claims.frozen import Frozen, FrozenCard, frozen_again, load_frozen, translate_rules, write_frozen
from dbench.claims_commands import _equal_cards
from dbench.errors import DbenchError

ROOT = Path(__file__).parents[2]
CARD = """
from dbench.claims import Claim, above
from dbench.stats import share_of

CARD = Claim(
    id="flaws.xor", where="3.1", says="It holds.", evidence="synthetic", role="cell", population="worlds", unit="world",
    statistic="mean", rule=above({bound}), min_n=5,
)

@CARD.covers
def test_holds():
    return share_of(95, 100)
"""


@pytest.fixture
def freeze(tmp_path):
    """Return what freezes the claims of a folder: its exit status, and what was said."""

    def freeze(folder: Path, *options: str) -> tuple[int, str]:
        said = tmp_path / "said.txt"
        return run_forked("dbench", ["claims", "freeze", *options], folder, said), said.read_text()

    return freeze


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
def test_the_shipped_rules_are_frozen_as_they_are(freeze):
    code, said = freeze(ROOT, "--check")
    assert code == 0, said
    assert "0 new or changed, 0 gone" in said


def test_frozen_rules_are_read_as_they_were_written(tmp_path):
    frozen = Frozen(
        {
            "flaws.xor / zoo": FrozenCard("ab" * 8, "2026-01-01", "abc", 3, {"rule": "above 0.5", "given": {"n": "5"}}),
            "sober.ä": FrozenCard("cd", "2026-01-02", "def"),
        }
    )
    write_frozen(tmp_path / "frozen.json", frozen)
    assert load_frozen(tmp_path / "frozen.json") == frozen
    assert frozen.cards["sober.ä"] == FrozenCard("cd", "2026-01-02", "def", cells=0, declared={}, blind=False)
    assert Frozen() == Frozen({})


def test_frozen_rules_stand_a_card_to_a_line_in_words_that_can_be_read(tmp_path):
    cards = {name: FrozenCard("ab", "2026-01-01", "c", declared={"rule": "über 0.5"}) for name in ("a.b", "c.d")}
    write_frozen(tmp_path / "frozen.json", Frozen(cards))
    lines = (tmp_path / "frozen.json").read_text(encoding="utf-8").splitlines()
    assert [line.partition(":")[0].strip() for line in lines if "über 0.5" in line] == ['"a.b"', '"c.d"']


def test_a_change_of_form_keeps_date_and_commit_and_one_of_the_rule_does_not():
    before = Frozen({name: FrozenCard(f"{name} 1", "2026-01-01", "old") for name in ("same", "form", "rule")})
    hashes = (("same", "same 1"), ("form", "2"), ("rule", "2"))
    now = Frozen({name: FrozenCard(hash, "2026-02-02", "new") for name, hash in hashes})
    assert frozen_again(Frozen(), now, equal={"same"}) == now
    after = frozen_again(before, now, equal={"same", "form"}).cards
    assert after == {
        "same": FrozenCard("same 1", "2026-01-01", "old"),
        "form": FrozenCard("2", "2026-01-01", "old"),
        "rule": FrozenCard("2", "2026-02-02", "new"),
    }


@pytest.mark.parametrize("blind", [True, False])
def test_only_primaries_and_cells_that_changed_are_blind_and_what_is_as_it_was_stays_so(blind):
    roles = ("primary", "cell", "probe", "print")
    before = Frozen({role: FrozenCard("1", "2026-01-01", "old", blind=role in ("cell", "probe")) for role in roles})

    def again(hash, **options):
        now = {role: FrozenCard(hash, "2026-02-02", "new", declared={"role": role}) for role in roles}
        return {role: card.blind for role, card in frozen_again(before, Frozen(now), set(), **options).cards.items()}

    assert again("1", blind=blind) == {"primary": False, "cell": True, "probe": True, "print": False}
    assert again("2", blind=blind) == {"primary": blind, "cell": blind, "probe": False, "print": False}
    assert again("2") == dict.fromkeys(roles, False)


def test_a_table_gets_the_new_hashes_of_cards_that_were_in_force_and_changed_their_form_alone(tmp_path):
    manifest = {"schema": 2, "sha256": "", "runs": 1, "scores": [], "profile": {}, "key_schema": 1}
    manifest["arrays"] = {"sha256": "", "shapes": {}}
    manifest["rules"] = {"form": "1", "newer": "0", "rule": "1"}
    folder = tmp_path
    (folder / "manifest.json").write_text(json.dumps(manifest))
    names = ("form", "newer", "rule", "unknown")
    before, after = (Frozen({name: FrozenCard(hash, "2026-01-01", "") for name in names}) for hash in ("1", "2"))
    assert translate_rules(folder, before, after, {"form", "newer", "unknown"}) == 1
    written = manifest | {"rules": {"form": "2", "newer": "0", "rule": "1"}}
    assert (folder / "manifest.json").read_text() == json.dumps(written, indent=1) + "\n"
    os.utime(folder / "manifest.json", (0, 0))
    assert translate_rules(folder, before, after, {"form", "newer", "unknown"}) == 0  # it is in force already
    assert (folder / "manifest.json").stat().st_mtime == 0


@pytest.mark.parametrize(
    ("in_force", "newer"),
    [
        (["now"], False),
        (["before"], True),
        ([None], True),
        (["now", "now"], False),
        (["now", "before"], True),
        (["before", "now"], True),
    ],
)
def test_a_card_is_newer_than_a_table_scored_under_another_hash_of_it(in_force, newer):
    tables = [SimpleNamespace(rules={"card": hash} if hash else {}) for hash in in_force]
    card, models = SimpleNamespace(name="card"), SimpleNamespace(parts=tables)
    assert Frozen({"card": FrozenCard("now", "2026-01-01", "")}).is_newer(card, models) is newer
    assert not Frozen({"card": FrozenCard("now", "2026-01-01", "", blind=True)}).is_newer(card, models)
    assert Frozen().is_newer(card, models)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"rule": "above 0.6"}, "rule is 'above 0.6', was 'above 0.5'"),
        ({"given": {"n": "6"}}, "given: n is '6', was '5'"),
        ({"given": {}}, "given: n is None, was '5'"),
        ({"rule": "x" * 99}, f"rule is '{'x' * 79}, was 'above 0.5'"),
    ],
)
def test_a_card_that_is_not_as_it_was_frozen_is_named_with_what_differs(change, said):
    declared = {"rule": "above 0.5", "given": {"n": "5"}}
    frozen = Frozen({"card": FrozenCard(fingerprint(declared), "2026-01-01", "", 0, declared)})
    found = frozen.change_of(SimpleNamespace(name="card"), declared | change)
    assert found == (f"card 'card' is not as it was frozen: {said}" if said else "")
    assert frozen.change_of(SimpleNamespace(name="other"), declared) == "card 'other' is not frozen"
    edited = Frozen({"card": FrozenCard("ab", "2026-01-01", "", 0, declared)})
    assert "must have the hash of what it declares" in edited.change_of(SimpleNamespace(name="card"), declared)


def test_a_changed_rule_is_refused_by_name_until_it_is_frozen(tmp_path, freeze):
    (tmp_path / "claims").mkdir()
    test = tmp_path / "claims" / "test_own.py"
    test.write_text(CARD.format(bound=0.5))
    assert freeze(tmp_path)[0] == 0
    before = (tmp_path / "claims" / "frozen.json").read_bytes()
    assert set(json.loads(before)["cards"]) == {"flaws.xor / synthetic"}
    test.write_text(CARD.format(bound=0.6))
    code, said = freeze(tmp_path, "--check")
    assert code == 2
    assert "1 new or changed, 0 gone, first 'flaws.xor / synthetic'" in said
    assert "Traceback" not in said
    assert (tmp_path / "claims" / "frozen.json").read_bytes() == before
    (tmp_path / "tables").mkdir()
    code, said = freeze(tmp_path, "--evidence", "tables")
    assert (code, "evidence must be a folder with runs.parquet" in said) == (2, True)
    assert (tmp_path / "claims" / "frozen.json").read_bytes() == before
    assert freeze(tmp_path)[0] == 0
    assert (tmp_path / "claims" / "frozen.json").read_bytes() != before
    test.write_text("import a_module_that_is_not_there")
    (tmp_path / "claims" / "test_spoilt.py").write_text("raise ValueError('another')")
    code, said = freeze(tmp_path)
    assert (code, "got claims/test_own.py: ModuleNotFoundError: No module named" in said) == (2, True)


def _numbers(source: str) -> list[tuple[ast.Constant, str]]:
    """Numbers that a claim file declares: in the fields of its cards that decide, and in its tests."""
    decide = {"rule", "confidence", "min_n", "bounds", "given"}
    found = []
    for node in ast.walk(ast.parse(source)):
        parts = []
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            (".zoo", ".synthetic", ".published", ".cell", ".probe")
        ):
            parts = [keyword.value for keyword in node.keywords if keyword.arg in decide]
        elif isinstance(node, ast.FunctionDef) and any(
            ast.unparse(one).endswith(".covers") for one in node.decorator_list
        ):
            parts = node.body
        inner = [constant for part in parts for constant in ast.walk(part)]
        found += [one for one in inner if isinstance(one, ast.Constant) and type(one.value) in (int, float)]
    return found


def _change_of(frozen: Frozen, card: Claim, tests: list) -> str:
    """Where a card, with those of the tests that cover it, is not as it was frozen."""
    own, row = [test for test in tests if getattr(test, CARD_ATTRIBUTE) is card], ledger()[card.id]
    table = row.table if row.heads == "zoo" else ""
    return frozen.change_of(card, declared_by(card, own, heads=row.heads, table=table, aside=row.aside))


def _tests_of(module: ModuleType) -> list:
    return [test for test in vars(module).values() if hasattr(test, CARD_ATTRIBUTE)]


def test_thirty_numbers_changed_by_hand_are_each_noticed_with_the_name_of_a_card(tmp_path, monkeypatch, claim_files):
    frozen, rng = load_frozen(ROOT / "claims" / "frozen.json"), np.random.default_rng(30)
    files = sorted((ROOT / "claims").glob("*/test_*.py"))
    sites = [(path, number) for path in files for number in _numbers(path.read_text())]
    for turn, site in enumerate(rng.choice(len(sites), 30, replace=False)):
        path, number = sites[site]
        lines = path.read_text().splitlines(keepends=True)
        line = lines[number.lineno - 1].encode()
        other = repr(number.value * 2 + 1).encode()
        lines[number.lineno - 1] = (line[: number.col_offset] + other + line[number.end_col_offset :]).decode()
        copy = tmp_path / f"changed_{turn}.py"
        copy.write_text("".join(lines))
        spec = importlib.util.spec_from_file_location(copy.stem, copy)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, copy.stem, module)
        as_it_was = _tests_of(claim_files[str(path.relative_to(ROOT / "claims").with_suffix(""))])
        assert {_change_of(frozen, getattr(test, CARD_ATTRIBUTE), as_it_was) for test in as_it_was} == {""}
        try:
            spec.loader.exec_module(module)
        except DbenchError:  # a card that cannot be is refused where it stands
            continue
        tests = _tests_of(module)
        changes = [_change_of(frozen, getattr(test, CARD_ATTRIBUTE), tests) for test in tests]
        assert any(changes), f"{path.name}:{number.lineno}: {number.value}"


def test_a_constant_of_the_library_changed_by_hand_is_noticed_by_the_cards_that_reach_it(claim_files, monkeypatch):
    frozen = load_frozen(ROOT / "claims" / "frozen.json")
    files = [path.relative_to(ROOT / "claims").with_suffix("") for path in sorted(ROOT.glob("claims/*/test_*.py"))]
    tests = [
        test
        for file in files
        if not hasattr(claim_files[str(file)], "HELD")
        for test in _tests_of(claim_files[str(file)])
    ]
    cards = {
        card.name: card
        for test in tests
        if "HELD" in frozen.cards[(card := getattr(test, CARD_ATTRIBUTE)).name].declared["constants"]
    }
    assert cards
    assert {_change_of(frozen, card, tests) for card in cards.values()} == {""}
    monkeypatch.setattr("dbench.estimates.relations.HELD", 0.2)
    for name, card in cards.items():
        assert _change_of(frozen, card, tests).startswith(f"card {name!r} is not as it was frozen: constants: HELD is ")
