import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
import torch
from scipy import special, stats

from dbench.errors import InvalidInput, UnknownName
from dbench.models.objectives import OBJECTIVES, beta_tcvae, beta_vae, find_objective, objective
from dbench.models.objectives.beta_tcvae import total_correlation
from dbench.models.objectives.gaussian import gaussian_log_density

STRENGTHS = torch.tensor([1.0, 2.5, 6.0], dtype=torch.float64)


def _terms(name, batch, strengths=STRENGTHS):
    return OBJECTIVES[name](batch, **{OBJECTIVES[name].card.strength: strengths})


def test_the_log_density_is_that_of_a_normal_law():
    z, mean, sd = (np.array(v) for v in ([0.3, -4.0], [0.1, 2.0], [0.02, 1.5]))
    ours = gaussian_log_density(*(torch.from_numpy(v) for v in (z, mean, 2 * np.log(sd))))
    np.testing.assert_allclose(ours.numpy(), stats.norm.logpdf(z, mean, sd), rtol=1e-10)


def test_terms_sum_over_pixels_and_codes_and_average_over_images(make_batch):
    batch = make_batch()
    terms = beta_vae(batch, beta=STRENGTHS)
    x, logits = batch.x.numpy(), batch.logits.numpy()
    p = special.expit(logits)
    nll = -(x * np.log(p) + (1 - x) * np.log1p(-p))
    mean, variance = batch.mean.numpy(), np.exp(batch.logvar.numpy())
    kl = 0.5 * (mean**2 + variance - np.log(variance) - 1)
    reconstruction, kl = nll.sum((2, 3, 4)).mean(1), kl.sum(2).mean(1)
    np.testing.assert_allclose(terms.reconstruction, reconstruction, rtol=1e-10)
    np.testing.assert_allclose(terms.kl, kl, rtol=1e-10)
    np.testing.assert_allclose(terms.loss, reconstruction + np.array([1, 2.5, 6]) * kl, rtol=1e-10)


@pytest.mark.parametrize("logvar", [0.0, -4.0, -9.0])
def test_the_total_correlation_and_its_gradient_count_every_density_as_torchs_logsumexp_does(make_batch, logvar):
    """With narrow posteriors nearly every density of another image's code underflows."""
    batch = make_batch(members=2, images=6, codes=3)
    found = []
    for plain in (False, True):
        z, mean = (part.clone().requires_grad_() for part in (batch.z, batch.mean))
        spread = batch.logvar + logvar
        if plain:
            density = -0.5 * (
                math.log(2 * math.pi) + spread[:, None] + (z[:, :, None] - mean[:, None]) ** 2 / spread[:, None].exp()
            )
            tc = (density.sum(3).logsumexp(2) - density.logsumexp(2).sum(2) + 2 * math.log(6000)).mean(1)
        else:
            tc = total_correlation(z, mean, spread, data_size=1000)
        found.append((tc.detach(), *torch.autograd.grad(tc.sum(), (z, mean))))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-9)


def test_the_total_correlation_survives_posteriors_that_do_not_overlap():
    mean = torch.arange(16, dtype=torch.float32).view(1, 16, 1).expand(1, 16, 3) * 50
    value = total_correlation(mean, mean, torch.full_like(mean, -8.0), data_size=100)
    # Every image sees its own posterior alone: log q(z) = own density - log(N B), and so for each code.
    assert float(value) == pytest.approx(2 * math.log(100 * 16), rel=1e-4)


def test_strength_one_is_the_plain_vae_for_both_objectives(make_batch):
    batch, one = make_batch(), torch.ones(3, dtype=torch.float64)
    plain = beta_vae(batch, beta=one)
    np.testing.assert_allclose(plain.loss, plain.reconstruction + plain.kl, rtol=1e-12)
    np.testing.assert_allclose(beta_tcvae(batch, beta=one).loss, plain.loss, rtol=1e-12)


def test_beta_tcvae_weights_the_total_correlation_and_nothing_else(make_batch):
    batch = make_batch()
    low, high = (beta_tcvae(batch, beta=torch.full((3,), b, dtype=torch.float64)) for b in (2.0, 5.0))
    np.testing.assert_allclose(high.loss - low.loss, 3 * low.others["total_correlation"], rtol=1e-9)


# weak_de teaches heads from codes that are to get no gradient of it; test_weak_de.py checks each gradient by itself.
@pytest.mark.extension
@pytest.mark.parametrize("name", sorted(set(OBJECTIVES) - {"weak_de"}))
def test_gradients_are_those_of_finite_differences(name, make_batch):
    batch = make_batch(members=2, images=4, codes=3, objective=name)
    leaves = [part.requires_grad_() for part in (batch.logits, batch.z, batch.mean, batch.logvar)]

    def losses(logits, z, mean, logvar):
        return _terms(name, replace(batch, logits=logits, z=z, mean=mean, logvar=logvar), STRENGTHS[:2]).loss

    assert torch.autograd.gradcheck(losses, leaves)


@pytest.mark.parametrize("name", ["mtd", "parted_vae", "parted_vae_semi"])
def test_gradients_of_the_heads_are_those_of_finite_differences(name, make_batch):
    batch = make_batch(members=2, images=4, objective=name)
    heads = sorted(batch.extra)

    def losses(*values):
        return _terms(name, replace(batch, extra=dict(zip(heads, values, strict=True))), STRENGTHS[:2]).loss

    assert torch.autograd.gradcheck(losses, [batch.extra[head].requires_grad_() for head in heads])


@pytest.mark.parametrize("name", ["dip_vae_i", "dip_vae_ii", "factor_vae", "mtd"])
def test_no_strength_is_the_plain_vae(name, make_batch):
    batch = make_batch(objective=name)
    plain = beta_vae(batch, beta=torch.ones(3, dtype=torch.float64))
    assert torch.equal(_terms(name, batch, 0 * STRENGTHS).loss, plain.loss)


@pytest.mark.extension
@pytest.mark.parametrize("name", sorted(OBJECTIVES))
def test_a_members_terms_do_not_depend_on_the_others(name, make_batch):
    batch = make_batch(objective=name)
    together = _terms(name, batch)
    for m in range(3):
        alone = _terms(name, batch.members(slice(m, m + 1)), STRENGTHS[m : m + 1])
        assert torch.equal(alone.loss, together.loss[m : m + 1])
        if OBJECTIVES[name].card.adversary is not None:
            assert torch.equal(alone.adversary_loss, together.adversary_loss[m : m + 1])


@pytest.mark.extension
@pytest.mark.parametrize("name", sorted(OBJECTIVES))
def test_a_likelihood_factor_multiplies_the_reconstruction_and_nothing_else(name, make_batch):
    batch = make_batch(objective=name)
    plain, ours = (_terms(name, one) for one in (batch, replace(batch, likelihood_factor=16.0)))
    np.testing.assert_allclose(ours.reconstruction, 16 * plain.reconstruction, rtol=1e-12)
    np.testing.assert_allclose(ours.loss - plain.loss, 15 * plain.reconstruction, rtol=1e-9)
    assert torch.equal(ours.kl, plain.kl)


@pytest.mark.extension
@pytest.mark.parametrize("name", sorted(OBJECTIVES))
def test_every_objective_carries_a_card_and_its_files_name(name):
    function = OBJECTIVES[name]
    assert function.card.name == name == function.__module__.rpartition(".")[2]
    assert len(set(function.card.swept)) == (6 if function.card.swept_in.startswith("locatello2020") else 2)
    assert function.card.summary.endswith(".")


def test_names_of_objectives_are_unique_and_unknown_ones_refused():
    def beta_vae(batch, *, beta):
        """Take the name of another."""

    with pytest.raises(InvalidInput, match="unique"):
        objective(cite="nobody", strength="beta", swept=(1,), swept_in="nowhere")(beta_vae)
    with pytest.raises(UnknownName, match="did you mean 'beta_vae'"):
        find_objective("beta_vea")


@pytest.mark.parametrize(
    ("name", "strengths"),
    [
        ("beta_vae", (1, 2, 4, 6, 8, 16)),
        ("annealed_vae", (5, 10, 25, 50, 75, 100)),
        ("factor_vae", (10, 20, 30, 40, 50, 100)),
        ("dip_vae_i", (1, 2, 5, 10, 20, 50)),
        ("dip_vae_ii", (1, 2, 5, 10, 20, 50)),
        ("beta_tcvae", (1, 2, 4, 6, 8, 10)),
    ],
)
def test_the_strengths_of_the_study_are_those_it_prints(name, strengths):
    """A Sober Look, table 3."""
    card = find_objective(name).card
    assert (card.swept, card.swept_in) == (strengths, "locatello2020, table 3")


@pytest.mark.parametrize("name", sorted(set(OBJECTIVES) - {"parted_vae", "parted_vae_semi"}))
def test_the_divergence_is_summed_over_codes_and_averaged_over_images(make_batch, name):
    batch = make_batch(objective=name)
    terms = _terms(name, batch)
    mean, variance = batch.mean, batch.logvar.exp()
    known = 0.5 * (mean**2 + variance - variance.log() - 1).sum(2).mean(1)
    torch.testing.assert_close(terms.kl, known)
    with pytest.raises(FrozenInstanceError):
        terms.kl = known


def test_members_keep_their_likelihood_factor(make_batch):
    whole = make_batch(likelihood_factor=16.0)
    torch.testing.assert_close(whole.members(slice(1, 3)).reconstruction, whole.reconstruction[1:])
    torch.testing.assert_close(whole.reconstruction, 16 * make_batch().reconstruction)


@pytest.mark.parametrize("name", ["weak_de", "parted_vae_semi"])
def test_a_tenth_of_the_images_is_labelled(name):
    assert find_objective(name).card.labels == 0.1
