"""A run in a folder: scenario, manifest, metrics while it goes, and the final state.

scenario.json   the scenario with every value spelled out
manifest.json   versions, seed, backend, threads, steps, hash of the final state
metrics.jsonl   one line for each observed step, flushed as it is written
final.npz       the final state: `murmura.Simulation.restore` goes on from it
"""

from __future__ import annotations

import json
import math
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from murmura import __version__
from murmura.core.errors import RunError, ScenarioError
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario, load_scenario, save_scenario

SCENARIO, MANIFEST, METRICS, FINAL = "scenario.json", "manifest.json", "metrics.jsonl", "final.npz"
PIECE_SECONDS = 0.1
"""About this long steps go on before progress is told and a Ctrl-C heard."""
Progress = Callable[[int, int], None]


class Run:
    """A recorded run, read lazily."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            if not isinstance(self.manifest, dict):
                raise ValueError(f"{MANIFEST} is not a table of values")
            self.scenario: Scenario = load_scenario(folder / SCENARIO)
        except OSError as error:
            raise ScenarioError(
                f"{folder} is not a run folder: {error}. Make one with `murmura run`"
            ) from None
        except ValueError as error:
            raise RunError(f"the run in {folder} is damaged: {error}") from None

    @property
    def seed(self) -> int:
        return int(self.manifest["seed"])

    @property
    def final_hash(self) -> str | None:
        """State hash at the end, none while the run is not finished."""
        return self.manifest.get("final_hash")

    def metrics(self) -> Iterator[dict[str, float]]:
        """The observed steps, one after the other."""
        path = self.folder / METRICS
        try:
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    if not line.endswith("\n"):
                        return  # still being written, or cut short when the run was killed
                    row = json.loads(line)
                    yield {key: math.nan if value is None else value for key, value in row.items()}
        except (OSError, ValueError, AttributeError) as error:
            raise RunError(f"the metrics in {path} are damaged: {error}") from None

    def final(self, backend: str = "auto", threads: int | None = None) -> Simulation:
        """The simulation as it was at the end."""
        return Simulation.restore(self.folder / FINAL, backend, threads)


def open_run(folder: str | Path) -> Run:
    """Open a run folder."""
    return Run(Path(folder))


def record(
    simulation: Simulation, steps: int, folder: str | Path, every: int = 100, progress: Progress | None = None
) -> Run:
    """Run `steps` steps and write them to a new folder; an interrupt keeps what was recorded and is raised again."""
    folder = Path(folder)
    check_request(steps, folder, every)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ScenarioError(f"cannot write to {folder}: {error}") from None
    begun = time.perf_counter()
    manifest = _manifest(simulation, steps)
    try:
        save_scenario(simulation.scenario, folder / SCENARIO)
        _write(folder / MANIFEST, manifest)
        try:
            with (folder / METRICS).open("w", encoding="utf-8") as lines, _Interrupts() as interrupts:
                _observe(simulation, lines)
                _advance(simulation, steps, every, lines, progress, interrupts)
            manifest["status"] = "finished"
        except KeyboardInterrupt:
            manifest["status"] = "interrupted"
            raise
        finally:
            if manifest["status"] != "started":
                simulation.save(folder / FINAL)
                manifest |= {
                    "steps_done": simulation.step_count,
                    "final_hash": simulation.state_hash(),
                    "seconds": round(time.perf_counter() - begun, 3),
                }
                _write(folder / MANIFEST, manifest)
    except OSError as error:
        raise RunError(f"cannot write the run to {folder}: {error}") from None
    return Run(folder)


class _Interrupts:
    """Holds a Ctrl-C back until the steps under way are whole and counted; a second one acts at once."""

    def __enter__(self) -> _Interrupts:
        self.asked = False
        self._holds = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self._holds:
            signal.signal(signal.SIGINT, self._ask)
        return self

    def _ask(self, *_: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, *_: object) -> None:
        if self._holds:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _advance(
    simulation: Simulation,
    steps: int,
    every: int,
    lines: Any,
    progress: Progress | None,
    interrupts: _Interrupts,
) -> None:
    end = simulation.step_count + steps
    piece = 1
    while simulation.step_count < end:
        due = every - simulation.step_count % every
        count = min(due, end - simulation.step_count, piece)
        begun = time.perf_counter()
        simulation.step(count)
        piece = max(1, int(PIECE_SECONDS * count / max(time.perf_counter() - begun, 1e-9)))
        if simulation.step_count % every == 0 or simulation.step_count == end:
            _observe(simulation, lines)
        if progress is not None:
            progress(simulation.step_count, end)
        if interrupts.asked:
            raise KeyboardInterrupt


def _observe(simulation: Simulation, lines: Any) -> None:
    row = {"step": simulation.step_count, "time": simulation.time, "agents": simulation.agent_count}
    values = {key: value if math.isfinite(value) else None for key, value in simulation.measure().items()}
    lines.write(json.dumps(row | values) + "\n")
    lines.flush()


def check_request(steps: int, folder: Path, every: int) -> None:
    """Whether `record` could begin, before anything is compiled or written: a run never overwrites another."""
    if steps < 0 or every < 1:
        raise ScenarioError(
            f"expected 0 or more steps and 1 or more steps between metrics, got {steps} and {every}"
        )
    try:
        if folder.exists() and any(folder.iterdir()):
            raise ScenarioError(f"{folder} is not empty: name a new folder, or remove the old run first")
    except OSError as error:
        raise ScenarioError(f"cannot write to {folder}: {error}") from None


def _manifest(simulation: Simulation, steps: int) -> dict[str, Any]:
    import numba

    return {
        "murmura": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "platform": platform.platform(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "scenario": simulation.scenario.name,
        "seed": simulation.seed,
        "steps": steps,
        "backend": simulation.backend,
        "threads": simulation.threads,
        "status": "started",
    }


def _write(path: Path, data: dict[str, Any]) -> None:
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    aside.replace(path)
