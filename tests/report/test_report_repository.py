"""Where code comes from: the address of the repository, where anybody knows it, and its commit."""

from email.message import Message

import pytest

from dbench import provenance


@pytest.mark.parametrize(
    ("named", "server", "repository", "found"),
    [
        ("Repository, https://example.org/home", "https://github.com", "fork/dbench", "https://example.org/home"),
        ("Documentation, https://example.org/docs", "https://github.com", "a/dbench", "https://github.com/a/dbench"),
        ("", "https://github.com", "", ""),
        ("", "", "", ""),
    ],
)
def test_the_package_names_its_repository_before_the_runner_does(monkeypatch, named, server, repository, found):
    package = Message()
    if named:
        package["Project-URL"] = named
    monkeypatch.setattr(provenance, "metadata", lambda name: package)
    monkeypatch.setenv("GITHUB_SERVER_URL", server)
    monkeypatch.setenv("GITHUB_REPOSITORY", repository)
    assert provenance.repository() == found


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_INDEX_FILE"])
def test_the_commit_is_that_of_the_code_also_where_git_is_told_of_another_repository(monkeypatch, tmp_path, name):
    before = provenance.commit.__wrapped__()
    monkeypatch.setenv(name, str(tmp_path / "index"))
    assert provenance.commit.__wrapped__() == before


@pytest.mark.parametrize(("status", "said"), [("", "4f2a"), (" M dbench/cli.py", "4f2a+dirty"), (None, "4f2a+dirty")])
def test_a_commit_of_which_git_does_not_say_that_it_is_clean_is_not_called_so(monkeypatch, status, said):
    answers = {"rev-parse": "4f2a", "ls-files": "cli.py", "status": status}
    monkeypatch.setattr(provenance, "_git", lambda command, *_: answers[command])
    assert provenance.commit.__wrapped__() == said
