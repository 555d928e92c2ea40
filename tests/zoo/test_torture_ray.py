"""The loss of nodes at full size is a command of its own; here what it refuses, before Ray is asked for anything."""

import pytest
from click.testing import CliRunner
from torture import small_plan
from torture_ray import lose_nodes, main

from dbench.errors import InvalidInput
from dbench.seeds import generator


def test_a_folder_in_use_is_refused(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed (pip install 'dbench[ray]')")
    (tmp_path / "mine").touch()
    with pytest.raises(InvalidInput, match="folder must be empty or not there yet, got"):
        lose_nodes(tmp_path, small_plan(), losses=1, nodes=2, generator=generator(test="ray"))
    ended = CliRunner().invoke(main, ["--store", str(tmp_path)])
    assert ended.exit_code == 2
    assert "torture_ray: folder must be empty" in ended.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("option", ["--losses", "--nodes", "--steps"])
def test_numbers_out_of_range_are_refused(option):
    ended = CliRunner().invoke(main, [option, "0"])
    assert ended.exit_code == 2
    assert option in ended.output
