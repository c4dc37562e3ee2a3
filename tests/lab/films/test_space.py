"""Films of 3-D worlds: positions against an independent projection, and orientation of bodies."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from murmura.core.errors import ScenarioError, UnknownNameError
from murmura.core.vec import Vec
from murmura.engine.reading.frame import Frame
from murmura.engine.simulation import Simulation
from murmura.lab.films.film import Cut, Scene, painter_of, render
from murmura.lab.films.film_frames import SimulatedReel
from murmura.lab.films.request import Look, View
from murmura.lab.films.space.backdrop import Backdrop
from murmura.lab.films.space.bodies import BIRD, BODIES, FISH, Rolls, posed, wings
from murmura.lab.films.space.camera import LENS, fitting_distance, orbiting
from murmura.lab.films.space.lines import hull
from murmura.lab.films.space.picture import PainterInSpace, middle_in_space, nearest_images, reach_of
from murmura.rules.steering import flight
from murmura.scenario import Scenario, load_scenario
from tests.lab.film_scenes import FIELD, ReelInMemory

SIZE = (320, 180)
STILL = View(orbit=20.0, elevation=15.0, turn=0.0)
ROOM = Scenario.from_data(
    {
        "name": "room",
        "agents": 1,
        "world": {"width": 400.0, "height": 300.0, "depth": 200.0, "boundary": "soft"},
        "display": {"size": 4.0},
    }
)
TORUS = ROOM.with_values({"world.boundary": "wrap"})


def moment(places: Any, velocities: Any, step: float = 0, **columns: Any) -> Frame:
    at = np.asarray(places, np.float32).reshape(-1, 3)
    fast = np.broadcast_to(np.asarray(velocities, np.float32), at.shape)
    return Frame(step, 0.0, np.arange(len(at)), np.zeros(len(at), np.int32), at, fast, columns)


EMPTY = moment(np.empty((0, 3)), [1.0, 0.0, 0.0])


def seen_by_a_lens(place: Any, aim: Any, orbit: float, elevation: float, distance: float) -> np.ndarray:
    """The pixel of a position, by rotating the world in front of a fixed lens with SciPy."""
    turn = Rotation.from_euler("zx", [-orbit, elevation], degrees=True)
    x, away, up = turn.apply(np.asarray(place, float) - aim)
    spread = SIZE[1] / 2 / np.tan(np.radians(LENS / 2)) / (away + distance)
    return np.array([SIZE[0] / 2 + x * spread, SIZE[1] / 2 - up * spread])


@pytest.mark.parametrize(("orbit", "elevation"), [(0.0, 0.0), (37.0, 12.0), (-120.0, 60.0), (200.0, 90.0)])
def test_the_camera_sees_what_a_turned_world_shows_a_fixed_lens(orbit: float, elevation: float) -> None:
    aim = np.array([30.0, -20.0, 90.0])
    camera = orbiting(aim, np.radians(orbit), np.radians(elevation), 500.0, SIZE, 1.0, False)
    for place in np.random.default_rng(3).uniform(-150.0, 150.0, (20, 3)):
        expected = seen_by_a_lens(place, aim, orbit, elevation, 500.0)
        np.testing.assert_allclose(camera.project(place)[0], expected, atol=1e-9)
        flat = camera.beside(place, 7.0, 8.0)
        np.testing.assert_allclose(flat.on_screen([[7.0, 8.0]])[0], expected, atol=1e-9)


def test_a_camera_in_front_has_x_to_the_right_z_up_and_y_away() -> None:
    camera = orbiting((0.0, 0.0, 0.0), 0.0, 0.0, 100.0, SIZE, 1.0, False)
    (middle, deep) = camera.project((0.0, 0.0, 0.0))
    assert camera.project((1.0, 0.0, 0.0))[0][0] > middle[0]
    assert camera.project((0.0, 0.0, 1.0))[0][1] < middle[1]
    assert camera.project((0.0, 1.0, 0.0))[1] > deep


def test_over_a_floor_the_camera_stays_above_it() -> None:
    camera = orbiting((0.0, 0.0, 50.0), 0.0, np.radians(-40.0), 400.0, SIZE, 1.0, True)
    assert 0.0 < camera.eye[2] < 10.0


@pytest.mark.parametrize("turns", [False, True])
def test_the_whole_world_is_seen_and_from_no_farther_than_needed(turns: bool) -> None:
    low, high = np.zeros(3), np.array([400.0, 300.0, 200.0])
    distance = fitting_distance(low, high, STILL, SIZE, turns)
    corners, middle = np.array(list(product(*zip(low, high, strict=True)))), (low + high) / 2.0

    def whole(far: float) -> bool:
        for orbit in np.arange(0.0, 360.0, 5.0) if turns else [STILL.orbit]:
            camera = orbiting(middle, np.radians(orbit), np.radians(STILL.elevation), far, SIZE, 1.0, False)
            at, deep = camera.project(corners)
            if not ((deep > 0.0).all() and (at >= 0.0).all() and (at <= SIZE).all()):
                return False
        return True

    assert whole(distance)
    assert not whole(0.95 * distance)


def test_bodies_have_the_wings_of_the_rule_that_rolls_them() -> None:
    headings = np.random.default_rng(5).normal(size=(8, 3))
    headings /= np.linalg.norm(headings, axis=1)[:, None]
    left, up = wings(headings, np.zeros(8))
    for k, heading in enumerate(headings):
        for mine, theirs in zip((left[k], up[k]), flight.wings(Vec(*heading)), strict=True):
            np.testing.assert_allclose(mine, [float(value) for value in theirs], atol=1e-9)


def test_a_roll_to_the_left_lowers_the_left_wing() -> None:
    ahead = np.array([[1.0, 0.0, 0.0]])
    corners, _ = posed(BIRD, np.zeros((1, 3)), ahead, [0.6], [1.0], [0.0])
    tip = corners[0, np.argmax(corners[0, :, 1])]
    np.testing.assert_allclose(tip[2], -tip[1] * np.tan(0.6), rtol=1e-6)


def test_who_turns_left_banks_left_and_a_recorded_roll_is_taken_as_it_is() -> None:
    rolls, east = Rolls(), np.array([[1.0, 0.0, 0.0]])
    ids = np.array([4])
    assert rolls.at(ids, east, None, 0.0)[0] == 0.0
    later = np.array([[np.cos(0.3), np.sin(0.3), 0.0]])
    assert 0.3 < rolls.at(ids, later, None, 0.5)[0] < np.pi / 2
    assert rolls.at(ids, later, [-0.4], 0.6)[0] == -0.4


def difference(scenario: Scenario, look: Look, one: Frame) -> np.ndarray:
    """How much lighter or darker each pixel is than without agents."""
    painted = [
        PainterInSpace(scenario, look).paint(frame, 1 / 30).astype(float).mean(axis=0)
        for frame in (one, replace(EMPTY, step=one.step))
    ]
    return painted[0] - painted[1]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_bird_is_where_the_lens_puts_it_and_its_shadow_below_it(theme: str) -> None:
    look = Look(size=SIZE, trails=0.0, labels=False, theme=theme, color="speed", view=STILL)  # type: ignore[arg-type]
    place = np.array([250.0, 120.0, 150.0])
    change = difference(ROOM, look, moment(place, [8.0, 3.0, 0.0]))
    painter = PainterInSpace(ROOM, look)
    aim, far = np.array([200.0, 150.0, 100.0]), painter._eye.distance
    expected = seen_by_a_lens(place, aim, 20.0, 15.0, far)
    bright = np.abs(change) > 0.5 * np.abs(change).max()
    y, x = np.nonzero(bright)
    assert np.hypot(*(np.array([x.mean(), y.mean()]) + 0.5 - expected)) < 2.5
    foot = seen_by_a_lens(place * (1, 1, 0), aim, 20.0, 15.0, far)
    below = change[int(expected[1]) + 20 :]
    row, column = np.unravel_index(np.argmin(below), below.shape)
    assert np.hypot(column + 0.5 - foot[0], row + int(expected[1]) + 20.5 - foot[1]) < 6.0
    assert below.min() < -0.5


def test_what_is_far_is_smaller_and_paler() -> None:
    look = Look(size=SIZE, trails=0.0, labels=False, theme="light", view=View(0.0, 5.0, turn=0.0))
    near, far = (
        np.abs(difference(TORUS, look, moment([200.0, y, 100.0], [5.0, 0.0, 0.0]))) for y in (20.0, 280.0)
    )
    assert (near > 20.0).sum() > 1.3 * (far > 20.0).sum() > 0
    assert near.max() > 1.1 * far.max()


def test_a_camera_that_follows_shows_the_nearest_image_on_a_torus() -> None:
    places = np.array([[395.0, 150.0, 100.0], [5.0, 150.0, 100.0], [5.0, 150.0, 100.0]])
    middle = middle_in_space(places, TORUS.world)
    assert abs((middle[0] + 200.0) % 400.0 - 200.0) < 5.0
    near = nearest_images(places, TORUS.world, np.array([395.0, 150.0, 100.0]))
    np.testing.assert_allclose(near[:, 0], [395.0, 405.0, 405.0])
    assert reach_of(places, TORUS.world) < 10.0
    assert reach_of(places, ROOM.world) > 100.0


def flying(count: int, scenario: Scenario = TORUS) -> ReelInMemory:
    """A bird that crosses the edge of its world, and one that climbs a circle."""
    frames = []
    for k in range(count):
        angle = 0.1 * k
        places = [
            [(380.0 + 3.0 * k) % 400.0, 150.0, 100.0],
            [200 + 60 * np.cos(angle), 150 + 60 * np.sin(angle), 90 + k],
        ]
        velocities = [[18.0, 0.0, 0.0], [-36 * np.sin(angle), 36 * np.cos(angle), 6.0]]
        frames.append(moment(places, velocities, 10 * k))
    return ReelInMemory(frames, scenario)


@pytest.mark.parametrize("follow", [None, 0, "flock"])
def test_a_picture_does_not_depend_on_where_the_film_begins(follow: Any) -> None:
    look = Look(size=SIZE, trails=0.02, labels=False, follow=follow)
    reel = flying(12)
    whole, part = Scene(reel, Cut(), look), Scene(reel, Cut(begin=80), look)
    pictures = [whole.paint(shot).copy() for shot in whole.plan]
    part.warm_up()
    last = [part.paint(shot).copy() for shot in part.plan]
    # The roll of a bird is estimated from its recent turns, with decreasing weight, so it may differ slightly.
    assert np.abs(last[-1].astype(int) - pictures[-1].astype(int)).max() <= 3


def test_the_camera_turns_by_simulated_time() -> None:
    painter = PainterInSpace(ROOM, Look(size=SIZE, view=View(10.0, 0.0, turn=6.0)))
    painter.warm(moment([200.0, 150.0, 100.0], [1.0, 0.0, 0.0], 0), 0.1)
    begun = painter._eye
    painter.warm(moment([200.0, 150.0, 100.0], [1.0, 0.0, 0.0], 5.0 / ROOM.motion.time_step), 0.1)
    turned = np.degrees(np.arccos(begun.forward @ painter._eye.forward))
    np.testing.assert_allclose(turned, 30.0, rtol=1e-6)


def test_an_agent_that_is_not_there_cannot_be_followed() -> None:
    painter = PainterInSpace(ROOM, Look(size=SIZE, follow=3))
    with pytest.raises(UnknownNameError, match="no agent has the id 3 at step 0"):
        painter.paint(moment([1.0, 2.0, 3.0], [1.0, 0.0, 0.0]), 0.1)


def test_shadows_lie_below_the_flock_and_only_over_a_floor() -> None:
    shadow = Backdrop(ROOM, SIZE, "light")
    shadow.cast([[100.0, 225.0, 50.0]] * 30)
    row, column = np.unravel_index(np.argmax(shadow._shadows[0]), shadow._shadows[0].shape)
    assert abs((column + 0.5) / shadow._shadows.shape[2] - 0.25) < 0.02
    assert abs((row + 0.5) / shadow._shadows.shape[1] - 0.75) < 0.02
    floating = Backdrop(TORUS, SIZE, "light")
    floating.cast([[100.0, 225.0, 50.0]])
    assert not floating._shadows.any()


SHAPES = [
    {"kind": "circle", "x": 100.0, "y": 100.0, "radius": 30.0},
    {"kind": "cylinder", "x": 300.0, "y": 100.0, "radius": 20.0, "top": 90.0},
    {"kind": "box", "low": [150.0, 200.0, 0.0], "high": [200.0, 250.0, 80.0]},
    {"kind": "plane", "point": [0.0, 0.0, 30.0], "normal": [0.0, 0.2, 1.0]},
    {"kind": "wall", "points": [[50.0, 50.0], [350.0, 60.0]]},
    {"kind": "polygon", "points": [[260.0, 200.0], [300.0, 210.0], [280.0, 260.0]]},
]


def test_a_hull_goes_around_all_points_in_order() -> None:
    points = np.random.default_rng(8).normal(size=(40, 2))
    corners = hull(points)
    assert corners is not None and {tuple(p) for p in corners} < {tuple(p) for p in points}
    for here, there in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        (x, y), away = there - here, points - here
        assert (x * away[:, 1] - y * away[:, 0] > -1e-12).all()
    assert hull(np.outer(np.arange(5.0), (1.0, 2.0))) is None, "points on a line have no area"


def test_a_film_shows_all_that_lives_in_space(tmp_path: Path) -> None:
    scenario = load_scenario("school").with_values(
        {
            "agents": 12, "obstacles": SHAPES, "rules.territory.enabled": True, "rules.wind.enabled": True,
            "rules.territory.homes": [{"x": 300.0, "y": 300.0, "radius": 80.0}], "rules.wind.speed": 4.0,
            "rules.feeding.enabled": True, "rules.feeding.margin": 50.0,
            "rules.feeding.sources": [{"x": 200.0, "y": 300.0}],
            "rules.attractors.points": [{"x": 100.0, "y": 300.0, "strength": 0.5, "radius": 90.0}],
            "rules.daylight.enabled": True,
        }
    )  # fmt: skip
    assert painter_of(scenario) is PainterInSpace
    assert BODIES[scenario.display.shape] is FISH
    reel = SimulatedReel(Simulation(scenario, 1, "reference"), 6, 3)
    film = render(reel, tmp_path / "school-%02d.png", Look(size=SIZE, theme="light"), Cut())
    assert film.pictures == 3
    assert film.exact
    assert len(list(tmp_path.glob("school-*.png"))) == 3


@pytest.mark.parametrize("name", ["murmuration", "couzin-space"])
def test_shipped_scenarios_are_filmed_from_the_side(name: str, tmp_path: Path) -> None:
    scenario = load_scenario(name).with_values({"agents": 9})
    reel = SimulatedReel(Simulation(scenario, 1, "reference"), 2, 1)
    render(reel, tmp_path / "film.gif", Look(size=SIZE, follow="flock"), Cut(fps=25.0))
    assert (tmp_path / "film.gif").stat().st_size > 500


def test_words_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ScenarioError, match="this world is a plane"):
        painter_of(FIELD)(FIELD, Look(size=SIZE, view=View()))
    with pytest.raises(ScenarioError, match="use one of them"):
        PainterInSpace(ROOM, Look(size=SIZE, closer=2.0, view=View(distance=300.0)))
    for wrong in ({"elevation": 95.0}, {"orbit": 1000.0}, {"turn": float("nan")}, {"distance": -1.0}):
        with pytest.raises(ScenarioError, match=f"--{next(iter(wrong))} takes"):
            View(**wrong)
