"""Separation, alignment and cohesion in all variants, against the documents' loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from murmura import Simulation
from murmura.scenario import load_scenario
from tests.rules import oracle
from tests.rules.scenes import MAX_FORCE, MAX_SPEED, close, make_flock, make_scenario, place, rule_forces

WORLDS = [{"boundary": "wrap"}, {"boundary": "open"}]
VIEWS = [{"field_of_view": 270.0}, {"field_of_view": 360.0}]


@pytest.mark.parametrize("view", VIEWS, ids=["270", "360"])
@pytest.mark.parametrize("world", WORLDS, ids=["wrap", "open"])
@pytest.mark.parametrize("response", ["steer", "push"])
@pytest.mark.parametrize("falloff", ["inverse", "inverse_square"])
def test_separation(falloff: str, response: str, world: dict[str, Any], view: dict[str, Any]) -> None:
    # S0-39…S0-41, S1-6, S1-10, S2-33, S3-1, S4-21
    rule = {"radius": 20.0, "weight": 0.375, "falloff": falloff, "response": response}
    sim = make_flock(make_scenario({"separation": rule}, world=world, perception=view))
    expected = np.array(oracle.separation(sim))
    assert 20 < np.count_nonzero(expected.any(axis=1)) < 60
    close(rule_forces(sim, "separation"), expected)


def test_the_two_falloffs_differ() -> None:
    # S0-40 against S1-10, S3-1
    near_and_far = [[100.0, 80.0], [104.0, 80.0], [100.0, 96.0]]
    directions = {}
    for falloff in ("inverse", "inverse_square"):
        sim = place(make_scenario({"separation": {"radius": 20.0, "falloff": falloff}}), near_and_far)
        fx, fy = rule_forces(sim, "separation")[0]
        directions[falloff] = fy / fx
    assert directions["inverse"] == pytest.approx(4.0 / 16.0)
    assert directions["inverse_square"] == pytest.approx((4.0 / 16.0) ** 2)


def test_push_ignores_velocity_and_its_weight_comes_after_the_limit() -> None:
    # S4-21, decision 29
    places, velocities = [[100.0, 80.0], [104.0, 80.0]], [[2.0, 0.0], [-2.0, 0.0]]
    push = place(
        make_scenario({"separation": {"radius": 8.0, "weight": 0.25, "response": "push"}}), places, velocities
    )
    close(rule_forces(push, "separation"), [[-0.25 * MAX_FORCE, 0.0], [0.25 * MAX_FORCE, 0.0]])
    heavy = place(
        make_scenario({"separation": {"radius": 8.0, "weight": 1.75, "response": "push"}}), places, velocities
    )
    close(rule_forces(heavy, "separation"), [[-1.75 * MAX_FORCE, 0.0], [1.75 * MAX_FORCE, 0.0]])


@pytest.mark.parametrize("falloff", ["inverse", "inverse_square"])
def test_separation_at_the_radius_and_at_no_distance(falloff: str) -> None:
    # S0-39 with decision 5: the radius itself counts, a distance of 0 does not
    scenario = make_scenario({"separation": {"radius": 16.0, "weight": 1.0, "falloff": falloff}})
    assert rule_forces(place(scenario, [[100.0, 80.0], [116.0, 80.0]]), "separation").any(axis=1).all()
    assert not rule_forces(place(scenario, [[100.0, 80.0], [116.001, 80.0]]), "separation").any()
    assert not rule_forces(place(scenario, [[100.0, 80.0], [100.0, 80.0]]), "separation").any()


def test_pushes_that_cancel_give_no_force() -> None:
    # S0-41, S1-11: not even a braking force
    sim = place(
        make_scenario({"separation": {"radius": 16.0}}, perception={"field_of_view": 360.0}),
        [[100.0, 80.0], [108.0, 80.0], [92.0, 80.0]],
        [[3.0, 1.0]] * 3,
    )
    assert rule_forces(sim, "separation")[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("view", VIEWS, ids=["270", "360"])
@pytest.mark.parametrize("world", WORLDS, ids=["wrap", "open"])
@pytest.mark.parametrize("radius", [None, 20.0])
@pytest.mark.parametrize("weighting", ["uniform", "linear"])
@pytest.mark.parametrize("name", ["alignment", "cohesion"])
def test_alignment_and_cohesion(
    name: str, weighting: str, radius: float | None, world: dict[str, Any], view: dict[str, Any]
) -> None:
    # S0-34, S0-35, S0-36, S0-38, S1-7, S1-12, S1-13, S2-31, S2-32, S3-2, S3-3, S3-5, S4-25, S4-28
    rule = {"radius": radius, "weight": 0.75, "weighting": weighting}
    sim = make_flock(make_scenario({name: rule}, world=world, perception=view), seed=2)
    expected = np.array(getattr(oracle, name)(sim))
    assert np.count_nonzero(expected.any(axis=1)) > 30
    close(rule_forces(sim, name), expected)


def test_near_neighbours_count_more_with_linear_weights() -> None:
    # S0-34: at 8 and 24 of 32 units they weigh 3/4 and 1/4
    places, velocities = [[100.0, 80.0], [108.0, 80.0], [124.0, 80.0]], [[0.0, 0.0], [0.0, 4.0], [4.0, 0.0]]
    sim = place(make_scenario({"alignment": {"weighting": "linear"}}), places, velocities)
    close(rule_forces(sim, "alignment")[0], np.array([1.0, 3.0]) / math.sqrt(10.0) * MAX_FORCE)
    sim = place(make_scenario({"alignment": {"weighting": "uniform"}}), places, velocities)
    close(rule_forces(sim, "alignment")[0], np.array([1.0, 1.0]) / math.sqrt(2.0) * MAX_FORCE)


@pytest.mark.parametrize("name", ["alignment", "cohesion", "separation"])
def test_without_neighbours_there_is_no_force(name: str) -> None:
    # S4-27, S0-35
    sim = place(make_scenario({name: {}}), [[100.0, 80.0], [200.0, 20.0]], [[3.0, 1.0]] * 2)
    assert not rule_forces(sim, name).any()


def test_weightless_neighbours_do_not_align() -> None:
    # S0-35: at exactly the radius a linear weight is 0, and so is their sum
    sim = place(
        make_scenario({"alignment": {"weighting": "linear"}}),
        [[100.0, 80.0], [132.0, 80.0]],
        [[3.0, 0.0], [0.0, 3.0]],
    )
    assert sim.neighbors(0).tolist() == [1]
    assert rule_forces(sim, "alignment")[0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("own", [True, False], ids=["own radius", "perception"])
@pytest.mark.parametrize("name", ["alignment", "cohesion"])
def test_at_exactly_the_radius_a_linear_weight_is_zero_in_single_precision_too(
    name: str, own: bool, backend: str
) -> None:
    # S0-34, S0-35: a weight of a millionth, of either sign, would become a full force
    for radius in (25.0, 30.0, 35.0, 40.0, 50.0, 60.0, 70.0, 80.0):
        rule = {"weighting": "linear"} | ({"radius": radius} if own else {})
        view = {"radius": 80.0 if own else radius, "field_of_view": 360.0}
        world = {"width": 512.0, "height": 512.0}
        scenario = make_scenario({name: rule}, world=world, perception=view)
        for way in ((radius, 0.0), (0.0, radius), (0.6 * radius, 0.8 * radius), (-radius, 0.0)):
            sim = Simulation(
                scenario,
                backend=backend,
                positions=[[256.0, 256.0], [256.0 + way[0], 256.0 + way[1]]],
                velocities=[[2.0, 0.0], [0.0, 2.0]],
            )
            sim.step()
            assert not sim.forces.any(), (radius, way)


def test_every_rule_has_a_radius_of_its_own() -> None:
    # S3-5, S1-6, S1-7
    rules = {"separation": {"radius": 8.0}, "alignment": {"radius": 16.0}, "cohesion": {"radius": 24.0}}
    sim = place(
        make_scenario(rules),
        [[100.0, 80.0]] + [[100.0 + d, 80.0] for d in (7.0, 15.0, 23.0, 31.0)],
        [[1.0, 0.0]] * 5,
    )
    used = {name: part["neighbors"] for name, part in sim.explain(0)["rules"].items()}
    assert used == {"separation": [1], "alignment": [1, 2], "cohesion": [1, 2, 3]}
    assert sim.neighbors(0).tolist() == [1, 2, 3, 4]


def test_cohesion_works_across_the_edge_of_a_torus() -> None:
    # S1-13, S3-3, S3-43, S3-44 with decision 16: the mean of raw coordinates would point the other way
    sim = place(make_scenario({"cohesion": {}}), [[236.0, 156.0], [4.0, 4.0], [12.0, 4.0]])
    direction = np.array([12.0, 8.0])
    close(rule_forces(sim, "cohesion")[0], direction / np.hypot(*direction) * MAX_FORCE)


@pytest.mark.parametrize(
    ("count", "factor"), [(1, 0.95), (4, 0.8), (10, 0.5), (13, 0.35), (14, 0.3), (25, 0.3)]
)
def test_a_crowd_attracts_less(count: int, factor: float) -> None:
    # S0-37 with decision 10: max(0.3, 1 - n/20) on the force
    crowd = [[100.0, 80.0]] + [[110.0 + 0.5 * k, 80.0] for k in range(count)]
    sim = place(make_scenario({"cohesion": {"density_adaptation": True}}), crowd)
    assert len(sim.neighbors(0)) == count
    close(rule_forces(sim, "cohesion")[0], [factor * MAX_FORCE, 0.0])


@pytest.mark.parametrize("coincident", [True, False])
def test_a_neighbour_at_the_same_place_aligns_or_not(coincident: bool) -> None:
    # S3-2: 0 < d < alignmentRadius
    places, velocities = [[100.0, 80.0], [100.0, 80.0], [110.0, 80.0]], [[0.0, 0.0], [0.0, 4.0], [4.0, 0.0]]
    sim = place(make_scenario({"alignment": {"coincident": coincident}}), places, velocities)
    wanted = np.array([1.0, 1.0 if coincident else 0.0])
    close(rule_forces(sim, "alignment")[0], wanted / np.hypot(*wanted) * MAX_FORCE)


@pytest.mark.parametrize("weighting", ["uniform", "linear"])
def test_cohesion_in_crowds(weighting: str) -> None:
    # S0-36…S0-38, S2-32
    rule = {"density_adaptation": True, "weighting": weighting, "weight": 1.25}
    sim = make_flock(make_scenario({"cohesion": rule}), seed=3, count=150)
    counts = [len(sim.neighbors(k)) for k in range(150)]
    assert min(counts) < 8
    assert max(counts) > 14
    close(rule_forces(sim, "cohesion"), oracle.cohesion(sim))


def test_document_001_reads_as_the_classic_scenario() -> None:
    # S1-4…S1-7
    classic = load_scenario("classic")
    assert classic.rules.separation.radius == 25.0
    assert classic.perception.radius == 50.0
    assert classic.rules.alignment.radius is classic.rules.cohesion.radius is None
    assert classic.rules.separation.falloff == "inverse"
    sim = make_flock(make_scenario({"alignment": {}}, motion={"max_speed": 4.0, "max_force": 0.25}), seed=4)
    forces = rule_forces(sim, "alignment")
    close(forces, oracle.alignment(sim))
    assert np.hypot(*forces.T).max() == pytest.approx(0.25)


EARLY = {"separation": {"priority": "early_exit", "exit_distance": 6.0, "radius": 16.0, "weight": 0.75}}
BOTH = {"alignment": {"weight": 0.5}, "cohesion": {"weight": 0.25}}


def test_early_exit_silences_the_others() -> None:
    # S4-24
    places = [[100.0, 80.0], [106.0, 80.0], [100.0, 92.0], [200.0, 80.0], [206.5, 80.0]]
    velocities = [[0.0, 2.0], [2.0, 2.0], [1.0, -2.0], [0.0, 2.0], [2.0, 2.0]]
    sim = place(make_scenario(EARLY | BOTH, perception={"field_of_view": 360.0}), places, velocities)
    alone = np.array(oracle.separation(sim))
    together = alone + oracle.alignment(sim) + oracle.cohesion(sim)
    close(rule_forces(sim, "separation"), alone)
    sim.step()
    for k, very_near in enumerate([True, True, False, False, False]):  # exactly 6 counts, 6.5 does not
        close(sim.forces[k], oracle.limited(tuple((alone if very_near else together)[k]), MAX_FORCE))


def test_early_exit_shows_in_the_shares() -> None:
    # S4-24
    places, velocities = [[100.0, 80.0], [104.0, 80.0]], [[0.0, 2.0], [2.0, 2.0]]
    sim = place(make_scenario(EARLY | BOTH), places, velocities)
    assert rule_forces(sim, "separation").any(axis=1).all()
    assert not rule_forces(sim, "alignment").any()
    assert not rule_forces(sim, "cohesion").any()


def test_priority_by_weight_keeps_all_three() -> None:
    # S4-24
    places, velocities = [[100.0, 80.0], [104.0, 80.0]], [[0.0, 2.0], [2.0, 2.0]]
    by_weight = EARLY["separation"] | {"priority": "weight", "weight": 3.0}
    sim = place(make_scenario(BOTH | {"separation": by_weight}), places, velocities)
    assert rule_forces(sim, "alignment").any(axis=1).all()
    assert rule_forces(sim, "separation")[0][0] < -rule_forces(sim, "cohesion")[0][0]


def test_somebody_in_the_same_place_does_not_silence_the_others() -> None:
    # S4-24, S0-39
    sim = place(make_scenario(EARLY | BOTH), [[100.0, 80.0], [100.0, 80.0]], [[0.0, 2.0], [2.0, 2.0]])
    assert rule_forces(sim, "alignment").any(axis=1).all()


@pytest.mark.parametrize("name", ["separation", "alignment", "cohesion"])
def test_attention_weighs_neighbours_by_angle(name: str) -> None:
    # S4-20: one neighbour straight ahead counts 1, one abeam 0.625, one straight behind 0.25
    scenario = make_scenario({name: {}}, perception={"field_of_view": 360.0, "rear_attention": 0.25})
    places = [[100.0, 80.0], [116.0, 80.0], [100.0, 96.0], [84.0, 80.0]]
    velocities = [[4.0, 0.0], [1.0, 2.0], [-2.0, 1.0], [3.0, -1.0]]
    sim = place(scenario, places, velocities)
    weights = np.array([1.0, 0.625, 0.25])
    ways = np.array([[16.0, 0.0], [0.0, 16.0], [-16.0, 0.0]])
    wanted = {"separation": -ways, "alignment": np.array(velocities[1:]), "cohesion": ways}[name]
    total = weights @ wanted
    expected = oracle.limited(tuple(total / np.hypot(*total) * MAX_SPEED - velocities[0]), MAX_FORCE)
    weight = getattr(scenario.rules, name).weight
    close(rule_forces(sim, name)[0], np.array(expected) * weight)
