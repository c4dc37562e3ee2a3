"""The flock as the page receives it: a header and eight bytes for each agent (see docs/live-view.md)."""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from murmura.compute.plan import own_columns
from murmura.core.state import DTYPE
from murmura.engine.reading.reader import Reader
from murmura.scenario import Scenario
from murmura.view.wire.space_frames import columns_sent, encode_space

MAGIC = b"MRM1"
HEADER = struct.Struct("<4sIIIffffIHBBff")
MOST_SENT = 200_000
LOOKS = json.loads((resources.files("murmura") / "looks.json").read_text(encoding="utf-8"))
EXTRAS: dict[str, tuple[int, str, float]] = {
    name: (facts["number"], facts["column"], facts["top"])
    for name, facts in LOOKS["modes"].items()
    if "number" in facts
}
"""What byte 7 of an agent can contain: its number, the column, and the value that 255 represents."""


def extras_of(scenario: Scenario) -> list[str]:
    """The extras that agents of a scenario have."""
    there = {*(DTYPE.names or ()), *own_columns(scenario)}
    return [name for name, (_, column, _) in EXTRAS.items() if column in there]


def stances_of(scenario: Scenario) -> list[str]:
    """Names of the numbers in the stance column, from 0; empty if no rule defines them."""
    for _, rule in scenario.rules:
        codes = rule.codes.get("stance") if rule.enabled else None
        if codes is not None:
            names = {int(code): code.name.lower() for code in codes}
            return [names.get(number, str(number)) for number in range(max(names) + 1)]
    return []


def encode(simulation: Reader, epoch: int, extra: str = "density", roster: int = 0) -> bytes:
    """Encode one frame; very large flocks send every n-th agent by id."""
    scenario, total = simulation.scenario, simulation.agent_count
    stride = max(1, -(-total // MOST_SENT))
    number, column, scale = EXTRAS[extra if extra in extras_of(scenario) else "density"]
    if scenario.world.depth is not None:
        return _encode_in_space(simulation, epoch, roster, stride, (number, column, scale))
    names = ("position_x", "position_y", "velocity_x", "velocity_y", "heading", "species_id", column)
    rows, (x, y, vx, vy, heading, species, more) = simulation.read_unordered(names)
    more = more.astype(np.float32, copy=False)
    left, top, width, height = _window(scenario.world, x, y)
    top_speed = 1.6 * scenario.motion.top_speed
    count = -(-total // stride)
    words = np.empty((HEADER.size // 8 + count, 2), np.uint32)
    _packer()(
        rows.astype(np.int32, copy=False), stride, x, y, vx, vy, heading, species.astype(np.int32, copy=False), more,
        left, top, 65535.0 / width, 65535.0 / height, 255.0 / top_speed, 255.0 / scale, words[HEADER.size // 8 :],
    )  # fmt: skip
    flags = (scenario.world.boundary == "wrap") | (roster & 127) << 1
    HEADER.pack_into(
        words.data, 0, MAGIC, simulation.step_count & 0xFFFFFFFF, count, total, left, top, width, height,
        epoch, stride, number, flags, scenario.motion.time_step, top_speed,
    )  # fmt: skip
    return words.tobytes()


def _encode_in_space(
    simulation: Reader, epoch: int, roster: int, stride: int, extra: tuple[int, str, float]
) -> bytes:
    scenario, total = simulation.scenario, simulation.agent_count
    number, column, scale = extra
    names = columns_sent(own_columns(scenario), column)
    rows, found = simulation.read_unordered(names)
    facts = {
        "step": simulation.step_count & 0xFFFFFFFF, "count": -(-total // stride), "total": total, "epoch": epoch,
        "stride": stride, "number": number, "scale": scale, "top_speed": 1.6 * scenario.motion.top_speed,
        "flags": (scenario.world.boundary == "wrap") | (roster & 127) << 1,
    }  # fmt: skip
    return encode_space(simulation, rows, dict(zip(names, found, strict=True)), found[-1], facts)


def _packer() -> Callable[..., None]:
    """The compiled function once `load_packer` has run, else the NumPy one: the first picture needs no compiler."""
    return _compiled_packer or pack_with_numpy


def load_packer() -> None:
    """Compile the function that packs agents, or load it from disk. Slow: call it from a background thread."""
    global _compiled_packer
    from murmura.compute.cpu.scatter import FUNCTIONS, pack

    FUNCTIONS.prepare()
    _compiled_packer = pack


@cache
def load_packer_soon() -> None:
    """Load it in a background thread."""
    if _compiled_packer is None:
        threading.Thread(target=load_packer, name="murmura-packer", daemon=True).start()


_compiled_packer: Callable[..., None] | None = None


def pack_with_numpy(
    rows: Any, stride: int, x: Any, y: Any, vx: Any, vy: Any, heading: Any, species: Any, extra: Any,
    left: float, top: float, per_width: float, per_height: float, per_speed: float, per_extra: float, words: Any,
) -> None:  # fmt: skip
    """The same as `compute.cpu.scatter.pack`, bit for bit, in NumPy."""
    sent = rows % stride == 0
    k = rows[sent] // stride
    x, y, vx, vy, heading, species, extra = (each[sent] for each in (x, y, vx, vy, heading, species, extra))
    across = np.clip((x - np.float64(left)) * per_width + 0.5, 0.0, 65535.0).astype(np.uint32)
    down = np.clip((y - np.float64(top)) * per_height + 0.5, 0.0, 65535.0).astype(np.uint32)
    turn = (heading * np.float64(40.74366543152521) + 1024.0).astype(np.int32) & 255
    speed = np.minimum(np.sqrt(vx * vx + vy * vy) * np.float64(per_speed), 255.0).astype(np.uint32)
    more = np.clip(extra * np.float64(per_extra), 0.0, 255.0).astype(np.uint32)
    words[k, 0] = across | down << 16
    words[k, 1] = turn.astype(np.uint32) | speed << 8 | (species & 255).astype(np.uint32) << 16 | more << 24


def _window(world: Any, x: np.ndarray, y: np.ndarray) -> tuple[float, float, float, float]:
    """The area that 0..65535 covers: the world, or in an open one the box around all agents."""
    if world.boundary != "open" or not len(x):
        return 0.0, 0.0, float(world.width), float(world.height)
    left, top = float(x.min()), float(y.min())
    return left, top, max(float(x.max()) - left, 1.0), max(float(y.max()) - top, 1.0)
