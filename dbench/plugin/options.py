"""The pytest plugin's options, and the decision whether a session judges claims at all.

A session judges claims only if its arguments name the folder of the ini option ``dbench_claims``, a part of it, or a
folder around it. In any other the plugin only declares options and markers. This file must import nothing slow,
because every pytest session of the environment imports it.
"""

import os
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the ``--dbench-*`` options, and the ini options for what a project sets once."""
    group = parser.getgroup("dbench", "claims about disentangled representations")
    group.addoption("--dbench-report", metavar="DIR", help="folder of the report, or 'none' (ini: dbench_report)")
    group.addoption("--dbench-expect", metavar="FILE", help="expected verdicts, or 'none' (ini: dbench_expect)")
    group.addoption("--dbench-frozen", metavar="FILE", help="frozen rules, or 'none' (ini: dbench_frozen)")
    group.addoption(
        "--dbench-unfrozen",
        choices=("fail", "allow"),
        default="fail",
        help="'allow' judges by cards that are not as the frozen rules have them; their records say so",
    )
    group.addoption("--dbench-ledger", metavar="FILE", help="findings beside those shipped (ini: dbench_ledger)")
    group.addoption("--dbench-evidence", metavar="DIR", help="folder of evidence tables (default: those shipped)")
    group.addoption(
        "--dbench-runs",
        choices=("cached", "missing"),
        default="cached",
        help="'missing': train what the store lacks and judge on that instead of on the evidence tables",
    )
    group.addoption("--dbench-profile", default="micro", help="profile that --dbench-runs=missing trains, or file.toml")
    group.addoption(
        "--dbench-store",
        metavar="DIR",
        default=os.environ.get("DBENCH_STORE"),
        help="store that --dbench-runs=missing fills, folder or URL (else DBENCH_STORE, else store/PROFILE)",
    )
    group.addoption(
        "--dbench-retrain",
        choices=("start", "none"),
        default="start",
        help="'none' trains no part of a shipped run again",
    )
    group.addoption(
        "--dbench-undecided", choices=("allow", "fail"), default="allow", help="'fail' exits 8 on any undecided verdict"
    )
    parser.addini("dbench_claims", "folder of the claims; the plugin is inert elsewhere", default="")
    parser.addini("dbench_report", "folder the report is written to", default="none")
    parser.addini("dbench_figures", "folder of figures for the report, as make pages writes them", default="none")
    parser.addini("dbench_errata", "function that returns the report's errata, module:name", default="none")
    parser.addini("dbench_expect", "file of expected verdicts", default="none")
    parser.addini("dbench_frozen", "file of frozen rules", default="none")
    parser.addini("dbench_ledger", "ledger of findings beside those shipped", default="none")


def setting(config: pytest.Config, name: str) -> Path | None:
    """Return the path that an option, or else the ini option of the same name, gives; ``None`` for 'none'.

    The option is relative to the current folder, the ini option to pytest's root folder.
    """
    option, ini_value = config.getoption(name), config.getini(name)
    if (option or ini_value) == "none":
        return None
    return config.invocation_params.dir / str(option) if option else config.rootpath / str(ini_value)


def _judges_claims(config: pytest.Config) -> bool:
    """Whether a path that pytest was given lies in the claims folder, is it, or lies around it."""
    folder = str(config.getini("dbench_claims"))
    if not folder:
        return False
    claims = (config.rootpath / folder).resolve()
    paths = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
    return any(path == claims or claims in path.parents or path in claims.parents for path in paths)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the markers and, in a session that judges claims, the judge, which registers the recorder."""
    config.addinivalue_line("markers", "claim(id): added to every test that judges a claim of the ledger")
    config.addinivalue_line("markers", "long: a test of ten seconds or more; it begins first")
    if _judges_claims(config):
        from dbench.plugin import judge  # takes seconds

        config.pluginmanager.register(judge, "dbench-judge")
        judge.start(config)
