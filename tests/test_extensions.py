"""A metric, an objective and a data set are one new file and one line each, as CONTRIBUTING.md has it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(
    r'^```python title="(.+?)"\n(.*?)^```$', (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)
NEW = [Path(path).stem for path, _ in BLOCKS if not path.endswith("__init__.py")]
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
MARK = re.compile(r"^(pytestmark = |@)pytest\.mark\.extension$", re.MULTILINE)
MARKED = [path for path in TESTS if MARK.search(path.read_text("utf-8"))]


def add_line(path, line):
    """Put a line in its place among those of the same form: any words in the place of its words."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    form = re.sub(r"\w+", r"\\w+", re.escape(line))
    alike = [number for number, other in enumerate(lines) if re.fullmatch(form, other)]
    after = [number for number in alike if lines[number] > line]
    lines.insert(min(after, default=alike[-1] + 1), line)
    path.write_text("".join(lines), "utf-8")


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """Return what runs a command in a copy of the project with the three of CONTRIBUTING.md."""
    folder = tmp_path_factory.mktemp("copy")
    left = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "build", "reports", "store")
    shutil.copytree(ROOT, folder, ignore=left, dirs_exist_ok=True)
    for path, text in BLOCKS:
        if path.endswith("__init__.py"):
            add_line(folder / path, text)
        else:
            (folder / path).write_text(text, "utf-8")

    def run(*command):
        environment = os.environ | {"PYTHONPATH": str(folder), "PYTEST_ADDOPTS": ""}
        done = subprocess.run(
            [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.long
def test_the_three_pass_what_concerns_extensions_with_nothing_else_touched(extended):
    assert len(NEW) == 3
    assert all(text.count("\n") == 1 for _, text in BLOCKS[1::2])  # a line each, beside the file
    extended("tools/pages.py")
    where = [str(path.relative_to(ROOT)) for path in MARKED]
    chosen = ["-m", "extension", "-k", " or ".join(NEW)]
    output = extended("-m", "pytest", "-n", "0", "-v", "-p", "no:cacheprovider", *chosen, *where)
    for name in NEW:
        assert len(re.findall(rf"{name}.* PASSED", output)) >= 5, output


@pytest.mark.nightly
def test_with_the_three_all_of_make_test_passes(extended):
    extended("tools/pages.py")
    extended("tools/properties.py", "--new", "docs/properties.md")
    for lint in (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]):
        extended("-m", *lint)
    # The wheel and the installed command are of the project, not of the copy.
    others = ["--ignore=tests/test_extensions.py", "-k", "not from_a_wheel and not shipped_rules_are_frozen"]
    extended("-m", "pytest", "tests", "-n", "auto", "-p", "no:cacheprovider", *others)
