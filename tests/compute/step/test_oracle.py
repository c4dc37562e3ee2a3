"""One step of the reference and of the CPU against brute force that knows nothing of how a step is composed."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.scenario import Scenario

from . import step_oracle
from .step_oracle import Oracle

SMALL: dict[str, Any] = {
    "agents": 150,
    "world.width": 420.0,
    "world.height": 330.0,
    "perception.radius": 55.0,
    "rules.separation.radius": 30.0,
}
SCENES: dict[str, dict[str, Any]] = {
    "document 000": {
        "world.boundary": "soft",
        "rules.boundary.margin": 60.0,
        "rules.alignment.weighting": "linear",
        "rules.cohesion.weighting": "linear",
        "rules.cohesion.density_adaptation": True,
        "rules.separation.falloff": "inverse_square",
    },
    "document 001": {
        "world.boundary": "wrap",
        "motion.velocity_unit": "tick",
        "motion.clamp_total": False,
        "motion.max_speed": 4.0,
        "perception.field_of_view": 360.0,
        "rules.separation.falloff": "inverse",
        "rules.alignment.radius": 40.0,
    },
    "document 004": {
        "world.boundary": "wrap",
        "motion.policy": "constant",
        "motion.velocity_unit": "tick",
        "motion.speed": 1.5,
        "rules.separation.response": "push",
        "rules.separation.priority": "early_exit",
        "rules.separation.exit_distance": 14.0,
    },
    "document 004, looking ahead": {
        "world.boundary": "wrap",
        "motion.policy": "constant",
        "motion.velocity_unit": "tick",
        "motion.speed": 1.5,
        "rules.separation.falloff": "inverse",
        "rules.separation.response": "push",
        "rules.separation.priority": "early_exit",
        "rules.separation.exit_distance": 6.0,
        "rules.separation.foresight": 0.2,
        "rules.separation.clearance": 28.0,
    },
    "nearest": {"world.boundary": "reflect", "perception.nearest": 5, "motion.min_speed": 4.0},
    "fear and life": {
        "world.boundary": "open",
        "motion.time_step": 0.1,
        "rules.fear": {"threats": [{"x": 200.0, "y": 150.0, "radius": 120.0}]},
        "rules.energy": {"decay": 0.05},
        "rules.starvation": {"after": 1.0},
        "rules.ageing": {},
        "rules.mating_cooldown": {},
        "rules.separation.priority": "early_exit",
        "rules.separation.exit_distance": 8.0,
    },
    "genes": {
        "world.boundary": "wrap",
        "rules.genome": {"spread": 0.6, "max_vision": 90.0, "least_vision": 10.0, "fin": 2.0, "antenna": 1.0},
        "rules.cohesion.density_adaptation": True,
        "rules.cohesion.crowd": 1.0,
        "rules.alignment.weighting": "linear",
        "rules.cohesion.weighting": "linear",
        "rules.fear": {},
    },
    "genes and the nearest": {
        "world.boundary": "wrap",
        "rules.genome": {"spread": 0.8, "max_vision": 60.0, "least_vision": 5.0},
        "perception.nearest": 4,
    },
}


def flock(name: str, backend: str) -> mm.Simulation:
    """A flock with fear, hunger, old age, and some slow agents."""
    scenario = Scenario().with_values(SMALL | SCENES[name])
    sim = mm.Simulation(scenario, seed=4, backend=backend)
    state, rng = sim.state.copy(), np.random.default_rng(8)
    n = len(state)
    turn = rng.uniform(0.0, 2.0 * np.pi, n)
    speed = rng.uniform(0.2, 1.0, n) * scenario.motion.top_speed
    if scenario.motion.policy == "constant":
        speed[:] = scenario.motion.speed
    else:
        speed[::19] = 0.05
    state["velocity_x"][:], state["velocity_y"][:] = speed * np.cos(turn), speed * np.sin(turn)
    if scenario.rules.fear.enabled:
        state["panic"][:] = np.where(rng.random(n) < 0.3, rng.random(n), 0.0)
    if scenario.rules.energy.enabled:
        state["energy"][:] = np.where(rng.random(n) < 0.2, 0.0, rng.random(n))
        state["starving"][:] = np.where(rng.random(n) < 0.2, 1.5, 0.0)
        state["age"][:] = rng.uniform(0.0, 260.0, n)
        state["mating_cooldown"][:] = rng.uniform(0.0, 0.3, n)
    sim.load_state(state)
    return sim


def apart(sim: mm.Simulation, name: str, found: Any, expected: Any) -> Any:
    gap = np.abs(found.astype(np.float64) - expected)
    if sim.scenario.world.boundary == "wrap" and name.startswith("position"):
        side = sim.scenario.world.width if name == "position_x" else sim.scenario.world.height
        gap = np.minimum(gap, np.abs(side - gap))
    return gap


# Tolerance of each backend, in units of the largest number of a column. State and the numbers of rules are in single
# precision on both.
ALLOWED = {"reference": 20.0 * 2.0**-24, "cpu": 2000.0 * 2.0**-24}


@pytest.mark.parametrize("name", SCENES)
def test_a_step_agrees_with_brute_force(name: str, backend: str):
    sim = flock(name, backend)
    for _ in range(2):
        ids = sim.ids.copy()
        expected = Oracle(sim).stepped()
        sim.step()
        assert np.array_equal(sim.ids, ids[expected.alive])
        sure = ~expected.doubtful[expected.alive]
        assert sure.mean() > 0.9
        for column, values in expected.columns.items():
            wanted = values[expected.alive]
            gap = apart(sim, column, sim.column(column), wanted)
            scale = max(1.0, np.abs(wanted).max()) if column != "local_density" else 0.0
            wrong = sure & (gap > ALLOWED[backend] * scale)
            assert not wrong.any(), (column, sim.ids[wrong][:5], gap[wrong][:5])


def test_the_scenes_cover_what_they_should():
    """Some agents die of age and of hunger, catch fear, come too close, or have their own radius."""
    life = Oracle(flock("fear and life", "reference"))
    before = life.panic.copy()
    expected = life.stepped()
    assert 0 < np.count_nonzero(~expected.alive) < 100
    assert np.count_nonzero(life.panic > before) > 20
    assert 0 < np.count_nonzero(life.pressed) < life.n
    genes = Oracle(flock("genes", "reference"))
    assert genes.radius.min() < 0.6 * genes.radius.max()
    assert Oracle(flock("document 004", "reference")).stepped().alive.all()


def test_the_oracle_knows_nothing_of_what_it_checks():
    tree = ast.parse(Path(step_oracle.__file__).read_text(encoding="utf-8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [alias.name for node in imported for alias in node.names] + [
        node.module or "" for node in imported if isinstance(node, ast.ImportFrom)
    ]
    assert not [name for name in names if "murmura" in name]
