"""The programs that kill sweeps and nodes say in a line what they cannot do; at full size each is a command."""

import pytest
import torture
import torture_ray
from click.testing import CliRunner


@pytest.mark.parametrize("program", [torture, torture_ray])
@pytest.mark.parametrize("place", ["", "file"])
def test_a_folder_in_use_or_a_file_is_refused_before_anything_is_trained(tmp_path, program, place):
    if program is torture_ray:
        pytest.importorskip("ray", reason="Ray is not installed (pip install 'dbench[ray]')")
    (tmp_path / "file").write_text("here")
    ended = CliRunner().invoke(program.main, ["--store", str(tmp_path / place)])
    assert ended.exit_code == 2
    assert ended.output.startswith(f"{program.__name__}: folder must be empty or not there yet, got")
    assert len(ended.output.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("option", ["--losses", "--nodes", "--steps"])
def test_numbers_out_of_range_are_refused(option):
    ended = CliRunner().invoke(torture_ray.main, [option, "0"])
    assert ended.exit_code == 2
    assert option in ended.output
