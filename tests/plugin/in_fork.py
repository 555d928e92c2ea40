"""What a forked process runs. It is a module of its own because an import of ``forked`` starts the fork server."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def run(program: str, arguments: list[str], folder: Path, output: Path, environment: dict[str, str]) -> None:
    """Run a program as :func:`forked.run_forked` says."""
    with output.open("wb") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # As for an installed program: modules found in these folders are imported before pytest can rewrite their asserts.
    sys.path[:] = [each for each in sys.path if each and Path(each) not in (HERE, ROOT)]
    sys.dont_write_bytecode = True  # tests change a file within the second that bytecode is dated by
    sys.argv = [program, *arguments]
    if program == "python":
        exec(arguments[1], {"__name__": "__main__"})
    elif program == "dbench":
        from dbench.cli import main

        main(prog_name=program)
    else:
        import pytest

        sys.exit(int(pytest.main()))
