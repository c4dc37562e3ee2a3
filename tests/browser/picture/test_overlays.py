"""Overlays match the simulation: every stroke is recorded and compared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.browser.tab import FILLS, Tab
from tests.view.live import flock

COLORS = {"separation": "#ff6b6b", "alignment": "#5aa9ff", "cohesion": "#3fd68b"}
LANE = 3.0  # [px] links of different rules are side by side
CHOSEN = 17


@pytest.fixture(params=["wrap", "soft"])
def crowd(tab: Tab, request: pytest.FixtureRequest) -> Tab:
    """A dense flock whose selected agent is near an edge: on a torus, some of its neighbours are across the edge."""
    rng = np.random.default_rng(3)
    places = rng.uniform((0.0, 0.0), (400.0, 225.0), (150, 2))
    places[CHOSEN] = (6.0, 120.0)
    tab.arranged(
        flock(150, **{"world.width": 400, "world.height": 225, "world.boundary": request.param}),
        places,
        rng.normal((2.0, 0.0), size=(150, 2)),
    )
    tab.send("select", id=CHOSEN)
    tab.until(lambda: tab.see("chosen") == CHOSEN)
    return tab


def _only(tab: Tab, *names: str) -> Any:
    """Show only these overlays of the selected agent; return what was drawn."""
    for name, key in (
        ("Perception circle", "circle"),
        ("Field of view", "wedge"),
        ("Neighbour lines", "links"),
        ("Forces", "forces"),
    ):
        tab.page.get_by_label(name, exact=True).set_checked(key in names)
    return tab.drawn()


def _ways(tab: Tab, ids: Any) -> np.ndarray:
    """From the selected agent to others in the window [px], the shorter way if the world wraps."""
    world, places = tab.session.scenario.world, tab.simulation.positions.astype(float)
    ways = places[list(ids)] - places[CHOSEN]
    if world.boundary == "wrap":
        size = np.array([world.width, world.height])
        ways -= size * np.round(ways / size)
    return ways * tab.see("camera.zoom")


def _same(found: list[Any], expected: np.ndarray, reach: float) -> None:
    """Check that exactly one line ends at every expected point, and no line is left over."""
    assert len(found) == len(expected)
    left = [np.array(end) for end in found]
    for end in expected:
        distances = [math.dist(end, each) for each in left]
        nearest = int(np.argmin(distances))
        assert distances[nearest] < reach
        left.pop(nearest)


def test_links_lead_to_exactly_the_neighbours_of_each_rule(crowd: Tab) -> None:
    # S4-37: neighbour links coloured by rule, red, blue and green. S4-70: with a switch. S4-57: the overlay.
    told = crowd.simulation.explain(CHOSEN)
    assert set(told["neighbors"]) == set(crowd.simulation.neighbors(CHOSEN))
    [place] = crowd.screen(crowd.simulation.positions[[CHOSEN]])
    lines = _only(crowd, "links")["lines"]
    linked = set()
    for rule, color in COLORS.items():
        ids = told["rules"][rule]["neighbors"]
        assert ids, rule
        linked |= set(ids)
        _same([line["to"] for line in lines if line["style"] == color], place + _ways(crowd, ids), LANE + 0.5)
    assert linked == set(crowd.simulation.neighbors(CHOSEN))
    if crowd.session.scenario.world.boundary == "wrap":
        assert any(crowd.simulation.positions[k][0] > 300 for k in linked), "no neighbour across the edge"
    assert not [line for line in _only(crowd)["lines"] if line["style"] in COLORS.values()]


def test_circle_and_wedge_are_what_it_perceives(crowd: Tab) -> None:
    # S4-19: toggles of both. S4-35: perception circle. S4-36: field-of-view arc.
    view = crowd.session.scenario.perception
    [place] = crowd.screen(crowd.simulation.positions[[CHOSEN]])
    reach = view.radius * crowd.see("camera.zoom")
    vx, vy = crowd.simulation.velocities[CHOSEN]

    def around(drawn: Any) -> list[Any]:
        return [arc for arc in drawn["arcs"] if math.isclose(arc["r"], reach, rel_tol=1e-3)]

    [circle] = around(_only(crowd, "circle"))
    assert math.dist((circle["x"], circle["y"]), place) < 0.1
    assert (circle["how"], circle["b"] - circle["a"]) == ("stroke", pytest.approx(2 * math.pi))
    [wedge] = around(_only(crowd, "wedge"))
    assert wedge["how"] == "fill"
    assert wedge["b"] - wedge["a"] == pytest.approx(math.radians(view.field_of_view))
    middle = (wedge["a"] + wedge["b"]) / 2
    assert math.cos(middle - math.atan2(vy, vx)) == pytest.approx(1.0, abs=1e-6)
    assert not around(_only(crowd))


def test_arrows_point_where_the_rules_and_the_sum_pull(crowd: Tab) -> None:
    # S4-38: an arrow for the steering, and one for each rule's force.
    told = crowd.simulation.explain(CHOSEN)
    [place] = crowd.screen(crowd.simulation.positions[[CHOSEN]])
    lines = _only(crowd, "forces")["lines"]
    wanted = {COLORS[rule]: told["rules"][rule]["force"] for rule in COLORS} | {"#ffffff": told["steering"]}
    for color, force in wanted.items():
        [shaft] = [line for line in lines if line["style"] == color]
        drawn = np.array(shaft["to"]) - shaft["from"]
        assert math.cos(math.atan2(drawn[1], drawn[0]) - math.atan2(force[1], force[0])) > 0.9999
        assert math.dist(shaft["from"], place) == pytest.approx(12, abs=0.5)
    assert not [line for line in _only(crowd)["lines"] if line["style"] in wanted]


def test_overlays_of_all_agents_in_view(crowd: Tab) -> None:
    """V and N: computed by the page from a frame, whose headings have 8 bits, so results at edges may differ."""
    simulation = crowd.simulation
    crowd.page.keyboard.press("Escape")
    crowd.until(lambda: crowd.see("chosen") is None)
    crowd.page.keyboard.press("v")
    reach = crowd.session.scenario.perception.radius * crowd.see("camera.zoom")
    cones = [
        arc
        for arc in crowd.drawn()["arcs"]
        if arc["how"] == "fill" and math.isclose(arc["r"], reach, rel_tol=1e-3)
    ]
    _same([(arc["x"], arc["y"]) for arc in cones], crowd.screen(simulation.positions), 0.5)
    crowd.page.keyboard.press("v")
    crowd.page.keyboard.press("n")
    lines = crowd.drawn()["lines"]
    size = (crowd.session.scenario.world.width, crowd.session.scenario.world.height)
    camera = crowd.see("camera")
    places = crowd.screen(simulation.positions)

    def who(end: Any, wrapped: bool) -> int:
        ways = (places - end) / camera["zoom"]
        if wrapped:
            ways -= np.array(size) * np.round(ways / size)
        return int(np.argmin((ways**2).sum(axis=1)))

    wraps = crowd.session.scenario.world.boundary == "wrap"
    shown = {(who(line["from"], False), who(line["to"], wraps)) for line in lines}
    true = {(k, int(other)) for k in range(150) for other in simulation.neighbors(k)}
    assert len(true) > 1000
    assert len(shown ^ true) <= 0.02 * len(true)


def test_the_density_grid_counts_agents(tab: Tab) -> None:
    tab.arranged(flock(6), [[20, 20]] * 4 + [[820, 460], [1500, 850]], [[1, 0]] * 6)
    tab.page.keyboard.press("g")
    cell = 1600 / 40
    squares = [
        r
        for r in tab.drawn()["rects"]
        if math.isclose(r["w"], cell * tab.see("camera.zoom") - 1, rel_tol=1e-3)
    ]
    corners = tab.screen([[0, 0], [800, 440], [1480, 840]])
    _same([(r["x"], r["y"]) for r in squares], corners, 0.5)
    shades = [float(r["style"].rstrip(")").split(",")[-1]) for r in sorted(squares, key=lambda r: r["x"])]
    assert shades[0] > shades[1] == shades[2]


SCENE = [
    {"kind": "food", "x": 300, "y": 300, "radius": 40, "amount": 30, "capacity": 120},
    {"kind": "predator", "id": 9, "x": 800, "y": 450, "heading": 0.5, "species": "falcon", "state": "hunting",
     "energy": 0.4, "target": 3, "altitude": 0.6},
    {"kind": "carcass", "x": 500, "y": 500, "amount": 1, "capacity": 2},
    {"kind": "territory", "x": 900, "y": 500, "radius": 200, "species": "falcon"},
    {"kind": "sky", "daylight": 0.1},
    {"kind": "something of tomorrow", "x": 1},
]  # fmt: skip


OPACITY = """([x, y]) => {
  const canvas = document.getElementById('overlay'), scale = canvas.width / innerWidth;
  return canvas.getContext('2d').getImageData(x * scale, y * scale, 1, 1).data[3] / 255;
}"""


def test_objects_from_the_server_are_drawn(gl_tab: Tab) -> None:
    """Food with the amount left, hunters with kind, state and energy; unknown kinds are ignored."""
    tab = gl_tab
    simulation = tab.still()
    dark = tab.page.locator("#flock").screenshot()
    tab.page.evaluate(FILLS)
    tab.page.evaluate(
        "(objects) => sockets.at(-1).onmessage({ data: JSON.stringify({ type: 'scene', objects }) })", SCENE
    )
    tab.until(lambda: tab.see("things.length") == len(SCENE))
    drawn, zoom = tab.drawn(), tab.see("camera.zoom")
    [food] = tab.screen([[300, 300]])
    full, eaten = (tab.page.evaluate(OPACITY, [food[0], food[1] + away]) for away in (6, -3))
    assert full > 0.9 > 0.6 > eaten > 0.1  # a quarter of the apple is left
    assert any("falcon · hunting" in text for text in drawn["texts"])
    [hunter] = tab.screen([[800, 450]])
    whole, left = sorted(
        (r["w"] for r in drawn["rects"] if r["h"] == 3 and abs(r["y"] - hunter[1]) < 60), reverse=True
    )
    assert left / whole == pytest.approx(0.4)
    assert any(math.isclose(arc["r"], 200 * zoom) for arc in drawn["arcs"])
    # High above, it has a shadow below and to the right.
    shadows = [at for style, *at in tab.page.evaluate("() => fills") if style == "rgba(0, 0, 0, 0.28)"]
    assert shadows and (np.array(shadows[-1]) > hunter + 2).all()
    [dead] = tab.screen([[500, 500]])  # a spine with ribs
    spine = [[*np.subtract(line["from"], dead), *np.subtract(line["to"], dead)] for line in drawn["lines"]]
    assert any(np.abs(np.subtract(ends, [-6, 0, 6, 0])).max() < 0.1 for ends in spine)
    assert tab.page.locator("#flock").screenshot() != dark  # the sky at that time of day
    assert simulation is tab.simulation


def test_the_wind_can_be_seen(tab: Tab) -> None:
    tab.still(
        flock(20, **{"rules.wind.enabled": True, "rules.wind.speed": 9.0, "rules.wind.direction": 30.0})
    )
    streaks = tab.drawn()["lines"]
    assert len(streaks) >= 60
    for line in streaks:
        dx, dy = np.array(line["to"]) - line["from"]
        assert math.degrees(math.atan2(dy, dx)) == pytest.approx(30.0)
