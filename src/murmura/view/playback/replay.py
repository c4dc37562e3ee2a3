"""Replays the recorded actions of a session, bit for bit.

The file is what the page saves and `/api/actions` returns: every action with its step, and the hash of the final
state. It may come from anywhere, so it is validated like the messages of a page.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from murmura.core.errors import RunError, ScenarioError, nearest
from murmura.scenario import Scenario
from murmura.scenario.plain_files import read_plain_file
from murmura.view.session.editing.changes import CHANGES, needs_restart
from murmura.view.session.scene import END, LARGEST_RECORD, Scene
from murmura.view.session.session import Session

PIECE_SECONDS = 0.1  # steps between progress reports


@dataclass(frozen=True)
class Record:
    """The content of a file of actions."""

    scenario: Scenario
    seed: int
    backend: str
    version: str
    actions: list[dict[str, Any]]  # after the first, which loads the scenario
    total_steps: int
    end_step: int
    end_hash: str

    @property
    def to_play(self) -> list[dict[str, Any]]:
        return [*self.actions, {"type": END, "step": self.end_step}]


def read_record(path: Path) -> Record:
    """Read and check a file of actions."""
    try:
        content = read_plain_file(path, 2 * LARGEST_RECORD)
    except OSError as error:
        raise _bad(path, error.strerror or str(error)) from None
    except ValueError as error:
        raise _bad(path, str(error)) from None
    try:
        data = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _bad(path, f"expected JSON: {error}") from None
    try:
        return _record(data)
    except ScenarioError as error:
        raise _bad(path, str(error)) from None


def _record(data: Any) -> Record:
    actions = data.get("actions") if isinstance(data, dict) else None
    end = data.get(END) if isinstance(data, dict) else None
    if not isinstance(actions, list) or not isinstance(end, dict):
        raise ScenarioError('expected an object with "actions" and "end", as the live view saves it')
    if not actions or not isinstance(actions[0], dict) or actions[0].get("type") != "load":
        raise ScenarioError("the first action must load a scenario")
    first = actions[0]
    if not isinstance(first.get("scenario"), dict) or not isinstance(first.get("seed"), int):
        raise ScenarioError('the first action must contain a "scenario" and a "seed"')
    state_hash, backend = end.get("hash"), data.get("backend", "auto")
    if not isinstance(state_hash, str) or not state_hash or not isinstance(backend, str):
        raise ScenarioError('"end" must contain a "step" and a "hash", and "backend" a name')
    return Record(
        Scenario.from_data(first["scenario"]), first["seed"], backend, str(data.get("murmura", "?")), actions[1:],
        _count_steps(actions, end), end["step"], state_hash,
    )  # fmt: skip


def _count_steps(actions: list[Any], end: dict[str, Any]) -> int:
    """The number of steps of the session; raises if the actions are not in order."""
    total = now = 0
    for number, action in enumerate([*actions, {**end, "type": END}]):
        step = action.get("step") if isinstance(action, dict) else None
        if isinstance(step, bool) or not isinstance(step, int) or step < now:
            raise ScenarioError(f"action {number} must have a step of {now} or later, got {step!r}")
        kind = action.get("type")
        if number < len(actions) and kind not in CHANGES:
            raise ScenarioError(f"action {number}: unknown type {kind!r}{nearest(str(kind), CHANGES)}")
        total += step - now
        now = 0 if _restarts(action) else step
    return total


def _restarts(action: dict[str, Any]) -> bool:
    values = action.get("values")
    if action.get("restarts") is False:
        return False
    return action["type"] in ("load", "reset") or (
        action["type"] == "set" and isinstance(values, dict) and needs_restart(values)
    )


def replay(
    record: Record,
    backend: str | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] = lambda done, end: None,
) -> Scene:
    """Replay a session without a page; raises RunError if the final state differs from the recorded one."""
    scene = Scene(record.scenario, record.seed, backend or record.backend, threads, spare_a_core=False)
    scene.play(record.to_play)
    done, piece = 0, 1
    while done < record.total_steps:
        piece = min(piece, record.total_steps - done)
        begun = time.perf_counter()
        scene.step(piece)
        done += piece
        progress(done, record.total_steps)
        piece = max(1, int(PIECE_SECONDS * piece / max(time.perf_counter() - begun, 1e-9)))
    scene.step(0)  # actions after the last step
    found = scene.simulation.state_hash()
    if found != record.end_hash:
        raise RunError(
            f"the replayed session ends in the state {found[:12]}, the recorded one in {record.end_hash[:12]} "
            f"(murmura {record.version}, backend {record.backend}). Results are identical only with the same version, "
            "backend and kind of processor"
        )
    return scene


def replay_session(record: Record, backend: str | None, threads: int | None, speed: float | None) -> Session:
    """A session that replays the actions until they end or a page changes something."""
    session = Session(record.scenario, record.seed, backend or record.backend, threads, speed)
    session.scene.play(record.to_play)
    return session


def _bad(path: Path, reason: str) -> ScenarioError:
    return ScenarioError(f"{path} cannot be replayed: {reason}")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")
