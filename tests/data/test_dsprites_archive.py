"""The reader of the published archive, on tiny archives of the same format and on broken ones."""

import io
import zipfile

import numpy as np
import pytest

from dbench.data.archives import git_blob_id, read_rows
from dbench.data.downloads import cache_folder
from dbench.data.dsprites import BLOB_ID, FILE, Dsprites, dsprites
from dbench.errors import DamagedData, InvalidInput

SIZES = (3, 2, 4, 2, 2)


def tiny_members():
    """The members of an archive of 96 images, made of noise; ``metadata`` is pickled, as in the published one."""
    classes = np.array([(0, *point) for point in np.ndindex(*SIZES)])
    images = np.random.default_rng(0).integers(2, size=(len(classes), 64, 64), dtype=np.uint8)
    metadata = np.array({"title": "a dictionary"}, dtype=object)
    return {"metadata": metadata, "imgs": images, "latents_classes": classes, "latents_values": classes / 10}


def write(path, **changes):
    members = {name: array for name, array in (tiny_members() | changes).items() if array is not None}
    np.savez_compressed(path, **members)
    return path


def read(path):
    return Dsprites(path, blob_id=git_blob_id(path), factor_sizes=SIZES)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tiny.npz"


def test_the_blob_id_is_the_one_git_gives(path):
    path.write_bytes(b"what is up, doc?")
    assert git_blob_id(path) == "bd9dbf5aae1a3862dd1526723246b20206e5fc37"


@pytest.mark.parametrize("order", ["C", "F"])
def test_images_come_back_in_grid_order_without_the_colour(path, order):
    data = read(write(path, **{name: np.asarray(array, order=order) for name, array in tiny_members().items()}))
    assert data.factor_sizes == SIZES
    np.testing.assert_array_equal(data.images(data.grid())[:, 0], tiny_members()["imgs"] * 255)
    some = data.draw_factors(20, np.random.default_rng(1))
    np.testing.assert_array_equal(data.images(some)[:, 0], tiny_members()["imgs"][data.index(some)] * 255)


def test_the_fingerprint_follows_the_content(path, tmp_path):
    other = write(tmp_path / "other.npz", imgs=1 - tiny_members()["imgs"])
    assert read(write(path)).fingerprint != read(other).fingerprint


def test_a_file_that_does_not_exist_or_is_not_the_published_one_is_refused(path):
    with pytest.raises(InvalidInput, match="path must be an existing file"):
        Dsprites(path)
    with pytest.raises(DamagedData, match=f"must have git blob id {BLOB_ID}, got .*; delete it"):
        Dsprites(write(path))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"imgs": None}, "no member 'imgs'"),
        ({"latents_classes": None}, "no member 'latents_classes'"),
        ({"imgs": tiny_members()["imgs"][1:]}, r"'imgs' must be uint8 of shape \(96, 64, 64\), got .*\(95, 64, 64\)"),
        ({"imgs": tiny_members()["imgs"].astype(np.float32)}, "must be uint8 of shape .* got float32"),
        ({"imgs": tiny_members()["imgs"] * 255}, "'imgs' must hold 0 and 1 only, got 255"),
        ({"latents_classes": tiny_members()["latents_classes"][::-1]}, "must run through the grid in order"),
        ({"latents_classes": tiny_members()["latents_classes"] + [1, 0, 0, 0, 0, 0]}, "colour, first column"),
    ],
)
def test_an_archive_of_another_content_is_refused(path, changes, message):
    with pytest.raises(DamagedData, match=message):
        read(write(path, **changes))


def test_an_archive_cut_anywhere_is_refused(path):
    content = write(path).read_bytes()
    for length in np.linspace(0, len(content) - 1, 20, dtype=int):
        path.write_bytes(content[:length])
        with pytest.raises(DamagedData, match="cannot be read as an npz archive"):
            read(path)


def test_an_archive_with_a_damaged_byte_never_gives_other_images(path):
    content = write(path).read_bytes()
    expected, refused = tiny_members()["imgs"] * 255, 0
    for position in np.random.default_rng(3).integers(len(content), size=60):
        damaged = bytearray(content)
        damaged[position] ^= 0x10
        path.write_bytes(damaged)
        try:
            data = read(path)
        except DamagedData:
            refused += 1
        else:
            np.testing.assert_array_equal(data.images(data.grid())[:, 0], expected)
    assert refused > 0


def npy(shape, body, descr="|u1"):
    """Bytes of an npy member whose header promises a shape, whatever follows."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": descr, "fortran_order": False, "shape": shape})
    return out.getvalue() + body


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (npy((10**12,), b"\0"), "must be uint8 of shape"),
        (npy((4,), b"\0\0\0"), "ends before row 4 of 4"),
        (npy((4,), bytes(10**6)), "goes on after its 4 rows"),
        (npy((4,), b"\0" * 4, descr="|O"), "got object"),
        (b"\x93NUMPY\x03\x00" + bytes(64), "format 1 or 2"),
        (b"\x93NUMPY\x01\x00\x06\x00{'a': \n", "cannot be read"),
        (b"not an array", "cannot be read"),
    ],
    ids=["too large", "too short", "too long", "pickled", "format 3", "broken header", "no header"],
)
def test_a_hostile_member_is_refused_before_it_is_read(path, member, message):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("imgs.npy", member)
    with pytest.raises(DamagedData, match=message):
        list(read_rows(path, "imgs", (4,), np.uint8, rows=3))


def test_parts_are_bounded_and_add_up(path):
    array = np.arange(70, dtype=np.int64).reshape(10, 7)
    np.savez(path, a=array)
    parts = list(read_rows(path, "a", (10, 7), np.int64, rows=4))
    assert [len(part) for part in parts] == [4, 4, 2]
    np.testing.assert_array_equal(np.concatenate(parts), array)


def test_the_cache_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("DBENCH_DATA", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("DBENCH_DATA")
    assert cache_folder().name == "dbench"


def test_a_file_already_in_the_cache_is_used_and_checked(monkeypatch, tmp_path):
    monkeypatch.setenv("DBENCH_DATA", str(tmp_path))
    write(tmp_path / FILE)
    with pytest.raises(DamagedData, match="must have git blob id"):
        dsprites()
