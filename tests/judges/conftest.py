"""Gives the judges' tests the claim files and the counter-worlds, neither of which is a package.

How to add counter-worlds: write ``tests/judges/worlds/<topic>.py`` with a list ``WORLDS`` of ``Worlds`` entries, one
for each card of your claim files; those of claims over zoos are ``calibrated`` (``docs/claims-guide.md``). Every file
of that folder is imported here by its path, and what such files share lies in ``counter_worlds``.
"""

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest
from counter_worlds import card_of

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


FILES = [load(path, f"counter_worlds_of_{path.stem}") for path in sorted((HERE / "worlds").glob("*.py"))]
WORLDS = [worlds for file in FILES for worlds in file.WORLDS]
CALIBRATIONS = [worlds.calibration for worlds in WORLDS if worlds.calibration]


def pytest_generate_tests(metafunc):
    """Run a test that asks for ``worlds`` once for each entry, one that asks for ``small_worlds`` where one exists."""
    small = [worlds for worlds in WORLDS if callable(worlds.small)]
    for name, entries in (("worlds", WORLDS), ("small_worlds", small)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, [pytest.param(entry, id=f"{entry.file}-{entry.card}") for entry in entries])
    if "calibration" in metafunc.fixturenames:
        cases = [pytest.param(c, id=f"{c.file}-{c.card}", marks=marks_of(c)) for c in CALIBRATIONS]
        metafunc.parametrize("calibration", cases)


def marks_of(entry) -> tuple:
    """Headings rest on primary cards; docs/calibration.md has the others too, and the night tries them again."""
    return () if card_of(claim_file(entry.file), entry.card).role == "primary" else (pytest.mark.nightly,)


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
