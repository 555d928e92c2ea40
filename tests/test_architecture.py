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
GROUND = {"errors", "files", "outside", "provenance", "seeds", "stats"}
# The last column of the table, as rooms and as libraries.
UNKNOWN_ROOMS = {
    "models": {"data"},
    "codes": {"models", "training"},
    "metrics": {"data", "models", "training"},
    "constructions": {"models", "training"},
    "audit": {"models", "training"},
    "scoring": {"zoo", "claims"},
}
UNKNOWN_LIBRARIES = {"codes": "torch", "zoo": "pytest", "claims": "pytest", "report": "pytest", "figures": "pytest"}


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


def test_the_table_names_every_package_once():
    assert sorted(ROOMS) == sorted({path.parent.name for path in PACKAGE.glob("*/__init__.py")} - GROUND)


@pytest.mark.parametrize("room", ROOMS)
def test_a_package_imports_only_from_those_above_it(room):
    allowed = GROUND | set(ROOMS[: ROOMS.index(room) + 1])
    wrong = {file: sorted(rooms_in(names) - allowed) for file, names in of_room(room).items()}
    assert {file: names for file, names in wrong.items() if names} == {}


@pytest.mark.parametrize("module", sorted(GROUND))
def test_what_every_package_may_use_imports_none_of_them(module):
    for file, names in of_room(module).items():
        assert rooms_in(names) <= GROUND, file


@pytest.mark.parametrize("room", UNKNOWN_ROOMS)
def test_a_package_does_not_import_a_room_it_must_not_know(room):
    known = set().union(*(rooms_in(names) for names in of_room(room).values()))
    assert known & UNKNOWN_ROOMS[room] == set()


@pytest.mark.parametrize(("room", "library"), UNKNOWN_LIBRARIES.items())
def test_a_package_does_not_import_a_library_it_must_not_know(room, library):
    wrong = [file for file, names in of_room(room).items() if library in {name.partition(".")[0] for name in names}]
    assert wrong == []


def programs(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def tops_of(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imports(path.read_text(encoding="utf-8"))}


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
    [("dbench.pytest_plugin", {"torch", "sklearn", "pandas", "scipy", "numpy"}), ("dbench.audit", {"pytest"})],
)
def test_a_module_loads_without_what_it_does_not_need(module, heavy):
    code = f"import sys, {module}; print(*sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
