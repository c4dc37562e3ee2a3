"""Frames of a run as xarray and polars tables. Frames are read only when their values are needed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import RunError, UnknownNameError, nearest
from murmura.core.extras import needs
from murmura.core.layout import AXES
from murmura.engine.reading.frame import Frame
from murmura.lab.damage import DamageError, warn_of_damage
from murmura.lab.files.json_lines import read_text
from murmura.lab.runs.reading.frames import Frames
from murmura.lab.units import PER_SECOND, cf_unit, per_second, unit_of

if TYPE_CHECKING:
    import polars
    import xarray

    from murmura.lab.runs.run import Run

VECTORS = ("position", "velocity")
ABSENT = -1
"""The species of an agent that is not alive."""


def dataset(run: Run, chosen: Frames | None = None) -> xarray.Dataset:
    """Variables over (step, agent) and (step, agent, axis), of all or selected frames.

    An agent that is not alive at a step is NaN there, and so are all agents in a damaged frame, which is reported.
    Whole numbers have no NaN: without births and deaths, reading them from a damaged frame is an error.
    """
    with needs("analysis"):
        import xarray

    frames = run.frames if chosen is None else chosen
    lazy = _lazy_class()
    agents, axes = frames.all_ids, _axes(run)
    variables: dict[str, Any] = {
        "position": (
            ("step", "agent", "axis"),
            lazy(frames, agents, "positions", len(axes)),
            {"units": cf_unit("u"), "long_name": "position"},
        ),
        "velocity": (
            ("step", "agent", "axis"),
            lazy(frames, agents, "velocities", len(axes)),
            {"units": cf_unit(PER_SECOND), "long_name": "velocity"},
        ),
        "species": (("step", "agent"), lazy(frames, agents, "species"), _species(run)),
    }
    for name in frames.columns:
        variables[name] = (("step", "agent"), lazy(frames, agents, name), {"units": cf_unit(unit_of(name))})
    coordinates = {
        "step": ("step", frames.steps, {"long_name": "steps done"}),
        "time": (
            "step",
            frames.times,
            {"standard_name": "time", "long_name": "simulated time", "units": "s", "axis": "T"},
        ),
        "agent": ("agent", agents, {"long_name": "id of the agent", "cf_role": "trajectory_id"}),
        "axis": ("axis", list(axes)),
    }
    lazily = xarray.core.indexing.LazilyIndexedArray
    return xarray.Dataset(
        {name: (names, lazily(array), about) for name, (names, array, about) in variables.items()},
        coordinates,
        {"Conventions": "CF-1.11", "length_unit": "u, the scenario's own", **facts(run)},
    ).set_xindex("time")


def facts(run: Run) -> dict[str, Any]:
    """Metadata of an export: plain values that every format supports."""
    world = run.scenario.world
    return {
        "title": f"{run.scenario.name}, seed {run.seed}",
        "source": f"murmura {run.manifest['murmura']}",
        "seed": str(run.seed),  # too large for a signed integer
        "backend": run.manifest["backend"],
        "status": run.status,
        "final_hash": run.final_hash or "",
        "world_width": world.width,
        "world_height": world.height,
        **({} if world.depth is None else {"world_depth": world.depth, "boundary_z": world.edges[2]}),
        "boundary": world.boundary,
        "time_step": run.scenario.motion.time_step,
        "scenario": json.dumps(run.scenario.model_dump(mode="json")),
    }


def _axes(run: Run) -> tuple[str, ...]:
    return AXES[: run.scenario.world.dimension]


def _species(run: Run) -> dict[str, Any]:
    names = run.scenario.species_names()
    absent = {ABSENT: "absent"} if run.frames.population_changes else {}
    flags = absent | dict(enumerate(names))
    return {"units": "1", "flag_values": list(flags), "flag_meanings": " ".join(flags.values())}


def _values(frames: Frames, frame: Frame, name: str) -> NDArray[Any]:
    found: NDArray[Any] = frame.columns[name] if name in frame.columns else getattr(frame, name)
    return per_second(frames.scenario, found) if name == "velocities" else found


def _lazy_class() -> Callable[..., Any]:
    """xarray's lazily read array; defined here because xarray is imported only when needed."""
    from xarray.backends import BackendArray
    from xarray.core.indexing import IndexingSupport, explicit_indexing_adapter

    class LazyArray(BackendArray):  # type: ignore[misc]
        def __init__(self, frames: Frames, agents: NDArray[np.int32], name: str, width: int = 0) -> None:
            self._frames, self._agents, self._name = frames, agents, name
            self.shape = (len(frames), len(agents), *([width] if width else []))
            whole = name == "species" or (name in frames.columns and frames.is_whole(name))
            # Whole numbers have no NaN for absent agents; a species has the number -1 then.
            number = np.float64 if frames.population_changes and name != "species" else np.int32
            self.dtype = np.dtype(number if whole else np.float32)

        def __getitem__(self, key: Any) -> Any:
            return explicit_indexing_adapter(key, self.shape, IndexingSupport.OUTER, self._read)

        def _read(self, key: tuple[Any, ...]) -> Any:
            chosen = np.atleast_1d(np.arange(len(self._frames))[key[0]])
            absent = np.nan if self.dtype.kind == "f" else ABSENT
            found = np.full((len(chosen), *self.shape[1:]), absent, self.dtype)
            for row, number in enumerate(chosen):
                try:
                    frame = self._frames[int(number)]
                except DamageError as error:
                    if self.dtype.kind != "f":
                        raise
                    warn_of_damage(error.damage)
                    continue
                found[row, np.searchsorted(self._agents, frame.ids)] = _values(
                    self._frames, frame, self._name
                )
            if isinstance(key[0], int | np.integer):
                found, rest = found[0], key[1:]
            else:
                rest = (slice(None), *key[1:])
            for axis, part in enumerate(rest):  # one after the other, because each selects along its own axis
                if not isinstance(part, int | np.integer):
                    found = found[(slice(None),) * axis + (part,)]
            whole = tuple(part if isinstance(part, int | np.integer) else slice(None) for part in rest)
            return found[whole]

    return LazyArray


def lazy_frame(run: Run, table: str) -> polars.LazyFrame:
    """One of the run's tables."""
    with needs("analysis"):
        from polars.io.plugins import register_io_source

    if table in ("metrics", "events"):
        return _rows(run, table)
    if table != "trajectory":
        known = ("trajectory", "metrics", "events")
        raise UnknownNameError(
            f"no table is called {table!r}{nearest(table, known)}; known: {', '.join(known)}"
        )

    def read(
        columns: list[str] | None, predicate: Any, limit: int | None, batch: int | None
    ) -> Iterator[polars.DataFrame]:
        left = limit
        for frame in run.frames:
            rows = frame_table(run, frame)
            rows = rows if left is None else rows.head(left)
            left = None if left is None else left - len(rows)
            rows = rows if predicate is None else rows.filter(predicate)
            yield rows if columns is None else rows.select(columns)
            if left == 0:
                return

    return register_io_source(read, schema=table_schema(run))


def table_schema(run: Run) -> Any:
    with needs("analysis"):
        import polars

    columns = {
        name: polars.Int32 if run.frames.is_whole(name) else polars.Float32
        for name in _own_columns(run.frames)
    }
    return polars.Schema(
        {"step": polars.Int64, "time": polars.Float64, "id": polars.Int32, "species": polars.String}
        | {f"{vector}_{axis}": polars.Float32 for vector in VECTORS for axis in _axes(run)}
        | columns
    )


def frame_table(run: Run, frame: Frame) -> polars.DataFrame:
    """A frame with one row for each agent."""
    import polars

    names = polars.Series(run.scenario.species_names())
    columns = {
        "step": np.full(frame.agent_count, frame.step, np.int64),
        "time": np.full(frame.agent_count, frame.time),
        "id": frame.ids,
        "species": names.gather(frame.species),
    }
    for vector, values in zip(
        VECTORS, (frame.positions, per_second(run.scenario, frame.velocities)), strict=True
    ):
        columns |= {f"{vector}_{axis}": values[:, k] for k, axis in enumerate(_axes(run))}
    return polars.DataFrame(
        columns | {name: frame.columns[name] for name in _own_columns(run.frames)}, table_schema(run)
    )


def _own_columns(frames: Frames) -> list[str]:
    return [name for name in frames.columns if not name.startswith("position_")]


def _rows(run: Run, table: str) -> polars.LazyFrame:
    """Metrics or events; incomplete and damaged lines are left out."""
    import polars

    path = run.folder / f"{table}.jsonl"
    text = read_text(path, run.manifest["counts"].get(path.name))
    try:
        return (
            polars.read_ndjson(io.BytesIO(text), infer_schema_length=None).lazy()
            if text
            else polars.LazyFrame()
        )
    except polars.exceptions.PolarsError as error:
        raise RunError(f"{path} is damaged: {error}") from None
