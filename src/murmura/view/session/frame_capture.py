"""Takes the frames that a session publishes: one may need time to come from a device, and knows who is in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.engine.simulation import Simulation
from murmura.engine.snapshot import Snapshot
from murmura.view.session.scene import Scene
from murmura.view.wire.frames import encode
from murmura.view.wire.scenery import scene_of


class Exposure:
    """The frame that is being taken, if any."""

    def __init__(self) -> None:
        self._arriving: tuple[int, Simulation | Snapshot] | None = None
        self._alive: Any = None  # ids in the frame before
        self._roster = 0  # another number whenever they changed

    def take(self, scene: Scene, extra: str) -> tuple[dict[str, Any], bytes] | None:
        """The things around the flock and a frame of it; None while they are still on their way."""
        if self._arriving is None or self._arriving[0] != scene.epoch:
            self._arriving = (scene.epoch, scene.simulation.look())
        seen = self._arriving[1]
        if not seen.ready:
            return None
        self._arriving = None
        return scene_of(seen), encode(seen, scene.epoch, extra, self._count(seen.roster))

    def _count(self, alive: Any) -> int:
        if alive is not self._alive and not np.array_equal(alive, self._alive):
            self._roster += 1
        self._alive = alive
        return self._roster
