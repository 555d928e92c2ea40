"""UDR, 'Unsupervised disentangled model selection', considerations 1 to 3: what the score should not notice."""

import numpy as np
import pytest

from dbench.claims import Claim, within
from dbench.metrics import udr, udr_pair
from dbench.seeds import generator
from dbench.stats import exact, mean_of

N_FACTORS = 5


# Each takes codes of a model and a stream, and returns what becomes of them and which codes stay informative.
def permuted(codes, rng):
    return codes[:, rng.permutation(codes.shape[1])], np.ones(codes.shape[1], dtype=bool)


def flipped(codes, rng):
    return codes * rng.choice([-1, 1], size=codes.shape[1]), np.ones(codes.shape[1], dtype=bool)


def subset(learnt):
    def forget(codes, rng):
        informative = np.arange(codes.shape[1]) < learnt
        residue = 1e-3 * rng.standard_normal(codes.shape)
        return np.where(informative, codes, residue), informative

    return forget


def rotated(codes, rng):
    """Mix the codes: no invariance of UDR, the counter-world of the first two."""
    return codes @ np.linalg.qr(rng.standard_normal((codes.shape[1],) * 2))[0], np.ones(codes.shape[1], dtype=bool)


CHANGES = {
    "permutation": permuted,
    "sign": flipped,
    "subset of 2": subset(2),
    "subset of 4": subset(4),
    "rotation": rotated,
}


INVARIANT = Claim.synthetic(
    id="udr.invariances",
    quote="In order for the UDR to be invariant to the first scenario, we propose calculating a full [...] similarity "
    "matrix [...] In order to address the second point, we take the absolute value of the similarity matrix [...] "
    "Finally, to address the third point, we divide the UDR score by the average number of the ground truth factors "
    "discovered by the two models",
    where="'Unsupervised disentangled model selection', considerations 1 to 3, equation 2",
    population="two models with five noisy monotone codes of the same five factors; noise varied between samples",
    deviations=(
        "A factor that is not learnt leaves a code without information: noise around the prior mean, masked by its KL.",
    ),
    statistic="UDR with the transformed model minus UDR with the model as it is",
    rule=within(-0.02, 0.02),
    source="lexicon: equal, of samples",
    demonstration=True,
    given={"samples": 10},
    false={"change": "rotation", "relation": "spearman"},
    # UDR is the Lasso variant unless the paper says otherwise.
    roles={"spearman": "cell"},
    revision=3,
)


@INVARIANT.covers
@pytest.mark.parametrize("relation", ["lasso", "spearman"])
@pytest.mark.parametrize("change", [name for name in CHANGES if name != "rotation"])
def test_udr_does_not_notice_the_change(relation, change, samples):
    def difference(stream):
        factors = stream.uniform(-1, 1, size=(2_000, N_FACTORS))
        first, second = np.sinh(factors) + 0.05 * stream.standard_normal((2, *factors.shape))
        everything = np.ones(N_FACTORS, dtype=bool)
        transformed, informative = CHANGES[change](second, stream)
        before = udr(np.stack([first, second]), np.stack([everything, everything]), relation=relation)
        after = udr(np.stack([first, transformed]), np.stack([everything, informative]), relation=relation)
        return float(after) - float(before)

    streams = [generator(claim=INVARIANT.id, relation=relation, sample=i) for i in range(samples)]
    return mean_of([difference(stream) for stream in streams])


CLOSED = INVARIANT.cell(
    "closed form",
    population="the relation matrix of exact copies of five factors",
    deviations=("Uninformative codes relate to nothing.",),
    unit="matrix",
    statistic="UDR of equation 2 in closed form, minus its value for the model as it is",
    rule=within(-1e-6, 1e-6),
    source="lexicon: exact",
    min_n=1,
    false={"change": "mixed"},
)


@CLOSED.covers
@pytest.mark.parametrize("change", ["permutation", "sign", "subset"])
def test_equation_2_does_not_notice_the_change(change):
    """A second model's codes are permuted, flipped, or two factors short; mixed where it would notice."""
    identity, everything = np.eye(N_FACTORS), np.ones(N_FACTORS, dtype=bool)
    learnt = np.arange(N_FACTORS) < (3 if change == "subset" else N_FACTORS)
    matrices = {"permutation": identity[:, ::-1], "sign": -identity, "subset": identity * learnt}
    matrix = matrices.get(change, np.full(identity.shape, 0.5))
    return exact(udr_pair(np.abs(matrix), everything, learnt) - udr_pair(identity, everything, everything))
