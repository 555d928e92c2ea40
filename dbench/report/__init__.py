"""The report: what was judged, by which rule and on what evidence, as JSON, HTML and Markdown."""

from dbench.report.comparison import Change, Comparison, compare, comparison_lines
from dbench.report.document import build_document, roll_up
from dbench.report.files import read_report, write_report
from dbench.report.schema import PAPERS, SYMBOLS, VERDICTS, is_deviation, standing, validate
from dbench.report.terminal import summary_lines

__all__ = [
    "PAPERS",
    "SYMBOLS",
    "VERDICTS",
    "Change",
    "Comparison",
    "build_document",
    "compare",
    "comparison_lines",
    "is_deviation",
    "read_report",
    "roll_up",
    "standing",
    "summary_lines",
    "validate",
    "write_report",
]
