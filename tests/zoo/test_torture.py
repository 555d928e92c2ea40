"""The programs that kill sweeps and nodes say in a line what they cannot do; at full size each is a command."""

import pytest
import torture
import torture_ray
from click.testing import CliRunner
from torture import small_plan

from dbench import seeds
from dbench.errors import InvalidInput


def _kill(folder):
    torture.torture(folder, small_plan(), kills=1, generator=seeds.generator(purpose="test"))


def _lose_nodes(folder):
    pytest.importorskip("ray", reason="Ray is not installed (pip install 'dbench[ray]')")
    torture_ray.lose_nodes(folder, small_plan(), losses=1, nodes=2, generator=seeds.generator(purpose="test"))


@pytest.mark.parametrize(("program", "run"), [(torture, _kill), (torture_ray, _lose_nodes)])
def test_a_folder_in_use_is_refused_before_anything_is_trained(tmp_path, program, run):
    (tmp_path / "undisturbed").mkdir()
    with pytest.raises(InvalidInput, match="folder must be empty or not there yet, got"):
        run(tmp_path)
    ended = CliRunner().invoke(program.main, ["--store", str(tmp_path)])
    assert ended.exit_code == 2
    assert f"{program.__name__}: folder must be empty" in ended.output
    assert [path.name for path in tmp_path.iterdir()] == ["undisturbed"]


def test_a_file_in_place_of_the_folder_is_a_line_and_exit_code_2(tmp_path):
    (tmp_path / "file").write_text("here")
    result = CliRunner().invoke(torture.main, ["--store", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert result.output.startswith("torture: folder must be empty")
    assert len(result.output.splitlines()) == 1


@pytest.mark.parametrize("option", ["--losses", "--nodes", "--steps"])
def test_numbers_out_of_range_are_refused(option):
    ended = CliRunner().invoke(torture_ray.main, [option, "0"])
    assert ended.exit_code == 2
    assert option in ended.output
