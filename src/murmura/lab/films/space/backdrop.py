"""The background of a flock in space: the sky, a glow where the sun has set, and the ground with haze, a grid, and
the soft shadows of the agents above it.

A world without a floor, which wraps or is open downwards, has no ground: there, the picture shows sky all around.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.lab.films.looks import Theme, looks
from murmura.lab.films.plane.sky import DIM, DUSK, DUSK_SHARE, MIDNIGHT
from murmura.lab.films.space.camera import SpaceCamera
from murmura.scenario import Scenario
from murmura.scenario.models import World

Plane = NDArray[np.float32]
SUN = np.radians(112.0)  # where it has set, counter-clockwise from x
SOIL: dict[str, tuple[float, float, float]] = {"dark": (0.056, 0.060, 0.090), "light": (0.80, 0.77, 0.72)}
GRID: dict[str, tuple[float, float, float]] = {"dark": (0.12, 0.14, 0.21), "light": (0.62, 0.60, 0.57)}
STONE: dict[str, tuple[float, float, float]] = {"dark": (0.30, 0.32, 0.42), "light": (0.60, 0.62, 0.67)}
EMBER_DAY = (0.05, 0.01, -0.05)
NIGHT = 1.35  # how much brighter a night sky is above a horizon than behind a map, so that the ground looks darker
DARK = {"dark": 0.75, "light": 0.45}  # darkness of shadows
CELLS = 160  # cells of the shadow map along the world's longer side
SOFT = 1.5  # [cells] blur radius of shadows
DEPTH_OF_ONE, FEW = 9.0, 150.0  # strength of a single shadow before blurring; larger flocks cast fainter ones
FADES_AT = 0.7  # share of the world's depth: from this height, a shadow is half as dark
HEIGHTS = (
    2.0  # times the height of the camera, if that is farther: the ground must be visible from high up too
)
HAZE = 1.9  # distances from the camera to its target, after which the ground disappears in haze
SQUARES = 8.0  # approximate number of grid cells along the world's shorter side


def has_floor(world: World) -> bool:
    """Whether agents cannot leave the world downwards."""
    return world.edges[2] in ("soft", "reflect")


class Backdrop:
    """Paints the background of pictures of one size."""

    def __init__(self, scenario: Scenario, size: tuple[int, int], theme: Theme) -> None:
        self._world, self._theme = scenario.world, theme
        self._floor = has_floor(scenario.world)
        self._seen = np.empty((3, size[1], size[0]), np.float32)
        self._grain = _grain(size)
        world = scenario.world
        cell = max(world.width, world.height) / CELLS
        self._shape = max(1, round(world.height / cell)), max(1, round(world.width / cell))
        self._shadows = np.zeros((1, *self._shape), np.float32)
        self._swap = np.empty_like(self._shadows)

    def cast(self, positions: Any) -> None:
        """Update the shadow map from positions inside the world (n, 3)."""
        from murmura.compute.raster.plane import blur

        if not self._floor:
            return
        world, (rows, columns) = self._world, self._shape
        x, y, z = np.asarray(positions, np.float64).reshape(-1, 3).T
        at = [(x / world.width * columns).astype(np.intp), (y / world.height * rows).astype(np.intp)]
        inside = (x >= 0.0) & (y >= 0.0) & (at[0] < columns) & (at[1] < rows)
        single = DEPTH_OF_ONE * min(1.0, (FEW / max(1, len(x))) ** 0.6)
        weight = single / (1.0 + np.maximum(z, 0.0) / (FADES_AT * world.sides[2]))
        flat = at[1][inside] * columns + at[0][inside]
        found = np.bincount(flat, weight[inside], rows * columns).reshape(1, rows, columns)
        self._shadows[:] = found
        blur(self._shadows, self._swap, _taps(SOFT))

    def seen(self, camera: SpaceCamera, daylight: float | None, endless: bool) -> Plane:
        """The background as planes (3, height, width) in bytes plus half a byte."""
        from murmura.compute.raster.world import paint_world

        world = self._world
        sun = np.array([np.cos(SUN), np.sin(SUN), 0.0])
        axes = np.stack([camera.right, camera.up, camera.forward, camera.eye, sun]).astype(np.float32)
        square = _round(min(world.width, world.height) / SQUARES)
        haze = HAZE * max(camera.distance, HEIGHTS * float(camera.eye[2]))
        aim = camera.eye + camera.distance * camera.forward
        ground = np.array([world.width, world.height, square, haze, aim[0], aim[1]], np.float32)
        darkness = DARK[self._theme] * (
            1.0 - np.exp(-np.pad(self._shadows[0], 1, "wrap" if endless else "edge"))
        )
        paint_world(
            self._seen, self._grain, axes, np.float32(camera.focal), self._colors(daylight), ground, self._floor,
            endless, darkness,
        )  # fmt: skip
        return self._seen

    def solid_colors(self, daylight: float | None) -> tuple[Plane, Plane]:
        """The colours of obstacles, and of the haze in front of them."""
        colors = self._colors(daylight)
        return colors[-1], colors[0]

    def _colors(self, daylight: float | None) -> Plane:
        theme = self._theme
        facts = looks()["sky"]["night" if theme == "dark" else "day"]
        sky = np.array([facts["low"], facts["mid"], facts["high"]])
        if theme == "dark":
            sky = sky * NIGHT
        ember = np.array(facts["ember"] if theme == "dark" else EMBER_DAY)
        colors = np.stack([*sky, ember, SOIL[theme], GRID[theme], STONE[theme]])
        if daylight is None:
            return colors.astype(np.float32)
        midnight, (low, high) = np.array(MIDNIGHT[theme]), DIM[theme]
        share = min(1.0, daylight / 0.75)
        tint = (midnight + (1.0 - midnight) * share * share * (3.0 - 2.0 * share)) * (
            low + (high - low) * daylight
        )
        dusk = 1.0 - abs(2.0 * daylight - 1.0)
        colors = colors * tint
        colors[0] += np.array(DUSK) * dusk * dusk * DUSK_SHARE[theme]
        return colors.astype(np.float32)


def _grain(size: tuple[int, int]) -> Plane:
    """The dither added to each pixel [bytes], including half a byte: interleaved gradient noise (Jimenez 2014)."""
    x, y = np.arange(size[0], dtype=np.float32) + 0.5, np.arange(size[1], dtype=np.float32)[:, None] + 0.5
    shares = 52.9829189 * ((0.06711056 * x + 0.00583715 * y) % 1.0) % 1.0
    return np.asarray((shares - 0.5) * (255.0 / 160.0) + 0.5, np.float32)


def _round(value: float) -> float:
    """The nearest round number: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(min((1.0, 2.0, 5.0, 10.0), key=lambda step: abs(np.log(step * power / value))) * power)


def _taps(sigma: float) -> Plane:
    """The weights of a Gaussian, the central one first, as `blur` expects them."""
    weights = np.exp(-0.5 * (np.arange(int(3.0 * sigma) + 1) / sigma) ** 2)
    return np.asarray(weights / (2.0 * weights.sum() - weights[0]), np.float32)
