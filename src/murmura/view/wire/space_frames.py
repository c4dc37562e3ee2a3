"""A flock in space as the page receives it: a header and eleven bytes for each agent (see docs/live-view.md).

Places and directions come first, eight bytes each, then appearance, three bytes each: both blocks go to
a graphics card unchanged.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
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
"""Roll [rad] that the greatest number stands for; the least one stands for as much to the right."""
BANK = 1.5
"""Tangent of the roll with which a turn at full force is drawn, where no rule says how steep it is flown."""
AXES = ("x", "y", "z")

Columns = dict[str, NDArray[Any]]


def columns_sent(own: Collection[str], extra: str) -> tuple[str, ...]:
    """Names of the columns that a frame is made of."""
    motion = tuple(f"{what}_{axis}" for what in ("position", "velocity") for axis in AXES)
    turning = ("roll",) if "roll" in own else tuple(f"acceleration_{axis}" for axis in AXES)
    return (*motion, "heading", "species_id", *turning, extra)


def encode_space(
    simulation: Reader, rows: NDArray[Any], columns: Columns, extra: NDArray[Any], facts: dict[str, Any]
) -> bytes:
    """One frame. `facts` are the fields of the header that frames of a plane have too, and the scale of `extra`."""
    world, motion = simulation.scenario.world, simulation.scenario.motion
    places = np.stack([columns[f"position_{axis}"] for axis in AXES], axis=1).astype(np.float64)
    low, sides = window_of(world, places)
    stride, count = facts["stride"], facts["count"]
    sent = rows % stride == 0
    into = rows[sent] // stride
    scaled = np.clip((places[sent] - low) * (65535.0 / sides) + 0.5, 0.0, 65535.0).astype(np.uint32)
    ahead, speed = directions(columns, sent)
    words = np.zeros((count, 2), np.uint32)
    words[into, 0] = scaled[:, 0] | scaled[:, 1] << 16
    words[into, 1] = scaled[:, 2] | octahedral(ahead) << 16
    looks = np.zeros((count, 3), np.uint8)
    roll = rolls(columns, ahead, sent, motion.max_force)
    pace = np.minimum(speed * (SPEEDS / facts["top_speed"]) + 0.5, SPEEDS).astype(np.uint16)
    lean = np.clip((roll / STEEPEST + 1.0) * (ROLLS / 2.0) + 0.5, 0.0, ROLLS).astype(np.uint16)
    kind = (columns["species_id"][sent].astype(np.int64) % KINDS).astype(np.uint16)
    packed = pace | lean << 5 | kind << 10
    looks[into, 0], looks[into, 1] = packed & 255, packed >> 8
    looks[into, 2] = np.clip(extra[sent] * (255.0 / facts["scale"]), 0.0, 255.0).astype(np.uint8)
    header = HEADER.pack(
        MAGIC, facts["step"], count, facts["total"], *low[:2], *sides[:2], facts["epoch"], stride, facts["number"],
        facts["flags"], motion.time_step, facts["top_speed"], low[2], sides[2], int(world.edges[2] == "wrap"), 0,
    )  # fmt: skip
    return header + words.tobytes() + looks.tobytes()


def window_of(world: Any, places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The corner and the sides of the box that 0..65535 covers: the world, and on an open axis all agents."""
    low, sides = np.zeros(3), np.array(world.sides, np.float64)
    for axis, boundary in enumerate(world.edges):
        if boundary == "open" and len(places):
            low[axis] = places[:, axis].min()
            sides[axis] = max(np.ptp(places[:, axis]), 1.0)
    return low, sides


def directions(columns: Columns, sent: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Unit vectors along which agents fly, and their speeds. Whoever stands still looks along its shadow's heading."""
    velocity = np.stack([columns[f"velocity_{axis}"][sent] for axis in AXES], axis=1).astype(np.float64)
    speed = np.linalg.norm(velocity, axis=1)
    heading = columns["heading"][sent].astype(np.float64)
    level = np.stack([np.cos(heading), np.sin(heading), np.zeros_like(heading)], axis=1)
    still = speed < 1e-9
    return np.where(still[:, None], level, velocity / np.where(still, 1.0, speed)[:, None]), speed


def rolls(columns: Columns, ahead: NDArray[Any], sent: NDArray[Any], max_force: float) -> NDArray[Any]:
    """How far each leans to the left [rad]: as its rule of flight says, else as steep as its turn is sharp."""
    if "roll" in columns:
        return np.asarray(columns["roll"][sent], np.float64)
    flat = np.maximum(np.hypot(ahead[:, 0], ahead[:, 1]), 1e-6)
    aside = (
        columns["acceleration_y"][sent] * ahead[:, 0] - columns["acceleration_x"][sent] * ahead[:, 1]
    ) / flat
    return np.asarray(np.arctan(BANK * aside / max(max_force, 1e-9)), np.float64)


def octahedral(ahead: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Unit vectors in two bytes each: the octahedron around the origin, its lower half folded out (Meyer 2010)."""
    flat = ahead / np.abs(ahead).sum(axis=1, keepdims=True)
    x, y = flat[:, 0], flat[:, 1]
    folded_x = (1.0 - np.abs(y)) * np.where(x >= 0.0, 1.0, -1.0)
    folded_y = (1.0 - np.abs(x)) * np.where(y >= 0.0, 1.0, -1.0)
    below = flat[:, 2] < 0.0
    u, v = np.where(below, folded_x, x), np.where(below, folded_y, y)
    byte = [np.clip(np.rint((each * 0.5 + 0.5) * 255.0), 0, 255).astype(np.uint32) for each in (u, v)]
    return np.asarray(byte[0] | byte[1] << 8, np.uint32)
