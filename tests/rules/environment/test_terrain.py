"""Edges, obstacles, attractors."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.layout import Layout
from murmura.core.vec import Vec
from murmura.rules.environment.terrain import (
    SHAPE_FIELDS,
    Attractors,
    Boundary,
    Circle,
    Polygon,
    Wall,
    collide,
    contains,
    edge_rows,
    hit,
    nearest_on_shape,
    shape_rows,
)
from tests.rules.oracle import ZERO, Vector, added, birds_of, scaled, steering, way, with_length
from tests.rules.scenes import (
    HEIGHT,
    MAX_FORCE,
    MAX_SPEED,
    WIDTH,
    close,
    make_flock,
    make_scenario,
    place,
    rule_forces,
)


def boundary_force(x: float, y: float, margin: float, force: float) -> Vector:
    """Document 002's applyBoundaryForce."""
    fx = fy = 0.0
    if x < margin:
        fx = force * (margin - x) / margin
    elif x > WIDTH - margin:
        fx = -force * (x - (WIDTH - margin)) / margin
    if y < margin:
        fy = force * (margin - y) / margin
    elif y > HEIGHT - margin:
        fy = -force * (y - (HEIGHT - margin)) / margin
    return fx, fy


def test_soft_boundary() -> None:
    # S0-52, S2-20
    sim = make_flock(
        make_scenario({"boundary": {"margin": 40.0, "force": 0.75}}, world={"boundary": "soft"}), count=100
    )
    expected = [boundary_force(b.x, b.y, 40.0, 0.75) for b in birds_of(sim)]
    close(rule_forces(sim, "boundary"), expected)
    sim.step()
    close(sim.forces, expected)  # straight into the acceleration, whatever max_force is
    assert np.abs(sim.forces).max() > MAX_FORCE


def test_soft_boundary_at_edges_and_margins() -> None:
    # S0-52, S2-20
    places = [
        [0.0, 80.0],
        [240.0, 80.0],
        [120.0, 0.0],
        [120.0, 160.0],
        [40.0, 80.0],
        [200.0, 80.0],
        [0.0, 160.0],
        [20.0, 80.0],
    ]
    sim = place(
        make_scenario({"boundary": {"margin": 40.0, "force": 0.75}}, world={"boundary": "soft"}), places
    )
    close(
        rule_forces(sim, "boundary"),
        [[0.75, 0], [-0.75, 0], [0, 0.75], [0, -0.75], [0, 0], [0, 0], [0.75, -0.75], [0.375, 0]],
    )


def test_soft_boundary_defaults() -> None:
    assert (Boundary().margin, Boundary().force, Boundary().shape) == (100.0, 0.8, "rectangle")


def test_an_elliptic_boundary_pushes_at_right_angles_to_its_outline() -> None:
    """Down the slope of the distance from the centre, in half sizes of the world; the slope is taken numerically."""
    rule = {"margin": 40.0, "force": 0.75, "shape": "ellipse"}
    sim = make_flock(make_scenario({"boundary": rule}, world={"boundary": "soft"}), count=100)

    def distance(x: float, y: float) -> float:
        return math.hypot((x - WIDTH / 2) / (WIDTH / 2), (y - HEIGHT / 2) / (HEIGHT / 2))

    expected = []
    for bird in birds_of(sim):
        x, y, h = bird.x, bird.y, 1e-4
        slope = (distance(x + h, y) - distance(x - h, y), distance(x, y + h) - distance(x, y - h))
        depth = max(0.0, distance(x, y) - 0.5) / 0.5  # 40 of the 80 u of the shorter half
        expected.append(with_length(slope, -0.75 * depth))
    close(rule_forces(sim, "boundary"), expected)
    sizes = np.hypot(*np.transpose(expected))
    assert sizes.max() > 0.75 and sizes.min() == 0.0


def test_an_elliptic_boundary_at_marked_places() -> None:
    """Full force on the outline, half of it half way, none at the inner rim; in the corners more."""
    places = [
        [0.0, 80.0],
        [240.0, 80.0],
        [120.0, 0.0],
        [120.0, 20.0],
        [120.0, 40.0],
        [120.0, 80.0],
        [0.0, 0.0],
    ]
    rule = {"margin": 40.0, "force": 0.75, "shape": "ellipse"}
    sim = place(make_scenario({"boundary": rule}, world={"boundary": "soft"}), places)
    corner = 0.75 * (math.sqrt(2.0) - 0.5) / 0.5
    close(
        rule_forces(sim, "boundary"),
        [[0.75, 0], [-0.75, 0], [0, 0.75], [0, 0.375], [0, 0], [0, 0], with_length((160.0, 240.0), corner)],
    )


def test_an_ellipse_that_is_all_margin_pushes_from_the_centre_on() -> None:
    rule = {"margin": 400.0, "force": 0.75, "shape": "ellipse"}
    sim = place(make_scenario({"boundary": rule}, world={"boundary": "soft"}), [[180.0, 80.0], [120.0, 80.0]])
    close(rule_forces(sim, "boundary"), [[-0.375, 0], [0, 0]])


def test_an_ellipse_counts_soft_axes_only() -> None:
    """With a soft floor and ceiling alone, it is the field of the documents."""
    worlds = [
        make_scenario(
            {"boundary": {"margin": 40.0, "force": 0.75, "shape": shape}},
            world={"boundary": "wrap", "boundary_z": "soft", "depth": 200.0},
        )
        for shape in ("ellipse", "rectangle")
    ]
    places = [[5.0, 5.0, 10.0], [5.0, 5.0, 100.0], [120.0, 80.0, 180.0]]
    elliptic, rectangular = (
        rule_forces(mm.Simulation(world, 0, "reference", positions=places), "boundary") for world in worlds
    )
    close(elliptic, rectangular)
    assert np.abs(rectangular).max() > 0.3


def test_containment_looks_ahead() -> None:
    # Reynolds 1999: steer inwards when the predicted position is within the margin
    rule = {"margin": 16.0, "foresight": 2.0, "weight": 0.75}
    sim = make_flock(make_scenario({"containment": rule}, world={"boundary": "reflect"}), count=120)
    expected = []
    for bird in birds_of(sim):
        x, y = bird.x + 2.0 * bird.vx, bird.y + 2.0 * bird.vy
        inwards = (max(0.0, 16.0 - x) - max(0.0, x - 224.0), max(0.0, 16.0 - y) - max(0.0, y - 144.0))
        expected.append(scaled(steering(inwards, bird, MAX_SPEED, MAX_FORCE), 0.75))
    assert 20 < np.count_nonzero(np.any(expected, axis=1)) < 110
    close(rule_forces(sim, "containment"), expected)


def test_containment_predicts_in_seconds_with_velocities_per_tick_too() -> None:
    rule = {"margin": 16.0, "foresight": 1.0, "weight": 1.0}
    motion = {"velocity_unit": "tick", "max_speed": 2.0, "time_step": 0.0625}
    sim = place(
        make_scenario({"containment": rule}, world={"boundary": "reflect"}, motion=motion),
        [[200.0, 80.0], [190.0, 80.0]],
        [[2.0, 0.0]] * 2,
    )
    close(rule_forces(sim, "containment"), [[-MAX_FORCE, 0.0], [0.0, 0.0]])  # 32 units ahead: 232 and 222


POINTS = [
    {"x": 60.0, "y": 40.0, "strength": 1.5, "radius": 80.0},
    {"x": 10.0, "y": 150.0, "strength": -2.0, "radius": 64.0},
    {"x": 200.0, "y": 80.0, "strength": 0.5, "radius": 48.0},
]


@pytest.mark.parametrize("boundary", ["wrap", "open"])
def test_attractors_and_repulsors(boundary: str) -> None:
    # S0-53, S0-54, S2-38: document 002's calculateAttractorForce, added up
    sim = make_flock(
        make_scenario({"attractors": {"points": POINTS, "weight": 1.25}}, world={"boundary": boundary})
    )
    expected = []
    for bird in birds_of(sim):
        total = ZERO
        for point in POINTS:
            d = way(sim, (bird.x, bird.y), (point["x"], point["y"]))
            distance = math.hypot(*d)
            if 0.0 < distance < point["radius"]:
                size = abs(point["strength"]) * (1.0 - distance / point["radius"]) * MAX_FORCE
                pull = with_length(d, size)
                total = added(total, pull if point["strength"] > 0.0 else scaled(pull, -1.0))
        expected.append(scaled(total, 1.25))
    assert np.count_nonzero(np.any(expected, axis=1)) > 30
    close(rule_forces(sim, "attractors"), expected)


def test_an_attractor_at_its_centre_and_at_its_edge() -> None:
    # S0-53: active only for 0 < d < radius
    point = {"x": 100.0, "y": 80.0, "strength": 4.0, "radius": 32.0}
    places = [[100.0, 80.0], [132.0, 80.0], [133.0, 80.0], [116.0, 80.0], [100.0, 79.75]]
    sim = place(make_scenario({"attractors": {"points": [point]}}), places)
    close(
        rule_forces(sim, "attractors"),
        [[0, 0], [0, 0], [0, 0], [-1.0, 0], [0, 4.0 * MAX_FORCE * (1.0 - 0.25 / 32.0)]],
    )
    sim.step()
    assert sim.forces[4, 1] > MAX_FORCE  # not limited by max_force


def test_a_repulsor_mirrors_an_attractor() -> None:
    # S0-54
    forces = []
    for strength in (2.0, -2.0):
        point = {"x": 100.0, "y": 80.0, "strength": strength, "radius": 100.0}
        forces.append(
            rule_forces(make_flock(make_scenario({"attractors": {"points": [point]}})), "attractors")
        )
    assert forces[0].any()
    close(forces[0], -forces[1], 1e-12)


def test_no_points_no_rule() -> None:
    assert Attractors().points == ()
    sim = make_flock(make_scenario({"attractors": {}}))
    assert sim.explain(0)["rules"] == {}


CIRCLES = [
    {"x": 80.0, "y": 80.0, "radius": 16.0},
    {"x": 112.0, "y": 90.0, "radius": 8.0},
    {"x": 236.0, "y": 20.0, "radius": 12.0},
]


def outside(count: int, seed: int = 1) -> np.ndarray:
    """Random places outside all circles, including the parts that reach across the edge."""
    places = np.random.default_rng(seed).uniform(0.0, (WIDTH, HEIGHT), (count, 2))
    gaps = [
        np.hypot(places[:, 0] - c["x"] + shift, places[:, 1] - c["y"]) - c["radius"]
        for c in CIRCLES
        for shift in (-WIDTH, 0.0, WIDTH)
    ]
    return places[np.min(gaps, axis=0) > 0.5]


def test_obstacles_are_avoided() -> None:
    # S3-11, S4-73: document 003's avoidObstacles
    places = outside(200)
    velocities = np.random.default_rng(2).normal(0.0, 4.0, places.shape)
    sim = place(
        make_scenario({"avoid_obstacles": {"reach": 24.0, "weight": 1.5}}, obstacles=CIRCLES),
        places,
        velocities,
    )
    expected = []
    for bird in birds_of(sim):
        total = ZERO
        for circle in CIRCLES:
            d = way(sim, (circle["x"], circle["y"]), (bird.x, bird.y))
            distance = math.hypot(*d)
            if distance <= circle["radius"] + 24.0:
                total = added(total, scaled(with_length(d, 1.0), 1.0 / distance))
        expected.append(scaled(steering(total, bird, MAX_SPEED, MAX_FORCE), 1.5))
    assert 15 < np.count_nonzero(np.any(expected, axis=1)) < len(places)
    close(rule_forces(sim, "avoid_obstacles"), expected)


def test_obstacles_matter_within_reach_of_their_surface() -> None:
    # S3-11: radius + reach, the edge included
    sim = place(
        make_scenario({"avoid_obstacles": {"reach": 24.0, "weight": 1.0}}, obstacles=[CIRCLES[0]]),
        [[120.0, 80.0], [120.01, 80.0]],
    )
    close(rule_forces(sim, "avoid_obstacles"), [[MAX_FORCE, 0.0], [0.0, 0.0]])


def test_walls_are_avoided_by_their_nearest_point() -> None:
    wall = {"points": [[100.0, 60.0], [100.0, 90.0]]}
    places = [[90.0, 70.0], [108.0, 80.0], [103.0, 94.0], [100.0, 40.0], [100.0, 120.0]]
    sim = place(make_scenario({"avoid_obstacles": {"reach": 24.0, "weight": 1.0}}, obstacles=[wall]), places)
    unit = np.array([[-1.0, 0.0], [1.0, 0.0], [0.6, 0.8], [0.0, -1.0], [0.0, 0.0]])
    close(rule_forces(sim, "avoid_obstacles"), unit * MAX_FORCE)


def test_polygons_are_avoided_side_by_side() -> None:
    square = {"points": [[100.0, 60.0], [120.0, 60.0], [120.0, 80.0], [100.0, 80.0]]}
    sim = place(
        make_scenario({"avoid_obstacles": {"reach": 12.0, "weight": 1.0}}, obstacles=[square]),
        [[90.0, 70.0], [110.0, 90.0]],
    )
    close(rule_forces(sim, "avoid_obstacles"), np.array([[-1.0, 0.0], [0.0, 1.0]]) * MAX_FORCE)


def test_shapes_as_rows() -> None:
    circle, wall = Circle(x=1.0, y=2.0, radius=3.0), Wall(points=((0.0, 0.0), (10.0, 0.0), (10.0, 4.0)))
    triangle = Polygon(points=((0.0, 0.0), (4.0, 0.0), (0.0, 3.0)))
    assert shape_rows([circle], 100.0) == [(1.0, 2.0, 1.0, 2.0, 3.0)]
    assert shape_rows([wall], 100.0) == [(0.0, 0.0, 10.0, 0.0, 0.0), (10.0, 0.0, 10.0, 4.0, 0.0)]
    assert shape_rows([triangle], 100.0)[-1] == (0.0, 3.0, 0.0, 0.0, 0.0)  # closed
    assert len(shape_rows([circle, wall, triangle], 100.0)) == 6


def test_a_line_of_walls_is_not_closed() -> None:
    points = [[20.0, 20.0], [60.0, 20.0], [60.0, 60.0]]
    wall, polygon = make_scenario(
        {}, obstacles=[{"kind": "wall", "points": points}, {"points": points}]
    ).obstacles
    assert isinstance(wall, Wall)
    assert isinstance(polygon, Polygon)
    assert len(shape_rows([wall], 100.0)) == 2
    assert len(shape_rows([polygon], 100.0)) == 3


def test_edges_as_rows_have_the_inside_on_their_left() -> None:
    rows = edge_rows(WIDTH, HEIGHT)
    assert len(rows) == 4
    for x0, y0, x1, y1, radius in rows:
        assert radius == 0.0
        assert (x1 - x0) * (80.0 - y0) - (y1 - y0) * (120.0 - x0) > 0.0
        assert {x0, x1} <= {0.0, WIDTH}
        assert {y0, y1} <= {0.0, HEIGHT}


def test_long_walls_are_cut_without_gaps() -> None:
    rows = shape_rows([Wall(points=((3.0, 4.0), (63.0, 84.0)))], 15.0)
    assert len(rows) == 7
    assert all(math.dist(row[:2], row[2:4]) <= 15.0 for row in rows)
    assert rows[0][:2] == (3.0, 4.0)
    assert rows[-1][2:4] == (63.0, 84.0)
    assert all(a[2:4] == b[:2] for a, b in itertools.pairwise(rows))


def test_inside_of_shapes() -> None:
    circle = Circle(x=10.0, y=10.0, radius=5.0)
    assert contains(circle, 13.0, 13.0)
    assert not contains(circle, 14.0, 14.0)
    arrow = Polygon(points=((0.0, 0.0), (10.0, 5.0), (0.0, 10.0), (4.0, 5.0)))  # with a notch
    assert contains(arrow, 6.0, 5.0)
    assert not contains(arrow, 2.0, 5.0)
    assert not contains(arrow, 11.0, 5.0)
    assert not contains(Wall(points=((0.0, 0.0), (10.0, 0.0))), 5.0, 0.0)


SKIN = 0.001


def make_world(wraps: bool = False) -> Any:
    return SimpleNamespace(size=Vec(WIDTH, HEIGHT), edges=("wrap" if wraps else "open",) * 2, skin=SKIN)


def shape(*row: float) -> Any:
    return SimpleNamespace(**Layout(SHAPE_FIELDS).collect(row))


def nearest(world: Any, it: Any, x: float, y: float) -> tuple[float, ...]:
    away, gap = nearest_on_shape(world, it, Vec(x, y))
    return (*map(float, away), float(gap))


def struck(world: Any, it: Any, x: float, y: float, mx: float, my: float) -> tuple[float, ...]:
    """When a move hits a shape, and the two components of the normal there."""
    t, normal = hit(world, it, Vec(x, y), Vec(mx, my))
    return (float(t), *map(float, normal))


def bounced(
    move: tuple[float, float], velocity: tuple[float, float], t: float, normal: tuple[float, float]
) -> Any:
    """Place and velocity after a move from (10, 20)."""
    position, after = collide(make_world(), Vec(10.0, 20.0), Vec(*move), Vec(*velocity), t, Vec(*normal))
    return (*map(float, position), *map(float, after))


def test_nearest_point_of_a_shape() -> None:
    wall, circle = shape(100.0, 60.0, 100.0, 90.0, 0.0), shape(100.0, 60.0, 100.0, 60.0, 5.0)
    close(nearest(make_world(), wall, 90.0, 70.0), (-10.0, 0.0, 10.0))
    close(nearest(make_world(), wall, 103.0, 94.0), (3.0, 4.0, 5.0))
    close(nearest(make_world(), circle, 103.0, 64.0), (3.0, 4.0, 0.0))
    close(
        nearest(make_world(wraps=True), shape(238.0, 60.0, 238.0, 60.0, 1.0), 2.0, 57.0),
        (4.0, -3.0, 4.0),
    )


def first_touch(row: tuple[float, ...], x: float, y: float, mx: float, my: float) -> float:
    """When the move enters a circle or crosses a segment, by walking along it; infinite if it never does."""
    t = np.linspace(0.0, 1.0, 40_001)
    px, py = x + mx * t, y + my * t
    x0, y0, x1, y1, radius = row
    if radius > 0.0:
        touched = np.hypot(px - x0, py - y0) < radius
        return float(t[touched.argmax()]) if touched.any() else math.inf
    side = (x1 - x0) * (py - y0) - (y1 - y0) * (px - x0)
    along = ((px - x0) * (x1 - x0) + (py - y0) * (y1 - y0)) / math.dist((x0, y0), (x1, y1)) ** 2
    crossed = np.flatnonzero((side[:-1] * side[1:] <= 0.0) & (along[1:] > 0.0) & (along[1:] < 1.0))
    return float(t[crossed[0] + 1]) if len(crossed) else math.inf


@pytest.mark.parametrize(
    "row", [(100.0, 80.0, 100.0, 80.0, 9.0), (90.0, 70.0, 112.0, 95.0, 0.0)], ids=["circle", "wall"]
)
def test_moves_that_hit_and_moves_that_miss(row: tuple[float, ...]) -> None:
    rng = np.random.default_rng(13)
    hits = 0
    for _ in range(150):
        angle, size = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(5.0, 60.0)
        x, y = 100.0 + 25.0 * math.cos(angle), 80.0 + 25.0 * math.sin(angle)
        aim = math.atan2(80.0 - y, 100.0 - x) + rng.normal(0.0, 0.5)
        mx, my = size * math.cos(aim), size * math.sin(aim)
        expected = first_touch(row, x, y, mx, my)
        t, nx, ny = struck(make_world(), shape(*row), x, y, mx, my)
        if math.isfinite(expected):
            hits += 1
            assert 0.0 <= t <= expected + 1e-4
            steep = abs(mx * nx + my * ny) / (size * math.hypot(nx, ny))
            assert (expected - t) * size <= 2.0 * SKIN / max(steep, 0.05) + size / 20_000.0
        else:
            # A skin's width of a near miss may count as a hit, nothing more.
            grazes = (
                math.isfinite(first_touch((*row[:4], row[4] + 0.05), x, y, mx, my)) if row[4] else t > 0.99
            )
            assert t > 1.0 or grazes
    assert 40 < hits < 140


def test_moving_away_from_a_surface_is_no_hit() -> None:
    for t, _, _ in (
        struck(make_world(), shape(100.0, 80.0, 100.0, 80.0, 9.0), 109.0, 80.0, 5.0, 0.0),
        struck(make_world(), shape(100.0, 80.0, 100.0, 80.0, 9.0), 108.9, 80.0, 5.0, 0.0),  # even from inside
        struck(make_world(), shape(100.0, 60.0, 100.0, 90.0, 0.0), 100.01, 80.0, 5.0, 0.0),
        struck(make_world(), shape(100.0, 60.0, 100.0, 90.0, 0.0), 101.0, 50.0, 0.0, 40.0),  # alongside
    ):
        assert t > 1.0


def test_an_agent_inside_a_circle_gets_no_deeper() -> None:
    t, nx, ny = struck(make_world(), shape(100.0, 80.0, 100.0, 80.0, 9.0), 107.0, 80.0, -3.0, 0.0)
    assert t == 0.0
    assert nx > 0.0
    assert ny == 0.0


def test_hits_across_the_edge_of_a_torus() -> None:
    t, _, _ = struck(make_world(wraps=True), shape(4.0, 80.0, 4.0, 80.0, 2.0), 236.0, 80.0, 12.0, 0.0)
    assert t == pytest.approx(0.5, abs=2e-4)
    assert struck(make_world(), shape(4.0, 80.0, 4.0, 80.0, 2.0), 236.0, 80.0, 12.0, 0.0)[0] > 1.0


def test_a_bounce_mirrors_the_velocity_at_the_surface() -> None:
    x, y, vx, vy = bounced((8.0, 4.0), (4.0, 2.0), 0.5, (-2.0, 0.0))
    assert (x, y) == pytest.approx((14.0, 22.0), abs=0.01)
    assert (vx, vy) == pytest.approx((-4.0, 2.0))
    assert bounced((8.0, 4.0), (4.0, 2.0), 1e9, (-2.0, 0.0)) == (18.0, 24.0, 4.0, 2.0)


def test_a_bounce_keeps_the_speed() -> None:
    rng = np.random.default_rng(3)
    for nx, ny, vx, vy in rng.normal(size=(50, 4)):
        _, _, ux, uy = bounced((vx, vy), (vx, vy), 0.3, (nx, ny))
        normal = np.array([nx, ny]) / math.hypot(nx, ny)
        mirrored = np.array([vx, vy]) - 2.0 * np.dot([vx, vy], normal) * normal
        assert (ux, uy) == pytest.approx(tuple(mirrored))
        assert math.hypot(ux, uy) == pytest.approx(math.hypot(vx, vy))


@pytest.mark.parametrize("speed", [0.5, 4.0, 40.0])
def test_nobody_enters_a_circle_or_passes_a_wall(speed: float) -> None:
    # S4-73: even without avoidance, and at any speed
    corners = [[40.0, 20.0], [200.0, 20.0], [200.0, 140.0], [40.0, 140.0], [40.0, 20.0]]
    cage = [{"points": side} for side in itertools.pairwise(corners)]
    pillar = {"x": 120.0, "y": 80.0, "radius": 15.0}
    rng = np.random.default_rng(14)
    angle, r = rng.uniform(0.0, 2.0 * np.pi, 60), rng.uniform(17.0, 55.0, 60)
    places = np.stack([120.0 + r * np.cos(angle), 80.0 + r * np.sin(angle)], axis=1)
    heading = rng.uniform(0.0, 2.0 * np.pi, 60)
    scenario = make_scenario(
        {},
        world={"boundary": "open"},
        motion={"velocity_unit": "tick", "max_speed": 50.0},
        obstacles=[*cage, pillar],
        perception={"radius": 8.0},
    )
    sim = place(scenario, places, np.stack([np.cos(heading), np.sin(heading)], axis=1) * speed)
    for _ in range(60):
        sim.step()
        x, y = sim.positions.astype(float).T
        assert np.hypot(x - 120.0, y - 80.0).min() >= 15.0
        assert x.min() > 40.0
        assert x.max() < 200.0
        assert y.min() > 20.0
        assert y.max() < 140.0
        np.testing.assert_allclose(np.hypot(*sim.velocities.T), speed, rtol=1e-4)
    assert np.abs(sim.positions - places).max() > 5.0


# The vector from the nearest point of a long wall is a small difference of large numbers
@pytest.mark.parametrize(
    "ends", [[[100, 200], [1500, 900]], [[1400, 64], [128, 950]], [[50, 300], [1550, 301]]]
)
def test_near_a_long_wall_single_precision_is_enough(ends: list[list[int]]) -> None:
    scenario = mm.load_scenario("starlings").with_values(
        {
            "obstacles": [{"kind": "wall", "points": ends}],
            "rules.noise.enabled": False,
            "rules.boundary.enabled": False,
            "perception.radius": 1.0,
            "rules.separation.radius": 1.0,
        }
    )
    start, end = np.array(ends, float)
    normal = np.array([start[1] - end[1], end[0] - start[0]]) / np.hypot(*(end - start))
    gaps = [sign * gap for gap in (1.0, 0.1, 0.01, 0.001) for sign in (1, -1)]
    places = np.array(
        [start + (end - start) * share + normal * gap for share in np.linspace(0.1, 0.9, 9) for gap in gaps]
    )
    angles = []
    for backend in ("reference", "cpu"):
        sim = mm.Simulation(scenario, backend=backend, positions=places, velocities=np.zeros_like(places))
        sim.step()
        angles.append(np.arctan2(*sim.forces.astype(float).T))
    # Double precision, from the same places rounded to single precision.
    off = np.degrees(np.abs(np.angle(np.exp(1j * (angles[0] - angles[1])))))
    assert off.max() < 0.01
