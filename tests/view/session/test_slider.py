"""The cost of a slider: one plan per tick for any number of species; nothing is read again, nothing compiled."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import murmura as mm
from murmura.compute.cpu import build
from murmura.compute.plan import Plan
from murmura.core.errors import ScenarioError
from murmura.scenario import Scenario
from murmura.view.session.session import Session
from tests.view.live import flock
from tests.view.session.test_session import obey

SLIDER = "rules.alignment.weight"


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often scenarios were read as a whole and planned, and kernels compiled."""
    found: Counter[str] = Counter()

    def counted(owner: Any, name: str, word: str) -> None:
        function = getattr(owner, name)

        def count(*arguments: Any, **options: Any) -> Any:
            found[word] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(owner, name, count)

    counted(Scenario, "model_validate_json", "readings")
    counted(Plan, "__init__", "plans")
    counted(build, "_object_code", "kernels")
    return found


def ticked(session: Session, weight: float) -> None:
    assert obey(session, {"type": "set", "values": {SLIDER: weight}}) == []
    assert session.scene.simulation.scenario.rules.alignment.weight == weight


@pytest.mark.parametrize("name", ["starlings", "ecosystem"])
def test_a_tick_reads_nothing_again_and_plans_once_however_many_species(name: str, counts: Counter[str]):
    session = Session(mm.load_scenario(name).with_values({"agents": 30}), 1, "reference")
    ticked(session, 1.5)
    counts.clear()
    ticked(session, 1.25)
    assert counts == {"plans": 1}


def test_a_tick_compiles_nothing(counts: Counter[str]):
    simulation = mm.Simulation(flock(20), 1, "cpu", 1)
    session = Session(simulation)
    simulation.step()
    counts.clear()
    ticked(session, 1.25)
    simulation.step()
    assert counts == {"plans": 1}


def test_the_pointer_acts_on_every_species():
    """One agent of each species on either side of it: both are attracted, as without species."""
    places, still = [[400.0, 300.0], [600.0, 300.0]], [[0.0, 0.0], [0.0, 0.0]]
    kinds = [{"name": "one", "values": {"motion.max_force": 0.01}}, {"name": "other"}]
    pulls = []
    for scenario, species in ((flock(2), None), (flock(2, species=kinds), [0, 1])):
        start = mm.Simulation(scenario, 1, "reference", positions=places, velocities=still, species=species)
        session = Session(start)
        assert obey(session, {"type": "pointer", "x": 500.0, "y": 300.0, "mode": "attract"}) == []
        session.scene.step()
        pulls.append(session.scene.simulation.forces[:, 0])
    (left, right), (capped, free) = pulls
    assert left > 0.0 > right
    assert 0.0 < capped < left
    assert free == right


def test_numbers_of_a_species_are_checked_and_named():
    with pytest.raises(ScenarioError, match=r"species\.0 \(one\).*rules\.attractors\.wieght"):
        flock(20, species=[{"name": "one", "values": {"rules.attractors.wieght": 3.0}}])
    with pytest.raises(ScenarioError, match=r"species\.0 \(one\).*rules\.alignment\.radius must be at most"):
        flock(20, species=[{"name": "one", "values": {"rules.alignment.radius": 900.0}}])
