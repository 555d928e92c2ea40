"""What a session was told, by an option or in its ini file."""

from pathlib import Path

import pytest


def setting(config: pytest.Config, name: str) -> Path | None:
    """Resolve an option from the current folder, else its ini twin from the root; ``None`` for 'none'."""
    typed, fixed = config.getoption(name), config.getini(name)
    if (typed or fixed) == "none":
        return None
    return config.invocation_params.dir / str(typed) if typed else config.rootpath / str(fixed)
