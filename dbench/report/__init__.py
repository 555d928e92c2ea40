"""The report of a session, as JSON, HTML and Markdown."""

from dbench.report.document import build_document
from dbench.report.files import prepare_folder, read_report, report_folder, write_report
from dbench.report.schema import PAPERS, SYMBOLS, VERDICTS, validate
from dbench.report.terminal import summary_lines

__all__ = [
    "PAPERS",
    "SYMBOLS",
    "VERDICTS",
    "build_document",
    "prepare_folder",
    "read_report",
    "report_folder",
    "summary_lines",
    "validate",
    "write_report",
]
