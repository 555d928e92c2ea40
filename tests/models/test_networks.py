import numpy as np
import pytest
import torch
from reference_network import reference

from dbench.errors import InvalidInput, UnknownName
from dbench.models import NETWORKS, find_network
from dbench.models.stacked import glorot_uniform

NETWORK_CASES = [
    pytest.param(NETWORKS["mlp"](), id="mlp"),
    pytest.param(NETWORKS["mlp"](image_shape=(3, 5, 4), latents=3, hidden=(7,)), id="small mlp"),
    pytest.param(NETWORKS["mlp"](image_shape=(1, 4, 4), latents=2, hidden=()), id="linear mlp"),
    pytest.param(NETWORKS["conv"](), id="conv"),
    pytest.param(NETWORKS["conv"](image_shape=(3, 64, 64), latents=4), id="colour conv"),
]


@pytest.mark.parametrize("network", NETWORK_CASES)
def test_each_member_computes_what_an_ordinary_module_computes(network):
    drawn = [glorot_uniform(network.shapes, np.random.default_rng(i)) for i in range(3)]
    # Biases start at zero, where a misplaced one would not show.
    drawn = [{name: value + 0.01 * i for name, value in one.items()} for i, one in enumerate(drawn, 1)]
    stacked = {name: torch.stack([one[name] for one in drawn]) for name in network.shapes}
    x = torch.rand(3, 5, *network.image_shape, generator=torch.Generator().manual_seed(0))
    z = torch.randn(3, 5, network.latents, generator=torch.Generator().manual_seed(1))
    mean, logvar = network.encode(stacked, x)
    logits = network.decode(stacked, z)
    for i, parameters in enumerate(drawn):
        module = reference(network, parameters)
        torch.testing.assert_close(mean[i], module.encode(x[i])[0], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(logvar[i], module.encode(x[i])[1], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(logits[i], module.decode(z[i]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("network", NETWORK_CASES)
def test_weights_start_glorot_uniform_and_biases_at_zero(network):
    parameters = glorot_uniform(network.shapes, np.random.default_rng(0))
    for name, shape in network.shapes.items():
        values = parameters[name]
        assert values.shape == shape
        if name.endswith("bias"):
            assert (values == 0).all()
            continue
        fan_in, fan_out = (width * int(np.prod(shape[2:])) for width in shape[:2])
        bound = (6 / (fan_in + fan_out)) ** 0.5
        assert values.abs().max() <= bound
        if values.numel() > 1000:
            assert values.std() == pytest.approx(bound / 3**0.5, rel=0.05)


def test_an_unknown_network_is_refused_with_the_names_there_are():
    with pytest.raises(UnknownName, match="did you mean 'conv'"):
        find_network("convo")


def test_images_of_another_size_are_refused():
    with pytest.raises(InvalidInput, match="takes images of channels x 64 x 64"):
        NETWORKS["conv"](image_shape=(1, 32, 32))
