"""What cannot be done is refused before anything is computed, started or made for it."""

import sys

import pytest
from click.testing import CliRunner

from dbench.cli import main
from dbench.errors import InvalidInput
from dbench.zoo.plan import Setup

TWO = ["--data", "dsprites_grid_16", "--data", "color_dsprites_grid_16"]


def test_a_table_of_two_data_sets_is_refused_before_their_runs_are_compared(store, tmp_path, monkeypatch):
    compared = []
    monkeypatch.setattr("dbench.zoo.complete.score_population", lambda *_, **__: compared.append(True) or {})
    command = ["zoo", "table", "--store", store.url, "--objective", "beta_vae", "--out", str(tmp_path / "out")]
    two = CliRunner().invoke(main, [*command, *TWO])
    assert two.exit_code == 2
    assert "data must name one data set for a table, got color_dsprites_grid_16, dsprites_grid_16" in two.output
    assert not compared
    one = CliRunner().invoke(main, [*command, *TWO[:2], *TWO[:2]])  # the same one twice is one
    assert compared, one.output
    assert "is not trained to its end" in one.output


@pytest.mark.parametrize("device", ["cuda:9", "cuda:0", "mps", "CUDA"])
def test_a_cluster_is_not_asked_for_a_gpu_by_its_number(device, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)  # whoever tries to connect says that Ray is not installed
    command = ["zoo", "train", "--engine", "ray", "--device", device, "--store", str(tmp_path / "store")]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 2
    assert f"device must be cpu or cuda on a Ray cluster, which picks the GPUs, got '{device}'" in result.output
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("precision", ["float8", "tf32"])
def test_a_precision_that_no_node_has_is_refused_here(precision):
    with pytest.raises(InvalidInput, match=f"precision must be .*, got '{precision}'"):
        Setup(engine="ray", precision=precision)


def test_a_cluster_may_have_what_this_machine_lacks():
    assert Setup(engine="ray", device="cuda", precision="bfloat16").gpu_share == 1
