"""Objects placed by users are all in the scenario."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.engine.census import hunting_species
from murmura.engine.reading.surroundings import hunters
from murmura.view.playback.replay import read_record, replay
from murmura.view.session.editing.placement import hunters_to_place
from murmura.view.session.scene import Scene
from tests.view.live import flock


def _scene(scenario: mm.Scenario | None = None) -> Scene:
    return Scene(scenario or flock(20), 3, "reference")


def _place(scene: Scene, kind: str, **values: object) -> None:
    scene.carry_out({"type": "place", "kind": kind, **values})


def test_attractors_and_repulsors_stay_move_and_go():
    scene = _scene()
    _place(scene, "attractor", x=100, y=200, strength=3.0)
    _place(scene, "attractor", x=700, y=200, strength=-4.0)
    points = scene.scenario.rules.attractors.points
    assert [(p.x, p.y, p.strength) for p in points] == [(100, 200, 3.0), (700, 200, -4.0)]
    assert scene.scenario.rules.attractors.enabled
    scene.carry_out({"type": "move", "kind": "attractor", "x": 690, "y": 205, "to_x": 740, "to_y": 305})
    assert [(p.x, p.y) for p in scene.scenario.rules.attractors.points] == [(100, 200), (750, 300)]
    scene.carry_out({"type": "erase", "kind": "attractor", "x": 120, "y": 200})
    assert [(p.x, p.y) for p in scene.scenario.rules.attractors.points] == [(750, 300)]
    assert mm.Scenario.from_data(scene.scenario.model_dump(mode="json")) == scene.scenario


def test_obstacles_and_food_move():
    scene = _scene(mm.load_scenario("feeding-grounds").with_values({"agents": 20}))
    known = len(scene.scenario.rules.feeding.sources)
    _place(scene, "food", x=300, y=300)
    scene.carry_out({"type": "move", "kind": "food", "x": 300, "y": 300, "to_x": 350, "to_y": 320})
    source = scene.scenario.rules.feeding.sources[-1]
    assert len(scene.scenario.rules.feeding.sources) == known + 1 and (source.x, source.y) == (350, 320)
    scene.carry_out({"type": "load", "scenario": flock(20).model_dump(mode="json")})
    _place(scene, "circle", x=100, y=100, radius=20)
    _place(scene, "wall", points=[[400, 400], [500, 400]])
    scene.carry_out({"type": "move", "kind": "wall", "x": 450, "y": 400, "to_x": 460, "to_y": 440})
    circle, wall = scene.scenario.obstacles
    assert (circle.x, circle.y) == (100, 100)
    assert [tuple(p) for p in wall.points] == [(410, 440), (510, 440)]


def test_a_hunter_is_taken_away_where_it_is_now():
    scene = _scene()
    for x in (200.0, 1400.0):
        _place(scene, "predator", x=x, y=450.0, species="owl")
    scene.step(5)
    near = hunters(scene.simulation)[1]
    scene.carry_out({"type": "erase", "kind": "predator", "x": near["x"], "y": near["y"]})
    [left] = scene.scenario.rules.predators.hunters
    assert (left.kind, left.x) == ("owl", 200.0)
    scene.carry_out({"type": "erase", "kind": "predator", "x": 0, "y": 0})
    assert not scene.scenario.rules.predators.enabled


def test_in_an_ecosystem_a_predator_of_its_own_joins_with_genes():
    scenario = mm.load_scenario("ecosystem")
    [number] = hunting_species(scenario)
    name = scenario.species_names()[number]
    assert hunters_to_place(scenario)[0] == name
    scene = _scene(scenario)
    simulation = scene.simulation
    before = simulation.ids.max()
    _place(scene, "predator", x=120.0, y=80.0, species=name)
    row = int(np.argmax(simulation.ids))
    assert simulation.ids[row] > before
    assert simulation.positions[row] == pytest.approx((120.0, 80.0))
    assert simulation.state["species_id"][row] == number
    assert 0.0 < simulation.state["gene_speed"][row] <= 1.0
    assert scene.scenario == scenario  # nothing was restarted
    count = simulation.agent_count
    scene.carry_out({"type": "erase", "kind": "predator", "x": 120.0, "y": 80.0})
    assert simulation.agent_count == count - 1


def test_what_was_placed_is_played_again_to_the_same_bits(tmp_path: Path):
    scene = _scene()
    _place(scene, "attractor", x=100, y=200, strength=3.0)
    scene.step(4)
    _place(scene, "predator", x=500, y=300, species="hawk")
    scene.step(4)
    scene.carry_out({"type": "move", "kind": "attractor", "x": 100, "y": 200, "to_x": 300, "to_y": 220})
    scene.step(4)
    scene.carry_out({"type": "erase", "kind": "predator", "x": 500, "y": 300})
    scene.step(2)
    (tmp_path / "actions.json").write_text(json.dumps(scene.record()))
    replay(read_record(tmp_path / "actions.json"), "reference")  # fails if the final hash differs


def test_what_cannot_be_placed_is_refused():
    scene = _scene()
    for message in (
        {"type": "place", "kind": "attractor", "x": 1, "y": 1},
        {"type": "place", "kind": "predator", "x": 1, "y": 1, "species": "dragon"},
        {"type": "move", "kind": "predator", "x": 1, "y": 1, "to_x": 2, "to_y": 2},
        {"type": "erase", "kind": "dragon", "x": 1, "y": 1},
    ):
        with pytest.raises(ScenarioError):
            scene.carry_out(message)
    assert scene.scenario == flock(20)


def test_numbers_and_wishes_of_species_change_while_the_flock_flies(tmp_path: Path):
    kinds = [{"name": "a"}, {"name": "b"}]
    scene = _scene(flock(20).with_values({"species": kinds}))
    scene.step(3)
    slow = [{"name": "a", "values": {"motion.max_speed": 0.5}, "towards": {"b": "flee"}}, {"name": "b"}]
    scene.carry_out({"type": "set", "values": {"species": slow}})
    assert (scene.simulation.step_count, scene.epoch) == (3, 1)
    scene.step(200)
    speeds = np.hypot(*scene.simulation.velocities.T)
    slow_ones = scene.simulation.state["species_id"] == 0
    assert speeds[slow_ones].max() <= 0.5 + 1e-5 < speeds[~slow_ones].max()
    file = tmp_path / "actions.json"
    file.write_text(json.dumps(scene.record()))
    record = read_record(file)
    assert record.total_steps == 203
    assert replay(record).simulation.step_count == 203
    scene.carry_out({"type": "set", "values": {"species": [{"name": "a", "share": 3}, {"name": "b"}]}})
    assert scene.simulation.step_count == 0  # other shares need a new flock
