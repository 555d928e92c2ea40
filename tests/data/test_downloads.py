"""Published files: fetched, checked, laid out once; the reader of dSprites', on tiny archives and on broken ones."""

import hashlib
import io
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.data import DATA_SETS, NEEDS_DOWNLOAD, fingerprint_of, load
from dbench.data.archives import cache_folder, check_md5, fetch, git_blob_id, read_rows, unpacked
from dbench.data.dsprites import BLOB_ID, FILE, Dsprites
from dbench.data.dsprites_variants import VARIANTS
from dbench.data.mpi3d import addresses
from dbench.errors import DamagedData, DbenchError, InvalidInput

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


def test_the_fingerprint_is_known_before_the_archive_is_fetched(path, monkeypatch):
    data = read(write(path))
    monkeypatch.setattr(Dsprites, "file_checksums", (git_blob_id(path),))
    assert fingerprint_of("dsprites") == data.fingerprint
    for name, variant in VARIANTS.items():
        assert fingerprint_of(f"{name}_dsprites") == variant(data, name=name).fingerprint


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


def rows(n=10):
    return np.arange(n * 4, dtype=np.uint8).reshape(n, 4)


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A server of this machine: files that it is given, 404 for others."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    root = tmp_path / "served"
    root.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    def put(path, content):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=root)) as server:
        put.at = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield put
        server.shutdown()


@pytest.mark.parametrize("name", sorted(NEEDS_DOWNLOAD))
def test_without_a_connection_a_data_set_says_what_to_do(name, monkeypatch, tmp_path):
    monkeypatch.setenv("DBENCH_DATA", str(tmp_path))
    monkeypatch.setenv("no_proxy", "")
    for proxy in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(proxy, "http://127.0.0.1:9")
    message = r"could not be downloaded from http.*: no connection; put the file into .*, or set DBENCH_DATA"
    with pytest.raises(DbenchError, match=message):
        load(name)


def test_a_file_in_the_cache_is_used(monkeypatch, tmp_path):
    monkeypatch.setenv("DBENCH_DATA", str(tmp_path))
    (tmp_path / "a.bin").write_bytes(b"content")
    urls = ("http://127.0.0.1:9/a.bin",)
    check = partial(check_md5, md5=hashlib.md5(b"content").hexdigest())
    assert fetch("a.bin", urls, check) == tmp_path / "a.bin"
    (tmp_path / "a.bin").write_bytes(b"by hand")
    with pytest.raises(DamagedData, match="must have MD5"):
        fetch("a.bin", urls, check)
    assert (tmp_path / "a.bin").read_bytes() == b"by hand"
    write(tmp_path / FILE)
    with pytest.raises(DamagedData, match="must have git blob id"):
        load("dsprites")


def test_addresses_are_tried_in_order_and_the_local_name_is_that_of_the_file(monkeypatch, tmp_path, served):
    monkeypatch.setenv("DBENCH_DATA", str(tmp_path / "cache"))
    served("moved/other-name.bin", b"content")
    served("wrong/a.bin", b"an error page")
    check = partial(check_md5, md5=hashlib.md5(b"content").hexdigest())
    urls = [f"{served.at}/{path}" for path in ("closed/a.bin", "wrong/a.bin")]
    message = rf"a\.bin could not be downloaded from {urls[0]}: 404 .*; from {urls[1]}: .*MD5.*; put the file into"
    with pytest.raises(DbenchError, match=message):
        fetch("a.bin", urls, check)
    assert fetch("a.bin", [*urls, f"{served.at}/moved/other-name.bin"], check).read_bytes() == b"content"
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["a.bin"]


def test_mpi3d_is_looked_for_where_it_moved_to_first():
    assert (
        addresses("mpi3d_toy")[0] == "https://storage.googleapis.com/mpi3d_disentanglement_dataset/data/mpi3d_toy.npz"
    )
    assert any(url.endswith("mpi3d_disentanglement_dataset/data/real.npz") for url in addresses("mpi3d_real"))


def test_the_checksum_is_checked(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    check_md5(tmp_path / "a", hashlib.md5(b"content").hexdigest())
    with pytest.raises(DamagedData, match="must have MD5 00000000000000000000000000000000, got 9a0364b9e9"):
        check_md5(tmp_path / "a", "0" * 32)
    with pytest.raises(InvalidInput, match="path must be an existing file"):
        check_md5(tmp_path / "b", "0" * 32)


def test_parts_are_laid_out_once_and_read_from_then_on(tmp_path):
    target, calls = tmp_path / "new" / "a.images", []

    def parts():
        calls.append(1)
        yield from np.array_split(rows(), 3)

    for _ in range(2):
        array = unpacked(target, (10, 4), parts)
        np.testing.assert_array_equal(array, rows())
        assert not array.flags.writeable
    assert calls == [1]
    assert [path.name for path in target.parent.iterdir()] == ["a.images"]


def test_a_file_cut_short_is_laid_out_again(tmp_path):
    target = tmp_path / "a.images"
    target.write_bytes(bytes(39))
    np.testing.assert_array_equal(unpacked(target, (10, 4), lambda: iter([rows()])), rows())


def test_nothing_is_left_of_what_failed(tmp_path):
    def broken():
        yield rows(5)
        raise DamagedData("row 6 cannot be read")

    with pytest.raises(DamagedData, match="row 6"):
        unpacked(tmp_path / "a", (10, 4), broken)
    with pytest.raises(DamagedData, match="a must hold 40 bytes, got 36"):
        unpacked(tmp_path / "a", (10, 4), lambda: iter([rows(9)]))
    assert list(tmp_path.iterdir()) == []


def test_two_writers_of_one_process_id_lay_out_a_whole_file(tmp_path):
    """As containers that share the cache folder do: the second is done while the first still writes."""

    def parts():
        yield rows(5)
        unpacked(tmp_path / "a", (10, 4), lambda: iter([rows()]))
        yield rows()[5:]

    np.testing.assert_array_equal(unpacked(tmp_path / "a", (10, 4), parts), rows())


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DbenchError, match=r"cannot be written"):
        unpacked(tmp_path / "file" / "a", (10, 4), lambda: iter([rows()]))


def test_data_sets_are_listed_and_made_ready_from_the_command_line(monkeypatch, tmp_path):
    monkeypatch.setenv("DBENCH_DATA", str(tmp_path))
    listed = CliRunner().invoke(main, ["data", "ls"]).output.splitlines()
    needs = {line.split()[0]: "needs a download" in line for line in listed[:-1]}
    assert needs == {name: name in NEEDS_DOWNLOAD for name in DATA_SETS}
    assert str(tmp_path) in listed[-1]
    ready = CliRunner().invoke(main, ["data", "fetch", "dsprites_grid_16"])
    assert "46,080 points (shape 3, scale 6, orientation 10, pos_x 16, pos_y 16), images 1 x 16 x 16" in ready.output
    wrong = CliRunner().invoke(main, ["data", "fetch", "dsprite"])
    assert (wrong.exit_code, "unknown data set 'dsprite'" in wrong.stderr) == (2, True)
