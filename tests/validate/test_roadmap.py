"""The behaviour that document 004 requires, scenario by scenario, on the reference and on the CPU kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import murmura as mm

Array = NDArray[np.float64]
OFF = {f"rules.{name}.weight": 0.0 for name in ("separation", "alignment", "cohesion")}


def boids(
    backend: str, positions: Any, velocities: Any, name: str = "roadmap", **values: Any
) -> mm.Simulation:
    scenario = mm.load_scenario(name).with_values(values)
    return mm.Simulation(scenario, backend=backend, positions=positions, velocities=velocities)


def only(rule: str, weight: float) -> dict[str, float]:
    return OFF | {f"rules.{rule}.weight": weight}


def path(simulation: mm.Simulation, steps: int) -> Array:
    """Positions after each step, unwrapped where the world wraps, shape (steps + 1, n, 2)."""
    size = np.array([simulation.scenario.world.width, simulation.scenario.world.height])
    places = [simulation.positions.astype(float)]
    for _ in range(steps):
        simulation.step()
        move = simulation.positions - places[-1]
        places.append(places[-1] + move - size * np.round(move / size))
    return np.array(places)


def gap(places: Array, a: int = 0, b: int = 1) -> Array:
    return np.hypot(*(places[..., a, :] - places[..., b, :]).T)


def variance(velocities: Any) -> float:
    return 1.0 - abs(np.exp(1j * np.arctan2(velocities[:, 1], velocities[:, 0])).mean())


# S4-59, S4-11, S4-13
@pytest.mark.parametrize("angle", [0.0, 0.3, 1.9, 3.2, 5.5])
def test_a_single_boid_without_rules_flies_a_straight_line(backend: str, angle: float) -> None:
    heading = np.array([math.cos(angle), math.sin(angle)])
    simulation = boids(backend, [[50, 50]], [heading], **OFF)
    places = path(simulation, 200)[:, 0]
    along = (places - places[0]) @ heading
    sideways = (places - places[0]) @ [-heading[1], heading[0]]
    assert along == pytest.approx(np.arange(201.0), abs=2e-3)
    assert np.abs(sideways).max() < 2e-3
    assert simulation.velocities[0] == pytest.approx(heading, abs=1e-5)


# S4-59
def test_rules_without_neighbours_do_not_bend_the_line() -> None:
    places = path(boids("reference", [[50, 50]], [[0.6, 0.8]]), 50)[:, 0]
    assert places == pytest.approx(np.array([50, 50]) + np.outer(np.arange(51), [0.6, 0.8]), abs=1e-3)


JITTER = {
    **OFF,
    "rules.jitter.enabled": True,
    "rules.jitter.angle": 20.0,
    "rules.jitter.max_turn_rate": 600.0,
}
# A boid that starts at (80, 50) heading east, seed 7, every eighth tick.
GOLDEN = [
    [80.0, 50.0],
    [87.35847, 52.85661],
    [92.14842, 59.1729],
    [95.14024, 66.57329],
    [97.1912, 74.29084],
    [98.1855, 82.20415],
]


# S4-14, S4-5
def test_a_jittered_boid_flies_the_golden_path(backend: str) -> None:
    scenario = mm.load_scenario("roadmap").with_values(JITTER)
    simulation = mm.Simulation(scenario, seed=7, backend=backend, positions=[[80, 50]], velocities=[[1, 0]])
    found = path(simulation, 40)[::8, 0]
    assert found == pytest.approx(np.array(GOLDEN), abs=2e-4)
    other = mm.Simulation(scenario, seed=8, backend=backend, positions=[[80, 50]], velocities=[[1, 0]])
    assert np.abs(path(other, 40)[-1, 0] - found[-1]).max() > 0.1


# S4-12, S4-14
def test_jitter_is_limited_by_the_turn_rate(backend: str) -> None:
    # 600 degrees per second are 10 per tick, half of what the angle allows.
    scenario = mm.load_scenario("roadmap").with_values({**JITTER, "agents": 50})
    simulation = mm.Simulation(scenario, seed=3, backend=backend)
    turns = []
    for _ in range(20):
        before = np.arctan2(*simulation.velocities.astype(float).T[::-1])
        simulation.step()
        after = np.arctan2(*simulation.velocities.astype(float).T[::-1])
        turns.append(np.degrees(np.angle(np.exp(1j * (after - before)))))
    assert np.abs(turns).max() <= 10.001
    assert np.abs(turns).max() > 9.0
    assert abs(np.mean(turns)) < 1.0


# S4-60, S4-22
@pytest.mark.parametrize("offset", [0.1, 0.5, 1.0, -0.7])
def test_two_boids_head_on_move_apart(backend: str, offset: float) -> None:
    start = [[79, 50], [81, 50 + offset]], [[1, 0], [-1, 0]]
    distances = gap(path(boids(backend, *start, **only("separation", 1.75)), 12))
    free = gap(path(boids(backend, *start, **OFF), 12))
    assert (np.diff(distances[2:]) > 0).all()
    assert distances[-1] > 2.0
    # They pass each other wider than they would have.
    assert distances.min() > free.min() * 1.05
    assert distances[-1] > distances[0]


# S4-22: boids in the same place have no direction to flee in; headings separate them, then separation does
def test_boids_in_the_same_place_separate(backend: str) -> None:
    start = [[80, 50]] * 3, [[1, 0], [-1, 0], [0, 1]]
    places = path(boids(backend, *start, **only("separation", 1.75)), 8)
    free = path(boids(backend, *start, **OFF), 8)
    assert np.isfinite(places).all()
    np.testing.assert_allclose(places[1], free[1], atol=1e-5)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert (np.diff(gap(places, a, b)) > 0).all()
    # Separation can turn only the two that leave at right angles.
    assert gap(places, 0, 2)[-1] > gap(free, 0, 2)[-1] + 0.1


def nearest_of_the_pair(
    backend: str, start: Any, velocities: Any, steps: int, follower: float | None = None
) -> float:
    """The nearest approach of two boids of the shipped scenario; the first may be of a faster species."""
    data = mm.load_scenario("roadmap").model_dump(mode="json")
    kinds = None
    if follower is not None:
        data["species"] = [
            {"name": "follower", "values": {"motion.speed": follower}, "towards": {"leader": "flock"}},
            {"name": "leader", "towards": {"follower": "flock"}},
        ]
        kinds = np.array([0, 1])
    scenario = mm.Scenario.from_data(data)
    sim = mm.Simulation(scenario, backend=backend, positions=start, velocities=velocities, species=kinds)
    return float(gap(path(sim, steps)).min())


D_MIN = mm.load_scenario("roadmap").rules.separation.radius
OFFSETS = (0.0, 0.01, 0.3, 0.75, 1.0, 1.5, 2.0, -0.3)


# S4-22, S4-24, decision 33: with all rules on, from further apart than they see
@pytest.mark.parametrize("apart", [9.3, 10.0, 11.0])
@pytest.mark.parametrize("offset", OFFSETS)
def test_two_boids_head_on_keep_apart(backend: str, offset: float, apart: float) -> None:
    start = [[60, 50], [60 + apart, 50 + offset]]
    assert nearest_of_the_pair(backend, start, [[1, 0], [-1, 0]], 20) >= D_MIN / 2.0


# S4-22, decision 33: the same on every line of flight, and whatever their ids
@pytest.mark.parametrize("angle", [0.4, 1.6, 3.9])
def test_two_boids_exactly_head_on_take_different_sides(backend: str, angle: float) -> None:
    way = np.array([math.cos(angle), math.sin(angle)])
    for flip in (1, -1):
        start = [[80, 50], [80, 50] + 10.0 * flip * way]
        distances = gap(path(boids(backend, start, [flip * way, -flip * way]), 20))
        assert distances.min() >= D_MIN / 2.0
        assert (np.diff(distances[int(distances.argmin()) :]) > 0).all()


# S4-23, S4-24, decision 33: with all rules on; both have the scenario's speed but for the faster one's
@pytest.mark.parametrize("speed", [1.1, 1.2, 1.3, 1.4, 1.5])
@pytest.mark.parametrize("offset", OFFSETS)
def test_a_faster_follower_stays_out_of_d_min(backend: str, offset: float, speed: float) -> None:
    start = [[20, 50], [30, 50 + offset]]
    steps = math.ceil(14.0 / (speed - 1.0))
    assert nearest_of_the_pair(backend, start, [[speed, 0], [1, 0]], steps, follower=speed) >= D_MIN


# S4-22
def test_two_capped_boids_head_on_move_apart(backend: str) -> None:
    simulation = boids(
        backend, [[100, 100], [112, 101]], [[0.5, 0], [-0.5, 0]], "classic", **only("separation", 1.5)
    )
    distances = gap(path(simulation, 40))
    assert distances.min() > 9.0
    assert (np.diff(distances[10:]) > 0).all()
    assert distances[-1] > 25.0


# S4-61, S4-26
@pytest.mark.parametrize("angles", [(0.0, 0.6, 1.2), (0.0, 0.5, -0.5), (2.0, 2.4, 1.3)])
def test_three_headings_converge(backend: str, angles: tuple[float, ...]) -> None:
    velocities = np.column_stack([np.cos(angles), np.sin(angles)])
    simulation = boids(backend, [[80, 50], [83, 50], [81.5, 53]], velocities, **only("alignment", 1.0))
    found = [variance(simulation.velocities)]
    for _ in range(40):
        simulation.step()
        found.append(variance(simulation.velocities))
    assert (np.diff(found) < 1e-6).all()
    assert found[-1] < 0.02 < found[0]


# S4-27
def test_without_neighbours_alignment_has_no_force(backend: str) -> None:
    simulation = boids(backend, [[20, 20], [100, 70]], [[1, 0], [0, 1]], **only("alignment", 1.0))
    simulation.step()
    assert (simulation.forces == 0).all()


# S4-62
def test_a_lone_boid_joins_the_group(backend: str) -> None:
    rng = np.random.default_rng(4)
    party = np.array([80, 60]) + rng.uniform(-3, 3, (12, 2))
    positions = np.vstack([party, [80, 51.5]])
    velocities = np.tile([1.0, 0.0], (13, 1))

    def distance(places: Array) -> Array:
        return np.hypot(*(places[:, 12:] - places[:, :12]).T).min(axis=0)

    joined = distance(path(boids(backend, positions, velocities), 120))
    alone = distance(path(boids(backend, positions, velocities, **OFF), 120))
    # A member keeps its personal space to the next one, from then on.
    assert joined[0] > 6.0
    assert joined[60:].max() < 4.0
    assert alone[60:].min() > 6.0


# S4-63, S4-18
def test_a_neighbour_behind_is_ignored_until_it_comes_into_view(backend: str) -> None:
    reach = mm.load_scenario("roadmap").perception.radius
    # 0 flies east with 1 behind it and 2, which flies north, abeam; 0 turns to fly along with 2.
    simulation = boids(
        backend, [[50, 50], [44.5, 50], [52, 50]], [[1, 0], [1, 0], [0, 1]], **only("alignment", 1.0)
    )
    seen = []
    for _ in range(25):
        p, v = simulation.positions.astype(float), simulation.velocities.astype(float)
        to = p[1] - p[0]
        cosine = to @ v[0] / (math.hypot(*to) * math.hypot(*v[0]))
        visible = bool(math.hypot(*to) <= reach and cosine >= math.cos(math.radians(135)))
        assert (1 in simulation.neighbors(0)) == visible
        assert (1 in simulation.explain(0)["rules"]["alignment"]["neighbors"]) == visible
        simulation.step()
        assert simulation.column("local_density")[0] == visible + (math.hypot(*(p[2] - p[0])) <= reach)
        seen.append(visible)
    assert seen[0] is False
    assert True in seen
    first = seen.index(True)
    assert first > 2
    assert not any(seen[:first])


# S4-29
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_two_clusters_drift_together_without_alignment(backend: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    square = 3.5 * np.array([[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]])
    places = np.vstack([square + np.array([x, 50]) + rng.uniform(-0.3, 0.3, (4, 2)) for x in (75, 85)])
    angles = rng.normal(0.5 * math.pi, 0.05, 8)
    velocities = np.column_stack([np.cos(angles), np.sin(angles)])

    def apart(**values: float) -> float:
        """How far apart the middles of both are in the end."""
        at = path(boids(backend, places, velocities, **{"rules.alignment.weight": 0.0} | values), 40)[-1]
        return math.hypot(*(at[:4].mean(axis=0) - at[4:].mean(axis=0)))

    assert apart() < 6.5
    assert apart(**{"rules.cohesion.weight": 0.0}) > 8.5, "the control"


# S4-30, decision 37: nobody sees beyond R, so the neighbour begins within R and drifts out
@pytest.mark.parametrize("bearing", [0.9, 1.4, 2.0])
def test_a_distant_neighbour_that_drifts_out_is_approached(backend: str, bearing: float) -> None:
    reach = mm.load_scenario("roadmap").perception.radius
    far = np.array([80, 50]) + 7.5 * np.array([math.cos(bearing), math.sin(bearing)])
    headings = [[1.0, 0.0], [math.cos(0.3), math.sin(0.3)]]
    distances = gap(path(boids(backend, [[80, 50], far], headings), 150))
    farthest = int(distances.argmax())
    assert distances[0] + 0.1 < distances[farthest] < reach
    assert distances[-1] < distances[0] - 0.5
    free = gap(path(boids(backend, [[80, 50], far], headings, **OFF), 150))
    assert free[-1] > 3.0 * reach, "the control"


def pairs(simulation: mm.Simulation) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Differences and distances on the torus, and who sees whom, by the roadmap's own test."""
    s = simulation.scenario
    p, v = simulation.positions.astype(float), simulation.velocities.astype(float)
    d = p[None] - p[:, None]
    d -= np.array([s.world.width, s.world.height]) * np.round(d / [s.world.width, s.world.height])
    size = np.hypot(d[..., 0], d[..., 1])
    np.fill_diagonal(size, np.inf)
    forward = v / np.hypot(*v.T)[:, None]
    cosine = (d * forward[:, None]).sum(axis=2) / size
    return (
        d,
        size,
        (size <= s.perception.radius) & (cosine >= math.cos(math.radians(s.perception.field_of_view / 2))),
    )


def clamped(vectors: Array, most: float) -> Array:
    size = np.hypot(*vectors.T)[:, None]
    return vectors * np.minimum(1.0, most / np.maximum(size, 1e-12))


def towards(targets: Array, velocities: Array) -> Array:
    """desired = normalize(target) x 1; steer = clamp(desired - vel, 0.1); zero without a target (S4-54)."""
    size = np.hypot(*targets.T)[:, None]
    steer = clamped(targets / np.maximum(size, 1e-12) - velocities, 0.1)
    return np.where(size > 0, steer, 0.0)


def on_collision_course(simulation: mm.Simulation, d: Array, size: Array, seen: Any) -> tuple[Array, Any]:
    """Where each sees each when they are nearest within 12 ticks, and who is not within d_min but comes near."""
    v = simulation.velocities.astype(float)
    rate = v[None] - v[:, None]
    square = np.maximum((rate**2).sum(axis=2), 1e-12)
    when = np.clip(-(rate * d).sum(axis=2) / square, 0.0, 12.0)
    way = d + rate * when[..., None]
    return way, seen & (size > 2.5) & (np.hypot(way[..., 0], way[..., 1]) <= 2.75)


def in_a_stream(backend: str, **values: Any) -> mm.Simulation:
    """Ninety boids close together that fly in much the same direction, so that few are on a collision course."""
    scenario = mm.load_scenario("roadmap").with_values({"agents": 90, **values})
    rng = np.random.default_rng(3)
    angles = rng.normal(0.0, 0.1, 90)
    return mm.Simulation(
        scenario,
        backend=backend,
        positions=rng.uniform((60, 30), (100, 60), (90, 2)),
        velocities=np.column_stack([np.cos(angles), np.sin(angles)]),
    )


# S4-33, S4-21, S4-25, S4-28, S4-54; S4-56: each rule over either index
@pytest.mark.parametrize(
    ("rule", "weight"), [("separation", 1.75), ("separation", 0.5), ("alignment", 1.0), ("cohesion", 1.0)]
)
def test_a_single_rule_is_its_milestones_formula(backend: str, rule: str, weight: float) -> None:
    simulation = in_a_stream(backend, **only(rule, weight))
    d, size, seen = pairs(simulation)
    v = simulation.velocities.astype(float)
    count = np.maximum(seen.sum(axis=1), 1)[:, None]
    if rule == "separation":
        near = seen & (size <= 2.5)
        away = -(d / np.maximum(size, 1e-12)[..., None] ** 2 * near[..., None]).sum(axis=1)
        way, comes = on_collision_course(simulation, d, size, seen)
        assert (near.any(axis=1) & ~comes.any(axis=1)).sum() > 20, "many have the printed formula alone"
        assert comes.any(axis=1).sum() > 20
        way[~comes] = 1.0
        away -= (way / (way**2).sum(axis=2, keepdims=True) * comes[..., None]).sum(axis=1)
        unit = away / np.maximum(np.hypot(*away.T)[:, None], 1e-12)
        expected = clamped(weight * clamped(unit, 0.1), 0.1)
    elif rule == "alignment":
        expected = towards((v[None] * seen[..., None]).sum(axis=1) / count, v)
    else:
        expected = towards((d * seen[..., None]).sum(axis=1) / count, v)
    simulation.step()
    assert (np.hypot(*expected.T) > 0.01).sum() > 20
    assert simulation.forces == pytest.approx(expected, abs=2e-5)


# S4-24, S4-31, S4-40, S4-67, S4-74, decision 29: w_sep multiplies after the limit, so that the slider acts
def test_the_weight_of_separation_competes_with_the_other_rules(backend: str) -> None:
    start = [[80.0, 50.0], [80.0, 52.0]], [[1.0, 0.0], [1.0, 0.0]]
    forces, places = [], []
    for weight in (0.05, 0.5, 1.75, 4.0):
        simulation = boids(backend, *start, **{"rules.separation.weight": weight})
        away, along, towards = (
            np.array(simulation.explain(0)["rules"][name]["force"])
            for name in ("separation", "alignment", "cohesion")
        )
        assert np.hypot(*away) == pytest.approx(0.1 * weight, rel=1e-5)
        simulation.step()
        assert simulation.forces[0] == pytest.approx(
            clamped((away + along + towards)[None], 0.1)[0], abs=1e-5
        )
        forces.append(simulation.forces[0, 1])
        simulation.step(20)
        places.append(simulation.positions.tobytes())
    # The neighbour is abeam: a light weight lets cohesion win, the shipped one is priority.
    assert forces[0] > 0.0 > forces[2]
    assert len(set(places)) == 4


# S4-24, S4-31, S4-33
def test_all_rules_are_the_clamped_sum_and_speed_is_restored(backend: str) -> None:
    parts = []
    for rule, weight in (("separation", 1.75), ("alignment", 1.0), ("cohesion", 1.0)):
        simulation = in_a_stream(backend, **only(rule, weight) | {"motion.clamp_total": False})
        simulation.step()
        parts.append(simulation.forces.astype(float))
    simulation = in_a_stream(backend)
    v = simulation.velocities.astype(float)
    d, size, seen = pairs(simulation)
    _, comes = on_collision_course(simulation, d, size, seen)
    early_exit = (comes | (seen & (size <= 1.25))).any(axis=1)
    assert 20 < early_exit.sum() < 70
    simulation.step()
    total = clamped(np.where(early_exit[:, None], parts[0], np.sum(parts, axis=0)), 0.1)
    assert simulation.forces == pytest.approx(total, abs=3e-5)
    turned = v + total
    assert simulation.velocities == pytest.approx(turned / np.hypot(*turned.T)[:, None], abs=3e-5)


# S4-32, S4-34, S4-9
@pytest.mark.parametrize(("backend", "agents", "steps"), [("reference", 60, 60), ("cpu", 300, 2000)])
def test_with_all_rules_no_boid_is_stuck_and_speed_holds(backend: str, agents: int, steps: int) -> None:
    scenario = mm.load_scenario("roadmap").with_values({"agents": agents})
    simulation = mm.Simulation(scenario, seed=1, backend=backend)
    for _ in range(10):
        simulation.step(steps // 10)
        assert np.isfinite(simulation.positions).all()
        assert np.abs(np.hypot(*simulation.velocities.astype(float).T) - 1.0).max() < 1e-5
    assert (simulation.positions >= 0).all()
    assert (simulation.positions < [160, 100]).all()


SIZE = np.array([160.0, 100.0])
GOAL = np.array([80.0, 50.0])


def shortest(d: Array) -> Array:
    return d - SIZE * np.round(d / SIZE)


def to_goal(places: Array) -> Array:
    return np.hypot(*shortest(places - GOAL).T).T


# S4-73, decision 33: the goal is ahead, then exactly behind; at constant speed a force straight back turns nobody
@pytest.mark.parametrize(
    ("start", "heading"),
    [((60, 50), 0.0), ((80.1, 30), math.pi / 2), ((100, 50), 0.0), ((30, 20), 3.0), ((80, 55), math.pi / 2)],
)
def test_a_lone_boid_reaches_its_goal_and_turns_back(backend: str, start: Any, heading: float) -> None:
    velocity = [math.cos(heading), math.sin(heading)]
    sim = boids(backend, [start], [velocity], **{"rules.seek.enabled": True})
    distances = to_goal(path(sim, 300)[:, 0])
    reached = int(np.argmax(distances < 1.0))
    assert distances[reached] < 1.0
    # A turn takes a circle of 20 u, and it comes back again and again.
    assert distances[reached:].max() < 30.0
    returns = np.flatnonzero((np.diff(distances)[:-1] > 0) & (np.diff(distances)[1:] < 0))
    assert len(returns[returns > reached]) >= 3


# S4-73
def test_the_flock_gathers_about_its_goal() -> None:
    for sought in (True, False):
        scenario = mm.load_scenario("roadmap").with_values({"rules.seek.enabled": sought})
        sim = mm.Simulation(scenario, seed=1, backend="cpu")
        assert to_goal(sim.positions).mean() > 45.0
        sim.step(600)
        assert (to_goal(sim.positions).mean() < 25.0) == sought


# S4-73
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_all_fly_behind_their_leader(seed: int) -> None:
    rng = np.random.default_rng(seed)
    start = 30.0 + rng.uniform(-12, 12, (21, 2))
    start[0] = 30.0
    angles = np.append(0.0, rng.uniform(0.0, 6.28, 20))
    behind = {}
    for led in (True, False):
        velocities = np.column_stack([np.cos(angles), np.sin(angles)])
        sim = boids("cpu", start, velocities, **{"rules.follow_leader.enabled": led})
        sim.step(300)
        v = sim.velocities.astype(float)
        along = shortest(sim.positions[1:] - sim.positions[0].astype(float)) @ v[0]
        behind[led] = bool((along < 0.0).all() and (v[1:] @ v[0]).min() > 0.95)
    assert behind == {True: True, False: False}


def near_neighbors(places: Array) -> float:
    return float(np.median(cKDTree(places).query(places, 2)[0][:, 1]))


# S4-45, decision 40: the margin fits the world
def test_soft_edges_do_not_press_the_flock_together() -> None:
    scenario = mm.load_scenario("roadmap").with_values({"world.boundary": "soft"})
    sim = mm.Simulation(scenario, seed=1, backend="cpu")
    for _ in range(5):
        sim.step(200)
        assert near_neighbors(sim.positions) > D_MIN
        assert (sim.positions > 1.0).all()
        assert (sim.positions < SIZE - 1.0).all()


def bounces(values: dict[str, Any], steps: int = 600) -> int:
    """How often a boid is turned by more than a rule can turn it."""
    sim = mm.Simulation(mm.load_scenario("roadmap").with_values(values), seed=1, backend="cpu")
    sim.step(100)
    count = 0
    for _ in range(steps):
        before = sim.velocities.astype(float)
        sim.step()
        count += int(((before * sim.velocities).sum(axis=1) < 0.97).sum())
    return count


# S4-45, S4-43
def test_containment_keeps_the_flock_off_the_walls() -> None:
    walls = {"world.boundary": "reflect"}
    assert bounces(walls | {"rules.containment.enabled": True}) * 50 < bounces(walls)


# S4-43, S4-73
def test_the_flock_flies_round_an_obstacle() -> None:
    tree = {"obstacles": [{"kind": "circle", "x": 80.0, "y": 50.0, "radius": 10.0}]}
    assert bounces(tree) * 50 < bounces(tree | {"rules.avoid_obstacles.enabled": False})
