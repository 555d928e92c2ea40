"""The binary matrix format of SmallNORB, which is named ``.mat`` and has nothing to do with MATLAB.

All integers are little endian and 32 bits wide: a magic number that stands for the type of the elements, the number of
dimensions, the dimensions (at least three, even of a vector; those beyond the number mean nothing), and then the
elements, last dimension fastest.
"""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dbench.errors import DamagedData

# Of the six types the format knows, those that occur in SmallNORB.
MAGIC = {np.dtype("u1"): 0x1E3D4C55, np.dtype("<i4"): 0x1E3D4C54}


def read_binary_matrix(
    path: Path, shape: tuple[int, ...], dtype: DTypeLike, *, rows: int
) -> Iterator[NDArray[np.generic]]:
    """Yield a gzipped matrix in parts of at most ``rows`` rows; nothing is read before its header is known to fit.

    It must have this shape and type, which is bytes or 32-bit integers.

    Raises:
        DamagedData: not gzip, another magic number, another shape, cut short, or longer than its header says.
    """
    wanted = np.dtype(dtype).newbyteorder("<")
    try:
        with gzip.open(path) as stream:

            def integers(count: int) -> list[int]:
                data = stream.read(4 * count)
                if len(data) < 4 * count:
                    raise DamagedData(f"{path} ends within its header")
                return [int(number) for number in np.frombuffer(data, dtype="<i4")]

            magic, ndim = integers(2)
            if magic != MAGIC[wanted]:
                raise DamagedData(f"{path} must begin with {MAGIC[wanted]:#x} ({wanted}), got {magic:#x}")
            if ndim != len(shape):
                raise DamagedData(f"{path} must have {len(shape)} dimensions, got {ndim}")
            found = tuple(integers(max(3, ndim))[:ndim])
            if found != shape:
                raise DamagedData(f"{path} must have shape {shape}, got {found}")
            row_bytes = wanted.itemsize * int(np.prod(shape[1:], dtype=np.int64))
            for start in range(0, shape[0], rows):
                length = min(rows, shape[0] - start)
                data = stream.read(length * row_bytes)
                if len(data) != length * row_bytes:
                    raise DamagedData(f"{path} ends before row {start + length} of {shape[0]}")
                yield np.frombuffer(data, dtype=wanted).reshape(length, *shape[1:])
            if stream.read(1):
                raise DamagedData(f"{path} goes on after its {shape[0]} rows")
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedData(f"{path} cannot be read as a gzipped matrix: {error}") from error
