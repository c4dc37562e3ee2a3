"""Writes measures over time: a long table as CSV or Parquet, or the dataset as netCDF."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from murmura.core.errors import ScenarioError
from murmura.core.extras import needs
from murmura.core.request import check_free
from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.measuring.frames import Measured

COLUMNS = ("measure", "against", "x", "x_unit", "value", "error", "unit")
Line = dict[str, Any]


def lines_of(measured: Measured) -> Iterator[Line]:
    """A line for each number and for each point of a curve; x and error are None where there is none."""
    for name, found in measured.found.items():
        one = measured.observables[name]
        for number, value in found.numbers.items():
            yield _line(number, "", None, "", value.value, value.error, value.unit)
        if found.curve is not None:
            for x, value, error in zip(found.curve.x, found.curve.values, found.curve.errors, strict=True):
                yield _line(name, one.x, float(x), one.x_unit, float(value), float(error), one.unit)


def _line(*values: Any) -> Line:
    known = (None if isinstance(value, float) and math.isnan(value) else value for value in values)
    return dict(zip(COLUMNS, known, strict=True))


def check_file(out: Path, force: bool = False) -> None:
    """Raise if results cannot be written, before any work is done."""
    if out.suffix not in WRITERS:
        raise ScenarioError(f"--out must end in {', '.join(WRITERS)}, got {out.name!r}")
    if not out.absolute().parent.is_dir():
        raise ScenarioError(f"there is no folder {out.parent} to write {out.name} to")
    check_free(out, force=force)


def write_measures(out: Path, lines: Iterable[Line], dataset: Callable[[], Any]) -> None:
    """Write results in the format of the file's suffix.

    Args:
        out: The file.
        lines: A long table, for CSV and Parquet.
        dataset: Makes an xarray dataset, for netCDF.
    """
    with atomic_write(out) as (temporary,):
        WRITERS[out.suffix](temporary, lines, dataset)


def _write_csv(path: Path, lines: Iterable[Line], dataset: Callable[[], Any]) -> None:
    rows = list(lines)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_parquet(path: Path, lines: Iterable[Line], dataset: Callable[[], Any]) -> None:
    with needs("analysis"):
        import polars
    kinds = dict.fromkeys(("x", "value", "error"), polars.Float64)
    polars.DataFrame(list(lines), schema_overrides=kinds, infer_schema_length=None).write_parquet(path)


def _write_netcdf(path: Path, lines: Iterable[Line], dataset: Callable[[], Any]) -> None:
    dataset().to_netcdf(path, engine="scipy")


WRITERS = {".csv": _write_csv, ".parquet": _write_parquet, ".nc": _write_netcdf}
