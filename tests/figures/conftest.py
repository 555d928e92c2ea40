"""Worlds to draw: a small simulated zoo with every score, and a store of two runs whose codes are known."""

import numpy as np
import pytest
from simulation import Law, SimulatedPopulation, simulated_zoo

from dbench.data import load
from dbench.estimates.population import PopulationPair
from dbench.models import find_network
from dbench.models.stacked import glorot_uniform
from dbench.zoo.keys import RunKey
from dbench.zoo.scorers import protocol
from dbench.zoo.store import Store
from dbench_published.figures.models import Models, models_of_store

N_CODES, N_FACTORS, RUNS = 4, 3, 9
METRICS = (
    "beta_vae_metric", "factor_vae", "mig", "dci", "modularity", "sap", "irs", "med", "snc", "nk",
    "dci.completeness", "dci.informativeness",
)  # fmt: skip
KINDS = ("importance", "mutual_information", "predictability")
AGGREGATIONS = ("dci_disentanglement", "dci_completeness", "mig", "sap", "modularity")


def zoo(seed: int = 0) -> SimulatedPopulation:
    """Three seeds of two objectives at three strengths; all scores above 0, and all related."""
    positive = Law(mean=0.5, trend=0.3, loads={"quality": 0.1}, noise=0.1, shape=np.abs)
    names = [
        *METRICS,
        *(f"{prefix}.{m}" for prefix in ("again", "small", "small_again") for m in METRICS[:7]),
        *(f"blend.{kind}.{a}" for kind in KINDS for a in AGGREGATIONS),
        *(f"relation.{kind}.{j}.{i}" for kind in KINDS for j in range(N_FACTORS) for i in range(N_CODES)),
        *(f"downstream.{learner}.{n}" for learner in ("logistic", "trees") for n in (10, 100, 1000)),
        *("efficiency.logistic.100", "efficiency.trees.100", "reconstruction", "kl", "elbo", "alignment.collisions"),
        *(f"{score}.{kind}" for score in ("gaussian_tc", "mutual_information") for kind in ("mean", "sampled")),
        *(f"gaussian_tc.{kind}.active" for kind in ("mean", "sampled")),
        *(f"{score}.{i}" for score in ("kl", "irs.code") for i in range(N_CODES)),
        *(f"udr.{kind}{ending}" for kind in ("lasso", "spearman") for ending in ("", ".all")),
        *(f"udr.lasso.with.{n}" for n in range(RUNS)),
    ]
    objectives = {"beta_vae": (0.5, 1, 2), "dip_vae_i": (1, 5, 10)}
    laws = dict.fromkeys(names, positive)
    return simulated_zoo(laws, generator=np.random.default_rng(seed), seeds=RUNS // 3, objectives=objectives)


@pytest.fixture(scope="session")
def population() -> SimulatedPopulation:
    return zoo()


@pytest.fixture(scope="session")
def pair(population: SimulatedPopulation) -> PopulationPair:
    return PopulationPair(population, zoo(1))


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Two runs: seed 0 has a code for each factor and the higher MIG; seed 1 has mixtures."""
    place = Store(tmp_path_factory.mktemp("store") / "runs-of-two")
    data = load("dsprites_grid_16")
    factors = data.grid() / np.array(data.factor_sizes)
    network = find_network("mlp")(image_shape=data.image_shape)
    for seed, mixing in ((0, np.eye(5)), (1, np.eye(5) + 0.8)):
        key = RunKey("dsprites_grid_16", "beta_vae", 4.0, "mlp", 10, 8, 1e-3, seed)
        mean, logvar = (np.zeros((len(factors), network.latents), np.float32) for _ in range(2))
        mean[:, :5] = 3 * (factors - 0.5) @ mixing
        logvar[:, :5] = -4.0
        drawn = glorot_uniform(network.shapes, np.random.default_rng(seed))
        weights = {name: tensor.numpy() for name, tensor in drawn.items()}
        tensors = {"weights": weights, "codes": {"mean": mean, "logvar": logvar}}
        place.save(key, status="done", tensors=tensors, record={"scores": {}})
        place.write_document(
            "scores", {"scores": {"mig": 0.9 - 0.8 * seed, "elbo": -20.0, "irs.code": [0.5] * 10}}, key=key
        )
    return place


@pytest.fixture(scope="session")
def models(store: Store) -> Models:
    """The runs of the store, encoded by a tenth of the points: relations of codes and factors are as plain in them."""
    found = models_of_store(store)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "TRAIN", 1000)
        patch.setattr(protocol, "TEST", 500)
        for run in found.runs:
            assert len(run.encoded.sample) == 1500
    return found


@pytest.fixture(scope="session")
def subjects(population: SimulatedPopulation, pair: PopulationPair, models: Models) -> dict[str, object]:
    return {"unsupervised": population, "all": population, "pair": pair, "models": models}
