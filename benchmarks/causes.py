"""Test the causes that docs/verdicts.md names for findings that did not reproduce; docs/causes.md has what came out.

    python benchmarks/causes.py                                 lists the experiments
    python benchmarks/causes.py factor-vae                      runs one; several can be named
    python benchmarks/causes.py factor-vae --append FILE        keeps what it prints
    python benchmarks/causes.py factor-vae --store store/micro      takes the profile's own runs from a store
    python benchmarks/causes.py factor-vae --share 0.05 --seeds 1      rehearses it

Each experiment trains a few variants of the runs of the profile ``micro``, measures what the verdict turns on, and says
whether the named cause is supported. What it looks at and what counts as support stands in its docstring and was
written before it was run. Variants are trained with seeds from 1,000 on, which no profile uses; the profile's own runs,
where one is compared with, are all seeds of a store (`dbench zoo train --profile micro` makes one) or, without it,
trained as well. One thread, on a processor.
"""

import argparse
import inspect
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import causes_images
import causes_scores
import causes_sweeps
import torch
from causes_runs import EXPERIMENTS, Budget, Report

from dbench.zoo.store import Store

MODULES = (causes_sweeps, causes_images, causes_scores)  # each lists its experiments when it is imported


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Test the causes that docs/verdicts.md names.")
    parser.add_argument("experiments", nargs="*", help="names; without any, all are listed")
    parser.add_argument("--seeds", type=int, help="runs of each variant, instead of the experiment's own number")
    parser.add_argument("--share", type=float, default=1.0, help="of the steps of every run, for a rehearsal")
    parser.add_argument("--append", type=Path, metavar="FILE", help="also write everything to the end of this file")
    parser.add_argument("--store", metavar="DIR", help="trained runs of the profile micro")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.experiments) - set(EXPERIMENTS)):
        parser.error(f"experiments must be among {', '.join(EXPERIMENTS)}, got {', '.join(unknown)}")
    if options.seeds is not None and options.seeds < 1:
        parser.error(f"--seeds must be at least 1, got {options.seeds}")
    if not 0 < options.share <= 1:
        parser.error(f"--share must lie above 0 and not above 1, got {options.share}")
    if not options.experiments:
        for name, function in EXPERIMENTS.items():
            print(f"{name:16} {(function.__doc__ or '').partition(chr(10))[0]}")
        return
    torch.set_num_threads(1)
    report = Report(options.append)
    budget = Budget(options.seeds, options.share, Store(options.store, create=False) if options.store else None)
    for name in options.experiments:
        began = time.process_time()
        report.write(f"\n# {name}\n\n{inspect.getdoc(EXPERIMENTS[name])}")
        if options.share < 1:
            report.write(f"\nA rehearsal: {options.share:g} of the steps. Its findings mean nothing.")
        EXPERIMENTS[name](budget, report)
        report.write(f"\n{name} took {time.process_time() - began:.0f} s of processor time.")


if __name__ == "__main__":
    main()
