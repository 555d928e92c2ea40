"""What a forked process does: apart from ``forked``, which starts the process that all are forked from."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def run(program: str, arguments: list[str], folder: Path, said: Path, environment: dict[str, str]) -> None:
    """Run a program as :func:`forked.run_forked` says."""
    with said.open("wb") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # As of the installed programs: beside a checkout pytest finds its modules imported before it can rewrite them.
    sys.path[:] = [each for each in sys.path if each and Path(each) not in (HERE, ROOT)]
    sys.dont_write_bytecode = True  # tests change a file within the second that bytecode is dated by
    sys.argv = [program, *arguments]
    if program == "python":
        exec(arguments[1], {"__name__": "__main__"})
        return
    if program == "dbench":
        from dbench.cli import main

        main(prog_name=program)
    import pytest

    sys.exit(int(pytest.main()))
