"""Paints a flock with the looks of the live view, by the same formulas (view/web/src/render/gl).

For each picture, old trails fade, agents add light to them, two blurred reductions of that light become the glow,
and the agents themselves are drawn sharply on top, at their exact positions. Independent of files and films.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError, UnknownNameError
from murmura.engine.reading.frame import Frame
from murmura.engine.reading.surroundings import surroundings
from murmura.lab.films.camera import CLOSE_UP, Camera, fitted, middle, scale_of, unwrapped, world_box
from murmura.lab.films.light import limit_light, shift, taps
from murmura.lab.films.looks import CATEGORIES, looks, palette_of, palette_table, species_table
from murmura.lab.films.patches import Patch
from murmura.lab.films.plane.scenery import halo, home_ranges, scenery, words
from murmura.lab.films.plane.sky import Sky
from murmura.lab.films.plane.wildlife import wildlife
from murmura.lab.films.plane.wind import draw_wind
from murmura.lab.films.request import Look
from murmura.scenario import Scenario

NO_TRAIL_SECONDS = 0.02  # light of a picture or two, from which the glow is made
TRAILS_GONE = 7.0  # trail lengths after which less than a thousandth is left: earlier frames are invisible
MOST_FADED = 1e-3
FAR = 4  # how much coarser the far glow is than the near one
HUNTER_SIZE = 2.1


class Painter:
    """Paints frames in order; each picture depends only on the frames so far."""

    faint_glow = 0.8  # default, if the scenario sets none
    least_trail = 0.5  # share of full strength in crowds
    hides = 0.75  # opacity of an agent in the dark theme

    def __init__(
        self,
        scenario: Scenario,
        look: Look,
        name: str | None = None,
        scale: float | None = None,
        box: Sequence[float] | None = None,
        reach: float | None = None,
    ) -> None:
        """Create a painter.

        Args:
            scenario: The world and its species.
            look: The look of the pictures.
            name: What the picture is called in its corner; by default the scenario's title.
            scale: Pixels per pixel of a picture of 1280 x 720.
            box: What to show, the low ends of all axes first [u]; by default the world.
            reach: The extent of the flock from its centre [u], if it is known; used in space.
        """
        self.scenario, self.look, self._reach = scenario, look, reach
        self.name = (scenario.title.partition(": ")[0] or scenario.name) if name is None else name
        width, height = look.size
        kinds = len(scenario.species)
        self._mode = look.color or ("species" if kinds > 1 else "heading")
        palette = palette_of(self._mode, look.palette)
        colors = [kind.color for kind in scenario.species]
        self._table = (
            species_table(colors if self._mode == "species" else (), look.theme)
            if self._mode in CATEGORIES
            else palette_table(palette, look.theme)
        )
        self._scale = scale or scale_of(width, height)
        self._place(box)
        self._hunters = np.array([_hunts(kind) for kind in scenario.species] or [False])
        self._near_by = max(1, round(3 * self._scale))
        planes = 3 if look.theme == "dark" else 4
        near = (max(1, height // self._near_by), max(1, width // self._near_by))
        far = (max(1, near[0] // FAR), max(1, near[1] // FAR))
        self._trails, self._near, self._far = (
            np.zeros((planes, *shape), np.float32) for shape in ((height, width), near, far)
        )
        self._near_swap, self._far_swap = np.empty_like(self._near), np.empty_like(self._far)
        self._faded = 1.0
        self._touched: tuple[Any, ...] = (
            np.empty(0, np.int32),
            np.empty(0, np.float32),
            np.empty(0, np.float32),
        )
        self._pixels = np.empty((3, height, width), np.uint8)
        self._sky: Sky | None = None
        self._scenery: list[Patch] | None = None
        self._offset: tuple[int, int] | None = None
        self._begun = False

    def _place(self, box: Sequence[float] | None) -> None:
        """Set up the camera to show a box: left, top, right, bottom [u]; by default the world."""
        if self.look.view is not None:
            raise ScenarioError(
                "orbit, elevation, distance and turn move the camera in a 3-D world, and this world is a "
                "plane, drawn as a map: omit them, or set world.depth"
            )
        closer = self.look.closer or (CLOSE_UP if isinstance(self.look.follow, int) else 1.0)
        self._home = fitted(box or world_box(self.scenario.world), *self.look.size, self._scale, closer)
        self._camera = self._home

    def paint(self, moment: Frame, seconds: float) -> NDArray[np.uint8]:
        """The picture `seconds` of film after the last one, as planes (3, height, width); the next call reuses it."""
        marks = self._add_light(moment, seconds)
        time = moment.step * self.scenario.motion.time_step
        around = surroundings(self.scenario, moment.items, time)
        self._tone_map(len(moment.ids), next((it["daylight"] for it in around if it["kind"] == "sky"), None))
        bright = (
            0.92 if self.look.theme == "light" else 0.9 * min(1.0, (30_000 / max(1, len(moment.ids))) ** 0.5)
        )
        cover = 1.0 if self.look.theme == "light" else self.hides
        self._draw_behind(around)
        self._lay(marks, around, np.float32(bright), np.float32(cover))
        for patch in self._overlays(moment, around, time):
            patch.lay(self._pixels)
        self._draw_air(time)
        return self._pixels

    def _draw_behind(self, around: list[dict[str, Any]]) -> None:
        """Draw what is behind the agents; nothing in the plane."""

    def _lay(
        self, marks: tuple[Any, ...], around: list[dict[str, Any]], bright: np.float32, cover: np.float32
    ) -> None:
        """Draw agents on the picture."""
        from murmura.compute.raster.plane import lay

        lay(self._pixels.reshape(3, -1), *marks, bright, cover)

    def _draw_air(self, time: float) -> None:
        draw_wind(self._pixels, self.scenario, self._camera, self.look.theme, time)

    def warm(self, moment: Frame, seconds: float) -> None:
        """Add a frame to the trails without painting a picture, for frames before the start of a film."""
        self._add_light(moment, seconds)

    def _add_light(self, moment: Frame, seconds: float) -> tuple[Any, ...]:
        """Fade the trails and add the light of all agents to them; return the lit pixels."""
        from murmura.compute.raster.plane import add_light

        self._aim(moment)
        marks = self._marks(moment)
        span = self.look.trail_seconds or NO_TRAIL_SECONDS
        # Also for the first picture: at full light, it would remain visible as a ghost among the trails.
        keep = float(np.exp(-seconds / span))
        self._begun = True
        self._fade(keep)
        add_light(self._trails.reshape(len(self._trails), -1), *marks, np.float32((1.0 - keep) / self._faded))
        return marks

    def _fade(self, keep: float) -> None:
        """Fade trails by a common factor instead of rewriting them; new light is added brighter, up to a limit."""
        self._faded *= keep
        if self._faded < MOST_FADED:
            self._trails *= np.float32(self._faded)
            self._faded = 1.0

    def _aim(self, moment: Frame) -> None:
        """Point the camera at the agent it follows; trails move along by whole pixels, otherwise they would blur."""
        follow = self.look.follow
        if follow is None or not len(moment.ids):
            return
        world = self.scenario.world
        if follow == "flock":
            x, y = middle(moment.positions, world)
        else:
            row = int(np.searchsorted(moment.ids, follow))
            if row == len(moment.ids) or moment.ids[row] != follow:
                if self._begun:
                    return  # it died: the camera stays where it was last seen
                raise UnknownNameError(
                    f"no agent has the id {follow} at step {moment.step:g}; ids: {moment.ids[0]} to {moment.ids[-1]}"
                )
            x, y = (float(value) for value in moment.positions[row])
        if world.boundary == "wrap" and self._begun:
            (x, y), *_ = unwrapped([[x, y]], world, self._camera.x, self._camera.y).tolist()
        self._camera = self._home.at(x, y)
        self._scenery = None
        offset = (round(x * self._camera.zoom), round(y * self._camera.zoom))
        if self._offset is not None and offset != self._offset:
            shift(self._trails, self._offset[0] - offset[0], self._offset[1] - offset[1])
        self._offset = offset

    def _marks(self, moment: Frame) -> tuple[Any, ...]:
        """The marks of all agents: pixels, their coverage, light, and colours."""
        from murmura.compute.raster.plane import boxes, touch

        places, ahead, halves, winged, colors = self._darts(moment)
        width, height = self.look.size
        around, ends = np.empty((len(places), 4), np.int64), np.empty(len(places), np.int64)
        area = boxes(width, height, places, halves, winged, around)
        if area >= len(self._touched[0]):
            room = area + 1  # one more, because a pixel is written before it is known to be visible
            self._touched = np.empty(room, np.int32), np.empty(room, np.float32), np.empty(room, np.float32)
        touch(width, places, ahead, halves, winged, around, ends, *self._touched)
        return ends, *self._touched, colors

    def _darts(self, moment: Frame) -> tuple[Any, ...]:
        camera, world = self._camera, self.scenario.world
        places = moment.positions
        if self.look.follow is not None:
            places = unwrapped(places, world, camera.x, camera.y)
        ahead = self._ahead(moment)
        half = self._half(len(moment.ids))
        species = np.minimum(np.asarray(moment.species, np.intp), len(self._hunters) - 1)
        winged = self._hunters[species]
        halves = np.where(winged, HUNTER_SIZE * half, half).astype(np.float32)
        colors = self._table[self._shades(moment, ahead)]
        pixels = camera.on_screen(places).astype(np.float32)
        # From top to bottom: neighbours share rows of the canvas, which then stay in the cache. Twice as fast.
        order = np.argsort(pixels[:, 1], kind="stable")
        return pixels[order], ahead[order], halves[order], winged[order], colors[order]

    def _ahead(self, moment: Frame) -> NDArray[np.float32]:
        """Unit vectors of headings: as recorded, which is also correct for agents at rest, or along the velocity."""
        if "heading" in moment.columns:
            angle = np.asarray(moment.columns["heading"], np.float64)
        else:
            angle = np.arctan2(moment.velocities[:, 1], moment.velocities[:, 0]).astype(np.float64)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)

    def _shades(self, moment: Frame, ahead: Any) -> Any:
        """Each agent's index in the table of 256 colours."""
        if self._mode == "species":
            return np.asarray(moment.species, np.intp) % 256
        if self._mode == "heading":
            turn = np.arctan2(ahead[:, 1], ahead[:, 0]) / (2.0 * np.pi) % 1.0
            return np.minimum(turn * 256.0, 255.0).astype(np.intp)
        facts = looks()["modes"][self._mode]
        if self._mode == "speed":
            values = _speeds(moment.velocities)
            top = facts["top"] * self.scenario.motion.top_speed
        else:
            if facts["column"] not in moment.columns:
                recorded = ", ".join(moment.columns) or "none"
                raise ScenarioError(
                    f"colouring by {self._mode} needs the column {facts['column']!r}, which was not recorded "
                    f"(recorded columns: {recorded}); choose another --color, or record it: `murmura run ... --columns "
                    f"{facts['column']}`"
                )
            values, top = moment.columns[facts["column"]], facts["top"]
        return np.clip(np.asarray(values, np.float64) * (255.0 / top), 0.0, 255.0).astype(np.intp)

    def _half(self, count: int) -> float:
        """Half the length of an agent [px]: to scale when zoomed in, never too small to see its heading."""
        world, size, camera = self.scenario.world, self.scenario.display.size, self._camera
        unit = (world.width + 1.6 * world.height) / 3200.0
        crowd = min(1.0, (6000.0 / max(1, count)) ** 0.3)
        least = 1.5 if count > 40_000 else 2.2 if count > 12_000 else 3.0
        least *= min(1.4, 0.6 + 0.4 * size) * camera.scale
        return float(max(least, 5.0 * size * unit * crowd * camera.zoom))

    def _tone_map(self, count: int, daylight: float | None) -> None:
        from murmura.compute.raster.plane import add_far, blur, shrink, tone_map_day, tone_map_night

        shrink(self._trails, self._near, self._near_by, np.float32(self._faded))
        limit_light(self._near)
        blur(self._near, self._near_swap, taps(1.0))
        shrink(self._near, self._far, FAR, np.float32(1.0))
        blur(self._far, self._far_swap, taps(1.6))
        # The share of the picture that agents cover: in crowds, each agent glows less.
        crowd = min(1.0, (0.05 / max(1e-6, self._covered(count))) ** 0.7)
        gain = (self.faint_glow + 2.5 * self.scenario.display.glow) * crowd
        amount = np.float32(
            1.15 * max(self.least_trail, crowd) * self._faded if self.look.trail_seconds else 0.0
        )
        near, far = np.float32(1.5 * gain), np.float32(2.1 * gain)
        sky = self._background(daylight)
        if self.look.theme == "dark":
            add_far(self._near, self._far, FAR, near, far)
            tone_map_night(self._trails, self._near, self._near_by, sky, amount, self._pixels)
            return
        shade = np.zeros((1, *self._near.shape[1:]), np.float32)
        add_far(shade, self._far[3:], FAR, np.float32(0.0), far)
        self._near *= near
        tone_map_day(self._trails, self._near, shade[0], self._near_by, sky, amount, self._pixels)

    def _covered(self, count: int) -> float:
        world = self.scenario.world
        return count * self._half(count) ** 2 / (world.width * world.height * self._camera.zoom**2)

    def _background(self, daylight: float | None) -> NDArray[np.float32]:
        """The background, as planes in bytes plus half a byte."""
        camera, theme = self._camera, self.look.theme
        if self._sky is None:
            self._sky = Sky(*self.look.size, theme)
        return self._sky.at(
            camera, self._edges(), daylight, lambda: home_ranges(self.scenario, camera, theme)
        )

    def _edges(self) -> tuple[float, float, float, float] | None:
        """The world's edges; None if it has none."""
        world = self.scenario.world
        endless = world.boundary == "open" or (world.boundary == "wrap" and self.look.follow is not None)
        return None if endless else world_box(world)

    def _overlays(self, moment: Frame, around: list[dict[str, Any]], time: float) -> list[Patch]:
        camera, theme = self._camera, self.look.theme
        if self._scenery is None:
            self._scenery = scenery(self.scenario, camera, theme)
        found = [*self._scenery, *wildlife(around, camera, theme, self.look.labels, time)]
        if self.look.labels and isinstance(self.look.follow, int) and self.look.follow in moment.ids:
            radius = 2.2 * self._half(len(moment.ids))
            found += halo(camera.width / 2.0, camera.height / 2.0, radius, camera, theme)
        return [*found, *self._labels(moment, around, time)]

    def _labels(self, moment: Frame, around: list[dict[str, Any]], time: float) -> list[Patch]:
        """Name, time of day, time and step, in the corners."""
        if not self.look.labels:
            return []
        hour = "".join(f"{it['clock']} · " for it in around if it["kind"] == "sky")
        clock = f"{hour}{time:,.2f} s · step {moment.step:,.0f}"
        name = f"{self.name} · {len(moment.ids):,} agents"
        screen = self._screen
        return [
            words(name, "bottom left", screen, self.look.theme),
            words(clock, "bottom right", screen, self.look.theme),
        ]

    @property
    def _screen(self) -> Camera:
        """A camera with the size of the picture, for text in its corners."""
        return self._camera


def _speeds(velocities: Any) -> Any:
    if velocities.shape[1] == 2:
        return np.hypot(velocities[:, 0], velocities[:, 1])
    return np.linalg.norm(velocities, axis=1)


def _hunts(kind: Any) -> bool:
    return any(kind.interaction(other).chase > 0.0 for other in kind.towards)
