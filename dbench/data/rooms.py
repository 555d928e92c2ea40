"""Rooms: our own drawing of an object in a room, with the factors of Shapes3D, for use where that is not available.

Geometry depends only on scale, shape and orientation, which make 480 views, and an image is linear in its three
colours. So each view is stored as the share of floor, wall and object in each pixel, times how brightly they are lit.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from dbench.data.base import BATCH, Factors, GridData, Images, digest

RULE = "rooms, rule 1"
SIDE = 64
HUES, SCALES, SHAPES, ORIENTATIONS = 10, 8, 4, 15
# Rays along each side of a pixel; the pixel is their mean.
RAYS = 2
# Tangent of half the field of view; distance and height of the camera, and the height that it looks at.
FIELD, DISTANCE, HEIGHT, AIM = 0.36, 8.0, 4.5, 1.0
# Half of the room's width and depth; position of the lamp, and the share of light that is ambient.
WIDTH, DEPTH = 5.0, 9.0
LIGHT, AMBIENT = (2.5, 7.0, 5.0), 0.4
SATURATION = 0.8

Array = NDArray[np.float64]


class Rooms(GridData):
    """Cube, cylinder, ball and capsule, scaled from 0.75 to 1.25; the camera goes around them from -30 to 30 degrees.

    The first image takes some seconds, because all views (6 MB) are then drawn, once in a process.
    """

    name = "rooms"
    factor_names = ("floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation")
    factor_sizes = (HUES, HUES, HUES, SCALES, SHAPES, ORIENTATIONS)
    image_shape = (3, SIDE, SIDE)

    def __init__(self) -> None:
        numbers = (RAYS, FIELD, DISTANCE, HEIGHT, AIM, WIDTH, DEPTH, LIGHT, AMBIENT, SATURATION)
        self.fingerprint = digest(RULE, repr(numbers))

    def _render(self, factors: Factors, generator: np.random.Generator | None) -> Images:
        """Mix the three colours of each image, in whole numbers, so that every machine gives the same bytes."""
        images = np.empty((len(factors), *self.image_shape), dtype=np.uint8)
        for start in range(0, len(factors), BATCH):
            part = factors[start : start + BATCH]
            colours = _COLOURS[part[:, :3]].transpose(0, 2, 1)  # n x channels x materials
            views = _views()[tuple(part[:, 3:].T)].astype(np.float32)
            mixed = (colours @ views + 127) // 255  # below 2^24, so exact
            images[start : start + BATCH] = mixed.reshape(-1, *self.image_shape)
        return images


@cache
def _views() -> NDArray[np.uint8]:
    """Return 8 x 4 x 15 x 3 x 4096: share times brightness of floor, wall and object in each pixel, in 255 steps."""
    views = np.empty((SCALES, SHAPES, ORIENTATIONS, 3, SIDE * SIDE), dtype=np.uint8)
    for turn, angle in enumerate(np.radians(np.linspace(-30, 30, ORIENTATIONS))):
        camera, rays = _camera(angle)
        room, is_wall, far = _room(camera, rays)
        for scale, size in enumerate(np.linspace(0.75, 1.25, SCALES)):
            for shape in range(SHAPES):
                lit, near = _object(shape, size, camera, rays)
                hits = near < far
                parts = np.where([~hits & ~is_wall, ~hits & is_wall, hits], [room, room, lit], 0.0)
                blocks = parts.reshape(3, SIDE, RAYS, SIDE, RAYS).mean(axis=(2, 4))
                views[scale, shape, turn] = np.floor(255 * blocks).reshape(3, -1)  # the three sum to at most 255
    return views


def _colours() -> NDArray[np.float32]:
    """Return 10 hues x 3 channels, whole numbers of 0..255, by the HSV hexagon at full value."""
    place = (np.array([5.0, 3.0, 1.0]) + 6 * np.arange(HUES)[:, np.newaxis] / HUES) % 6
    return np.rint(255 * (1 - SATURATION * np.clip(np.minimum(place, 4 - place), 0, 1))).astype(np.float32)


_COLOURS = _colours()


def _camera(angle: float) -> tuple[Array, Array]:
    """Return the camera's position and n x 3 unit rays, one for each part of a pixel, row by row from the top."""
    camera = np.array([DISTANCE * np.sin(angle), HEIGHT, DISTANCE * np.cos(angle)])
    ahead = _unit(np.array([0.0, AIM, 0.0]) - camera)
    right = _unit(np.cross(ahead, [0.0, 1.0, 0.0]))
    up = np.cross(right, ahead)
    steps = FIELD * ((2 * np.arange(SIDE * RAYS) + 1) / (SIDE * RAYS) - 1)
    down, across = (axis.reshape(-1, 1) for axis in np.meshgrid(steps, steps, indexing="ij"))
    return camera, _unit(ahead + across * right - down * up)


def _room(camera: Array, rays: Array) -> tuple[Array, NDArray[np.bool_], Array]:
    """Return for each ray the brightness of the room where it ends, whether that is a wall, and the distance."""
    bounds = np.array([WIDTH, 0.0, DEPTH]) * np.sign(rays)
    with np.errstate(divide="ignore"):
        along = np.where((rays == 0) | ((rays > 0) & [False, True, False]), np.inf, (bounds - camera) / rays)
    axis = along.argmin(axis=1)
    normals = -np.sign(rays) * np.eye(3)[axis]
    far = along.min(axis=1)
    return _lit(camera + far[:, np.newaxis] * rays, normals), axis != 1, far


def _object(shape: int, size: float, camera: Array, rays: Array) -> tuple[Array, Array]:
    """Return for each ray the brightness of the object and the distance to it, infinite where it misses."""
    radius, half = size * np.array([(0.8, 0.8), (0.7, 1.0), (1.0, 0.0), (0.6, 0.6)][shape])
    half_height = half + (radius if shape >= 2 else 0.0)
    middle = np.array([0.0, half_height, 0.0])
    eye = camera - middle  # relative to the object's middle
    if shape == 0:
        near, leave = _cube(eye, rays, radius)
        near = np.where(near < leave, near, np.inf)
    else:
        enter, leave = _cylinder(eye, rays, radius)
        bottom, top = np.sort((np.array([[-half], [half]]) - eye[1]) / rays[:, 1], axis=0)
        if shape == 1:
            near = np.maximum(enter, bottom)
            near = np.where(near < np.minimum(leave, top), near, np.inf)
        else:
            side = np.where((enter > bottom) & (enter < top), enter, np.inf)
            near = np.minimum(side, np.minimum(_ball(eye, rays, radius, half), _ball(eye, rays, radius, -half)))
    point = eye + np.where(np.isfinite(near), near, 0.0)[:, np.newaxis] * rays
    if shape == 0:
        normals = np.sign(point) * (np.abs(point) == np.abs(point).max(axis=1, keepdims=True))
    elif shape == 1:
        flat = np.abs(np.abs(point[:, 1]) - half) < 1e-9
        normals = np.where(flat[:, np.newaxis], np.sign(point) * [0, 1, 0], point * [1, 0, 1])
    else:
        normals = point - np.clip(point, -half, half) * [0, 1, 0]
    return _lit(point + middle, _unit(normals)), near


def _cube(eye: Array, rays: Array, half: float) -> tuple[Array, Array]:
    """Return the distances at which rays enter and leave a cube."""
    with np.errstate(divide="ignore"):
        ends = np.sort((np.array([[[-half]], [[half]]]) - eye) / rays, axis=0)
    return ends[0].max(axis=1), ends[1].min(axis=1)


def _cylinder(eye: Array, rays: Array, radius: float) -> tuple[Array, Array]:
    """Return the distances at which rays enter and leave an endless upright cylinder; infinite where they miss."""
    flat = np.array([1.0, 0.0, 1.0])
    return _roots((rays**2 @ flat), rays @ (eye * flat), float(eye**2 @ flat) - radius**2)


def _ball(eye: Array, rays: Array, radius: float, height: float) -> Array:
    """Return the distances at which rays enter a ball at a height above the middle; infinite where they miss."""
    away = eye - [0.0, height, 0.0]
    return _roots(np.ones(len(rays)), rays @ away, float(away @ away) - radius**2)[0]


def _roots(square: Array, linear: Array, constant: float) -> tuple[Array, Array]:
    """Return both solutions t of square t^2 + 2 linear t + constant = 0; infinite where there are none."""
    discriminant = linear**2 - square * constant
    root = np.sqrt(np.maximum(discriminant, 0.0))
    ends = ((-linear - root) / square, (-linear + root) / square)
    return np.where(discriminant > 0, ends[0], np.inf), np.where(discriminant > 0, ends[1], np.inf)


def _lit(points: Array, normals: Array) -> Array:
    """Return the brightness of n points with unit normals: ambient light, and diffuse light from the lamp."""
    toward = _unit(np.array(LIGHT) - points)
    return np.asarray(AMBIENT + (1 - AMBIENT) * np.clip((normals * toward).sum(axis=1), 0, 1))


def _unit(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)
