"""`murmura render`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.options import (
    Agents,
    Backend,
    Json,
    RuleFiles,
    Seed,
    Threads,
    Values,
    app,
    chosen_scenario,
    load_rules,
    print_facts,
    whole,
)
from murmura.core.errors import ScenarioError
from murmura.core.notices import print_notice
from murmura.lab.progress import Progress

Step = Annotated[int | None, Parameter(converter=whole)]
Speed = Annotated[
    float | None,
    Parameter(
        help="Simulated seconds per second of film; by default each recorded frame becomes one frame of the film."
    ),
]
Color = Annotated[str | None, Parameter(help="Colour by heading, species, speed, density, panic or energy.")]
Palette = Annotated[
    str | None, Parameter(help="dusk, aurora, viridis, cividis or ember; by default one that suits --color.")
]
Follow = Annotated[str | None, Parameter(help="Camera follows the agent with this id, or `flock`.")]
Orbit = Annotated[
    float | None, Parameter(help="In space: azimuth of the camera, 0 in front, 90 to the right [deg].")
]
Elevation = Annotated[
    float | None,
    Parameter(help="In space: elevation of the camera, 0 level with the flock, 90 above it [deg]."),
]
Distance = Annotated[
    float | None,
    Parameter(help="In space: distance of the camera [u]; by default the whole world is visible."),
]
Turn = Annotated[
    float | None, Parameter(help="In space: how fast the camera orbits [deg per simulated second].")
]
Smooth = Annotated[bool, Parameter(help="Interpolate between recorded frames; not exact.", negative="")]
Beside = Annotated[
    str | None, Parameter(help="A second run or scenario, shown in the right half at the same times.")
]
BesideValues = Annotated[
    list[str] | None,
    Parameter(
        name="--beside-set", help="Change a value of the second scenario only: PATH=VALUE.", negative=""
    ),
]


@app.command
def render(
    source: str,
    /,
    *,
    out: Path,
    size: Annotated[str, Parameter(help="Width and height in pixels.")] = "1280x720",
    fps: Annotated[float | None, Parameter(help="Frames per second; by default 30, for a GIF 25.")] = None,
    speed: Speed = None,
    begin: Annotated[Step, Parameter(name="--from", help="First step to show.")] = None,
    end: Annotated[Step, Parameter(name="--to", help="Last step to show.")] = None,
    at: Annotated[Step, Parameter(help="The step to show in a PNG.")] = None,
    color: Color = None,
    palette: Palette = None,
    trails: Annotated[float | None, Parameter(help="Length of trails [s]; 0: none.")] = None,
    theme: Annotated[str, Parameter(help="dark or light.")] = "dark",
    follow: Follow = None,
    zoom: Annotated[float | None, Parameter(help="Zoom factor; 1 shows the whole world.")] = None,
    orbit: Orbit = None,
    elevation: Elevation = None,
    distance: Distance = None,
    turn: Turn = None,
    smooth: Smooth = False,
    no_labels: Annotated[bool, Parameter(help="Leave out name and time.", negative="")] = False,
    beside: Beside = None,
    beside_values: BesideValues = None,
    steps: Annotated[Step, Parameter(help="Film a scenario instead of a run: this many steps of it.")] = None,
    agents: Agents = None,
    seed: Seed = 0,
    values: Values = None,
    backend: Backend = "auto",
    threads: Threads = None,
    rules: RuleFiles = None,
    as_json: Json = False,
) -> None:
    """Render a film or a picture of a recorded run, or of a scenario while it runs.

    Parameters
    ----------
    source
        A run folder; with --steps the name of a shipped scenario, or a .json or .toml file.
    out
        The file to write: .mp4, .gif, .png (one moment), or NAME-%05d.png (a numbered sequence).
    """
    from murmura.lab.films.encode import check_target
    from murmura.lab.films.film import Cut
    from murmura.lab.films.picture import Look

    rate = fps if fps is not None else 25.0 if out.suffix.lower() == ".gif" else 30.0
    look = Look(
        size=_size(size), color=color, palette=palette, trails=trails, theme=theme,  # type: ignore[arg-type]
        follow=_follow(follow), closer=zoom, labels=not no_labels,
        view=_view(orbit=orbit, elevation=elevation, distance=distance, turn=turn),
    )  # fmt: skip
    check_target(out, look.size, rate)
    if steps is None:
        cut = Cut(rate, speed, begin, end, smooth, at)
        load_rules(rules)
        reels = _recorded_reels(source, beside, beside_values)
    else:
        if at is not None or smooth:
            raise ScenarioError(
                "--at and --smooth are for recorded runs only; --steps films a scenario while it runs"
            )
        scenarios = _scenarios(source, beside, agents, values, beside_values, rules)
        pace = scenarios[0].display.speed if speed is None else speed  # as in the live view
        cut = replace(Cut(rate, pace, begin, end), speed=None)  # the reel is stepped at that pace
        reels = [_simulated(one, seed, backend, threads, steps, pace / rate) for one in scenarios]
    names = (_name(source), None if beside is None else ", ".join([_name(beside), *(beside_values or ())]))
    print_facts(_filmed(reels, out, look, cut, names), as_json)


def _filmed(
    reels: list[Any], out: Path, look: Any, cut: Any, names: tuple[str, str | None]
) -> dict[str, Any]:
    """Render the film and show progress; after Ctrl-C, report what was written."""
    from murmura.lab.films.film import render

    with Progress("frames", "compiling the renderer (once; it is cached on disk)") as progress:
        try:
            film = render(
                reels[0], out, look, cut, reels[1] if len(reels) > 1 else None, names, progress.update
            )
        except KeyboardInterrupt:
            held = f"{out} contains the frames so far"
            print_notice(f"stopped; {held}" if out.exists() else "stopped before the first frame")
            raise
    return film.facts()


def _recorded_reels(source: str, beside: str | None, beside_values: list[str] | None) -> list[Any]:
    if beside_values:
        raise ScenarioError("--beside-set changes a scenario; a recorded run cannot be changed")
    return [_recorded(name) for name in (source, beside) if name is not None]


def _scenarios(
    source: str,
    beside: str | None,
    agents: int | None,
    values: list[str] | None,
    beside_values: list[str] | None,
    rules: list[Path] | None,
) -> list[Any]:
    """The scenarios to film: one, or two side by side."""
    found = [chosen_scenario(source, agents, values, rules)]
    if beside is not None:
        found.append(chosen_scenario(beside, agents, [*(values or ()), *(beside_values or ())], None))
    return found


def _recorded(folder: str) -> Any:
    from murmura.lab.films.film_frames import RecordedReel
    from murmura.lab.runs.run import open_run

    if not Path(folder).is_dir():
        raise ScenarioError(
            f"{folder} is not a run folder. Record one with `murmura run`, or film a scenario while it runs: add "
            "--steps N"
        )
    run = open_run(folder)
    return RecordedReel(run.scenario, run.seed, run.frames.sound())


def _simulated(
    scenario: Any, seed: int, backend: str, threads: int | None, steps: int, seconds: float
) -> Any:
    """A scenario filmed while it runs, with `seconds` of simulated time between frames."""
    from murmura.engine.simulation import Simulation
    from murmura.lab.films.film_frames import SimulatedReel

    every = max(1, round(seconds / scenario.motion.time_step))
    return SimulatedReel(Simulation(scenario, seed, backend, threads), steps, every)


def _view(**given: float | None) -> Any:
    """The camera of a 3-D world; None if no option sets it."""
    from murmura.lab.films.space.camera import View

    said = {name: value for name, value in given.items() if value is not None}
    return View(**said) if said else None


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not all(side.isascii() and side.isdecimal() and len(side) < 10 for side in (width, height)):
        raise ScenarioError(f"--size takes WIDTHxHEIGHT, for example 1280x720, got {text!r}")
    return int(width), int(height)


def _follow(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 20 else text


def _name(source: str) -> str:
    """The name of a run in the picture: its folder, or the scenario."""
    return Path(source).resolve().name if Path(source).is_dir() else Path(source).stem
