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
from dbench.models.objectives.registry import ObjectiveCard
from dbench.study import SWEPT

STRENGTHS = torch.tensor([1.0, 2.5, 6.0], dtype=torch.float64)


def _terms(name, batch, strengths=STRENGTHS):
    return OBJECTIVES[name](batch, **{OBJECTIVES[name].card.strength: strengths})


def test_the_log_density_is_that_of_a_normal_law():
    z, mean, sd = (np.array(v) for v in ([0.3, -4.0], [0.1, 2.0], [0.02, 1.5]))
    ours = gaussian_log_density(*(torch.from_numpy(v) for v in (z, mean, 2 * np.log(sd))))
    np.testing.assert_allclose(ours.numpy(), stats.norm.logpdf(z, mean, sd), rtol=1e-10)


def test_pixels_are_summed_and_images_averaged(make_batch):
    batch = make_batch()
    terms = beta_vae(batch, beta=STRENGTHS)
    x, p = batch.x.numpy(), special.expit(batch.logits.numpy())
    nll = -(x * np.log(p) + (1 - x) * np.log1p(-p))
    np.testing.assert_allclose(terms.reconstruction, nll.sum((2, 3, 4)).mean(1), rtol=1e-10)
    np.testing.assert_allclose(terms.loss, terms.reconstruction + STRENGTHS * terms.kl, rtol=1e-10)


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


def test_beta_tcvae_weights_the_total_correlation_and_nothing_else(make_batch):
    batch = make_batch()
    low, high = (beta_tcvae(batch, beta=torch.full((3,), b, dtype=torch.float64)) for b in (2.0, 5.0))
    np.testing.assert_allclose(high.loss - low.loss, 3 * low.others["total_correlation"], rtol=1e-9)


# weak_de teaches heads from codes that are to get no gradient of it: see test_weak_de.py.
@pytest.mark.extension
@pytest.mark.parametrize("name", sorted(set(OBJECTIVES) - {"weak_de"}))
def test_gradients_are_those_of_finite_differences(name, make_batch):
    batch = make_batch(members=2, images=4, codes=3, objective=name)
    codes = {part: getattr(batch, part) for part in ("logits", "z", "mean", "logvar")}
    heads = {head: values for head, values in batch.extra.items() if head.startswith("head.")}

    def losses(*values):
        changed = dict(zip([*codes, *heads], values, strict=True))
        extra = {**batch.extra, **{head: changed.pop(head) for head in heads}}
        return _terms(name, replace(batch, extra=extra, **changed), STRENGTHS[:2]).loss

    leaves = [*codes.values(), *heads.values()]
    assert torch.autograd.gradcheck(losses, [leaf.requires_grad_() for leaf in leaves])


@pytest.mark.parametrize("name", ["beta_tcvae", "dip_vae_i", "dip_vae_ii", "factor_vae", "mtd"])
def test_at_its_plain_strength_an_objective_is_the_plain_vae(name, make_batch):
    batch = make_batch(objective=name)
    plain = beta_vae(batch, beta=torch.ones(3, dtype=torch.float64))
    weakest = torch.full_like(STRENGTHS, OBJECTIVES[name].card.plain_at)
    assert torch.equal(_terms(name, batch, weakest).loss, plain.loss)


@pytest.mark.extension
@pytest.mark.parametrize("name", sorted(OBJECTIVES))
def test_a_members_terms_do_not_depend_on_the_others(name, make_batch):
    batch = make_batch(objective=name, likelihood_factor=16.0)
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
    assert len(set(function.card.swept)) == (6 if name in SWEPT else 2)
    assert function.card.summary.endswith(".")


# Label, strengths swept (those of the study as its table 3 prints them), strength of the plain VAE, constants, labels.
DECLARED = {
    "annealed_vae": ("AnnealedVAE", (5, 10, 25, 50, 75, 100), None, {"gamma": 1000.0}, None),
    "beta_tcvae": ("β-TCVAE", (1, 2, 4, 6, 8, 10), 1, {}, None),
    "beta_vae": ("β-VAE", (1, 2, 4, 6, 8, 16), 1, {}, None),
    "dip_vae_i": ("DIP-VAE-I", (1, 2, 5, 10, 20, 50), 0, {}, None),
    "dip_vae_ii": ("DIP-VAE-II", (1, 2, 5, 10, 20, 50), 0, {}, None),
    "factor_vae": ("FactorVAE", (10, 20, 30, 40, 50, 100), 0, {}, None),
    "mtd": ("MTD", (1, 10), 0, {}, None),
    "parted_vae": ("PartedVAE", (0.25, 1), None, {}, None),
    "parted_vae_semi": ("PartedVAE semi", (0.25, 1), None, {}, 0.1),
    "weak_de": ("WeakDE", (10, 50), None, {}, 0.1),
}

LARGER = {"annealed_vae": "regularises less", "mtd": "holds codes to labels more"}
LARGER["weak_de"] = "holds codes to regions more"


@pytest.mark.parametrize("name", DECLARED)
def test_an_objective_declares_what_is_written_here(name):
    card = OBJECTIVES[name].card
    assert (card.label, card.swept, card.plain_at, dict(card.constants), card.labels) == DECLARED[name]
    assert card.larger == LARGER.get(name, "regularises more")
    assert (card.swept_in == "locatello2020, table 3") == (name in SWEPT)
    assert card.pitfalls
    assert ObjectiveCard.adversary_rate == 1  # unless it says otherwise


def test_names_of_objectives_are_unique_and_unknown_ones_refused():
    def beta_vae(batch, *, beta):
        """Take the name of another."""

    with pytest.raises(InvalidInput, match="unique"):
        objective(cite="nobody", strength="beta", swept=(1,), swept_in="nowhere")(beta_vae)
    with pytest.raises(UnknownName, match="did you mean 'beta_vae'"):
        find_objective("beta_vea")


@pytest.mark.parametrize("name", sorted(set(OBJECTIVES) - {"parted_vae", "parted_vae_semi"}))
def test_the_divergence_is_summed_over_codes_and_averaged_over_images(make_batch, name):
    batch = make_batch(objective=name)
    terms = _terms(name, batch)
    mean, variance = batch.mean, batch.logvar.exp()
    known = 0.5 * (mean**2 + variance - variance.log() - 1).sum(2).mean(1)
    torch.testing.assert_close(terms.kl, known)
    with pytest.raises(FrozenInstanceError):
        terms.kl = known
