"""A session takes the fingerprint of the cards that it judges: one that is not as it was frozen does not pass."""

import hashlib
import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from forked import run_forked

from dbench.estimates.evidence import SHIPPED

SOURCE = """
CARD = card(part="a", confidence={level})

@CARD.covers
def test_holds():
    return around(0.8)
"""


@pytest.fixture
def frozen(session, pytester):
    """Freeze a card, and return what judges it in the same or another form."""
    session(SOURCE.format(level=0.95), "-n0")
    assert run_forked("dbench", ["claims", "freeze"], pytester.path, pytester.path / "said.txt") == 0
    return lambda source, *arguments: session(source, "-n0", "--dbench-frozen=claims/frozen.json", *arguments)


def test_a_card_passes_as_it_was_frozen_and_changed_by_hand_only_in_a_session_that_is_told_so(frozen):
    done = frozen(SOURCE.format(level=0.95))
    assert (done.code, done.records["test_holds"]["unfrozen"]) == (0, "")

    done = frozen(SOURCE.format(level=0.9))
    assert done.code == 1
    line = "card 'flaws.xor / synthetic / a' is not as it was frozen: confidence is 0.9, was 0.95"
    assert f"{line}; dbench claims freeze" in done.records["test_holds"]["reason"]
    assert sum(shown.startswith(f"{line}; dbench claims freeze") for shown in done.text.splitlines()) == 1

    told = frozen(SOURCE.format(level=0.9), "--dbench-unfrozen=allow")
    record = told.records["test_holds"]
    assert (told.code, record["verdict"]) == (0, "reproduced")
    assert (record["unfrozen"], record["unconfirmed"]) == (line, True)


def test_a_card_that_nobody_froze_is_refused_and_one_that_is_gone_is_named(frozen):
    done = frozen(SOURCE.format(level=0.95).replace('part="a"', 'part="b"'))
    assert done.code == 1
    assert "card 'flaws.xor / synthetic / b' is not frozen" in done.records["test_holds"]["reason"]
    assert "frozen, and no test covers it: card 'flaws.xor / synthetic / a'" in done.text


def test_evidence_at_fault_is_one_line_and_no_traceback(session):
    done = session(
        """
import pytest
from dbench.errors import DamagedData

@card(part="a", roles={"aside": "probe"}).covers
@pytest.mark.parametrize("case", [1, 2], ids=["own", "aside"])
def test_holds(case):
    raise DamagedData("evidence was edited: micro/runs.parquet")
""",
        "-n0",
    )
    assert done.code == 1
    own, aside = (done.records[f"test_holds[{case}]"] for case in ("own", "aside"))
    assert own["reason"] == aside["reason"] == "evidence was edited: micro/runs.parquet"
    assert [(one["role"], one["params"]) for one in (own, aside)] == [("cell", {"case": 1}), ("probe", {"case": 2})]
    assert "Traceback" not in done.text
    assert done.verdicts == {"test_holds[own]": "broken", "test_holds[aside]": "broken"}


OF_A_TABLE = """
from pathlib import Path

from dbench.estimates import evidence

evidence.SHIPPED = Path("evidence").resolve()

@pytest.fixture
def population():
    return evidence.load_population(evidence.SHIPPED / "{name}")

@card(evidence="zoo").covers
def test_holds(population):
    return around(population.scores("mig", "beta_vae").mean() + 1)
"""


def test_one_number_of_a_table_changed_by_hand_is_red_in_a_session_of_one_file(session, pytester):
    name = "novel-dsprites_grid_16-without-shape0-scale0"
    folder = shutil.copytree(SHIPPED / name, pytester.path / "evidence" / name)
    arguments = (OF_A_TABLE.format(name=name), "-n0", f"--dbench-evidence=evidence/{name}")
    assert session(*arguments).verdicts == {"test_holds": "reproduced"}

    def assert_red():
        done = session(*arguments)
        assert (done.code, done.verdicts) == (1, {"test_holds": "broken"})
        (line,) = (line for line in done.text.splitlines() if line.startswith("evidence was edited"))
        assert f"{name}/runs.parquet" in line
        assert "is not as evidence.sha256 has it" in line
        assert "Traceback" not in done.text

    path, table = folder / "runs.parquet", pq.read_table(folder / "runs.parquet")
    values = table["value"].to_pylist()
    values[values.index(max(values))] += 1e-6
    pq.write_table(table.set_column(table.schema.get_field_index("value"), "value", pa.array(values)), path)
    assert_red()
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert_red()
