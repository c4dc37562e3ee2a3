"""3-D worlds in a real browser: positions on the screen, and tools at the right depth."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from matplotlib import image

import murmura as mm
from tests.browser.conftest import MakeTab
from tests.browser.tab import Tab
from tests.view.live import flock

SIDES = np.array([600.0, 500.0, 400.0])


def deep(agents: int = 40, **values: Any) -> mm.Scenario:
    world = dict(zip(("world.width", "world.height", "world.depth"), SIDES.tolist(), strict=True))
    return flock(agents, **{**world, "world.boundary": "wrap", "perception.radius": 120.0} | values)


def seen(tab: Tab, places: Any) -> tuple[np.ndarray, np.ndarray]:
    """Window coordinates [CSS px] and depths along the gaze [u] of positions: an independent pinhole camera."""
    return projected(tab.see("eye"), places)


def projected(eye: dict[str, Any], places: Any) -> tuple[np.ndarray, np.ndarray]:
    away = np.asarray(places, float) - eye["eye"]
    far = away @ eye["ahead"]
    across, above = away @ eye["right"] / far, away @ eye["up"] / far
    centre = eye["centre"]
    return np.stack([centre["x"] + eye["focal"] * across, centre["y"] - eye["focal"] * above], axis=-1), far


def spread(agents: int) -> tuple[np.ndarray, np.ndarray]:
    """Animals far from each other, around the centre of the world."""
    rng = np.random.default_rng(3)
    places = SIDES / 2 + rng.uniform(-0.3, 0.3, (agents, 3)) * SIDES
    return places, rng.normal(size=(agents, 3)) * 3.0


def alone(tab: Tab, places: np.ndarray) -> int:
    """The index of an animal that is far from all others in the window."""
    at, _ = seen(tab, places)
    apart = np.linalg.norm(at[:, None] - at[None], axis=2) + 1e6 * np.eye(len(at))
    dock = at[:, 1] > 520  # covered by panels and dock
    return int(np.argmax(np.where(dock, 0.0, apart.min(axis=1))))


def test_animals_are_seen_where_python_says(lend_tab: MakeTab) -> None:
    tab = lend_tab(viewport={"width": 560, "height": 420}).open()
    places, velocities = spread(10)
    tab.arranged(deep(10, **{"display.size": 8.0}), places, velocities)
    for key in "ht":  # no panels, no streaks
        tab.page.keyboard.press(key)
    tab.until(lambda: tab.page.evaluate("() => document.getElementById('flock').width === innerWidth"))
    tab.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    picture = image.imread(io.BytesIO(tab.page.screenshot()))[:, :, :3].astype(float)
    ink = np.abs(picture - np.median(picture, axis=1, keepdims=True)).max(axis=2)
    at, _ = seen(tab, places)

    def bright(points: np.ndarray) -> np.ndarray:
        return np.array(
            [
                ink[max(0, round(y) - 3) : round(y) + 4, max(0, round(x) - 3) : round(x) + 4].max()
                for x, y in points
            ]
        )

    assert (bright(at) > 0.2).all(), at
    mirrored = at * (-1, 1) + (2 * tab.see("eye.centre.x"), 0)  # where it would be in a mirrored world
    assert (bright(mirrored) > 0.2).sum() < 5


def test_obstacles_hide_what_is_behind_them_and_are_hidden_by_what_is_in_front(lend_tab: MakeTab) -> None:
    tab = lend_tab(viewport={"width": 560, "height": 420}).open()
    middle, ahead, right = SIDES / 2, np.array([0.0, np.cos(0.36), -np.sin(0.36)]), np.array([1.0, 0.0, 0.0])
    before, behind = middle - 120 * ahead - 35 * right, middle + 120 * ahead + 20 * right
    beside = middle + 120 * ahead + 150 * right
    corners = middle + 0.3 * SIDES * (np.indices((2, 2, 2)).reshape(3, 8).T * 2 - 1)
    places = np.vstack([[before, behind, beside], corners])
    ball = {"kind": "circle", "x": middle[0], "y": middle[1], "z": middle[2], "radius": 70.0}
    for key in "ht":  # no panels, no streaks
        tab.page.keyboard.press(key)
    contrasts = []
    for obstacles in ([], [ball]):
        scenario = deep(len(places), **{"display.size": 8.0, "obstacles": obstacles})
        tab.arranged(scenario, places, np.tile([1.0, 0.0, 0.0], (len(places), 1)))
        tab.until(lambda: tab.page.evaluate("() => document.getElementById('flock').width === innerWidth"))
        assert np.dot(tab.see("eye.ahead"), ahead) > 0.999
        contrasts.append(_contrasts(tab, places[:3]))
    assert (contrasts[0] > 0.15).all(), contrasts
    assert contrasts[1][1] < 0.06, contrasts  # only a smooth obstacle
    assert (contrasts[1][[0, 2]] > 0.15).all(), contrasts


def _contrasts(tab: Tab, places: np.ndarray) -> np.ndarray:
    """The variation of the picture within a few pixels around points."""
    tab.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    shown = image.imread(io.BytesIO(tab.page.screenshot()))[:, :, :3].astype(float).max(axis=2)
    at, _ = seen(tab, places)
    return np.array([np.ptp(shown[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4]) for x, y in at])


def test_hunters_and_lines_lie_at_their_depth(make_tab: MakeTab) -> None:
    """Behind an obstacle, hunters are invisible and lines pale; in front of it both are normal. Birds hide hunters."""
    tab = make_tab(viewport={"width": 560, "height": 420}).open()
    for key in "ht":  # no panels, no streaks
        tab.page.keyboard.press(key)
    middle, ahead, right = SIDES / 2, np.array([0.0, np.cos(0.36), -np.sin(0.36)]), np.array([1.0, 0.0, 0.0])
    corners = middle + 0.3 * SIDES * (np.indices((2, 2, 2)).reshape(3, 8).T * 2 - 1)
    ball = {"kind": "circle", "x": middle[0], "y": middle[1], "z": middle[2], "radius": 70.0}
    bodies, lines = {}, {}
    for name, far, obstacles in (("open", 130.0, []), ("behind", 130.0, [ball]), ("before", -130.0, [ball])):
        scenario = deep(len(corners), obstacles=obstacles)
        tab.arranged(scenario, corners, np.tile([1.0, 0.0, 0.0], (len(corners), 1)))
        assert np.dot(tab.see("eye.ahead"), ahead) > 0.999
        hunter = middle + far * ahead - 30 * right
        _show(tab, [_falcon(hunter, hunter + 60 * right)])
        red = _redness(tab)
        bodies[name] = _around(tab, red, hunter, 5).mean()
        lines[name] = _around(tab, red, hunter + 40 * right, 8).max()
    assert bodies["behind"] < 0.1 * min(bodies["open"], bodies["before"]), bodies
    assert 0.1 < lines["behind"] / min(lines["open"], lines["before"]) < 0.5, lines
    assert (
        _hunter_before_bird(tab, middle, 60 * ahead)
        < 0.02
        < 0.1
        < _hunter_before_bird(tab, middle, -60 * ahead)
    )


def _hunter_before_bird(tab: Tab, bird: np.ndarray, away: np.ndarray) -> float:
    """How much a hunter behind or in front of a bird changes the picture of its back."""
    up = np.array([0.0, np.sin(0.36), np.cos(0.36)])
    tab.arranged(deep(1, **{"display.size": 12.0}), bird[None], up[None])  # its back to the camera
    pictures = []
    for things in ([], [_falcon(bird + away, bird + away)]):
        _show(tab, things)
        pictures.append(_around(tab, _redness(tab), bird + 4 * up, 2))
    return float(np.abs(pictures[1] - pictures[0]).mean())


def _falcon(at: np.ndarray, prey: np.ndarray) -> dict[str, Any]:
    places = ("x", "y", "z", "target_x", "target_y", "target_z")
    flight = {"heading": 0.0, "vx": 0.5, "vy": 0.3, "vz": 0.8}
    return {
        "kind": "predator", "id": 9, "species": "falcon", "state": "hunting", "energy": 0.4, "target": 3,
        **flight, **dict(zip(places, [*at.tolist(), *prey.tolist()], strict=True)),
    }  # fmt: skip


def _show(tab: Tab, objects: list[dict[str, Any]]) -> None:
    """Objects as the server would send them."""
    tab.page.evaluate(
        "(objects) => sockets.at(-1).onmessage({ data: JSON.stringify({ type: 'scene', objects }) })", objects
    )
    tab.until(lambda: tab.page.evaluate("() => document.getElementById('flock').width === innerWidth"))
    tab.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def _redness(tab: Tab) -> np.ndarray:
    shown = image.imread(io.BytesIO(tab.page.screenshot()))[:, :, :3].astype(float)
    return np.maximum(shown[:, :, 0] - shown[:, :, 2], 0.0)


def _around(tab: Tab, picture: np.ndarray, place: np.ndarray, reach: int) -> np.ndarray:
    [(x, y)], _ = seen(tab, [place])
    return picture[round(y) - reach : round(y) + reach + 1, round(x) - reach : round(x) + reach + 1]


def test_bodies_are_drawn_close_up_in_space(tab: Tab) -> None:
    lives = {"rules.energy.enabled": True, "display.size": 2.0}
    places, velocities = SIDES / 2 + 25.0 * np.array([[-1, 0, 0], [0, 0, 0], [1, 0, 0]]), np.eye(3)
    tab.arranged(deep(3, **lives), places, velocities)
    k = 1
    tab.until(lambda: np.abs(seen(tab, places[[k]])[0] - (480, 320)).max() < 200)
    tab.page.mouse.move(*seen(tab, places)[0][k])
    while tab.see("eye.focal") / seen(tab, places)[1][k] < 5.0:  # [px/u]
        far = tab.see("eye.orbit.distance")
        tab.page.mouse.wheel(0, -300)
        tab.until(lambda far=far: tab.see("eye.orbit.distance") < 0.95 * far)
    window = tab.until(lambda: tab.session.watch.bodies.window)
    assert window[4] <= places[k][2] <= window[5] and window[5] - window[4] < SIDES[2]

    def has_bar() -> bool:
        """An energy bar as wide as the body, right above it."""
        [(x, y)], _ = seen(tab, places[[k]])
        bars = [r for r in tab.drawn()["rects"] if r["h"] == 2.5 and abs(r["x"] + r["w"] / 2 - x) < 1]
        return any(0 < y - bar["y"] < 3 * bar["w"] for bar in bars if bar["w"] >= 16)

    tab.until(has_bar)
    tab.page.keyboard.press("f")
    tab.until(lambda: tab.session.watch.bodies.window is None)


def test_the_view_turns_moves_and_comes_back(tab: Tab) -> None:
    places, velocities = spread(40)
    tab.arranged(deep(), places, velocities)
    mouse = tab.page.mouse
    first = tab.see("eye.orbit")

    def dragged(by: tuple[float, float]) -> Any:
        mouse.move(480, 320)
        mouse.down(button="middle")
        mouse.move(480 + by[0], 320 + by[1], steps=3)
        mouse.up(button="middle")
        return tab.see("eye.orbit")

    turned = dragged((100, 40))
    assert turned["turn"] < first["turn"] - 0.3 and turned["tilt"] > first["tilt"] + 0.1
    tab.page.keyboard.down("Shift")
    slid = dragged((80, 0))
    tab.page.keyboard.up("Shift")
    assert np.linalg.norm(np.subtract(slid["target"], turned["target"])) > 20.0
    assert slid["turn"] == turned["turn"]
    mouse.wheel(0, -400)
    tab.until(lambda: tab.see("eye.orbit.distance") < 0.8 * first["distance"])
    tab.page.keyboard.press("ArrowRight")
    tab.until(lambda: tab.see("eye.orbit.turn") > slid["turn"] + 0.1)
    tab.page.keyboard.press("f")
    # However far it was rotated, the view is from the south again, at the centre of the flock.
    tab.until(lambda: abs(np.cos(tab.see("eye.orbit.turn"))) < 1e-2)
    tab.until(lambda: np.linalg.norm(np.subtract(tab.see("eye.orbit.target"), first["target"])) < 5.0)


def test_a_click_chooses_by_ray_and_what_it_sees_is_drawn(tab: Tab) -> None:
    places, velocities = spread(40)
    simulation = tab.arranged(deep(), places, velocities)
    k = alone(tab, places)
    at, _ = seen(tab, places)
    tab.page.mouse.click(*at[k])
    tab.until(lambda: tab.see("chosen") == k)
    told = simulation.explain(k)
    near = simulation.positions[told["neighbors"]].astype(float)
    near -= SIDES * np.round((near - places[k]) / SIDES)  # the shorter way round
    ends, far = seen(tab, near)
    lines = [
        (line["from"], line["to"])
        for line in tab.drawn()["lines"]
        if np.linalg.norm(np.subtract(line["from"], at[k])) < 2.0
    ]
    assert len(near) > 2 and (far > 0).all()
    for end in ends:
        assert min(np.linalg.norm(np.subtract(to, end)) for _, to in lines) < 2.0
    # A key starts flying along: behind the animal, looking in its direction of flight.
    tab.page.keyboard.press(",")
    ahead = velocities[k] / np.linalg.norm(velocities[k])
    tab.until(lambda: np.dot(tab.see("eye.ahead"), ahead) > 0.99)
    behind = places[k] - tab.see("eye.eye")
    assert tab.see("eye.riding") and behind @ ahead > 0.0 and np.linalg.norm(behind) < 60.0
    tab.page.keyboard.press("Escape")
    tab.until(lambda: tab.see("chosen") is None and not tab.see("eye.riding"))


def test_in_a_crowd_lines_can_be_told_apart(tab: Tab) -> None:
    rng = np.random.default_rng(5)
    places = SIDES / 2 + 40.0 * rng.normal(size=(300, 3))
    tab.arranged(deep(300), places, rng.normal(size=(300, 3)))
    tab.page.keyboard.press("n")
    tab.until(lambda: "who sees whom, 1 agent in" in tab.page.locator(".legend").inner_text())
    lines = np.array(
        [(*line["from"], *line["to"]) for line in tab.drawn()["lines"] if "150, 200" in line["style"]]
    )
    at, _ = seen(tab, places)
    ground = np.pi * np.prod(2 * at.std(axis=0))
    assert len(lines) > 20 and np.hypot(*(lines[:, 2:] - lines[:, :2]).T).sum() / ground < 1.8


def test_pointer_and_tools_act_at_the_depth_of_the_flock(tab: Tab) -> None:
    places, velocities = spread(40)
    tab.arranged(deep(), places, velocities)
    mouse = tab.page.mouse
    _, depths = seen(tab, [places.mean(axis=0)])
    mouse.move(300, 300)
    mouse.down()
    mouse.move(420, 260, steps=3)
    hand = tab.until(
        lambda: (found := tab.session.scene.pointer) and abs(_px(tab, found)[0] - 420) < 2 and found
    )
    assert hand.mode == "attract"
    assert abs(_px(tab, hand)[1] - 260) < 2
    _, far = seen(tab, [[hand.x, hand.y, hand.z]])
    assert abs(far[0] - depths[0]) < 0.15 * depths[0]  # on a torus the centre of a flock is not a plain mean
    mouse.up()
    tab.until(lambda: tab.session.scene.pointer is None)
    tab.page.keyboard.press("k")  # a ball in the way
    mouse.click(380, 240)
    [ball] = tab.until(lambda: tab.session.scenario.obstacles)
    assert ball.z is not None and np.abs(np.subtract(_px(tab, ball), (380, 240))).max() < 2
    tab.until(lambda: tab.see("things") == ["circle"])
    mouse.click(380, 240, button="right")
    tab.until(lambda: not tab.session.scenario.obstacles)


def _px(tab: Tab, thing: Any) -> np.ndarray:
    return seen(tab, [[thing.x, thing.y, thing.z]])[0][0]


def test_a_flock_that_flies_away_stays_in_the_picture_of_a_phone(lend_tab: MakeTab) -> None:
    """It lies within the window from the start on: the view flies along and does not stay behind."""
    size = np.array([390, 844])
    tab = lend_tab(gl=False, viewport={"width": 390, "height": 844}, has_touch=True).open()
    silent = {f"rules.{name}.enabled": False for name in ("separation", "alignment", "cohesion")}
    start = SIDES / 2 + np.random.default_rng(3).uniform(-20, 20, (12, 3))
    speed = np.array([1.0, 0.0, 0.0])  # [u] a step: to the right, across the picture in about a second
    tab.arranged(deep(12, **{"world.boundary": "open"} | silent), start, np.tile(speed, (12, 1)))
    tab.send("play")
    while (step := tab.see("step")) < 200:
        eye = tab.page.evaluate("() => ({ ...murmura.eye, step: murmura.step })")
        at, far = projected(eye, start + eye["step"] * speed)
        # The picture lies between two frames, and the step is that of the newer one: a little farther on.
        assert (far > 0).all() and ((at > -0.1 * size) & (at < 1.1 * size)).all(), (step, at)
        assert ((at.mean(axis=0) > 0.1 * size) & (at.mean(axis=0) < 0.9 * size)).all(), (step, at)
        tab.page.wait_for_timeout(10)


def test_from_a_plane_into_space_and_back(tab: Tab) -> None:
    assert tab.see("eye") is None
    tab.still(deep())
    tab.until(lambda: tab.see("eye") is not None and tab.see("drawn") == 40)
    assert {"from above", "from the south", "x", "y", "z"} <= set(tab.drawn()["texts"])
    tab.still(flock(30))
    tab.until(lambda: tab.see("eye") is None and tab.see("drawn") == 30)
