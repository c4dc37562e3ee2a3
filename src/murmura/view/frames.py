"""The flock as the page receives it: a header and eight bytes for each agent (see docs/live-view.md)."""

from __future__ import annotations

import struct

import numpy as np

from murmura.engine.simulation import Simulation

MAGIC = b"MRM1"
HEADER = struct.Struct("<4sIIIffffIHBBff")
AGENT = np.dtype(
    [("x", "<u2"), ("y", "<u2"), ("heading", "u1"), ("speed", "u1"), ("species", "u1"), ("extra", "u1")]
)
MOST_SENT = 200_000
EXTRAS = {
    "density": (0, "local_density", 60.0),
    "panic": (1, "panic_level", 1.0),
    "energy": (2, "energy", 1.0),
}


def encode(simulation: Simulation, epoch: int, extra: str = "density") -> bytes:
    """One frame; of very large flocks every n-th agent by id."""
    state, scenario = simulation.state, simulation.scenario
    stride = max(1, -(-len(state) // MOST_SENT))
    x, y = state["position_x"][::stride], state["position_y"][::stride]
    left, top, width, height = _window(scenario.world, x, y)
    top_speed = 1.6 * scenario.motion.top_speed
    number, column, scale = EXTRAS[extra]
    agents = np.empty(len(x), AGENT)
    agents["x"] = np.clip((x - left) * (65535.0 / width), 0, 65535)
    agents["y"] = np.clip((y - top) * (65535.0 / height), 0, 65535)
    turn = np.floor(state["heading"][::stride] * (256.0 / (2.0 * np.pi)))
    agents["heading"] = turn.astype(np.int32) & 255
    speed = np.hypot(state["velocity_x"][::stride], state["velocity_y"][::stride])
    agents["speed"] = np.minimum(speed * (255.0 / top_speed), 255.0)
    agents["species"] = state["species_id"][::stride]
    agents["extra"] = np.clip(state[column][::stride] * (255.0 / scale), 0.0, 255.0)
    header = HEADER.pack(
        MAGIC, simulation.step_count & 0xFFFFFFFF, len(x), len(state), left, top, width, height, epoch, stride, number,
        scenario.world.boundary == "wrap", scenario.motion.time_step, top_speed,
    )  # fmt: skip
    return header + agents.tobytes()


def _window(world: object, x: np.ndarray, y: np.ndarray) -> tuple[float, float, float, float]:
    """What 0..65535 stands for: the world, or in an open one the box around everybody."""
    width, height = float(world.width), float(world.height)  # type: ignore[attr-defined]
    if world.boundary != "open" or not len(x):  # type: ignore[attr-defined]
        return 0.0, 0.0, width, height
    left, top = float(x.min()), float(y.min())
    return left, top, max(float(x.max()) - left, 1.0), max(float(y.max()) - top, 1.0)
