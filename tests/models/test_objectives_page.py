"""Sections of docs/objectives.md have the formula of the code, and name files of tests that are there."""

import re
import sys
from pathlib import Path

import pytest

from dbench.models.objectives import OBJECTIVES, find_card

# The package has functions of the same names in their place.
parted_vae, parted_vae_semi, dip_vae_i = (
    sys.modules[f"dbench.models.objectives.{name}"] for name in ("parted_vae", "parted_vae_semi", "dip_vae_i")
)
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "objectives.md").read_text(encoding="utf-8")
SECTIONS = {
    head.strip("`"): body for head, body in (part.split("\n", 1) for part in PAGE.split("\n## ")[1:]) if head[0] == "`"
}


def test_sections_are_of_objectives():
    assert set(SECTIONS) <= set(OBJECTIVES)
    assert len(SECTIONS) >= 10  # a new one may come without a section; none may lose its own


@pytest.mark.parametrize("name", sorted(SECTIONS))
def test_a_section_has_a_formula_with_the_strength_its_constants_and_a_file_that_tests_it(name):
    section = SECTIONS[name]
    formula = re.search(r"```text\n(.*?)```", section, re.DOTALL)
    assert formula is not None
    based_on_another = re.search(r"loss of (\w+)", formula[1])
    assert find_card(name).strength in (SECTIONS[based_on_another[1]] if based_on_another else formula[1])
    for constant, value in find_card(name).constants.items():
        assert constant in formula[1]
        assert f"{constant} = {value:g}" in section
    tests = re.findall(r"`(tests/[\w/]+\.py)`", section.partition("Checked by")[2])
    assert tests
    assert any(name in (ROOT / test).read_text(encoding="utf-8") for test in tests)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:tests|dbench)/[\w/.]+)`", PAGE))))
def test_every_named_file_is_there(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize(
    ("module", "constant", "printed"),
    [
        (parted_vae, "BALANCE", "100 KL(q(c)"),
        (parted_vae, "CERTAINTY", "10 H(q(c|x))"),
        (parted_vae, "SEPARATION", "10 sum_{c < c'}"),
        (parted_vae, "TOLERATED", "0.1, 0)"),
        (parted_vae_semi, "SUPERVISION", "10 E[-log q(c|x)]"),
        (dip_vae_i, "DIAGONAL_FACTOR", "10 lambda_od"),
    ],
)
def test_weights_in_formulas_are_those_of_the_code(module, constant, printed):
    assert printed in SECTIONS[module.__name__.rpartition(".")[2]]
    assert getattr(module, constant) == float(re.match(r"[\d.]+", printed)[0])
