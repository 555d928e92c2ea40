"""Gives the judges' tests the claim files and the counter-worlds, neither of which is a package.

How to add counter-worlds: write ``tests/judges/worlds/<topic>.py`` with a list ``WORLDS`` of ``Worlds`` entries, one
for each card of your claim files. Every file of that folder is imported here by its path, and the tests of
``test_counter_worlds.py`` run over all the lists together: each card must have one entry, each entry must name a card
that some test covers. Files with claims over zoos also have a list ``CALIBRATIONS``, one entry for each such card
(``docs/claims-guide.md``). What such files share (``Worlds``, ``EXACT``, ``rng``, ``population``) they import from
``counter_worlds``, the module beside this one, which is registered under that name before any of them is read.
"""

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
CLAIMS = HERE.parents[1] / "claims"


def load(path: Path, name: str) -> ModuleType:
    """Import a file under a name of its own, once."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


load(HERE / "counter_worlds.py", "counter_worlds")
FILES = [load(path, f"counter_worlds_of_{path.stem}") for path in sorted((HERE / "worlds").glob("*.py"))]
WORLDS = [worlds for file in FILES for worlds in file.WORLDS]
OWN_NUMBERS = [
    (*row, "")[:4]  # most have no erratum
    for path in sorted((HERE / "own_numbers").glob("*.py"))
    for row in load(path, f"own_numbers_of_{path.stem}").NUMBERS
]
CALIBRATIONS = [entry for file in FILES for entry in getattr(file, "CALIBRATIONS", [])]


def pytest_generate_tests(metafunc):
    """Run a test that asks for ``worlds`` once for each entry, one that asks for ``small_worlds`` where one exists."""
    chosen = {
        "worlds": WORLDS,
        "small_worlds": [worlds for worlds in WORLDS if callable(worlds.small)],
        "calibration": CALIBRATIONS,
    }
    if "own_numbers" in metafunc.fixturenames:
        ids = [f"{file}-{card}" for file, card, _, _ in OWN_NUMBERS]
        metafunc.parametrize("own_numbers", OWN_NUMBERS, ids=ids)
    for name in chosen.keys() & set(metafunc.fixturenames):
        entries = [(w, f"{w.file}-{w.card}", marks_of(w) if name == "calibration" else ()) for w in chosen[name]]
        metafunc.parametrize(name, [pytest.param(w, id=label, marks=marks) for w, label, marks in entries])


def marks_of(entry) -> tuple:
    """Headings rest on primary cards; docs/calibration.md has the others too, and the night tries them again."""
    card = sys.modules["counter_worlds"].card_of(claim_file(entry.file), entry.card)
    return () if card.role == "primary" else (pytest.mark.nightly,)


@pytest.fixture(scope="session")
def all_worlds() -> list:
    """Every entry of every file of counter-worlds."""
    return WORLDS


@pytest.fixture(scope="session")
def all_calibrations() -> list:
    """Every entry of every file of worlds that calibrates a claim."""
    return CALIBRATIONS


def claim_file(name: str) -> ModuleType:
    """Import a claim file by its path below claims/, without the suffix."""
    return load(CLAIMS / f"{name}.py", "claims_" + name.replace("/", "_"))


class ClaimFiles(Mapping):
    """The claim files by name."""

    def __getitem__(self, name: str) -> ModuleType:
        return claim_file(name)

    def __iter__(self) -> Iterator[str]:
        return (path.relative_to(CLAIMS).with_suffix("").as_posix() for path in sorted(CLAIMS.glob("*/test_*.py")))

    def __len__(self) -> int:
        return len(list(iter(self)))


@pytest.fixture(scope="session")
def claim_files() -> Mapping[str, ModuleType]:
    """Every claim file by its path below claims/, without the suffix; imported when it is asked for."""
    return ClaimFiles()


@pytest.fixture(scope="session")
def cards(claim_files):
    """Every card that some test covers, by file, in the order of the files."""
    from dbench.claims import CARD_ATTRIBUTE

    found: dict[str, list] = {}
    for name, module in claim_files.items():
        tests = [*vars(module).values()]
        tests += [f for c in tests if isinstance(c, type) and c.__module__ == module.__name__ for f in vars(c).values()]
        covered = [getattr(test, CARD_ATTRIBUTE) for test in tests if hasattr(test, CARD_ATTRIBUTE)]
        found[name] = list({id(card): card for card in covered}.values())
    return found
