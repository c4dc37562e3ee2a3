"""The shipped scenarios against the tables of the documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import murmura as mm
from murmura.rules.life.panic import Threat
from murmura.scenario.files import scenario_titles, scenarios_in_space

NAMES = mm.scenario_names()

# Document 002's presets and seven more:
# size, max speed, max force, perception, separation radius, align, cohere, separate, field of view, glow.
PRESETS = {
    "starlings": (1.0, 15, 0.5, 50, 25, 1.0, 1.0, 1.5, 270, 0),
    "insects": (0.5, 25, 1.2, 30, 15, 0.5, 1.5, 2.0, 360, 0),
    "fish": (0.8, 10, 0.3, 60, 20, 1.5, 1.2, 1.0, 300, 0),
    "bats": (1.2, 20, 0.8, 40, 30, 0.8, 0.6, 2.0, 180, 0),
    "fireflies": (0.6, 5, 0.2, 80, 40, 0.3, 0.5, 1.0, 360, 0.8),
    "ants": (0.4, 8, 0.6, 25, 8, 0.3, 2.5, 2.5, 90, 0),
    "locusts": (0.7, 30, 1.5, 35, 10, 1.8, 2.0, 0.5, 360, 0),
    "jellyfish": (1.5, 3, 0.1, 100, 50, 0.2, 0.3, 0.8, 360, 0.6),
    "sparrows": (0.9, 18, 0.7, 45, 20, 0.6, 0.8, 1.8, 270, 0),
    "plankton": (0.3, 6, 0.8, 15, 12, 0.1, 0.4, 3.0, 360, 0),
    "herring": (0.7, 12, 0.4, 70, 15, 1.8, 1.4, 1.2, 300, 0),
}


def test_the_promised_scenarios_are_shipped() -> None:
    assert {"classic", "roadmap", "mixed", *PRESETS} <= set(NAMES)
    assert sorted(NAMES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_says_what_it_shows(name: str) -> None:
    scenario = mm.load_scenario(name)
    assert scenario.name == name
    assert len(scenario.title) > 20
    assert scenario.title.endswith(".")
    assert scenario_titles()[name] == scenario.title
    assert (name in scenarios_in_space()) == (scenario.world.depth is not None)


# S4-71
@pytest.mark.parametrize("suffix", [".json", ".toml"])
@pytest.mark.parametrize("name", NAMES)
def test_saving_and_loading_loses_nothing(name: str, suffix: str, tmp_path: Path) -> None:
    scenario = mm.load_scenario(name)
    mm.save_scenario(scenario, tmp_path / f"copy{suffix}")
    again = mm.load_scenario(tmp_path / f"copy{suffix}")
    assert again == scenario
    assert again.model_dump() == scenario.model_dump()


# S2-40…S2-48, S2-59…S2-63
@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_the_numbers_of_the_table(name: str) -> None:
    s = mm.load_scenario(name)
    r = s.rules
    found = (
        s.display.size, s.motion.max_speed, s.motion.max_force, s.perception.radius, r.separation.radius,
        r.alignment.weight, r.cohesion.weight, r.separation.weight, s.perception.field_of_view, s.display.glow,
    )  # fmt: skip
    assert found == PRESETS[name]
    assert s.motion.policy == "capped"
    assert s.motion.velocity_unit == "second"
    assert s.motion.time_step == 1 / 60
    assert s.world.boundary == "soft"
    # Document 002's formulas: 1/d² for separation, 1 - d/R for the others, weaker cohesion in a crowd.
    assert r.separation.falloff == "inverse_square"
    assert r.alignment.weighting == "linear"
    assert r.cohesion.weighting == "linear"
    assert (r.cohesion.density_adaptation, r.cohesion.crowd, r.cohesion.crowd_floor) == (True, 20, 0.3)


# S0-52, S2-20
@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_the_printed_edge(name: str) -> None:
    s = mm.load_scenario(name)
    height = s.world.height
    margin, force = s.rules.boundary.margin, s.rules.boundary.force
    # Alone, at rest and with weak wishes: in a corner that an ellipse would push it out of, and in one margin, and two.
    places = [
        (1.6 * margin, 1.6 * margin),
        (0.25 * margin, height / 2),
        (0.5 * margin, height - 0.75 * margin),
    ]
    pushes = [(0.0, 0.0), (0.75 * force, 0.0), (0.5 * force, -0.25 * force)]
    for place, push in zip(places, pushes, strict=True):
        sim = mm.Simulation(s, seed=1, backend="reference", positions=[place], velocities=[(0.0, 0.0)])
        assert sim.explain(0)["rules"]["boundary"]["force"] == pytest.approx(push, abs=1e-6)


@pytest.mark.parametrize(
    ("round_one", "preset"),
    [("starling-bowl", "starlings"), ("fish-bowl", "fish"), ("herring-bowl", "herring")],
)
def test_bowls_are_presets_with_an_elliptic_edge(round_one: str, preset: str) -> None:
    found, printed = mm.load_scenario(round_one), mm.load_scenario(preset)
    edge = printed.with_values({"rules.boundary.shape": "ellipse"})
    assert found == edge.model_copy(update={"name": found.name, "title": found.title})
    assert f"The {preset} preset" in found.title


# S2-39, decision 41
@pytest.mark.parametrize("name", ["starlings", "insects", "fish", "fireflies", "locusts"])
def test_presets_of_document_002_have_its_number_of_birds(name: str) -> None:
    assert mm.load_scenario(name).agents == 2000


# S2-39, S2-49…S2-56, S2-58, S0-23
def test_starlings_are_document_002s_configuration_table() -> None:
    s = mm.load_scenario("starlings")
    assert s.agents == 2000
    assert (s.rules.boundary.enabled, s.rules.boundary.margin, s.rules.boundary.force) == (True, 100, 0.8)
    assert mm.Clock(mm.Simulation(s.with_values({"agents": 1}), backend="reference")).speed == 1.0
    assert (s.rules.noise.enabled, s.rules.noise.strength, s.rules.noise.wander) == (True, 0.05, 0.1)
    assert (s.rules.energy.enabled, s.rules.energy.decay, s.rules.energy.min_speed) == (False, 0.02, 0.3)
    assert (s.rules.wind.speed, s.rules.wind.direction, s.rules.wind.turbulence) == (0, 0, 0.3)
    # What neighbours catch is half of panicDecay, 0.95; a predator frightens within 150.
    assert s.rules.fear.spread == pytest.approx(0.95 * 0.5)
    assert Threat(x=0.0, y=0.0).radius == 150


# S1-4…S1-7, S1-15
def test_classic_is_document_001_to_the_letter() -> None:
    s = mm.load_scenario("classic")
    assert s.motion.policy == "capped"
    assert s.motion.max_speed > 0
    assert 0 < s.motion.max_force < s.motion.max_speed
    assert (s.rules.separation.radius, s.perception.radius) == (25, 50)
    assert s.rules.alignment.radius in (None, 50)
    assert s.rules.cohesion.radius in (None, 50)
    # One step per frame, neighbours all around, 1/d, plain means, no clamp on the sum, and edges that wrap.
    assert s.motion.velocity_unit == "tick"
    assert s.motion.clamp_total is False
    assert s.perception.field_of_view == 360
    assert (s.rules.separation.falloff, s.rules.separation.response) == ("inverse", "steer")
    assert s.rules.alignment.weighting == s.rules.cohesion.weighting == "uniform"
    assert s.world.boundary == "wrap"
    assert _active(s) == {"separation", "alignment", "cohesion"}


# S4-1, S4-2, S4-42, S4-65…S4-68, S4-74
def test_roadmap_has_document_004s_starting_values() -> None:
    s = mm.load_scenario("roadmap")
    assert (s.motion.policy, s.motion.velocity_unit, s.motion.speed) == ("constant", "tick", 1.0)
    assert 6 <= s.perception.radius <= 10
    assert 2 <= s.rules.separation.radius <= 3
    assert 1.5 <= s.rules.separation.weight <= 2.0
    assert s.rules.alignment.weight == s.rules.cohesion.weight == 1.0
    assert s.rules.separation.weight > s.rules.alignment.weight
    assert 0.05 <= s.motion.max_force / s.motion.speed <= 0.2
    assert s.motion.clamp_total is True
    assert s.perception.field_of_view == 270
    assert (s.rules.separation.falloff, s.rules.separation.response) == ("inverse", "push")
    assert s.rules.alignment.weighting == s.rules.cohesion.weighting == "uniform"
    assert s.world.boundary == "wrap"
    assert _active(s) == {"separation", "alignment", "cohesion"}


def test_mixed_has_species_that_flock_keep_apart_flee_and_chase() -> None:
    s = mm.load_scenario("mixed")
    wanted = {
        word
        for kind in s.species
        for word in kind.towards.values()
        if isinstance(word, str) and word in ("flock", "separate", "avoid", "flee", "chase")
    }
    assert wanted == {"flock", "separate", "avoid", "flee", "chase"}


def test_couzin_in_space_has_the_papers_numbers() -> None:
    s = mm.load_scenario("couzin-space")
    zones = s.rules.zones
    assert (s.agents, s.motion.policy, s.motion.speed, s.motion.time_step) == (100, "constant", 3, 0.1)
    assert (zones.repulsion, zones.blind_angle, zones.turning_rate, zones.noise) == (1, 90, 40, 0.05)
    assert s.world.dimension == 3
    assert _active(s) == {"zones"}


def test_stardisplay_has_the_papers_numbers() -> None:
    s = mm.load_scenario("stardisplay")
    star, wings = s.rules.stardisplay, s.rules.banking
    assert s.motion.time_step == 0.005
    assert (star.mass, star.separation, star.cohesion, star.alignment) == (0.08, 1.0, 1.0, 0.5)
    assert (star.neighbors, star.widest_range, star.adjustment, star.randomness) == (6.5, 100.0, 0.1, 0.01)
    assert (star.body, star.softness, star.separation_radius, star.blind_angle) == (0.2, 1.37, 4.0, 90.0)
    assert (star.roost_radius, star.roost_turning) == (150.0, 0.01)
    assert (s.rules.cruise.speed, s.rules.cruise.relaxation) == (10.0, 1.0)
    assert (wings.cruise_speed, wings.lift_to_drag, wings.roll_out) == (10.0, 3.3, 1.0)
    assert wings.roll_in == pytest.approx(10.0 * star.mass)  # 10 per newton
    assert _active(s) == {"stardisplay", "cruise", "banking"}


def test_midges_stay_together_without_order_and_more_alignment_orders_them() -> None:
    sim = mm.Simulation("midges", seed=1, backend="cpu", threads=1)
    found = {}
    for weight in (0.08, 0.5):
        sim.retune({"rules.alignment.weight": weight})
        sim.step(900)
        found[weight] = mm.measure_flock(sim.flock(), ("polarization", "largest_group"))
    assert found[0.08]["polarization"] < 0.4 and found[0.5]["polarization"] > 0.6
    assert found[0.08]["largest_group"] > 250


@pytest.mark.parametrize("name", ["couzin-space", "midges", "murmuration", "school", "stardisplay"])
def test_worlds_in_space_run_on_the_reference(name: str) -> None:
    sim = mm.Simulation(mm.load_scenario(name).with_values({"agents": 8}), seed=2, backend="reference")
    sim.step(30)
    assert np.isfinite(sim.positions).all() and np.isfinite(sim.velocities).all()
    assert (sim.positions >= 0.0).all() and (sim.positions <= sim.scenario.world.sides).all()
    assert sim.positions[:, 2].std() > 0.0


def _active(scenario: mm.Scenario) -> set[str]:
    """Rules that are enabled and have something to act on in this scenario."""
    idle = {"boundary", "avoid_obstacles", "attractors", "flee", "chase"}
    assert not scenario.obstacles
    assert not scenario.species
    assert not scenario.rules.attractors.points
    return {name for name, rule in scenario.rules if rule.enabled} - idle
