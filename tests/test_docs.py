"""Every block of code on the pages runs as it stands there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import pytest
from forked import run_forked

from dbench.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^(?:<!-- not run: (?P<why>.+) -->\n)?```(?P<kind>.*)\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE)
# Pages whose blocks have tests of their own, which also compare what is printed.
ELSEWHERE = {"audit.md": "audit/test_audit_page.py", "score.md": "scoring/test_scoring_docs.py"}


class Block(NamedTuple):
    """A fenced block: why it is not run, if it is not; its language, with a file's name in title="..."; its text."""

    why: str | None
    kind: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*match.groups()) for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]


PAGES = {str(page.relative_to(DOCS)): blocks(page) for page in sorted(DOCS.rglob("*.md"))}
CODE = {
    name: code
    for name, found in PAGES.items()
    if name not in ELSEWHERE
    and (code := [block for block in found if block.kind.startswith(("python", "console")) or "title=" in block.kind])
}


def commands(block: Block) -> list[str]:
    lines = [line.removeprefix("$ ") for line in block.text.splitlines() if line.startswith("$ ")]
    assert lines, f"a console block needs a line that begins with '$ ', got {block.text!r}"
    return lines


@pytest.fixture
def folder(tmp_path):
    """A folder like the checkout, whose reports are its own."""
    for name in ("claims", "fixtures", "pyproject.toml", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


FROM_A_WHEEL = "tutorial.md"


@pytest.mark.parametrize(
    "name", [n for n, found in CODE.items() if n != FROM_A_WHEEL and any(not b.why for b in found)]
)
def test_the_code_of_a_page_runs(name, folder):
    run_blocks(CODE[name], folder, Path(sys.executable))


def run_blocks(found: list[Block], folder: Path, python: Path) -> str:
    """Run the blocks of a page in a folder, by an environment's own commands; return what the commands print."""
    printed = ""
    together = []  # Python blocks go on from one another
    for block in found:
        title = re.search('title="(.+)"', block.kind)
        if title:
            (folder / title[1]).parent.mkdir(parents=True, exist_ok=True)
            (folder / title[1]).write_text(block.text, encoding="utf-8")
        elif block.kind == "python" and not block.why:
            together.append(block.text)
        elif block.kind == "console" and not block.why:
            for command in commands(block):
                printed += f"$ {command}\n{run(command, folder, python)}"
    if together:
        script = "\n".join(["import warnings; warnings.simplefilter('error')", *together])
        run(shlex.join(["python", "-c", script]), folder, python)
    return printed


def run(command: str, folder: Path, python: Path) -> str:
    """Run a command of an environment in a folder; return what it prints."""
    program, *arguments = shlex.split(command)
    if python == Path(sys.executable) and program in ("python", "dbench", "pytest"):
        said = folder / "said.txt"
        status = run_forked(program, arguments, folder, said)
        printed = said.read_text()
    else:
        path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True
        )
        status, printed = done.returncode, done.stdout + done.stderr
    assert status == 0, f"{command}\n{printed}"
    return printed


@pytest.fixture(scope="module")
def wheel_python(tmp_path_factory):
    """The Python of an environment in which dbench is installed from a wheel; all else is that of this one."""
    build = tmp_path_factory.mktemp("build")
    for name in ("dbench", "claims", "fixtures", "published"):
        shutil.copytree(ROOT / name, build / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, build)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    python = build / "env" / "bin" / "python"
    for command in (
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", build / "dist", build],
        [sys.executable, "-m", "venv", "--without-pip", build / "env"],
        [*pip, "--python", python, "install", "--no-deps", "--no-index", "--find-links", build / "dist", "dbench"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, cwd=build)
        assert done.returncode == 0, done.stderr
    # What a .pth file adds is searched last, and its own .pth files, such as that of an editable dbench, are not read.
    (site,) = (build / "env").glob("lib/python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_paths()["purelib"])
    done = subprocess.run([python, "-P", "-c", "import dbench; print(dbench.__file__)"], capture_output=True, text=True)
    assert done.stdout.startswith(str(site)), done
    return python


@pytest.mark.long
def test_the_tutorial_runs_from_a_wheel_in_an_empty_folder(wheel_python, tmp_path):
    page = (DOCS / FROM_A_WHEEL).read_text(encoding="utf-8")
    assert "judge by `dbench claims run hownot/test_2_2_mig.py`" in page
    from_wheel = [b._replace(text=b.text.replace("pytest claims/", "dbench claims run ")) for b in CODE[FROM_A_WHEEL]]
    printed = run_blocks(from_wheel, tmp_path, wheel_python)
    assert (tmp_path / "reports" / "latest-partial" / "index.html").is_file()
    assert "contradicted hownot.fact-7" in printed
    assert "The scale: perfect copies score" in printed


def test_the_readme_shows_a_claim_as_it_is_and_counts_verdicts_as_a_session_does():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (claim,) = (block for block in blocks(ROOT / "README.md") if "Claim." in block.text)
    assert claim.text in (ROOT / re.search(r"claims/\S+\.py", claim.why)[0]).read_text(encoding="utf-8")
    table = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")][:6]
    columns = list(zip(*table, strict=True))[1:]
    for column in columns:
        head, *cells = (sum(map(int, re.findall(r"\d+", cell))) for cell in column if "---" not in cell)
        assert head == sum(cells)
    # The session that the page shows ends with the same counts.
    said = re.sub(r"\s+", " ", text[text.index("112 findings: ") :].partition("```")[0])
    for column, name in zip(columns, ("trained models", "constructions", "printed tables"), strict=True):
        those = re.search(rf"(\d+) on [^(]*{name}[^(]*\(([^)]*)\)", said)
        counts = {word.strip(): int(number) for number, word in re.findall(r"(\d+) ([a-z ]+)", those[2])}
        assert int(re.search(r"\d+", column[0])[0]) == int(those[1])
        rows = [re.findall(r"\d+", cell) for cell in column[2:]]
        reproduced = [counts.get("reproduced", 0), *([counts["demonstrated"]] if "demonstrated" in counts else [])]
        assert [*map(int, rows[0])] == reproduced
        assert int(rows[1][0]) == counts.get("weaker", 0)
        assert int(rows[2][0]) == counts.get("undecided", 0) + counts.get("not tested", 0)
        assert int(rows[3][0]) == counts.get("absent", 0) + counts.get("contradicted", 0)


@pytest.mark.nightly
def test_the_readme_says_what_a_wheel_prints_in_an_empty_folder(wheel_python, tmp_path):
    readme = blocks(ROOT / "README.md")
    (shown,) = (b.text for b in readme if "= verdicts =" in b.text)
    rng = np.random.default_rng(0)
    factors = rng.integers(4, size=(100, 2))
    for name in "abc":
        np.savez(tmp_path / name, codes=rng.normal(size=(100, 2)), factors=factors)
    (mine,) = (b for b in readme if "mine:my_metric" in b.text)
    code = [b for b in readme if b.kind.startswith("python")]
    run_blocks(code, tmp_path, wheel_python)  # writes what the commands read
    printed = run_blocks([mine], tmp_path, wheel_python)
    for said in (
        "codes.npz: 10,000 observations",
        "The scale: perfect copies score",
        "72 models on",
        "Pick ",
        "A: a.npz",
    ):
        assert said in printed
    judged = run_blocks([Block(None, "console", "$ dbench claims run hownot\n")], tmp_path, wheel_python)
    (line,) = re.findall(r"How Not to Measure .*\n(  \d+ findings: .*)\n", shown)
    assert line in judged


@pytest.mark.parametrize("name", [name for name, found in CODE.items() if any(block.why for block in found)])
def test_commands_that_are_not_run_exist_with_their_options(name):
    for block in CODE[name]:
        for command in commands(block) if block.why and block.kind == "console" else ():
            for part in command.partition(" #")[0].split("&&"):
                arguments = shlex.split(part)
                if arguments[0] == "dbench":
                    parse(main, arguments)


def parse(command: click.Command, arguments: list[str], parent: click.Context | None = None) -> None:
    """Have click read the arguments, and call nothing."""
    context = command.make_context(arguments[0], arguments[1:], parent)
    if isinstance(command, click.Group):
        _, inner, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert inner is not None
        parse(inner, [inner.name or "", *rest], context)


def test_every_block_says_what_it_is():
    kinds = {block.kind.partition(" ")[0] for found in PAGES.values() for block in found}
    assert kinds <= {"python", "pycon", "console", "text", "bibtex", "ini", "toml"}
    assert {name for name, found in PAGES.items() if any(b.kind == "pycon" for b in found)} <= set(ELSEWHERE)
    assert all((ROOT / "tests" / test).is_file() for test in ELSEWHERE.values())
