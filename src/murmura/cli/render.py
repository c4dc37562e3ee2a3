"""`murmura render`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from murmura.cli.idle_options import refuses_idle
from murmura.cli.options import (
    Agents,
    Backend,
    Force,
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
from murmura.cli.request_options import options_of
from murmura.core.errors import ScenarioError
from murmura.core.notices import print_notice
from murmura.core.request import Idle
from murmura.lab.films.request import Cut, Look, View
from murmura.lab.progress import Progress
from murmura.lab.sweeps.request import NO_THREADS

LookOptions: Any = options_of(Look)
ViewOptions: Any = options_of(View)
CutOptions: Any = options_of(Cut)
Beside = Annotated[
    str | None, Parameter(help="A second run or scenario, shown in the right half at the same times.")
]
Steps = Annotated[
    int | None,
    Parameter(converter=whole, help="Film a scenario instead of a run: this many steps of it."),
]
BesideValues = Annotated[
    list[str] | None,
    Parameter(
        name="--beside-set", help="Change a value of the second scenario only: PATH=VALUE.", negative=""
    ),
]

TOO_FAST = 4.0
"""A film this many times as fast as the live view jumps from frame to frame."""
ONLY_STEPPED = "a recorded run is shown as it was; --steps N films a scenario while it runs"


@app.command
@refuses_idle(
    Idle("agents seed values beside_values backend threads", lambda given: given.steps is None, ONLY_STEPPED),
    Idle(
        "at smooth",
        lambda given: given.steps is not None,
        "they choose among recorded frames, and --steps films a scenario while it runs",
    ),
    Idle("smooth", lambda given: given.at is not None, "--at shows a recorded frame as it is"),
    Idle("quality", lambda given: given.out.suffix.lower() != ".mp4", "only an MP4 loses anything"),
    Idle("beside_values", lambda given: given.beside is None, "it changes the second scenario: add --beside"),
    NO_THREADS,
)
def render(
    source: str,
    /,
    *,
    out: Path,
    size: Annotated[str, Parameter(help="Width and height in pixels.")] = "1280x720",
    cut: CutOptions | None = None,
    look: LookOptions | None = None,
    view: ViewOptions | None = None,
    no_labels: Annotated[bool, Parameter(help="Leave out name and time.", negative="")] = False,
    beside: Beside = None,
    beside_values: BesideValues = None,
    steps: Annotated[
        int | None,
        Parameter(converter=whole, help="Film a scenario instead of a run: this many steps of it."),
    ] = None,
    agents: Agents = None,
    seed: Seed = 0,
    values: Values = None,
    backend: Backend = "auto",
    threads: Threads = None,
    force: Force = False,
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

    cut, view, looks = cut or CutOptions(), view or ViewOptions(), look or LookOptions()
    rate = cut.fps if "fps" in cut.given else 25.0 if out.suffix.lower() == ".gif" else 30.0
    looks.follow = _follow(looks.follow)
    look = looks.request(size=_size(size), labels=not no_labels, view=view.request() if view.given else None)
    check_target(out, look.size, rate, force)
    if steps is None:
        cut = replace(cut.request(), fps=rate)
        load_rules(rules)
        reels = [_recorded(name) for name in (source, beside) if name is not None]
    else:
        scenarios = _scenarios(source, beside, agents, values, beside_values, rules)
        pace = scenarios[0].display.speed if cut.speed is None else cut.speed  # as in the live view
        Cut(rate, pace)  # checks the speed
        cut = replace(cut.request(), fps=rate, speed=None)  # the reel is stepped at that pace
        reels = [_simulated(one, seed, backend, threads, steps, pace / rate) for one in scenarios]
    names = (
        (None, None)
        if beside is None
        else (_name(source), ", ".join([_name(beside), *(beside_values or ())]))
    )
    if steps is None and len(reels[0].steps):
        _say_what_is_shown(reels[0], cut, out)
    print_facts(_filmed(reels, out, look, cut, names, force), as_json)


def _say_what_is_shown(reel: Any, cut: Any, out: Path) -> None:
    """Tell of a step that was not recorded, and of frames that are far apart."""
    if cut.at is not None:
        shown = reel.steps[cut.shots(reel)[0].first]
        if shown != cut.at:
            print_notice(f"step {cut.at:,} was not recorded; this is step {shown:,}, the nearest")
        return
    if cut.speed is not None or out.suffix.lower() == ".png" or len(reel.steps) < 2:
        return
    usual = reel.scenario.display.speed
    speed = (reel.steps[1] - reel.steps[0]) * reel.scenario.motion.time_step * cut.fps
    if speed > TOO_FAST * usual:
        print_notice(
            f"a frame was recorded every {reel.steps[1] - reel.steps[0]:,} steps, so the film shows {speed:.3g} s in "
            f"a second and trails smear; --speed {usual:g} --smooth shows the pace of the live view, interpolated"
        )


def _filmed(
    reels: list[Any], out: Path, look: Any, cut: Any, names: tuple[str | None, str | None], force: bool
) -> dict[str, Any]:
    """Render the film and show progress; after Ctrl-C, report what was written."""
    from murmura.lab.films.film import render

    with Progress("frames", "compiling the renderer (once; it is cached on disk)") as progress:
        try:
            film = render(
                reels[0], out, look, cut, reels[1] if len(reels) > 1 else None, names, progress.update, force
            )
        except KeyboardInterrupt:
            held = f"{out} contains the frames so far"
            print_notice(f"stopped; {held}" if out.exists() else "stopped before the first frame")
            raise
    return film.facts()


def _scenarios(
    source: str,
    beside: str | None,
    agents: int | None,
    values: list[str] | None,
    beside_values: list[str] | None,
    rules: list[str] | None,
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
