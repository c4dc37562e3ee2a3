"""Periods of a run, against counting its events one by one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import murmura as mm
from murmura.engine.census import hunting_species
from murmura.lab.runs.recording import record
from murmura.lab.runs.resuming import resume
from murmura.measure.atmosphere import Thresholds
from tests.lab.births_and_deaths import family


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory):
    simulation = mm.Simulation(family(**{"rules.heirs.most": 60}), 1, "reference")
    return record(simulation, 90, tmp_path_factory.mktemp("times") / "run", every=5)


def naive(run: mm.Run, limits: Thresholds) -> dict[str, list[float]]:
    """The measured times at which each condition holds."""
    dt, frames, found = run.scenario.motion.time_step, list(run.frames), {}
    kinds = {int(i): int(k) for frame in frames for i, k in zip(frame.ids, frame.species, strict=True)}
    start = frames[0].agent_count
    for frame, row in zip(frames, run.metrics(), strict=True):
        back = max(0, frame.step - round(limits.window / dt))
        births = [e for e in run.events() if e["kind"] == "birth" and back < e["step"] <= frame.step]
        deaths = [e for e in run.events() if e["kind"] == "death" and back < e["step"] <= frame.step]
        before = start
        for event in run.events():
            if event["step"] <= back:
                before += {"birth": 1, "death": -1}.get(event["kind"], 0)
        owls = sum(kinds[int(i)] == 1 for i in frame.ids)
        holds = {
            "mass_extinction": len(deaths) / before > limits.mass_extinction,
            "mating_season": len(births) / before > limits.mating_season,
            "predator_dominance": owls / frame.agent_count > limits.predator_dominance,
            "starvation": row["energy_mean"] < limits.starvation,
            "boom": frame.agent_count / start > limits.boom,
        }
        for kind, yes in holds.items():
            if yes:
                found.setdefault(kind, []).append(row["time"])
    return found


@pytest.mark.parametrize(
    "limits",
    [
        Thresholds(),
        Thresholds(window=0.2, mass_extinction=0.25, mating_season=0.3, predator_dominance=0.52, boom=2.6),
    ],
)
def test_times_are_where_the_counts_say(run, limits: Thresholds) -> None:
    expected = naive(run, limits)
    found: dict[str, list[float]] = {}
    measured = [row["time"] for row in run.metrics()]
    for period in run.atmosphere(limits):
        found.setdefault(period.kind, []).extend(t for t in measured if period.begin <= t <= period.end)
    assert found == expected
    assert {"mass_extinction", "mating_season", "boom"} <= set(found)


def test_they_are_kept_with_the_run(run, tmp_path: Path) -> None:
    kept = json.loads((run.folder / "atmosphere.json").read_text())
    assert kept["thresholds"]["mass_extinction"] == 0.15 and kept["thresholds"]["window"] == 10.0
    assert kept["spells"] == [vars(period) for period in run.atmosphere()]
    simulation = mm.Simulation(family(**{"rules.heirs.most": 60}), 1, "reference")
    record(simulation, 40, tmp_path / "part", every=5)
    resume(tmp_path / "part", steps=90)
    assert (tmp_path / "part" / "atmosphere.json").read_bytes() == (
        run.folder / "atmosphere.json"
    ).read_bytes()


def test_a_flock_in_which_nobody_dies_has_none(tmp_path: Path) -> None:
    calm = record(
        mm.Simulation(mm.load_scenario("classic").with_values({"agents": 4}), 1, "reference"),
        3,
        tmp_path / "r",
    )
    assert calm.atmosphere() == [] and not (tmp_path / "r" / "atmosphere.json").exists()
    assert hunting_species(calm.scenario) == []


def test_predators_are_those_who_chase() -> None:
    assert hunting_species(family()) == [1]
    assert hunting_species(mm.load_scenario("mixed")) == [
        k for k, kind in enumerate(mm.load_scenario("mixed").species) if "chase" in kind.towards.values()
    ]
