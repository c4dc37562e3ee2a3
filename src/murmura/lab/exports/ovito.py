"""Extended XYZ, which OVITO, ASE and others read: ids are Particle Identifiers, species and kinds of hunters types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from murmura.engine.reading.frame import Frame
from murmura.lab.exports.particles import particles_of, type_names
from murmura.lab.runs.run import Run


def write_ovito(run: Run, paths: list[Path], progress: Callable[[int, int], None]) -> None:
    names = np.array(type_names(run))
    with paths[0].open("w", encoding="utf-8") as file:
        for number, frame in enumerate(run.frames):
            found = particles_of(run, frame)
            file.write(f"{len(found.ids)}\n{_comment(run, frame)}\n")
            rows = zip(found.ids, names[found.types], found.positions, found.velocities, strict=True)
            file.writelines(
                f"{i} {name} {p[0]:.9g} {p[1]:.9g} {p[2]:.9g} {v[0]:.9g} {v[1]:.9g} {v[2]:.9g}\n"
                for i, name, p, v in rows
            )
            progress(number + 1, len(run.frames))


def _comment(run: Run, frame: Frame) -> str:
    """The second line of a frame: the box, its edges, and what the columns are."""
    width, height, depth = [*run.scenario.world.sides, 1.0][:3]
    edges = [edge == "wrap" for edge in (*run.scenario.world.edges, "open")][:3]
    return (
        f'Lattice="{width!r} 0 0 0 {height!r} 0 0 0 {depth!r}" Origin="0 0 0" '
        f'pbc="{" ".join("T" if wraps else "F" for wraps in edges)}" '
        f"Properties=id:I:1:species:S:1:pos:R:3:velo:R:3 Step={frame.step} Time={frame.time!r}"
    )
