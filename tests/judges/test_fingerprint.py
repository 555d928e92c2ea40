"""What a card declares: which fields, constants and numbers are in it, and what is not."""

import hashlib
import importlib.util
import sys
from dataclasses import replace
from itertools import count

import pytest

from dbench.claims import Claim, Predicate, above, below
from dbench.claims.fingerprint import declared_by, fingerprint
from dbench.stats import bootstrap, mean_of

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
from dataclasses import dataclass
from functools import cache, partial
import math
import numpy as np
import pytest
import torch
from dbench.claims import above
from dbench.codes import FunctionSource
from dbench_published import flaws
from dbench.estimates.filters import filtered
from dbench.estimates.relations import relations_of
from dbench.stats import mean_of

LEVEL = 0.5
TABLE = {"mig": 1, "dci": (2, 3)}
NAMES = {"b", "a"}
CHOSEN = [mean_of, LEVEL]
WORLDS = {
    "linear": lambda x: 2 * x,
    "square": lambda x: x**2,
}

ACCURACY = np.array([0.75, 0.5])
RULES = [above(0.25, null=0.0)]
BOUND = partial(filtered, [1.5])
NAMED = partial(filtered, kept=[4.5])
FLAG = True
SCALAR = np.float32(0.75)
SHOWN = "s" * 198 + "ab"

def raised(by):
    def inner(x):
        return x**by

    return inner

RAISED = raised(2.5)

@dataclass
class Mixed:
    matrix: torch.Tensor
    by: object = lambda x: x * 51

MIXED = Mixed(torch.tensor([1.0, 2.0]))
SOURCE = FunctionSource(lambda n, stream: stream.normal(size=(n, 61)), lambda factors, stream: factors)

@cache
def slow(x):
    return x * 21

class Held:
    def by(self, x, least=31):
        return x + 41

HOLDERS = {"first": Held}

def shifted(x):
    return x + 3

def helper(x, shift=shifted, *, level=LEVEL + 1, far=frozenset({6})):
    return shift(x + LEVEL) * level * ACCURACY, RULES

def unused(x):
    return x + 8

@pytest.mark.parametrize(("cut", "world"), [(cut, by) for cut in {1: 0.1}.values() for by in [lambda x: -x]])
def test_it(cut=0.1, world=None):
    """Say something."""
    WORLDS["linear"](cut), NAMED, FLAG, SCALAR, SHOWN, RAISED(cut), slow(cut), HOLDERS["first"]
    made = [helper(y) for y in [math.pi, TABLE["mig"], *NAMES]]
    shift = {"far": -71}["far"]
    MIXED, SOURCE, flaws.DATA_SETS
    return BOUND(CHOSEN[0](made), relations_of(made)[12])
'''
NUMBERS = count()


@pytest.fixture
def declared(tmp_path, monkeypatch):
    """Return what the card with the test of a file declares, in which a text is put in the place of another."""

    def declared(old: str = "", new: str = "", *, card: Claim = CARD) -> dict:
        assert old in SOURCE
        name = f"claim_{next(NUMBERS)}"
        path = tmp_path / f"{name}.py"
        path.write_text(SOURCE.replace(old, new, 1) if old else SOURCE)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return declared_by(card, [module.test_it], heads="synthetic", table="micro")

    return declared


def test_a_hash_has_sixteen_digits_and_the_name_of_the_module_is_not_in_it(declared):
    assert len(fingerprint(declared())) == 16
    assert declared() == declared()
    assert fingerprint(dict(reversed(declared().items()))) == fingerprint(declared())


def test_the_numbers_of_the_file_and_the_constants_of_the_library_stand_by_name(declared):
    constants = declared()["constants"]
    assert constants["LEVEL"] == "0.5"
    assert constants["written in shifted"] == "3"
    assert constants["written in test_it"] == "[linear, first, mig, far, -71, far, 0, 12]"
    assert constants["helper by default"] == "[1.5, [6]]"
    assert constants["raised.<locals>.inner closes over"] == "2.5"
    assert constants["written in slow"] == "21"
    assert (constants["written in Held.by"], constants["Held.by by default"]) == ("41", "31")
    assert constants["filtered bound"] == "[[1.5]] | {kept: [4.5]}"
    assert (constants["FLAG"], constants["SCALAR"]) == ("True", "float32 0.75")
    assert constants["_UNBOUNDED"] == "[-inf, inf]"  # which mean_of, a function of the library, reaches
    assert constants["MIXED"].startswith("Mixed{matrix: torch.float32 [1, 2], by: ")
    assert constants["DATA_SETS"] == "[dSprites, 3dshapes, MPI3D]"  # by the name of its module
    assert not any("unused" in name or "written in relations_of" in name for name in constants)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Say something."""', '"""Say another thing."""'),
        ("def helper", "# why\ndef helper"),
        ("return x + 8", "return x + 9"),
        ('{"b", "a"}', '{"a", "b"}'),
        ("made = [helper(y) for y in", "made = [helper(each) for each in"),
    ],
)
def test_what_decides_nothing_is_not_declared(declared, old, new):
    assert declared(old, new) == declared()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return x + 3", "return x + 4"),
        ("{6}", "{7}"),
        ("[0.75, 0.5]", "[0.75, 0.25]"),
        ("[0.75, 0.5]", "[0.75, 0.5], dtype=np.float32"),
        ("above(0.25", "above(0.125"),
        ("LEVEL = 0.5", "LEVEL = 0.25"),
        ("level=LEVEL + 1", "level=LEVEL + 2"),
        ('"mig": 1', '"mig": 2'),
        ('"mig": 1', '"sap": 1'),
        ("(2, 3)", "(2, 4)"),
        ('{"b", "a"}', '{"b", "c"}'),
        ("lambda x: 2 * x", "lambda x: 3 * x"),
        ("lambda x: x**2", "lambda x: x**3"),
        ("{1: 0.1}", "{1: 0.2}"),
        ("[mean_of, LEVEL]", "[filtered, LEVEL]"),
        ("[1.5]", "[1.25]"),
        ("[12]", "[13]"),
        ("kept=[4.5]", "kept=[4.25]"),
        ("FLAG = True", "FLAG = False"),
        ("np.float32(0.75)", "np.float64(0.75)"),
        ('"ab"', '"ac"'),
        ("raised(2.5)", "raised(2.25)"),
        ("x * 21", "x * 22"),
        ("least=31", "least=32"),
        ("x + 41", "x + 42"),
        ("[1.0, 2.0]", "[1.0, 2.5]"),
        ("x * 51", "x * 52"),
        ("(n, 61)", "(n, 62)"),
        ("-71", "71"),
        ('["first"]', '["fir" "st", 1]'),
        ('TABLE["mig"], *NAMES', 'TABLE["dci"][0], *NAMES'),
        ("made)[12]", "made)[-12]"),
        ("flaws.DATA_SETS", "flaws.METRICS"),
    ],
)
def test_what_can_turn_the_verdict_is(declared, old, new):
    assert declared(old, new) != declared()


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
        {"given": {"cut": 0.5}},
        {"filtered": {"cut": 0.5}},
        {"source": "sign"},
        {"demonstration": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_each_part_of_the_card_that_decides_is_declared(declared, change):
    assert declared(card=replace(CARD, **change)) != declared()


def test_what_heads_the_finding_is_declared(declared):
    assert (declared()["heads"], declared()["table"]) == ("synthetic", "micro")
    assert not {"filtered", "aside"} & declared().keys()  # cards of before there was one keep their hash
    assert declared_by(CARD, [bootstrap], aside="It is an erratum.")["aside"] == "It is an erratum."


@pytest.mark.parametrize(("length", "shown"), [(200, True), (201, False)])
def test_a_constant_of_more_than_200_characters_is_shown_by_its_hash(declared, length, shown):
    text = "s" * length
    found = declared('"s" * 198 + "ab"', repr(text))["constants"]["SHOWN"]
    assert found == (text if shown else hashlib.sha256(text.encode()).hexdigest()[:16])


def test_what_a_card_gives_and_what_trained_models_answer_is_reached(declared):
    plain = declared()["constants"]
    given = declared(card=replace(CARD, given={"by": [mean_of, {"of": bootstrap}]}))["constants"]
    assert given.keys() - plain.keys() >= {"bootstrap by default"}
    models = declared(card=replace(CARD, evidence="zoo"))["constants"]
    assert models.keys() - plain.keys() >= {"Population.enough_seeds by default"}
    assert models["Population.enough_seeds by default"] == "1"


def test_a_predicate_of_the_regime_counts_by_name_rule_units_and_the_constants_it_closes_over(declared):
    def made(level):
        return lambda population, unit: level

    plain = Predicate("p", "says", above(0.5), "source", "reason", made(1.0))
    changed = [replace(plain, name="q"), replace(plain, rule=above(0.6)), replace(plain, units=("mtd",))]
    zoo = replace(CARD, evidence="zoo")
    found = [fingerprint(declared(card=replace(zoo, regime=(predicate,)))) for predicate in (plain, *changed)]
    assert len({fingerprint(declared(card=zoo)), *found}) == 5
    assert fingerprint(declared(card=replace(zoo, regime=(replace(plain, says="other words"),)))) == found[0]


def test_the_words_of_a_card_are_not(declared):
    assert declared(card=replace(CARD, says="Other words.", where="3.3", quote="Another.")) == declared()
