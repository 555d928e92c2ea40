"""Files: written whole or not at all, and what cannot be read as an error of ours."""

import contextlib
import errno
import io
import os
import shutil
import stat
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from dbench.errors import DamagedData, DbenchError

_LARGEST_HEADER = 1 << 14  # numpy itself refuses headers above 10,000 bytes, but reads them first


@contextlib.contextmanager
def readable(what: str, kind: str = "") -> Iterator[None]:
    """Turn whatever zipfile, numpy, pyarrow and others raise at damaged bytes into :class:`DamagedData`."""
    try:
        yield
    except DbenchError:
        raise
    except Exception as error:
        raise DamagedData(f"{what} cannot be read{kind}: {error or type(error).__name__}") from error


def read_npy_header(stream: IO[bytes], what: str) -> tuple[tuple[int, ...], bool, Any]:
    """Return what an npy stream declares, shape, whether in Fortran order and dtype; its values are what follows.

    Raises:
        DamagedData: another format than 1 or 2, or a header that cannot be read.
    """
    import numpy as np  # only here: the command line loads without it

    readers = {(1, 0): (2, np.lib.format.read_array_header_1_0), (2, 0): (4, np.lib.format.read_array_header_2_0)}
    with readable(what, " as an npy array"):
        version = np.lib.format.read_magic(stream)
        if version not in readers:
            raise DamagedData(f"{what} must be in npy format 1 or 2, got version {version}")
        width, reader = readers[version]
        length = stream.read(width)
        return reader(io.BytesIO(length + stream.read(min(int.from_bytes(length, "little"), _LARGEST_HEADER))))


@contextlib.contextmanager
def atomic_write(path: Path, *, break_links: bool = False) -> Iterator[Path]:
    """Give a place to write to; at the end its content becomes that of ``path``, unless something is raised.

    A file is replaced by a rename and keeps its mode and, where the system allows it, its owner. A link stays: what it
    leads to is replaced. What a rename would destroy is written into: a character device, a pipe that somebody reads,
    the file that standard output goes to, and, unless ``break_links``, one of several names (hard links). Folders are
    made if missing. Every call has a place of its own, also where containers share folder and process ids.

    Raises:
        OSError: ``path`` is a folder, a block device, a socket or a pipe that nobody reads, or the system refuses.
    """
    try:
        there = path.stat()
    except FileNotFoundError:
        there = None
    target = Path(os.path.realpath(path))
    kept = _kept(path, there, break_links) if there else None
    # Beside a device there may be no room.
    folder = target.parent if there is None or stat.S_ISREG(there.st_mode) else Path(tempfile.gettempdir())
    place = folder / f".{target.name}.{uuid.uuid4().hex[:8]}.partial"
    with kept or contextlib.nullcontext():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            yield place
            if kept:
                with place.open("rb") as content:
                    shutil.copyfileobj(content, kept)
                if there and stat.S_ISREG(there.st_mode):
                    kept.truncate()  # what was there may have been longer
                return
            if there:
                with contextlib.suppress(OSError):  # EPERM, or EINVAL of an owner that a container does not know
                    os.chown(place, there.st_uid, there.st_gid)
                place.chmod(stat.S_IMODE(there.st_mode))
            place.replace(target)
        finally:
            with contextlib.suppress(OSError):
                place.unlink(missing_ok=True)


_NEVER_WRITTEN = {stat.S_ISDIR: "a folder", stat.S_ISBLK: "a block device", stat.S_ISSOCK: "a socket"}


def _kept(path: Path, there: os.stat_result, break_links: bool) -> IO[bytes] | None:
    """Open what is written into and not replaced; None where that is a plain file."""
    for standard in (1, 2):
        with contextlib.suppress(OSError):  # it may be closed
            if os.path.samestat(os.fstat(standard), there):
                return os.fdopen(os.dup(standard), "wb")  # goes on where the output before it ended
    if stat.S_ISREG(there.st_mode) and (break_links or there.st_nlink == 1):
        return None
    for is_kind, kind in _NEVER_WRITTEN.items():
        if is_kind(there.st_mode):
            raise OSError(errno.EINVAL, f"it is {kind}", str(path))
    try:
        opened = os.open(path, os.O_WRONLY | os.O_NONBLOCK)  # else a pipe would be waited for
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "it is a pipe that nobody reads", str(path)) from None
        raise
    os.set_blocking(opened, True)
    return os.fdopen(opened, "wb")


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one place, where a file need not be yet."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    return one.exists() and other.exists() and one.samefile(other)


def write_file(path: Path, content: str | bytes) -> Path:
    """Write bytes, or text as UTF-8, whole or not at all.

    Raises:
        DbenchError: the place cannot be written to.
    """
    try:
        with atomic_write(path) as place:
            place.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise DbenchError(f"cannot write {path}: {error.strerror or error}") from error
    return path
