"""A user's rule that reports which neighbours each agent met in the kernel, and the same computed by NumPy.

Every agent has a number. The rule stores the sum of the neighbours' numbers, the greatest one, and that of the
nearest neighbour. Numbers are below 2**12 and neighbours few, so sums stay below 2**24, where they are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import murmura as mm
from murmura.core.merging import Greatest, Least, Sum
from murmura.core.rule import Rule
from murmura.scenario import Scenario

NAME = "neighbor_probe"
EPS = 2.0**-24
QUIET = ("separation", "alignment", "cohesion", "boundary")


class NeighborProbe(Rule):
    """Uses every way in which contributions combine."""

    reads = ("feeding_timer",)
    writes = ("aggression_level", "energy", "mating_timer")

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        call = seen.feeding_timer
        return {"sum": Sum(call), "loudest": Greatest(call), "nearest": Least(seen.square, call=call)}

    @staticmethod
    def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
        return {"aggression_level": found.sum, "energy": found.loudest, "mating_timer": found.nearest.call}


def scene(boundary: str, species: tuple[Any, ...] = (), **values: Any) -> Scenario:
    """A world in which agents fly straight with this rule only; `values` by path, with _ for the dot."""
    base = {
        "agents": 0,
        "world": {"width": 400.0, "height": 300.0, "boundary": boundary},
        "motion": {"time_step": 1.0, "max_speed": 8.0},
        "rules": {name: {"enabled": False} for name in QUIET} | {NAME: {}},
        "species": list(species),
    }
    return Scenario.from_data(base).with_values({k.replace("_", ".", 1): v for k, v in values.items()})


def begin(scenario: Scenario, places: Any, velocities: Any, species: Any = None) -> mm.Simulation:
    """A flock on the device in which every agent has a number."""
    sim = mm.Simulation(
        scenario, seed=3, backend="cuda", positions=places, velocities=velocities, species=species
    )
    state = sim.state.copy()
    state["feeding_timer"][:] = np.random.default_rng(len(state)).permutation(4095)[: len(state)] + 1
    sim.load_state(state)
    return sim


def check_neighbors(sim: mm.Simulation, exact: bool = False) -> int:
    """Take a step: every agent must meet exactly those that NumPy says it sees. Return the number of pairs.

    With `exact`, positions and directions are such that nothing is rounded, and edges count as seen.
    """
    seen, doubtful, distance = sight(sim)
    sure = np.ones(len(seen), bool) if exact else ~doubtful
    assert sure.sum() >= 0.9 * len(sure)
    calls = sim.column("feeding_timer").astype(np.float64)
    sim.step()
    assert np.array_equal(sim.column("local_density")[sure], seen.sum(axis=1)[sure])
    assert np.array_equal(sim.column("aggression_level")[sure], (seen @ calls)[sure])
    assert np.array_equal(
        sim.column("energy")[sure], np.where(seen, calls, 0.0).max(axis=1, initial=0.0)[sure]
    )
    far = np.where(seen, distance, np.inf)
    order = np.sort(np.concatenate([far, np.full((len(far), 2), np.inf)], axis=1), axis=1)
    alone = ~np.isfinite(order[:, 0])
    clear = sure & ~alone & ~(order[:, 1] < order[:, 0] * (1.0 + 1e-5) + 1e-3)
    if len(far):
        assert np.array_equal(sim.column("mating_timer")[clear], calls[far.argmin(axis=1)][clear])
    assert not sim.column("mating_timer")[sure & alone].any()
    return int(seen.sum())


def sight(sim: mm.Simulation, rows: Any = slice(None)) -> tuple[Any, Any, Any]:
    """Who these agents see (one row each), which have a neighbour within rounding of a limit, and all distances."""
    scenario, state = sim.scenario, sim.state
    lives = [scenario.of_species(k) for k in range(max(1, len(scenario.species)))]
    kind = state["species"][rows]
    radius = np.array([life.perception.radius for life in lives])[kind][:, None]
    view = np.array([life.perception.field_of_view for life in lives])[kind][:, None]
    places, velocities = sim.positions.astype(np.float64), sim.velocities.astype(np.float64)[rows]
    size = np.array([scenario.world.width, scenario.world.height])
    wraps = scenario.world.boundary == "wrap"
    gap = places[None, :, :] - places[rows][:, None, :]
    if wraps:
        gap -= size * np.round(gap / size)
    distance = np.hypot(gap[..., 0], gap[..., 1])
    speed = np.hypot(velocities[:, 0], velocities[:, 1])[:, None]
    ahead = gap[..., 0] * velocities[:, :1] + gap[..., 1] * velocities[:, 1:]
    cosine = np.where(distance * speed > 0.0, ahead / np.maximum(distance * speed, 1e-300), 1.0)
    least = np.cos(np.radians(view / 2.0))
    all_around = (view == 360.0) | (speed**2 < 0.01)  # S0-115: agents slower than 0.1 look all around
    others = np.arange(len(places))[None, :] != np.arange(len(places))[rows][:, None]
    seen = (distance <= radius) & (all_around | (cosine >= least - 1e-9)) & others
    rounding = 4.0 * EPS * max(float(size.max()) if wraps else 0.0, float(np.abs(places).max(initial=0.0)))
    rim = np.abs(distance - radius) <= rounding
    at_edge_of_view = np.abs(cosine - least) <= 3e-6 + rounding / np.maximum(distance, 1e-300)
    at_edge_of_view &= ~all_around & (distance > 0.0) & (distance <= radius + rounding)
    slow = np.abs(speed[:, 0] ** 2 - 0.01) < 1e-6
    doubtful = ((rim | at_edge_of_view) & others).any(axis=1) | slow
    if scenario.perception.nearest is not None:
        doubtful |= _keep_nearest(seen, distance, scenario.perception.nearest)
    return seen, doubtful, distance


def _keep_nearest(seen: Any, distance: Any, count: int) -> Any:
    """Drop all but the nearest; agents with a tie at the limit are doubtful."""
    far = np.where(seen, distance, np.inf)
    order = np.sort(far, axis=1)
    tied = np.zeros(len(seen), bool)
    if count < seen.shape[1]:
        last, next_one = order[:, count - 1], order[:, count]
        cut = np.isfinite(next_one)
        tied[cut] = next_one[cut] - last[cut] <= 1e-5 * last[cut] + 1e-4
        seen &= far <= last[:, None]
    return tied


def headings(rng: np.random.Generator, count: int, speed: float = 5.0) -> Any:
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) * speed


def uniform(rng: np.random.Generator, count: int, width: float = 400.0, height: float = 300.0) -> Any:
    places = (rng.random((count, 2)) * [width, height]).astype(np.float32)
    return np.minimum(places, np.nextafter(np.float32([width, height]), np.float32(0)))
