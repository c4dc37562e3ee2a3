"""Who perceives whom, frame by frame: as sparse arrays and graphs, and as Parquet or GraphML."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import RunError, ScenarioError, UnknownNameError, nearest
from murmura.core.extras import needs
from murmura.core.layout import AXES
from murmura.core.request import check_free
from murmura.engine.reading.frame import Frame
from murmura.engine.simulation import Simulation
from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.runs.run import Run
from murmura.lab.units import per_second

Progress = Callable[[int, int], None]
FORMS = ("scipy", "networkx")


def network(run: Run, frame: Frame) -> Any:
    """Who perceives whom in a frame: a sparse array of bool, rows and columns in the order of the frame's ids."""
    if not frame.agent_count:
        from scipy.sparse import csr_array

        return csr_array((0, 0), dtype=bool)
    return _at(run, frame).network()


def _at(run: Run, frame: Frame) -> Simulation:
    """The flock of a frame. Columns that were not recorded have their defaults, which must not matter."""
    run.check_known()
    simulation = Simulation(
        run.scenario, run.seed, "reference", positions=frame.positions, velocities=frame.velocities,
        species=frame.species, ids=frame.ids, first_step=frame.step,
    )  # fmt: skip
    state = simulation.state.copy()
    for name in state.columns:
        if name in frame.columns:
            state[name][:] = frame.columns[name]
    simulation.load_state(state)
    missing = [name for name in _deciding(simulation) if name not in frame.columns]
    if missing:
        raise RunError(
            f"in {run.scenario.name} what an agent perceives depends on {', '.join(missing)}, which the frames of "
            f"{run.folder} do not have; record them: --columns {','.join(missing)}"
        )
    return simulation


def _deciding(simulation: Simulation) -> list[str]:
    """Columns that may change how far or how wide an agent sees: those of rules that scale numbers or alert."""
    plan = simulation._plan
    functions = [group.functions for group in plan.rule_groups]
    if not any(each.modulate is not None or each.alert is not None for each in functions):
        return []
    return sorted({*plan.carried} - {"species"})


def graph(run: Run, frame: Frame, to: str) -> Any:
    """The same as a directed graph of networkx, with what is known of each agent."""
    if to not in FORMS:
        raise UnknownNameError(
            f"no form of a network is called {to!r}{nearest(to, FORMS)}; known: {', '.join(FORMS)}"
        )
    with needs("networks"):
        import networkx
    found = networkx.DiGraph(step=frame.step, time=frame.time)
    for agent, about in _agents(run, frame):
        found.add_node(agent, **about)
    found.add_edges_from(edges(run, frame).tolist())
    return found


def edges(run: Run, frame: Frame) -> NDArray[np.int32]:
    """Pairs of ids, who perceives and who is perceived, shape (edges, 2), in ascending order."""
    pairs = network(run, frame).tocoo()
    order = np.lexsort((pairs.col, pairs.row))
    return np.stack([frame.ids[pairs.row[order]], frame.ids[pairs.col[order]]], axis=1)


def _agents(run: Run, frame: Frame) -> Iterator[tuple[int, dict[str, Any]]]:
    """The id of each agent, its species, position [u] and velocity [u/s]."""
    names, axes = run.scenario.species_names(), AXES[: frame.positions.shape[1]]
    velocities = per_second(run.scenario, frame.velocities)
    columns = [f"{vector}_{axis}" for vector in ("position", "velocity") for axis in axes]
    rows = np.concatenate([frame.positions, velocities], axis=1).astype(float).tolist()
    for agent, species, row in zip(frame.ids.tolist(), frame.species.tolist(), rows, strict=True):
        yield agent, {"species": names[species], **dict(zip(columns, row, strict=True))}


def export_edges(run: Run, out: Path, progress: Progress | None = None, force: bool = False) -> int:
    """Write who perceives whom in every frame.

    Args:
        run: The run.
        out: A .parquet file with a row for each edge (step, time, id, perceives), or a .graphml file with a directed
            graph for each frame.
        progress: Called with the number of frames done and their total.
        force: Whether to overwrite an existing file.

    Returns:
        The number of edges.
    """
    if out.suffix not in WRITERS:
        raise ScenarioError(f"--edges must end in {' or '.join(WRITERS)}, got {out.name!r}")
    check_free(out, force=force)
    with atomic_write(out, comfort=". The run itself is untouched") as (temporary,):
        return WRITERS[out.suffix](run, temporary, progress or (lambda done, count: None))


def _write_parquet(run: Run, path: Path, progress: Progress) -> int:
    with needs("analysis"):
        import pyarrow
        import pyarrow.parquet
    kinds = {
        "step": pyarrow.int64(),
        "time": pyarrow.float64(),
        "id": pyarrow.int32(),
        "perceives": pyarrow.int32(),
    }
    schema = pyarrow.schema(kinds.items()).with_metadata(
        {"units": '{"time": "s"}', "scenario": run.scenario.name}
    )
    total = 0
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for number, frame in enumerate(run.frames):
            pairs = edges(run, frame)
            ends = [pairs[:, 0], pairs[:, 1]]
            same = [np.full(len(pairs), frame.step), np.full(len(pairs), frame.time)]
            writer.write_table(pyarrow.table(dict(zip(kinds, [*same, *ends], strict=True)), schema))
            total += len(pairs)
            progress(number + 1, len(run.frames))
    return total


def _write_graphml(run: Run, path: Path, progress: Progress) -> int:
    """One graph for each frame, as the format allows; written by hand, frame by frame."""
    axes = AXES[: run.scenario.world.dimension]
    numbers = [f"{vector}_{axis}" for vector in ("position", "velocity") for axis in axes]
    total = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        )
        for name, kind in {"species": "string", **dict.fromkeys(numbers, "double")}.items():
            file.write(f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n')
        file.write('<key id="time" for="graph" attr.name="time" attr.type="double"/>\n')
        for number, frame in enumerate(run.frames):
            file.write(
                f'<graph id="step{frame.step}" edgedefault="directed">\n<data key="time">{frame.time!r}</data>\n'
            )
            for agent, about in _agents(run, frame):
                data = "".join(f'<data key="{key}">{value}</data>' for key, value in about.items())
                file.write(f"<node id={quoteattr(str(agent))}>{data}</node>\n")
            pairs = edges(run, frame).tolist()
            file.writelines(f'<edge source="{one}" target="{other}"/>\n' for one, other in pairs)
            file.write("</graph>\n")
            total += len(pairs)
            progress(number + 1, len(run.frames))
        file.write("</graphml>\n")
    return total


WRITERS = {".parquet": _write_parquet, ".graphml": _write_graphml}
