"""A flock in space as the page receives it: a header and eleven bytes for each agent (see docs/live-view.md).

Positions and directions come first, eight bytes each, then appearance, three bytes each: both blocks are uploaded to
the GPU unchanged.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.engine.reading.reader import Reader

MAGIC = b"MRM3"
HEADER = struct.Struct("<4sIIIffffIHBBffffII")
AGENT_BYTES = 11
SPEEDS, ROLLS, KINDS = 31, 31, 64
"""Greatest numbers of five bits for speed and roll; six bits are left for the species."""
STEEPEST = np.pi / 2
"""Roll [rad] that the greatest number represents; the least one represents as much to the right."""
BANK = 1.5
"""Tangent of the roll in a turn at full force, if no rule sets the roll."""
AXES = ("x", "y", "z")
HALF = np.float32(0.5)

Columns = dict[str, NDArray[Any]]


def columns_sent(own: Collection[str], extra: str) -> tuple[str, ...]:
    """Names of the columns that a frame needs."""
    motion = tuple(f"{what}_{axis}" for what in ("position", "velocity") for axis in AXES)
    turning = ("roll",) if "roll" in own else tuple(f"acceleration_{axis}" for axis in AXES)
    return (*motion, "heading", "species_id", *turning, extra)


def encode_space(
    simulation: Reader, rows: NDArray[Any], columns: Columns, extra: NDArray[Any], facts: dict[str, Any]
) -> bytes:
    """Encode one frame. `facts` are the header fields shared with frames of a plane, and the scale of `extra`."""
    world, motion = simulation.scenario.world, simulation.scenario.motion
    low, sides = window_of(world, [columns[f"position_{axis}"] for axis in AXES])
    stride, count = facts["stride"], facts["count"]
    if stride > 1:
        sent = rows % stride == 0
        rows, extra = rows[sent] // stride, extra[sent]
        columns = {name: column[sent] for name, column in columns.items()}
    x, y, z = (
        np.clip((columns[f"position_{axis}"] - np.float32(low[k])) * np.float32(65535.0 / sides[k]) + HALF, 0, 65535)
        .astype(np.uint32)
        for k, axis in enumerate(AXES)
    )  # fmt: skip
    ahead, speed = directions(columns)
    words = np.zeros((count, 2), np.uint32)
    words[rows, 0], words[rows, 1] = x | y << 16, z | octahedral(*ahead) << 16
    looks = np.zeros((count, 3), np.uint8)
    roll = rolls(columns, ahead, motion.max_force)
    pace = np.minimum(speed * np.float32(SPEEDS / facts["top_speed"]) + HALF, SPEEDS).astype(np.uint16)
    lean = np.clip(
        (roll * np.float32(1.0 / STEEPEST) + 1.0) * np.float32(ROLLS / 2.0) + HALF, 0, ROLLS
    ).astype(np.uint16)
    packed = pace | lean << 5 | (columns["species_id"].astype(np.int32) % KINDS).astype(np.uint16) << 10
    looks[rows, 0], looks[rows, 1] = packed & 255, packed >> 8
    looks[rows, 2] = np.clip(extra * (255.0 / facts["scale"]), 0.0, 255.0).astype(np.uint8)
    header = HEADER.pack(
        MAGIC, facts["step"], count, facts["total"], *low[:2], *sides[:2], facts["epoch"], stride, facts["number"],
        facts["flags"], motion.time_step, facts["top_speed"], low[2], sides[2], int(world.edges[2] == "wrap"), 0,
    )  # fmt: skip
    return header + words.tobytes() + looks.tobytes()


def window_of(world: Any, places: Sequence[NDArray[Any]]) -> tuple[list[float], list[float]]:
    """The corner and the sides of the box that 0..65535 covers: the world, and on an open axis all agents."""
    low, sides = [0.0] * 3, [float(side) for side in world.sides]
    for axis, (boundary, along) in enumerate(zip(world.edges, places, strict=True)):
        if boundary == "open" and len(along):
            low[axis] = float(along.min())
            sides[axis] = max(float(along.max()) - low[axis], 1.0)
    return low, sides


def directions(columns: Columns) -> tuple[tuple[NDArray[Any], ...], NDArray[Any]]:
    """Unit vectors along which agents fly, and their speeds. An agent at rest has its horizontal heading."""
    x, y, z = (np.asarray(columns[f"velocity_{axis}"], np.float32) for axis in AXES)
    speed = np.sqrt(x * x + y * y + z * z)
    still = speed < 1e-9
    share = np.float32(1.0) / np.where(still, np.float32(1.0), speed)
    ahead: tuple[NDArray[Any], ...] = (x * share, y * share, z * share)
    if still.any():
        heading = columns["heading"][still]
        for along, value in zip(ahead, (np.cos(heading), np.sin(heading), 0.0), strict=True):
            along[still] = value
    return ahead, speed


def rolls(columns: Columns, ahead: tuple[NDArray[Any], ...], max_force: float) -> NDArray[Any]:
    """Roll of each agent to the left [rad]: from its flight rule, or else estimated from its turn."""
    if "roll" in columns:
        return np.asarray(columns["roll"], np.float32)
    x, y, _ = ahead
    flat = np.maximum(np.sqrt(x * x + y * y), np.float32(1e-6))
    sideways = (columns["acceleration_y"] * x - columns["acceleration_x"] * y) / flat
    return np.asarray(np.arctan(sideways * np.float32(BANK / max(max_force, 1e-9))), np.float32)


def octahedral(x: NDArray[Any], y: NDArray[Any], z: NDArray[Any]) -> NDArray[np.uint32]:
    """Unit vectors in two bytes each: the octahedron around the origin, its lower half folded out (Meyer 2010)."""
    share = 1.0 / (np.abs(x) + np.abs(y) + np.abs(z))
    x, y = x * share, y * share
    below = z < 0.0
    u = np.where(below, np.copysign(1.0 - np.abs(y), x), x)
    v = np.where(below, np.copysign(1.0 - np.abs(x), y), y)
    one, other = ((each * np.float32(127.5) + np.float32(128.0)).astype(np.uint32) for each in (u, v))
    return np.asarray(one | other << 8, np.uint32)
