"""The frames of a recorded run in an exported file.

Frames are those of the live view (view/wire). Agents keep moving almost steadily, so each plane of numbers (`planes`)
is stored as the difference from a linear extrapolation, which compresses well.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from murmura.scenario import Scenario
from murmura.view.playback.recorded import RecordedSource, Recording
from murmura.view.standalone.planes import layout_of, planes_of
from murmura.view.wire.frames import HEADER, encode
from murmura.view.wire.hello import hello_facts

MOST_OF_A_RUN = 300_000
"""Greatest number of agents times frames."""
MOST_FRAMES = 300


def played(recording: Recording) -> Iterator[bytes]:
    """Frames of a recorded run: at most MOST_FRAMES of them, spread evenly."""
    source = RecordedSource(recording)
    steps = [int(step) for step in recording.steps]
    for step in steps[:: -(-len(steps) // MOST_FRAMES)]:
        source.seek(step)
        yield encode(source.flock, 1)


def loop_of(frames: Iterable[bytes], most: int = MOST_OF_A_RUN) -> dict[str, Any]:
    """Packed frames. If there are many agents, every n-th is kept, for at most `most` agents times frames."""
    told = list(frames)
    headers, planes = [], []
    counts = [int(HEADER.unpack_from(frame)[2]) for frame in told]
    share = max(1, -(-sum(counts) // most))
    before = earlier = np.zeros((0, 0), np.int32)
    for frame in told:
        layout = layout_of(frame)
        header = bytearray(frame[: layout.header])
        now = planes_of(frame, share)
        expected = _expected(before, earlier, now, layout.places)
        change = now - expected & (1 << np.array(layout.bits)) - 1
        places, rest = change[:, : layout.places], change[:, layout.places :]
        planes.append(places.astype("<u2").T.tobytes() + rest.astype(np.uint8).T.tobytes())
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
    }


def _expected(before: Any, earlier: Any, now: Any, places: int) -> Any:
    """The linear extrapolation of positions; other planes are unchanged."""
    if before.shape != now.shape:
        return np.zeros_like(now)
    if earlier.shape != now.shape:
        return before
    flown = before.copy()
    flown[:, :places] += before[:, :places] - earlier[:, :places]
    return flown


def hello_of(scenario: Scenario, seed: int, label: str = "") -> dict[str, Any]:
    """What a page needs to show frames of a scenario."""
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
