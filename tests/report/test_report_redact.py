"""A report travels; the folders of the machine that wrote it stay at home."""

import json

import pytest

from dbench.report import build_document
from dbench.report.redact import plain, redact

HOME = "/home/ann"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[Errno 2] No such file or directory: '/home/ann/x'", "[Errno 2] No such file or directory: '.../x'"),
        ("PosixPath('/home')", "PosixPath('.../home')"),
        ('File "/usr/lib/python3.11/os.py", line 3', 'File ".../os.py", line 3'),
        ("at /home/ann/a.py:12: in f", "at .../a.py:12: in f"),
        ("store=/home/ann/store", "store=.../store"),
        ("cannot read:/home/ann/store/", "cannot read:.../store"),
        ("(/home/ann/a, /home/ann/b)", "(.../a, .../b)"),
        ("~/secret/runs.parquet", ".../runs.parquet"),
        ("file:///home/ann/f.txt", ".../f.txt"),
        (r"C:\Users\ann\x.py and D:/Users/ann/y", ".../x.py and .../y"),
        (r"\\host\share\f.npz", ".../f.npz"),
    ],
)
def test_an_absolute_path_is_cut_down_to_its_last_name(text, shown):
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "claims/sober/test_5_3_variance.py::test_b[a/b]",
        "./fixtures/evidence/runs.parquet and ../store/x",
        "https://example.org/abs/1811.12359",
        "D and C reach at least 1 - 2 / log2 n; 3/4, 1/2/3, and/or, D/C/I",
        "I(z)/H(z)/2, per unit /n",
        r"\frac{a}{b} and 'a\b'",
        "'/'",
    ],
)
def test_other_strokes_are_left_alone(text):
    assert redact(text) == text


def test_every_text_of_nested_json_is_looked_at():
    nested = {f"{HOME}/a": [f"{HOME}/b", {"c": f"at {HOME}/d"}], "e": 0.5, "f": None, "g": True}
    assert plain(nested) == {".../a": [".../b", {"c": "at .../d"}], "e": 0.5, "f": None, "g": True}


def test_no_folder_of_this_machine_reaches_a_report(make_record):
    here = f"{HOME}/project/runs.parquet"
    texts = dict.fromkeys(("reason", "population", "expected_reason"), f"DamagedData: {here} does not match")
    record = make_record(verdict="broken", params={"table": here}, deviations=[here], nodeid=f"a::b[{here}]", **texts)
    check = {"nodeid": "a.py::test_c", "outcome": "failed", "detail": f"OSError: '{here}'", "seconds": 0.0}
    document = build_document([record], checks=[check], provenance={"store": {"table": here}}, selection=here)
    assert "ann/" not in json.dumps(document)
