"""The loader of SmallNORB and the reader of its format, on tiny files of that format and on hostile ones."""

import gzip
import hashlib
import struct

import numpy as np
import pytest

from dbench.data.resize import lanczos
from dbench.data.smallnorb import FILES, MAGIC, SmallNorb, read_binary_matrix
from dbench.errors import DamagedData
from dbench.seeds import generator


def md5(path):
    return hashlib.md5(path.read_bytes()).hexdigest()


def noise(*shape, seed=0):
    return np.random.default_rng(seed).integers(256, size=shape, dtype=np.uint8)


def matrix(array, *, magic=None, dims=None, ndim=None, extra=b""):
    """Bytes of a binary matrix, with a header that may lie."""
    dims = array.shape if dims is None else dims
    padded = [*dims, 1, 1][: max(3, len(dims))]
    magic = MAGIC[array.dtype] if magic is None else magic
    head = struct.pack(f"<ii{len(padded)}i", magic, array.ndim if ndim is None else ndim, *padded)
    return head + array.tobytes() + extra


class TestSmallNorb:
    SIZES = (2, 4, 3, 2, 2)

    def labels(self, split):
        """Points of a split in an order that is not the grid's; each split has half of the instances."""
        points = np.indices(self.SIZES).reshape(5, -1).T
        here = points[points[:, 1] % 2 == split]
        return here[np.random.default_rng(split).permutation(len(here))].astype(np.int32)

    def write(self, folder, change=lambda name, content: content):
        for split, prefix in enumerate(sorted({name.rpartition("-")[0] for name in FILES})):
            points = self.labels(split)
            info = points[:, [1, 2, 3, 4]] * np.array([1, 1, 2, 1], dtype=np.int32)
            pairs = noise(len(points), 2, 96, 96, seed=split)
            for part, array in (("dat", pairs), ("cat", points[:, 0].copy()), ("info", info)):
                name = f"{prefix}-{part}.mat.gz"
                (folder / name).write_bytes(gzip.compress(change(name, matrix(array)), 1))
        return SmallNorb(folder, files={name: md5(folder / name) for name in FILES}, sizes=self.SIZES)

    def test_an_image_is_that_of_some_toy_of_its_category(self, tmp_path):
        data = self.write(tmp_path)
        assert data.factor_sizes == (2, 3, 2, 2)
        images = data.images(data.grid(), generator(test="norb"))
        found = set()
        for image, (category, elevation, azimuth, lighting) in zip(images, data.grid(), strict=True):
            candidates = {}
            for split in (0, 1):
                points = self.labels(split)
                (rows,) = np.nonzero((points[:, [0, 2, 3, 4]] == [category, elevation, azimuth, lighting]).all(axis=1))
                photographs = lanczos(noise(len(points), 2, 96, 96, seed=split)[rows, 0], 64, 64)
                candidates |= {photo.tobytes(): points[row, 1] for photo, row in zip(photographs, rows, strict=True)}
            assert len(candidates) == 4
            found.add(int(candidates[image.tobytes()]))
        assert found == {0, 1, 2, 3}

    def test_the_toy_is_drawn_anew(self, tmp_path):
        data = self.write(tmp_path)
        draws = data.images(np.zeros((200, 4), dtype=int), generator(test="toys"))
        _, counts = np.unique(draws, axis=0, return_counts=True)
        assert len(counts) == 4
        assert counts.min() > 25

    @pytest.mark.parametrize(
        ("part", "change", "message"),
        [
            ("dat", lambda c: c[:-1], "ends before row 48 of 48"),
            ("dat", lambda c: c + b"\0", "goes on after its 48 rows"),
            ("cat", lambda c: c[:10], "ends within its header"),
            ("info", lambda c: c[:20] + struct.pack("<i", 4) + c[24:], "azimuths even|must occur once"),
            ("info", lambda c: c[:20] + struct.pack("<i", -1) + c[24:], "must lie on the grid"),
            ("cat", lambda c: c[:20] + struct.pack("<i", 2) + c[24:], "must lie on the grid"),
            (
                "cat",
                lambda c: c[:20] + struct.pack("<i", 1 - struct.unpack("<i", c[20:24])[0]) + c[24:],
                "must occur once",
            ),
        ],
    )
    def test_files_of_another_content_are_refused(self, tmp_path, part, change, message):
        def first_only(name, content):
            return change(content) if part in name and "training" in name else content

        with pytest.raises(DamagedData, match=message):
            self.write(tmp_path, first_only)

    def test_another_checksum_is_refused(self, tmp_path):
        self.write(tmp_path)
        with pytest.raises(DamagedData, match="must have MD5"):
            SmallNorb(tmp_path, sizes=self.SIZES)


class TestBinaryMatrix:
    ARRAY = np.arange(24, dtype=np.int32).reshape(6, 4)

    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / "matrix.mat.gz"

    def read(self, path, shape=(6, 4), dtype=np.int32):
        return np.concatenate(list(read_binary_matrix(path, shape, dtype, rows=4)))

    def test_it_reads_vectors_matrices_and_higher(self, path):
        for array in (self.ARRAY[:, 0].copy(), self.ARRAY, self.ARRAY.reshape(6, 2, 1, 2)):
            path.write_bytes(gzip.compress(matrix(array)))
            np.testing.assert_array_equal(self.read(path, array.shape), array)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (matrix(ARRAY, magic=0x1E3D4C51), r"must begin with 0x1e3d4c54 \(int32\), got 0x1e3d4c51"),
            (matrix(ARRAY, ndim=-1), "must have 2 dimensions, got -1"),
            (matrix(ARRAY, ndim=2**31 - 1), "must have 2 dimensions, got 2147483647"),
            (matrix(ARRAY, dims=(2**31 - 1, 4)), r"must have shape \(6, 4\), got \(2147483647, 4\)"),
            (matrix(ARRAY, dims=(6, -4)), r"must have shape \(6, 4\), got \(6, -4\)"),
            (matrix(ARRAY, dims=(4, 6)), r"must have shape \(6, 4\), got \(4, 6\)"),
            (matrix(ARRAY)[:-1], "ends before row 6 of 6"),
            (matrix(ARRAY, extra=bytes(10**6)), "goes on after its 6 rows"),
            (b"", "ends within its header"),
            (matrix(ARRAY)[:19], "ends within its header"),
        ],
    )
    def test_a_header_that_lies_is_refused_before_anything_is_read(self, path, content, message):
        path.write_bytes(gzip.compress(content))
        with pytest.raises(DamagedData, match=message):
            self.read(path)

    def test_what_is_not_gzip_or_cut_short_is_refused(self, path):
        whole = gzip.compress(matrix(self.ARRAY))
        for content in (b"no gzip", *(whole[:length] for length in range(1, len(whole), 7))):
            path.write_bytes(content)
            with pytest.raises(DamagedData, match="cannot be read as a gzipped matrix"):
                self.read(path)
