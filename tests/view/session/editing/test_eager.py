"""A hunter that is placed by hand attacks soon: who places one wants to see it."""

from __future__ import annotations

import pytest

import murmura as mm
from murmura.engine.reading.surroundings import hunters
from murmura.view.session.editing.placement import with_object

BUSY = ("attacking", "diving")


@pytest.mark.parametrize("kind", ["hawk", "falcon", "eagle"])
def test_a_placed_hunter_attacks_within_three_seconds(kind: str):
    """Of the page's seconds, in the scene that it opens with."""
    scenario = mm.load_scenario("roosts")
    simulation = mm.Simulation(scenario, 0)
    simulation.step(600)
    bird = simulation.positions[simulation.agent_count // 2]
    placed = {"kind": "predator", "x": float(bird[0]), "y": float(bird[1]), "species": kind}
    simulation.adopt(with_object(scenario, placed))
    for _ in range(round(3.0 * scenario.display.speed / scenario.motion.time_step)):
        simulation.step(1)
        if hunters(simulation)[0]["state"] in BUSY:
            return
    pytest.fail(f"the {kind} is still {hunters(simulation)[0]['state']}")
