"""Worlds that between them use every rule, every option and every kind of edge, in as few kernels as possible.

A kernel depends on the rules that take part and on their options, not on numbers. So each scene has as many
compatible rules as possible, and a test of one rule alone sets the numbers of the others to zero.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import murmura as mm
from murmura.core.rule import Rule
from murmura.core.state import State
from murmura.scenario import Scenario

OBSTACLES = [
    {"x": 90.0, "y": 80.0, "radius": 25.0},
    {"points": [[250.0, 60.0], [300.0, 70.0], [270.0, 110.0]]},
    {"points": [[150.0, 220.0], [210.0, 250.0]]},
]
FORCES: dict[str, Any] = {
    "attractors": {
        "points": [
            {"x": 330.0, "y": 220.0, "strength": 2.0, "radius": 120.0},
            {"x": 20.0, "y": 260.0, "strength": -3.0, "radius": 90.0},
        ]
    },
    "fear": {
        "enabled": True,
        "threats": [{"x": 200.0, "y": 150.0, "radius": 80.0}, {"x": 390.0, "y": 10.0, "radius": 70.0}],
    },
    "energy": {"enabled": True, "decay": 0.1},
    "mating_cooldown": {"enabled": True},
    "seek": {"enabled": True, "x": 350.0, "y": 250.0},
    "flee_point": {"enabled": True, "x": 60.0, "y": 200.0, "reach": 110.0},
    "pursue": {"enabled": True, "agent": 7},
    "evade": {"enabled": True, "agent": 3},
    "follow_leader": {"enabled": True, "agent": 5},
    "wander": {"enabled": True},
    "noise": {"enabled": True, "strength": 0.4, "wander": 0.8},
    "jitter": {"enabled": True},
    "avoid_obstacles": {"weight": 1.0},
    "daylight": {"enabled": True, "start": 0.33, "nocturnal": 0.25},
    "territory": {
        "enabled": True,
        "homes": [
            {"x": 120.0, "y": 150.0, "radius": 90.0, "owner": 0},
            {"x": 380.0, "y": 40.0, "radius": 110.0, "owner": 0},
        ],
    },
}

SOFT = {
    # Document 002's rules with everything else a single species can have.
    "agents": 150,
    "world": {"width": 400.0, "height": 300.0, "boundary": "soft"},
    "obstacles": OBSTACLES,
    "rules": FORCES
    | {
        "separation": {"falloff": "inverse_square"},
        "alignment": {"weighting": "linear"},
        "cohesion": {"weighting": "linear", "density_adaptation": True},
        "wind": {"enabled": True, "speed": 9.0, "direction": 40.0, "turbulence": 0.8},
        "boundary": {"margin": 60.0, "shape": "ellipse"},
        "containment": {"enabled": True},
    },
}
WRAPPED = {
    # Three species, each with its own numbers, and everything across the edges of a torus.
    "agents": 150,
    "world": {"width": 400.0, "height": 300.0, "boundary": "wrap"},
    "obstacles": OBSTACLES,
    "perception": {"radius": 50.0, "field_of_view": 300.0},
    "rules": FORCES
    | {
        "separation": {"falloff": "inverse", "radius": 20.0},
        "alignment": {"weighting": "uniform", "radius": 45.0},
        "cohesion": {"weighting": "uniform", "radius": 40.0, "density_adaptation": True},
        "flee": {"weight": 2.0},
        "chase": {"weight": 1.5},
    },
    "species": [
        {
            "name": "sheep",
            "share": 3,
            "values": {"motion.max_speed": 11.0, "rules.alignment.weight": 1.7, "perception.radius": 60.0},
            "towards": {"goat": "flock", "wolf": "flee"},
        },
        {
            "name": "goat",
            "share": 2,
            "values": {
                "rules.separation.radius": 30.0,
                "perception.field_of_view": 200.0,
                "rules.fear.weight": 2.0,
            },
            "towards": {
                "sheep": {"separation": 1.5, "alignment": 0.5, "cohesion": 0.25, "flee": 0.5},
                "wolf": "flee",
            },
        },
        {
            "name": "wolf",
            "share": 1,
            "values": {"motion.max_force": 0.9, "motion.max_speed": 18.0, "rules.noise.gain": 0.2},
            "towards": {"sheep": "chase", "goat": {"separation": 0.0, "chase": 2.0}, "wolf": "avoid"},
        },
    ],
}
ROADMAP = {
    # One speed for all, velocities per tick, the six nearest only, those behind count less, separation first.
    "agents": 150,
    "world": {"width": 60.0, "height": 45.0, "boundary": "wrap"},
    "motion": {"policy": "constant", "velocity_unit": "tick", "speed": 0.8, "max_force": 0.1},
    "perception": {"radius": 8.0, "nearest": 6, "rear_attention": 0.3},
    "rules": {
        "separation": {
            "radius": 4.0,
            "falloff": "inverse",
            "response": "push",
            "priority": "early_exit",
            "exit_distance": 0.8,
            "foresight": 0.15,
            "clearance": 4.4,
        },
        "alignment": {"weighting": "uniform", "coincident": False},
        "cohesion": {"weighting": "uniform"},
        "jitter": {"enabled": True},
        "action": {"enabled": True, "axes": "world"},
    },
}
WALLED = {
    # Per tick and fast, so that walls and obstacles are really hit; a least speed; the sum is not clamped.
    "agents": 150,
    "world": {"width": 400.0, "height": 300.0, "boundary": "reflect"},
    "obstacles": OBSTACLES,
    "motion": {
        "velocity_unit": "tick",
        "max_speed": 6.0,
        "min_speed": 1.5,
        "max_force": 0.4,
        "clamp_total": False,
    },
    "perception": {"radius": 50.0, "field_of_view": 360.0, "rear_attention": 0.5},
    "rules": {
        "cruise": {"enabled": True, "speed": 6.0},
        "action": {"enabled": True, "weight": 0.7},
        "separation": {"priority": "early_exit", "exit_distance": 3.0, "radius": 22.0},
        "alignment": {"weighting": "linear", "radius": 40.0},
        "cohesion": {"weighting": "linear", "radius": 50.0},
        "containment": {"enabled": True, "margin": 30.0, "foresight": 0.1},
        "evade": {"enabled": True, "agent": 3},
        "pursue": {"enabled": True, "agent": 100_000},
    },
}
OPEN = {
    # No edge at all: agents far outside the nominal world, on both sides of the origin.
    "agents": 150,
    "world": {"width": 400.0, "height": 300.0, "boundary": "open"},
    "motion": {"policy": "constant", "speed": 12.0},
    "rules": {
        "separation": {"falloff": "inverse_square", "response": "push"},
        "alignment": {"weighting": "linear"},
        "cohesion": {"weighting": "uniform", "radius": 45.0, "density_adaptation": True},
        "fear": FORCES["fear"],
        "seek": {"enabled": True, "x": -500.0, "y": 100.0, "arrival_radius": 0.0},
        "follow_leader": {"enabled": True, "agent": 5},
        "wander": {"enabled": True},
    },
}
CLASSICS = {
    # All published models in one kernel, a combination only for tests.
    "agents": 150,
    "world": {"width": 400.0, "height": 300.0, "boundary": "wrap"},
    "motion": {"max_speed": 15.0},
    "perception": {"radius": 60.0, "field_of_view": 360.0},
    "rules": {
        "separation": {"enabled": False},
        "alignment": {"enabled": False},
        "cohesion": {"enabled": False},
        "vicsek": {"enabled": True, "noise": 60.0},
        "zones": {
            "enabled": True,
            "repulsion": 8.0,
            "orientation": 15.0,
            "attraction": 35.0,
            "turning_rate": 200.0,
        },
        "cucker_smale": {"enabled": True, "decay": 0.7, "length": 20.0, "strength": 5.0},
        "vision": {"enabled": True, "body": 8.0, "preferred_speed": 9.0, "acceleration": 5.0, "turning": 3.0},
    },
}
PARTICLES = {
    # Models of particles, of a flock with a dog, and of informed groups, in one kernel: a combination only for tests.
    "agents": 120,
    "world": {"width": 400.0, "height": 300.0, "boundary": "wrap", "boundary_y": "reflect"},
    "motion": {"max_speed": 15.0},
    "perception": {"radius": 60.0, "field_of_view": 360.0},
    "rules": {
        "separation": {"enabled": False},
        "alignment": {"enabled": False},
        "cohesion": {"enabled": False},
        "flee": {"enabled": False},
        "chase": {"enabled": False},
        "vicsek": {"enabled": True, "noise": 60.0, "vectorial": True},
        "dorsogna": {
            "enabled": True,
            "repulsion": 4.0,
            "repulsion_length": 4.0,
            "attraction": 3.0,
            "attraction_length": 9.0,
            "drag": 0.02,
            "coupling": 2.0,
        },
        "active_brownian": {
            "enabled": True,
            "thermal": 0.1,
            "turning": 0.5,
            "stiffness": 3.0,
            "diameter": 10.0,
        },
        "inertial_spin": {"enabled": True, "temperature": 0.5, "stiffness": 0.1},
        "informed": {"enabled": True, "repulsion": 8.0, "range": 20.0, "preference": 0.5},
        "olfati_saber": {"enabled": True, "spacing": 15.0, "goal_pull": 0.1, "goal_friction": 0.2},
        "pedestrians": {"enabled": True, "repulsion": 9.0, "repulsion_length": 4.0, "wanted_speed": 2.0},
        "sheep": {"enabled": True, "personal_space": 9.0, "step": 4.0, "grazing": 0.5, "fear_radius": 100.0},
        "sheepdog": {"enabled": True, "sight": 65.0},
    },
    "species": [
        {
            "name": "dog",
            "share": 1.0,
            "values": {"rules.sheep.step": 0.0, "rules.sheepdog.pace": 3.0},
            "towards": {"sheep": "chase"},
        },
        {"name": "sheep", "share": 5.0, "towards": {"dog": "flee"}},
    ],
}
LIFE = {
    # Two species that feed, court, fight, breed and starve; stages begin often, so that few steps show them all.
    "agents": 150,
    "world": {"width": 400.0, "height": 300.0, "boundary": "wrap"},
    "perception": {"radius": 60.0},
    "rules": {
        "separation": {"falloff": "inverse_square"},
        "alignment": {"weighting": "linear"},
        "cohesion": {"weighting": "linear"},
        "wind": {"enabled": True, "speed": 9.0, "turbulence": 0.8},
        "fear": {"enabled": True, "threats": [{"x": 350.0, "y": 30.0, "radius": 60.0}]},
        "energy": {"enabled": True},
        "starvation": {"enabled": True, "after": 20.0},
        "feeding": {
            "enabled": True,
            "style": "swarm",
            "sources": [{"x": 60.0, "y": 60.0}, {"x": 395.0, "y": 150.0, "amount": 3.0}],
            "count": 1,
            "margin": 40.0,
            "capacity": 8,
            "respawn_time": 2.0,
        },
        "mating": {"enabled": True, "seek_rate": 20.0, "search_radius": 60.0, "mating_duration": 1.0},
        "mating_cooldown": {"enabled": True},
        "breeding": {"enabled": True, "most": 400},
    },
    "species": [
        {"name": "sheep", "share": 3, "values": {"rules.mating.search_radius": 45.0}},
        {"name": "goat", "share": 2, "values": {"motion.max_speed": 11.0, "rules.feeding.hungry_below": 0.8}},
    ],
}
HUNTED = {
    # Four kinds of hunters among the flock, with the rules of the shipped scenarios that have any: the same kernel.
    "agents": 150,
    "world": {"width": 400.0, "height": 300.0, "boundary": "soft"},
    "rules": {
        "separation": {"falloff": "inverse_square"},
        "alignment": {"weighting": "linear"},
        "cohesion": {"weighting": "linear", "density_adaptation": True},
        "noise": {"enabled": True},
        "boundary": {"margin": 60.0},
        "fear": {"enabled": True, "threats": [{"x": 200.0, "y": 150.0, "radius": 80.0}]},
        "energy": {"enabled": True, "decay": 0.1},
        "predators": {
            "enabled": True,
            "hunters": [
                {"kind": "hawk", "x": 100.0, "y": 100.0},
                {"kind": "falcon", "x": 300.0, "y": 200.0},
                {"kind": "owl", "x": 200.0, "y": 60.0},
                {"kind": "eagle", "x": 330.0, "y": 80.0},
            ],
        },
    },
}
WILD = (
    mm.load_scenario("ecosystem")
    .with_values(
        # The shipped ecosystem in a small world: the same kernel.
        {
            "agents": 150,
            "world.width": 600.0,
            "world.height": 450.0,
            "rules.feeding.count": 8,
            "rules.reproduction.most": 200,
        }
    )
    .model_dump(mode="json")
)
SCORED = (
    mm.load_scenario("arms-race")
    .with_values(
        # What the shipped scenarios do not use: decisions by score, genes of one parent, newcomers, walls.
        {
            "agents": 150,
            "world.width": 600.0,
            "world.height": 450.0,
            "world.boundary": "reflect",
            "rules.feeding.count": 8,
            "rules.behavior.decision": "scored",
            "rules.reproduction.crossover": "choice",
            "rules.reproduction.most": 200,
            "rules.immigration.enabled": True,
            "rules.immigration.rate": 120.0,
        }
    )
    .model_dump(mode="json")
)
SCENES = {
    "soft": SOFT,
    "hunted": HUNTED,
    "wrapped": WRAPPED,
    "roadmap": ROADMAP,
    "walled": WALLED,
    "open": OPEN,
    "classics": CLASSICS,
    "particles": PARTICLES,
    "life": LIFE,
    "wild": WILD,
    "scored": SCORED,
}


@cache
def scenario_of(scene: str) -> Scenario:
    return Scenario.from_data(SCENES[scene] | {"name": scene})


def in_space(scene: str, **values: Any) -> Scenario:
    """A scene of the plane in a 3-D world, with fewer agents; rules only for the plane are left out."""
    scenario = scenario_of(scene)
    sides = (scenario.world.width, scenario.world.height)
    # As deep as a torus must be for the perception radius, but shallow enough for agents to see others.
    depth = max(
        0.4 * min(sides), 2.2 * max(scenario.of_species(k).perception.radius for k in _kinds(scenario))
    )
    changed = {"world.depth": depth, "agents": min(scenario.agents, 90), "rules.vision.enabled": False}
    return scenario.with_values(changed | values)


def _kinds(scenario: Scenario) -> range:
    return range(max(1, len(scenario.species)))


def loud_rules(scenario: Scenario) -> dict[str, Rule]:
    """The rules that take part in a scenario, by name."""
    from murmura.compute.plan import Plan

    return {group.name: group.rule for group in Plan(scenario).rule_groups if group.rule is not None}


@cache
def rules_in(scene: str) -> dict[str, Rule]:
    """The rules that take part in a scene, by name."""
    return loud_rules(scenario_of(scene))


def alone(scenario: Scenario, name: str) -> Scenario:
    """The scenario with every other rule silenced by a number of 0, for every species: the same kernel."""
    quiet = {
        f"rules.{other}.{rule.silent_when_zero}": 0.0
        for other, rule in loud_rules(scenario).items()
        if other != name and rule.silent_when_zero in type(rule).model_fields
    }
    species = [
        kind.model_dump(mode="json")
        | {"values": {path: value for path, value in kind.values.items() if path not in quiet}}
        for kind in scenario.species
    ]
    data = scenario.with_values(quiet).model_dump(mode="json")
    return Scenario.from_data(data | {"species": species})


def lively(scenario: Scenario, seed: int = 11, backend: str = "cpu") -> mm.Simulation:
    """A flock with something to see: fear, hunger, clusters, slow and resting agents, shared places."""
    rng = np.random.default_rng(seed)
    sim = mm.Simulation(scenario, seed=seed, backend=backend)
    state = sim.state.copy()
    n = len(state)
    rested = scenario.motion.policy == "constant"
    if scenario.world.boundary == "open":
        state["position_x"][: n // 2] -= 700.0
        state["position_y"][: n // 3] += 450.0
    speed = rng.uniform(0.2, 1.0, n) * scenario.motion.top_speed
    turn = rng.uniform(0.0, 2.0 * np.pi, n)
    if not rested:
        speed[::17] = 0.05
        speed[5::29] = 0.0
    else:
        speed[:] = scenario.motion.speed
    state["velocity_x"][:], state["velocity_y"][:] = speed * np.cos(turn), speed * np.sin(turn)
    if scenario.world.depth is not None:
        height = rng.uniform(-1.0, 1.0, n)
        for name in ("velocity_x", "velocity_y"):
            state[name][:] *= np.sqrt(1.0 - height**2)
        state["velocity_z"][:] = speed * height
    for name in sim._plan.moving_columns:
        state[name][40] = state[name][41]
    state["panic"][:] = np.where(rng.random(n) < 0.4, rng.random(n), 0.0)
    state["energy"][:] = rng.random(n)
    state["mating_cooldown"][:] = np.where(rng.random(n) < 0.5, rng.random(n) * 0.05, 0.0)
    if scenario.rules.mating.enabled:
        set_life_going(scenario, state)
    if scenario.rules.behavior.enabled:
        set_wilderness_going(scenario, state)
    if scenario.rules.action.enabled:
        for name in ("action_x", "action_y", "action_z"):
            state[name][:] = rng.uniform(-1.0, 1.0, n)
    sim.load_state(state)
    return sim


def set_life_going(scenario: Scenario, state: State) -> None:
    """Put agents, seven at a time, where something is about to happen.

    The first two are a mating pair; every third pair is about to finish: not all, since a newborn lies exactly where
    its mother is, and directions between them are undefined. The next two are males at the end of a fight over the
    fifth, whom the sixth has just reached. The seventh heads for food, or has no energy.
    """
    size = (scenario.world.width, scenario.world.height)
    for first in range(0, len(state) - 6, 7):
        female, male, a, b, she, suitor, eater = range(first, first + 7)
        crowd = [female, male, a, b, she, suitor]
        state["species"][crowd] = state["species"][first]
        state["energy"][crowd], state["panic"][crowd] = 0.9, 0.0
        for k, agent in enumerate(crowd):
            state["position_x"][agent] = np.float32(state["position_x"][female] + 4.0 * k) % size[0]
            state["position_y"][agent] = np.float32(state["position_y"][female] + 2.0 * (k % 2)) % size[1]
            if scenario.world.depth is not None:
                state["position_z"][agent] = state["position_z"][female]
        state["gender"][crowd] = [0, 1, 1, 1, 0, 1]
        state["aggression"][crowd] = [0.0, 0.7, 0.6, 0.9, 0.0, 0.5]
        state["mating_state"][crowd] = [4, 4, 5, 5, 1, 2]
        state["target_mate_id"][crowd] = [male, female, she, she, -1, she]
        state["rival_id"][crowd] = [-1, -1, b, a, -1, -1]
        state["display"][[a, b]] = [1.0, 1.25] if first % 2 else [1.5, 1.25]
        ends = 0.0 if first % 3 else 9.0
        state["mating_timer"][crowd] = [ends, ends, 9.0, 9.0, 0.0, 0.1]
        state["mating_cooldown"][crowd] = 0.0
        stage = first // 7 % 4
        state["feeding_state"][eater], state["target_food_id"][eater] = stage, 0 if stage else -1
        state["position_x"][eater] = 60.0 + 4.0 * stage + 0.04 * first
        state["position_y"][eater] = 60.0 + 0.1 * first
        state["energy"][eater], state["meal"][eater] = 0.5 if stage else 0.0, 0.25
        state["panic"][eater] = 0.0


def set_wilderness_going(scenario: Scenario, state: State) -> None:
    """Put agents, six at a time, where something is about to happen.

    A predator has just named its prey beside it, a pair has agreed to mate, one is at a carcass and one in old age.
    """
    size = (scenario.world.width, scenario.world.height)
    predator = len(scenario.species) - 1
    state["age"][:] = np.linspace(1.0, 90.0, len(state), dtype=np.float32)
    state["energy"][:] = np.maximum(state["energy"], 0.1)
    for number, first in enumerate(range(0, len(state) - 5, 6)):
        hunter, victim, she, he, eater, old = crowd = range(first, first + 6)
        for k, agent in enumerate(crowd):
            state["position_x"][agent] = np.float32(state["position_x"][first] + 9.0 * k) % size[0]
            state["position_y"][agent] = np.float32(state["position_y"][first] + 3.0 * (k % 2)) % size[1]
            if scenario.world.depth is not None:
                state["position_z"][agent] = state["position_z"][first]
        state["species"][[hunter, eater]] = predator
        state["species"][[she, he]] = number % 2
        state["stance"][[hunter, she, he, eater]] = [3, 5, 5, 4]
        state["quarry_id"][hunter] = state["attack_id"][hunter] = victim
        state["quarry_distance"][hunter], state["blow"][hunter] = 9.0, 60.0
        state["health"][[hunter, victim]] = [0.5, 0.2 if number % 3 else 0.9]
        state["ready"][[she, he]] = state["consents"][[she, he]] = 1 if number % 2 else 0
        state["target_mate_id"][[she, he]], state["energy"][[she, he]] = [he, she], 0.9
        state["mating_cooldown"][[she, he]] = 0.0
        state["energy"][eater] = 0.3
        state["age"][old] = 99.95 if number % 4 == 0 else 400.0 * (number % 4 == 1)
        if number < len(state.items["remains"]):
            place = [float(state["position_x"][eater]) + 6.0, float(state["position_y"][eater]) + 4.0]
            place += [float(state["position_z"][eater])] if scenario.world.depth is not None else []
            state.items["remains"][number, 1 : 4 + len(place)] = (*place, 0.5, 0.7, 0.02)
