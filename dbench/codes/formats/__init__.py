"""The file formats codes come in: npy and npz arrays, csv and Parquet tables. Nothing is ever unpickled."""
