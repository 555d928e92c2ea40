"""What is written takes the place of files alone: links, devices, pipes and modes stay."""

import errno
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.errors import DbenchError
from dbench.files import atomic_write, write_file
from dbench.report.files import prepare_folder
from dbench.zoo.store import Store


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "folder" / "old.csv"
    path.parent.mkdir()
    path.write_text("something longer than what is new")
    return path


def alone(folder: Path) -> bool:
    return not list(folder.rglob("*.partial"))


def score(tmp_path: Path, *options: object) -> str:
    """Run ``dbench score``, which must refuse in one line, and return it; empty where all went well."""
    np.savez(tmp_path / "codes.npz", codes=np.eye(4), factors=np.arange(4))
    arguments = ["score", str(tmp_path / "codes.npz"), "--metric", "mig", *map(str, options)]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    lines = done.stderr.splitlines()
    assert (done.exit_code, len(lines)) in [(0, 0), (2, 1)], done.output
    return "".join(lines)


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path, old: Path) -> None:
    (tmp_path / "near").symlink_to(old)
    (tmp_path / "far").symlink_to(tmp_path / "near")
    assert score(tmp_path, "--csv", tmp_path / "far") == ""
    assert (tmp_path / "far").is_symlink()
    assert (tmp_path / "near").readlink() == old
    assert old.read_text().startswith("metric,")
    assert alone(tmp_path)


def test_a_link_to_nothing_yet_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("later/new")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "later" / "new").read_text() == "new"


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    for one, other in ("ab", "ba"):
        (tmp_path / one).symlink_to(tmp_path / other)
    assert "Too many levels of symbolic links" in score(tmp_path, "--csv", tmp_path / "a")
    with pytest.raises(DbenchError, match="must go to a folder that can be written"):
        prepare_folder(tmp_path / "a")


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_keeps_its_mode(old: Path, mode: int) -> None:
    old.chmod(mode)
    write_file(old, "new")
    assert stat.S_IMODE(old.stat().st_mode) == mode
    assert old.read_text() == "new"


@pytest.mark.skipif(os.geteuid() != 0, reason="another's file is written by root alone")
def test_a_file_keeps_its_owner(old: Path) -> None:
    os.chown(old, 1234, 5678)
    write_file(old, "new")
    assert (old.stat().st_uid, old.stat().st_gid) == (1234, 5678)


@pytest.mark.parametrize("refusal", [errno.EPERM, errno.EINVAL])
def test_an_owner_that_the_system_does_not_give_is_left(
    old: Path, monkeypatch: pytest.MonkeyPatch, refusal: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(refusal, os.strerror(refusal))

    monkeypatch.setattr(os, "chown", refuse)
    assert write_file(old, "new").read_text() == "new"


def test_all_names_of_a_file_get_what_is_written(tmp_path: Path, old: Path) -> None:
    (tmp_path / "other").hardlink_to(old)
    write_file(tmp_path / "other", "new")
    assert old.read_text() == "new"
    assert old.samefile(tmp_path / "other")
    with pytest.raises(FileNotFoundError), atomic_write(old) as place:
        place.with_name("nowhere").rename(place)
    assert old.read_text() == "new"
    with atomic_write(old, break_links=True) as place:
        place.write_text("newer")
    assert [path.read_text() for path in (old, tmp_path / "other")] == ["newer", "new"]
    assert alone(tmp_path)


def test_another_name_of_the_file_that_is_scored_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "codes.npz", codes=np.eye(4), factors=np.arange(4))
    (tmp_path / "other").hardlink_to(tmp_path / "codes.npz")
    done = CliRunner().invoke(main, ["score", str(tmp_path / "codes.npz"), "--csv", str(tmp_path / "other")])
    assert "--csv must be no file that is scored" in done.stderr


def test_a_pipe_is_written_into_where_somebody_reads_and_refused_elsewhere(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    assert "cannot write" in (said := score(tmp_path, "--csv", pipe))
    assert "it is a pipe that nobody reads" in said
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    while not read:  # until the other thread has opened it
        if not (said := score(tmp_path, "--csv", pipe)):
            reader.join(60)
    assert read[0].startswith("metric,")
    assert pipe.is_fifo()
    assert alone(tmp_path)


def test_what_is_no_place_for_a_file_is_refused_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # an address of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert "it is a socket" in score(tmp_path, "--csv", "socket")
    with pytest.raises(DbenchError, match="it is a folder"):
        write_file(tmp_path, "new")
    assert stat.S_ISSOCK(Path("socket").stat().st_mode)


def as_if(monkeypatch: pytest.MonkeyPatch, path: Path, kind: int) -> None:
    """Let the system say that a file is of another kind."""
    true = Path.stat

    def told(self: Path, **options: bool) -> os.stat_result:
        found = true(self, **options)
        return os.stat_result([stat.S_IMODE(found.st_mode) | kind, *found[1:]]) if self == path else found

    monkeypatch.setattr(Path, "stat", told)


def test_a_character_device_is_written_into(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.lstat(old).st_ino
    as_if(monkeypatch, old, stat.S_IFCHR)
    write_file(old, "new")
    assert os.lstat(old).st_ino == before
    assert old.read_text() == "newething longer than what is new"  # nothing can be cut off a device
    assert alone(old.parent)


def test_a_block_device_is_refused(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_if(monkeypatch, old, stat.S_IFBLK)
    with pytest.raises(DbenchError, match="it is a block device"):
        write_file(old, "new")


@pytest.mark.parametrize(("minor", "said"), [(3, ""), (7, "No space left on device")])
def test_a_device_outlives_what_is_written_to_it(tmp_path: Path, minor: int, said: str) -> None:
    device = tmp_path / "device"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, minor))  # what /dev/null and /dev/full are
        device.open("rb").close()
    except PermissionError:
        pytest.skip("no device can be made here")
    assert said in (line := score(tmp_path, "--csv", device))
    assert bool(line) == bool(said)
    assert stat.S_ISCHR(device.stat().st_mode)
    assert device.stat().st_rdev == os.makedev(1, minor)


@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_standard_output_goes_on_behind_what_was_printed(tmp_path: Path, mode: str) -> None:
    # Not by its name in /dev, which root would lose to a fault.
    code = "from dbench.files import *; print('before', flush=True); write_file(Path('/proc/self/fd/1'), 'new\\n'); "
    run = [sys.executable, "-c", code + "print('after')"]
    (tmp_path / "out").write_text("earlier\n")
    with (tmp_path / "out").open(mode) as out:
        subprocess.run(run, stdout=out, check=True)
    earlier = ["earlier"] * (mode == "ab")
    assert (tmp_path / "out").read_text().split() == [*earlier, "before", "new", "after"]
    assert subprocess.run(run, capture_output=True, check=True).stdout.split() == [b"before", b"new", b"after"]


def test_a_store_follows_links_too(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    (tmp_path / "elsewhere.json").write_text("old")
    (tmp_path / "store" / "plan.json").symlink_to(tmp_path / "elsewhere.json")
    store.write_document("plan", {"a": 1})
    assert (tmp_path / "store" / "plan.json").is_symlink()
    assert store.read_document("plan") == {"a": 1}
    assert '"a": 1' in (tmp_path / "elsewhere.json").read_text()
