"""What is installed is what the checkout holds."""

import tomllib
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def modules(folder: str, name: str) -> set[str]:
    found = (init.parent.relative_to(ROOT / folder) for init in (ROOT / folder).rglob("__init__.py"))
    return {".".join([name, *path.parts]) for path in found}


def test_every_package_is_listed_and_every_listed_package_exists():
    papers = {f"dbench_claims.{path.parent.name}" for path in (ROOT / "claims").glob("*/test_*.py")}
    beside = {"dbench": "dbench", "fixtures": "dbench_fixtures", "published": "dbench_published"}
    library = {module for folder, name in beside.items() for module in modules(folder, name)}
    assert set(SETUPTOOLS["packages"]) == library | {"dbench_claims"} | papers


def test_every_file_of_claims_and_fixtures_matches_a_pattern_of_package_data():
    patterns = {
        package.replace("dbench_fixtures", "fixtures").replace("dbench_claims", "claims").replace(".", "/"): globs
        for package, globs in SETUPTOOLS["package-data"].items()
    }
    shipped = {path for folder, globs in patterns.items() for glob in globs for path in (ROOT / folder).glob(glob)}
    files = {path for folder in ("claims", "fixtures") for path in (ROOT / folder).rglob("*") if path.is_file()}
    data = {path for path in files if path.suffix not in (".py", ".pyc", ".md")}
    assert data <= shipped, sorted(str(path.relative_to(ROOT)) for path in data - shipped)


def test_every_dependency_is_pinned_and_what_it_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [name for group in project["optional-dependencies"].values() for name in group]
    named = [Requirement(line).name for line in [*project["dependencies"], *extras]]
    waiting = [name for name in named if name != "dbench"]
    wanted = set[str]()
    while waiting:
        if (name := canonicalize_name(waiting.pop())) not in wanted:
            wanted.add(name)
            with suppress(PackageNotFoundError):  # of an extra that is not installed, or for another system
                needs = [Requirement(line) for line in distribution(name).requires or ()]
                waiting += [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {canonicalize_name(line.partition("==")[0]) for line in lines if "==" in line}
    wanted.discard("setuptools")  # any will do; a new environment may bring its own
    # torch's CUDA builds, which a package index may give, bring packages of their own.
    lacking = {name for name in wanted - pinned if not name.startswith(("cuda-", "nvidia-", "triton"))}
    assert not lacking
