"""Exports a run for other programs: Zarr, Parquet, CSV. Files are written atomically."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from murmura.core.errors import ScenarioError, nearest
from murmura.lab.exports.tables import dataset, facts, frame_table, lazy_frame, table_schema
from murmura.lab.extras import needs
from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.runs.reading.frames import Frames
from murmura.lab.runs.run import TRAJECTORY, Run
from murmura.measure import MEASURES

ROWS_AT_ONCE = 1_000_000
"""About this many rows are in memory at a time: whole frames, and at least one."""
Progress = Callable[[int, int], None]


def export(run: Run, to: str, out: str | Path | None = None, progress: Progress | None = None) -> list[Path]:
    """Write a run's frames, metrics and events in another format.

    Args:
        run: A run, finished or not: what is on disk is exported.
        to: "zarr", "parquet" or "csv".
        out: The file or, for Zarr, the folder to write, or an existing folder; by default `run.FORMAT` in the run's
            folder. Parquet and CSV put metrics and events beside it: `run-metrics.FORMAT`, `run-events.FORMAT`.
        progress: Called now and then with the number of frames done and their total.

    Returns:
        What was written.
    """
    if to not in WRITERS:
        raise ScenarioError(f"unknown format {to!r}{nearest(to, WRITERS)}; known: {', '.join(WRITERS)}")
    target = _target(run, to, None if out is None else Path(out))
    targets = [target]
    if to != "zarr":
        targets += [
            target.with_name(f"{target.stem}-{table}{target.suffix}") for table in ("metrics", "events")
        ]
    for path in targets:
        if path.exists():
            raise ScenarioError(f"{path} already exists: choose another with --out, or remove it first")
    with atomic_write(*targets, comfort=". The run itself is untouched") as temporaries:
        target.parent.mkdir(parents=True, exist_ok=True)
        WRITERS[to](run, temporaries, progress or (lambda done, count: None))
    return targets


def _target(run: Run, to: str, out: Path | None) -> Path:
    if out is None or (out.is_dir() and out.suffix != f".{to}"):
        return (out or run.folder) / f"{Path(TRAJECTORY).stem}.{to}"
    if out.suffix != f".{to}":
        raise ScenarioError(f"--out must end in .{to} or be an existing folder, got {out}")
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

    frames = run.frames.sound()
    whole = dataset(run, frames)
    # Version 2 of the format: programs in all languages can read it, including text.
    how: dict[str, Any] = {"mode": "w", "zarr_format": 2}
    for block in _blocks(frames, progress):
        whole.isel(step=block).to_zarr(temporaries[0], consolidated=False, **how)
        how = {"append_dim": "step", "zarr_format": 2}
    for table in ("metrics", "events"):
        part = _dataset_of(run, table)
        part.to_zarr(temporaries[0], group=table, mode="a", consolidated=False, zarr_format=2)
    zarr.consolidate_metadata(temporaries[0], zarr_format=2)


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
        columns[name] = (dimension, values, {"units": MEASURES[name].unit or "1"} if name in MEASURES else {})
    return xarray.Dataset(columns, attrs=facts(run)).set_coords(
        [name for name in ("step", "time") if name in columns]
    )


def _write_parquet(run: Run, temporaries: list[Path], progress: Progress) -> None:
    with needs("analysis"):
        import pyarrow
        import pyarrow.parquet

    about = {key: str(value) for key, value in facts(run).items()}
    schema = table_schema(run).to_frame().to_arrow().schema.with_metadata(about)
    with pyarrow.parquet.ParquetWriter(temporaries[0], schema, compression="zstd") as writer:
        for table in _tables(run, progress):
            writer.write_table(table.to_arrow().cast(schema))
    for name, temporary in zip(("metrics", "events"), temporaries[1:], strict=True):
        lazy_frame(run, name).collect().write_parquet(temporary)


def _write_csv(run: Run, temporaries: list[Path], progress: Progress) -> None:
    with temporaries[0].open("wb") as file:
        table_schema(run).to_frame().write_csv(file)
        for table in _tables(run, progress):
            table.write_csv(file, include_header=False)
    for name, temporary in zip(("metrics", "events"), temporaries[1:], strict=True):
        lazy_frame(run, name).collect().write_csv(temporary)


def _tables(run: Run, progress: Progress) -> Iterator[Any]:
    with needs("analysis"):
        import polars

    for block in _blocks(run.frames, progress):
        yield polars.concat(
            [table_schema(run).to_frame(), *(frame_table(run, frame) for frame in run.frames[block])]
        )


WRITERS = {"zarr": _write_zarr, "parquet": _write_parquet, "csv": _write_csv}
