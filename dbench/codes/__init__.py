"""What metrics see: samples of codes and factors, and sources that answer interventions."""

from dbench.codes.sample import Sample
from dbench.codes.source import FunctionSource, GridSource, RowSource, Source

__all__ = ["FunctionSource", "GridSource", "RowSource", "Sample", "Source"]
