"""No test fails by luck: what is drawn is the same on each run, and other where a seed is given."""

from pathlib import Path

import pytest
from forked import run_forked

DRAWS = """
from pathlib import Path
from hypothesis import given, strategies as st

@given(st.integers())
def test_draws(number):
    with Path("drawn").open("a") as file:
        print(number, file=file)
"""

SLOW = """
from time import sleep
from hypothesis import given, settings, strategies as st

@settings(max_examples=2)
@given(st.integers())
def test_takes_its_time(number):
    sleep(0.3)
"""


@pytest.fixture
def drawing(tmp_path):
    """Write a property test beside the settings of this suite, and return what runs it: ``drawing(test, *options)``."""
    (tmp_path / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text())

    def drawing(test, *options):
        (tmp_path / "test_it.py").write_text(test)
        said = tmp_path / "said.txt"
        assert run_forked("pytest", ["-n0", *options], tmp_path, said) == 0, said.read_text()
        return said.read_text()

    return drawing


def test_draws_are_the_same_on_each_run_and_other_by_a_seed_that_is_told(drawing, tmp_path):
    drawn = []
    for options in ((), (), ("--hypothesis-profile=nightly", "--hypothesis-seed=1487")):
        said = drawing(DRAWS, *options)
        drawn.append((tmp_path / "drawn").read_text())
        (tmp_path / "drawn").unlink()
    assert drawn[0] == drawn[1] != drawn[2]
    assert "property tests draw by seed 1487" in said.splitlines()


def test_on_a_busy_machine_a_property_test_may_take_longer(drawing):
    for options in ((), ("--hypothesis-profile=nightly",)):
        drawing(SLOW, *options)
