"""Values without effect are reported, with the limit that hides them."""

from __future__ import annotations

from pathlib import Path

import pytest

import murmura as mm
from murmura.cli.options import chosen_scenario
from murmura.lab.sweeps.sweep import sweep


def jittery(angle: float, rate: float = 180.0) -> mm.Scenario:
    return mm.load_scenario("roadmap").with_values(
        {
            "agents": 20,
            "rules.jitter.enabled": True,
            "rules.jitter.angle": angle,
            "rules.jitter.max_turn_rate": rate,
        }
    )


def turned(scenario: mm.Scenario) -> str:
    sim = mm.Simulation(scenario, seed=1, backend="reference")
    sim.step(2)
    return sim.state_hash()


def test_an_angle_beyond_the_maximum_turn_is_reported_as_hidden() -> None:
    assert turned(jittery(20.0)) == turned(jittery(60.0)), "the report must be true"
    (line,) = jittery(20.0).hidden_values()
    assert line == (
        "rules.jitter.angle = 20 [deg] acts as 3: max_turn_rate (180 [deg/s]) x motion.time_step is the limit; raise "
        "rules.jitter.max_turn_rate to 1200 or more, or lower the angle"
    )
    assert jittery(2.0).hidden_values() == jittery(20.0, 1200.0).hidden_values() == []
    assert turned(jittery(20.0, 1200.0)) != turned(jittery(60.0, 3600.0))


def test_a_rule_that_is_off_hides_nothing() -> None:
    assert jittery(20.0).with_values({"rules.jitter.enabled": False}).hidden_values() == []


def test_values_of_a_species_are_checked_too() -> None:
    data = jittery(2.0).model_dump(mode="json")
    data["species"] = [{"name": "calm"}, {"name": "wild", "values": {"rules.jitter.angle": 30.0}}]
    (line,) = mm.Scenario.from_data(data).hidden_values()
    assert line.startswith("species.1 (wild): rules.jitter.angle = 30")


@pytest.mark.parametrize("name", mm.scenario_names())
def test_shipped_scenarios_hide_nothing(name: str) -> None:
    assert mm.load_scenario(name).hidden_values() == []


def test_the_default_hides_nothing() -> None:
    assert mm.Scenario().with_values({"rules.jitter.enabled": True}).hidden_values() == []


def test_the_command_line_and_sweeps_report_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    values = ["rules.jitter.enabled=true", "rules.jitter.angle=20", "rules.jitter.max_turn_rate=180"]
    chosen_scenario("roadmap", 5, values, None)
    assert "murmura: rules.jitter.angle = 20 [deg] acts as 3" in capsys.readouterr().err
    sweep(
        jittery(1.0), {"rules.jitter.angle": [1.0, 20.0, 60.0]}, 2, tmp_path / "sweep", workers=0, backend="reference",
        measures=["polarization"], progress=lambda done, count: None,
    )  # fmt: skip
    told = capsys.readouterr().err
    assert "2 of 3 cells: rules.jitter.angle = 20 [deg] acts as 3" in told
