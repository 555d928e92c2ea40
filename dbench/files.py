"""Files are written whole or not at all, and damaged content is raised as an error of dbench."""

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
    """Turn whatever zipfile, numpy, pyarrow and others raise on damaged bytes into :class:`DamagedData`."""
    try:
        yield
    except DbenchError:
        raise
    except Exception as error:
        raise DamagedData(f"{what} cannot be read{kind}: {error or type(error).__name__}") from error


def read_npy_header(stream: IO[bytes], what: str) -> tuple[tuple[int, ...], bool, Any]:
    """Return the shape, Fortran order and dtype that an npy stream declares, and leave the stream at its first value.

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
        size = min(int.from_bytes(length, "little"), _LARGEST_HEADER)
        return reader(io.BytesIO(length + stream.read(size)))


@contextlib.contextmanager
def atomic_write(path: Path, *, break_links: bool = False) -> Iterator[Path]:
    """Yield a temporary path; what is written there replaces ``path`` at the end, unless something is raised.

    A file is replaced by a rename and keeps its mode and, where the system allows it, its owner. A symbolic link stays;
    its target is replaced. What a rename would destroy is written into instead: a character device, a pipe with a
    reader, the file that standard output goes to and, unless ``break_links``, a file with several hard links. Missing
    folders are made. Each call has its own temporary path, even where containers share folders and process ids.

    Raises:
        OSError: ``path`` is a folder, a block device, a socket or a pipe that nobody reads, or the system refuses.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        status = None
    target = Path(os.path.realpath(path))
    in_place = _open_in_place(path, status, break_links) if status else None
    # The folder of a device may have no room for a file.
    folder = target.parent if status is None or stat.S_ISREG(status.st_mode) else Path(tempfile.gettempdir())
    temporary = folder / f".{target.name}.{uuid.uuid4().hex[:8]}.partial"
    with in_place or contextlib.nullcontext():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            yield temporary
            if in_place:
                with temporary.open("rb") as content:
                    shutil.copyfileobj(content, in_place)
                if status and stat.S_ISREG(status.st_mode):
                    in_place.truncate()  # the old content may have been longer
                return
            if status:
                with contextlib.suppress(OSError):  # EPERM, or EINVAL for an owner that a container does not know
                    os.chown(temporary, status.st_uid, status.st_gid)
                temporary.chmod(stat.S_IMODE(status.st_mode))
            temporary.replace(target)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


_NEVER_WRITTEN = {stat.S_ISDIR: "a folder", stat.S_ISBLK: "a block device", stat.S_ISSOCK: "a socket"}


def _open_in_place(path: Path, status: os.stat_result, break_links: bool) -> IO[bytes] | None:
    """Open a file that is written into and not replaced; return None for a plain file, which is replaced."""
    for standard in (1, 2):
        with contextlib.suppress(OSError):  # it may be closed
            if os.path.samestat(os.fstat(standard), status):
                return os.fdopen(os.dup(standard), "wb")  # continues after the earlier output
    if stat.S_ISREG(status.st_mode) and (break_links or status.st_nlink == 1):
        return None
    for is_kind, kind in _NEVER_WRITTEN.items():
        if is_kind(status.st_mode):
            raise OSError(errno.EINVAL, f"it is {kind}", str(path))
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)  # else a pipe without a reader would block
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "it is a pipe that nobody reads", str(path)) from None
        raise
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")


def same_file(one: Path, other: Path) -> bool:
    """Return whether two paths lead to the same place; the file need not exist yet."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    return one.exists() and other.exists() and one.samefile(other)


def write_file(path: Path, content: str | bytes) -> Path:
    """Write bytes, or text as UTF-8, whole or not at all.

    Raises:
        DbenchError: the place cannot be written to.
    """
    try:
        with atomic_write(path) as temporary:
            temporary.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise DbenchError(f"cannot write {path}: {error.strerror or error}") from error
    return path
