"""Loaders of Cars3D, MPI3D, Shapes3D and SmallNORB, on tiny archives and broken ones."""

import gzip
import struct
import tarfile

import numpy as np
import pytest
from file_readers import matrix, md5, mesh, tarred

from dbench.data.archives import lanczos
from dbench.data.cars3d import Cars3d
from dbench.data.mpi3d import Mpi3d
from dbench.data.smallnorb import FILES, SmallNorb, read_binary_matrix
from dbench.errors import DamagedData
from dbench.seeds import generator


def noise(*shape, seed=0):
    return np.random.default_rng(seed).integers(256, size=shape, dtype=np.uint8)


class TestCars3d:
    NAMES = ("car_007_mesh", "car_001_mesh", "car_120_mesh", "car_003_mesh")

    def views(self, number):
        return noise(128, 128, 3, 3, 2, seed=number)

    def members(self, **changes):
        listed = "\n".join(self.NAMES).replace("120_mesh", "120_mesh.mat")  # files or meshes
        members = {"data/cars/list.txt": listed.encode() + b"\n", "data/sprites/other.mat": b"other"}
        members |= {f"data/cars/{name}.mat": mesh(self.views(number)) for number, name in enumerate(self.NAMES)}
        members |= {f"data/cars/{name}": content for name, content in changes.items()}
        return {name: content for name, content in members.items() if content is not None}

    def read(self, path, members, *links):
        path.write_bytes(gzip.compress(tarred(members, *links), 1))
        return Cars3d(path, md5=md5(path), factor_sizes=(2, 3, 4))

    def test_objects_are_numbered_by_the_list_and_scaled_down(self, tmp_path):
        data = self.read(tmp_path / "cars.tar.gz", self.members())
        for factors in [(0, 0, 0), (1, 2, 3), (0, 1, 2), (1, 0, 1)]:
            elevation, azimuth, car = factors
            view = self.views(car)[:, :, :, azimuth, elevation]
            expected = lanczos(np.ascontiguousarray(view.transpose(2, 0, 1)))
            np.testing.assert_array_equal(data.images([factors])[0], expected)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"list.txt": None}, "must name the 4 meshes of the archive, each once, got 0 names and 4 meshes"),
            ({"list.txt": b"car_001_mesh"}, "got 1 names and 4 meshes"),
            ({"list.txt": b"car_001_mesh " * 4}, "got 4 names and 4 meshes"),
            ({"list.txt": b"\xff"}, "cannot be read as a gzipped tar file"),
            ({"car_001_mesh.mat": None}, "got 4 names and 3 meshes"),
            ({"car_001_mesh.mat": b"not MATLAB"}, "cannot be read as a MATLAB file"),
            ({"car_001_mesh.mat": b""}, "cannot be read as a MATLAB file"),
            ({"car_001_mesh.mat": mesh(noise(128, 128, 3, 3, 3))}, "must hold 'im', uint8 of shape"),
            ({"car_001_mesh.mat": mesh(np.zeros((128, 128, 3, 3, 2)))}, "must hold 'im', uint8 of shape"),
            ({"car_001_mesh.mat": mesh(np.array({}, dtype=object))}, "must hold 'im', uint8 of shape"),
        ],
    )
    def test_an_archive_of_another_content_is_refused(self, tmp_path, changes, message):
        with pytest.raises(DamagedData, match=message):
            self.read(tmp_path / "cars.tar.gz", self.members(**changes))

    def test_a_link_in_the_archive_is_not_followed(self, tmp_path):
        link = tarfile.TarInfo("data/cars/car_001_mesh.mat")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        with pytest.raises(DamagedData, match="got 4 names and 3 meshes"):
            self.read(tmp_path / "cars.tar.gz", self.members(**{"car_001_mesh.mat": None}), link)


class TestMpi3d:
    SIZES = (2, 2, 2, 3, 3, 2, 2)
    OTHER = (1, 1, 2, 3, 3, 2, 2)
    IMAGES = noise(288, 64, 64, 3)

    def load(self, archive, folder, md5):
        return Mpi3d("mpi3d_toy", archive, md5=md5, folder=folder, layouts=(self.SIZES, self.OTHER))

    def read(self, tmp_path, **members):
        path = tmp_path / "mpi3d_toy.npz"
        np.savez_compressed(path, **members)
        return self.load(lambda: path, tmp_path / "cache", md5(path))

    def test_images_come_in_grid_order_channels_first_and_the_archive_is_needed_once(self, tmp_path):
        first = self.read(tmp_path, images=self.IMAGES)

        def gone():
            raise AssertionError("the archive was asked for")

        again = self.load(gone, tmp_path / "cache", md5(tmp_path / "mpi3d_toy.npz"))
        assert again.fingerprint == first.fingerprint
        for data in (first, again):
            assert data.factor_sizes == self.SIZES
            np.testing.assert_array_equal(data.grid_images(), self.IMAGES.transpose(0, 3, 1, 2))

    def test_the_length_says_which_layout_it_is(self, tmp_path):
        assert self.read(tmp_path, images=self.IMAGES[:72]).factor_sizes == self.OTHER

    @pytest.mark.parametrize(
        ("members", "message"),
        [
            ({"other": IMAGES}, "no member 'images'"),
            ({"images": np.zeros(IMAGES.shape, dtype=np.float32)}, r"must be uint8 of shape .* got float32"),
            ({"images": IMAGES[:73]}, r"'images' must be 288 or 72 images of \(64, 64, 3\), got shape \(73, "),
        ],
    )
    def test_another_content_is_refused(self, tmp_path, members, message):
        with pytest.raises(DamagedData, match=message):
            self.read(tmp_path, **members)

    def test_another_checksum_is_refused(self, tmp_path):
        self.read(tmp_path, images=self.IMAGES)
        with pytest.raises(DamagedData, match="must have MD5 0000"):
            self.load(lambda: tmp_path / "mpi3d_toy.npz", tmp_path / "other", "0" * 32)


class TestShapes3d:
    SIZES = (2, 3, 2, 2, 2, 3)
    IMAGES = noise(144, 64, 64, 3)
    LABELS = np.indices(SIZES).reshape(6, -1).T * [0.1, 0.1, 0.1, 0.07, 1.0, 4.3] + [0, 0, 0, 0.75, 0, -30]

    @pytest.fixture
    def path(self, tmp_path):
        return self.write(tmp_path / "3dshapes.h5", {"images": self.IMAGES, "labels": self.LABELS})

    def write(self, path, members):
        with pytest.importorskip("h5py").File(path, "w") as file:
            for name, array in members.items():
                file.create_dataset(name, data=array, compression="gzip")
        return path

    def read(self, path):
        from dbench.data.shapes3d import Shapes3d

        return Shapes3d(lambda: path, md5=md5(path), folder=path.parent / "cache", factor_sizes=self.SIZES)

    def test_images_come_in_grid_order_channels_first(self, path):
        np.testing.assert_array_equal(self.read(path).grid_images(), self.IMAGES.transpose(0, 3, 1, 2))

    @pytest.mark.parametrize(
        ("members", "message"),
        [
            ({"images": IMAGES}, "cannot be read as an HDF5 file: .*labels"),
            ({"labels": LABELS}, "cannot be read as an HDF5 file: .*images"),
            ({"images": IMAGES[1:], "labels": LABELS}, r"'images' must be uint8 of shape \(144, .* got .*\(143, "),
            ({"images": IMAGES.astype(float), "labels": LABELS}, "'images' must be uint8 .* got float64"),
            ({"images": IMAGES, "labels": LABELS[::-1]}, "column 'floor_hue' of 'labels' must run through 2 rising"),
            ({"images": IMAGES, "labels": LABELS * [1, 1, 1, 1, 1, 0]}, "column 'orientation' .* got 1 values"),
        ],
    )
    def test_another_content_is_refused(self, tmp_path, members, message):
        with pytest.raises(DamagedData, match=message):
            self.read(self.write(tmp_path / "3dshapes.h5", members))


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

    def test_an_image_is_that_of_some_toy_of_its_category(self, tmp_path, monkeypatch):
        monkeypatch.setattr("dbench.data.smallnorb.ROWS", 20)  # the 48 pairs of a split are read in parts
        data, photographs = self.write(tmp_path), np.empty((*self.SIZES, 64, 64), dtype=np.uint8)
        assert data.factor_sizes == (2, 3, 2, 2)
        for split in (0, 1):
            points = self.labels(split)
            photographs[tuple(points.T)] = lanczos(noise(len(points), 2, 96, 96, seed=split)[:, 0])
        images = data.images(data.grid(), generator(test="norb"))
        toys = np.moveaxis(photographs, 1, 4).reshape(len(images), 4, 64, 64)
        shown = (toys == images).all(axis=(2, 3))
        assert (shown.sum(axis=1) == 1).all()
        assert shown.any(axis=0).all()
        assert (images != data.images(data.grid(), generator(test="again"))).any()

    @pytest.mark.parametrize(
        ("part", "change", "message"),
        [
            ("dat", lambda c: c[:-1], "ends before row 48 of 48"),
            ("info", lambda c: c[:20] + struct.pack("<i", 4) + c[24:], "azimuths even|must occur once"),
            ("info", lambda c: c[:20] + struct.pack("<i", -1) + c[24:], "must lie on the grid"),
            ("cat", lambda c: c[:20] + struct.pack("<i", 2) + c[24:], "must lie on the grid"),
            ("cat", lambda c: c[:20] + bytes([1 - c[20]]) + c[21:], "must occur once"),
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
    HEADER = r"must begin as int32 of shape \(6, 4\) does, "

    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / "matrix.mat.gz"

    def read(self, path):
        return list(read_binary_matrix(path, (6, 4), np.int32, rows=4))

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (matrix(ARRAY, magic=0x1E3D4C51), HEADER),
            (matrix(ARRAY, ndim=-1), HEADER),
            (matrix(ARRAY, ndim=2**31 - 1), HEADER),
            (matrix(ARRAY, dims=(2**31 - 1, 4)), HEADER),
            (matrix(ARRAY, dims=(6, -4)), HEADER),
            (matrix(ARRAY, dims=(4, 6)), HEADER),
            (matrix(ARRAY)[:-1], "ends before row 6 of 6"),
            (matrix(ARRAY, extra=bytes(10**6)), "goes on after its 6 rows"),
            (b"", HEADER),
            (matrix(ARRAY)[:15], HEADER),
            (matrix(ARRAY)[:19], "ends before row 4 of 6"),
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
