"""Flocks with opaque bodies, and what rays cast one by one see of them: for the tests of every backend."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

import murmura as mm
from murmura.core.algebra import where
from murmura.core.merging import Greatest, Least, Sum
from murmura.core.rule import Rule, register_rule

from .sight_oracle import look, scene_of

NOTES = (
    "seen_bins", "widest", "bins_of_first", "covered", "area_ahead", "area_left", "edges_ahead", "edges_left",
    "edge_count", "covered_ahead", "covered_right",
)  # fmt: skip
WALL = [[60.0, 20.0], [60.0, 130.0]]
CIRCLES = [(120.0, 80.0, 12.0)]
SCENES: dict[str, dict[str, Any]] = {
    "torus": {"world.boundary": "wrap", "perception.field_of_view": 360.0, "perception.body": 6.0},
    "open": {"world.boundary": "open", "perception.field_of_view": 200.0, "perception.bins": 100},
    "coarse": {"world.boundary": "reflect", "perception.bins": 9, "perception.body": 30.0},
    "crowd": {"world.boundary": "open", "agents": 130, "world.width": 110.0, "world.height": 100.0},
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
    # On a torus walls are cut into pieces of at most a quarter of the side, each at its nearest image.
    cuts = np.linspace(WALL[0][1], WALL[1][1], 4)
    walls = [((60.0, float(a)), (60.0, float(b))) for a, b in pairwise(cuts)]
    return scene_of(sim, widths, walls if walled else [], CIRCLES if walled else [])


@register_rule("onlooker")
class Onlooker(Rule):
    """Stores what the eye sees."""

    uses_eye = True
    columns = dict.fromkeys(NOTES, 0.0)
    writes = NOTES

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        return {
            "bins": Sum(seen.bins),
            "widest": Greatest(seen.bins),
            "first": Least(seen.distance, bins=seen.bins),
        }

    @staticmethod
    def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
        eye = me.eye
        values = (
            found.bins, found.widest, found.first.bins, eye.covered, *eye.area, *eye.edges, eye.edge_count,
            where(eye.covers(0.01), 1.0, 0.0), where(eye.covers(-1.0), 1.0, 0.0),
        )  # fmt: skip
        return dict(zip(NOTES, values, strict=True))


def notes_of(oracle: Any, i: int) -> list[float]:
    """What an onlooker should store, from rays."""
    shown, covered = look(oracle, i)
    bins, step = oracle.bins, 2.0 * math.pi / oracle.bins
    x, y = oracle.places[i]
    nearest = min(shown, key=lambda j: math.hypot(*oracle.way((x, y), oracle.places[j])), default=None)
    area, edges, count = [0.0, 0.0], [0.0, 0.0], 0
    for k in range(bins):
        low, high = -math.pi + k * step, -math.pi + (k + 1) * step
        if covered[k]:
            area[0] += math.sin(high) - math.sin(low)
            area[1] += math.cos(low) - math.cos(high)
        if covered[k] != covered[k - 1]:
            edges[0] += math.cos(low)
            edges[1] += math.sin(low)
            count += 1
    at = [covered[math.floor((angle + math.pi) / step)] for angle in (0.01, -1.0)]
    first = 0 if nearest is None else shown[nearest]
    most = max(shown.values(), default=0)
    return [sum(shown.values()), most, first, sum(covered) / bins, *area, *edges, count, *map(float, at)]


def check_counts(scene: str, backend: str, **values: Any) -> None:
    """A step on a backend finds as many neighbours as rays hit."""
    sim = flock(scene, backend, **values)
    oracle = oracle_of(sim)
    expected = [len(look(oracle, i)[0]) for i in range(sim.agent_count)]
    sim.step()
    assert sim.column("local_density").tolist() == expected


def check_notes(scene: str, backend: str) -> None:
    """A rule on a backend reads the bins and edges that rays find."""
    sim = flock(scene, backend, **{"rules.onlooker": {}})
    oracle = oracle_of(sim)
    expected = [notes_of(oracle, i) for i in range(sim.agent_count)]
    sim.step()
    found = np.stack([sim.column(name) for name in NOTES], axis=1)
    np.testing.assert_allclose(found, expected, atol=2e-5)


def check_nearest(backend: str) -> None:
    """The nearest of the visible neighbours count, as on the reference."""
    sims = [flock("torus", name, **{"perception.nearest": 3}) for name in (backend, "reference")]
    for sim in sims:
        sim.step()
    assert sims[0].column("local_density").tolist() == sims[1].column("local_density").tolist()
    np.testing.assert_allclose(sims[0].velocities, sims[1].velocities, atol=1e-5)
