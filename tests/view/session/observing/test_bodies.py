"""Details of animals close up, and their sight, against given columns and formulas."""

from __future__ import annotations

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.view.session.observing.bodies import MOST_BODIES, NOBODY_SEEN, BodyObserver
from murmura.view.session.observing.eyesight import mean_sights, sight
from murmura.view.session.observing.observer import inspect
from tests.view.live import flock


def test_those_in_the_rectangle_are_told_with_their_bodies():
    sim = mm.Simulation(mm.load_scenario("arms-race").with_values({"agents": 40}), 3, "reference")
    x = sim.positions[:, 0]
    observer = BodyObserver()
    observer.ask({"left": 0, "top": 0, "right": float(np.median(x)), "bottom": 1e6})
    observer.observe(sim)
    inside = np.flatnonzero(x <= np.median(x))
    told = observer.seen["agents"]
    assert [one["row"] for one in told] == inside.tolist()
    assert [one["part_eye"] for one in told] == sim.state["part_eye"][inside].tolist()
    assert {"gender", "energy", "health", "stance", "gene_size"} <= set(told[0])
    observer.ask({"left": None})
    assert observer.seen is NOBODY_SEEN and observer.window is None


def test_in_space_a_window_has_heights():
    sim = mm.Simulation(flock(40, **{"world.depth": 300.0}), 3, "reference")
    everywhere = {"left": -1e6, "top": -1e6, "right": 1e6, "bottom": 1e6}
    z = sim.positions[:, 2]
    observer = BodyObserver()
    for heights, inside in (({}, z < 1e9), ({"low": 100, "high": 200}, (z >= 100) & (z <= 200))):
        observer.ask({**everywhere, **heights})
        observer.observe(sim)
        assert [one["row"] for one in observer.seen["agents"]] == np.flatnonzero(inside).tolist()
    assert 0 < inside.sum() < 40
    with pytest.raises(ScenarioError, match="low must be at most high"):
        observer.ask({**everywhere, "low": 2, "high": 1})


def test_no_more_are_told_than_can_be_looked_at_and_nonsense_is_refused():
    sim = mm.Simulation(flock(MOST_BODIES + 20), 3, "reference")
    observer = BodyObserver()
    observer.ask({"left": -1e6, "top": -1e6, "right": 1e6, "bottom": 1e6})
    observer.observe(sim)
    assert len(observer.seen["agents"]) == MOST_BODIES
    with pytest.raises(ScenarioError, match="left must be at most right"):
        observer.ask({"left": 2, "top": 0, "right": 1, "bottom": 1})
    with pytest.raises(ScenarioError, match="top"):
        observer.ask({"left": 0, "top": "0", "right": 1, "bottom": 1})


def test_a_genome_sees_as_far_as_its_eyes():
    sim = mm.Simulation(mm.load_scenario("ecosystem").with_values({"agents": 30}), 3, "reference")
    state, genome = sim.state, sim.scenario.rules.genome
    bonus = 1.0 + genome.eye_vision * state["part_eye"] + genome.antenna_vision * state["part_antenna"]
    expected = np.clip(genome.max_vision * state["gene_vision"] * bonus, genome.least_vision, 150.0)
    found = [inspect(sim, int(i))["perception"]["radius"] for i in sim.ids[:8]]
    assert found == pytest.approx(expected[:8], rel=1e-5)
    assert expected[:8].min() < 149.0  # it is not the species' radius
    means = mean_sights(sim.scenario, {name: state[name] for name in state.columns})
    kinds = [expected[state["species_id"] == k].mean() for k in range(5)]
    assert means == pytest.approx(kinds, rel=1e-5)
    assert sight(flock(3), {}) == flock(3).perception.radius
