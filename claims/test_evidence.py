"""The evidence is real: its files are those that were shipped, and a run begins again as it began."""

import hashlib
from pathlib import Path

import pytest

from dbench.claims.evidence import evidence_folders, whole_data_folders
from dbench.errors import EvidenceLacking
from dbench.zoo.table import load_runs
from dbench.zoo.verify import verify_start

# Checksums of all tables shipped: a table and its manifest that were rewritten together do not pass.
# Made anew by: (cd fixtures/evidence && sha256sum */*.json */*.parquet */*.safetensors) > claims/evidence.sha256
PINS = Path(__file__).with_name("evidence.sha256")


def test_shipped_tables_are_those_pinned(pytestconfig):
    if pytestconfig.getoption("dbench_evidence"):
        pytest.skip("the evidence is not the one shipped")
    pinned = dict(line.split()[::-1] for line in PINS.read_text(encoding="utf-8").splitlines())
    files = [path for folder in evidence_folders() for path in folder.iterdir() if path.suffix != ".md"]
    found = {f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    wrong = sorted(name for name in found.keys() | pinned.keys() if found.get(name) != pinned.get(name))
    assert not wrong, f"not as pinned in {PINS.name}: {', '.join(wrong)}"


def test_a_shipped_run_begins_as_it_began(pytestconfig, remark):
    if pytestconfig.getoption("dbench_retrain") == "none":
        pytest.skip("--dbench-retrain=none")
    folder = whole_data_folders(evidence_folders(pytestconfig.getoption("dbench_evidence")))[0]
    if ":" in load_runs(folder)["data"].iloc[0]:
        pytest.skip(f"the data set of {folder.name} is code of its own, which is run for those alone who train on it")
    try:
        comparison = verify_start(folder)
    except EvidenceLacking as lacking:
        pytest.skip(str(lacking))
    same = int(comparison["exact"].sum())
    remark(f"1,000 steps of one run of {folder.name}: {same} of {len(comparison)} losses are the same to the last bit")
    wrong = comparison[~comparison["agrees"]]
    text = "; ".join(f"{r['name']} {r['score']} {r['table']:g} -> {r['retrained']:g}" for r in wrong.to_dict("records"))
    assert wrong.empty, f"{len(wrong)} losses differ beyond tolerance: {text}"
