"""Files of VTK for ParaView: a grid of vertices for each frame, and a collection that knows their times."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.engine.reading.frame import Frame
from murmura.lab.exports.particles import particles_of
from murmura.lab.runs.run import Run

TYPES = {"float32": "Float32", "float64": "Float64", "int32": "Int32", "int64": "Int64", "uint8": "UInt8"}
VERTEX = 1
FILE = '<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n{content}\n</VTKFile>\n'


def write_vtk(run: Run, paths: list[Path], progress: Callable[[int, int], None]) -> None:
    """Write the collection, `run.pvd`, and beside it the folder of the frames."""
    collection, folder = paths
    folder.mkdir()
    name = f"{run_name(collection)}-vtk"
    lines = []
    for number, frame in enumerate(run.frames):
        file = f"{number:06d}.vtu"
        (folder / file).write_text(FILE.format(kind="UnstructuredGrid", content=_grid(run, frame)))
        lines.append(f'<DataSet timestep="{frame.time!r}" file="{name}/{file}"/>')
        progress(number + 1, len(run.frames))
    content = "<Collection>\n" + "\n".join(lines) + "\n</Collection>"
    collection.write_text(FILE.format(kind="Collection", content=content))


def run_name(temporary: Path) -> str:
    """The name without suffix of the file that a temporary one becomes: `.run.pvd.123.part`."""
    return temporary.name.removeprefix(".").partition(".pvd")[0]


def _grid(run: Run, frame: Frame) -> str:
    found = particles_of(run, frame)
    count = len(found.ids)
    missing = np.full(count - frame.agent_count, np.nan, np.float32)
    own = {
        name: np.concatenate([column.astype(np.float32), missing]) for name, column in frame.columns.items()
    }
    places = np.arange(count, dtype=np.int64)
    data: dict[str, NDArray[Any]] = {
        "id": found.ids,
        "type": found.types,
        "velocity": found.velocities,
        **own,
    }
    cells: dict[str, NDArray[Any]] = {
        "connectivity": places,
        "offsets": places + 1,
        "types": np.full(count, VERTEX, np.uint8),
    }
    sections: list[tuple[str, dict[str, NDArray[Any]]]] = [
        ("Points", {"Points": found.positions}),
        ("Cells", cells),
        ("PointData", data),
    ]
    parts = "\n".join(_section(name, arrays) for name, arrays in sections)
    return (
        f'<UnstructuredGrid>\n<Piece NumberOfPoints="{count}" NumberOfCells="{count}">\n{parts}\n'
        "</Piece>\n</UnstructuredGrid>"
    )


def _section(name: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    return "\n".join([f"<{name}>", *_arrays(arrays), f"</{name}>"])


def _arrays(arrays: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    for name, array in arrays.items():
        content = np.ascontiguousarray(array).tobytes()
        text = base64.b64encode(np.uint64(len(content)).tobytes() + content).decode()
        width = f' NumberOfComponents="{array.shape[1]}"' if array.ndim > 1 else ""
        yield f'<DataArray type="{TYPES[array.dtype.name]}" Name="{name}"{width} format="binary">{text}</DataArray>'
