"""Births and deaths balance in every recorded run, whatever the numbers of the scenario (issue 6, S2-3, S2-15)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import murmura as mm
from murmura.lab.runs.recording import record

STEPS = 1500


@st.composite
def colonies(draw: st.DrawFn) -> tuple[mm.Scenario, int]:
    """The colony with other numbers: some grow, some starve, some reach the population cap."""
    agents = draw(st.integers(2, 90))
    values = {
        "agents": agents,
        "world.width": draw(st.integers(250, 500)),
        "world.height": draw(st.integers(250, 500)),
        "rules.energy.decay": draw(st.sampled_from([0.005, 0.05, 0.2])),
        "rules.starvation.after": draw(st.sampled_from([0.5, 5.0])),
        "rules.mating.cooldown": draw(st.sampled_from([0.5, 5.0])),
        "rules.mating.energy_threshold": draw(st.sampled_from([0.1, 0.6])),
        "rules.mating.mating_duration": draw(st.sampled_from([0.2, 3.0])),
        "rules.breeding.maturity": draw(st.sampled_from([0.5, 10.0])),
        "rules.breeding.most": draw(st.sampled_from([agents + 2, 150])),
    }
    return mm.load_scenario("colony").with_values(values), draw(st.integers(0, 2**32))


TOTALS = {"births": 0, "deaths": 0}


@settings(max_examples=25, deadline=None, derandomize=True)
@given(colonies())
def check_balance(chosen: tuple[mm.Scenario, int]) -> None:
    scenario, seed = chosen
    with tempfile.TemporaryDirectory() as folder:
        simulation = mm.Simulation(scenario, seed, "cpu", 1)
        run = record(simulation, STEPS, Path(folder) / "run", every=97, measures=["births", "deaths"])
        events, frames, tree = list(run.events()), list(run.frames), mm.lineage(run)
        metrics = list(run.metrics())
    births = {event["id"]: event for event in events if event["kind"] == "birth"}
    deaths = {event["id"]: event["step"] for event in events if event["kind"] == "death"}
    founders = set(frames[0].ids.tolist())
    # No agent is born or dies twice, and none dies that did not live.
    assert len(births) == sum(event["kind"] == "birth" for event in events)
    assert len(deaths) == sum(event["kind"] == "death" for event in events)
    assert not founders & births.keys() and deaths.keys() <= founders | births.keys()
    for frame, row in zip(frames, metrics, strict=True):
        born = {i for i, event in births.items() if event["step"] <= frame.step}
        dead = {i for i, step in deaths.items() if step <= frame.step}
        assert set(frame.ids.tolist()) == (founders | born) - dead
        assert frame.agent_count == len(founders) + len(born) - len(dead) == row["agents"]
        assert tree.population([frame.step])[0] == frame.agent_count
        assert frame.agent_count <= max(scenario.agents, scenario.rules.breeding.most)
    for child, event in births.items():
        for parent in (event["other"], event["father"]):
            assert parent is not None and parent != child
            begun = births[parent]["step"] if parent in births else -1
            assert parent in founders or parent in births
            assert begun < event["step"] <= deaths.get(parent, STEPS + 1), (child, parent)
        assert deaths.get(child, STEPS + 1) > event["step"]
    np.testing.assert_array_equal(tree.ids[tree.alive], frames[-1].ids)
    TOTALS["births"] += len(births)
    TOTALS["deaths"] += len(deaths)


def test_population_is_founders_and_births_less_deaths_and_parents_lived() -> None:
    check_balance()
    assert TOTALS["births"] > 50 and TOTALS["deaths"] > 50, "nothing happened"
