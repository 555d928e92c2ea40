"""Gives the judges' tests the claim files and the counter-worlds, neither of which is a package.

Counter-worlds leave with the last card that names no ``false``: every file of ``worlds`` has a list ``WORLDS``; what
they share lies in ``counter_worlds``.
"""

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from dbench.claims import CARD_ATTRIBUTE

HERE = Path(__file__).parent
CLAIMS = HERE.parents[1] / "claims"


def load(path: Path, name: str) -> ModuleType:
    """Import a file under a name of its own, once."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def claim_file(name: str) -> ModuleType:
    """Import a claim file by its path below claims/, without the suffix."""
    return load(CLAIMS / f"{name}.py", "claims_" + name.replace("/", "_"))


WORLDS = [worlds for path in sorted((HERE / "worlds").glob("*.py")) for worlds in load(path, path.stem).WORLDS]


def pytest_generate_tests(metafunc):
    """Run a test that asks for ``worlds`` once for each entry."""
    if "worlds" in metafunc.fixturenames:
        metafunc.parametrize("worlds", [pytest.param(entry, id=f"{entry.file}-{entry.card}") for entry in WORLDS])


@pytest.fixture(scope="session")
def all_worlds() -> list:
    """Every entry of every file of counter-worlds."""
    return WORLDS


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
    names = (path.relative_to(CLAIMS).with_suffix("").as_posix() for path in sorted(CLAIMS.glob("*/test_*.py")))
    tests = [test for name in names for test in vars(claim_files[name]).values()]
    covered = [getattr(test, CARD_ATTRIBUTE) for test in tests if hasattr(test, CARD_ATTRIBUTE)]
    return list({id(card): card for card in covered}.values())
