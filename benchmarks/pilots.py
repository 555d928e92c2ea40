"""Choose the schedule of a profile and the discriminator of FactorVAE by pilots, by rules that see no disentanglement.

    python benchmarks/pilots.py schedule
    python benchmarks/pilots.py rate --data noisy_dsprites_grid_16
    python benchmarks/pilots.py discriminator
    python benchmarks/pilots.py moments

Seeds are 1,000 and 1,001, which no table may hold. Looked at are the evidence lower bound as trained, the divergence of
each code from the prior, and the discriminator's loss on draws it was not trained on. The rules, written before any of
these runs:

schedule
    Both ends of every objective's printed strengths, with each of SCHEDULES: a number of steps at a learning rate of
    1e-3, of which a last share brings the rate down to 0 in a straight line (cooldown).
    A schedule will do where the bound of every objective (mean over its ends and seeds) is within 2% of the best
    schedule's, and at most 5% of all codes lie between 0.001 and 0.1 nats. Chosen is the cheapest that will do; of two
    equally cheap ones the one with fewer such codes; where none will do, the one with the fewest.

rate
    Both ends of beta-VAE's printed strengths on a data set of the profile, with each of RATES. A unit of the encoder's
    first layer is dead if none of a thousand images moves it. Where more than a quarter of them are dead at the rate of
    the profile (mean over ends and seeds), the data set takes the rate with the best mean bound; elsewhere that stays.

discriminator
    FactorVAE at gamma 10 and 100, the schedule as chosen, with discriminators of different width and learning rate.
    What a discriminator misses is its loss on fresh codes, averaged over the last thousand steps, less that of a
    reference trained on the codes of the finished model (three layers of 64, 3,000 steps with a rate that falls to 0):
    it lags behind the model, or is led by noise.
    The one that misses least on average over both gammas and all seeds is chosen, among those whose bound is within 2%
    of the best one's at either gamma. One that costs less is preferred if it misses less than 0.005 nats more.

moments
    No choice: how far the codes of DIP-VAE-I are from what its penalty asks for, from far below the printed strengths
    up to the strongest, on the whole grid and in batches.
"""

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from dbench.models import Network
from dbench.models.objectives import find_card, find_objective
from dbench.models.objectives.dip_vae_i import batch_covariance, distance_from_identity
from dbench.models.objectives.discriminator import discriminate
from dbench.models.stacked import dense_shapes, glorot_uniform
from dbench.training import State, encode_grid, evaluate, train
from dbench.zoo.engine import images_of, member_of, network_of, settings_of
from dbench.zoo.keys import PILOT_SEEDS, RunKey
from dbench.zoo.profiles import PROFILES

SCHEDULES = ((20_000, 0.0), (20_000, 0.5), (20_000, 1.0), (40_000, 0.0), (40_000, 0.5))
"""Steps, and the share of them that is cooldown."""

RATES = (1e-3, 3e-4, 1e-4)

DISCRIMINATORS = {
    "3 x 64": ((64, 64, 64), 1.0),
    "3 x 64, rate 0.3": ((64, 64, 64), 0.3),
    "3 x 64, rate 0.1": ((64, 64, 64), 0.1),
    "3 x 256": ((256, 256, 256), 1.0),
    "3 x 256, rate 0.3": ((256, 256, 256), 0.3),
    "6 x 64": ((64,) * 6, 1.0),
}
"""Widths of the hidden layers, and the learning rate as a multiple of the model's."""

GAMMAS = (10, 100)
WEAK = (0.01, 0.05, 0.1, 0.5, 1, 10, 50)
INFORMATIVE = 0.01  # nats, from which a code counts
UNDECIDED = (0.001, 0.1)  # nats: codes between them are neither collapsed nor clearly informative


@dataclass(frozen=True)
class PilotResult:
    """What a group of pilots came to: bound as trained (M), divergence of each code (M x d), processor time a run."""

    bound: Tensor
    kl: Tensor
    seconds: float = 0.0

    @property
    def undecided(self) -> float:
        low, high = UNDECIDED
        return float(((self.kl > low) & (self.kl < high)).float().mean())


def keys_of(objective: str, strengths: Sequence[float], options: argparse.Namespace, **changed: object) -> list[RunKey]:
    """Return the pilots of an objective, the seeds of each strength side by side, as the profile would train them."""
    profile = PROFILES[options.profile]
    data = [options.data] if options.data else ()
    template = profile.runs(data=data, objectives=[objective], seeds=[PILOT_SEEDS[0]])[0]
    changed = {"steps": template.steps, **changed}
    changed["steps"] = round(changed["steps"] * options.share)  # type: ignore[call-overload,operator]
    seeds = PILOT_SEEDS[: options.seeds]
    return [replace(template, strength=s, seed=seed, **changed) for s in strengths for seed in seeds]  # type: ignore[arg-type]


def judge(keys: Sequence[RunKey], state: State, seconds: float = 0.0) -> PilotResult:
    _, images = images_of(keys[0].data)
    found = evaluate(state.parameters, images, state.network, generators=[key.generator("evaluate") for key in keys])
    return PilotResult(-(keys[0].likelihood_factor * found.reconstruction + found.kl.sum(1)), found.kl, seconds)


def schedule(options: argparse.Namespace) -> None:
    """Train both ends of every objective by each schedule."""
    objectives = options.objective or list(dict.fromkeys(key.objective for key in PROFILES[options.profile].runs()))
    print("objective | steps | cooldown | bound as trained, weakest and strongest | nats, likewise | codes | undecided")
    for name in objectives:
        swept = find_card(name).swept
        for steps, cooldown in SCHEDULES:
            keys = keys_of(name, (swept[0], swept[-1]), options, steps=steps, cooldown=cooldown)
            result = judge(keys, run(keys))
            counts = (result.kl > INFORMATIVE).sum(1)
            numbers = result.bound, result.kl.sum(1), counts
            cells = (", ".join(f"{x:.5g}" for x in part.tolist()) for part in numbers)
            print(" | ".join([name, str(steps), f"{cooldown:g}", *cells, f"{result.undecided:.3f}"]), flush=True)


def rate(options: argparse.Namespace) -> None:
    """Train both ends of beta-VAE at each learning rate, and count what is left of the encoder's first layer."""
    swept = find_card("beta_vae").swept
    print("rate | bound as trained, weakest and strongest | nats, likewise | codes | units of the first layer dead")
    for each in RATES:
        keys = keys_of("beta_vae", (swept[0], swept[-1]), options, learning_rate=each)
        state = run(keys)
        result = judge(keys, state)
        _, images = images_of(keys[0].data)
        chosen = torch.from_numpy(keys[0].generator("units").choice(len(images), 1000, replace=False))
        x = images[chosen].flatten(1).float() / 255
        answers = x @ state.parameters["encoder.0.weight"] + state.parameters["encoder.0.bias"].unsqueeze(1)
        dead = (answers <= 0).all(1).float().mean(1)
        numbers = result.bound, result.kl.sum(1), (result.kl > INFORMATIVE).sum(1), dead
        cells = (", ".join(f"{x:.5g}" for x in part.tolist()) for part in numbers)
        print(" | ".join([f"{each:g}", *cells]), flush=True)


def run(keys: Sequence[RunKey], *, network: Network | None = None, **settings: object) -> State:
    data, images = images_of(keys[0].data)
    everything = {**settings_of(keys, data), **settings}
    members, network = [member_of(key) for key in keys], network or network_of(keys[0], data)
    return train(members, images, network, steps=keys[0].steps, **everything)  # type: ignore[arg-type]


@contextmanager
def adversary_rate(rate: float) -> Iterator[None]:
    """Let the discriminator learn at another multiple of the run's rate."""
    function, card = find_objective("factor_vae"), find_card("factor_vae")
    function.card = replace(card, adversary_rate=rate)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        function.card = card  # type: ignore[attr-defined]


def discriminator(options: argparse.Namespace) -> None:
    """Train FactorVAE with each discriminator, and ask what each misses."""
    log2 = math.log(2)
    print("discriminator | gamma | misses | its loss - log 2 | reference's - log 2 | bound | nats | codes | s a run")
    for name, (widths, rate) in DISCRIMINATORS.items():
        keys = keys_of("factor_vae", GAMMAS, options)
        data, _ = images_of(keys[0].data)
        network = replace(network_of(keys[0], data), discriminator=widths)  # type: ignore[type-var]
        losses: list[Tensor] = []

        def look(state: State, keys: list[RunKey] = keys, losses: list[Tensor] = losses) -> None:
            if state.step > keys[0].steps - 1000:
                losses.append(cross_entropy(state.parameters, *draws(state, keys, f"test {state.step}")))

        start = time.process_time()
        with adversary_rate(rate):
            state = run(keys, network=network, each_block=look)
        result = judge(keys, state, (time.process_time() - start) / len(keys))
        own, reference = torch.stack(losses).mean(0), reference_loss(state, keys)
        for i, gamma in enumerate(GAMMAS):
            which = slice(i * options.seeds, (i + 1) * options.seeds)
            parts = (own - reference, own - log2, reference - log2)
            cells = [", ".join(f"{x:.4f}" for x in part[which].tolist()) for part in parts]
            cells += [", ".join(f"{x:.2f}" for x in part[which].tolist()) for part in (result.bound, result.kl.sum(1))]
            cells.append(", ".join(str(int(x)) for x in (result.kl[which] > INFORMATIVE).sum(1).tolist()))
            print(" | ".join([name, str(gamma), *cells, f"{result.seconds:.1f}"]), flush=True)


@torch.no_grad()
def draws(state: State, keys: Sequence[RunKey], stream: str, n: int = 4096) -> tuple[Tensor, Tensor]:
    """Draw codes of n images, and others each code of which is permuted on its own: M x n x d each."""
    _, images = images_of(keys[0].data)
    pairs = []
    for i, key in enumerate(keys):
        own = {name: values[i : i + 1] for name, values in state.parameters.items()}
        generator = key.generator(stream)
        rows = torch.from_numpy(generator.integers(len(images), size=2 * n))
        mean, logvar = (part[0] for part in encode_grid(own, images[rows], state.network))
        z = mean + (0.5 * logvar).exp() * torch.from_numpy(generator.standard_normal(mean.shape, dtype=np.float32))
        order = generator.permuted(np.broadcast_to(np.arange(n)[:, None], (n, z.shape[1])), axis=0)
        pairs.append((z[:n], z[n:].gather(0, torch.from_numpy(order))))
    joint, product = (torch.stack(part) for part in zip(*pairs, strict=True))
    return joint, product


def cross_entropy(parameters: dict[str, Tensor], joint: Tensor, product: Tensor) -> Tensor:
    """Return each member's cross-entropy of telling the two apart, in nats (M)."""
    first, second = (discriminate(parameters, "adversary", z) for z in (joint, product))
    surprises = F.softplus(first[..., 1] - first[..., 0]), F.softplus(second[..., 0] - second[..., 1])
    return 0.5 * sum(part.mean(1) for part in surprises)  # type: ignore[return-value]


def reference_loss(state: State, keys: Sequence[RunKey], steps: int = 3000) -> Tensor:
    """Return the loss, on fresh draws, of discriminators trained on the codes of finished models (M)."""
    shapes = dense_shapes("adversary", (state.network.latents, 64, 64, 64, 2))
    members = [glorot_uniform(shapes, key.generator("reference")) for key in keys]
    parameters = {name: torch.stack([one[name] for one in members]).requires_grad_() for name in shapes}
    optimiser = torch.optim.Adam(parameters.values(), lr=1e-3)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    joint, product = draws(state, keys, "reference draws", n=20_000)
    picks = keys[0].generator("reference batches")
    for _ in range(steps):
        rows = torch.from_numpy(picks.integers(joint.shape[1], size=256))
        optimiser.zero_grad()
        cross_entropy(parameters, joint[:, rows], product[:, rows]).sum().backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        decay.step()
    with torch.no_grad():
        return cross_entropy(parameters, *draws(state, keys, "reference test", n=20_000))


def moments(options: argparse.Namespace) -> None:
    """Train DIP-VAE-I at strengths from far below the printed ones, and measure what it penalises."""
    keys = keys_of("dip_vae_i", WEAK, options)
    state = run(keys)
    result = judge(keys, state)
    _, images = images_of(keys[0].data)
    mean, _ = encode_grid(state.parameters, images, state.network)
    generator = keys[0].generator("batches of moments")
    rows = torch.from_numpy(generator.integers(len(images), size=(200, 64)))
    print("lambda_od | off + 10 on the diagonal, grid | the same, mean of batches of 64 | bound | nats | codes")
    for i, key in enumerate(keys):
        off, diagonal = distance_from_identity(batch_covariance(mean[i : i + 1]))
        off_64, diagonal_64 = distance_from_identity(batch_covariance(mean[i][rows]))
        grid, batches = float(off + 10 * diagonal), float((off_64 + 10 * diagonal_64).mean())
        codes = int((result.kl[i] > INFORMATIVE).sum())
        nats = f"{float(result.bound[i]):.2f} | {float(result.kl[i].sum()):.2f}"
        print(f"{key.strength:g} | {grid:.3f} | {batches:.2f} | {nats} | {codes}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    trials = {trial.__name__: trial for trial in (schedule, rate, discriminator, moments)}
    parser.add_argument("trial", choices=trials)
    parser.add_argument("--profile", default="micro", choices=PROFILES)
    parser.add_argument("--data", help="the profile's first data set when not given")
    parser.add_argument("--objective", nargs="*", help="of the schedule; all when not given")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--share", type=float, default=1.0, help="of the steps, for a rehearsal")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    trials[options.trial](options)


if __name__ == "__main__":
    main()
