"""Bodies and obstacles hide what is behind them: the definition and the CPU kernel against rays cast one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm

from .sight_oracle import look, scene_of

WALL = [[60.0, 20.0], [60.0, 130.0]]
CIRCLES = [(120.0, 80.0, 12.0)]
SCENES: dict[str, dict[str, Any]] = {
    "torus": {"world.boundary": "wrap", "perception.field_of_view": 360.0, "perception.body": 6.0},
    "open": {"world.boundary": "open", "perception.field_of_view": 200.0, "perception.bins": 100},
    "coarse": {"world.boundary": "reflect", "perception.bins": 9, "perception.body": 30.0},
    "walls": {
        "world.boundary": "wrap",
        "perception.bins": 50,
        "obstacles": [{"kind": "wall", "points": WALL}, {"kind": "circle", "x": 120, "y": 80, "radius": 12}],
    },
    "species": {
        "world.boundary": "soft",
        "perception.field_of_view": 300.0,
        "species": [{"name": "small", "values": {"perception.body": 1.5}}, {"name": "large"}],
    },
}


def flock(scene: str, backend: str = "reference", seed: int = 1, **values: Any) -> mm.Simulation:
    scenario = mm.Scenario().with_values(
        {
            "agents": 90,
            "world.width": 200.0,
            "world.height": 160.0,
            "perception.radius": 58.0,
            "perception.occlusion": True,
            **SCENES[scene],
            **values,
        }
    )
    return mm.Simulation(scenario, seed=seed, backend=backend)


def oracle_of(sim: mm.Simulation) -> Any:
    kinds = [sim.scenario.of_species(k) for k in range(max(1, len(sim.scenario.species)))]
    widths = [kinds[k].perception.body for k in sim.column("species")]
    walled = bool(sim.scenario.obstacles)
    # On a torus walls are cut into pieces of at most a quarter of the side, each with the image that is nearest.
    cuts = np.linspace(WALL[0][1], WALL[1][1], 4)
    walls = [((60.0, float(a)), (60.0, float(b))) for a, b in zip(cuts, cuts[1:], strict=False)]
    return scene_of(sim, widths, walls if walled else [], CIRCLES if walled else [])


@pytest.mark.parametrize("scene", SCENES)
def test_the_definition_sees_what_rays_see(scene: str):
    sim = flock(scene)
    oracle = oracle_of(sim)
    hidden = 0
    without = mm.Simulation(sim.scenario.with_values({"perception.occlusion": False}), 1, "reference")
    for i in range(sim.agent_count):
        shown, _ = look(oracle, i)
        assert sorted(shown) == list(sim.neighbors(i))
        hidden += len(without.neighbors(i)) - len(shown)
    assert hidden > 0.05 * sum(len(without.neighbors(i)) for i in range(sim.agent_count))


def hushed(sim: mm.Simulation) -> mm.Simulation:
    """The same flock on the CPU backend after one step, of which only the number of neighbours is asked."""
    cpu = mm.Simulation(sim.scenario, seed=sim.seed, backend="cpu")
    cpu.step()
    return cpu


@pytest.mark.parametrize("scene", SCENES)
def test_the_cpu_sees_as_many_as_rays_meet(scene: str):
    sim = flock(scene)
    oracle = oracle_of(sim)
    expected = [len(look(oracle, i)[0]) for i in range(sim.agent_count)]
    assert hushed(sim).column("local_density").tolist() == expected
