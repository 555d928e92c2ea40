"""The shipped tables are pinned apart from their manifests: what is rewritten together does not pass."""

import hashlib
from types import SimpleNamespace

import pytest

from dbench.errors import DamagedData, InvalidInput
from dbench.estimates import evidence


@pytest.fixture
def check(claim_files, monkeypatch, tmp_path):
    """Run the check of ``pytest claims`` on shipped evidence of its own; returns the folder and the check."""
    folder = tmp_path / "evidence" / "micro"
    folder.mkdir(parents=True)
    for name in ("runs.parquet", "manifest.json"):
        (folder / name).write_text(name)
    pins = tmp_path / "evidence.sha256"
    files = sorted(folder.iterdir())
    pins.write_text("".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  micro/{p.name}\n" for p in files))
    monkeypatch.setattr(evidence, "PINS", pins)
    monkeypatch.setattr(evidence, "SHIPPED", folder.parent)
    module, options = claim_files["test_evidence"], SimpleNamespace(getoption=lambda name: None)
    monkeypatch.setattr(module, "PINS", pins)
    return folder, lambda: module.test_shipped_tables_are_those_pinned(options)


def test_no_claim_is_judged_on_a_table_that_was_edited(check):
    folder, _ = check
    (folder / "manifest.json").write_text("rewritten")
    with pytest.raises(
        DamagedData, match=r"edited after it was shipped: micro/manifest\.json is not as evidence\.sha256"
    ):
        evidence.load_population(folder)


@pytest.mark.parametrize("names", [("runs.parquet", "manifest.json"), ("added.parquet",)])
def test_a_table_and_its_manifest_rewritten_together_do_not_pass(check, names):
    folder, judge = check
    judge()
    for name in names:
        (folder / name).write_text("rewritten")
    with pytest.raises(AssertionError, match=rf"not as pinned in evidence\.sha256: .*micro/{names[0]}"):
        judge()


def test_a_table_that_was_never_shipped_is_not_there(check):
    folder, _ = check
    with pytest.raises(InvalidInput, match=r"runs must be a folder with .*, got .*mikro"):
        evidence.load_population(folder.with_name("mikro"))


def test_a_table_that_is_gone_does_not_pass(check):
    folder, judge = check
    (folder / "runs.parquet").unlink()
    with pytest.raises(AssertionError, match=r"not as pinned .* micro/runs\.parquet$"):
        judge()
