"""Gives the judges' tests the claim files, which are no package here, and their cards."""

from collections.abc import Mapping
from types import ModuleType

import pytest
from calibration.row import CLAIMS, claim_file

from dbench.claims import CARD_ATTRIBUTE

FILES = [path.relative_to(CLAIMS).with_suffix("").as_posix() for path in sorted(CLAIMS.glob("*/test_*.py"))]


def pytest_generate_tests(metafunc):
    """Run a test that asks for ``claim_file_name`` once for each claim file."""
    if "claim_file_name" in metafunc.fixturenames:
        metafunc.parametrize("claim_file_name", FILES)


class ClaimFiles(dict):
    """Claim files by their path below claims/, without the suffix; imported when they are asked for."""

    def __missing__(self, name: str) -> ModuleType:
        return claim_file(name)


@pytest.fixture(scope="session")
def claim_files() -> Mapping[str, ModuleType]:
    return ClaimFiles()


@pytest.fixture(scope="session")
def cards(claim_files) -> list:
    """Every card that some test covers, in the order of the files."""
    tests = [test for name in FILES for test in vars(claim_files[name]).values()]
    covered = [getattr(test, CARD_ATTRIBUTE) for test in tests if hasattr(test, CARD_ATTRIBUTE)]
    return list({id(card): card for card in covered}.values())
