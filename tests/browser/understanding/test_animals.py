"""Details of one animal, bodies close up, and the state of a hunter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.engine.reading.surroundings import hunters
from murmura.lab.films.looks import looks
from tests.browser.tab import FILLS, Tab
from tests.view.live import flock

SIZE = looks()["things"]["hunter"]["size"]


def _ecosystem(**values: Any) -> mm.Scenario:
    return mm.load_scenario("arms-race").with_values({"agents": 14} | values)


def _sights(simulation: mm.Simulation) -> np.ndarray:
    """How far each animal sees by its genes [u]."""
    genome, state = simulation.scenario.rules.genome, simulation.state
    more = genome.eye_vision * state["part_eye"] + genome.antenna_vision * state["part_antenna"]
    reach = np.maximum(genome.least_vision, genome.max_vision * state["gene_vision"] * (1.0 + more))
    return np.minimum(reach, simulation.scenario.perception.radius)


def test_the_selected_animal_shows_its_life_and_its_actual_sight(tab: Tab) -> None:
    simulation = tab.still(_ecosystem(**{"rules.genome.max_vision": 100.0}))
    tab.send("step", count=3)
    tab.until(lambda: simulation.step_count == 3)
    tab.send("select", id=2)
    told = simulation.explain(2)
    story = tab.page.get_by_role("region", name="Selected agent")
    tab.until(lambda: "Agent 2" in story.inner_text())
    text = story.inner_text()
    assert told["stance"]["reason"] in text and told["state"]["gender"] in text
    assert f"Energy\n{told['state']['energy']:.3g}" in text and "Health\n1" in text
    assert "2 eyes" in text and f"Age\n{told['life']['age']:.0f} s" in text
    story.get_by_text("Genes").click()
    assert "Longevity" in story.inner_text()
    sights, zoom = _sights(simulation), tab.see("camera.zoom")
    assert sights.max() < simulation.scenario.perception.radius - 1
    for how in ("stroke", "fill"):  # the circle, and the field of view
        radii = [arc["r"] for arc in tab.drawn()["arcs"] if arc["how"] == how]
        assert min(abs(radius - sights[2] * zoom) for radius in radii) < 0.01


def _lines(tab: Tab) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Where the straight lines of a picture begin and end."""
    return [(tuple(line["from"]), tuple(line["to"])) for line in tab.drawn()["lines"]]


def test_everybodys_sight_is_the_mean_of_its_kind(tab: Tab) -> None:
    """V and N where genes decide how far one sees."""
    simulation = tab.still(
        _ecosystem(**{"rules.genome.max_vision": 100.0, "world.width": 640.0, "world.height": 360.0})
    )
    sights, kinds = _sights(simulation), simulation.state["species_id"]
    reach = np.array([sights[kinds == kind].mean() for kind in range(2)])[kinds]
    tab.until(lambda: (tab.page.evaluate("() => heard.status?.population?.sights") or [])[1:])
    tab.page.keyboard.press("v")
    zoom, places = tab.see("camera.zoom"), tab.screen(simulation.positions)
    cones = [arc for arc in tab.drawn()["arcs"] if arc["how"] == "fill"]
    for place, radius in zip(places, reach * zoom, strict=True):
        [cone] = [arc for arc in cones if np.hypot(arc["x"] - place[0], arc["y"] - place[1]) < 0.5]
        assert abs(cone["r"] - radius) < 0.01
    tab.page.keyboard.press("v")
    others = _lines(tab)  # of food
    tab.page.keyboard.press("n")
    world = simulation.scenario.world
    size = np.array([world.width, world.height])
    ways = simulation.positions[None, :] - simulation.positions[:, None]
    gaps = np.linalg.norm(ways - size * np.round(ways / size), axis=2)
    seen = (gaps <= reach[:, None]) & ~np.eye(len(gaps), dtype=bool)
    assert 0 < seen.sum() < np.count_nonzero(gaps <= simulation.scenario.perception.radius) - len(gaps)
    lines = [np.subtract(end, begin) / zoom for begin, end in _lines(tab) if (begin, end) not in others]
    np.testing.assert_allclose(np.sort(np.linalg.norm(lines, axis=1)), np.sort(gaps[seen]), atol=0.05)


def test_mate_and_prey_of_the_chosen_animal_are_named_and_can_be_chosen(tab: Tab) -> None:
    simulation = tab.still(_ecosystem(**{"world.width": 400.0, "world.height": 400.0}))

    def starve_hunters() -> None:
        state = simulation.state.copy()
        state["energy"][state["species_id"] == 1] = 0.5
        simulation.load_state(state)

    tab.inside(starve_hunters)
    tab.send("step", count=4)
    tab.until(lambda: simulation.step_count == 4)
    story = tab.page.get_by_role("region", name="Selected agent")
    for label, column in (("Mate", "target_mate_id"), ("Hunts", "quarry_id")):
        named = simulation.state[column]
        [row, *_] = np.flatnonzero(named >= 0)
        tab.send("select", id=int(simulation.ids[row]))
        tab.until(lambda row=row: f"Agent {simulation.ids[row]} " in story.inner_text())
        other = story.locator("p", has_text=f"{label}: agent {named[row]}")
        other.get_by_role("button").click()
        tab.until(lambda row=row, named=named: tab.see("chosen") == named[row])


def test_bodies_are_drawn_close_up(tab: Tab) -> None:
    simulation = tab.still(_ecosystem())

    def come_to_the_middle() -> None:  # where no panel lies over it
        state = simulation.state.copy()
        state["position_x"][0], state["position_y"][0] = 1000.0, 1000.0
        simulation.load_state(state)

    tab.inside(come_to_the_middle)
    place = tab.screen(simulation.positions[:1])[0]

    def strokes() -> int:
        """How many lines begin near the animal; those of food lie elsewhere."""
        here, reach = tab.screen(simulation.positions[:1])[0], 30.0 * tab.see("camera.zoom")
        return sum(bool(np.hypot(*(begin - here)) < reach) for begin, _ in _lines(tab))

    assert strokes() == 0
    tab.page.mouse.move(*place.tolist())
    tab.page.mouse.wheel(0, -2400)
    tab.until(lambda: tab.session.watch.bodies.window is not None)
    tab.until(lambda: strokes() > 2)  # at least a tail
    tab.until(lambda: any("♂" in text or "♀" in text for text in tab.drawn()["texts"]))
    tab.page.keyboard.press("f")
    tab.still(flock(20))
    tab.until(lambda: tab.session.watch.bodies.window is None)


def test_parts_size_energy_health_and_signs_are_those_of_the_animal(tab: Tab) -> None:
    signs = ["♂", "♂♥", "♀⚔", "♀●", "♀!"]
    states = {
        "gender": [1, 1, 0, 0, 0], "mating_state": [0, 3, 5, 0, 0], "feeding_state": [0, 0, 0, 3, 0],
        "panic_level": [0, 0, 0, 0, 0.9], "energy": [0.4, 1, 1, 1, 1], "health": [0.6, 1, 1, 1, 1],
        "gene_size": [2.25, 1, 1, 1, 1], "part_eye": [4, 0, 0, 0, 0], "part_spike": [2, 0, 0, 0, 0],
        "part_antenna": [1, 0, 0, 0, 0], "stance": [0] * 5,
    }  # fmt: skip
    tab.still(_ecosystem(agents=5, **{"world.width": 400.0, "world.height": 400.0}))

    def set_up() -> None:
        state = tab.simulation.state.copy()
        state["position_x"][:], state["position_y"][:] = 180.0 + 10.0 * np.arange(5), 200.0
        for name, values in states.items():
            state[name][:] = values
        for part in ("fin", "tail", "glow", "shell"):
            state[f"part_{part}"][:] = 0
        tab.simulation.load_state(state)
        tab.session.source.epoch += 1

    tab.inside(set_up)
    tab.shows_now()
    [middle] = tab.screen([[200.0, 200.0]])
    tab.page.mouse.move(*middle.tolist())
    tab.page.mouse.wheel(0, -1200)
    tab.until(lambda: tab.session.watch.bodies.window is not None)
    tab.until(lambda: set(tab.drawn()["texts"]) >= set(signs))
    tab.comes_to_rest()
    drawn = tab.drawn()
    assert sorted(drawn["texts"]) == sorted(signs)
    assert len([arc for arc in drawn["arcs"] if abs(arc["r"] - 0.1) < 1e-6]) == 4  # eyes
    ends = [np.round(line["to"], 2).tolist() for line in drawn["lines"]]
    assert [ends.count([x, side * 0.62]) for x in (0.35, 0.07) for side in (1, -1)] == [1] * 4  # spikes
    assert ends.count([1.5, 0.3]) == 1  # an antenna
    bars = sorted((rect["w"] for rect in drawn["rects"] if rect["h"] == 2.5), reverse=True)
    large, small = bars[0], bars[4]
    # Of the first, energy and health and what lies behind them; the others have all of both.
    assert bars == pytest.approx(
        sorted([large, large, 0.6 * large, 0.4 * large] + [small] * 16, reverse=True)
    )
    assert large / small == pytest.approx(1.5)


def test_a_hunter_shows_its_target_and_its_fright_radius(tab: Tab) -> None:
    hawk = [{"kind": "hawk", "x": 400.0, "y": 400.0, "panic_radius": 90.0}]
    values = {"rules.predators.hunters": hawk, "rules.predators.enabled": True, "rules.fear.enabled": True}
    simulation = tab.still(flock(12, **values))
    tab.until(lambda: "predator" in tab.see("things"))
    for _ in range(40):
        tab.send("step", count=30)
        tab.until(lambda: tab.session.pacing.left == 0)
        [hunter] = hunters(simulation)
        if hunter["target"] is not None:
            break
    tab.until(lambda: tab.see("step") == simulation.step_count)
    ring = hunter["fright"] * tab.see("camera.zoom")
    [at] = tab.screen([[hunter["x"], hunter["y"]]])
    row = simulation.ids.tolist().index(hunter["target"])
    [prey] = tab.screen(simulation.positions[[row]])

    def drawn() -> bool:
        seen = tab.drawn()
        rings = [arc for arc in seen["arcs"] if np.hypot(arc["x"] - at[0], arc["y"] - at[1]) < 1]
        lines = [line for line in seen["lines"] if np.hypot(*(np.array(line["to"]) - prey)) < 1]
        return any(abs(arc["r"] - ring) < 0.5 for arc in rings) and any(
            np.hypot(*(np.array(line["from"]) - at)) < 1 for line in lines
        )

    tab.until(drawn)


def test_a_falcon_that_climbs_casts_its_shadow_farther_away(tab: Tab) -> None:
    falcon = {"kind": "falcon", "x": 800.0, "y": 450.0}
    values = {f"rules.{rule}.enabled": True for rule in ("predators", "fear")}
    simulation = tab.still(flock(12, **values, **{"rules.predators.hunters": [falcon]}))
    tab.page.evaluate(FILLS)
    heights = []
    for goes_to in (40, 80):
        tab.send("step", count=40)
        tab.until(lambda goes_to=goes_to: simulation.step_count == goes_to)
        [bird] = hunters(simulation.reader())
        heights.append(bird["altitude"])
        size = np.clip(SIZE["share"] * tab.see("camera.zoom"), SIZE["least"], SIZE["most"])
        goal = tab.screen([[bird["x"], bird["y"]]])[0] + np.array([0.6, 1.2]) * size * bird["altitude"]

        def falls_there(goal: np.ndarray = goal) -> bool:
            tab.page.evaluate("() => { fills.length = 0; }")
            tab.drawn()
            shadows = [
                at for style, *at in tab.page.evaluate("() => fills") if style == "rgba(0, 0, 0, 0.28)"
            ]
            return bool(shadows) and bool(np.abs(np.subtract(shadows[-1], goal)).max() < 0.5)

        tab.until(falls_there)
    assert 0.02 < heights[0] < 0.8 * heights[1]
