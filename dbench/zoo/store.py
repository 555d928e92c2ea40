"""The store: one folder for each run, on a disk or in a bucket.

``runs/<digest>/run.json`` is written last and holds the checksums of the files beside it. A run exists if and only if
that file does, even when a process was killed while it wrote. A file that the system refuses to read does not count as
missing: :class:`DbenchError` is raised.
"""

import hashlib
import json
import re
import stat
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

import fsspec
import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.files import atomic_write, readable
from dbench.zoo.keys import KEY_SCHEMA, RunKey

Status = Literal["done", "diverged", "interrupted"]
_LARGEST_DOCUMENT = 1 << 28  # bytes; comparisons of a few thousand runs take some megabytes
_FILE = re.compile(r"[\w-][\w.-]*\.safetensors")
_STATUSES: tuple[Status, ...] = ("done", "diverged", "interrupted")


def seal(document: Mapping[str, Any]) -> bytes:
    """Encode a document (JSON values only, no NaN) as JSON, with its own SHA-256 under ``sha256``."""
    text = json.dumps(document, sort_keys=True, allow_nan=False)
    return json.dumps({**document, "sha256": hashlib.sha256(text.encode()).hexdigest()}, indent=1).encode() + b"\n"


def unseal(data: bytes | str, path: str) -> dict[str, Any]:
    """Decode a document of :func:`seal`, and check its checksum.

    Raises:
        DamagedData: ``data`` is no such document, or was changed after it was written.
    """
    with readable(path, " as a document of the store"):
        document = json.loads(data)
        promised = document.pop("sha256")
    text = json.dumps(document, sort_keys=True)
    if hashlib.sha256(text.encode()).hexdigest() != promised:
        raise DamagedData(f"{path} does not have the checksum it carries: it was changed after it was written")
    return dict(document)


class Contents(NamedTuple):
    """Sorted keys of the current schema, number of runs with another schema, and number of unreadable records."""

    keys: list[RunKey]
    foreign: int
    unreadable: int


class Store:
    """Trained runs by key.

    Args:
        path: folder, or any URL that fsspec knows (``s3://bucket/zoo``).
        create: whether to create a missing store; if ``None``, it may be missing and is created by the first write.

    Raises:
        InvalidInput: the path cannot be used as a folder, or the store is missing and ``create`` is false.
    """

    def __init__(self, path: str | Path, *, create: bool | None = True) -> None:
        try:
            self._fs, self.root = fsspec.core.url_to_fs(str(path))
            if create:
                self._fs.makedirs(f"{self.root}/runs", exist_ok=True)
            missing = create is False and not self._fs.exists(f"{self.root}/runs")
        except (OSError, ValueError, ImportError) as error:
            raise InvalidInput(
                f"store must be a folder or URL that can be written, got {str(path)!r}: {error}"
            ) from None
        if missing:
            raise InvalidInput(
                f"store must hold runs, got {str(path)!r}, where there are none; run dbench zoo train first"
            )
        self.url = str(path)
        protocols = [self._fs.protocol] if isinstance(self._fs.protocol, str) else self._fs.protocol
        self.local, self._in_memory = "file" in protocols, "memory" in protocols

    @property
    def address(self) -> str:
        """The URL, or the absolute path of a folder, by which a process in another folder opens the store."""
        return self.root if self.local else self.url

    def check_shared(self) -> None:
        """Refuse a store in this process's memory, because what worker processes write to theirs would be lost."""
        if self._in_memory:
            raise InvalidInput(
                f"store must be a folder or a bucket, which worker processes see too, got {self.url!r}, "
                "which is in the memory of this process"
            )

    def _write(self, path: str, data: bytes) -> None:
        try:
            # Hard links belong to copies of the store (cp -al). A file written in place would be incomplete meanwhile.
            with atomic_write(Path(path), break_links=True) if self.local else self._atomic_write(path) as target:
                self._fs.pipe_file(str(target), data)
        except OSError as error:
            raise DbenchError(f"store {self.url} could not write {path.rpartition('/')[2]}: {error}") from None

    @contextmanager
    def _atomic_write(self, path: str) -> Iterator[str]:
        """Do in a bucket what :func:`~dbench.files.atomic_write` does in a folder."""
        partial = f"{path}.{uuid.uuid4().hex[:8]}.partial"
        try:
            self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            yield partial
            self._fs.mv(partial, path)
        except OSError:
            with suppress(OSError):
                self._fs.rm_file(partial)
            raise

    def _read_if_there(self, path: str) -> bytes | None:
        # Not `exists`, which is false where the system denies access: a finished run would be trained again.
        try:
            if self.local:
                info = Path(path).stat()
                if not stat.S_ISREG(info.st_mode):  # reading a pipe would block, and a device might never end
                    raise DamagedData(f"{path} must be a regular file")
                if path.endswith(".json") and info.st_size > _LARGEST_DOCUMENT:
                    raise DamagedData(f"{path} must hold at most {_LARGEST_DOCUMENT:,} bytes, got {info.st_size:,}")
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
        except FileNotFoundError:  # it never existed, or another process removed it
            pass
        except OSError as error:
            raise DbenchError(f"store {self.url} could not remove {path}: {error}") from None

    def _path(self, digest: str, name: str) -> str:
        return f"{self.root}/runs/{digest}/{name}"

    def save(
        self,
        key: RunKey,
        *,
        status: Status,
        tensors: Mapping[str, Mapping[str, NDArray[Any]]],
        record: Mapping[str, Any],
    ) -> None:
        """Write the files of a run, then its record, without which the files do not count.

        ``tensors`` maps file names without ending to named arrays. The name of a checkpoint holds its step, so that a
        process killed between two files leaves the earlier checkpoint intact. The record has JSON values only.
        """
        checksums: dict[str, str] = {}
        for name, arrays in tensors.items():
            data = save_tensors({label: np.asarray(array, order="C") for label, array in arrays.items()})
            self._write(self._path(key.digest, f"{name}.safetensors"), data)
            checksums[f"{name}.safetensors"] = hashlib.sha256(data).hexdigest()
        document = {"schema": KEY_SCHEMA, "key": key.axes, "status": status, "files": checksums, **record}
        self._write(self._path(key.digest, "run.json"), seal(document))
        # Remove files that an earlier state of the run, or a killed process, left in its folder.
        folder = f"{self.root}/runs/{key.digest}"
        try:
            listed = self._fs.ls(folder, detail=False)
        except OSError as error:
            raise DbenchError(f"store {self.url} could not list {folder}: {error}") from None
        for path in listed:
            if str(path).rstrip("/").rpartition("/")[2] not in {*checksums, "run.json", "scores.json"}:
                self._remove(path)

    def record(self, key: RunKey) -> dict[str, Any] | None:
        """Return the record of a run, or ``None`` when there is none.

        Raises:
            DamagedData: the file is not a valid record, or belongs to another key or schema.
        """
        path = self._path(key.digest, "run.json")
        data = self._read_if_there(path)
        if data is None:
            return None
        document = unseal(data, path)
        if document.get("schema") != KEY_SCHEMA or document.get("key") != key.axes:
            raise DamagedData(f"{path} holds another run than {key}")
        if document.get("status") not in _STATUSES or not isinstance(document.get("files"), dict):
            raise DamagedData(f"{path} lacks a known status or the list of its files")
        if odd := [name for name in document["files"] if not _FILE.fullmatch(name)]:
            raise DamagedData(f"{path} must name files of its own folder, got {odd[0]!r:.80}")
        return document

    def status(self, key: RunKey) -> Status | None:
        """Return the status of a run, or ``None`` when there is no such run; raises as :meth:`record` does."""
        document = self.record(key)
        return None if document is None else document["status"]

    def tensors(self, key: RunKey, name: str) -> dict[str, NDArray[Any]]:
        """Read one file of a run and check it against the checksum in the record.

        Raises:
            DamagedData: the run or the file does not exist, or the checksum differs.
        """
        document = self.record(key)
        path = self._path(key.digest, f"{name}.safetensors")
        if document is None or f"{name}.safetensors" not in document["files"]:
            raise DamagedData(f"the store has no {name} of run {key}")
        data = self._read(path)
        if hashlib.sha256(data).hexdigest() != document["files"][f"{name}.safetensors"]:
            raise DamagedData(f"{path} does not have the checksum that run.json gives: damaged or changed")
        with readable(path, " as a safetensors file"):  # numpy lacks some types, such as bfloat16
            return dict(load_tensors(data))

    def intact(self, key: RunKey, record: Mapping[str, Any] | None = None) -> bool:
        """Whether a run is finished (done or diverged) and every file has the checksum of its record.

        A done run must have weights and codes.
        """
        try:
            document = self.record(key) if record is None else record
            if document is None or document["status"] == "interrupted":
                return False
            files = document["files"]
            if document["status"] == "done" and not files.keys() >= {"weights.safetensors", "codes.safetensors"}:
                return False
            for name, checksum in files.items():
                if hashlib.sha256(self._read(self._path(key.digest, name))).hexdigest() != checksum:
                    return False
        except DamagedData:
            return False
        return True

    def discard(self, key: RunKey) -> None:
        """Remove a run and its scores; do nothing when there is no such run."""
        folder = f"{self.root}/runs/{key.digest}"
        # Remove the record first, since without it the other files do not count.
        self._remove(f"{folder}/run.json")
        self._remove(folder, recursive=True)

    def _folders(self) -> list[str]:
        # Not `glob`, which would take brackets in the store's own path for a pattern.
        try:
            entries = self._fs.ls(f"{self.root}/runs", detail=True)
        except FileNotFoundError:  # a bucket has no empty folders
            return []
        except OSError as error:
            raise DbenchError(f"store {self.url} could not list its runs: {error}") from None
        return [entry["name"].rstrip("/") for entry in entries if entry["type"] != "file"]

    def contents(self) -> Contents:
        """Read every record once; damaged records are not counted at all.

        Raises:
            DbenchError: the runs cannot be listed.
        """
        keys, foreign, unreadable = list[RunKey](), 0, 0
        for folder in self._folders():
            path = f"{folder}/run.json"
            try:
                if (data := self._read_if_there(path)) is None:
                    continue
                document = unseal(data, path)
            except DamagedData:
                continue
            except DbenchError:
                unreadable += 1
                continue
            if document.get("schema") != KEY_SCHEMA:
                foreign += 1
                continue
            with suppress(InvalidInput, LookupError, TypeError, ValueError, AttributeError):  # not a valid key
                keys.append(RunKey.from_axes(document["key"]))
        return Contents(sorted(keys), foreign, unreadable)

    def write_document(self, name: str, document: Mapping[str, Any], *, key: RunKey | None = None) -> None:
        """Write a sealed JSON document, of one run when ``key`` is given, else of the whole store."""
        self._write(self._document_path(name, key), seal(document))

    def read_document(self, name: str, *, key: RunKey | None = None) -> dict[str, Any] | None:
        """Return a sealed JSON document, or ``None`` when it does not exist.

        Raises:
            DamagedData: the document was changed after it was written.
        """
        path = self._document_path(name, key)
        data = self._read_if_there(path)
        return None if data is None else unseal(data, path)

    def remove_document(self, name: str) -> None:
        """Remove a document of the whole store; do nothing when it does not exist."""
        self._remove(self._document_path(name, None))

    def _document_path(self, name: str, key: RunKey | None) -> str:
        return f"{self.root}/{name}.json" if key is None else self._path(key.digest, f"{name}.json")

    @contextmanager
    def claim(self, keys: Iterable[RunKey], *, patience: float = 0.0) -> Iterator[list[RunKey]]:
        """Lock the runs that no other process of this machine has locked, and yield them; unlock them at the end.

        The locks of a folder are in the folder, those of a bucket in this machine's temporary folder. ``patience`` is
        the total time, in seconds, to wait for runs that are locked.
        """
        temporary = Path(tempfile.gettempdir()) / f"dbench-{hashlib.sha256(self.url.encode()).hexdigest()[:12]}"
        folder = Path(self.root) / "locks" if self.local else temporary
        deadline = time.monotonic() + patience
        with ExitStack() as locks:
            claimed = []
            for key in keys:
                try:
                    folder.mkdir(parents=True, exist_ok=True)
                    lock = FileLock(folder / f"{key.digest}.lock")
                    locks.enter_context(lock.acquire(timeout=max(deadline - time.monotonic(), 0.0)))
                except Timeout:
                    continue
                except OSError as error:
                    raise DbenchError(f"store could not lock run {key} in {folder}: {error}") from None
                claimed.append(key)
            yield claimed
