"""Sessions of pytest, commands and scripts, forked from a process that has imported what they need (``warm``).

Ten times as fast as new processes, of which most would only import.
"""

import multiprocessing
import os
from collections.abc import Sequence
from multiprocessing import forkserver
from pathlib import Path
from unittest.mock import patch

from in_fork import HERE, run

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["warm"])
# From here on, as workers that train or score are forked from the same process.
with patch.dict(os.environ, PYTHONPATH=os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])):
    forkserver.ensure_running()


def run_forked(program: str, arguments: Sequence[str], folder: Path, said: Path) -> int:
    """Run pytest, dbench or ``python -c`` in a folder, all it prints in the file ``said``; return its exit status.

    Raises:
        TimeoutError: it took longer than two minutes.
    """
    process = _SERVER.Process(target=run, args=(program, [*arguments], folder, said, dict(os.environ)))
    process.start()
    process.join(120)
    if process.exitcode is None:
        process.kill()
        raise TimeoutError(f"{program} {' '.join(arguments)} has not ended: {said.read_text()}")
    return process.exitcode
