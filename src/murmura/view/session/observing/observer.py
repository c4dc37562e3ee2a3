"""What a session publishes besides frames: measures, details of one agent, and the agent nearest to a position."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from murmura.measure import Flock, cheap_measures, measure_flock, usual_measures
from murmura.scenario import Scenario
from murmura.view.session.observing.eyesight import EYES, sight
from murmura.view.session.observing.family import family
from murmura.view.session.observing.population import TRAITS, Columns, copied_columns, count_population
from murmura.view.session.source import ShownFlock

NO_READING: dict[str, Any] = {"measured": None, "measures": {}, "population": {}}


class Pace:
    """When a recurring job is due: at most once per period, and taking at most a share of all time.

    Args:
        period: The least time between two starts [s].
        share: The greatest fraction of the time that the job may take.
    """

    def __init__(self, period: float, share: float = 0.1) -> None:
        self._period, self._share = period, share
        self._next = self._begun = 0.0

    def is_due(self, now: float, anyway: bool = False) -> bool:
        """Whether to start the job now; if so, call `done` after it."""
        if now < self._next and not anyway:
            return False
        self._begun = now
        # Starts stay on a regular grid, unless one is late by more than a period, or was forced early.
        self._next = min(max(self._next, now - self._period), now) + self._period
        return True

    def done(self, now: float) -> None:
        """The job has ended. A long one delays the next by a bounded time only: the first is always the slowest."""
        took = min(now - self._begun, self._period)
        self._next = max(self._next, now + took * (1.0 / self._share - 1.0))


HASHED_WHILE_RUNNING = 20_000  # agents up to which a running flock is hashed for every status


class ShownHash:
    """The first digits of the state's hash, computed once per step."""

    def __init__(self) -> None:
        self._moment: Any = None
        self._text = ""

    def now(self, epoch: int, simulation: Any, running: bool) -> str:
        """The hash; none for a large running flock, because it would take as long as a step."""
        if running and simulation.agent_count > HASHED_WHILE_RUNNING:
            return ""
        moment = (epoch, simulation.step_count, simulation.scenario)
        if moment != self._moment:
            self._moment, self._text = moment, simulation.state_hash()[:12]
        return self._text


class Observer:
    """Measures a flock in its own thread, so that the simulation never waits."""

    def __init__(self) -> None:
        self._latest: tuple[ShownFlock | None, dict[str, Any]] = (None, NO_READING)
        self._pace = Pace(0.5)
        self._is_busy = False
        self._jumps = 0

    def forget(self) -> None:
        """The flock jumps to another step: drop what was measured, and what is being measured."""
        self._jumps += 1
        self._latest = (None, NO_READING)

    def reading_of(self, simulation: ShownFlock) -> dict[str, Any]:
        """The latest measures and counts of this flock: `measured` [s], `measures`, `population`."""
        measured, reading = self._latest
        return reading if measured is simulation else NO_READING

    def observe(self, simulation: ShownFlock, now: float) -> None:
        """Copy the flock and measure it, if it is time."""
        if self._is_busy or not self._pace.is_due(now):
            return
        self._is_busy = True
        flock = simulation.flock_later()  # copies only; the thread does the costly part
        moment = (simulation.time, self._jumps)
        work = partial(self._measure, simulation, moment, flock, copied_columns(simulation))
        threading.Thread(target=work, name="murmura-measures", daemon=True).start()

    def _measure(
        self, simulation: ShownFlock, moment: tuple[float, int], later: Callable[[], Flock], columns: Columns
    ) -> None:
        scenario = simulation.scenario
        found: dict[str, Any] = {"measured": moment[0], "measures": {}, "population": {}}
        try:
            found["population"] = count_population(scenario, columns)
            flock = later()
            names = watched_measures(flock, scenario)
            values = measure_flock(flock, cheap_measures(flock.agent_count, names))
            found["measures"] = {key: value if np.isfinite(value) else None for key, value in values.items()}
        except Exception:
            # Either the state is not finite, which the next step reports, or a user's own measure raised.
            found["measures"] = {}
        finally:
            if moment[1] == self._jumps:
                self._latest = (simulation, found)
            self._pace.done(time.perf_counter())
            self._is_busy = False


def watched_measures(flock: Flock, scenario: Scenario) -> list[str]:
    """The default measures and, if agents are born or die, means of their traits, for all and by species."""
    in_space = flock.dimension == 3
    names = usual_measures(flock.columns, flock.species_names, flock.lives is not None, in_space)
    several = flock.species_names if len(flock.species_names) > 1 else ()
    lives = flock.lives is not None or scenario.rules.energy.enabled
    traits = [trait for trait in TRAITS if lives and trait in flock.columns]
    ends = ("", *(f"@{kind}" for kind in several))
    return list(dict.fromkeys([*names, *(f"{trait}_mean{end}" for trait in traits for end in ends)]))


def inspect(simulation: ShownFlock, agent_id: int) -> dict[str, Any]:
    """Details of one agent: what it sees, the forces on it, and the positions of its neighbours."""
    found: dict[str, Any] = {**simulation.explain(agent_id)}
    rows = simulation.state.rows_of(found["neighbors"])
    places = simulation.positions[rows]
    found["neighbors"] = [
        {"id": i, **dict(zip("xyz", map(float, place), strict=False))}
        for i, place in zip(found["neighbors"], places, strict=True)
    ]
    state = simulation.state
    [row] = state.rows_of(found["id"])
    kind = simulation.scenario.of_species(int(state["species_id"][row]))  # species may differ in sight
    own = {name: state[name][row] for name in EYES if name in state.columns}
    found["perception"] = {"radius": sight(kind, own), "field_of_view": kind.perception.field_of_view}
    relatives = family(simulation, int(found["id"]))
    if relatives is not None:
        found["family"] = relatives
    return {"type": "inspect", **found}


def nearest_agent(simulation: ShownFlock, x: float, y: float, z: float | None = None) -> int | None:
    """The id of the agent nearest to a position, also across the edge; None in an empty world.

    In a 3-D world, a position without a height is one seen from above.
    """
    if not simulation.agent_count:
        return None
    world = simulation.scenario.world
    place = (x, y) if z is None else (x, y, z)
    offsets = simulation.positions[:, : len(place)].astype(np.float64) - place
    for axis, (side, edge) in enumerate(zip(world.sides[: len(place)], world.edges, strict=False)):
        if edge == "wrap":
            offsets[:, axis] -= side * np.round(offsets[:, axis] / side)
    return int(simulation.ids[np.argmin((offsets**2).sum(axis=1))])
