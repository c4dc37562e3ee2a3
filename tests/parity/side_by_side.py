"""The same step from the same state: on the CPU in single precision, and on the reference in double.

What may differ: every agent's result by a few roundings, and the result of an agent at a discontinuity. That is a
neighbour exactly at the limit of view, a wall that is touched, or anything else where a formula jumps or loses its
digits. The reference itself shows where, when the flock is perturbed by a few roundings in double precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import murmura as mm
from murmura.compute.reference import Evaluation
from murmura.core.state import column_name, column_type
from murmura.core.world.randomness import seed_words

EPS = 2.0**-24  # half a unit in the last place of 1.0 in single precision
STRICT = 50.0 * EPS  # what nearly all agents must reach, relative to the largest number involved
LOOSE = 2000.0 * EPS  # what all must reach, where sums cancel
EDGE = 0.005  # an agent that moves by more than this when perturbed by rounding is at a discontinuity
SHAKES = 4
NO_AGENT = 1e30  # larger numbers stand for no agent: they are exact
COLUMNS = (
    "position_x",
    "position_y",
    "velocity_x",
    "velocity_y",
    "acceleration_x",
    "acceleration_y",
    "heading",
    "panic_level",
    "energy",
    "local_density",
    "mating_cooldown",
    "feeding_state",
    "target_food_id",
    "feeding_timer",
    "mating_state",
    "target_mate_id",
    "mating_timer",
)


def columns_of(sim: mm.Simulation) -> tuple[str, ...]:
    """What a step may change, including the columns that the scenario's rules add."""
    return (*COLUMNS, *sim.state.own_columns)


def twin_of(sim: mm.Simulation) -> mm.Simulation:
    """A simulation on the reference backend with exactly the same flock at the same step."""
    twin = mm.Simulation.__new__(mm.Simulation)
    twin._begin(sim.scenario, sim.seed, "reference", None, sim.state.copy(), sim.step_count, False, None)
    return twin


@dataclass
class Comparison:
    """The results of many compared steps."""

    agents: int = 0
    left_out: int = 0
    not_strict: int = 0
    force_errors: list[Any] = field(default_factory=list)

    def check(self) -> None:
        """Discontinuities are few, nearly all agents are within the strict bound, and errors are not systematic."""
        assert self.left_out < 0.05 * self.agents
        assert self.not_strict < 0.03 * self.agents
        assert self.median_force_error < 5e-6

    @property
    def median_force_error(self) -> float:
        """In units of the maximum force: must be far below the bound on single agents, or errors are systematic."""
        return float(np.median(np.concatenate(self.force_errors)))


def compare_step(sim: mm.Simulation, found: Comparison) -> None:
    """Advance by one step on both backends and demand the same result, agent by agent."""
    edge = on_edge_of_view(sim) | touching(sim)
    twin = twin_of(sim)
    before, plan, step = sim.state.copy(), sim._plan, sim.step_count
    columns = columns_of(sim)
    twin.step()
    sim.step()
    assert np.array_equal(sim.ids, twin.ids), "different agents have died or been born"
    # Newborns have not taken a step yet, and dead agents have no result.
    stayed, here = np.isin(before.ids, sim.ids), np.isin(sim.ids, before.ids)
    edge = edge[stayed]
    scale = {
        name: value[here] if isinstance(value, np.ndarray) else value
        for name, value in scales(sim, twin).items()
    }
    rounding = {name: place_rounding(sim) * name.startswith("position") for name in columns}
    differences = {
        name: difference(sim, name, sim.state[name][here], twin.state[name][here]) for name in columns
    }
    strict = np.ones(len(edge), bool)
    for name in columns:
        strict &= differences[name] <= STRICT * scale[name] + rounding[name]
    # The effect of a perturbation matters only for agents beyond the strict bound.
    odd = ~strict

    def is_excused(spreads: dict[str, Any]) -> Any:
        bounds = {
            name: STRICT * _of(scale[name], odd) + 4.0 * spreads[name] + rounding[name] for name in columns
        }
        return np.all([differences[name][odd] <= bounds[name] for name in columns], axis=0)

    def jumps(spreads: dict[str, Any]) -> Any:
        limits = {name: EDGE * _of(scale[name], odd) + 4.0 * rounding[name] for name in columns}
        return edge[odd] | np.any([spreads[name] > limits[name] for name in columns], axis=0)

    for spreads in spreads_when_shaken(sim, plan, before, step, np.flatnonzero(stayed)[odd]):
        if np.all(is_excused(spreads) | jumps(spreads)):
            break
    edge[odd] = jumps(spreads)
    for name in columns:
        spread = np.zeros(len(edge))
        spread[odd] = spreads[name]
        error, slack = differences[name], 4.0 * spread + rounding[name]
        wrong = ~edge & ~(error <= LOOSE * scale[name] + slack)
        assert not wrong.any(), (
            f"step {sim.step_count}: {name} of agents {sim.ids[here][wrong][:5]} is off by {error[wrong][:5]}, "
            f"allowed {(LOOSE * scale[name] + slack)[wrong][:5]}"
        )
    strict[odd] = is_excused(spreads)
    untouched = set(before.columns) - set(columns)
    for name in untouched:
        assert np.array_equal(sim.state[name][here], before[name][stayed]), name
    force = np.linalg.norm(twin.forces, axis=1)
    error = np.max([differences[name] for name in sim._plan.force_columns[:-1]], axis=0)
    found.agents += len(edge)
    found.left_out += int(edge.sum())
    found.not_strict += int((~strict & ~edge).sum())
    found.force_errors.append(error / max(float(force.max()), 1e-12))


def scales(sim: mm.Simulation, twin: mm.Simulation) -> dict[str, Any]:
    """The size of the numbers that an error is compared with, by column; a count of neighbours must be exact."""
    motion = sim.scenario.motion
    force = max(float(np.linalg.norm(twin.forces, axis=1).max()), motion.max_force)
    top = max(life.motion.top_speed for life in lives(sim.scenario)) * (1.0 + motion.panic_speed)
    speed = top + force * motion.thrust
    # Of the horizontal part, which alone has an angle.
    speeds = np.hypot(twin.state["velocity_x"], twin.state["velocity_y"])
    sizes = {"position": speed * motion.stride, "velocity": speed, "acceleration": force}
    vectors = {f"{name}_{axis}": size for name, size in sizes.items() for axis in "xyz"}
    return dict.fromkeys(columns_of(sim), 1.0) | {
        **{name: size for name, size in vectors.items() if name in sim.state.columns},
        "heading": 1.0 + 2.0 * speed / np.maximum(speeds, 0.1),
        "local_density": 0.0,
    }


def place_rounding(sim: mm.Simulation) -> float:
    """Two roundings of the largest coordinate."""
    world = sim.scenario.world
    return 4.0 * EPS * max(*world.sides, float(np.abs(sim.positions).max()))


def lives(scenario: Any) -> list[Any]:
    return [scenario.of_species(k) for k in range(max(1, len(scenario.species)))]


def difference(sim: mm.Simulation, name: str, a: Any, b: Any) -> Any:
    """How far two columns are apart; positions the shortest way on a torus, headings around the circle."""
    gap = np.abs(a.astype(np.float64) - b.astype(np.float64))
    period = 0.0
    if name == "heading":
        period = 2.0 * np.pi
    elif name.startswith("position"):
        axis, world = "xyz".index(name[-1]), sim.scenario.world
        period = world.sides[axis] if world.edges[axis] == "wrap" else 0.0
    return np.minimum(gap, np.abs(period - gap)) if period else gap


def _of(value: Any, rows: Any) -> Any:
    """The entries of an array at these rows; a number is the same for all."""
    return value[rows] if isinstance(value, np.ndarray) else value


def spreads_when_shaken(
    sim: mm.Simulation, plan: Any, state: Any, step: int, rows: Any
) -> Iterator[dict[str, Any]]:
    """How far these agents' results move, in double precision, when their inputs are perturbed by two roundings.

    After one perturbation, after two, and so on: each costs a step, and the first usually explains every difference.
    """
    spread = {name: np.zeros(len(rows)) for name in columns_of(sim)}
    if not len(rows):
        yield spread
        return
    still = _lived(sim, plan, state, step, rows, None)
    for shake in range(SHAKES):
        moved = _lived(sim, plan, state, step, rows, np.random.default_rng(shake))
        for name in spread:
            spread[name] = np.maximum(spread[name], difference(sim, name, moved[name], still[name]))
        yield spread


def _lived(
    sim: mm.Simulation, plan: Any, state: Any, step: int, rows: Any, rng: np.random.Generator | None
) -> dict[str, Any]:
    evaluation = Evaluation(plan, state, step, seed_words(sim.seed))
    if rng is not None:
        size = max(sim.scenario.world.sides)
        for name, column in evaluation.columns.items():
            if column_type(column_name(name)).kind == "i":
                continue
            largest = np.maximum(np.abs(column), size if name.startswith("position") else 0.0)
            largest[largest > NO_AGENT] = 0.0
            evaluation.columns[name] = column + 2.0 * EPS * largest * rng.uniform(-1.0, 1.0, len(state))
        world = evaluation.world
        # The lattice of noise repeats after 256 cells: coordinates in it are rounded like numbers near 256.
        evaluation.world = evaluation.step.world = world.updated(
            {
                "noise_x": world.noise_x + 512.0 * EPS * rng.uniform(-1.0, 1.0),
                "noise_y": world.noise_y + 512.0 * EPS * rng.uniform(-1.0, 1.0),
                "noise_z": world.noise_z + 512.0 * EPS * rng.uniform(-1.0, 1.0),
            }
        )
    lived = {
        name: np.broadcast_to(np.asarray(state[name], np.float64), len(state))[rows]
        for name in columns_of(sim)
    }
    for name, values in evaluation.live(rows).columns.items():
        lived[column_name(name)] = np.asarray(values, np.float64)
    return lived


def on_edge_of_view(sim: mm.Simulation) -> Any:
    """Agents with a neighbour within rounding of the limit of their view, by distance or by angle."""
    state, world = sim.state, sim.scenario.world
    places, velocities = sim.positions.astype(np.float64), sim.velocities.astype(np.float64)
    ways = places[None, :] - places[:, None]
    for axis, (size, edge) in enumerate(zip(world.sides, world.edges, strict=True)):
        if edge == "wrap":
            ways[..., axis] -= size * np.round(ways[..., axis] / size)
    kinds = lives(sim.scenario)
    radius = np.array([life.perception.radius for life in kinds])[state["species"]][:, None]
    view = np.radians(np.array([life.perception.field_of_view for life in kinds]))[state["species"]][:, None]
    distance = np.linalg.norm(ways, axis=2)
    rim = np.abs(distance - radius) < 8.0 * EPS * max(world.sides)
    speed = np.linalg.norm(velocities, axis=1)[:, None]
    cosine = (velocities[:, None] * ways).sum(axis=2) / np.maximum(speed * distance, 1e-30)
    side = (
        (np.abs(cosine - np.cos(view / 2.0)) < 3e-6)
        & (distance < radius * 1.001)
        & (speed > 0.09)
        & (view < 6.28)
    )
    others = ~np.eye(len(places), dtype=bool)
    return ((rim | side) & others).any(axis=1)


def touching(sim: mm.Simulation) -> Any:
    """Agents so near to an obstacle they avoid that the direction away from it has few digits left."""
    near = np.zeros(len(sim.state), bool)
    if not sim.scenario.rules.avoid_obstacles.weight:
        return near
    if sim.scenario.world.depth is not None:
        return near  # the perturbation shows it
    size = np.array([sim.scenario.world.width, sim.scenario.world.height])
    for x0, y0, x1, y1, radius in sim._plan.shapes.astype(np.float64):
        gap = sim.positions - np.array([x0, y0])
        if sim.scenario.world.boundary == "wrap":
            gap -= size * np.round(gap / size)
        line = np.array([x1 - x0, y1 - y0])
        along = np.clip(gap @ line / max(line @ line, 1e-30), 0.0, 1.0)
        near |= np.hypot(*(gap - along[:, None] * line).T) - radius < 0.1
    return near
