"""Cars3D as published (Reed, Zhang, Zhang and Lee 2015): renderings of car models from all sides and four heights."""

import io
import tarfile
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dbench.data.archives import StoredImages, check_md5, fetch, lanczos
from dbench.data.base import digest
from dbench.errors import DamagedData
from dbench.files import readable

FILE = "nips2015-analogy-data.tar.gz"
ADDRESSES = (f"http://www.scottreed.info/files/{FILE}",)
MD5 = "4e866a7919c1beedf53964e6f7a23686"
SIDE = 128


class Cars3d(StoredImages):
    """The published archive, a gzipped tar file of renderings in colour.

    Scaled from 128 x 128. Objects are numbered by the archive's own ``list.txt``. The images take 216 MB; reading the
    archive takes about a minute.

    Raises:
        InvalidInput: no such file.
        DamagedData: another MD5, or a mesh or the list that is missing or of another form.
    """

    archive = "Cars3D archive, Lanczos"
    file_checksums = (MD5,)
    name = "cars3d"
    factor_names = ("elevation", "azimuth", "object")
    factor_sizes: tuple[int, ...] = (4, 24, 183)
    image_shape = (3, 64, 64)

    def __init__(self, path: Path, *, md5: str = MD5, factor_sizes: tuple[int, ...] = factor_sizes) -> None:
        check_md5(path, md5)
        self.factor_sizes = factor_sizes
        self.fingerprint = digest(self.archive, md5)
        elevations, azimuths, objects = factor_sizes
        meshes, order = self._read(path)
        if len(order) != objects or set(order) != set(meshes) or len(meshes) != objects:
            raise DamagedData(
                f"{path}: 'cars/list.txt' must name the {objects} meshes of the archive, each once, got {len(order)} "
                f"names and {len(meshes)} meshes"
            )
        stacked = np.stack([meshes[name] for name in order], axis=2)
        self._images = stacked.reshape(elevations * azimuths * objects, 64, 64, 3)

    def _read(self, path: Path) -> tuple[dict[str, NDArray[np.uint8]], list[str]]:
        """Return mesh name -> elevation x azimuth x 64 x 64 x 3, and the names in order; nothing is extracted."""
        meshes: dict[str, NDArray[np.uint8]] = {}
        order: list[str] = []
        with readable(str(path), " as a gzipped tar file"), tarfile.open(path, "r|gz") as archive:
            for member in archive:
                parent, name = PurePosixPath(member.name).parent.name, PurePosixPath(member.name).name
                if parent != "cars" or not member.isfile() or not name.endswith((".txt", ".mat")):
                    continue
                stream = archive.extractfile(member)
                assert stream is not None
                if name == "list.txt":
                    lines = stream.read().decode("ascii").split()
                    order = [line.removesuffix(".mat") for line in lines]
                elif name.endswith("_mesh.mat"):
                    meshes[name.removesuffix(".mat")] = self._mesh(stream.read(), f"{path}: {member.name}")
        return meshes, order

    def _mesh(self, content: bytes, where: str) -> NDArray[np.uint8]:
        """Read the MATLAB file of one car: ``im``, height x width x colour x azimuth x elevation."""
        from scipy.io import loadmat, whosmat

        elevations, azimuths, _ = self.factor_sizes
        wanted = ("im", (SIDE, SIDE, 3, azimuths, elevations), "uint8")
        # scipy reads from streams too, whatever its type stubs say.
        stream: Any = io.BytesIO(content)
        with readable(where, " as a MATLAB file"):
            # The header has shape and type, so that no array of another size is read.
            if wanted not in whosmat(stream):
                raise DamagedData(f"{where} must hold 'im', uint8 of shape {wanted[1]}")
            image = loadmat(stream, variable_names=["im"])["im"]
        views = np.ascontiguousarray(np.asarray(image, dtype=np.uint8).transpose(4, 3, 2, 0, 1))
        small = lanczos(views.reshape(-1, SIDE, SIDE))
        return np.moveaxis(small.reshape(elevations, azimuths, 3, 64, 64), 2, 4)

    @classmethod
    def fetched(cls, name: str) -> Self:
        """Return Cars3D."""
        return cls(fetch(FILE, ADDRESSES, partial(check_md5, md5=MD5)))
