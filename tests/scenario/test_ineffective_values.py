"""Values without effect are reported, with the limit that hides them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


# Decision 39
def test_the_command_line_and_sweeps_say_which_rules_are_switched_on_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line = "murmura: rules.energy is on too, because rules.feeding needs it: hunger needs energy that falls"
    assert chosen_scenario("classic", 5, ["rules.feeding.reach=100"], None).rules.energy.enabled
    assert line in capsys.readouterr().err
    chosen_scenario("classic", 5, ["rules.feeding.reach=100", "rules.energy.enabled=true"], None)
    assert capsys.readouterr().err == ""
    small = mm.load_scenario("classic").with_values({"agents": 5})
    rest: dict[str, Any] = {"workers": 0, "backend": "reference", "measures": ["polarization"]}
    for number, (vary, changes) in enumerate(
        [({"rules.feeding.reach": [100.0, 200.0]}, {}), ({"agents": [3, 5]}, {"rules.feeding.enabled": True})]
    ):
        sweep(
            small, vary, 2, tmp_path / str(number), changes=changes, progress=lambda done, count: None, **rest
        )
        assert capsys.readouterr().err.count(line) == 1
