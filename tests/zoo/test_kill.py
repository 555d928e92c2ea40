"""A sweep that is stopped, politely or not, and goes on later, ends as one that was left alone."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbench.zoo.engine import Group, train_group
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import Profile
from dbench.zoo.store import Store

PROGRAM = """
import sys
from dbench.zoo.keys import RunKey
from dbench.zoo.store import Store
from dbench.zoo.train import train_runs

if __name__ == "__main__":
    store = Store(sys.argv[1])
    summary = train_runs(store, [RunKey(**key) for key in eval(sys.argv[2])], workers=1)
    sys.exit(130 if summary.cancelled else 0)
"""


@pytest.fixture
def keys(tiny: Profile) -> list[RunKey]:
    return replace(tiny, steps=2000, batch_size=16, seeds=1, sweeps=tiny.sweeps[:1]).runs()


def _start(folder: Path, store: Store, keys: list[RunKey]) -> subprocess.Popen[str]:
    """Train in a session of its own, and wait until steps are being taken."""
    (folder / "program.py").write_text(PROGRAM)
    arguments = [sys.executable, str(folder / "program.py"), store.url, repr([key.axes for key in keys])]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stderr is not None
    assert "model-steps" in process.stderr.readline()
    return process


def _stop(process: subprocess.Popen[str], kill: signal.Signals) -> int:
    time.sleep(1)
    if kill == signal.SIGKILL:
        os.killpg(process.pid, kill)
    else:
        process.send_signal(kill)
    code = process.wait(60)
    assert process.stderr is not None
    process.stderr.close()
    return code


def test_a_sweep_stopped_again_and_again_comes_to_the_same_end(
    store: Store, keys: list[RunKey], tmp_path: Path
) -> None:
    for kill, codes in ((signal.SIGINT, {130, 0}), (signal.SIGKILL, {-9, 0}), (signal.SIGTERM, {130, 0})):
        if all(store.intact(key) for key in keys):
            break
        assert _stop(_start(tmp_path, store, keys), kill) in codes
    train_group(_Silent(), Group(store.url, tuple(keys)))  # type: ignore[arg-type]
    undisturbed = Store(tmp_path / "undisturbed")
    train_group(_Silent(), Group(undisturbed.url, tuple(keys)))  # type: ignore[arg-type]
    for key in keys:
        assert store.intact(key)
        np.testing.assert_array_equal(store.tensors(key, "codes")["mean"], undisturbed.tensors(key, "codes")["mean"])


class _Silent:
    stopping = False

    def report(self, **_: int) -> None:
        pass
