"""The papers' own numbers pass our rules: else the bound is not the paper's, or the sentence is an erratum.

``own_numbers/<name>.py`` holds a list ``NUMBERS`` of rows: claim file, card, printed values, erratum. The values are
those that the paper prints for the very sentence of the card; ``erratum`` says why they fail its rule, and is left
out where they must pass it.
"""

from dbench.claims import Verdict
from dbench.stats import exact


def test_the_papers_own_numbers_pass_its_rule(claim_files, own_numbers):
    file, name, values, erratum = own_numbers
    rule = getattr(claim_files[file], name).rule
    failing = [value for value in values if rule.decide(exact(value)) is not Verdict.REPRODUCED]
    assert bool(failing) is bool(erratum), f"{name}: of the printed {values}, {failing} fail its rule ({rule})"
