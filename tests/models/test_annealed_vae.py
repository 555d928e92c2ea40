import numpy as np
import pytest
import torch

from dbench.models.objectives import annealed_vae

CAPACITIES = torch.tensor([1.0, 4.0, 100.0], dtype=torch.float64)


@pytest.mark.parametrize("steps", [600, 300_000])
def test_the_capacity_rises_straight_over_the_first_third_and_stays(make_batch, steps):
    shares = {0: 0, 0.1: 0.3, 0.25: 0.75, 1 / 3: 1, 0.5: 1, 1: 1}
    for share, reached in shares.items():
        terms = annealed_vae(make_batch(step=round(share * steps), steps=steps), c_max=CAPACITIES)
        np.testing.assert_allclose(terms.others["capacity"], reached * CAPACITIES, rtol=1e-12)


def test_a_thousand_for_every_nat_between_the_batchs_divergence_and_the_capacity(make_batch):
    """Two images of two codes by hand: 0.5 (mean^2 + variance - log variance - 1) for each, summed over codes."""
    mean = torch.tensor([[[1.0, 0.0], [2.0, -1.0]]], dtype=torch.float64).expand(3, 2, 2)
    batch = make_batch(images=2, codes=2, mean=mean, logvar=torch.zeros_like(mean), step=10, steps=60)
    terms = annealed_vae(batch, c_max=CAPACITIES)  # half way up the rise
    kl = (0.5 + (2 + 0.5)) / 2  # a mean over images of sums over codes
    np.testing.assert_allclose(terms.kl, kl, rtol=1e-12)
    # Charged above a capacity, rewarded below one, also below one that lies between the divergences of the images.
    distance = torch.tensor([kl - 0.5, 2 - kl, 50 - kl], dtype=torch.float64)
    np.testing.assert_allclose(terms.loss, terms.reconstruction + 1000 * distance, rtol=1e-12)


def test_gamma_is_the_studys_unless_a_run_takes_another(make_batch):
    batch = make_batch(step=1, steps=1)
    terms, light = (annealed_vae(batch, c_max=CAPACITIES, **chosen) for chosen in ({}, {"gamma": 12.5}))
    np.testing.assert_allclose(light.loss - light.reconstruction, (terms.loss - terms.reconstruction) / 80, rtol=1e-9)
    assert annealed_vae.card.tuned({}).constants == {"gamma": 1000.0}
    assert annealed_vae.card.tuned({"gamma": 2.0}).constants == {"gamma": 2.0}
