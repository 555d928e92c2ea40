"""The papers' own numbers pass our rules: else the bound is not the paper's, or the sentence is an erratum.

``own_numbers/<name>.py`` holds a list ``NUMBERS`` of rows: claim file, card, printed values, erratum. The values are
those that the paper prints for the very sentence of the card; ``erratum`` says why they fail its rule, and is left
out where they must pass it.
"""

import runpy
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).with_name("own_numbers").glob("*.py"))
NUMBERS = [(*row, "")[:4] for file in FILES for row in runpy.run_path(str(file))["NUMBERS"]]


@pytest.mark.parametrize(("file", "card", "values", "erratum"), NUMBERS, ids=[f"{f}-{c}" for f, c, _, _ in NUMBERS])
def test_the_papers_own_numbers_pass_its_rule(claim_files, file, card, values, erratum):
    rule = getattr(claim_files[file], card).rule
    failing = [value for value in values if not rule.allows(value)]
    assert bool(failing) is bool(erratum), f"{card}: of the printed {values}, {failing} fail its rule ({rule})"
