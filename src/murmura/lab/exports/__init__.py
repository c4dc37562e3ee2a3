"""Exports runs for other programs: Zarr, Parquet, CSV, tables in memory, and family trees."""
