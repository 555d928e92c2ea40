"""The site builds without a warning, and a reader finds on it whatever the package offers."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pages
import pytest
from filelock import FileLock

import dbench
from dbench import metrics
from dbench.cli import main
from dbench.metrics import METRICS

ROOT = Path(__file__).parents[1]
OF_SCORING = ("score", "compare", "Comparison", "Watch", "TorchMetric", "scorer")
HEADING = re.compile(r'<h\d id="([\w.]+)" class="doc doc-heading">\s*(?:<[^>]+>\s*)*(\w+)')
pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The site, built once for all workers."""
    base = tmp_path_factory.getbasetemp()
    built = (base if worker_id == "master" else base.parent) / "site"
    with FileLock(f"{built}.lock"):
        if not built.is_dir():
            build = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(built)]
            done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    return built


def read(site: Path, page: str) -> str:
    return (site / page).read_text(encoding="utf-8")


def entries(site: Path, page: str) -> dict[str, str]:
    """What a page of the reference documents: the name in its heading, and its anchor."""
    return {name: anchor for anchor, name in HEADING.findall(read(site, f"reference/{page}.html"))}


def test_a_page_needs_nothing_from_elsewhere(site: Path) -> None:
    loaded = re.findall(r'<script[^>]* src="[^"]*"|<link[^>]* rel="stylesheet"[^>]*>', read(site, "tutorial.html"))
    assert loaded
    assert "//" not in "".join(loaded)


def test_every_public_name_of_the_metrics_has_an_entry(site: Path) -> None:
    found = entries(site, "metrics")
    exported = {name for name, value in vars(metrics).items() if pages._exported(name, value)}
    assert {"mig", "dci", "sap", "factor_vae", "modularity", "irs", "med"} < set(METRICS) <= exported <= set(found)
    assert found["mig"] == "dbench.metrics.mig.mig"  # the function, whose module has its name


def test_what_scores_has_an_entry(site: Path) -> None:
    found = entries(site, "scoring")
    assert [found[name].rpartition(".")[2] for name in OF_SCORING] == list(OF_SCORING)
    assert dbench.score.__module__ == found["score"].rpartition(".")[0]


def names(command: click.Command, name: str) -> Iterator[str]:
    yield name
    if isinstance(command, click.Group):
        for inner in command.list_commands(context := click.Context(command)):
            found = command.get_command(context, inner)
            assert found is not None
            yield from names(found, f"{name}-{inner}")


def test_every_command_has_an_entry(site: Path) -> None:
    assert set(names(main, "dbench")) <= set(re.findall(r'<h\d id="([\w-]+)"', read(site, "reference/commands.html")))


def test_examples_are_code_and_nothing_is_left_of_the_source(site: Path) -> None:
    for path in sorted((site / "reference").glob("*.html")):
        page = path.read_text(encoding="utf-8")
        text = re.sub(r"<pre.*?</pre>", "", page[page.index("<article") : page.index("</article>")], flags=re.DOTALL)
        for left in ("<blockquote", "&gt;&gt;&gt;", ":func:", ":class:", "lambda", "Returns:\n", "numpy._typing"):
            assert left not in text, (path.name, left)
    for page, signs in (("metrics", 50), ("codes", 5), ("scoring", 5), ("claims", 3)):
        assert read(site, f"reference/{page}.html").count('<span class="gp">&gt;&gt;&gt;') >= signs, page


@pytest.mark.parametrize("name", ["metrics", "data", "codes", "scoring"])
def test_packages_are_there_after_import_dbench_and_take_no_time_before(name: str) -> None:
    heavy = "import sys, dbench; assert not {'numpy', 'torch', 'pandas'} & set(sys.modules); "
    subprocess.run([sys.executable, "-c", f"{heavy}assert dbench.{name}.__name__ == 'dbench.{name}'"], check=True)
