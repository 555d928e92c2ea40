"""What the tests of the errata share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dbench_fixtures.published.errata import errata


@pytest.fixture
def shown() -> Callable[..., None]:
    """Return a function that insists that an entry shows every one of some texts, all of them recomputed."""
    entries = {entry.name: entry for entry in errata()}

    def insist(name: str, *texts: str) -> None:
        entry = entries[name]
        says = " ".join(" ".join((entry.place, entry.printed, entry.right, entry.derivation)).split())
        missing = [text for text in texts if text not in says]
        assert not missing, f"{name} does not show {missing}"

    return insist
