"""The file formats codes come in: npy and npz arrays, csv and Parquet tables. Nothing is ever unpickled."""

from dbench.codes.formats.arrays import StoredArray, open_npy, open_npz
from dbench.codes.formats.tables import StoredTable, open_csv, open_parquet

__all__ = ["StoredArray", "StoredTable", "open_csv", "open_npy", "open_npz", "open_parquet"]
