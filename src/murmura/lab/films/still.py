"""A picture of a flock as it is now, with the trails of its last second."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.engine.simulation import Simulation
from murmura.lab.films.encode import png
from murmura.lab.films.film import TRAILS_IN_SPACE, painter_of
from murmura.lab.films.film_frames import frame_of
from murmura.lab.films.picture import Painter
from murmura.lab.films.request import Look
from murmura.scenario import Scenario
from murmura.scenario.models import World

PICTURES, PICTURE_SECONDS = 20, 1.0 / 20.0
ROOM = 0.1
"""Around the flock in an open plane, as a share of its extent."""


def still(simulation: Simulation, scenario: Scenario, size: tuple[int, int]) -> bytes:
    """Step a flock for a second, and paint it with a scenario's scenery as a PNG file without words."""
    steps = max(1, round(PICTURE_SECONDS / scenario.motion.time_step))
    frames = []
    for _ in range(PICTURES):
        simulation.step(steps)
        frames.append(frame_of(simulation))
    painter = _painter(scenario, simulation.positions, size)
    for frame in frames:
        pixels = painter.paint(frame, PICTURE_SECONDS)
    return png(pixels)


def _painter(scenario: Scenario, places: NDArray[Any], size: tuple[int, int]) -> Painter:
    look = Look(size=size, labels=False)
    if scenario.world.depth is not None:
        from murmura.lab.films.space.picture import reach_of

        look = Look(size=size, labels=False, follow="flock", trails=TRAILS_IN_SPACE)
        return painter_of(scenario)(scenario, look, reach=reach_of(places, scenario.world))
    if scenario.world.boundary != "open":
        return Painter(scenario, look, box=_covering(scenario.world, size))
    room = ROOM * np.ptp(places, axis=0).max()
    return Painter(scenario, look, box=[*(places.min(axis=0) - room), *(places.max(axis=0) + room)])


def _covering(world: World, size: tuple[int, int]) -> list[float]:
    """The part in the middle of a world that has the picture's shape."""
    width = min(world.width, world.height * size[0] / size[1])
    height = width * size[1] / size[0]
    left, top = (world.width - width) / 2.0, (world.height - height) / 2.0
    return [left, top, left + width, top + height]
