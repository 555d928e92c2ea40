import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
import torch
from scipy import special, stats

from dbench.errors import InvalidInput, UnknownName
from dbench.models.objectives import OBJECTIVES, beta_tcvae, beta_vae, find_objective, objective
from dbench.models.objectives.beta_tcvae import total_correlation
from dbench.models.objectives.gaussian import bernoulli_nll, gaussian_kl, gaussian_log_density

STRENGTHS = torch.tensor([1.0, 2.5, 6.0], dtype=torch.float64)


def test_the_reconstruction_of_known_pixels_is_the_sum_of_their_surprises():
    x = torch.tensor([1.0, 0.0, 0.25]).view(1, 1, 1, 1, 3)
    p = torch.tensor([0.8, 0.3, 0.5])
    by_hand = -(math.log(0.8) + math.log(0.7) + math.log(0.5))
    assert float(bernoulli_nll(x, p.logit().view_as(x))) == pytest.approx(by_hand, rel=1e-6)


def test_the_divergence_of_a_known_gaussian_is_the_closed_form():
    mean, sd = torch.tensor([1.0, 0.0, -2.0]), torch.tensor([1.0, 0.5, 3.0])
    by_hand = [0.5, math.log(2) + 0.125 - 0.5, -math.log(3) + (9 + 4) / 2 - 0.5]
    assert gaussian_kl(mean, 2 * sd.log()).tolist() == pytest.approx(by_hand, rel=1e-6)


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


def _weighted_sampling_by_loops(z, mean, sd, data_size):
    """Sampled total correlation, one density at a time."""
    images, codes = z.shape
    total = 0.0
    for i in range(images):
        density = np.array(
            [[stats.norm.pdf(z[i, k], mean[j, k], sd[j, k]) for k in range(codes)] for j in range(images)]
        )
        weight = 1 / (data_size * images)
        joint = np.log(weight * density.prod(axis=1).sum())
        product = sum(np.log(weight * density[:, k].sum()) for k in range(codes))
        total += (joint - product) / images
    return total


def test_the_total_correlation_is_weighted_sampling_with_its_weight_once_in_every_sum(make_batch):
    batch = make_batch(members=2, images=6, codes=3)
    ours = total_correlation(batch.z, batch.mean, batch.logvar, data_size=1000)
    for m in range(2):
        z, mean, sd = batch.z[m].numpy(), batch.mean[m].numpy(), (0.5 * batch.logvar[m]).exp().numpy()
        assert float(ours[m]) == pytest.approx(_weighted_sampling_by_loops(z, mean, sd, 1000), rel=1e-9)


@pytest.mark.parametrize("logvar", [0.0, -4.0, -9.0])
def test_exponentials_that_underflow_change_neither_the_total_correlation_nor_its_gradient(make_batch, logvar):
    """Against torch's own logsumexp; with narrow posteriors nearly every density of another image's code underflows."""
    batch = make_batch(members=2, images=6, codes=3)
    found = []
    for plain in (False, True):
        z, mean = (part.clone().requires_grad_() for part in (batch.z, batch.mean))
        spread = torch.full_like(mean, logvar)
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


def test_the_data_size_shifts_the_total_correlation_by_the_constant_of_all_codes_but_one(make_batch):
    batch = make_batch(codes=4)
    small, large = (total_correlation(batch.z, batch.mean, batch.logvar, data_size=n) for n in (100, 1000))
    np.testing.assert_allclose(large - small, 3 * math.log(10), rtol=1e-9)


def test_the_total_correlation_weights_every_pair_of_images_alike(make_batch):
    """Stratified weights misplaced into one column make it depend on which image comes first."""
    batch, order = make_batch(), torch.tensor([5, 2, 7, 0, 1, 6, 3, 4])
    value, shuffled = (
        total_correlation(z, mean, logvar, data_size=1000)
        for z, mean, logvar in (
            (batch.z, batch.mean, batch.logvar),
            (batch.z[:, order], batch.mean[:, order], batch.logvar[:, order]),
        )
    )
    np.testing.assert_allclose(shuffled, value, rtol=1e-9)


def test_the_gradient_of_the_total_correlation_does_not_depend_on_the_data_size(make_batch):
    """It would if the weight of an image entered the joint density once for each code."""
    gradients = []
    for size in (100, 1_000_000):
        batch = make_batch()
        leaves = [part.requires_grad_() for part in (batch.z, batch.mean, batch.logvar)]
        gradients.append(torch.autograd.grad(total_correlation(*leaves, data_size=size).sum(), leaves))
    for small, large in zip(*gradients, strict=True):
        torch.testing.assert_close(small, large)


def test_the_total_correlation_survives_posteriors_that_do_not_overlap():
    mean = torch.arange(16, dtype=torch.float32).view(1, 16, 1).expand(1, 16, 3) * 50
    value = total_correlation(mean, mean, torch.full_like(mean, -8.0), data_size=100)
    # Every image sees its own posterior alone: log q(z) = own density - log(N B), and so for each code.
    assert float(value) == pytest.approx(2 * math.log(100 * 16), rel=1e-4)


def test_copied_codes_have_more_total_correlation_than_independent_ones():
    g = torch.Generator().manual_seed(0)
    mean = torch.randn(1, 256, 2, generator=g)
    copied = mean[..., :1].expand(1, 256, 2)
    logvar = torch.full_like(mean, -3.0)
    noise = torch.randn(1, 256, 2, generator=g) * math.exp(-1.5)
    values = [total_correlation(m + noise, m, logvar, data_size=256) for m in (mean, copied)]
    assert float(values[1] - values[0]) > 0.5


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
        changed = replace(batch, logits=logits, z=z, mean=mean, logvar=logvar)
        return OBJECTIVES[name](changed, **{OBJECTIVES[name].card.strength: STRENGTHS[:2]}).loss

    assert torch.autograd.gradcheck(losses, leaves)


@pytest.mark.extension
@pytest.mark.parametrize("name", sorted(OBJECTIVES))
def test_a_members_terms_do_not_depend_on_its_company(name, make_batch):
    function = OBJECTIVES[name]
    batch = make_batch(objective=name)
    together = function(batch, **{function.card.strength: STRENGTHS})
    for m in range(3):
        alone = function(batch.members(slice(m, m + 1)), **{function.card.strength: STRENGTHS[m : m + 1]})
        assert torch.equal(alone.loss, together.loss[m : m + 1])
        if function.card.adversary is not None:
            assert torch.equal(alone.adversary_loss, together.adversary_loss[m : m + 1])


@pytest.mark.extension
@pytest.mark.parametrize("name", sorted(OBJECTIVES))
def test_a_likelihood_factor_multiplies_the_reconstruction_and_nothing_else(name, make_batch):
    function, batch = OBJECTIVES[name], make_batch(objective=name)
    plain, ours = (
        function(one, **{function.card.strength: STRENGTHS}) for one in (batch, replace(batch, likelihood_factor=16.0))
    )
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
    terms = find_objective(name)(batch, **{find_objective(name).card.strength: STRENGTHS})
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
def test_a_tenth_of_the_images_is_told(name):
    assert find_objective(name).card.labels == 0.1
