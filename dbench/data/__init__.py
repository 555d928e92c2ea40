"""Ground-truth data sets: a grid of factors and the images of any factors on it."""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from math import prod
from typing import Any, cast

import numpy as np

from dbench.data.adapters import hugging_face_dataset, torch_dataset
from dbench.data.base import DataSet, Downsampled, GridData, checked_images
from dbench.data.dsprites_variants import VARIANTS
from dbench.data.held_out import WITHOUT, HeldOut, paper_splits, parse_held_out, random_splits
from dbench.errors import DbenchError, InvalidInput, unknown_name
from dbench.outside import load_callable, user_code
from dbench.seeds import generator

__all__ = [
    "DATA_SETS", "NEEDS_DOWNLOAD", "DataSet", "Downsampled", "GridData", "HeldOut", "full_size_of",
    "hugging_face_dataset", "load", "paper_splits", "random_splits", "torch_dataset",
]  # fmt: skip

# Name -> module:class, or how the data set is made from the one whose name is part of its own.
SHIPPED = {
    "color_dsprites_grid": "variant",
    "color_dsprites_grid_16": "downsampled",
    "color_dsprites_rendered": "variant",
    "dsprites_grid": "dsprites:DspritesGrid",
    "dsprites_grid_16": "downsampled",
    "dsprites_grid_32": "downsampled",
    "dsprites_rendered": "dsprites_rendered:DspritesRendered",
    "noisy_dsprites_grid": "variant",
    "noisy_dsprites_grid_16": "downsampled",
    "noisy_dsprites_rendered": "variant",
    "rooms": "rooms:Rooms",
    "rooms_16": "downsampled",
    "rooms_32": "downsampled",
    "scream_dsprites_grid": "variant",
    "scream_dsprites_grid_16": "downsampled",
    "scream_dsprites_rendered": "variant",
}
"""Data sets that work from what dbench ships."""

FETCHED = {
    "cars3d": "cars3d:Cars3d",
    "color_dsprites": "variant",
    "dsprites": "dsprites:Dsprites",
    "mpi3d_real": "mpi3d:Mpi3d",
    "mpi3d_realistic": "mpi3d:Mpi3d",
    "mpi3d_toy": "mpi3d:Mpi3d",
    "noisy_dsprites": "variant",
    "scream_dsprites": "variant",
    "shapes3d": "shapes3d:Shapes3d",
    "smallnorb": "smallnorb:SmallNorb",
}
"""Data sets that fetch a published archive when first loaded."""

DATA_SETS = SHIPPED | FETCHED
NEEDS_DOWNLOAD = frozenset(FETCHED)


def load(name: str) -> DataSet:
    """Return the data set of that name.

    It is a name in :data:`DATA_SETS`; one with points held out of training, such as
    ``dsprites_grid_16-without-shape2-scale3``; one that an installed package lists in its entry points
    ``dbench.data_sets``; or ``module:attribute``, a class or function of one's own, called without arguments.

    Raises:
        UnknownName: no data set of that name; the message lists all.
        InvalidInput: ``module:attribute`` that cannot be loaded or breaks the contract; a held-out
            combination that the data set does not have, or in another order than its factors.
        DamagedData: its file is not what its checksum promises.
        DbenchError: its file could not be downloaded.
    """
    if WITHOUT in name:
        base, combination, draw = parse_held_out(name)
        data = HeldOut(load(base), combination, draw=draw)
        # Each data set has one name, because names are part of the keys of runs. The part before the separator is
        # not compared: the base may call itself something else than it is found by.
        if (ordered := f"{base}{WITHOUT}{data.name.rpartition(WITHOUT)[2]}") != name:
            raise InvalidInput(f"factors must stand in the order of the data set, {ordered!r}, got {name!r}")
        return data
    if ":" in name:
        return _make_checked(load_callable("data set", name), name)
    if name not in DATA_SETS:
        installed = {point.name: point for point in entry_points(group="dbench.data_sets")}
        if name not in installed:
            raise unknown_name("data set", name, [*DATA_SETS, *installed])
        return _make_checked(load_callable("data set", installed[name].value), name)
    if DATA_SETS[name] == "downsampled":
        large = load(full_size_of(name))
        return Downsampled(large, large.image_shape[1] // int(name.rpartition("_")[2]), name=name)
    if DATA_SETS[name] == "variant":
        variant, _, base = name.partition("_")
        return VARIANTS[variant](load(base), name=name)
    kind = class_of(name)
    return cast(DataSet, kind.fetched(name) if name in FETCHED else kind())


def fingerprint_of(name: str) -> str:
    """Return the fingerprint of the data set of that name; a published one, or its variant, is not fetched for it.

    Raises:
        DbenchError: the data set cannot be loaded, as :func:`load` says.
    """
    variant, _, base = name.partition("_") if FETCHED.get(name) == "variant" else ("", "", name)
    if base not in FETCHED:
        return load(name).fingerprint
    data = class_of(base).unfetched(base)
    return str((VARIANTS[variant](data, name=name) if variant else data).fingerprint)


def class_of(name: str) -> Any:
    """Return the class of a data set that is not made of another one."""
    module, _, kind = DATA_SETS[name].partition(":")
    return getattr(import_module(f"dbench.data.{module}"), kind)


def full_size_of(name: str) -> str:
    """Return the name of the data set whose images a downsampled one averages; for any other, the name itself.

    Example:
        >>> full_size_of("dsprites_grid_16"), full_size_of("dsprites_grid")
        ('dsprites_grid', 'dsprites_grid')
    """
    return name.rpartition("_")[0] if DATA_SETS.get(name) == "downsampled" else name


def _make_checked(make: Callable[[], object], name: str) -> DataSet:
    """Return a user's own data set, or refuse it where it breaks the contract of :class:`DataSet`."""
    contract = sorted(member for member in vars(DataSet) if not member.startswith("_"))
    try:
        with user_code():
            data = make()
        missing = [member for member in contract if not hasattr(data, member)]
        if missing:
            raise InvalidInput(f"data set {name!r} must have {', '.join(contract)}, got none of {', '.join(missing)}")
        with user_code():
            _check_grid(cast(DataSet, data), name)
            _check_images(cast(DataSet, data), name)
    except DbenchError:
        raise
    except (Exception, SystemExit) as error:  # a user's code may raise anything, and all of it becomes a message
        raise InvalidInput(f"data set {name!r} cannot be made: {type(error).__name__}: {error}") from error
    return cast(DataSet, data)


def _check_images(data: DataSet, name: str) -> None:
    """Refuse images that break the contract. Two points are checked here, the others where they are used."""
    sizes = tuple(data.factor_sizes)
    points = np.stack([np.zeros(len(sizes), dtype=np.int64), np.array(sizes) - 1])
    stream = generator(task="images of one's own", data=name)
    checked_images(data.images(points, stream if data.stochastic else None), data, len(points))


def _check_grid(data: DataSet, name: str) -> None:
    """Refuse factors, a grid or a mask of held-out points that break the contract: no later code checks them."""
    names, sizes = tuple(data.factor_names), tuple(data.factor_sizes)
    if not names or not len(names) == len(set(names)) == len(sizes) or min(sizes) < 1:
        raise InvalidInput(
            f"data set {name!r} must have factors of different names with at least one value each, got factor_names "
            f"{names} and factor_sizes {sizes}"
        )
    n, grid, held_out = prod(sizes), np.asarray(data.grid()), np.asarray(data.held_out())
    columns = zip(grid.T, np.indices(sizes, sparse=True), strict=False)
    if grid.shape != (n, len(sizes)) or any((got.reshape(sizes) != wanted).any() for got, wanted in columns):
        raise InvalidInput(
            f"grid() of data set {name!r} must be all {n} combinations of factors of {sizes} values in order, last "
            f"factor fastest, got shape {grid.shape}, beginning with {grid[:3].tolist()}"
        )
    if held_out.dtype != np.bool_ or held_out.shape != (n,):
        raise InvalidInput(
            f"held_out() of data set {name!r} must be a mask (bool) of the {n} points of its grid, "
            f"got {held_out.dtype} of shape {held_out.shape}"
        )
