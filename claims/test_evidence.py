"""The evidence is real: anybody can retrain its runs from their keys alone and get the same scores."""

from dbench.zoo.verify import verify_runs

# Fixed, so that a session says the same with any number of workers. The nightly job draws others by its date.
SEED, NUMBER = 0, 1


def test_shipped_runs_can_be_retrained(evidence_folder, remark):
    comparison = verify_runs(evidence_folder, number=NUMBER, seed=SEED, workers=1)
    same = int(comparison["exact"].sum())
    remark(f"{NUMBER} run retrained: {same} of {len(comparison)} scores are the same to the last bit")
    wrong = comparison[~comparison["agrees"]]
    told = "; ".join(f"{r['name']} {r['score']} {r['table']:g} -> {r['retrained']:g}" for r in wrong.to_dict("records"))
    assert wrong.empty, f"{len(wrong)} scores differ beyond tolerance: {told}"
