"""The stochastic variants of dSprites: what is drawn, from which law, and where it goes."""

import numpy as np
import pytest
from scipy.stats import kstest

from dbench.data import GridData, load
from dbench.data.dsprites_variants import ColorDsprites, NoisyDsprites, ScreamDsprites, read_scream
from dbench.seeds import generator

VARIANTS = (ColorDsprites, NoisyDsprites, ScreamDsprites)


class Dots(GridData):
    """A white pixel in 16 x 32 places, one for each combination of factors; quick, and every place is known."""

    name, factor_names, factor_sizes, image_shape = "dots", ("row", "column"), (16, 32), (1, 64, 64)
    fingerprint = "ab" * 32

    def _render(self, factors, generator):
        images = np.zeros((len(factors), 1, 64, 64), dtype=np.uint8)
        images[np.arange(len(factors)), 0, factors[:, 0], factors[:, 1]] = 255
        return images


DOTS = Dots()


def draw(variant, n=500, **options):
    """Images of n random dots, and which of their pixels are the dot: n x 3 x 64 x 64 each."""
    factors = DOTS.draw_factors(n, generator(test="factors"))
    images = variant(DOTS, name="test", **options).images(factors, generator(test=variant.__name__))
    return images, np.broadcast_to(DOTS.images(factors) > 0, images.shape)


def test_a_colour_is_one_number_a_channel_uniform_between_a_half_and_one():
    images, dot = draw(ColorDsprites, n=2000)
    assert not images[~dot].any()
    colours = images[dot].reshape(-1, 3)
    assert (colours.min(), colours.max()) == (128, 255)
    for channel in colours.T:
        assert kstest(channel / 255, "uniform", args=(0.5, 0.5)).pvalue > 0.001
    assert np.abs(np.corrcoef(colours.T) - np.eye(3)).max() < 0.1


def test_a_sprite_has_one_colour():
    data = load("color_dsprites_grid")
    sprites = load("dsprites_grid").images(data.grid()[::4001]) > 0
    images = data.images(data.grid()[::4001], generator(test="one colour"))
    for image, sprite in zip(images, sprites, strict=True):
        assert len(np.unique(image[:, sprite[0]], axis=1).T) == 1


def test_noise_fills_every_pixel_but_the_sprite_and_is_uniform():
    images, dot = draw(NoisyDsprites)
    assert (images[dot] == 255).all()
    counts = np.bincount(images[~dot], minlength=256)
    assert counts.sum() == 500 * 3 * (64 * 64 - 1)
    # Each count is binomial; five standard deviations, over 256 levels.
    assert np.abs(counts - counts.mean()).max() < 5 * np.sqrt(counts.mean())
    assert abs(np.corrcoef(images[:, 0].ravel(), images[:, 1].ravel())[0, 1]) < 0.01


def test_a_scream_background_is_a_patch_in_one_shade_and_the_sprite_its_negative():
    painting = np.random.default_rng(0).integers(256, size=(70, 66, 3), dtype=np.uint8)
    images, dot = draw(ScreamDsprites, n=40, scream=painting)
    background = np.where(dot, 255 - images, images).astype(np.float64)
    found = set()
    for image in background:
        for row, column in np.ndindex(7, 3):
            patch = painting[row : row + 64, column : column + 64].transpose(2, 0, 1)
            shade = 2 * image - patch
            # Rounding moves a pixel by at most a half, and so twice a pixel by at most one.
            if np.ptp(shade, axis=(1, 2)).max() <= 2:
                found.add((row, column))
                assert shade.min() >= -1
                assert shade.max() <= 256
                break
        else:
            pytest.fail("no patch of the painting lies behind the image")
    assert {row for row, _ in found} == set(range(7))
    assert {column for _, column in found} == set(range(3))


def test_another_painting_is_another_data_set():
    painting = read_scream()
    prints = {ScreamDsprites(DOTS, name="x", scream=p).fingerprint for p in (painting, painting[::-1], painting[:-1])}
    assert len(prints) == 3
    assert ScreamDsprites(DOTS, name="x").fingerprint in prints


@pytest.mark.parametrize("variant", VARIANTS)
def test_images_do_not_depend_on_how_they_are_split_into_batches(variant, monkeypatch):
    data, factors = variant(DOTS, name="x"), DOTS.grid()[:50]
    whole = data.images(factors, generator(test="split"))
    monkeypatch.setattr("dbench.data.dsprites_variants.BATCH", 7)
    np.testing.assert_array_equal(data.images(factors, generator(test="split")), whole)


def test_the_small_view_is_the_mean_of_coloured_blocks():
    big, small = load("color_dsprites_grid"), load("color_dsprites_grid_16")
    factors = big.grid()[::101]  # more than a batch
    mean = big.images(factors, generator(test="blocks")).reshape(-1, 3, 16, 4, 16, 4).mean(axis=(3, 5))
    np.testing.assert_array_equal(small.images(factors, generator(test="blocks")), np.floor(mean + 0.5))


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_image_of_the_grid_is_drawn_once_for_good(variant):
    images = variant(DOTS, name="x").grid_images()
    np.testing.assert_array_equal(images, variant(Dots(), name="another name").grid_images())
    fresh = variant(DOTS, name="x").images(DOTS.grid(), generator(test="fresh"))
    assert (images != fresh).any(axis=(1, 2, 3)).mean() > 0.99
