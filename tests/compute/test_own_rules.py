"""Users' rules: what their functions see, and what happens when they are wrong."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError, ScenarioError
from murmura.core.rule import register_rule
from murmura.scenario import Scenario

from .own_rules import About, Branching, Hyperbolic, Lookback, Misspelt, Poison, Spoilt, Undecided

QUIET = {name: {"enabled": False} for name in ("separation", "alignment", "cohesion", "boundary")}


def with_rule(rule: type[mm.Rule], rules: Any, **values: Any) -> Scenario:
    """A small wrapping world with a user's rule and the other rules named."""
    name = rule.__name__.lower()
    register_rule(name)(rule)
    return Scenario.from_data(
        {
            "agents": 40,
            "world": {"width": 300.0, "height": 200.0, "boundary": "wrap"},
            "rules": QUIET | rules | {name: values},
        }
    )


def poisoned(**values: float) -> Scenario:
    return with_rule(Poison, {}, **values)


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_nan_stops_the_run_immediately(backend: str):
    """Step 38 makes agent 23 NaN; however many steps were requested, the run stops there and reports it."""
    sim = mm.Simulation(poisoned(agent=23.0, from_step=37.0), seed=1, backend=backend)
    sim.step(30)
    assert np.isfinite(sim.positions).all()
    with pytest.raises(
        RunError, match=r"^step 38: .*\b23\b.*A rule returned NaN or infinity: guard its divisions"
    ):
        sim.step(500)
    assert list(np.flatnonzero(~np.isfinite(sim.velocities).all(axis=1))) == [23]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_step_and_the_agent_are_named_for_any_number_of_threads(threads: int):
    sim = mm.Simulation(poisoned(agent=7.0, from_step=120.0), seed=1, backend="cpu", threads=threads)
    with pytest.raises(RunError, match=r"^step 121: 1 agents have no finite place or velocity \(ids 7\)"):
        sim.step(1000)


def refusal(rule: type[mm.Rule], backend: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        mm.Simulation(with_rule(rule, {}), backend=backend)
    return str(caught.value)


@pytest.mark.parametrize(
    ("rule", "function", "advice"),
    [
        (Branching, "pair", r"use where\(condition, a, b\)"),
        (Hyperbolic, "pair", r"the functions of murmura\.rules instead of NumPy"),
        (Misspelt, "steer", r"me has no field 'velocty' \(did you mean 'velocity'\?\)"),
        (Undecided, "turn", r"use where\(condition, a, b\)"),
        (Spoilt, "inherit", r"use where\(condition, a, b\)"),
    ],
)
def test_a_rule_that_cannot_be_traced_is_refused_before_anything_is_compiled(
    rule: type[mm.Rule], function: str, advice: str, backend: str
):
    """The message names the rule, its function, file and line, and what to do."""
    _, first = inspect.getsourcelines(getattr(rule, function))
    message = refusal(rule, backend)
    where = re.search(r"own_rules\.py, line (\d+), in (\w+)", message)
    assert where is not None, message
    assert where.group(2) == function
    assert first < int(where.group(1)) <= first + 5
    assert f"rule '{rule.__name__.lower()}' failed" in message
    assert re.search(advice, message), message


def test_an_agent_ages_as_it_is_after_the_move():
    """`age` comes after the move: place, velocity, heading and speed are the new ones on every backend."""
    scenario = with_rule(Lookback, {"separation": {}, "alignment": {}, "cohesion": {}})
    cpu = mm.Simulation(scenario, seed=4, backend="cpu")
    reference = mm.Simulation(scenario, seed=4, backend="reference")
    cpu.step()
    reference.step()
    velocities = cpu.velocities.astype(np.float64)
    speed = np.hypot(*velocities.T)
    assert np.allclose(cpu.column("aggression_level"), speed, rtol=1e-5)
    assert np.allclose(cpu.column("feeding_timer"), velocities[:, 0] / speed, atol=1e-5)
    assert np.allclose(cpu.column("mating_timer"), velocities[:, 1] / speed, atol=1e-5)
    for column in ("feeding_timer", "mating_timer", "aggression_level"):
        assert np.allclose(reference.column(column), cpu.column(column), atol=1e-5), column


def check_about_face(backend: str) -> None:
    """One agent by hand: heading and speed immediately follow a velocity that a rule writes."""
    register_rule("lookback")(Lookback)
    scenario = with_rule(About, {"lookback": {}})
    sim = mm.Simulation(scenario, backend=backend, positions=[[50.0, 60.0]], velocities=[[3.0, 0.0]])
    sim.step()
    # (3, 0) becomes (0, 6), of speed 6 and heading (0, 1); the force is added, then age swaps the two.
    assert sim.forces[0] == pytest.approx([0.06, 0.1], abs=1e-6)
    assert sim.velocities[0] == pytest.approx([6.1, 0.06], abs=1e-5)
    assert sim.positions[0] == pytest.approx([50.0 + 0.06 / 60.0, 60.0 + 6.1 / 60.0], abs=1e-4)
    speed = np.hypot(6.1, 0.06)
    found = [float(sim.column(name)[0]) for name in ("feeding_timer", "mating_timer", "aggression_level")]
    assert found == pytest.approx([6.1 / speed, 0.06 / speed, speed], abs=1e-5)


def test_heading_and_speed_follow_a_velocity_that_a_rule_writes(backend: str):
    check_about_face(backend)
