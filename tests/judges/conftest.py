"""Gives the judges' tests the claim files, which are no package, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

CLAIMS = Path(__file__).parents[2] / "claims"


def load_claims(path: Path) -> ModuleType:
    """Import a claim file under a name of its own, once."""
    name = "claims_" + "_".join(path.relative_to(CLAIMS).with_suffix("").parts)
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def claim_files() -> dict[str, ModuleType]:
    """Every claim file by its path below claims/, without the suffix."""
    files = sorted(CLAIMS.glob("*/test_*.py"))
    return {str(path.relative_to(CLAIMS).with_suffix("")): load_claims(path) for path in files}


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
