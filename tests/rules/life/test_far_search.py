"""A rule with a search radius of its own looks that far, whatever the perception radius (decision 38)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

import murmura as mm
from murmura.core.errors import ScenarioError
from murmura.core.state import Gender, MatingState

SEEKING, APPROACHING = int(MatingState.SEEKING), int(MatingState.APPROACHING)
SIGHT, SEARCH, AGENTS = 20.0, 45.0, 240
OFF = {name: {"enabled": False} for name in ("boundary", "cohesion", "separation")}
WORLDS: dict[str, dict[str, Any]] = {
    "wrap": {"width": 400.0, "height": 300.0, "boundary": "wrap"},
    "soft": {"width": 400.0, "height": 300.0, "boundary": "soft"},
    "open": {"width": 400.0, "height": 300.0, "boundary": "open"},
    "space": {"width": 160.0, "height": 140.0, "depth": 150.0, "boundary": "wrap"},
}


def scenario(world: str, **perception: Any) -> mm.Scenario:
    mating = {"search_radius": SEARCH, "fight_radius": 10.0, "selectivity": 0.0, "seek_rate": 0.0}
    return mm.Scenario.from_data(
        {
            "agents": AGENTS,
            "world": WORLDS[world],
            "perception": {"radius": SIGHT, "field_of_view": 360.0} | perception,
            "rules": OFF | {"mating": mating, "mating_cooldown": {}, "alignment": {"weight": 1.0}},
        }
    )


def seekers(world: str, backend: str) -> mm.Simulation:
    """Everybody seeks; a third are males."""
    sim = mm.Simulation(scenario(world), seed=4, backend=backend, announce=None)
    state = sim.state.copy()
    state["gender"][:] = np.where(state.ids % 3 == 0, Gender.MALE, Gender.FEMALE)
    state["mating_state"][:] = SEEKING
    state["energy"][:] = 0.9
    sim.load_state(state)
    return sim


def partners(sim: mm.Simulation) -> tuple[Any, Any]:
    """By SciPy: the nearest female of each male in double precision (-1: none within the search radius), and how many
    neighbours each agent perceives."""
    sides = sim.scenario.world.sides
    box = sides if sim.scenario.world.boundary == "wrap" else None
    places = sim.positions.astype(np.float64)
    females = np.flatnonzero(sim.column("gender") == Gender.FEMALE)
    distances, which = cKDTree(places[females], boxsize=box).query(places)
    chosen = np.where(distances <= SEARCH, females[np.minimum(which, len(females) - 1)], -1)
    chosen[females] = -1
    tree = cKDTree(places, boxsize=box)
    return chosen, tree.query_ball_point(places, SIGHT, return_length=True) - 1, distances


def check_partners(world: str, backend: str) -> None:
    sim = seekers(world, backend)
    expected, crowd, distances = partners(sim)
    sim.step()
    assert (sim.column("target_mate_id") == expected).all()
    assert (sim.column("local_density") == crowd).all(), "other rules see as far as before"
    beyond = (expected >= 0) & (distances > SIGHT)
    assert beyond.sum() >= 10, "the test must find partners beyond the perception radius"


@pytest.mark.parametrize("world", WORLDS)
def test_partners_are_found_beyond_the_perception_radius(world: str, backend: str):
    check_partners(world, backend)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_bits_do_not_depend_on_threads(threads: int):
    sims = [
        mm.Simulation(scenario("wrap"), seed=4, backend="cpu", threads=n, announce=None) for n in (2, threads)
    ]
    for sim in sims:
        sim.step(40)
    assert sims[0].state_hash() == sims[1].state_hash()


@pytest.mark.parametrize("nearest", [None, 5])
def test_a_user_rule_looks_as_far_as_it_says(nearest: int | None, backend: str):
    """Also where only the nearest neighbours count for the other rules."""
    from murmura.core.rule import REGISTRY, register_rule
    from murmura.rules import Sum

    class Looking(mm.Rule):
        far: float = 55.0
        pair_range = ("far",)
        writes = ("energy",)

        @staticmethod
        def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
            return Sum(1.0)

        @staticmethod
        def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
            return {"energy": found * 0.001}

    known = dict(REGISTRY)
    try:
        register_rule("looking")(Looking)
        data = {
            "agents": AGENTS, "world": WORLDS["wrap"],
            "perception": {"radius": SIGHT, "field_of_view": 360.0, "nearest": nearest},
            "rules": OFF | {"alignment": {"enabled": False}, "looking": {}},
        }  # fmt: skip
        sim = mm.Simulation(mm.Scenario.from_data(data), seed=4, backend=backend, announce=None)
        tree = cKDTree(sim.positions.astype(np.float64), boxsize=sim.scenario.world.sides)
        expected = tree.query_ball_point(tree.data, 55.0, return_length=True) - 1
        sim.step()
        assert np.allclose(sim.column("energy"), expected * 0.001, atol=1e-6)
        assert sim.column("local_density").max() <= (5 if nearest else 40)
    finally:
        REGISTRY.clear()
        REGISTRY.update(known)


@pytest.mark.parametrize("name", ["starlings", "insects", "fish", "locusts"])
def test_the_presets_of_document_002_accept_its_own_search_radius(name: str):
    """They were refused: "search_radius must be at most perception.radius"."""
    found = mm.load_scenario(name).with_values(
        {"rules.mating.enabled": True, "rules.mating_cooldown.enabled": True}
    )
    assert found.rules.mating.search_radius == 80.0 > found.perception.radius


def test_the_radius_of_measures_stays_that_of_perception():
    assert mm.Simulation(scenario("wrap"), backend="reference").flock().radius == SIGHT


@pytest.mark.parametrize(
    ("perception", "world", "words"),
    [
        (
            {"occlusion": True, "bins": 128},
            {},
            ["rules.mating.search_radius", "perception.radius (20 [u])", "got 45"],
        ),
        ({}, {"width": 80.0}, ["rules.mating.search_radius", "half the smallest side", "(40 [u])", "got 45"]),
    ],
)
def test_where_nobody_can_look_so_far(perception: dict[str, Any], world: dict[str, Any], words: list[str]):
    with pytest.raises(ScenarioError) as caught:
        scenario("wrap", **perception).with_values({f"world.{k}": v for k, v in world.items()})
    assert all(word in str(caught.value) for word in words), caught.value


def test_a_range_must_be_a_parameter():
    class Lost(mm.Rule):
        radus: float = 3.0
        pair_range = ("radius",)

    with pytest.raises(
        ScenarioError, match="`pair_range` of rule 'lost' names 'radius', which is none of its parameters"
    ):
        mm.register_rule("lost")(Lost)


def test_a_page_knows_how_far_agents_look():
    """The last number that an exported page recomputes sizes its grid."""
    from murmura.view.standalone.live_values import vector_of

    before = scenario("wrap")
    assert vector_of(before)[-1] == SEARCH
    assert vector_of(before.with_values({"rules.mating.search_radius": 60.0}))[-1] == 60.0
    assert vector_of(before.with_values({"perception.radius": 70.0}))[-1] == 70.0


def test_an_explanation_agrees_with_the_step():
    """After some courtship the two backends still agree, and a lover beyond sight is explained."""
    sims = [seekers("soft", backend) for backend in ("cpu", "reference")]
    for sim in sims:
        sim.step(3)
    assert np.allclose(sims[0].forces, sims[1].forces, atol=1e-2)
    assert (sims[0].column("target_mate_id") == sims[1].column("target_mate_id")).all()
    lover = int(np.flatnonzero(sims[1].column("target_mate_id") >= 0)[0])
    assert "mating" in sims[1].explain(lover)["rules"]
