"""What can be asked for when a film is rendered, in Python and by `murmura render`: how it looks, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from murmura.core.errors import ScenarioError
from murmura.core.request import Request, option

if TYPE_CHECKING:
    from murmura.lab.films.film_frames import Reel, Shot

Quality = Literal["small", "good", "best"]
SMALLEST, LARGEST = 64, 8192
ORBIT, ELEVATION, TURN = 25.0, 9.0, 2.0


@dataclass(frozen=True)
class View(Request):
    """The position of a camera in a 3-D world, as seen from its target."""

    orbit: float = option(
        ORBIT, "In space: azimuth of the camera, 0 in front (towards -y), 90 to the right [deg]."
    )
    elevation: float = option(
        ELEVATION, "In space: elevation of the camera, 0 level with the flock, 90 above it [deg]."
    )
    distance: float | None = option(
        None, "In space: distance of the camera [u]; by default the whole world is visible."
    )
    turn: float = option(TURN, "In space: how fast the camera orbits [deg per simulated second].")

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("orbit", self.orbit, -360.0, 360.0),
            ("elevation", self.elevation, -60.0, 90.0),
            ("turn", self.turn, -360.0, 360.0),
        ):
            if not low <= value <= high:
                raise ScenarioError(f"--{name} takes {low:g} to {high:g} degrees, got {value:g}")
        if self.distance is not None and not 1e-3 <= self.distance <= 1e7:
            raise ScenarioError(f"--distance takes 0.001 to 10,000,000 units, got {self.distance:g}")


@dataclass(frozen=True)
class Look(Request):
    """How a film looks."""

    size: tuple[int, int] = (1280, 720)
    """Width and height [px]."""
    color: str | None = option(
        None,
        "Colour by heading, species, speed, density, panic or energy; by default species if there are several, "
        "otherwise heading.",
    )
    palette: str | None = option(
        None, "dusk, aurora, viridis, cividis or ember; by default one that suits the colour."
    )
    trails: float | None = option(None, "Time until a trail has faded to a third [s]; 0: none.")
    theme: Literal["dark", "light"] = option("dark", "dark or light.", typed=str)
    follow: int | str | None = option(
        None, "Camera follows the agent with this id, or `flock`.", typed=str | None
    )
    closer: float | None = option(
        None, "Zoom factor; 1 shows the whole world. By default 1, and 4 when following an agent.", "--zoom"
    )
    labels: bool = True
    """Whether name, time and step are written into the picture."""
    view: View | None = None
    """The camera of a 3-D world; None: diagonally in front, slightly above."""

    def __post_init__(self) -> None:
        if not all(SMALLEST <= side <= LARGEST for side in self.size):
            raise ScenarioError(
                f"a picture must be {SMALLEST} to {LARGEST} pixels wide and high, got {self.size[0]}x{self.size[1]}"
            )
        if self.theme not in ("dark", "light"):
            raise ScenarioError(f"theme must be dark or light, got {self.theme!r}")
        if self.trails is not None and not 0.0 <= self.trails <= 60.0:
            raise ScenarioError(f"trails must last from 0 to 60 seconds, got {self.trails:g}")
        if self.closer is not None and not 0.1 <= self.closer <= 1000.0:
            raise ScenarioError(f"the zoom factor must be from 0.1 to 1000, got {self.closer:g}")
        if isinstance(self.follow, str) and self.follow != "flock":
            raise ScenarioError(f'follow takes the id of an agent or "flock", got {self.follow!r}')
        if self.color is not None:
            from murmura.lab.films.looks import palette_of

            palette_of(self.color, self.palette)

    @property
    def trail_seconds(self) -> float:
        from murmura.lab.films.looks import looks

        return float(looks()["trail_seconds"]) if self.trails is None else self.trails

    def half_as_wide(self) -> Look:
        return replace(self, size=(self.size[0] // 2, self.size[1]))


@dataclass(frozen=True)
class Cut(Request):
    """Which part of a run a film shows, and how fast."""

    fps: float = option(30.0, "Frames per second; a GIF has 25 by default.")
    speed: float | None = option(
        None,
        "Simulated seconds per second of film; by default each recorded frame becomes one frame of the film.",
    )
    begin: int | None = option(None, "First step to show.", "--from")
    end: int | None = option(None, "Last step to show.", "--to")
    smooth: bool = option(False, "Interpolate between recorded frames; not exact.")
    quality: Quality = option(
        "good", "Of an MP4: small, good or best; best is about seven times as large.", typed=str
    )
    at: int | None = option(None, "The step to show in a PNG, or the recorded one nearest to it.")

    def __post_init__(self) -> None:
        if self.speed is not None and not 1e-6 <= self.speed <= 1e6:
            raise ScenarioError(f"speed must be a number from 0.000001 to 1,000,000, got {self.speed:g}")
        if self.quality not in get_args(Quality):
            raise ScenarioError(f"quality must be {', '.join(get_args(Quality))}, got {self.quality!r}")
        if self.smooth and self.speed is None:
            raise ScenarioError("--smooth needs --speed: without it, every picture is a recorded frame")
        if self.at is not None and (self.begin is not None or self.end is not None):
            raise ScenarioError("--at selects one step, --from and --to a range: use one or the other")

    def shots(self, reel: Reel) -> list[Shot]:
        """The pictures of a reel."""
        from murmura.lab.films.film_frames import nearest, part_of, shots

        steps = reel.steps
        if self.at is not None:
            return [nearest(steps, self.at)]
        return shots(steps, part_of(steps, self.begin, self.end), self.stride(reel), self.smooth)

    def stride(self, reel: Reel) -> float | None:
        """Steps from one picture to the next; None if every frame is a picture."""
        return None if self.speed is None else self.speed / self.fps / reel.scenario.motion.time_step
