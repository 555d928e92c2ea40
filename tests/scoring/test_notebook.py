"""The notebook of the docs runs from a fresh kernel, and shows what it says."""

import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def outputs(notebook):
    found = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    text = "".join("".join(output.get("text", "")) for output in found)
    return text, sum("image/png" in output.get("data", {}) for output in found)


def test_what_is_shown_on_the_site_was_run_to_its_end():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    ran = [cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert ran == list(range(1, len(ran) + 1))
    text, pictures = outputs(notebook)
    assert "fail  compactness[factors copied twice]" in text
    assert pictures == 4


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")  # a kernel warns that it listens without encryption
def test_the_notebook_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="the extra 'dev' (nbclient, ipykernel) is not installed")
    nbclient = pytest.importorskip("nbclient", reason="the extra 'dev' (nbclient, ipykernel) is not installed")
    pytest.importorskip("ipykernel", reason="the extra 'dev' (nbclient, ipykernel) is not installed")
    notebook = nbformat.read(NOTEBOOK, 4)
    resources = {"metadata": {"path": tmp_path}}
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    text, pictures = outputs(notebook)
    assert "arrays: 5,000 observations, 10 codes, 5 factors" in text
    assert "fail  compactness[factors copied twice]" in text
    assert pictures == 4
