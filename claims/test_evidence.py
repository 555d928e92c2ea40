"""The evidence is real: its files are those that were shipped, and a run begins again as it began."""

import pytest

from dbench.errors import EvidenceLacking
from dbench.estimates.evidence import PINS, evidence_folders, unpinned, whole_data_folders
from dbench.zoo.table import load_runs
from dbench.zoo.verify import verify_start


def test_shipped_tables_are_those_pinned(pytestconfig):
    if pytestconfig.getoption("dbench_evidence"):
        pytest.skip("the evidence is not the one shipped")
    folders = evidence_folders()
    gone = sorted({line.split()[1].partition("/")[0] for line in PINS.read_text(encoding="utf-8").splitlines()})
    assert [folder.name for folder in folders] == gone
    assert not (wrong := unpinned(folders)), f"not as pinned in {PINS.name}: {', '.join(wrong)}"


@pytest.mark.long
def test_a_shipped_run_begins_as_it_began(pytestconfig, remark):
    if pytestconfig.getoption("dbench_retrain") == "none":
        pytest.skip("--dbench-retrain=none")
    folder = whole_data_folders(evidence_folders(pytestconfig.getoption("dbench_evidence")))[0]
    if ":" in load_runs(folder)["data"].iloc[0]:
        pytest.skip(f"the data set of {folder.name} is code of its own, which is run for those alone who train on it")
    try:
        comparison = verify_start(folder)
    except EvidenceLacking as missing:
        pytest.skip(str(missing))
    same = int((comparison["result"] == "same").sum())
    remark(f"1,000 steps of one run of {folder.name}: {same} of {len(comparison)} losses are the same to the last bit")
    wrong = comparison[comparison["result"] == "differs"]
    text = "; ".join(f"{r['name']} {r['score']} {r['table']:g} -> {r['retrained']:g}" for r in wrong.to_dict("records"))
    assert wrong.empty, f"{len(wrong)} losses differ beyond tolerance: {text}"
