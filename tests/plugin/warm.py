"""What each forked session would import, read or compile anew, done once in the process that all are forked from."""

import gc

import pandas  # noqa: F401
import pytest  # noqa: F401
import scipy.stats  # noqa: F401
import sklearn.linear_model  # noqa: F401

import dbench.cli
import dbench.estimates.zoo_among
import dbench.plugin.judge
import dbench.zoo.engine  # noqa: F401
from dbench.claims import ledger
from dbench.report import build_document
from dbench.report.templates import template
from dbench_published.errata.entries import errata

errata()
build_document([], ledger=ledger())  # reads the schema
for name in ("report.html.j2", "report.md.j2", "badge.svg.j2"):
    template(name)
gc.collect()
gc.freeze()  # pytest collects garbage five times when it ends: not among all that was imported here
