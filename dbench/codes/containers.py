"""Arrays by name in files of safetensors, HDF5, MATLAB and torch, each read by its own library.

From a torch file only tensors are read (``weights_only=True``). Links out of an HDF5 file are not followed.
"""

import math
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from dbench.codes.sample import LARGEST_FILE
from dbench.codes.stored import StoredArray
from dbench.errors import DamagedData, InvalidInput
from dbench.files import readable
from dbench.shown import clipped

_TENSORS = {"F64": "f8", "F32": "f4", "F16": "f2", "BF16": "f4", "BOOL": "?", "I64": "i8", "I32": "i4", "I16": "i2"}
_TENSORS |= {"I8": "i1", "U64": "u8", "U32": "u4", "U16": "u2", "U8": "u1"}
_MATLAB = {"double": "f8", "single": "f4", "logical": "?", "char": "U1"}
_MATLAB |= {f"{sign}int{bits}": f"{sign or 'i'}{bits // 8}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_OTHER = np.dtype("V1")  # stands for all types but real numbers


def _stored(path: Path, name: str, shape: tuple[int, ...], dtype: Any, load: Callable[[], Any]) -> StoredArray:
    if not name.isprintable():  # messages print it
        raise DamagedData(f"{path.name} must have printable names for arrays, got {clipped(name)!r}")
    what, array_type = f"{path.name}: {clipped(name)}", np.dtype(dtype)
    if (size := math.prod(shape) * array_type.itemsize) > LARGEST_FILE:
        raise InvalidInput(f"{what} may have at most {LARGEST_FILE} bytes, got {size}")
    return StoredArray(what, shape, array_type, load)


def open_safetensors(file: IO[bytes], files: ExitStack) -> dict[str, StoredArray]:
    """Return the tensors of a safetensors file by name, not read yet.

    Raises:
        DamagedData: another format, or a header that does not agree with the bytes there.
    """
    from safetensors import safe_open

    arrays, path = {}, Path(file.name)
    with readable(path.name, " as safetensors"):
        archive = files.enter_context(safe_open(path, framework="pt"))
        for name in archive.keys():  # noqa: SIM118 - it is no mapping
            header = archive.get_slice(name)
            dtype = _TENSORS.get(header.get_dtype(), _OTHER)
            load = partial(lambda name: _numpy(archive.get_tensor(name)), name)
            arrays[name] = _stored(path, name, tuple(header.get_shape()), dtype, load)
    return arrays


def _numpy(tensor: Any) -> Any:
    import torch

    return (tensor.float() if tensor.dtype is torch.bfloat16 else tensor).numpy()


def open_torch(file: IO[bytes], files: ExitStack) -> dict[str, StoredArray]:
    """Return a dictionary of tensors, read by ``torch.load(weights_only=True)``, which builds nothing but tensors.

    Raises:
        InvalidInput: something else than a dictionary of dense tensors by name, or a file that is too large.
        DamagedData: a file that cannot be read so.
    """
    import torch

    path = Path(file.name)
    if (size := path.stat().st_size) > LARGEST_FILE:
        raise InvalidInput(f"{path.name} may have at most {LARGEST_FILE} bytes, got {size}")
    with readable(path.name, " as tensors alone (pickles can run code and are never read)"):
        try:
            loaded = torch.load(file, map_location="cpu", weights_only=True)
        except Exception as error:  # torch's message explains at length how to load files that run code
            raise DamagedData(
                f"{path.name} cannot be read as tensors alone ({type(error).__name__}); pickles can run code and are "
                "never read: save torch.save({'codes': codes, 'factors': factors}, path)"
            ) from None
    only_dense = isinstance(loaded, dict) and all(
        isinstance(name, str)
        and isinstance(value, torch.Tensor)
        and value.layout is torch.strided
        and not value.is_quantized
        for name, value in loaded.items()
    )
    if not only_dense:
        raise InvalidInput(
            f"{path.name} must hold a dictionary of dense tensors, {{'codes': ..., 'factors': ...}}, "
            f"got {type(loaded).__name__}"
        )
    arrays = {}
    for name, tensor in loaded.items():
        arrays[name] = _stored(path, name, tuple(tensor.shape), _numpy_type(tensor), partial(_numpy, tensor.detach()))
    return arrays


def _numpy_type(tensor: Any) -> Any:
    """Return the numpy type that :func:`_numpy` gives a tensor; ``_OTHER`` where numpy has none."""
    if tensor.is_complex():
        return "c16"
    try:
        return _numpy(tensor.new_empty(0)).dtype
    except TypeError:  # floats of 8 bits, which numpy lacks
        return _OTHER


def open_hdf5(file: IO[bytes], files: ExitStack, *, turned: bool = False) -> dict[str, StoredArray]:
    """Return the data sets of an HDF5 file by name, also those in groups (``group/name``), not read yet.

    ``turned`` transposes each one, since MATLAB stores matrices so. Data in other files (links, external storage) are
    left out.

    Raises:
        InvalidInput: h5py is not installed, or a data set is too large.
        DamagedData: another format, or a damaged one.
    """
    path = Path(file.name)
    try:
        import h5py
    except ModuleNotFoundError:
        raise InvalidInput(f"{path.name} needs h5py: pip install 'dbench[hdf5]'") from None
    arrays: dict[str, StoredArray] = {}

    def add(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.external is None and not item.is_virtual:
            text = h5py.check_string_dtype(item.dtype) is not None
            shape = tuple(int(size) for size in item.shape or ())
            load = partial(_dataset, path.name, item, text=text, turned=turned)
            arrays[name] = _stored(path, name, shape[::-1] if turned else shape, "U1" if text else item.dtype, load)

    with readable(path.name, " as HDF5"):
        files.enter_context(h5py.File(path, "r")).visititems(add)
    return arrays


def _dataset(what: str, item: Any, *, text: bool, turned: bool) -> Any:
    with readable(what, " as HDF5"):
        values = item.asstr()[()] if text else item[()]
        return values.T if turned else values


def open_mat(file: IO[bytes], files: ExitStack) -> dict[str, StoredArray]:
    """Return the matrices of a MATLAB file by name, not read yet: by scipy up to version 7, by h5py for 7.3.

    Raises:
        InvalidInput: h5py is needed and not installed, or a matrix is too large.
        DamagedData: another format, or a damaged one.
    """
    from scipy.io import whosmat

    path, stream = Path(file.name), cast(Any, file)  # scipy takes a stream, but its type stubs do not say so
    try:
        with readable(path.name, " as a MATLAB file"):
            listed = whosmat(stream)
    except DamagedData as error:
        if isinstance(error.__cause__, NotImplementedError):  # 7.3 is HDF5
            return open_hdf5(file, files, turned=True)
        raise
    arrays = {}
    for name, shape, kind in listed:
        dtype = np.dtype(_MATLAB.get(kind, _OTHER))
        load = partial(_matlab, stream, name, dtype)
        arrays[name] = _stored(path, name, tuple(map(int, shape)), dtype, load)
    return arrays


def _matlab(file: Any, name: str, dtype: np.dtype[Any]) -> Any:
    from scipy.io import loadmat

    file.seek(0)
    values = loadmat(file, variable_names=[name])[name]  # in the stored type, which may be complex
    if np.iscomplexobj(values):
        raise InvalidInput(f"{Path(file.name).name}: {clipped(name)} must hold real numbers, got {values.dtype}")
    return np.char.rstrip(values) if dtype.kind == "U" else values.astype(dtype)
