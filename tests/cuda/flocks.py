"""Flocks for the tests of this folder: the scenes of `parity` and the shipped scenarios, with few agents."""

from __future__ import annotations

import numpy as np

import murmura as mm
from murmura.core.state import State
from murmura.lab.bench.workload import resized
from murmura.scenario import Scenario
from tests.parity.scenes import OBSTACLES, loud_rules, scenario_of, set_life_going

# Rules that make an agent's step depend on its id: random numbers by id, and rules that name an agent.
BY_ID = ("noise", "jitter", "wander", "pursue", "evade", "follow_leader", "vicsek", "zones", "stardisplay")
ROUND_OBSTACLE = (OBSTACLES[0]["x"], OBSTACLES[0]["y"])


def scene_of(name: str, agents: int) -> Scenario:
    scenario = scenario_of(name)
    breeds = scenario.rules.reproduction.enabled
    room = {"rules.reproduction.most": 2 * agents} if breeds else {}
    return scenario.with_values({"agents": agents} | room)


def cut_down(name: str, agents: int) -> Scenario:
    """A shipped scenario with fewer agents, at the same density."""
    return resized(mm.load_scenario(name), agents)


def silenced(scenario: Scenario, names: tuple[str, ...] | None = None) -> Scenario:
    """The scenario with the numbers of these rules (or of all) at zero, for every species: the same kernel."""
    quiet = {
        f"rules.{name}.{rule.silent_when_zero}": 0.0
        for name, rule in loud_rules(scenario).items()
        if (names is None or name in names) and rule.silent_when_zero in type(rule).model_fields
    }
    data = scenario.with_values(quiet).model_dump(mode="json")
    for kind in data["species"]:
        kind["values"] = {path: value for path, value in kind["values"].items() if path not in quiet}
    return Scenario.from_data(data)


def lively(scenario: Scenario, seed: int = 11) -> mm.Simulation:
    """A varied flock on the device: clumps, one of them across the corner of the world, slow and resting agents, two in
    the same place, panic, hunger, time until mating."""
    sim = mm.Simulation(scenario, seed=seed, backend="cuda")
    state = sim.state.copy()
    make_lively(scenario, state, np.random.default_rng(seed))
    sim.load_state(state)
    return sim


def make_lively(scenario: Scenario, state: State, rng: np.random.Generator) -> None:
    n, world = len(state), scenario.world
    size = np.array([world.width, world.height])
    places = np.stack([state["position_x"], state["position_y"]], axis=1).astype(np.float64)
    centers = np.array([(0.0, 0.0), (0.5, 0.5), (0.88, 0.77)]) * size
    clump = np.arange(n) % 4
    for k, center in enumerate(centers):
        mine = clump == k
        places[mine] = center + rng.normal(0.0, 0.35 * scenario.perception.radius, (mine.sum(), 2))
    apart = np.arange(n) % 8 == 7
    places[apart] = size * [0.15, 0.67] + rng.normal(0.0, 0.35 * scenario.perception.radius, (apart.sum(), 2))
    if scenario.obstacles:
        around = np.arange(n) % 8 == 3
        angle = rng.uniform(0.0, 2.0 * np.pi, around.sum())
        places[around] = ROUND_OBSTACLE + 32.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if world.boundary == "wrap":
        places %= size
    elif world.boundary == "open":
        places[::3] += (-700.0, 450.0)
    else:
        places = np.minimum(np.abs(places), size)
    places[8] = places[12]
    speed = rng.uniform(0.3, 1.0, n) * scenario.motion.top_speed
    if scenario.motion.policy == "constant":
        speed[:] = scenario.motion.speed
    else:
        speed[::17], speed[5::29] = 0.05, 0.0
    turn = rng.uniform(0.0, 2.0 * np.pi, n)
    state["position_x"][:], state["position_y"][:] = places.T
    state["velocity_x"][:], state["velocity_y"][:] = speed * np.cos(turn), speed * np.sin(turn)
    if world.boundary == "wrap":  # rounding to single precision may have reached the edge
        for name, side in (("position_x", world.width), ("position_y", world.height)):
            state[name][:] = np.minimum(state[name], np.nextafter(np.float32(side), np.float32(0)))
    state["panic"][:] = np.where(rng.random(n) < 0.4, rng.random(n), 0.0)
    state["energy"][:] = rng.random(n)
    state["mating_cooldown"][:] = np.where(rng.random(n) < 0.5, rng.random(n) * 0.05, 0.0)
    if scenario.rules.mating.enabled:
        set_life_going(scenario, state)
    for name in ("action_x", "action_y"):
        if name in state.columns:
            state[name][:] = rng.uniform(-1.0, 1.0, n)
