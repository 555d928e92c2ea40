"""Arrays by name in safetensors, HDF5, MATLAB's and torch's files, each by its own library.

Of torch's only tensors are read, by its loader of weights alone; links out of an HDF5 file are not followed.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dbench.codes.formats.arrays import StoredArray
from dbench.codes.formats.values import LARGEST_FILE
from dbench.errors import DamagedData, InvalidInput
from dbench.files import readable
from dbench.shown import clipped

_TENSORS = {"F64": "f8", "F32": "f4", "F16": "f2", "BF16": "f4", "BOOL": "?", "I64": "i8", "I32": "i4", "I16": "i2"}
_TENSORS |= {"I8": "i1", "U64": "u8", "U32": "u4", "U16": "u2", "U8": "u1"}
_MATLAB = {"double": "f8", "single": "f4", "logical": "?", "char": "U1"}
_MATLAB |= {f"{sign}int{bits}": f"{sign or 'i'}{bits // 8}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_OTHER = np.dtype("V1")  # of what holds no real numbers


def _stored(path: Path, name: str, shape: tuple[int, ...], dtype: Any, load: Callable[[], Any]) -> StoredArray:
    if not name.isprintable():  # it would be printed
        raise DamagedData(f"{path.name} must have printable names for arrays, got {clipped(name)!r}")
    what, kind = f"{path.name}: {clipped(name)}", np.dtype(dtype)
    if (size := math.prod(shape) * kind.itemsize) > LARGEST_FILE:
        raise InvalidInput(f"{what} may have at most {LARGEST_FILE} bytes, got {size}")
    return StoredArray(what, shape, kind, load)


def open_safetensors(path: Path) -> dict[str, StoredArray]:
    """Look at the tensors of a file of safetensors, by name.

    Raises:
        DamagedData: another format, or a header that does not agree with the bytes there.
    """
    from safetensors import safe_open

    found = {}
    with readable(path.name, " as safetensors"), safe_open(path, framework="pt") as file:
        for name in file.keys():  # noqa: SIM118 - it is no mapping
            part = file.get_slice(name)
            dtype = _TENSORS.get(part.get_dtype(), _OTHER)
            found[name] = _stored(path, name, tuple(part.get_shape()), dtype, partial(_tensor, path, name))
    return found


def _tensor(path: Path, name: str) -> Any:
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        return _numpy(file.get_tensor(name))


def _numpy(tensor: Any) -> Any:
    import torch

    return (tensor.float() if tensor.dtype is torch.bfloat16 else tensor).numpy()


def open_torch(path: Path) -> dict[str, StoredArray]:
    """Read a dictionary of tensors by ``torch.load(weights_only=True)``, which builds nothing but tensors.

    Raises:
        InvalidInput: something else than a dictionary of dense tensors by name, or a file that is too large.
        DamagedData: a file that cannot be read so.
    """
    import torch

    if (size := path.stat().st_size) > LARGEST_FILE:
        raise InvalidInput(f"{path.name} may have at most {LARGEST_FILE} bytes, got {size}")
    with readable(path.name, " as tensors alone (pickles can run code and are never read)"):
        try:
            held = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # torch explains in many lines how to load what runs code
            raise DamagedData(
                f"{path.name} cannot be read as tensors alone ({type(error).__name__}); pickles can run code and are "
                "never read: save torch.save({'codes': codes, 'factors': factors}, path)"
            ) from None
    dense = isinstance(held, dict) and all(
        isinstance(name, str)
        and isinstance(part, torch.Tensor)
        and part.layout is torch.strided
        and not part.is_quantized
        for name, part in held.items()
    )
    if not dense:
        raise InvalidInput(
            f"{path.name} must hold a dictionary of dense tensors, {{'codes': ..., 'factors': ...}}, "
            f"got {type(held).__name__}"
        )
    found = {}
    for name, tensor in held.items():
        kind = "c16" if tensor.is_complex() else "f4" if tensor.dtype is torch.bfloat16 else _numpy_type(tensor)
        found[name] = _stored(path, name, tuple(tensor.shape), kind, partial(_numpy, tensor.detach()))
    return found


def _numpy_type(tensor: Any) -> Any:
    try:
        return tensor.new_empty(0).numpy().dtype
    except TypeError:  # of 8 bits, which numpy lacks
        return _OTHER


@contextmanager
def _hdf5(path: Path) -> Iterator[Any]:
    try:
        import h5py
    except ModuleNotFoundError:
        raise InvalidInput(f"{path.name} needs h5py: pip install 'dbench[hdf5]'") from None
    with readable(path.name, " as HDF5"), h5py.File(path, "r") as file:
        yield file


def open_hdf5(path: Path, *, turned: bool = False) -> dict[str, StoredArray]:
    """Look at the data sets of an HDF5 file, by name, also those in groups (``group/name``).

    MATLAB writes matrices ``turned``. What lies in other files, by links or as external storage, is left out.

    Raises:
        InvalidInput: h5py is not installed, or a data set is too large.
        DamagedData: another format, or a damaged one.
    """
    found: dict[str, StoredArray] = {}
    with _hdf5(path) as file:
        import h5py

        def look(name: str, item: Any) -> None:
            if isinstance(item, h5py.Dataset) and item.external is None and not item.is_virtual:
                text = h5py.check_string_dtype(item.dtype) is not None
                shape = tuple(int(size) for size in item.shape or ())
                load = partial(_dataset, path, name, text=text, turned=turned)
                found[name] = _stored(path, name, shape[::-1] if turned else shape, "U1" if text else item.dtype, load)

        file.visititems(look)
    return found


def _dataset(path: Path, name: str, *, text: bool, turned: bool) -> Any:
    with _hdf5(path) as file:
        values = file[name].asstr()[()] if text else file[name][()]
        return values.T if turned else values


def open_mat(path: Path) -> dict[str, StoredArray]:
    """Look at the matrices of a MATLAB file: up to version 7 by scipy, of 7.3 by h5py.

    Raises:
        InvalidInput: h5py is needed and not installed, or a matrix is too large.
        DamagedData: another format, or a damaged one.
    """
    from scipy.io import whosmat

    try:
        with readable(path.name, " as a MATLAB file"):
            listed = whosmat(path, appendmat=False)
    except DamagedData as error:
        if isinstance(error.__cause__, NotImplementedError):  # 7.3 is HDF5
            return open_hdf5(path, turned=True)
        raise
    return {
        name: _stored(path, name, tuple(map(int, shape)), _MATLAB.get(kind, _OTHER), partial(_matlab, path, name))
        for name, shape, kind in listed
    }


def _matlab(path: Path, name: str) -> Any:
    from scipy.io import loadmat

    return loadmat(path, appendmat=False, variable_names=[name], mat_dtype=True)[name]
