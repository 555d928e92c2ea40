"""Files in a folder or a bucket: written aside and renamed; what the system refuses to show does not count as gone."""

from __future__ import annotations

import uuid
from contextlib import suppress
from pathlib import Path

import fsspec

from dbench.errors import DamagedData, DbenchError, InvalidInput

__all__ = ["Place"]


class Place:
    """A folder, or a URL that fsspec knows.

    Args:
        path: folder or URL.
        create: whether to make it when it is missing.

    Raises:
        InvalidInput: the path cannot be used as a folder, or there is no store and none is to be made.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        try:
            self._fs, self.root = fsspec.core.url_to_fs(str(path))
            if create:
                self._fs.makedirs(f"{self.root}/runs", exist_ok=True)
            missing = not create and not self._fs.exists(f"{self.root}/runs")
        except (OSError, ValueError, ImportError) as error:
            raise InvalidInput(
                f"store must be a folder or URL that can be written, got {str(path)!r}: {error}"
            ) from None
        if missing:
            raise InvalidInput(
                f"store must hold runs, got {str(path)!r}, where there are none; run dbench zoo train first"
            )
        self.url = str(path)

    @property
    def address(self) -> str:
        """The store for a process in another folder: the URL, or the absolute path."""
        return self.root if self.local else self.url

    def check_shared(self) -> None:
        """Refuse a store that worker processes would not see: what they wrote would be gone with them.

        Raises:
            InvalidInput: the store is in this process's memory.
        """
        if "memory" in self._protocols:
            raise InvalidInput(
                f"store must be a folder or a bucket, which worker processes see too, got {self.url!r}, "
                "which is in the memory of this process"
            )

    def __repr__(self) -> str:
        """Name the place."""
        return f"Store({self.url!r})"

    def _write(self, path: str, data: bytes) -> None:
        aside = f"{path}.{uuid.uuid4().hex[:8]}.partial"
        try:
            self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._fs.pipe_file(aside, data)
            self._fs.mv(aside, path)
        except OSError as error:
            with suppress(OSError):
                self._fs.rm_file(aside)
            raise DbenchError(f"store {self.url} could not write {path.rpartition('/')[2]}: {error}") from None

    def _read_if_there(self, path: str) -> bytes | None:
        # Not `exists`, which answers no where the system refuses to look: a finished run would be trained anew.
        try:
            return bytes(self._fs.cat_file(path))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DbenchError(f"store {self.url} could not read {path}: {error}") from None

    def _read(self, path: str) -> bytes:
        if (data := self._read_if_there(path)) is None:
            raise DamagedData(f"{path} is missing")
        return data

    def _remove(self, path: str, *, recursive: bool = False) -> None:
        try:
            self._fs.rm(path, recursive=True) if recursive else self._fs.rm_file(path)
        except FileNotFoundError:  # there is none, or somebody else was quicker
            pass
        except OSError as error:
            raise DbenchError(f"store {self.url} could not remove {path}: {error}") from None

    @property
    def local(self) -> bool:
        """Whether it is a folder of this machine's file system."""
        return "file" in self._protocols

    @property
    def _protocols(self) -> tuple[str, ...]:
        protocol = self._fs.protocol
        return (protocol,) if isinstance(protocol, str) else tuple(protocol)
