"""What the system refuses, in a process of its own: a disk that is full, folders of another user."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

PROGRAM = """
import os, resource, sys
from pathlib import Path

from dbench.errors import DbenchError
from dbench.files import write_file
from dbench.report.files import prepare_folder
from dbench.zoo.profiles import find_profile
from dbench.zoo.store import Store

folder, fault, what = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
store, key = Store(folder / "store"), find_profile("micro").runs()[0]
if fault == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
else:
    os.setuid(65534)
writers = {
    "file": lambda: write_file(folder / "table.csv", "x" * 100),
    "report": lambda: prepare_folder(folder / "report"),
    "run": lambda: store.save(key, status="diverged", tensors={}, record={}),
    "new store": lambda: Store(folder / "another" / "store"),
    "lock": lambda: store.claim([key]).__enter__(),
}
try:
    writers[what]()
except DbenchError as error:
    sys.exit(str(error))
"""
TOLD = {
    "file": "cannot write {}/table.csv: ",
    "report": "the report must go to a folder that can be written, got '{}/report': ",
    "run": "store {}/store could not write run.json: ",
    "new store": "store must be a folder or URL that can be written, got '{}/another/store': ",
    "lock": "store could not lock run ",
}


@pytest.fixture
def folder():
    """A folder that every user can read, which those of pytest are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "report").mkdir()
        (folder / "store" / "runs").mkdir(parents=True)
        (folder / "table.csv").write_text("of before")
        yield folder


def refused(folder, fault, what):
    def files():
        return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before = files()
    child = [sys.executable, "-c", PROGRAM, str(folder), fault, what]
    done = subprocess.run(child, capture_output=True, text=True, cwd=folder)
    assert files() == before
    assert done.stderr.startswith(TOLD[what].format(folder))
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("what", ["file", "report", "run"])
def test_a_full_disk_leaves_what_there_was_and_is_told_in_a_line(folder, what):
    assert "File too large" in refused(folder, "full", what)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
@pytest.mark.parametrize("what", TOLD)
def test_folders_of_another_user_are_left_alone_and_told_in_a_line(folder, what):
    assert "Permission denied" in refused(folder, "other user", what)
