"""Renders films of runs: chooses frames, paints them, puts two films side by side, and writes them.

Films are frame exact: a picture shows every agent at its recorded position, unless `smooth` interpolates. A picture
depends only on the run: a film of a part of it begins with the trails that the whole film has there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import RunError, ScenarioError
from murmura.engine.reading.frame import Frame
from murmura.lab.films.camera import box_around, scale_of
from murmura.lab.films.encode import Encoder, is_numbered, make_encoder
from murmura.lab.films.film_frames import Reel, Shot, taken
from murmura.lab.films.picture import NO_TRAIL_SECONDS, TRAILS_GONE, Painter
from murmura.lab.films.request import Cut, Look
from murmura.scenario import Scenario

Progress = Callable[[int, int], None]
BOX_SAMPLES = 64
SEAM = 2  # [px] between two films
TRAILS_IN_SPACE = 0.25  # [s]; longer trails would hide bodies that fly behind each other


class Scene:
    """One run in a film."""

    def __init__(
        self, reel: Reel, cut: Cut, look: Look, name: str | None = None, scale: float | None = None
    ) -> None:
        if look.trails is None and reel.scenario.world.depth is not None:
            look = replace(look, trails=TRAILS_IN_SPACE)
        self._reel = reel
        self.plan = cut.shots(reel)
        self._stride = cut.stride(reel)
        self._fps = cut.fps
        painter = painter_of(reel.scenario)
        self._painter = painter(
            reel.scenario, look, name, scale, _open_box(reel, self.plan), _reach(reel, look.follow)
        )
        self._span = look.trail_seconds or NO_TRAIL_SECONDS
        self._shown: Shot | None = None
        self._owed = 0.0
        self._picture: NDArray[np.uint8] | None = None

    def warm_up(self) -> None:
        """Paint the trails of the frames before the first picture, as far back as they are visible."""
        first, steps = self.plan[0].first, np.asarray(self._reel.steps)
        count = int(TRAILS_GONE * self._span * self._fps) + 1
        if self._stride is None:
            rows = np.arange(first - count, first)
        else:
            before = steps[first] - self._stride * np.arange(count, 0, -1)
            rows = np.searchsorted(steps, before + 1e-6, "right") - 1
        for k in rows[(rows >= 0) & (rows < first)].tolist():
            self._take(Shot(k, k), self._painter.warm)

    def paint(self, shot: Shot) -> NDArray[np.uint8]:
        """The next picture; a repeated frame is not painted again."""
        painted = self._take(shot, self._painter.paint)
        if painted is not None:
            self._picture = painted
        assert self._picture is not None
        return self._picture

    def _take(self, shot: Shot, use: Callable[[Frame, float], Any]) -> Any:
        self._owed += 1.0 / self._fps
        if shot == self._shown:
            return None
        found = use(taken(self._reel, shot), self._owed)
        self._shown, self._owed = shot, 0.0
        return found


def painter_of(scenario: Scenario) -> type[Painter]:
    """The painter of a world: a plane is painted as a map, a 3-D world in perspective."""
    if scenario.world.depth is None:
        return Painter
    from murmura.lab.films.space.picture import PainterInSpace

    return PainterInSpace


def _open_box(reel: Reel, plan: Sequence[Shot]) -> list[float] | None:
    """In an open world, the box around all agents over the whole film, as far as it is known in advance."""
    from murmura.lab.films.film_frames import RecordedReel

    if reel.scenario.world.boundary != "open" or not isinstance(reel, RecordedReel):
        return None
    rows = sorted({plan[k].first for k in np.linspace(0, len(plan) - 1, BOX_SAMPLES).astype(int)})
    boxes = np.array([box_around(moment.positions) for k in rows if len((moment := reel[k]).ids)])
    if not len(boxes):
        return None
    room = reel.scenario.perception.radius / 2.0
    axes = boxes.shape[1] // 2
    low, high = boxes[:, :axes].min(axis=0) - room, boxes[:, axes:].max(axis=0) + room
    return [*map(float, low), *map(float, high)]


def _reach(reel: Reel, follow: int | str | None) -> float | None:
    """The extent of a flock in space, for a camera that follows it: over the whole reel, as far as it is known in
    advance, so that a film of a part is seen from the same distance as the whole film."""
    if reel.scenario.world.depth is None or follow != "flock":
        return None
    from murmura.lab.films.film_frames import RecordedReel
    from murmura.lab.films.space.picture import reach_of

    last = len(reel.steps) - 1
    rows = sorted({0, last // 2, last}) if isinstance(reel, RecordedReel) else [0]
    known = [reach_of(reel[k].positions, reel.scenario.world) for k in rows if len(reel[k].ids)]
    return max(known, default=None)


@dataclass(frozen=True)
class Film:
    """A finished film.

    Attributes:
        file: The file.
        pictures: The number of frames.
        size: Width and height [px].
        steps: The first and the last step shown.
        exact: Whether every picture is a recorded frame.
        fps: Frames per second.
        seconds: The length of the film [s].
        speed: Simulated seconds per second of film.
        made_per_second: Frames rendered per second.
    """

    file: str
    pictures: int
    size: str
    steps: tuple[int, int]
    exact: bool
    fps: float | None = None
    seconds: float | None = None
    speed: float | None = None
    made_per_second: float | None = None

    def facts(self) -> dict[str, Any]:
        """The facts to print; a single picture has no rate."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def render(
    reel: Reel,
    out: str | Path,
    look: Look | None = None,
    cut: Cut | None = None,
    beside: Reel | None = None,
    names: tuple[str | None, str | None] = (None, None),
    progress: Progress | None = None,
    force: bool = False,
) -> Film:
    """Render a film or a picture of a run; with `beside`, of two runs side by side at the same times.

    An existing file is overwritten only with `force`. An interrupt ends the film early but complete, and is raised
    again.
    """
    out, look, cut = Path(out), look or Look(), cut or Cut()
    alone = out.suffix.lower() == ".png" and not is_numbered(out)
    scale = scale_of(*look.size)
    reels = [reel] if beside is None else [reel, beside]
    if look.view is not None and all(each.scenario.world.depth is None for each in reels):
        raise ScenarioError(
            "--orbit, --elevation, --distance and --turn have no effect here: they place the camera in a 3-D world, "
            "and a plane is seen from above"
        )
    part = look if beside is None else look.half_as_wide()
    scenes = [Scene(each, cut, part, name, scale) for each, name in zip(reels, names, strict=False)]
    count = min(len(scene.plan) for scene in scenes)
    if alone:  # one picture: the last frame of the range, unless --at selects another
        for scene in scenes:
            scene.plan = scene.plan[count - 1 : count]
        count = 1
    begun = time.perf_counter()
    encoder = make_encoder(out, look.size, cut.fps, cut.quality, force)
    done = 0
    try:
        for scene in scenes:
            scene.warm_up()
        for k in range(count):
            encoder.add(_joined([scene.paint(scene.plan[k]) for scene in scenes], look.size))
            done = k + 1
            if progress is not None:
                progress(done, count)
    except KeyboardInterrupt:
        if done:
            _finish(encoder, out)
        else:
            encoder.abort()
        raise
    except BaseException:
        encoder.abort()
        raise
    _finish(encoder, out)
    return _facts(reel, scenes[0].plan[:count], out, look, cut, count / (time.perf_counter() - begun))


def _joined(pictures: list[NDArray[np.uint8]], size: tuple[int, int]) -> NDArray[np.uint8]:
    """One picture, or two side by side with a line between them."""
    if len(pictures) == 1:
        return pictures[0]
    width, height = size
    whole = np.zeros((3, height, width), np.uint8)
    left, right = pictures
    whole[:, :, : left.shape[2]] = left
    whole[:, :, width - right.shape[2] :] = right
    middle = width // 2
    whole[:, :, middle - SEAM // 2 : middle + SEAM - SEAM // 2] = 96
    return whole


def _finish(encoder: Encoder, out: Path) -> None:
    try:
        encoder.finish()
    except OSError as error:
        encoder.abort()
        raise RunError(f"cannot write {out}: {error}") from None
    except BaseException:
        encoder.abort()
        raise


def _facts(reel: Reel, plan: Sequence[Shot], out: Path, look: Look, cut: Cut, pace: float) -> Film:
    first, last = reel.steps[plan[0].first], reel.steps[plan[-1].first]
    exact = not any(shot.part for shot in plan)
    film = Film(str(out), len(plan), f"{look.size[0]}x{look.size[1]}", (int(first), int(last)), exact)
    if len(plan) == 1:
        return film
    shown = (last - first) * reel.scenario.motion.time_step
    speed = round(float(shown * cut.fps / (len(plan) - 1)), 4)
    length = round(len(plan) / cut.fps, 3)
    return replace(film, fps=cut.fps, seconds=length, speed=speed, made_per_second=round(pace, 1))
