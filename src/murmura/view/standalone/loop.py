"""Recorded frames that a file carries: what a browser without WebGPU shows, and what a recorded run is.

Frames are those of the live view (view/wire/frames.py). Agents fly on much as before, so of each plane (across, down,
heading, speed, species, extra) only the difference from that is kept, and no finer than the eye sees: that packs well.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario
from murmura.view.playback.recorded import RecordedSource, Recording
from murmura.view.wire.frames import HEADER, encode
from murmura.view.wire.hello import hello_facts
from murmura.view.wire.space_frames import HEADER as SPACE_HEADER
from murmura.view.wire.space_frames import MAGIC as SPACE_MAGIC

MOST_AGENT_FRAMES = 120_000
"""Agents times frames of a loop that goes with a live page; of a run that is a page of its own, MOST_OF_A_RUN."""
MOST_OF_A_RUN = 300_000
MOST_FRAMES, LEAST_FRAMES = 300, 40
LONGEST_LOOP = 20.0
"""[s] of simulated time."""


@dataclass(frozen=True)
class Packing:
    """How frames are taken apart: the numbers of an agent, in planes, of which the first `wide` are places."""

    header: int
    wide: int
    coarse: tuple[int, ...]
    """Lower bits of each plane that are dropped: places are told to an eight thousandth of the world."""
    bits: tuple[int, ...]
    planes: Callable[[bytes, int], tuple[Any, ...]]


def _plane_parts(frame: bytes, count: int) -> tuple[Any, ...]:
    """Across, down, heading, speed, species, extra."""
    words = np.frombuffer(frame, np.uint32, 2 * count, HEADER.size).astype(np.int64)
    first, second = words[::2], words[1::2]
    return first & 0xFFFF, first >> 16, *(second >> 8 * k & 0xFF for k in range(4))


def _space_parts(frame: bytes, count: int) -> tuple[Any, ...]:
    """Across, down, up, two bytes of direction, speed, roll, species, extra."""
    words = np.frombuffer(frame, np.uint32, 2 * count, SPACE_HEADER.size).astype(np.int64)
    looks = np.frombuffer(frame, np.uint8, 3 * count, SPACE_HEADER.size + 8 * count).astype(np.int64)
    first, second, look = words[::2], words[1::2], looks[::3] | looks[1::3] << 8
    places = (first & 0xFFFF, first >> 16, second & 0xFFFF)
    return *places, second >> 16 & 0xFF, second >> 24, look & 31, look >> 5 & 31, look >> 10, looks[2::3]


PLANE = Packing(HEADER.size, 2, (3, 3, 3, 4, 0, 4), (13, 13, 5, 4, 8, 4), _plane_parts)
SPACE = Packing(
    SPACE_HEADER.size, 3, (3, 3, 3, 2, 2, 1, 1, 0, 4), (13, 13, 13, 6, 6, 4, 4, 6, 4), _space_parts
)


def recorded(scenario: Scenario, seed: int, backend: str = "auto") -> dict[str, Any]:
    """The first seconds of a scenario, as frames."""
    simulation = Simulation(scenario, seed, backend, announce=None)
    agents = max(1, simulation.agent_count)
    frames = max(LEAST_FRAMES, min(MOST_FRAMES, MOST_AGENT_FRAMES // agents))
    every = max(1, round(LONGEST_LOOP / scenario.motion.time_step / frames))
    return loop_of(_stepping(simulation, frames, every), MOST_AGENT_FRAMES)


def _stepping(simulation: Simulation, frames: int, every: int) -> Iterator[bytes]:
    for _ in range(frames):
        yield encode(simulation, 1)
        simulation.step(every)


def played(recording: Recording) -> Iterator[bytes]:
    """Frames of a recorded run: at most MOST_FRAMES of them, spread evenly."""
    source = RecordedSource(recording)
    steps = [int(step) for step in recording.steps]
    for step in steps[:: -(-len(steps) // MOST_FRAMES)]:
        source.seek(step)
        yield encode(source.flock, 1)


def loop_of(frames: Iterable[bytes], most: int = MOST_OF_A_RUN) -> dict[str, Any]:
    """Frames, packed; of many agents every n-th, so that `most` agents times frames are kept."""
    told = list(frames)
    packing = SPACE if told and told[0][:4] == SPACE_MAGIC else PLANE
    headers, planes = [], []
    counts = [int(HEADER.unpack_from(frame)[2]) for frame in told]
    share = max(1, -(-sum(counts) // most))
    before = earlier = np.zeros((0, len(packing.bits)), np.int32)
    for frame, count in zip(told, counts, strict=True):
        header = bytearray(frame[: packing.header])
        parts = np.stack(packing.planes(frame, count), axis=1)[::share].astype(np.int32)
        now = parts >> np.array(packing.coarse)
        change = now - _expected(before, earlier, len(now), packing.wide) & (1 << np.array(packing.bits)) - 1
        wide, narrow = change[:, : packing.wide], change[:, packing.wide :]
        planes.append(wide.astype("<u2").T.tobytes() + narrow.astype(np.uint8).T.tobytes())
        header[8:12] = np.uint32(len(now)).tobytes()
        header[36:38] = np.uint16(share).tobytes()
        headers.append(bytes(header))
        before, earlier = now, before
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(b"".join(planes)) + packed.flush()
    return {
        "headers": base64.b64encode(b"".join(headers)).decode(),
        "planes": base64.b64encode(body).decode(),
        "frames": len(told),
        "packing": {name: getattr(packing, name) for name in ("header", "wide", "coarse", "bits")},
    }


def _expected(before: Any, earlier: Any, count: int, wide: int) -> Any:
    """Where agents would be if they flew on as before; other planes as they were."""
    if len(before) != count:
        return np.zeros((count, before.shape[1]), np.int32)
    if len(earlier) != count:
        return before
    flown = before.copy()
    flown[:, :wide] += before[:, :wide] - earlier[:, :wide]
    return flown


def hello_of(scenario: Scenario, seed: int, label: str = "") -> dict[str, Any]:
    """What a page must know to show frames of a scenario."""
    found = hello_facts(scenario)
    del found["schema"], found["scenarios"]
    own = {
        "type": "hello",
        "seed": seed,
        "running": True,
        "speed": 1.0,
        "loaded": found["scenario"],
        "places": [],
    }
    return found | own | {"hunters": []} | ({"label": label} if label else {})
