"""The hash of a card and of what computes its estimate: what moves it, and what does not."""

import importlib.util
import sys
from dataclasses import replace
from itertools import count

import pytest

from dbench.claims import Claim, Predicate, above, below
from dbench.claims.fingerprint import fingerprint

CARD = Claim(
    id="flaws.xor",
    role="primary",
    quote="The exclusive or is fooled.",
    where="3.2",
    says="It is fooled.",
    evidence="synthetic",
    population="worlds",
    unit="world",
    statistic="mean",
    rule=above(0.5, null=0.0),
    min_n=5,
)
SOURCE = '''
import math
import numpy as np
import pytest
from dbench.claims import above
from dbench.claims.filters import filtered
from dbench.stats import mean_interval

LEVEL = 0.5
TABLE = {"mig": 1, "dci": (2, 3)}
NAMES = {"b", "a"}
CHOSEN = [mean_interval, LEVEL]
WORLDS = {
    "linear": lambda x: 2 * x,
    "square": lambda x: x**2,
}

ACCURACY = np.array([0.75, 0.5])
RULES = [above(0.25, null=0.0)]

def shifted(x):
    return x + 3

def helper(x, shift=shifted, *, level=LEVEL + 1, far=frozenset({6})):
    return shift(x + LEVEL) * level * ACCURACY, RULES

def unused(x):
    return x

class Made:
    def run(self, x):
        return [helper(y) for y in x]

@pytest.mark.parametrize(("cut", "world"), [(cut, by) for cut in {1: 0.1}.values() for by in [lambda x: -x]])
def test_it(cut=0.1, world=None):
    """Say something."""
    WORLDS["linear"](cut)
    made = Made().run([math.pi, TABLE["mig"], *NAMES])
    return filtered(CHOSEN[0](made), [True, False])
'''
NUMBERS = count()


@pytest.fixture
def hashed(tmp_path, monkeypatch):
    """Hash the card with the test of a file, in which a text is put in the place of another."""

    def hashed(old: str = "", new: str = "", *, card: Claim = CARD) -> str:
        assert old in SOURCE
        name = f"claim_{next(NUMBERS)}"
        path = tmp_path / f"{name}.py"
        path.write_text(SOURCE.replace(old, new, 1) if old else SOURCE)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)  # where the source of a class is looked up
        spec.loader.exec_module(module)
        return fingerprint(card, [module.test_it])

    return hashed


def test_a_hash_has_sixteen_digits_and_the_name_of_the_module_is_not_in_it(hashed):
    assert len(hashed()) == 16
    assert hashed() == hashed()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Say something."""', '"""Say another thing."""'),
        ('    """Say something."""\n', ""),
        ("def helper", "# why\ndef helper"),
        ("shift(x + LEVEL)", "shift(x\n            + LEVEL)"),
        ("def unused(x):\n    return x", "def unused(x):\n    return -x"),
        ('{"b", "a"}', '{"a", "b"}'),
        ("def helper", "same = lambda f: f\n@same\ndef helper"),
    ],
)
def test_what_decides_nothing_moves_no_hash(hashed, old, new):
    assert hashed(old, new) == hashed()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[math.pi,", "[math.e,"),
        ("shift(x + LEVEL)", "shift(x - LEVEL)"),
        ("return x + 3", "return x + 4"),
        ("return x + 3", "return helper(x)"),
        ("{6}", "{7}"),
        ("[0.75, 0.5]", "[0.75, 0.25]"),
        ("[0.75, 0.5]", "[0.75, 0.5], dtype=np.float32"),
        ("above(0.25", "above(0.125"),
        ("for y in x]", "for y in x[1:]]"),
        ("LEVEL = 0.5", "LEVEL = 0.25"),
        ('"mig": 1', '"mig": 2'),
        ('"mig": 1', '"sap": 1'),
        ("(2, 3)", "(2, 4)"),
        ('{"b", "a"}', '{"b", "c"}'),
        ("lambda x: 2 * x", "lambda x: 3 * x"),
        ("lambda x: x**2", "lambda x: x**3"),
        ("{1: 0.1}", "{1: 0.2}"),
        ("lambda x: -x", "lambda x: +x"),
        ("[mean_interval, LEVEL]", "[filtered, LEVEL]"),
        ("[mean_interval, LEVEL]", "[LEVEL, mean_interval]"),
        ('    """Say something."""\n', '    "".join([])\n    assert math\n'),
        ('    """Say something."""\n', "    0\n"),
    ],
)
def test_what_decides_the_estimate_moves_it(hashed, old, new):
    assert hashed(old, new) != hashed()


@pytest.mark.parametrize("name", ["filtered", "helper", "Made"])
def test_the_source_of_what_is_named_is_followed_into_the_house(hashed, monkeypatch, name):
    """As it would be if that source were another: dbench.claims and the file itself count, what they import counts."""
    from dbench.claims import fingerprint as module

    before, source = hashed(), module._source
    monkeypatch.setattr(module, "_source", lambda thing: "" if thing.__name__ == name else source(thing))
    assert hashed() != before


@pytest.mark.parametrize(
    "change",
    [
        {"rule": above(0.6, null=0.0)},
        {"rule": below(0.5, null=1.0)},
        {"role": "probe"},
        {"statistic": "median"},
        {"confidence": 0.9},
        {"min_n": 6},
        {"bounds": (0, 1)},
        {"roles": {"micro": "probe"}},
        {"evidence": "zoo"},  # by the source of the population
    ],
    ids=lambda change: next(iter(change)),
)
def test_each_part_of_the_card_that_decides_moves_it(hashed, change):
    assert hashed(card=replace(CARD, **change)) != hashed()


def test_a_predicate_of_the_regime_moves_it_by_its_name_its_rule_and_what_it_measures(hashed):
    def measure(population, objectives):
        return 1.0

    def other(population, objectives):
        return 2.0

    def made(level):
        return lambda population, objectives: level

    plain = Predicate("p", "says", above(0.5), "source", measure)
    changed = [replace(plain, name="q"), replace(plain, rule=above(0.6)), replace(plain, measure=other)]
    changed += [replace(plain, measure=made(1.0)), replace(plain, measure=made(2.0))]
    zoo = replace(CARD, evidence="zoo")
    found = [hashed(card=replace(zoo, regime=(predicate,))) for predicate in (plain, *changed)]
    assert len({hashed(card=zoo), *found}) == 7
    assert hashed(card=replace(zoo, regime=(replace(plain, says="other words"),))) == found[0]


def test_the_words_of_a_card_do_not(hashed):
    assert hashed(card=replace(CARD, says="Other words.", where="3.3", quote="Another.")) == hashed()
