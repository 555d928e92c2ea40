"""What becomes of the report of an earlier session: only a full session replaces it, and none that judged nothing."""

from pathlib import Path

import pytest

INI = """
[pytest]
addopts = --import-mode=importlib -p no:cacheprovider
dbench_claims = claims
dbench_report = out/latest
"""
CLAIMS = """
from dbench.claims import Claim, above
from dbench.stats import exact

CARD = Claim(
    id="{claim}", role="primary", says="It holds.", where="1", evidence="synthetic", population="worlds",
    statistic="mean", rule=above(0.5), unit="world", quote="it holds",
)


@CARD.covers
def test_it_holds():
    {before}
    return exact(0.7, n=1)
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """Two claims in two files; run with arguments, it returns its exit status and the output."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makeini(INI)
    evidence = pytester.path / "evidence" / "micro"
    evidence.mkdir(parents=True)
    (evidence / "manifest.json").touch()  # enough to be found; no claim here reads it
    for name, claim in (("first", "flaws.xor"), ("second", "hownot.fact-1")):
        path = pytester.path / "claims" / name / f"test_{name}.py"
        path.parent.mkdir(parents=True)
        path.write_text(CLAIMS.format(claim=claim, before="pass"))

    def run(*arguments: str):
        done = pytester.runpytest_subprocess(*arguments, "--dbench-evidence=evidence", timeout=600)
        return int(done.ret), f"{done.stdout}\n{done.stderr}"

    return run


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.long
def test_only_a_full_session_replaces_a_full_report(project, pytester):
    project("claims")
    latest, beside = (pytester.path / "out" / name for name in ("latest", "latest-partial"))
    before = files(latest)
    assert {"index.html", "report.json", "report.md", "junit.xml"} <= set(before)

    for nothing in (["claims", "-k", "nowhere"], ["claims", "--collect-only"]):
        project(*nothing)
        assert files(latest) == before
        assert not beside.exists()

    _, text = project("claims", "-k", "first")
    assert files(latest) == before
    assert {"index.html", "report.json", "report.md", "junit.xml"} <= set(files(beside))
    assert b"claims -k first" in files(beside)["report.json"]
    assert "claims -k first" in next(line for line in text.splitlines() if line.startswith("Partial report:"))


def test_a_session_of_a_part_makes_no_folder_for_a_full_report(project, pytester):
    project("claims", "-k", "first")
    assert [path.name for path in (pytester.path / "out").iterdir()] == ["latest-partial"]


def test_a_session_that_is_stopped_leaves_the_full_report_as_it_was(project, pytester):
    latest, beside = (pytester.path / "out" / name for name in ("latest", "latest-partial"))
    latest.mkdir(parents=True)
    for name in ("index.html", "report.json", "junit.xml"):
        (latest / name).write_text("of a full session")
    before = files(latest)
    broken = CLAIMS.format(claim="flaws.xor", before="raise ValueError")
    (pytester.path / "claims" / "first" / "test_first.py").write_text(broken)
    project("claims", "-x")
    assert files(latest) == before
    assert b"ValueError" in files(beside)["junit.xml"]


def test_a_file_that_the_user_names_is_written_where_they_say(project, pytester):
    project("claims", "-k", "nowhere", "--junitxml=own.xml")
    assert (pytester.path / "own.xml").is_file()
