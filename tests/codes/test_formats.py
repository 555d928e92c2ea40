"""Formats that people have: the same sample from each, and a message in one line for what stands in their place."""

import gzip
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from scipy.io import savemat

from dbench.codes import containers, tables
from dbench.codes.reading import read_codes
from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.scoring.ranking import read_codes_alone

h5py = pytest.importorskip("h5py")
CODES = np.random.default_rng(0).normal(size=(60, 3)).round(3)
FACTORS = np.stack([np.arange(60) % 3, np.arange(60) // 30], axis=1)
Saved = dict[str, NDArray[Any]]


def hdf5(path: Path, held: Saved, *, turned: bool = False) -> None:
    with h5py.File(path, "w") as file:
        for name, values in held.items():
            text = values.dtype.kind == "U"
            options: dict[str, Any] = {"dtype": h5py.string_dtype()} if text else {"compression": "gzip"}
            shown = values.astype(object) if text else values
            file.create_dataset(name, data=shown.T if turned else shown, **options)


def matlab(path: Path, held: Saved) -> None:
    savemat(path, held, do_compression=True)


def matlab_73(path: Path, held: Saved) -> None:
    hdf5(path, held, turned=True)
    with path.open("rb") as file:
        content = file.read()
    head = b"MATLAB 7.3 MAT-file".ljust(116) + b"\0" * 8 + b"\x00\x02IM"  # a block of 512 bytes before the HDF5
    path.write_bytes(head.ljust(512, b"\0") + content)


def frame(held: Saved) -> pd.DataFrame:
    columns = {f"code_{i}": column for i, column in enumerate(held["codes"].T)}
    return pd.DataFrame(columns | {f"factor_{j}": column for j, column in enumerate(held["factors"].T)})


def tensors(held: Saved) -> dict[str, torch.Tensor]:
    return {name: torch.tensor(np.ascontiguousarray(values)) for name, values in held.items()}


WRITERS: dict[str, Callable[[Path, Saved], Any]] = {
    ".safetensors": lambda path, held: save_file(tensors(held), path),
    ".h5": hdf5,
    ".hdf5": hdf5,
    ".mat": matlab,
    ".7.3.mat": matlab_73,
    ".pt": lambda path, held: torch.save(tensors(held), path),
    ".pth": lambda path, held: torch.save(tensors(held), path),
    ".tsv": lambda path, held: frame(held).to_csv(path, sep="\t", index=False),
    ".csv.gz": lambda path, held: frame(held).to_csv(path, index=False),
    ".tsv.gz": lambda path, held: frame(held).to_csv(path, sep="\t", index=False),
    ".feather": lambda path, held: frame(held).to_feather(path),
    ".arrow": lambda path, held: frame(held).to_feather(path, compression="uncompressed"),
}


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("base", [0, 2**60])
def test_every_format_gives_the_same_sample(tmp_path: Path, suffix: str, base: int) -> None:
    path = tmp_path / f"all{suffix}"
    WRITERS[suffix](path, {"codes": CODES, "factors": FACTORS + base})
    found = read_codes(path)
    np.testing.assert_array_equal(found.sample.codes, CODES)
    np.testing.assert_array_equal(found.sample.factors, FACTORS + base)
    assert found.sample.kinds == ("discrete", "discrete")
    few = read_codes(path, rows=7).sample
    assert len(few) == 7
    np.testing.assert_array_equal(read_codes_alone([path])[0].codes, CODES)


@pytest.mark.parametrize("suffix", [".h5", ".mat", ".tsv", ".csv.gz", ".feather"])
def test_text_is_read_where_the_format_has_it(tmp_path: Path, suffix: str) -> None:
    names, path = np.array(["square", "heart", "ellipse"]), tmp_path / f"all{suffix}"
    shapes = names[FACTORS[:, :1]]
    if suffix == ".mat":
        matlab(path, {"codes": CODES, "factors": shapes[:, 0]})
    else:
        WRITERS[suffix](path, {"codes": CODES, "factors": shapes})
    found = read_codes(path).sample
    assert found.kinds == ("text",)
    np.testing.assert_array_equal(found.factors, FACTORS[:, :1])


def test_half_precision_and_arrays_in_groups_are_read(tmp_path: Path) -> None:
    held = {"z": torch.tensor(CODES).bfloat16(), "gts": torch.tensor(FACTORS).to(torch.uint8)}
    save_file(held, tmp_path / "a.safetensors")
    torch.save(held, tmp_path / "a.pt")
    hdf5(tmp_path / "a.h5", {"run/z": CODES.astype(np.float16), "run/gts": FACTORS.astype(np.uint8)})
    for name, group, kind in (("a.safetensors", "", "bfloat16"), ("a.pt", "", "bfloat16"), ("a.h5", "run/", "float16")):
        sample = read_codes(tmp_path / name, codes=f"{group}z", factors=f"{group}gts").sample
        np.testing.assert_array_equal(sample.codes, torch.tensor(CODES).to(getattr(torch, kind)).double().numpy())
        np.testing.assert_array_equal(sample.factors, FACTORS)


def test_nothing_foreign_is_unpickled(tmp_path: Path) -> None:
    marker = tmp_path / "run"

    class Evil:
        def __reduce__(self) -> Any:
            return Path.touch, (marker,)

    torch.save({"codes": Evil()}, tmp_path / "a.pt")
    (tmp_path / "b.pt").write_bytes(pickle.dumps({"codes": Evil()}))
    for name in ("a.pt", "b.pt"):
        with pytest.raises(DamagedData, match=r"cannot be read as tensors alone .*; pickles can run code") as caught:
            read_codes(tmp_path / name)
        assert "\n" not in str(caught.value)
    assert not marker.exists()


def test_what_lies_in_other_files_is_left_out(tmp_path: Path) -> None:
    hdf5(tmp_path / "other.h5", {"codes": CODES})
    (tmp_path / "raw").write_bytes(CODES.tobytes())
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["factors"] = FACTORS
        file["codes"] = h5py.ExternalLink("other.h5", "codes")
        file.create_dataset("more", shape=CODES.shape, dtype="f8", external=[(str(tmp_path / "raw"), 0, CODES.nbytes)])
        layout = h5py.VirtualLayout(CODES.shape, "f8")
        layout[:] = h5py.VirtualSource(tmp_path / "other.h5", "codes", CODES.shape)
        file.create_virtual_dataset("virtual", layout)
    for name in ("codes", "more", "virtual"):
        with pytest.raises(InvalidInput, match=f"has no array '{name}'; it holds factors"):
            read_codes(tmp_path / "a.h5", codes=name)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.npz",
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            "Git LFS: git lfs pull",
        ),
        ("a.pt", "<!DOCTYPE html><html>", "holds a page of the web"),
        ("a.csv", "", "is empty"),
        ("a.csv", "code_0\tfactor_0\n1\t2\n", r"commas between them, got '\\t' in its only name; name it \.tsv"),
        (
            "a.csv",
            "code_0;factor_0\n1,5;2\n",
            r"got ';' in its only name; pandas\.read_csv\(path, sep=';', dec",
        ),
        ("a.tsv", "code_0,factor_0\n1,2\n", "columns with tabs between them, got ','"),
        ("a.csv", "0.5,0.5,1\n0.1,0.2,0\n", "begin with a line of column names, got numbers: '0.5,0.5,1'"),
        ("a.csv", 'code_0,"factor_0\n1,2\n', r"names whose quotes close, got 'code_0,\"factor_0'"),
        ("a.csv", 'code_0,"factor"_0\n1,2\n', "names whose quotes close"),
        ("a.csv.gz", "code_0,factor_0\n1,2\n", "cannot be read"),
        ("a.feather", "FEA1 of long ago", "cannot be read as Feather of version 2"),
        ("a.safetensors", "{}", "cannot be read as safetensors"),
        ("a.mat", "no matrix", "cannot be read as a MATLAB file"),
    ],
)
def test_what_stands_in_place_of_a_file_is_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DbenchError, match=message) as caught:
        read_codes(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_other_content_of_these_files_is_named(tmp_path: Path) -> None:
    torch.save(torch.tensor(CODES), tmp_path / "a.pt")
    with pytest.raises(InvalidInput, match=r"must hold a dictionary of dense tensors, \{'codes': .*, got Tensor"):
        read_codes(tmp_path / "a.pt")
    torch.save({"codes": torch.tensor(CODES).to_sparse(), "factors": torch.tensor(FACTORS)}, tmp_path / "b.pt")
    with pytest.raises(InvalidInput, match="must hold a dictionary of dense tensors"):
        read_codes(tmp_path / "b.pt")
    matlab(tmp_path / "a.mat", {"codes": np.array([CODES], dtype=object), "factors": FACTORS})
    with pytest.raises(InvalidInput, match="codes must hold real numbers"):
        read_codes(tmp_path / "a.mat")
    np.savez(tmp_path / "n.npz", codes=CODES, factors=FACTORS, factor_names=np.array(["a", "b"], dtype=object))
    with pytest.raises(InvalidInput, match=r"factor_names holds python objects, .* np\.array\(names, dtype=str\)"):
        read_codes(tmp_path / "n.npz")


def test_a_library_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hdf5(tmp_path / "a.h5", {"codes": CODES, "factors": FACTORS})
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(InvalidInput, match=r"a\.h5 needs h5py: pip install 'dbench\[hdf5\]'"):
        read_codes(tmp_path / "a.h5")


def test_what_is_packed_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LARGEST_FILE", 1 << 24)
    monkeypatch.setattr(containers, "LARGEST_FILE", 1 << 24)
    with gzip.open(tmp_path / "a.csv.gz", "wb", compresslevel=1) as file:
        file.write(b"code_0,factor_0\n")
        for _ in range(6):
            file.write(b"1,2\n" * 2**20)
    with pytest.raises(DbenchError, match="what is packed may have at most"):
        read_codes(tmp_path / "a.csv.gz")
    zeros = np.zeros((1 << 20, 4), dtype=np.float64)
    hdf5(tmp_path / "a.h5", {"codes": zeros, "factors": FACTORS})
    matlab(tmp_path / "a.mat", {"codes": zeros, "factors": FACTORS})
    wide = torch.zeros(1, 1, dtype=torch.float64).expand(1 << 20, 4)
    torch.save({"codes": wide, "factors": torch.tensor(FACTORS)}, tmp_path / "a.pt")
    for name in ("a.h5", "a.mat", "a.pt"):
        with pytest.raises(InvalidInput, match="may have at most"):
            read_codes(tmp_path / name)


def test_complex_codes_and_padded_names_of_matlab(tmp_path: Path) -> None:
    held = {"codes": CODES, "factors": FACTORS}
    savemat(tmp_path / "c.mat", held | {"factor_names": np.array(["shape", "size"])})
    assert read_codes(tmp_path / "c.mat").sample.factor_names == ("shape", "size")
    savemat(tmp_path / "c.mat", held | {"codes": held["codes"] + 1j})
    with pytest.raises(InvalidInput, match="codes must hold real numbers, got complex128"):
        read_codes(tmp_path / "c.mat")
