"""The loader of Cars3D, on tiny archives of the same format and on broken ones."""

import hashlib
import io
import tarfile

import numpy as np
import pytest
from scipy.io import savemat

from dbench.data.cars3d import Cars3d
from dbench.data.resize import lanczos
from dbench.errors import DamagedData


def md5(path):
    return hashlib.md5(path.read_bytes()).hexdigest()


def noise(*shape, seed=0):
    return np.random.default_rng(seed).integers(256, size=shape, dtype=np.uint8)


class TestCars3d:
    SIZES = (2, 3, 4)
    NAMES = ("car_007_mesh", "car_001_mesh", "car_120_mesh", "car_003_mesh")

    def mesh(self, number):
        return noise(128, 128, 3, 3, 2, seed=number)

    def members(self, **changes):
        members = {"data/cars/list.txt": "\n".join(self.NAMES).encode() + b"\n", "data/sprites/other.mat": b"other"}
        for number, name in enumerate(self.NAMES):
            content = io.BytesIO()
            savemat(content, {"im": self.mesh(number)}, do_compression=True)
            members[f"data/cars/{name}.mat"] = content.getvalue()
        return members | {f"data/cars/{name}": content for name, content in changes.items()}

    def read(self, path, members, **info):
        with tarfile.open(path, "w:gz") as archive:
            for name, content in members.items():
                if content is None:
                    continue
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        return Cars3d(path, md5=md5(path), factor_sizes=self.SIZES)

    def test_objects_are_numbered_by_the_list_and_scaled_down(self, tmp_path):
        data = self.read(tmp_path / "cars.tar.gz", self.members())
        for factors in [(0, 0, 0), (1, 2, 3), (0, 1, 2), (1, 0, 1)]:
            elevation, azimuth, car = factors
            view = self.mesh(car)[:, :, :, azimuth, elevation]
            expected = lanczos(np.ascontiguousarray(view.transpose(2, 0, 1)), 64, 64)
            np.testing.assert_array_equal(data.images([factors])[0], expected)

    def test_the_list_may_name_files_or_meshes(self, tmp_path):
        listed = self.members(**{"list.txt": " ".join(f"{name}.mat" for name in self.NAMES).encode()})
        one, other = (self.read(tmp_path / "cars.tar.gz", members) for members in (self.members(), listed))
        np.testing.assert_array_equal(one.grid_images(), other.grid_images())

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
            ({"car_001_mesh.mat": bytes(2**24 + 1)}, "must have at most 16777216 bytes, got 16777217"),
        ],
    )
    def test_an_archive_of_another_content_is_refused(self, tmp_path, changes, message):
        with pytest.raises(DamagedData, match=message):
            self.read(tmp_path / "cars.tar.gz", self.members(**changes))

    @pytest.mark.parametrize(
        "image", [noise(128, 128, 3, 3, 3), np.zeros((128, 128, 3, 3, 2)), np.array({}, dtype=object)]
    )
    def test_a_mesh_of_another_form_is_refused(self, tmp_path, image):
        content = io.BytesIO()
        savemat(content, {"im": image})
        with pytest.raises(DamagedData, match="must hold 'im', uint8 of shape"):
            self.read(tmp_path / "cars.tar.gz", self.members(**{"car_001_mesh.mat": content.getvalue()}))

    def test_an_archive_cut_anywhere_is_refused(self, tmp_path):
        path = tmp_path / "cars.tar.gz"
        self.read(path, self.members())
        content, expected = path.read_bytes(), self.read(path, self.members()).grid_images()
        for length in np.linspace(0, len(content) - 100, 6, dtype=int):
            path.write_bytes(content[:length])
            with pytest.raises(DamagedData, match=r"cannot be read|got . names and . meshes"):
                Cars3d(path, md5=md5(path), factor_sizes=self.SIZES)
        # Of what follows the last mesh nothing is missed.
        path.write_bytes(content[:-1])
        whole = Cars3d(path, md5=md5(path), factor_sizes=self.SIZES)
        np.testing.assert_array_equal(whole.grid_images(), expected)

    def test_a_link_in_the_archive_is_not_followed(self, tmp_path):
        path = tmp_path / "cars.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for name, content in self.members(**{"car_001_mesh.mat": None}).items():
                if content is not None:
                    member = tarfile.TarInfo(name)
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
            link = tarfile.TarInfo("data/cars/car_001_mesh.mat")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(link)
        with pytest.raises(DamagedData, match="got 4 names and 3 meshes"):
            Cars3d(path, md5=md5(path), factor_sizes=self.SIZES)
