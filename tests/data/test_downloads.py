"""Published files: fetched, checked, laid out once."""

import hashlib

import numpy as np
import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.data import DATA_SETS, NEEDS_DOWNLOAD, load
from dbench.data.downloads import check_md5, fetch, unpacked
from dbench.errors import DamagedData, DbenchError, InvalidInput


def rows(n=10):
    return np.arange(n * 4, dtype=np.uint8).reshape(n, 4)


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
    url = "http://127.0.0.1:9/a.bin"
    assert fetch(url, hashlib.md5(b"content").hexdigest()) == tmp_path / "a.bin"
    with pytest.raises(DbenchError, match=r"a\.bin could not be downloaded"):
        fetch(url, "0" * 32)


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
