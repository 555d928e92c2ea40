"""Try the strengths of an objective for a profile, by a rule that never looks at disentanglement.

    python benchmarks/strengths.py annealed_vae dip_vae_i dip_vae_ii
    python benchmarks/strengths.py beta_vae --strengths 0.5 1 2 4
    python benchmarks/strengths.py annealed_vae --strengths 0.5 16 --constant gamma=12.5

Each strength is trained as the profile trains it, with seeds from 1,000 on, which no profile uses. Looked at are the
divergence of each code from the prior, the evidence lower bound, and whether runs diverge, over the whole grid; a code
is informative where its divergence exceeds 0.01 nats. The rule, fixed before any of it was run:

1. The swept strengths of the paper stay where both ends are meaningful: at the weakest, more than half of the codes are
   informative (mean over seeds); at the strongest, at least one seed keeps two informative codes; and at neither end
   do all seeds diverge.
2. Otherwise they are replaced by a geometric series of six, in steps of 2 or of the square root of 2, between two ends
   that do meet it, and the profile states it as a deviation. Constants that are not swept stay unless every strength
   diverges.

Once the rule was departed from, after a first evidence: gamma of annealed_vae, at whose value in the study no strength
came near a plain VAE's lower bound (docs/benchmarks.md). Its strengths then follow rule 2.
"""

from __future__ import annotations

import argparse
import time

import torch

from dbench.models.objectives import find_card
from dbench.training import evaluate, train
from dbench.zoo.engine import images_of, member_of, network_of, settings_of
from dbench.zoo.keys import RunKey
from dbench.zoo.profiles import find_profile

INFORMATIVE = 0.01
FIRST_SEED = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description="Try the strengths of objectives for a profile.")
    parser.add_argument("objectives", nargs="+")
    parser.add_argument("--profile", default="micro")
    parser.add_argument("--data", help="data set; the profile's first when not given")
    parser.add_argument("--strengths", type=float, nargs="+", help="instead of those of the paper")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--constant", nargs="*", default=[], help="NAME=VALUE instead of the objective's own")
    options = parser.parse_args()
    constants = tuple((name, float(value)) for name, value in (given.split("=") for given in options.constant))

    profile = find_profile(options.profile)
    data_name = options.data or profile.data[0]
    data, images = images_of(data_name)
    for name in options.objectives:
        keys = [
            RunKey(
                data=data_name,
                objective=name,
                strength=strength,
                network=profile.network,
                steps=profile.steps,
                batch_size=profile.batch_size,
                learning_rate=profile.learning_rate,
                seed=FIRST_SEED + seed,
                constants=constants,
            )
            for strength in options.strengths or find_card(name).swept
            for seed in range(options.seeds)
        ]
        report(keys, images, network_of(keys[0], data), settings_of(keys, data))


def report(keys: list[RunKey], images: torch.Tensor, network, settings) -> None:
    start, last = time.process_time(), keys[0]
    state = train(
        [member_of(key) for key in keys],
        images,
        network,
        steps=last.steps,
        **settings,
    )
    seconds = (time.process_time() - start) / len(keys)
    found = evaluate(state.parameters, images, network, generators=[key.generator("evaluate") for key in keys])
    print(f"\n{last.objective} on {last.data}: {seconds:.1f} s of processor time a run")
    print(
        f"{'strength':>9} {'seed':>5} {'diverged':>9} {'elbo':>9} {'recon.':>8} {'kl':>8} {'codes':>6}  kl of each code"
    )
    for i, key in enumerate(keys):
        kl = found.kl[i].sort(descending=True).values
        line = f"{key.strength:9g} {key.seed:5d} {int(state.diverged_at[i]):9d} {float(found.elbo[i]):9.2f} "
        line += f"{float(found.reconstruction[i]):8.2f} {float(kl.sum()):8.2f} {int((kl > INFORMATIVE).sum()):6d}  "
        print(line + " ".join(f"{value:.2f}" for value in kl.tolist()), flush=True)


if __name__ == "__main__":
    main()
