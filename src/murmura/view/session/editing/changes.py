"""Messages of pages as changes of a scene. A change is plain data: nothing happens until the scene applies it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from murmura.core.errors import ScenarioError, nearest
from murmura.engine.census import hunting_species
from murmura.engine.reading.surroundings import hunters
from murmura.engine.simulation import Simulation
from murmura.scenario import Scenario, load_scenario, scenario_names
from murmura.scenario.paths import is_species_value
from murmura.view.session.editing.messages import Message, number_of, place_of, with_height
from murmura.view.session.editing.placement import (
    MOVABLE,
    PLACEABLE,
    with_object,
    with_object_moved,
    without_object,
)
from murmura.view.session.editing.tools import STRENGTHS, Pointer, with_pointer

MOST_AGENTS = 2_000_000
RESTARTS = ("agents", "world.", "start.", "species", "motion.velocity_unit", "motion.policy")
"""Prefixes of paths whose change needs a new flock."""


class Changeable(Protocol):
    """The context of a message: the current scenario, the pointer and the running flock."""

    scenario: Scenario
    pointer: Pointer | None
    simulation: Simulation


@dataclass(frozen=True)
class AddedAgent:
    """An agent that joins a running flock: the index of its species and its position [u]."""

    species: int
    x: float
    y: float
    z: float | None = None  # none: half way up, where the world has a depth


@dataclass(frozen=True)
class Change:
    """What a message changes in the scene, and the action that is recorded for it."""

    scenario: Scenario
    pointer: Pointer | None
    action: dict[str, Any]
    seed: int | None = None  # restart with this seed
    loads: bool = False  # another scenario, not a change of the current one
    added: AddedAgent | None = None  # joins the flock
    removed: int | None = None  # the id of an agent to remove

    @cached_property
    def target(self) -> Scenario:
        """The scenario that the simulation will run; cached, so that it is planned once."""
        return with_pointer(self.scenario, self.pointer)


def change_of(scene: Changeable, message: Message) -> Change:
    """The change that a message requests."""
    kind = message.get("type")
    read = _READERS.get(str(kind))
    if read is None:
        raise ScenarioError(f"unknown command {kind!r}{nearest(str(kind), _READERS)}")
    change = read(scene, message)
    check_size(change.scenario)
    return change


def _load(scene: Changeable, message: Message) -> Change:
    wanted = message.get("scenario")
    scenario = load_shipped(wanted) if isinstance(wanted, str) else Scenario.from_data(wanted)
    seed = _seed(scene, message)
    return Change(scenario, scene.pointer, load_action(scenario, seed), seed, loads=True)


def _reset(scene: Changeable, message: Message) -> Change:
    seed = _seed(scene, message)
    return Change(scene.scenario, scene.pointer, {"type": "reset", "seed": seed}, seed)


def _seed(scene: Changeable, message: Message) -> int:
    seed = message.get("seed")
    if seed is None:
        return scene.simulation.seed
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ScenarioError(f"seed must be a whole number from 0 to 2**64 - 1, got {seed!r}")
    return seed


def _set(scene: Changeable, message: Message) -> Change:
    values = message.get("values")
    if not isinstance(values, dict):
        raise ScenarioError(f"values must be paths with their values, got {type(values).__name__}")
    scenario = scene.scenario.with_values(values)
    note: dict[str, Any] = {"type": "set", "values": dict(values)}
    restarts = needs_restart(values)
    if restarts and set(values) == {"species"} and _same_kinds(scene.scenario, scenario):
        restarts = note["restarts"] = False  # recorded, because readers of the record have no scenario files
    return Change(scenario, scene.pointer, note, scene.simulation.seed if restarts else None)


def _window(scene: Changeable, message: Message) -> Change:
    """Resize the world to a window; the flock continues in it (S1-2)."""
    size = {side: number_of(message, side, 1.0, 100_000.0) for side in ("width", "height")}
    values = {f"world.{side}": length for side, length in size.items()}
    return Change(scene.scenario.with_values(values), scene.pointer, {"type": "window", **size})


def _pointer(scene: Changeable, message: Message) -> Change:
    wanted = message.get("mode")
    mode = next((known for known in STRENGTHS if known == wanted), None)
    if mode is None:
        raise ScenarioError(f"mode must be attract, repel, scare or none, got {wanted!r}")
    x, y = place_of(message)
    height = with_height(scene.scenario, message)
    pointer = None if mode == "none" else Pointer(x, y, mode, **height)
    return Change(scene.scenario, pointer, {"type": "pointer", "x": x, "y": y, **height, "mode": mode})


def _place(scene: Changeable, message: Message) -> Change:
    kind = message.get("kind")
    keys = PLACEABLE.get(str(kind))
    if keys is None:
        raise ScenarioError(f"kind must be {' or '.join(PLACEABLE)}, got {kind!r}")
    placed = {"kind": kind} | {key: message.get(key) for key in keys} | with_height(scene.scenario, message)
    action = {"type": "place", **placed}
    names = [scene.scenario.species[k].name for k in hunting_species(scene.scenario)]
    if kind == "predator" and placed["species"] in names:
        number = scene.scenario.species_names().index(placed["species"])
        return Change(
            scene.scenario,
            scene.pointer,
            action,
            added=AddedAgent(number, *place_of(message), placed.get("z")),
        )
    return Change(with_object(scene.scenario, placed), scene.pointer, action)


def _erase(scene: Changeable, message: Message) -> Change:
    x, y = place_of(message)
    kind = message.get("kind")
    height = with_height(scene.scenario, message)
    action = {"type": "erase", "x": x, "y": y} | height | ({"kind": kind} if kind is not None else {})
    alive = hunters(scene.simulation) if kind == "predator" else []
    removed = _hunter_near(scene, x, y, **height) if kind == "predator" and not alive else None
    if removed is not None:
        return Change(scene.scenario, scene.pointer, action, removed=removed)
    scenario = without_object(scene.scenario, kind, x, y, alive, **height)
    return Change(scenario, scene.pointer, action)


def _hunter_near(scene: Changeable, x: float, y: float, z: float | None = None) -> int | None:
    """The id of the nearest member of a species that hunts."""
    simulation = scene.simulation
    rows = np.isin(simulation.state["species_id"], hunting_species(scene.scenario))
    if not rows.any():
        return None
    place = (x, y) if z is None else (x, y, z)
    far = np.linalg.norm(simulation.positions[rows, : len(place)].astype(float) - place, axis=1)
    return int(simulation.ids[rows][np.argmin(far)])


def _move(scene: Changeable, message: Message) -> Change:
    kind = message.get("kind")
    if kind not in MOVABLE:
        raise ScenarioError(f"kind must be {' or '.join(MOVABLE)}, got {kind!r}")
    x, y = place_of(message)
    to_x, to_y = (number_of(message, key, -1e9, 1e9) for key in ("to_x", "to_y"))
    heights = with_height(scene.scenario, message) | with_height(scene.scenario, message, "to_z")
    action = {"type": "move", "kind": kind, "x": x, "y": y, "to_x": to_x, "to_y": to_y} | heights
    from_, to = (
        ((x, y), (to_x, to_y)) if len(heights) < 2 else ((x, y, heights["z"]), (to_x, to_y, heights["to_z"]))
    )
    return Change(with_object_moved(scene.scenario, str(kind), from_, to), scene.pointer, action)


_READERS: dict[str, Callable[[Changeable, Message], Change]] = {
    "load": _load,
    "reset": _reset,
    "set": _set,
    "window": _window,
    "pointer": _pointer,
    "place": _place,
    "erase": _erase,
    "move": _move,
}
CHANGES = tuple(_READERS)


def needs_restart(values: Mapping[str, Any]) -> bool:
    """Whether a change of these values needs a new flock."""
    return any(str(path).startswith(RESTARTS) and not is_species_value(path) for path in values)


def check_size(scenario: Scenario) -> None:
    if scenario.agents > MOST_AGENTS:
        raise ScenarioError(f"agents: the live view supports up to {MOST_AGENTS:,}, got {scenario.agents:,}")


def _same_kinds(before: Scenario, after: Scenario) -> bool:
    """Whether species and their shares are the same, so that only parameters and reactions changed."""
    kinds = [[(kind.name, kind.share) for kind in scenario.species] for scenario in (before, after)]
    return kinds[0] == kinds[1]


def load_shipped(name: str) -> Scenario:
    """A shipped scenario by name: a page must not be able to open files of this machine."""
    if name not in scenario_names():
        raise ScenarioError(f"no shipped scenario is called {name!r}{nearest(name, scenario_names())}")
    return load_scenario(name)


def load_action(scenario: Scenario, seed: int) -> dict[str, Any]:
    return {"type": "load", "scenario": scenario.model_dump(mode="json"), "seed": seed}
