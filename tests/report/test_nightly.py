"""A dry run of every step of the nightly workflow, on a repository made for it, with a stand-in for ``gh``."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dbench.report import write_report

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".github" / "nightly.sh"
WORKFLOW = ROOT / ".github" / "workflows" / "nightly.yml"

# Keeps every call as a line of JSON, and one issue in a file; knows what the script asks of gh and nothing else.
GH = f"""#!{sys.executable} -S
import json, pathlib, sys
home = pathlib.Path(__file__).parent
issue, arguments = home / "issue", sys.argv[1:]
words = dict(zip(arguments, arguments[1:]))
body = pathlib.Path(words["--body-file"]).read_text() if "--body-file" in words else ""
with (home / "calls").open("a") as calls:
    calls.write(json.dumps([*arguments[:2], words.get("--title", ""), body]) + "\\n")
match arguments[:2]:
    case ["issue", "list"]:
        print(issue.read_text() if issue.exists() else "", end="")
    case ["issue", "create"]:
        issue.write_text("7")
    case ["issue", "edit"]:
        assert arguments[2] == "7"
    case ["issue", "close"]:
        assert arguments[2] == "7"
        issue.unlink()
    case ["label", "create"]:
        pass
    case _:
        sys.exit(f"unknown call {{arguments}}")
"""
# Verifying retrains models: here a table verifies unless its name says otherwise. All else is the real command.
DBENCH = f"""#!/usr/bin/env bash
if [ "$1 $2" != "zoo verify" ]; then exec {sys.executable} -m dbench "$@"; fi
echo "$@"
[[ $4 != *bad* ]]
"""

pytestmark = pytest.mark.skipif(os.name == "nt" or not shutil.which("git"), reason="needs git and a shell")


class Night:
    """A checkout with an origin, on which the steps of a night can be run."""

    def __init__(self, home: Path) -> None:
        self.home, self.checkout, self.origin = home, home / "checkout", home / "origin.git"
        self.git("init", "--quiet", "--bare", "--initial-branch=main", str(self.origin), at=home)
        self.git("init", "--quiet", "--initial-branch=main", str(self.checkout), at=home)
        (self.checkout / ".gitignore").write_text("/build/\n/reports/latest*/\n/fixtures/\n")
        (self.checkout / "docs" / "figures").mkdir(parents=True)
        (self.checkout / "docs" / "figures" / "figures.json").write_text("[]")
        self.git("config", "user.name", "night")
        self.git("config", "user.email", "night@example.org")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "Start")
        self.git("remote", "add", "origin", str(self.origin))
        self.git("push", "--quiet", "origin", "main")
        for name, text in (("gh", GH), ("dbench", DBENCH)):
            (home / name).write_text(text)
            (home / name).chmod(0o755)
        (self.checkout / "fixtures" / "evidence" / "micro").mkdir(parents=True)

    def git(self, *arguments: str, at: Path | None = None) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=at or self.checkout, check=True, capture_output=True, text=True
        ).stdout

    def step(self, name: str, day: str = "2026-11-20", claims: str = "success") -> str:
        environment = os.environ | {
            "PATH": f"{self.home}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "DBENCH": str(self.home / "dbench"),
            "DAY": day,
            "CLAIMS": claims,
            "RUN_URL": "https://example.org/run",
        }
        done = subprocess.run(
            ["bash", str(SCRIPT), name], cwd=self.checkout, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def tell(self, day: str = "2026-11-20", claims: str = "success") -> list[list[str]]:
        """Tell of a night, and return what that asked of gh."""
        (self.home / "calls").unlink(missing_ok=True)
        self.step("tell", day, claims)
        calls = [json.loads(line) for line in (self.home / "calls").read_text().splitlines()]
        return [call for call in calls if call[1] != "list"]

    def run(self, day: str, document: object = None, claims: str = "success") -> list[list[str]]:
        """Run all steps of a night and return what it asked of gh."""
        if document:
            write_report(self.checkout / "reports" / "latest", document)
        for name in ("verify", "keep"):
            self.step(name, day, claims)
        return self.tell(day, claims)

    def published(self, name: str) -> str:
        return self.git("show", f"reports:{name}", at=self.origin)


@pytest.fixture
def night(tmp_path):
    return Night(tmp_path)


def test_a_changed_heading_or_another_failure_opens_one_issue_that_is_updated_and_closed(night):
    state = night.checkout / "build" / "nightly"
    state.mkdir(parents=True)

    def tell(changed: str, claims: str) -> list[list[str]]:
        (state / "title").write_text(changed)
        (state / "changes").write_text(f"Headings that changed: {changed}\n" if changed else "")
        return night.tell(claims=claims)

    assert tell("", "success") == []
    label, opened = tell("udr.kl-gap: reproduced -> weaker", "failure")
    assert label[:2] == ["label", "create"]
    assert opened[:3] == ["issue", "create", "Nightly: udr.kl-gap: reproduced -> weaker"]
    assert opened[3] == "https://example.org/run\n\nHeadings that changed: udr.kl-gap: reproduced -> weaker\n"
    (again,) = tell("udr.kl-gap: reproduced -> absent", "failure")
    assert again[:3] == ["issue", "edit", "Nightly: udr.kl-gap: reproduced -> absent"]
    (closed,) = tell("", "success")
    assert closed[:2] == ["issue", "close"]
    _, opened = tell("", "failure")
    assert opened[2] == "Nightly: claims were not judged as expected"


def test_nights_are_compared_with_the_last_good_one_and_published_with_their_history(night, make_document, make_record):
    def report(day: str, verdict: str = "reproduced") -> dict:
        records = [make_record(claim="udr.kl-gap", verdict=verdict), make_record()]
        return make_document(records, provenance={"utc": f"{day}T03:30:00Z", "commit": "3f2c9d1e"})

    assert night.run("2026-11-20", report("2026-11-20")) == []
    _, opened = night.run("2026-11-21", report("2026-11-21", "weaker"), claims="failure")
    assert opened[2] == "Nightly: udr.kl-gap: reproduced -> weaker"
    assert "Headings that changed: udr.kl-gap: reproduced -> weaker\n" in opened[3]
    assert night.published("good") == "2026-11-20\n"

    (again,) = night.run("2026-11-22", report("2026-11-22", "weaker"))
    assert again[:3] == ["issue", "edit", opened[2]]
    assert night.published("good") == "2026-11-22\n"  # so that an accepted change is said once
    files = night.git("ls-tree", "-r", "--name-only", "reports", at=night.origin).split()
    assert {f"history/2026-11-{day}.json" for day in (20, 21, 22)} | {"index.html", "badge-udr.svg"} <= set(files)
    assert night.published("history.txt").startswith("udr.kl-gap: weaker since 2026-11-21, reproduced since 2026-11-20")
    assert night.git("status", "--porcelain") == ""

    for place in ("build/referee/badge-disent-mig.svg", "docs/peers.md"):
        (night.checkout / place).parent.mkdir(parents=True, exist_ok=True)
        (night.checkout / place).write_text(place)
    night.step("peers")
    assert night.published("peers/badge-disent-mig.svg") == "build/referee/badge-disent-mig.svg"
    assert night.published("peers/peers.md") == "docs/peers.md"
    assert "Over time" in night.published("index.html")


def test_a_table_that_does_not_verify_is_named_and_the_others_are_still_verified(night):
    for name in ("a-bad", "b-good", "c-bad"):
        (night.checkout / "fixtures" / "evidence" / name).mkdir()
    _, opened = night.run("2026-11-20")
    assert opened[2] == "Nightly: no report was kept; evidence did not verify: a-bad,c-bad"
    shown = night.step("verify")
    assert shown.count("zoo") == 4
    assert shown.count("--seed 20261120") == 4


def test_a_session_without_a_report_is_said_and_keeps_nothing(night):
    _, opened = night.run("2026-11-20", claims="failure")
    assert opened[2] == "Nightly: no report was kept"
    assert night.git("branch", "--list", "reports", at=night.origin) == ""


def test_the_workflow_runs_these_steps_in_this_order():
    called = re.findall(r"nightly\.sh (\w+)", WORKFLOW.read_text())
    assert called == ["verify", "keep", "tell", "peers"]
    assert re.findall(r"^(\w+)\(\) \{", SCRIPT.read_text(), re.MULTILINE) == called
