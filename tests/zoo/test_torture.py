"""The program that kills sweeps says in a line what it cannot do."""

import pytest
from click.testing import CliRunner
from torture import main, small_plan, torture

from dbench import seeds
from dbench.errors import InvalidInput


def test_a_folder_in_use_is_refused_before_anything_is_trained(tmp_path):
    (tmp_path / "undisturbed").mkdir()
    with pytest.raises(InvalidInput, match="folder must be empty or not there yet"):
        torture(tmp_path, small_plan(), kills=1, generator=seeds.generator(purpose="test"))
    assert [path.name for path in tmp_path.iterdir()] == ["undisturbed"]


def test_a_file_in_place_of_the_folder_is_a_line_and_exit_code_2(tmp_path):
    (tmp_path / "file").write_text("here")
    result = CliRunner().invoke(main, ["--store", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert result.output.startswith("torture: folder must be empty")
    assert len(result.output.splitlines()) == 1
