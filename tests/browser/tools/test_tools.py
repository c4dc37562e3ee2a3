"""Mouse and touch gestures: attract, repel, scare, select, follow, build, remove, move the view."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.rules.evolution.stances import Stance
from tests.browser.conftest import MakeTab
from tests.browser.tab import Tab
from tests.view.live import flock

HERE, THERE = (420, 300), (520, 360)


def _world(tab: Tab, at: tuple[float, float]) -> tuple[float, float]:
    camera, view = tab.see("camera"), tab.see("view")
    return (
        (at[0] - view["width"] / 2) / camera["zoom"] + camera["x"],
        (at[1] - view["height"] / 2) / camera["zoom"] + camera["y"],
    )


def _near(found: Any, place: tuple[float, float], reach: float = 1.0) -> bool:
    return math.dist((found["x"], found["y"]), place) < reach


@pytest.mark.parametrize(
    ("tool", "button", "shift", "mode"),
    [
        ("", "left", False, "attract"),
        ("", "right", False, "repel"),
        ("", "left", True, "repel"),
        ("!", "left", False, "scare"),
    ],
)
def test_a_drag_pulls_or_pushes(tab: Tab, tool: str, button: Any, shift: bool, mode: str) -> None:
    mouse = tab.page.mouse
    if tool:
        tab.page.keyboard.press(tool)
    if shift:
        tab.page.keyboard.down("Shift")
    mouse.move(*HERE)
    mouse.down(button=button)
    mouse.move(*THERE, steps=4)
    there = _world(tab, THERE)
    tab.until(lambda: (hand := tab.session.scene.pointer) and hand.mode == mode and _near(vars(hand), there))
    assert tab.see("hand") == mode
    # The pointer is a force in the simulation: it acts on all agents near it.
    points = tab.simulation.scenario.rules.attractors.points
    threats = tab.simulation.scenario.rules.fear.threats
    assert _near(vars((*points, *threats)[-1]), there)
    mouse.up(button=button)
    tab.until(lambda: tab.session.scene.pointer is None and tab.see("hand") is None)
    if shift:
        tab.page.keyboard.up("Shift")


def _lone(tab: Tab) -> np.ndarray:
    """Load two agents far apart; return their positions in the window."""
    places = [[500.0, 450.0], [900.0, 450.0]]
    tab.arranged(flock(2), places, [[1.0, 0.0], [0.0, 1.0]])
    return tab.screen(places)


def test_a_click_chooses_an_agent_and_a_click_beside_lets_it_go(tab: Tab) -> None:
    one, two = _lone(tab)
    tab.page.mouse.click(*two)
    tab.until(lambda: tab.see("chosen") == 1)
    assert tab.page.get_by_role("heading", name="Agent 1").is_visible()
    tab.page.mouse.click(*one)
    tab.until(lambda: tab.see("chosen") == 0)
    tab.page.mouse.click(one[0], one[1] + 100)
    tab.until(lambda: tab.see("chosen") is None)


def test_a_double_click_follows_the_nearest_agent(tab: Tab) -> None:
    one, _ = _lone(tab)
    tab.page.mouse.dblclick(one[0] + 60, one[1] + 30)
    tab.until(lambda: tab.see("following") is True)
    tab.send("play")
    tab.until(lambda: tab.simulation.step_count > 60)
    tab.send("pause")

    def centred() -> bool:
        camera = tab.see("camera")
        return math.dist((camera["x"], camera["y"]), tab.simulation.positions[0]) < 2.0

    tab.until(centred)
    assert tab.simulation.positions[0][0] > 505
    tab.page.get_by_role("button", name="Stop following").click()
    tab.until(lambda: tab.see("following") is False)


def test_the_wheel_zooms_at_the_pointer(tab: Tab) -> None:
    before, zoom = _world(tab, HERE), tab.see("camera.zoom")
    tab.page.mouse.move(*HERE)
    tab.page.mouse.wheel(0, -500)
    goal = zoom * math.exp(500 * 0.0016)
    tab.until(lambda: abs(tab.see("camera.zoom") / goal - 1) < 1e-3)
    assert math.dist(_world(tab, HERE), before) * goal < 1.0


def test_the_middle_button_moves_the_view(tab: Tab) -> None:
    before = _world(tab, HERE)
    tab.page.mouse.move(*HERE)
    tab.page.mouse.down(button="middle")
    tab.page.mouse.move(*THERE, steps=3)
    tab.page.mouse.up(button="middle")
    tab.until(lambda: math.dist(_world(tab, THERE), before) < 0.5)


def test_the_map_shows_the_way(tab: Tab) -> None:
    whole = tab.see("camera.zoom")
    tab.page.mouse.move(*HERE)
    tab.page.mouse.wheel(0, -1200)
    tab.until(lambda: tab.see("camera.zoom") > 5 * whole)
    rects = tab.drawn()["rects"]
    world = tab.session.scenario.world
    [ground] = [r for r in rects if r["w"] > 50 and abs(r["w"] / r["h"] - world.width / world.height) < 1e-6]
    tab.page.mouse.click(ground["x"] + 0.25 * ground["w"], ground["y"] + 0.75 * ground["h"])
    goal = (0.25 * world.width, 0.75 * world.height)
    tab.until(lambda: _near(tab.see("camera"), goal, 3.0))


def test_building_and_removing(tab: Tab) -> None:
    """Obstacles, walls, food and predators are each placed and removed again."""
    tab.still()
    mouse, place = tab.page.mouse, _world(tab, HERE)
    zoom = tab.see("camera.zoom")

    def rules() -> Any:
        return tab.session.scenario.rules

    tab.page.keyboard.press("k")
    mouse.move(*HERE)
    mouse.down()
    mouse.move(HERE[0] + 50, HERE[1], steps=3)
    mouse.up()
    [rock] = tab.until(lambda: tab.session.scenario.obstacles)
    assert _near(vars(rock), place) and rock.radius * zoom == pytest.approx(50, abs=1)
    tab.until(lambda: tab.see("things") == ["circle"])
    mouse.click(*HERE, button="right")
    tab.until(lambda: not tab.session.scenario.obstacles)

    tab.page.keyboard.press("Shift+W")
    mouse.move(*HERE)
    mouse.down()
    mouse.move(*THERE, steps=4)
    mouse.up()
    [wall] = tab.until(lambda: tab.session.scenario.obstacles)
    assert wall.kind == "wall" and math.dist(wall.points[0], place) < 1
    assert math.dist(wall.points[-1], _world(tab, THERE)) < 1
    mouse.click(*HERE, button="right")
    tab.until(lambda: not tab.session.scenario.obstacles)

    for key, thing, items in (
        ("o", "attractor", lambda: rules().attractors.points),
        ("Shift+D", "predator", lambda: rules().predators.hunters),
    ):
        tab.page.keyboard.press(key)
        mouse.click(*HERE)
        [found] = tab.until(items)
        assert _near(vars(found), place)
        tab.until(lambda thing=thing: thing in tab.see("things"))
        mouse.click(*THERE, button="right")
        tab.until(lambda items=items: not items())
    assert not rules().predators.enabled  # removing the last hunter disables the rule


def test_quick_clicks_place_as_many_objects(tab: Tab) -> None:
    tab.still()
    tab.page.keyboard.press("Shift+D")
    tab.page.get_by_label("Kind of predator").select_option("owl")
    spots = [(420.0 + 20.0 * k, 330.0) for k in range(6)]
    for spot in spots:
        tab.page.mouse.click(*spot)
    hunters = tab.until(lambda: (found := tab.session.scenario.rules.predators.hunters)[5:] and found)
    assert len(hunters) == 6
    for hunter, spot in zip(hunters, spots, strict=True):
        assert hunter.kind == "owl" and _near(vars(hunter), _world(tab, spot))
    tab.until(lambda: tab.see("things").count("predator") == 6)


def test_where_species_hunt_a_click_makes_one_of_theirs(tab: Tab) -> None:
    """With the genes of its species; and the others flee from it."""
    values = {"agents": 12, "world.width": 400.0, "world.height": 400.0, "display.follow_window": False}
    simulation = tab.still(mm.load_scenario("arms-race").with_values(values | {"species.1.share": 0.001}))
    before = set(simulation.ids.tolist())
    tab.page.keyboard.press("Shift+D")
    assert tab.page.get_by_label("Kind of predator", exact=True).input_value() == "predator"
    tab.page.mouse.click(*HERE)
    [new] = tab.until(lambda: set(simulation.ids.tolist()) - before)
    row, state = simulation.ids.tolist().index(new), simulation.state
    assert _near({axis: state[f"position_{axis}"][row] for axis in "xy"}, _world(tab, HERE))
    assert state["species_id"][row] == 1 and state["part_spike"][row] == 3
    assert state["gene_aggression"][row] > state["gene_aggression"][state["species_id"] == 0].max()
    tab.until(lambda: tab.see("drawn") == len(before) + 1)
    assert not (state["stance"] == Stance.FLEEING).any()
    tab.send("step", count=3)
    tab.until(lambda: (simulation.state["stance"] == Stance.FLEEING).any())


def test_attractors_and_repulsors_stay_are_moved_and_removed(tab: Tab) -> None:
    tab.still()
    mouse = tab.page.mouse

    def points() -> Any:
        return tab.session.scenario.rules.attractors.points

    tab.page.keyboard.press("i")
    mouse.click(*HERE)
    tab.page.keyboard.press("u")
    mouse.click(*THERE)
    tab.until(lambda: [point.strength > 0 for point in points()] == [True, False])
    tab.until(lambda: tab.see("things") == ["attractor", "attractor"])
    # Dragging an object with its tool moves it and places nothing new.
    elsewhere = (HERE[0] + 60, HERE[1] + 40)
    mouse.move(*HERE)
    mouse.down()
    mouse.move(*elsewhere, steps=4)
    mouse.up()
    tab.until(lambda: _near(vars(points()[0]), _world(tab, elsewhere)))
    assert len(points()) == 2 and _near(vars(points()[1]), _world(tab, THERE))
    tab.until(lambda: len(tab.see("things")) == 2)
    mouse.click(*elsewhere, button="right")
    tab.until(lambda: len(points()) == 1 and points()[0].strength < 0)


class TouchScreen:
    """A touch screen."""

    def __init__(self, tab: Tab) -> None:
        self._line = tab.page.context.new_cdp_session(tab.page)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
        self._line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})


def test_touch_gestures(make_tab: MakeTab) -> None:
    tab = make_tab(gl=False, has_touch=True).open()
    touch = TouchScreen(tab)

    def pulls() -> bool:
        """A moving touch attracts; on a busy machine it may rest too long before it moves, and repel."""
        touch.touch("touchStart", HERE)
        touch.touch("touchMove", THERE)
        hand = tab.until(lambda: tab.session.scene.pointer)
        pulled = hand.mode == "attract"
        if pulled:
            tab.until(lambda: _near(vars(tab.session.scene.pointer), _world(tab, THERE)))
        touch.touch("touchEnd")
        tab.until(lambda: tab.session.scene.pointer is None)
        return pulled

    tab.until(pulls)
    # A resting touch repels.
    touch.touch("touchStart", HERE)
    tab.until(lambda: (hand := tab.session.scene.pointer) and hand.mode == "repel")
    touch.touch("touchEnd")
    tab.until(lambda: tab.session.scene.pointer is None)
    # Two touches move and zoom the view, and select nothing when they end.
    zoom, middle = tab.see("camera.zoom"), _world(tab, (470, 330))
    touch.touch("touchStart", (440, 330), (500, 330))
    touch.touch("touchMove", (410, 330), (530, 330))
    touch.touch("touchEnd")
    tab.until(lambda: abs(tab.see("camera.zoom") / zoom - 2) < 0.02)
    assert math.dist(_world(tab, (470, 330)), middle) * zoom < 40
    assert (tab.session.scene.pointer, tab.session.watch.selected) == (None, None)
