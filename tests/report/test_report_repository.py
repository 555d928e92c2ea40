"""Where a heading can be disputed: the address of the repository, where anybody knows it."""

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
