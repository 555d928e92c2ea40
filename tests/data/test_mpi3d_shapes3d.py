"""Loaders of MPI3D and Shapes3D, on tiny archives of the same formats and on broken ones."""

import hashlib

import numpy as np
import pytest

from dbench.data.mpi3d import Mpi3d
from dbench.errors import DamagedData


def md5(path):
    return hashlib.md5(path.read_bytes()).hexdigest()


def noise(*shape, seed=0):
    return np.random.default_rng(seed).integers(256, size=shape, dtype=np.uint8)


class TestMpi3d:
    SIZES = (2, 2, 2, 3, 3, 2, 2)
    OTHER = (1, 1, 2, 3, 3, 2, 2)

    @pytest.fixture
    def images(self):
        return noise(288, 64, 64, 3)

    def read(self, tmp_path, images, **members):
        path = tmp_path / "mpi3d_toy.npz"
        np.savez_compressed(path, **({"images": images} if images is not None else {}), **members)
        layouts = (self.SIZES, self.OTHER)
        return Mpi3d("mpi3d_toy", lambda: path, md5=md5(path), folder=tmp_path / "cache", layouts=layouts)

    def test_images_come_in_grid_order_channels_first(self, tmp_path, images):
        data = self.read(tmp_path, images)
        assert data.factor_sizes == self.SIZES
        some = data.draw_factors(50, np.random.default_rng(0))
        np.testing.assert_array_equal(data.images(some), images.transpose(0, 3, 1, 2)[data.index(some)])
        np.testing.assert_array_equal(data.grid_images(), images.transpose(0, 3, 1, 2))

    def test_the_length_says_which_layout_it_is(self, tmp_path, images):
        assert self.read(tmp_path, images[:72]).factor_sizes == self.OTHER
        with pytest.raises(DamagedData, match=r"'images' must be 288 or 72 images of \(64, 64, 3\), got shape \(73, "):
            self.read(tmp_path, images[:73])

    def test_the_archive_is_needed_once_only(self, tmp_path, images):
        first = self.read(tmp_path, images)
        checksum = md5(tmp_path / "mpi3d_toy.npz")

        def gone():
            raise AssertionError("the archive was asked for")

        layouts = (self.SIZES, self.OTHER)
        again = Mpi3d("mpi3d_toy", gone, md5=checksum, folder=tmp_path / "cache", layouts=layouts)
        np.testing.assert_array_equal(again.grid_images(), first.grid_images())
        assert again.fingerprint == first.fingerprint

    def test_another_content_is_refused(self, tmp_path, images):
        with pytest.raises(DamagedData, match="no member 'images'"):
            self.read(tmp_path, None, other=images)
        with pytest.raises(DamagedData, match=r"must be uint8 of shape .* got float32"):
            self.read(tmp_path, np.zeros(images.shape, dtype=np.float32))
        with pytest.raises(DamagedData, match=r"must be uint8 of shape .* got object"):
            self.read(tmp_path, np.empty(images.shape, dtype=object))
        path = tmp_path / "mpi3d_toy.npz"
        with pytest.raises(DamagedData, match="must have MD5 0000"):
            Mpi3d("mpi3d_toy", lambda: path, md5="0" * 32, folder=tmp_path / "other")

    def test_an_archive_cut_anywhere_is_refused(self, tmp_path, images):
        self.read(tmp_path, images)
        path = tmp_path / "mpi3d_toy.npz"
        content = path.read_bytes()
        for length in np.linspace(0, len(content) - 1, 8, dtype=int):
            path.write_bytes(content[:length])
            with pytest.raises(DamagedData, match="cannot be read as an npz archive"):
                Mpi3d("mpi3d_toy", lambda: path, md5=md5(path), folder=tmp_path / "other", layouts=(self.SIZES,))


class TestShapes3d:
    SIZES = (2, 3, 2, 2, 2, 3)

    @pytest.fixture
    def images(self):
        return noise(144, 64, 64, 3)

    @pytest.fixture
    def labels(self):
        grid = np.indices(self.SIZES).reshape(6, -1).T
        return grid * [0.1, 0.1, 0.1, 0.07, 1.0, 4.3] + [0, 0, 0, 0.75, 0, -30]

    def write(self, tmp_path, **members):
        h5py = pytest.importorskip("h5py")
        path = tmp_path / "3dshapes.h5"
        with h5py.File(path, "w") as file:
            for name, array in members.items():
                file.create_dataset(name, data=array, compression="gzip")
        return path

    def read(self, path):
        from dbench.data.shapes3d import Shapes3d

        return Shapes3d(lambda: path, md5=md5(path), folder=path.parent / "cache", factor_sizes=self.SIZES)

    def test_images_come_in_grid_order_channels_first(self, tmp_path, images, labels):
        data = self.read(self.write(tmp_path, images=images, labels=labels))
        np.testing.assert_array_equal(data.grid_images(), images.transpose(0, 3, 1, 2))

    def test_another_content_is_refused(self, tmp_path, images, labels):
        for members, message in (
            ({"images": images}, "no data set 'labels' in the file itself"),
            ({"labels": labels}, "no data set 'images' in the file itself"),
            ({"images": images[1:], "labels": labels}, r"'images' must be uint8 of shape \(144, .* got .*\(143, "),
            ({"images": images.astype(float), "labels": labels}, "'images' must be uint8 .* got float64"),
            ({"images": images, "labels": labels[::-1]}, "column 'floor_hue' of 'labels' must run through 2 rising"),
            ({"images": images, "labels": labels * [1, 1, 1, 1, 1, 0]}, "column 'orientation' .* got 1 values"),
        ):
            with pytest.raises(DamagedData, match=message):
                self.read(self.write(tmp_path, **members))

    def test_data_of_other_files_are_not_followed(self, tmp_path, images, labels):
        h5py = pytest.importorskip("h5py")
        path = self.write(tmp_path, images=images, labels=labels)
        secret = tmp_path / "secret"
        secret.write_bytes(bytes(144 * 64 * 64 * 3))
        for plant in (
            lambda file: file.create_dataset(
                "images", images.shape, "u1", external=[(str(secret), 0, h5py.h5f.UNLIMITED)]
            ),
            lambda file: file.__setitem__("images", h5py.ExternalLink("other.h5", "images")),
            lambda file: file.__setitem__("images", h5py.SoftLink("/labels")),
            lambda file: file.create_group("images"),
        ):
            with h5py.File(path, "a") as file:
                del file["images"]
                plant(file)
            with pytest.raises(DamagedData, match=r"in the file itself|got a group"):
                self.read(path)

    def test_an_archive_cut_anywhere_is_refused(self, tmp_path, images, labels):
        path = self.write(tmp_path, images=images, labels=labels)
        content = path.read_bytes()
        for length in np.linspace(0, len(content) - 1, 8, dtype=int):
            path.write_bytes(content[:length])
            with pytest.raises(DamagedData, match="cannot be read as an HDF5 file"):
                self.read(path)
