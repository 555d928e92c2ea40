"""A whole report is only ever replaced by a whole report."""

import errno
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.errors import DamagedData, DbenchError, InvalidInput
from dbench.report import build_document, read_report, write_report
from dbench.report import files as files_module
from dbench.report.files import prepare_folder, report_folder


@pytest.fixture
def whole(tmp_path, sample):
    write_report(tmp_path, sample)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_report_survives_the_round_trip(tmp_path, sample):
    written = write_report(tmp_path / "deep" / "er", sample)
    badges = [f"badge-{paper}.svg" for paper in ("flaws", "hownot", "irs", "sober", "udr")]
    assert sorted(path.name for path in written) == [*badges, "index.html", "report.json", "report.md"]
    assert read_report(tmp_path / "deep" / "er") == sample
    assert read_report(tmp_path / "deep" / "er" / "report.json") == sample
    assert (tmp_path / "deep" / "er" / "report.json").read_text().endswith("}\n")


def test_the_json_of_a_report_is_renamed_last_when_all_is_written(tmp_path, sample, renames):
    written = write_report(tmp_path, sample)
    assert renames == [(path.name, len(written) - number) for number, path in enumerate(written)]
    assert renames[-1] == ("report.json", 1)


def test_equal_documents_give_equal_bytes_whatever_the_order_of_their_keys(tmp_path, sample):
    turned = {key: sample[key] for key in reversed(sample)}
    turned["records"] = [{key: record[key] for key in reversed(record)} for record in sample["records"]]
    write_report(tmp_path / "a", sample)
    write_report(tmp_path / "b", turned)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_session_that_judged_nothing_writes_nothing(whole):
    before = contents(whole)
    assert write_report(whole, build_document([])) == []
    assert write_report(whole / "new", build_document([])) == []
    assert contents(whole) == before


def test_a_finding_is_looked_up_in_the_report_of_a_part_where_there_is_no_other(tmp_path, sample, monkeypatch):
    monkeypatch.chdir(tmp_path)
    show = ["claims", "show", "sober.tc-sampled-falls"]
    assert "Judge it: dbench claims run sober" in CliRunner().invoke(main, show).output
    write_report(tmp_path / "reports" / "latest-partial", sample)
    assert "Cite: dbench, sober.tc-sampled-falls" in CliRunner().invoke(main, show).output
    del sample["provenance"]["commit"]  # as the schema allows
    write_report(tmp_path / "reports" / "latest-partial", sample)
    assert "unknown commit" in CliRunner().invoke(main, show).output
    assert "Cite: " in CliRunner().invoke(main, [*show, "--report", "reports/latest-partial"]).output
    missing = CliRunner().invoke(main, [*show, "--report", "nowhere"])
    assert missing.exit_code == 2
    assert "must be a file or a directory with a report.json, got 'nowhere'" in missing.output


def test_a_run_calls_tests_as_pytest_does_from_the_root_of_a_checkout(monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "")
    monkeypatch.setattr(pytest, "main", lambda arguments: len(arguments))
    claims = Path(__file__).parents[2] / "claims"
    assert CliRunner().invoke(main, ["claims", "run", "irs"]).exit_code == 1
    options = os.environ["PYTEST_ADDOPTS"]
    for part in (f"--rootdir {claims.parent} ", f"dbench_claims={claims} ", f"dbench_frozen={claims}/frozen.json "):
        assert part in options


def test_an_expression_of_pytest_is_not_taken_for_a_paper(monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "")
    asked = []
    monkeypatch.setattr(pytest, "main", asked.append)
    claims = Path(__file__).parents[2] / "claims"
    monkeypatch.chdir(claims.parent)
    for given, passed in (
        (["-k", "irs"], ["-k", "irs", f"{claims}"]),
        (["hownot", "-k", "irs"], [f"{claims}/hownot", "-k", "irs"]),
        (["-n0", "hownot"], ["-n0", f"{claims}/hownot"]),
        (["--dbench-report=none", "hownot"], ["--dbench-report=none", f"{claims}/hownot"]),
        (["--dbench-report", "irs"], ["--dbench-report", "irs", f"{claims}"]),
        (["claims/hownot"], ["claims/hownot"]),
        (["-n0", "claims/hownot"], ["-n0", "claims/hownot"]),
        (["--log-file", "README.md"], ["--log-file", "README.md", f"{claims}"]),
    ):
        with pytest.raises(TypeError):  # there is no status, as nothing was judged
            CliRunner().invoke(main, ["claims", "run", *given], catch_exceptions=False)
        assert asked.pop() == passed


def test_a_paper_that_there_is_not_is_named(monkeypatch):
    monkeypatch.setattr(pytest, "main", lambda *_: pytest.fail("judged"))
    result = CliRunner().invoke(main, ["claims", "run", "hownott"])
    assert result.exit_code == 2
    assert "unknown paper 'hownott'; did you mean 'hownot'? Known: flaws, hownot, irs, sober, udr" in result.output


def test_a_report_of_the_folder_above_goes_beside_it_and_none_to_the_root(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert report_folder("..", complete=False) == tmp_path.with_name(f"{tmp_path.name}-partial")
    with pytest.raises(InvalidInput, match="must go to a folder with a name, got '/'"):
        prepare_folder("/")
    prepare_folder("x/y/z")
    assert not Path("x").exists()


def test_a_folder_that_two_sessions_make_at_once_is_fit_for_both(tmp_path, monkeypatch):
    write_through = files_module._write_through

    def beside_another(path, text):
        write_through(path, text)
        write_through(path.with_name("of-another"), text)

    monkeypatch.setattr(files_module, "_write_through", beside_another)
    prepare_folder(tmp_path / "x" / "y")
    assert (tmp_path / "x" / "y" / "of-another").exists()


def test_a_finding_is_judged_again_where_its_test_lies(tmp_path, sample, monkeypatch):
    monkeypatch.chdir(tmp_path)
    heading = next(one for one in sample["headings"] if one["claim"] == "sober.tc-sampled-falls")
    record = next(one for one in sample["records"] if one["nodeid"] == heading["record"])
    show = ["claims", "show", heading["claim"], "--report", str(tmp_path)]
    for at, again in (
        ("mine/test_a.py::test", "pytest 'mine/test_a.py::test'"),
        ("claims/hownot/test_2_2_mig.py::test", "dbench claims run -n0 'hownot/test_2_2_mig.py::test'"),
        ("dbench_claims/hownot/test_2_2_mig.py::test", "dbench claims run -n0 'hownot/test_2_2_mig.py::test'"),
    ):
        heading["record"] = record["nodeid"] = at
        write_report(tmp_path, sample)
        assert f"Again: {again}\n" in CliRunner().invoke(main, show).output


def test_a_report_that_others_wrote_is_looked_up_as_text(tmp_path, make_record):
    record = make_record(quote="red \x1b[31m", statistic="\u202eback", rule="a\x9bb", reason="\x1b]0;title\x07so")
    write_report(tmp_path, build_document([record]))
    found = CliRunner().invoke(main, ["claims", "show", record["claim"], "--report", str(tmp_path)])
    assert "The paper: " in found.output
    assert not any(mark in found.output for mark in ("\x1b", "\u202e", "\x9b", "\x07"))


@pytest.mark.parametrize("fails_at", ["index.html", "report.md", "report.json"])
@pytest.mark.parametrize(
    ("fault", "raised", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), DbenchError, "cannot write the report to .*: No space left"),
        (KeyboardInterrupt(), KeyboardInterrupt, None),
    ],
)
def test_a_stop_in_mid_write_leaves_the_old_report_whole(whole, sample, monkeypatch, fails_at, fault, raised, message):
    before = contents(whole)
    write_through = files_module._write_through

    def break_off(path, text):
        if fails_at in path.name:
            path.write_text(text[: len(text) // 2])
            raise fault
        write_through(path, text)

    monkeypatch.setattr(files_module, "_write_through", break_off)
    with pytest.raises(raised, match=message):
        write_report(whole, sample | {"checks": []})
    assert contents(whole) == before


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path, sample):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(DbenchError, match="cannot write the report to"):
        write_report(tmp_path / "taken", sample)


def test_text_no_encoding_can_hold_does_not_stop_a_report(tmp_path, make_record):
    document = build_document([make_record(reason="broken bytes \udcff and \x1b[31mcolour\x1b[0m and \x00")])
    write_report(tmp_path, document)
    assert read_report(tmp_path) == document
    assert "\x1b" not in (tmp_path / "report.md").read_text()


def test_a_missing_report_is_a_wrong_argument(tmp_path):
    with pytest.raises(InvalidInput, match=r"report must be a file or a directory with a report\.json, got"):
        read_report(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not strict JSON"),
        (b'{"schema": 1,', "not strict JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[]", "the document: \\[\\] is not of type 'object'"),
        (b'{"schema": 2}', "'provenance' is a required property"),
        (b'{"schema": 1, "findings": []}', "has schema 1, of an earlier dbench"),
        (b'{"schema": NaN}', "NaN is no finite number"),
        (b'{"schema": 1e999}', "is no finite number"),
        (b'{"schema": 1' + b"0" * 400 + b"}", "is no finite number"),
        (b"[" * 100_000, "not strict JSON"),
        (b"9" * 5_000, "not strict JSON"),
    ],
)
def test_a_damaged_report_is_told_from_a_wrong_path(tmp_path, text, message):
    (tmp_path / "report.json").write_bytes(text)
    with pytest.raises(DamagedData, match=message):
        read_report(tmp_path)


def test_records_of_which_no_heading_can_be_made_are_damage(whole):
    path = whole / "report.json"
    document = json.loads(path.read_text())
    for record in document["records"]:
        record |= {"n": None, "settles_at": 30, "verdict": "undecided"}
    path.write_text(json.dumps(document))
    with pytest.raises(DamagedData, match=r"report\.json"):
        read_report(whole)


FILTERED = {"estimate": 0.1, "interval": None, "n": 1, "verdict": "absent", "reason": ""}


@pytest.mark.parametrize("filtered", [FILTERED | {"left_out": [1]}, FILTERED | {"left_out": [1, 2], "interval": [0.1]}])
def test_records_that_the_schema_lets_pass_are_damage_all_the_same(whole, sample, filtered):
    records = [record | {"filtered": filtered} for record in sample["records"]]
    (whole / "report.json").write_text(json.dumps(sample | {"records": records}))
    with pytest.raises(DamagedData, match="records must be such as a heading can be made of"):
        read_report(whole)


def test_a_page_is_made_of_records_that_lack_what_the_schema_does_not_ask_for(tmp_path, make_document, sample):
    for record in sample["records"]:
        record |= {"all_units": FILTERED, "params": {"evidence_folder": ["a", "list"]}}
        for condition in record["regime"]:
            del condition["outside"]
    document = make_document(sample["records"], provenance=sample["provenance"])
    write_report(tmp_path, document)
    assert read_report(tmp_path) == document


def test_a_verdict_edited_by_hand_is_noticed(whole):
    path = whole / "report.json"
    document = json.loads(path.read_text())
    next(record for record in document["records"] if record["verdict"] == "broken")["verdict"] = "reproduced"
    path.write_text(json.dumps(document))
    with pytest.raises(DamagedData, match="headings must be those of its records"):
        read_report(whole)
