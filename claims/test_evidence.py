"""The evidence is real: anybody can retrain its runs from their keys alone and get the same scores."""

import pytest

from dbench.data.held_out import WITHOUT
from dbench.zoo.verify import verify_runs

# Fixed, so that a session says the same with any number of workers. The nightly job draws others by its date.
SEED, NUMBER = 0, 1


def test_shipped_runs_can_be_retrained(evidence_folder, remark):
    study, _, combination = evidence_folder.name.partition(WITHOUT)
    siblings = sorted(folder.name for folder in evidence_folder.parent.glob(f"{study}{WITHOUT}*"))
    if combination and evidence_folder.name != siblings[0]:
        pytest.skip(f"{siblings[0]} stands for the other combinations left out")
    comparison = verify_runs(evidence_folder, number=NUMBER, seed=SEED, workers=1)
    same = int(comparison["exact"].sum())
    remark(f"{NUMBER} run retrained: {same} of {len(comparison)} scores are the same to the last bit")
    wrong = comparison[~comparison["agrees"]]
    told = "; ".join(f"{r['name']} {r['score']} {r['table']:g} -> {r['retrained']:g}" for r in wrong.to_dict("records"))
    assert wrong.empty, f"{len(wrong)} scores differ beyond tolerance: {told}"
