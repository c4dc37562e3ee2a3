"""No agent passes through or into an obstacle, at any speed and angle, also across the edge of a torus."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import murmura as mm
from tests.sizes import size

from .geometry import Array, crosses, enters, trespassers

ASLEEP = {f"rules.{name}.weight": 0.0 for name in ("separation", "alignment", "cohesion", "avoid_obstacles")}
quick = settings(
    max_examples=size(10, 25), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
CORNERS = np.array([[0.3, 0.3], [0.7, 0.33], [0.77, 0.7], [0.5, 0.45], [0.24, 0.73]])


def world(side: float, boundary: str, obstacles: Any, speed: float, **values: Any) -> mm.Scenario:
    """A square world in which only obstacles change an agent's flight."""
    return mm.load_scenario("classic").with_values(
        {
            **ASLEEP,
            "world.width": side,
            "world.height": side,
            "world.boundary": boundary,
            "motion.max_speed": speed,
            "motion.panic_speed": 0.0,
            "perception.radius": side / 50,
            "rules.separation.radius": side / 100,
            "agents": 300,
            "obstacles": obstacles,
            **values,
        }
    )


def headings(rng: np.random.Generator, count: int, flat: float) -> Array:
    """Random headings, a third of them nearly along the direction `flat`, one way or the other."""
    angles = rng.uniform(0, 2 * math.pi, count)
    third = count // 3
    angles[:third] = (
        flat
        + rng.choice([0, math.pi], third)
        + rng.choice([-1, 1], third) * 10.0 ** rng.uniform(-7, -1, third)
    )
    return np.column_stack([np.cos(angles), np.sin(angles)])


shares = st.floats(0.02, 0.98)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[float, list[dict[str, Any]], float]:
    """A world's side, some circles, a jagged polygon and thin walls in it, and the direction of one wall."""
    side = draw(st.sampled_from([10.0, 100.0, 3000.0]))
    circles = [
        {"x": draw(shares) * side, "y": draw(shares) * side, "radius": draw(st.floats(0.001, 0.1)) * side}
        for _ in range(draw(st.integers(1, 4)))
    ]
    ends = np.array([[draw(shares), draw(shares)] for _ in range(4)]) * side
    walls = [{"points": [a.tolist(), b.tolist()]} for a, b in ((ends[0], ends[1]), (ends[2], ends[3]))]
    polygon = {"points": (CORNERS * side).tolist()}
    bent = {
        "kind": "wall",
        "points": [[0.05 * side, 0.9 * side], [0.15 * side, 0.95 * side], [0.06 * side, 0.99 * side]],
    }
    flat = math.atan2(*(ends[1] - ends[0])[::-1])
    return side, [*circles, *walls, polygon, bent], flat


# S4-43
@pytest.mark.parametrize(("boundary", "fastest"), [("wrap", 0.24), ("reflect", 0.49)])
@quick
@given(scene=scenes(), seed=st.integers(0, 2**32), share=st.floats(0.0005, 1.0))
def test_no_agent_gets_through_or_into_an_obstacle(
    boundary: str, fastest: float, scene: tuple[float, list[dict[str, Any]], float], seed: int, share: float
) -> None:
    side, obstacles, flat = scene
    speed = side * fastest * share
    scenario = world(side, boundary, obstacles, speed)
    start = mm.Simulation(scenario, seed=seed, backend="reference").positions
    velocities = headings(np.random.default_rng(seed), len(start), flat) * speed
    simulation = mm.Simulation(scenario, backend="cpu", positions=start, velocities=velocities)
    for _ in range(12):
        old = simulation.positions.astype(float)
        simulation.step()
        new = simulation.positions.astype(float)
        assert not trespassers(old, new, obstacles, side if boundary == "wrap" else None).any()
        assert (new >= 0).all()
        assert (new <= side).all()
        assert np.hypot(*simulation.velocities.astype(float).T) == pytest.approx(
            np.full(300, speed), rel=1e-4
        )


# S4-43
def test_the_reference_keeps_all_agents_out_too() -> None:
    obstacles = [
        {"x": 5.0, "y": 50.0, "radius": 8.0},
        {"points": (CORNERS * 100).tolist()},
        {"points": [[80.0, 5.0], [95.0, 30.0]]},
    ]
    for boundary in ("wrap", "reflect"):
        scenario = world(100.0, boundary, obstacles, 12.0, agents=80)
        simulation = mm.Simulation(scenario, seed=1, backend="reference")
        velocities = headings(np.random.default_rng(1), 80, 1.0) * 12.0
        simulation = mm.Simulation(
            scenario, backend="reference", positions=simulation.positions, velocities=velocities
        )
        for _ in range(15):
            old = simulation.positions.astype(float)
            simulation.step()
            new = simulation.positions.astype(float)
            assert not trespassers(old, new, obstacles, 100.0 if boundary == "wrap" else None).any()


# S4-43
@pytest.mark.parametrize("boundary", ["wrap", "reflect"])
@pytest.mark.parametrize("share", [0.002, 0.03, 0.24])
def test_an_enclosure_holds_its_flock(boundary: str, share: float) -> None:
    side = 1000.0
    fence = [*CORNERS.tolist(), CORNERS[0].tolist()]
    pen = [{"kind": "wall", "points": (np.array(fence) * side).tolist()}]
    rng = np.random.default_rng(2)
    # Inside: near the middle of one of the sides, a little towards the centre of the enclosure.
    centre = np.array([0.5, 0.4])
    ends = rng.integers(0, 5, 300)
    middle = (CORNERS[ends] + CORNERS[(ends + 1) % 5]) / 2
    start = (centre + (middle - centre) * rng.uniform(0.0, 0.9, (300, 1))) * side
    velocities = headings(rng, 300, 0.0) * share * side
    simulation = mm.Simulation(
        world(side, boundary, pen, share * side), backend="cpu", positions=start, velocities=velocities
    )
    simulation.step(3000)
    assert _winding(simulation.positions.astype(float), CORNERS * side).all()


def _winding(places: Array, corners: Array) -> Any:
    """Whether places lie inside a polygon: the angles to its corners add up to a full turn."""
    to = corners[None] - places[:, None]
    numbers = to[..., 0] + 1j * to[..., 1]
    return np.abs(np.angle(np.roll(numbers, -1, axis=1) / numbers).sum(axis=1)) > math.pi


# S4-43
@pytest.mark.parametrize("speed", [3.0, 40.0])
@pytest.mark.parametrize("boundary", ["wrap", "reflect"])
def test_a_flock_with_all_its_rules_stays_out_too(boundary: str, speed: float) -> None:
    obstacles = [
        {"x": 10.0, "y": 200.0, "radius": 60.0},
        {"points": (CORNERS * 400).tolist()},
        {"points": [[20.0, 350.0], [200.0, 390.0]]},
    ]
    rules = {
        f"rules.{name}.weight": 1.0 for name in ("separation", "alignment", "cohesion", "avoid_obstacles")
    }
    sight = {"perception.radius": 40.0, "rules.separation.radius": 20.0, "motion.max_force": speed / 10}
    scenario = world(
        400.0, boundary, obstacles, speed, agents=200, **{**rules, **sight, "start.speed": speed}
    )
    simulation = mm.Simulation(scenario, seed=3, backend="cpu")
    for _ in range(150):
        old = simulation.positions.astype(float)
        simulation.step()
        new = simulation.positions.astype(float)
        assert not trespassers(old, new, obstacles, 400.0 if boundary == "wrap" else None).any()
    assert np.hypot(*simulation.velocities.T).min() > 0


def test_a_circle_across_the_edge_is_hit_from_both_sides(backend: str) -> None:
    scenario = world(100.0, "wrap", [{"x": 2.0, "y": 50.0, "radius": 10.0}], 5.0)
    simulation = mm.Simulation(
        scenario, backend=backend, positions=[[80, 50], [20, 50]], velocities=[[5, 0], [-5, 0]]
    )
    for _ in range(4):
        simulation.step()
    # The left edge of the circle is at 92, the right one at 12: both agents have turned back.
    assert simulation.velocities == pytest.approx(np.array([[-5.0, 0.0], [5.0, 0.0]]), abs=1e-3)
    assert 80 < simulation.positions[0, 0] < 92
    assert 12 < simulation.positions[1, 0] < 25


def test_a_bounce_mirrors_the_velocity_at_the_wall(backend: str) -> None:
    scenario = world(100.0, "reflect", [{"points": [[50.0, 10.0], [50.0, 90.0]]}], 5.0)
    simulation = mm.Simulation(
        scenario, backend=backend, positions=[[45, 30], [57, 60]], velocities=[[4, 3], [-4, -3]]
    )
    simulation.step(2)
    assert simulation.velocities == pytest.approx(np.array([[-4.0, 3.0], [4.0, -3.0]]), abs=1e-4)
    assert simulation.positions[0, 0] < 50 < simulation.positions[1, 0]


def test_a_mirrored_move_does_not_jump_over_a_wall_near_the_edge() -> None:
    # 4 from the edge, wall at 10: a move of 20 to the left, mirrored at the edge, would land at 16.
    scenario = world(100.0, "reflect", [{"points": [[10.0, 0.0], [10.0, 100.0]]}], 20.0)
    for backend in ("reference", "cpu"):
        simulation = mm.Simulation(scenario, backend=backend, positions=[[4, 50]], velocities=[[-20, 1]])
        for _ in range(20):
            simulation.step()
            assert 0 <= simulation.positions[0, 0] < 10


# S4-45
def test_the_edges_of_a_reflecting_world_turn_all_agents_back(backend: str) -> None:
    far = [{"x": 10.0, "y": 10.0, "radius": 1.0}]
    scenario = world(100.0, "reflect", far, 3.0)
    simulation = mm.Simulation(
        scenario,
        backend=backend,
        positions=[[98, 50], [2, 60], [40, 99], [70, 1]],
        velocities=[[3, 0], [-3, 0], [0, 3], [0, -3]],
    )
    simulation.step(3)
    assert simulation.velocities == pytest.approx(
        np.array([[-3, 0], [3, 0], [0, -3], [0, 3]], float), abs=1e-5
    )
    assert (simulation.positions > 0).all()
    assert (simulation.positions < 100).all()


# S4-45, S3-11
@pytest.mark.parametrize(
    "obstacle", [{"x": 150.0, "y": 103.0, "radius": 20.0}, {"points": [[140.0, 60.0], [140.0, 180.0]]}]
)
def test_boids_steer_before_they_collide(backend: str, obstacle: dict[str, Any]) -> None:
    values = {
        "rules.avoid_obstacles.weight": 2.0,
        "rules.avoid_obstacles.reach": 60.0,
        "motion.max_force": 0.1,
    }

    def nearest(weight: float) -> tuple[float, bool]:
        scenario = world(
            400.0, "reflect", [obstacle], 2.0, **{**values, "rules.avoid_obstacles.weight": weight}
        )
        simulation = mm.Simulation(scenario, backend=backend, positions=[[50, 100]], velocities=[[2, 0.1]])
        gaps, speeds = [], []
        for _ in range(120):
            simulation.step()
            x, y = simulation.positions[0].astype(float)
            if "radius" in obstacle:
                gaps.append(math.hypot(x - 150, y - 103) - 20)
            else:
                gaps.append(abs(x - 140) if 60 <= y <= 180 else math.inf)
            speeds.append(simulation.velocities[0].astype(float))
        turns = np.abs(np.diff(np.unwrap(np.arctan2(*np.array(speeds).T[::-1]))))
        return min(gaps), bool((turns > 1.0).any() and weight == 0.0)

    steered, _ = nearest(2.0)
    bounced, hit = nearest(0.0)
    assert hit
    assert bounced < 2.0
    assert steered > 5.0


def test_the_oracle_sees_what_it_should() -> None:
    old = np.array([[0.0, 0.0], [0.0, 2.0], [5.0, 5.0]])
    move = np.array([[2.0, 0.0], [2.0, 0.0], [0.1, 0.0]])
    start, end = np.array([1.0, -1.0]), np.array([1.0, 1.0])
    assert crosses(old, move, start, end).tolist() == [True, False, False]
    assert enters(old, move, np.array([1.0, 0.5]), 0.6).tolist() == [True, False, False]
    seam = trespassers(
        np.array([[9.5, 5.0]]), np.array([[0.5, 5.0]]), [{"points": [[0.2, 4.0], [0.2, 6.0]]}], 10.0
    )
    assert seam.tolist() == [True]
