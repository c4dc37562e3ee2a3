"""Paints a flock in a 3-D world: in perspective, with small bodies that bank, over a ground with shadows.

Light, trails and glow are the same as in the plane (`picture`); camera, bodies and background are specific to space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError, UnknownNameError
from murmura.engine.reading.frame import Frame
from murmura.lab.films.camera import CLOSE_UP, Camera
from murmura.lab.films.light import shift
from murmura.lab.films.patches import Patch
from murmura.lab.films.picture import HUNTER_SIZE, Painter
from murmura.lab.films.plane.scenery import halo
from murmura.lab.films.request import View
from murmura.lab.films.space.backdrop import Backdrop, has_floor
from murmura.lab.films.space.bodies import BODIES, Rolls, posed
from murmura.lab.films.space.camera import (
    Floats,
    SpaceCamera,
    fitting_distance,
    orbiting,
)
from murmura.lab.films.space.hunters import draw_shadows, food, hunters, words
from murmura.lab.films.space.lines import Hides, strength
from murmura.lab.films.space.scenery import draw_scenery, draw_wind
from murmura.lab.films.space.solids import Solids, seen_solids
from murmura.scenario.models import World

WORLD_CLOSE_UP = 1.3  # default zoom factor relative to the whole world
FLOCK_ROOM = 5.0  # distance of a camera that follows the flock, in units of the flock's extent
MOST_CLOSE = 20.0
NEARLY_ALL = 0.9  # share of a flock that its extent covers
LEAST_HALF = (
    2.1  # half the length of an agent [px] at the target, in a picture of 1280 x 720, at any distance
)
NEARER_LOOKS_LARGER = (0.45, 2.5)  # bounds of the enlargement of agents that are drawn larger than they are
GOLDEN = 0.6180339887498949  # spreads the beats of wings evenly over agents


class PainterInSpace(Painter):
    """Paints frames of a 3-D world, in order."""

    faint_glow = 0.4
    least_trail = 0.15
    hides = 1.0  # near bodies hide far ones

    def _place(self, box: Sequence[float] | None) -> None:
        look, world = self.look, self.scenario.world
        self._view = look.view or View()
        if self._view.distance is not None and look.closer is not None:
            raise ScenarioError("--distance and --zoom both set the distance of the camera: use one of them")
        ends: list[Floats] = (
            [np.array(box[:3]), np.array(box[3:])] if box else [np.zeros(3), np.array(world.sides)]
        )
        whole = fitting_distance(ends[0], ends[1], self._view, look.size, self._view.turn != 0.0)
        usual = CLOSE_UP if isinstance(look.follow, int) else WORLD_CLOSE_UP
        if self._reach is not None:
            usual = min(MOST_CLOSE, max(usual, whole / (FLOCK_ROOM * self._reach)))
        self._distance = self._view.distance or whole / (look.closer or usual)
        self._target: Floats = (ends[0] + ends[1]) / 2.0
        self._eye = self._looking(0.0)
        self._rolls = Rolls()
        self._body = BODIES[self.scenario.display.shape]
        self._backdrop = Backdrop(self.scenario, look.size, look.theme)
        self._spread = 0.0  # area that the flock covers in the picture [px^2]
        self._solids: Solids | None = None
        self._deeps = np.empty(0, np.float32)  # depths of agents, the farthest first [u]

    def _looking(self, time: float) -> SpaceCamera:
        view = self._view
        orbit = np.radians(view.orbit + view.turn * time)
        return orbiting(
            self._target, float(orbit), float(np.radians(view.elevation)), self._distance, self.look.size,
            self._scale, has_floor(self.scenario.world),
        )  # fmt: skip

    @property
    def _screen(self) -> Camera:
        return Camera(0.0, 0.0, 1.0, *self.look.size, self._scale)

    @property
    def _endless(self) -> bool:
        return self.scenario.world.boundary == "open" or self._unwraps

    @property
    def _unwraps(self) -> bool:
        """Whether agents are shown at the image that is nearest to the camera's target."""
        return self.look.follow is not None and "wrap" in self.scenario.world.edges

    def _aim(self, moment: Frame) -> None:
        """Move the camera; trails move along with its target, by whole pixels."""
        before, begun = self._target, self._begun
        time = moment.step * self.scenario.motion.time_step
        if self.look.follow is not None and len(moment.ids):
            self._target = self._followed(moment)
        eye = self._looking(time)
        if begun and self.look.follow is not None:
            # Where the centre of the last picture is in this one. Fractions are dropped, not
            # carried on: a picture must not depend on where the film began.
            moved = np.round(eye.project(before)[0] - np.array(self.look.size) / 2.0)
            if moved.any():
                shift(self._trails, int(moved[0]), int(moved[1]))
        self._eye = eye

    def _followed(self, moment: Frame) -> Floats:
        world = self.scenario.world
        follow: Any = self.look.follow
        if follow == "flock":
            place = middle_in_space(moment.positions, world)
        else:
            row = int(np.searchsorted(moment.ids, follow))
            if row == len(moment.ids) or moment.ids[row] != follow:
                if self._begun:
                    return self._target  # it died: the camera stays where it was last seen
                raise UnknownNameError(
                    f"no agent has the id {follow} at step {moment.step:g}; ids: {moment.ids[0]} to {moment.ids[-1]}"
                )
            place = np.asarray(moment.positions[row], np.float64)
        return nearest_images(place[None], world, self._target)[0] if self._begun else place

    def _marks(self, moment: Frame) -> tuple[Any, ...]:
        from murmura.compute.raster.space import body_boxes, touch_bodies

        self._solids = seen_solids(self.scenario, self._eye)
        near = self._solids.near if self._solids else np.empty((0, 0), np.float32)
        corners, shades, fades, colors = self._bodies(moment)
        around = np.empty((len(corners), 4), np.int64)
        area = body_boxes(*self.look.size, corners, fades, around)
        if area >= len(self._touched[0]):
            room = area + 1  # one more: a pixel is written before it is known to count
            self._touched = np.empty(room, np.int32), np.empty(room, np.float32), np.empty(room, np.float32)
        ends = np.empty(len(corners), np.int64)
        touch_bodies(
            self.look.size[0], corners, self._body.faces, shades, fades, self._deeps, near, around, ends,
            *self._touched,
        )  # fmt: skip
        return ends, *self._touched, colors

    def _bodies(self, moment: Frame) -> tuple[Any, ...]:
        """Corners on the screen, shades, fading and colours of all agents, the farthest first."""
        world, camera, count = self.scenario.world, self._eye, len(moment.ids)
        places = np.asarray(moment.positions, np.float64)
        self._backdrop.cast(places)
        if self._unwraps:
            places = nearest_images(places, world, self._target)
        headings = self._headings(moment)
        time = moment.step * self.scenario.motion.time_step
        rolls = self._rolls.at(moment.ids, headings, moment.columns.get("roll"), time)
        deep = (places - camera.eye) @ camera.forward
        zoom = camera.focal / np.maximum(deep, camera.near)
        halves = self._halves(moment, zoom) / zoom
        beats = (time * self._body.beat + GOLDEN * np.asarray(moment.ids, np.float64)) % 1.0
        order = np.argsort(-deep, kind="stable")
        arranged = (each[order] for each in (places, headings, rolls, halves, beats))
        corners, shades = posed(self._body, *arranged)
        self._deeps = deep[order].astype(np.float32)
        pixels = camera.pixels(corners)
        colors = self._table[self._shades(moment, headings[:, :2].astype(np.float32))]
        if count:  # the area of an ellipse that contains most of them
            self._spread = float(4.0 * np.pi * np.prod(pixels[:, 0].std(axis=0, dtype=np.float64) + 1.0))
        return (
            pixels,
            shades.astype(np.float32),
            strength(deep[order], camera).astype(np.float32),
            colors[order],
        )

    def _headings(self, moment: Frame) -> Floats:
        """Unit vectors along velocities; agents at rest use their heading column."""
        velocities = np.asarray(moment.velocities, np.float64)
        speed = np.linalg.norm(velocities, axis=1)
        still = speed < 1e-9
        headings: Floats = velocities / np.where(still, 1.0, speed)[:, None]
        angle = np.asarray(moment.columns.get("heading", np.zeros(len(speed))), np.float64)[still]
        headings[still] = np.stack([np.cos(angle), np.sin(angle), np.zeros(len(angle))], axis=1)
        return headings

    def _halves(self, moment: Frame, zoom: Floats) -> Floats:
        """Half lengths [px]: to scale, but never too small to see; those that are enlarged still grow when nearer."""
        count = len(moment.ids)
        at_middle = self._eye.focal / self._distance
        nearer = np.clip(zoom / at_middle, *NEARER_LOOKS_LARGER)
        half = np.maximum(self._least(count) * nearer, self._size(count) * zoom)
        species = np.minimum(np.asarray(moment.species, np.intp), len(self._hunters) - 1)
        return np.where(self._hunters[species], HUNTER_SIZE * half, half)

    def _least(self, count: int) -> float:
        crowd = min(1.0, (6000.0 / max(1, count)) ** 0.3)
        return float(LEAST_HALF * crowd * min(1.4, 0.6 + 0.4 * self.scenario.display.size) * self._scale)

    def _size(self, count: int) -> float:
        """Half the length of an agent in the world [u], as in the plane."""
        world = self.scenario.world
        crowd = min(1.0, (6000.0 / max(1, count)) ** 0.3)
        return float(4.0 * self.scenario.display.size * (world.width + 1.6 * world.height) / 3200.0 * crowd)

    def _half(self, count: int) -> float:
        return max(self._least(count), self._size(count) * self._eye.focal / self._distance)

    def _covered(self, count: int) -> float:
        return count * self._half(count) ** 2 / max(self._spread, 1.0)

    def _background(self, daylight: float | None) -> NDArray[np.float32]:
        seen = self._backdrop.seen(self._eye, daylight, self._endless)
        if self._solids:
            self._solids.lay(
                seen, *self._backdrop.solid_colors(daylight), lambda deep: strength(deep, self._eye)
            )
        return seen

    def _draw_behind(self, around: list[dict[str, Any]]) -> None:
        theme = self.look.theme
        draw_scenery(self._pixels, self.scenario, self._eye, theme, not self._endless, self._hides)
        if has_floor(self.scenario.world):
            draw_shadows(self._pixels, self._shown(around, "predator"), self._eye, theme, self._hides)

    @property
    def _hides(self) -> Hides | None:
        return self._solids.hides if self._solids else None

    def _lay(
        self, marks: tuple[Any, ...], around: list[dict[str, Any]], bright: np.float32, cover: np.float32
    ) -> None:
        """Draw agents, hunters and food on the picture, the farthest first."""
        from murmura.compute.raster.plane import lay

        ends, *touched, colors = marks
        theme = self.look.theme
        things = [*food(self._shown(around, "food", "carcass"), self._eye, theme)]
        things += hunters(self._shown(around, "predator"), self._eye, theme)
        begun, base = 0, 0
        for deep, patch in [*sorted(things, key=lambda thing: -thing[0]), (-np.inf, None)]:
            until = int(np.searchsorted(-self._deeps, -deep))
            if until > begun:
                rest = (plane[base:] for plane in touched)
                lay(
                    self._pixels.reshape(3, -1),
                    ends[begun:until] - base,
                    *rest,
                    colors[begun:until],
                    bright,
                    cover,
                )
                begun, base = until, int(ends[until - 1])
            if patch is not None:
                (self._solids.cut(patch, deep) if self._solids else patch).lay(self._pixels)

    def _draw_air(self, time: float) -> None:
        draw_wind(self._pixels, self.scenario, self._eye, self.look.theme, time, self._hides)

    def _shown(self, around: list[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
        """Objects of some kinds, at the image that is nearest to the camera's target."""
        found = [it for it in around if it["kind"] in kinds]
        if not self._unwraps or not found:
            return found
        places = [(it["x"], it["y"], it["z"]) for it in found]
        near = nearest_images(np.array(places), self.scenario.world, self._target).tolist()
        return [{**it, "x": x, "y": y, "z": z} for it, (x, y, z) in zip(found, near, strict=True)]

    def _overlays(self, moment: Frame, around: list[dict[str, Any]], time: float) -> list[Patch]:
        theme, labels = self.look.theme, self.look.labels
        found = [*words(self._shown(around, "predator"), self._eye, theme, labels, self._hides)]
        if labels and isinstance(self.look.follow, int) and self.look.follow in moment.ids:
            width, height = self.look.size
            found += halo(width / 2.0, height / 2.0, 2.2 * self._half(len(moment.ids)), self._screen, theme)
        return [*found, *self._labels(moment, around, time)]


def nearest_images(places: Floats, world: World, target: Floats) -> Floats:
    """Along axes that wrap, the image of each position that is nearest to a target."""
    sides = np.array(world.sides)
    turns = np.round((places - target) / sides) * np.array([edge == "wrap" for edge in world.edges])
    found: Floats = places - sides * turns
    return found


def middle_in_space(positions: Any, world: World) -> Floats:
    """The centre of a flock; along axes that wrap, the circular mean."""
    places = np.asarray(positions, np.float64)
    sides = np.array(world.sides)
    turns = np.exp(2j * np.pi * places / sides).mean(axis=0)
    circular = (np.angle(turns) / (2.0 * np.pi)) % 1.0 * sides
    found: Floats = np.where([edge == "wrap" for edge in world.edges], circular, places.mean(axis=0))
    return found


def reach_of(positions: Any, world: World) -> float:
    """The distance from its centre that covers nearly all of a flock [u]."""
    places = np.asarray(positions, np.float64)
    middle = middle_in_space(places, world)
    away = nearest_images(places, world, middle) - middle
    return max(float(np.quantile(np.linalg.norm(away, axis=1), NEARLY_ALL)), 1e-6)
