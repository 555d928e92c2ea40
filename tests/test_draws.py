"""No test fails by luck: what is drawn is the same on each run, and other where a seed is given."""

from pathlib import Path

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


def test_draws_are_the_same_on_each_run_and_other_by_a_seed_that_is_told(pytester):
    pytester.makeconftest(Path(__file__).with_name("conftest.py").read_text())
    pytester.makepyfile(DRAWS)
    drawn = []
    for options in ((), (), ("--hypothesis-profile=nightly", "--hypothesis-seed=1487")):
        result = pytester.runpytest_subprocess("-n0", *options)
        result.assert_outcomes(passed=1)
        drawn.append(Path("drawn").read_text())
        Path("drawn").unlink()
    assert drawn[0] == drawn[1] != drawn[2]
    result.stdout.fnmatch_lines(["property tests draw by seed 1487"])


def test_on_a_busy_machine_a_property_test_may_take_longer(pytester):
    pytester.makeconftest(Path(__file__).with_name("conftest.py").read_text())
    pytester.makepyfile(SLOW)
    for options in ((), ("--hypothesis-profile=nightly",)):
        pytester.runpytest_subprocess("-n0", *options).assert_outcomes(passed=1)
