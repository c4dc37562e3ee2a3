"""The front door. Commands are thin: they read words, call the library and print what it returns.

Exit codes: 0 on success, 1 when a run failed, 2 on bad input, 130 after Ctrl-C. A user's mistake never shows a
traceback.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

from cyclopts import App, Parameter
from cyclopts.exceptions import CycloptsError

from murmura import __version__
from murmura.core.errors import MurmuraError, RunError, ScenarioError

app = App(
    name="murmura", version=__version__, help="A flocking laboratory: exact, reproducible, on all cores."
)


def _whole(type_: Any, tokens: Any) -> int:
    """A whole number: cyclopts would round 1.5 to 2."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"expected a whole number, got {tokens[0].value!r}") from None


Whole = Annotated[int, Parameter(converter=_whole)]
Agents = Annotated[
    int | None, Parameter(converter=_whole, help="How many agents; by default as the scenario says.")
]
Seed = Annotated[Whole, Parameter(help="Same scenario, seed and step count: same bits.")]
Values = Annotated[
    list[str] | None,
    Parameter(name="--set", help="Change a value: PATH=VALUE. May be repeated.", negative=""),
]
RuleFiles = Annotated[
    list[Path] | None,
    Parameter(name="--rules", help="Python file with rules of your own; it is run.", negative=""),
]
Backend = Annotated[str, Parameter(help="auto, reference, cpu or cuda.")]
Threads = Annotated[
    int | None,
    Parameter(converter=_whole, help="How many threads; by default all cores for large flocks."),
]
Json = Annotated[bool, Parameter(name="--json", help="Print facts as JSON.", negative="")]


@app.default
@app.command
def live(
    scenario: str = "starlings",
    /,
    *,
    agents: Agents = None,
    seed: Seed = 0,
    values: Values = None,
    host: Annotated[str, Parameter(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int | None, Parameter(converter=_whole, help="Preferred port; the next free one if it is taken.")
    ] = None,
    no_open: Annotated[bool, Parameter(help="Do not open the browser.", negative="")] = False,
    speed: Annotated[float, Parameter(help="Simulated seconds for each second that passes.")] = 2.0,
    backend: Backend = "auto",
    threads: Threads = None,
    rules: RuleFiles = None,
) -> None:
    """Open a scenario in the browser and watch it live.

    Parameters
    ----------
    scenario
        Name of a shipped scenario, or a .json or .toml file.
    """
    print(f"murmura {__version__} - starting...", flush=True)
    from murmura.view.server import serve
    from murmura.view.session import Session

    session = Session(chosen_scenario(scenario, agents, values, rules), seed, backend, threads, speed)
    serve(session, host, port, not no_open)


@app.command
def run(
    scenario: str,
    /,
    *,
    steps: Whole,
    out: Path,
    agents: Agents = None,
    seed: Seed = 0,
    values: Values = None,
    every: Annotated[Whole, Parameter(help="Steps between two lines of metrics.")] = 100,
    backend: Backend = "auto",
    threads: Threads = None,
    rules: RuleFiles = None,
    expect_hash: Annotated[str | None, Parameter(help="Fail unless the final state has this hash.")] = None,
    as_json: Json = False,
) -> None:
    """Run a scenario and write scenario, metrics and final state to a new folder.

    Parameters
    ----------
    scenario
        Name of a shipped scenario, or a .json or .toml file.
    steps
        How many steps.
    out
        The folder to write; new or empty.
    """
    from murmura.engine.simulation import Simulation
    from murmura.lab.recording import check_request, record

    chosen = chosen_scenario(scenario, agents, values, rules)
    check_request(steps, out, every)
    simulation = Simulation(chosen, seed, backend, threads, announce=_say)
    begun = time.perf_counter()
    with _Progress(steps) as progress:
        try:
            done = record(simulation, steps, out, every, progress.update)
        except KeyboardInterrupt:
            _say(f"stopped at step {simulation.step_count}; what was recorded is in {out}")
            raise
    seconds = time.perf_counter() - begun
    last = list(done.metrics())[-1]
    facts = {
        "scenario": simulation.scenario.name,
        "agents": simulation.agent_count,
        "seed": seed,
        "steps": steps,
        "seconds": round(seconds, 3),
        "backend": simulation.backend,
        "threads": simulation.threads,
        "polarization": last["polarization"],
        "hash": done.final_hash,
        "folder": str(out),
    }
    _print(facts, as_json)
    if expect_hash is not None and not (done.final_hash or "").startswith(expect_hash):
        raise RunError(f"the final state has the hash {done.final_hash}, expected {expect_hash}")


@app.command
def bench(
    *,
    agents: Annotated[str, Parameter(help="Flock sizes, separated by commas.")] = "2000,10000,100000,1000000",
    backend: Backend = "auto",
    threads: Threads = None,
    scenario: Annotated[
        str | None, Parameter(help="Time this scenario instead of the common workload.")
    ] = None,
    yardsticks: Annotated[bool, Parameter(help="Time NumPy + cKDTree beside it.")] = True,
    as_json: Json = False,
) -> None:
    """Time a step: the common workload, all forces on, and NumPy with SciPy's tree as a yardstick."""
    from murmura.lab.bench import bench as measure

    try:
        sizes = tuple(int(word.replace("_", "")) for word in agents.split(","))
    except ValueError:
        raise ScenarioError(f"--agents takes whole numbers separated by commas, got {agents!r}") from None
    if min(sizes) < 1:
        raise ScenarioError(f"--agents takes numbers of 1 and more, got {agents!r}")
    chosen = chosen_scenario(scenario, None, None, None) if scenario else None
    if not as_json:
        print(
            f"{'agents':>10} {'program':<22} {'threads':>7} {'ms/step':>10} {'median':>10} "
            f"{'M agent-steps/s':>16} {'times':>8}"
        )
    for row in measure(sizes, backend, threads, chosen, yardsticks):
        if as_json:
            print(json.dumps(row), flush=True)
        else:
            print(
                f"{row['agents']:>10,} {row['program']:<22} {row['threads']:>7} {row['best_ms']:>10.3f} "
                f"{row['median_ms']:>10.3f} {row['agent_steps_per_second'] / 1e6:>16.2f} {row['times_murmura']:>8.2f}",
                flush=True,
            )


@app.command
def scenarios(name: str | None = None, /, *, as_json: Json = False) -> None:
    """List the shipped scenarios, or all values of one with their paths.

    Parameters
    ----------
    name
        A scenario's name or file.
    """
    from murmura.scenario import load_scenario, scenario_names, value_paths

    if name is None:
        titles = {entry: load_scenario(entry).title for entry in scenario_names()}
        _print(titles, as_json)
        return
    scenario = load_scenario(name)
    if as_json:
        print(json.dumps(scenario.model_dump(mode="json"), indent=2))
    else:
        for path, value in value_paths(scenario):
            print(f"{path} = {value}")


@app.command
def doctor(*, as_json: Json = False) -> None:
    """Say what this machine has and what is missing."""
    from murmura.lab.doctor import examine

    _print(examine(), as_json)


def chosen_scenario(name: str, agents: int | None, values: list[str] | None, rules: list[Path] | None) -> Any:
    """The scenario of a command line, with rules loaded and values changed."""
    from murmura.scenario import load_scenario

    for file in rules or ():
        _load_rules(file)
    changes: dict[str, Any] = {} if agents is None else {"agents": agents}
    for text in values or ():
        path, separator, value = text.partition("=")
        if not separator:
            raise ScenarioError(f"--set takes PATH=VALUE, for example rules.alignment.weight=2, got {text!r}")
        changes[path.strip()] = _value(value.strip())
    return load_scenario(name).with_values(changes)


def _value(text: str) -> Any:
    """A value as JSON says it; any other text is a word."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _load_rules(path: Path) -> None:
    """Run a file of the user's, which registers its rules."""
    spec = importlib.util.spec_from_file_location(f"murmura_rules_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ScenarioError(f"--rules takes a Python file that exists, got {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except MurmuraError:
        raise
    except Exception as error:
        raise ScenarioError(f"{path} could not be run: {type(error).__name__}: {error}") from error


class _Progress:
    """A bar on a terminal, now and then a plain line elsewhere, both on standard error."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._begun = self._told = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> _Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.completed:,}/{task.total:,} steps"), BarColumn(),
                TextColumn("{task.fields[rate]}"), TimeRemainingColumn(), console=Console(stderr=True), transient=True,
            )  # fmt: skip
            self._bar.start()
            self._task = self._bar.add_task("", total=self._steps, rate="")
        return self

    def update(self, done: int, end: int) -> None:
        now = time.monotonic()
        rate = done / max(now - self._begun, 1e-9)
        if self._bar is not None:
            self._bar.update(self._task, completed=done, rate=f"{rate:,.0f} steps/s")
        elif now - self._told > 5.0:
            self._told = now
            _say(f"step {done:,} of {end:,}, {rate:,.0f} steps/s, {(end - done) / rate:,.0f} s left")

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def _say(text: str) -> None:
    print(f"murmura: {text}", file=sys.stderr, flush=True)


def _print(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        known = {
            key: None if isinstance(value, float) and math.isnan(value) else value
            for key, value in facts.items()
        }
        print(json.dumps(known, indent=2, allow_nan=False))
        return
    width = max(len(key) for key in facts)
    for key, value in facts.items():
        shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        shown = ", ".join(map(str, shown)) if isinstance(shown, list) else shown
        print(f"{key:<{width}}  {shown}")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    sys.exit(
        _outcome(lambda: app(arguments, exit_on_error=False, print_error=False, result_action="return_value"))
    )


def _outcome(act: Callable[[], Any]) -> int:
    try:
        act()
        sys.stdout.flush()
    except CycloptsError as error:
        _say(" ".join(str(error).split()))
        return 2
    except MurmuraError as error:
        _say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader left. What is still in the buffer goes nowhere, or Python would complain at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 0
