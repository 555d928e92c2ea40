"""Imports run one way, as docs/design.md has it, also those beside the package; and the plugin stays light."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "dbench"
# The path of the data, in the order of the table; a row below may import from the rows above it.
ROOMS = re.findall(r"^\| `dbench\.(\w+)` \|", (ROOT / "docs" / "design.md").read_text(encoding="utf-8"), re.MULTILINE)
# What every room may use.
GROUND = {"errors", "files", "outside", "provenance", "seeds", "shown", "stats", "study"}
# The last column of the table, rooms and libraries.
UNKNOWN = {
    "models": {"data"},
    "codes": {"models", "training", "torch"},
    "metrics": {"data", "models", "training"},
    "constructions": {"models", "training"},
    "audit": {"models", "training"},
    "scoring": {"zoo", "claims"},
} | {room: {"pytest"} for room in ("zoo", "claims", "report")}

READ_BY = {"dbench/codes/containers.py": {"torch"}}  # a format's own library, for files alone


def imports(source: str) -> set[str]:
    """Dotted names of all imports, those inside functions included."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute in this project"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def of_room(name: str) -> dict[str, set[str]]:
    """Imports of a package, or of a module, by file."""
    files = [*(PACKAGE / name).rglob("*.py")] or [PACKAGE / f"{name}.py"]
    return {str(path.relative_to(ROOT)): imports(path.read_text(encoding="utf-8")) for path in files}


def rooms_in(imported: set[str]) -> set[str]:
    names = {name.split(".")[1] for name in imported if name.startswith("dbench.")}
    return {name for name in names if not name.startswith("__")}


def tops_in(imported: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in imported}


def test_the_table_names_every_package_once():
    assert sorted(ROOMS) == sorted({path.parent.name for path in PACKAGE.glob("*/__init__.py")} - GROUND)


@pytest.mark.parametrize("room", [*ROOMS, *sorted(GROUND)])
def test_a_package_imports_only_from_those_above_it_and_what_every_package_may_use(room):
    allowed = GROUND.union(ROOMS[: ROOMS.index(room) + 1] if room in ROOMS else [])
    wrong = {file: sorted(rooms_in(names) - allowed) for file, names in of_room(room).items()}
    assert {file: names for file, names in wrong.items() if names} == {}


@pytest.mark.parametrize("room", UNKNOWN)
def test_a_package_does_not_import_what_it_must_not_know(room):
    wrong = {file: (rooms_in(names) | tops_in(names)) & UNKNOWN[room] for file, names in of_room(room).items()}
    assert {file: names for file, names in wrong.items() if names - READ_BY.get(file, set())} == {}


def programs(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def tops_of(path: Path) -> set[str]:
    return tops_in(imports(path.read_text(encoding="utf-8")))


def test_the_package_imports_nothing_that_stands_beside_it():
    beside = {path.stem for folder in ("benchmarks", "tests", "tools") for path in programs(folder)}
    beside |= {"benchmarks", "claims", "dbench_claims", "dbench_fixtures", "dbench_published", "tests", "tools"}
    wrong = {str(path.relative_to(ROOT)): found for path in programs("dbench") if (found := tops_of(path) & beside)}
    assert wrong == {}


def test_fixtures_hold_files_only():
    for path in programs("fixtures"):
        (only,) = ast.parse(path.read_text(encoding="utf-8")).body
        assert isinstance(only, ast.Expr), path


@pytest.mark.parametrize("folder", ["benchmarks", "claims", "published", "tests", "tools"])
def test_nothing_imports_a_test_or_a_fixture(folder):
    wrong = {path.stem for path in programs("tests") if folder != "tests" or path.stem.startswith("test_")}
    for path in programs(folder):
        assert not tops_of(path) & (wrong | {"dbench_fixtures", "tests"}), path


def test_the_picture_shows_every_package_and_every_arrow():
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    lines = re.findall(
        r"^(\w+) +(?:.*?)(?:<- (.*))?$", text.partition("```text\n")[2].partition("```")[0], re.MULTILINE
    )
    shown = {room: set(arrows.split()) for room, arrows in lines}
    there = {name: set().union(*map(rooms_in, of_room(name).values())) - GROUND - {name} for name in ROOMS}
    assert shown == there


def test_claims_do_not_train():
    for path in (ROOT / "claims").rglob("*.py"):
        assert not rooms_in(imports(path.read_text(encoding="utf-8"))) & {"training", "models"}, path.name


def test_an_import_against_the_direction_is_seen():
    source = "import dbench.report\ndef f():\n    from dbench.zoo.store import Store\n    from dbench import claims\n"
    assert rooms_in(imports(source)) == {"report", "zoo", "claims"}


# Neither does the command: tests/cli.
@pytest.mark.parametrize(
    ("module", "heavy"),
    [("dbench.plugin.options", {"torch", "sklearn", "pandas", "scipy", "numpy"}), ("dbench.audit", {"pytest"})],
)
def test_a_module_loads_without_what_it_does_not_need(module, heavy):
    code = f"import sys, {module}; print(*sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
