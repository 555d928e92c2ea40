import numpy as np
import pytest
import torch
from reference_network import reference
from scipy import special

from dbench.errors import InvalidInput
from dbench.models import NETWORKS
from dbench.models.stacked import glorot_uniform
from dbench.training import encode, encode_grid, evaluate

NETWORK = NETWORKS["mlp"](image_shape=(1, 4, 4), latents=3, hidden=(8,))


@pytest.fixture
def drawn():
    return [glorot_uniform(NETWORK.shapes, np.random.default_rng(i)) for i in range(2)]


@pytest.fixture
def parameters(drawn):
    return {name: torch.stack([one[name] for one in drawn]) for name in drawn[0]}


@pytest.fixture
def images():
    return torch.from_numpy(np.random.default_rng(0).integers(0, 256, size=(1500, 1, 4, 4), dtype=np.uint8))


@pytest.fixture
def evaluation(parameters, images):
    return evaluate(parameters, images, NETWORK, generators=[np.random.default_rng(i) for i in range(2)])


def test_codes_of_all_images_come_in_order_from_every_member(drawn, parameters, images):
    mean, logvar = encode_grid(parameters, images, NETWORK)
    assert mean.shape == logvar.shape == (2, 1500, 3)
    for i, one in enumerate(drawn):
        with torch.no_grad():
            expected = reference(NETWORK, one).encode(images.float() / 255)
        torch.testing.assert_close(mean[i], expected[0], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(logvar[i], expected[1], rtol=1e-4, atol=1e-5)


def test_the_evaluation_is_the_average_of_the_bounds_terms(parameters, images, evaluation):
    mean, logvar = (part.double().numpy() for part in encode_grid(parameters, images, NETWORK))
    kl = 0.5 * (mean**2 + np.exp(logvar) - logvar - 1)
    np.testing.assert_allclose(evaluation.kl, kl.mean(1), rtol=1e-5)
    noise = np.stack([np.random.default_rng(i).standard_normal((1500, 3), dtype=np.float32) for i in range(2)])
    z = torch.from_numpy(mean + np.exp(logvar / 2) * noise).float()
    logits, x = NETWORK.decode(parameters, z).double().numpy(), images.double().numpy() / 255
    nll = -(x * special.log_expit(logits) + (1 - x) * special.log_expit(-logits))
    np.testing.assert_allclose(evaluation.reconstruction, nll.sum((2, 3, 4)).mean(1), rtol=1e-5)
    np.testing.assert_allclose(evaluation.elbo, -(evaluation.reconstruction + evaluation.kl.sum(1)), rtol=1e-12)


def test_a_member_alone_has_its_evaluation_and_to_the_bit_its_codes(parameters, images, evaluation):
    second = {name: values[1:] for name, values in parameters.items()}
    alone = evaluate(second, images, NETWORK, generators=[np.random.default_rng(1)])
    torch.testing.assert_close(alone.reconstruction, evaluation.reconstruction[1:], rtol=1e-6, atol=0)
    pairs = zip(encode_grid(second, images, NETWORK), encode_grid(parameters, images, NETWORK), strict=True)
    assert all(torch.equal(mine, both[1:]) for mine, both in pairs)


@pytest.mark.parametrize("free", [10**5, 10**7])
def test_passes_of_any_size_give_the_same_evaluation(parameters, images, evaluation, monkeypatch, free):
    """As on a GPU, where memory decides how many images a member is given at once."""
    codes = encode_grid(parameters, images, NETWORK)
    monkeypatch.setattr(encode, "_images_in_a_pass", lambda images, members: free // (640 * 4 * members))
    parts = evaluate(parameters, images, NETWORK, generators=[np.random.default_rng(i) for i in range(2)])
    torch.testing.assert_close(parts.elbo, evaluation.elbo)
    torch.testing.assert_close(encode_grid(parameters, images, NETWORK), codes)


def test_input_that_does_not_fit_is_refused(parameters, images):
    with pytest.raises(InvalidInput, match="uint8"):
        encode_grid(parameters, images.float(), NETWORK)
    with pytest.raises(InvalidInput, match="one for each of 2 members, got 1"):
        evaluate(parameters, images, NETWORK, generators=[np.random.default_rng(0)])
