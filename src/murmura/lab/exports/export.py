"""Exports a run for other programs: Zarr, Parquet, CSV. Files are written atomically."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from murmura.core.errors import ScenarioError, nearest
from murmura.core.extras import needs
from murmura.core.request import check_free
from murmura.lab.exports.movement import write_movement
from murmura.lab.exports.ovito import write_ovito
from murmura.lab.exports.tables import dataset, facts, frame_table, lazy_frame, table_schema
from murmura.lab.exports.vtk import write_vtk
from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.runs.reading.frames import Frames
from murmura.lab.runs.run import TRAJECTORY, Run
from murmura.lab.units import cf_unit, unit_of, units_of, with_unit

ROWS_AT_ONCE = 1_000_000
"""About this many rows are in memory at a time: whole frames, and at least one."""
Progress = Callable[[int, int], None]


def export(
    run: Run, to: str, out: str | Path | None = None, progress: Progress | None = None, force: bool = False
) -> list[Path]:
    """Write a run's frames, metrics and events in another format.

    Args:
        run: A run, finished or not: what is on disk is exported.
        to: "zarr", "parquet", "csv", "movement" (netCDF), "ovito" (extended XYZ) or "vtk" (for ParaView).
        out: The file or, for Zarr, the folder to write, or an existing folder; by default `run.SUFFIX` in the run's
            folder. Parquet and CSV put metrics and events beside it, VTK a folder with a file a frame.
        progress: Called now and then with the number of frames done and their total.
        force: Whether to overwrite existing files, or a folder that is a Zarr group.

    Returns:
        What was written.
    """
    if to not in WRITERS:
        raise ScenarioError(f"unknown format {to!r}{nearest(to, WRITERS)}; known: {', '.join(WRITERS)}")
    suffix, beside, write = WRITERS[to]
    target = _target(run, suffix, None if out is None else Path(out))
    targets = [target, *(target.with_name(f"{target.stem}-{name}") for name in beside)]
    check_free(*targets, force=force)
    if to == "zarr" and target.exists() and not (target / ".zgroup").is_file():
        raise ScenarioError(f"{target} is not a Zarr group, and is not overwritten: remove it first")
    with atomic_write(*targets, comfort=". The run itself is untouched") as temporaries:
        target.parent.mkdir(parents=True, exist_ok=True)
        write(run, temporaries, progress or (lambda done, count: None))
    return targets


def _target(run: Run, suffix: str, out: Path | None) -> Path:
    if out is None or (out.is_dir() and out.suffix != suffix):
        return (out or run.folder) / f"{Path(TRAJECTORY).stem}{suffix}"
    if out.suffix != suffix:
        raise ScenarioError(f"--out must end in {suffix} or be an existing folder, got {out}")
    return out


def _blocks(frames: Frames, progress: Progress) -> Iterator[slice]:
    """Frames in blocks that fit into memory."""
    count = len(frames)
    size = max(1, ROWS_AT_ONCE // max(len(frames.all_ids), 1))
    for begin in range(0, max(count, 1), size):
        end = min(begin + size, count)
        yield slice(begin, end)
        progress(end, count)


def _write_zarr(run: Run, temporaries: list[Path], progress: Progress) -> None:
    """Frames at the top level; metrics and events as separate groups, because their steps differ."""
    with needs("analysis"):
        import zarr

    from murmura.lab.exports.zarr_folder import zarr_folder

    frames = run.frames.sound()
    whole = dataset(run, frames)
    # Version 2 of the format: programs in all languages can read it, including text.
    how: dict[str, Any] = {"mode": "w", "zarr_format": 2}
    with zarr_folder(temporaries[0]) as store:
        for block in _blocks(frames, progress):
            whole.isel(step=block).to_zarr(store, consolidated=False, **how)
            how = {"append_dim": "step", "zarr_format": 2}
        for table in ("metrics", "events"):
            part = _dataset_of(run, table)
            part.to_zarr(store, group=table, mode="a", consolidated=False, zarr_format=2)
        zarr.consolidate_metadata(store, zarr_format=2)


def _dataset_of(run: Run, table: str) -> Any:
    with needs("analysis"):
        import polars
        import xarray

    rows = lazy_frame(run, table).collect()
    dimension = "step" if table == "metrics" else "event"
    columns = {}
    for name in rows.columns:  # null becomes NaN, and missing text becomes empty
        is_text = rows[name].dtype == polars.String
        values = rows[name].fill_null("").to_numpy().astype(str) if is_text else rows[name].to_numpy()
        columns[name] = (dimension, values, {} if is_text else {"units": cf_unit(unit_of(name))})
    return xarray.Dataset(columns, attrs=facts(run)).set_coords(
        [name for name in ("step", "time") if name in columns]
    )


def _write_parquet(run: Run, temporaries: list[Path], progress: Progress) -> None:
    with needs("analysis"):
        import pyarrow
        import pyarrow.parquet

    about = {key: str(value) for key, value in facts(run).items()}
    schema = _with_units(table_schema(run).to_frame().to_arrow().schema, about)
    with pyarrow.parquet.ParquetWriter(temporaries[0], schema, compression="zstd") as writer:
        for table in _tables(run, progress):
            writer.write_table(table.to_arrow().cast(schema))
    for name, temporary in zip(("metrics", "events"), temporaries[1:], strict=True):
        table = lazy_frame(run, name).collect().to_arrow()
        pyarrow.parquet.write_table(
            table.cast(_with_units(table.schema, about)), temporary, compression="zstd"
        )


def _with_units(schema: Any, about: dict[str, str]) -> Any:
    """The schema of a Parquet file with the unit of each column, and units of all as one text in the metadata."""
    import pyarrow

    units = units_of(schema.names)
    named = [
        field.with_metadata({"unit": units[field.name]} if field.name in units else {}) for field in schema
    ]
    return pyarrow.schema(named).with_metadata(about | {"units": json.dumps(units)})


def _write_csv(run: Run, temporaries: list[Path], progress: Progress) -> None:
    with temporaries[0].open("wb") as file:
        table_schema(run).to_frame().rename(with_unit).write_csv(file)
        for table in _tables(run, progress):
            table.write_csv(file, include_header=False)
    for name, temporary in zip(("metrics", "events"), temporaries[1:], strict=True):
        lazy_frame(run, name).collect().rename(with_unit).write_csv(temporary)


def _tables(run: Run, progress: Progress) -> Iterator[Any]:
    with needs("analysis"):
        import polars

    for block in _blocks(run.frames, progress):
        yield polars.concat(
            [table_schema(run).to_frame(), *(frame_table(run, frame) for frame in run.frames[block])]
        )


WRITERS: dict[str, tuple[str, tuple[str, ...], Callable[[Run, list[Path], Progress], None]]] = {
    "zarr": (".zarr", (), _write_zarr),
    "parquet": (".parquet", ("metrics.parquet", "events.parquet"), _write_parquet),
    "csv": (".csv", ("metrics.csv", "events.csv"), _write_csv),
    "movement": (".nc", (), write_movement),
    "ovito": (".xyz", (), write_ovito),
    "vtk": (".pvd", ("vtk",), write_vtk),
}
"""For each format the suffix of its file, what stands beside it, and what writes them."""
