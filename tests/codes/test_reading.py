import pickle
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from dbench.codes.reading import read_codes
from dbench.errors import DamagedData, DbenchError, InvalidInput

CODES = np.random.default_rng(0).normal(size=(12, 3))
FACTORS = np.stack([np.arange(12) % 3, np.arange(12) // 3], axis=1)


def npz(folder: Path, **arrays: object) -> Path:
    path = folder / "codes.npz"
    np.savez(path, **{"codes": CODES, "factors": FACTORS} | arrays)  # type: ignore[arg-type]
    return path


def table(**columns: object) -> pd.DataFrame:
    usual = {f"code_{i}": CODES[:, i] for i in range(3)} | {f"factor_{j}": FACTORS[:, j] for j in range(2)}
    return pd.DataFrame(usual | columns)


def in_every_format(folder: Path, factors: NDArray = FACTORS) -> list[list[Path]]:
    """Write the same sample in all formats, and return the files of each."""
    frame = table(factor_0=factors[:, 0], factor_1=factors[:, 1])
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet", row_group_size=5)
    np.save(folder / "c.npy", CODES)
    np.save(folder / "f.npy", np.asfortranarray(factors))
    pair = [folder / "c.npy", folder / "f.npy"]
    return [[npz(folder, factors=factors)], [folder / "t.csv"], [folder / "t.parquet"], pair]


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_archive_is_read_whole(write: Callable[..., None], order: str, tmp_path: Path) -> None:
    write(
        tmp_path / "a.npz",
        codes=np.asarray(CODES, order=order),
        factors=np.asarray(FACTORS, order=order),
        factor_names=np.array(["shape", "size"]),
        factor_sizes=[3, 5],
        logvar=np.asarray(CODES / 2, order=order),
    )
    found = read_codes(tmp_path / "a.npz")
    np.testing.assert_array_equal(found.sample.codes, CODES)
    np.testing.assert_array_equal(found.sample.factors, FACTORS)
    np.testing.assert_array_equal(found.logvar, CODES / 2)
    assert found.sample.factor_names == ("shape", "size")
    assert found.factor_sizes == (3, 5)
    assert (found.name, found.rows, found.notes) == ("a.npz", 12, ())


def test_all_formats_hold_the_same_sample_and_cut_it_to_the_same_random_rows(tmp_path: Path) -> None:
    found = read_codes(npz(tmp_path), rows=5, seed=3)
    assert "5 of 12 rows are used, drawn at random (seed 3)" in found.notes[0]
    rows = [int(np.flatnonzero((row == CODES).all(axis=1))[0]) for row in found.sample.codes]
    assert len(rows) == 5
    assert rows == sorted(set(rows))
    for paths in in_every_format(tmp_path):
        whole, cut = read_codes(*paths).sample, read_codes(*paths, rows=5, seed=3).sample
        assert whole.discrete
        for sample, kept in ((whole, slice(None)), (cut, rows)):
            np.testing.assert_array_equal(sample.codes, CODES[kept])
            np.testing.assert_array_equal(sample.factors, FACTORS[kept])
    others = {tuple(read_codes(npz(tmp_path), rows=5, seed=seed).sample.codes[:, 0]) for seed in range(5)}
    assert len(others) > 1


def test_arrays_of_other_names_are_explained_with_the_option_that_names_them(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    np.savez(path, z=CODES, gts=FACTORS)
    with pytest.raises(InvalidInput, match=r"z \(12 x 3, float64\).*--codes z --factors gts"):
        read_codes(path)
    np.testing.assert_array_equal(read_codes(path, codes="z", factors="gts").sample.codes, CODES)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_columns_of_other_names_are_named_by_patterns(suffix: str, tmp_path: Path) -> None:
    frame = table().rename(columns=lambda name: name.replace("code_", "mu").replace("factor_0", "shape"))
    path = tmp_path / f"t.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    with pytest.raises(InvalidInput, match=r"no columns code_\* or z_\* of codes; it has mu0, .*--codes"):
        read_codes(path)
    with pytest.raises(InvalidInput, match="no column 'form' for --factors"):
        read_codes(path, codes="mu*", factors="form")
    found = read_codes(path, codes="mu*", factors="shape, factor_1")
    assert found.code_names == ("mu0", "mu1", "mu2")
    assert found.sample.factor_names == ("shape", "factor_1")
    np.testing.assert_array_equal(found.sample.factors, FACTORS)
    assert found.notes == ("Codes: mu0, mu1, mu2. Factors: shape, factor_1.",)
    assert read_codes(path, codes="mu*", factors="shape").notes == (
        "Codes: mu0, mu1, mu2. Factors: shape.",
        "Columns that are neither codes nor factors are not used: factor_1.",
    )
    with pytest.raises(InvalidInput, match="a column is a code or a factor, got both for shape"):
        read_codes(path, codes="mu*,shape", factors="shape")


def test_whole_numbers_are_labels_whatever_their_type(tmp_path: Path) -> None:
    for kind in (np.float32, np.uint8, np.int64, np.float64):
        found = read_codes(npz(tmp_path, factors=FACTORS.astype(kind))).sample
        assert found.discrete
        np.testing.assert_array_equal(found.factors, FACTORS)
    assert read_codes(npz(tmp_path, factors=FACTORS == 0)).sample.discrete


def test_other_numbers_make_all_factors_continuous_and_that_is_said(tmp_path: Path) -> None:
    mixed = np.stack([FACTORS[:, 0], CODES[:, 0]], axis=1)
    found = read_codes(npz(tmp_path, factors=mixed))
    assert not found.sample.discrete
    assert "factor_1: too many values for labels" in found.notes[0]
    assert read_codes(npz(tmp_path, factors=CODES[:, :2])).notes == ()


def test_labels_that_are_one_number_stay_two_in_every_format(tmp_path: Path) -> None:
    text = np.array(["007", "7", "10"])[FACTORS[:, 0]]
    for paths in in_every_format(tmp_path, np.stack([text, FACTORS[:, 1].astype(str)], axis=1)):
        found = read_codes(*paths).sample
        assert found.kinds == ("text", "discrete")
        np.testing.assert_array_equal(found.factors[:, 0], pd.factorize(text)[0])


def test_text_is_read_as_labels_the_same_in_every_format(tmp_path: Path) -> None:
    shapes = np.array(["square", "ellipse", "heart"])[FACTORS[:, 0]]
    formats = in_every_format(tmp_path, np.stack([shapes, FACTORS[:, 1].astype(str)], axis=1))
    pd.read_parquet(tmp_path / "t.parquet").astype({"factor_0": "category"}).to_parquet(tmp_path / "c.parquet")
    for paths in (*formats, [tmp_path / "c.parquet"]):
        found, few = read_codes(*paths), read_codes(*paths, rows=5, seed=3).sample
        np.testing.assert_array_equal(found.sample.factors[:, 0], FACTORS[:, 0])
        np.testing.assert_array_equal(found.sample.factors[:, 1], FACTORS[:, 1])
        assert found.notes[-1] == "factor_0: text, read as labels 0 = square, 1 = ellipse, 2 = heart."
        rows = [int(np.flatnonzero((row == found.sample.codes).all(axis=1))[0]) for row in few.codes]
        np.testing.assert_array_equal(pd.factorize(found.sample.factors[rows, 0])[0], few.factors[:, 0])
        np.testing.assert_array_equal(found.sample.factors[rows, 1], few.factors[:, 1])


def test_the_deviation_of_the_posterior_becomes_its_logarithm(tmp_path: Path) -> None:
    std = np.exp(CODES)
    np.testing.assert_allclose(read_codes(npz(tmp_path, std=std)).logvar, 2 * CODES)
    assert "shape (3,) is not that of the codes" in read_codes(npz(tmp_path, std=std[0])).notes[0]
    with pytest.raises(InvalidInput, match="std must be above 0"):
        read_codes(npz(tmp_path, std=-std))
    with pytest.raises(InvalidInput, match="logvar and std say the same, got both"):
        read_codes(npz(tmp_path, std=std, logvar=std))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"codes": np.where(CODES > 1, np.nan, CODES)}, r"codes must be finite, got nan in row \d+, column \d"),
        ({"codes": np.asfortranarray(np.where(FACTORS == 3, np.inf, 0.0))}, "got inf in row 9, column 1"),
        ({"factors": np.where(FACTORS == 3, np.inf, FACTORS)}, "factors must be finite, got inf in row 9, column 1"),
        ({"codes": CODES.astype(object)}, "python objects, which only a pickle can store"),
        ({"codes": CODES.astype(str)}, "must hold real numbers, got dtype <U"),
        ({"codes": CODES + 1j}, "must hold real numbers, got dtype complex128"),
        ({"factors": np.array([""] + ["red"] * 11)}, "must have printable text in every row, got ''"),
        ({"factors": np.array(["1"] * 11 + ["nan"])}, "must be finite, got nan"),
        ({"factors": np.array([b"\xff"] * 12)}, "must be text, got"),
        ({"codes": CODES.astype(np.longdouble) * np.longdouble("1e4000")}, "codes must be finite, got"),
        ({"codes": CODES[:, :0]}, r"must be a non-empty matrix .* got 12 x 0"),
        ({"codes": CODES[None]}, "must be a non-empty matrix"),
        ({"codes": np.array(1.0)}, "must be a non-empty matrix .* got scalar"),
        ({"codes": CODES[:5]}, r"equally many rows, got shapes \(5, 3\) and \(12, 2\)$"),
        ({"codes": CODES.T}, "does one of them need transposing"),
        ({"factors": FACTORS.astype(np.uint64) + np.uint64(2**63)}, "must fit into 64 bits with sign"),
        ({"factor_names": np.array(["a", "a"])}, "factor_names must be 2 different printable names"),
        ({"factor_names": np.array(["a", "\x1b[2J"])}, "factor_names must be 2 different printable names"),
        ({"factor_names": np.array([1, 2])}, "must be a short vector of strings"),
        ({"factor_sizes": [3.5, 4.0]}, r"factor_sizes must be whole numbers, got \[3.5, 4.0\]"),
        ({"factor_sizes": [2, 4]}, r"factor_sizes must be 2 sizes of at least .*\[3, 4\], got \[2, 4\]"),
    ],
)
def test_arrays_that_break_a_rule_are_refused(arrays: dict[str, NDArray], message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_codes(npz(tmp_path, **arrays))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n1,2\n", "must begin with a line of column names"),
        ("code_0,factor_0\n", "at least one row below"),
        ("code_0,factor_\x1b[2J\n1,2\n", "must have printable names for columns"),
        ("code_0,factor_0\n1,2\n3\n", "cannot be read"),
        ("code_0,factor_0\nred,1\n", "column 'code_0' must hold numbers, got text"),
        ("code_0,factor_0\n1,red\n2,\n", "must have printable text in every row, got ''"),
        ("code_0,factor_0\n1,\n", "must be finite, got nan in row 0, column 'factor_0'"),
        ("code_0,factor_0\n1,2\nnan,2\n", "must be finite, got nan in row 1"),
        ("code_0,factor_0\n1,2\n1,\xff\xfe\n", "cannot be read"),
        ("code_0,factor_0\r1,2\r", "cannot be read"),
        ("code_0," * 200_000, "line of column names of at most"),
    ],
)
def test_tables_that_break_a_rule_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="latin-1")
    with pytest.raises(DbenchError, match=message):
        read_codes(tmp_path / "t.csv")


def test_a_parquet_file_with_gaps_text_or_lossy_mixtures_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    for columns, message in (
        ({"factor_1": pd.array([None, *FACTORS[1:, 1]], dtype="Int64")}, "must be finite, got nan in row 0"),
        ({"code_1": ["red"] * 12}, "column 'code_1' must hold numbers, got text"),
        ({"factor_1": [None, *["red"] * 11]}, "column 'factor_1' must have text in every row, got 1 missing"),
        ({"code_1": FACTORS[:, 1] + 2**60}, r"'code_1' must be within 2\^53"),
    ):
        table(**columns).to_parquet(path)
        with pytest.raises(InvalidInput, match=message):
            read_codes(path)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["codes.pkl"], "pickles can run code and are never read"),
        (["codes.doc"], "must come in .npz, .safetensors, .h5, .hdf5, .mat, .pt, .pth, .npy, .csv, .tsv, .csv.gz"),
        (["codes.h5"], "cannot be read as HDF5"),
        (["codes.npy"], "holds one array only"),
        (["codes.npz", "codes.npz"], "a second file goes with"),
        (["none.npz"], "no file of codes at"),
        (["."], "no file of codes at"),
        (["/dev/zero"], "no file of codes at"),
    ],
)
def test_other_formats_and_what_is_no_file_are_refused(names: list[str], message: str, tmp_path: Path) -> None:
    for suffix in ("pkl", "h5", "doc", "npy", "npz"):
        (tmp_path / f"codes.{suffix}").write_bytes(b"x")
    with pytest.raises(DbenchError, match=message):
        read_codes(*(tmp_path / name for name in names))


class Bomb:
    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (Path("pickle_was_run"),))


def test_a_pickle_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save(tmp_path / "c.npy", np.array([[Bomb()]]), allow_pickle=True)
    np.save(tmp_path / "f.npy", FACTORS)
    (tmp_path / "p.npz").write_bytes(pickle.dumps(Bomb()))
    (tmp_path / "p.npy").write_bytes(pickle.dumps(Bomb()))
    for paths in (("c.npy", "f.npy"), ("p.npz",), ("p.npy", "f.npy")):
        with pytest.raises(DbenchError):
            read_codes(*paths)
    assert not (tmp_path / "pickle_was_run").exists()


def header(shape: tuple[int, ...]) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


@pytest.mark.parametrize("names", [["c.npy", "f.npy"], ["c.npz"]])
@pytest.mark.parametrize(
    ("shape", "more"),
    [((10**12, 10), 0), ((-1, 3), 0), ((3, 2**62), 0), ((True, 3), 0), ((12, 4), 0), ((12, 3), 1), ((12, 3), 288)],
)
def test_a_shape_that_the_file_does_not_hold_is_refused_before_anything_is_allocated(
    shape: tuple[int, ...], more: int, names: list[str], tmp_path: Path
) -> None:
    content = header(shape) + CODES.tobytes() + bytes(more)
    (tmp_path / "c.npy").write_bytes(content)
    np.save(tmp_path / "f.npy", FACTORS)
    with zipfile.ZipFile(tmp_path / "c.npz", "w") as archive:
        archive.writestr("codes.npy", content)
    tracemalloc.start()
    with pytest.raises(DamagedData, match=r"must have -?\d+ bytes"):
        read_codes(*(tmp_path / name for name in names))
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.parametrize(("names", "most"), [(["c.npz"], 50), (["c.npy", "f.npy"], 15)])
def test_a_long_archive_takes_the_memory_of_one_array_and_npy_files_that_of_their_kept_rows(
    names: list[str], most: int, tmp_path: Path
) -> None:
    n = 200_000
    codes, factors = np.zeros((n, 20)), np.zeros((n, 1), dtype=np.int8)  # 32 MB
    np.savez_compressed(tmp_path / "c.npz", codes=codes, factors=factors)  # less than 50 kB
    np.save(tmp_path / "c.npy", np.asfortranarray(codes))
    np.save(tmp_path / "f.npy", factors)
    tracemalloc.start()
    found = read_codes(*(tmp_path / name for name in names), rows=100)
    assert tracemalloc.get_traced_memory()[1] < most * 2**20
    tracemalloc.stop()
    assert (len(found.sample), found.rows) == (100, n)


def test_too_much_to_keep_is_refused_with_what_would_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dbench.codes.sample.LARGEST_KEPT", 30)
    with pytest.raises(InvalidInput, match=r"ask for fewer rows \(at most 10\)"):
        read_codes(npz(tmp_path))
    assert len(read_codes(npz(tmp_path), rows=10).sample) == 10


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("\x1b[2J.npy", "must have printable names for arrays"),
        ("codes.npy", r"must hold each array once, got 'codes\.npy' more"),
    ],
)
def test_members_that_occur_twice_or_whose_names_are_commands_are_refused(
    name: str, message: str, tmp_path: Path
) -> None:
    path = npz(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, archive.read("factors.npy"))
    with pytest.raises(DamagedData, match=message):
        read_codes(path)


def test_a_value_that_is_not_finite_is_found_in_rows_that_are_not_kept(tmp_path: Path) -> None:
    codes = CODES.copy()
    codes[-1, -1] = np.nan
    for seed in range(5):
        with pytest.raises(InvalidInput, match="must be finite"):
            read_codes(npz(tmp_path, codes=codes), rows=1, seed=seed)


@pytest.mark.parametrize("rows", [0, -1, 1.5, True])
def test_rows_must_be_a_count(rows: int, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="rows must be an integer of at least 1"):
        read_codes(npz(tmp_path), rows=rows)


def test_rows_may_be_counted_by_numpy(tmp_path: Path) -> None:
    assert len(read_codes(npz(tmp_path), rows=np.int64(5)).sample) == 5  # type: ignore[arg-type]
