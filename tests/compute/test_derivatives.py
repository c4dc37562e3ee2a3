"""Derivatives of a step, against central differences of the reference in double precision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import murmura as mm
from murmura.compute.plan import Plan
from murmura.compute.reference.derivatives import velocity_derivatives
from murmura.compute.reference.evaluation import Evaluation
from murmura.compute.substitution import lives_of, substituted
from murmura.core.errors import ScenarioError
from murmura.core.rule import REGISTRY
from murmura.core.state import State
from murmura.core.world.randomness import seed_words
from murmura.scenario.paths import value_paths
from tests.sizes import size

SEED = 3
CASES = {
    "classic": 60, "starlings": 60, "couzin": 60, "vicsek": 30, "cucker-smale": 30, "topological": 60,
    "murmuration": 60, "mixed": 40, "vision": 30, "murmuration-hawk": 60, "couzin-space": 30, "midges": 30,
    "stardisplay": 30, "ecosystem": 60,
}  # fmt: skip
QUICK = ("starlings", "couzin", "mixed", "stardisplay")
THRESHOLDS = {"perception.radius", "perception.field_of_view", "rules.separation.radius"}
"""Numbers that only decide who counts, in `classic`."""


def flock(name: str, agents: int = 50) -> tuple[Plan, State, int]:
    """A flock after some steps, with the kernels' numbers in double precision."""
    scenario = mm.load_scenario(name).with_values({"agents": agents})
    sim = mm.Simulation(scenario, seed=SEED, backend="cpu")
    sim.step(CASES[name])
    plan = Plan(scenario)
    plan.numbers = np.array(plan.derived_numbers(lives_of(scenario)), np.float64)  # type: ignore[assignment]
    return plan, sim.state.copy(), sim.step_count


def numbers_of(plan: Plan) -> Iterator[tuple[str, float]]:
    """All numbers of motion, perception and active rules that a step reads."""
    owners = ("motion.", "perception.", *(f"rules.{name}." for name, _ in plan.rules))
    for path, x in value_paths(plan.scenario):
        if isinstance(x, float) and path.startswith(owners):
            yield path, x


def moved(plan: Plan, state: State, step: int, values: dict[str, float]) -> np.ndarray:
    """The velocities after a step with other values, in double precision."""
    lives = substituted(plan.scenario, values)  # type: ignore[arg-type]
    changed = Plan(plan.scenario)
    changed.numbers = np.array(plan.derived_numbers(lives), np.float64)  # type: ignore[assignment]
    world = plan.world_numbers(seed_words(SEED), lives[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changed, "world_numbers", lambda *_: world)
        evaluation = Evaluation(changed, state, step, seed_words(SEED))
    with np.errstate(all="ignore"):
        p, decision = evaluation.decide(np.arange(len(state)))
        me = evaluation.step.live(p, decision.me, decision.force)
    return np.stack([np.broadcast_to(part.code, len(state)) for part in me.velocity], axis=1)


@pytest.mark.parametrize("name", [name for name in CASES if name in QUICK or size(0, 1)])
def test_every_number_has_the_derivative_of_central_differences(name: str):
    plan, state, step = flock(name)
    acting = 0
    for path, x in numbers_of(plan):
        try:
            [exact] = velocity_derivatives(plan, state, step, seed_words(SEED), [path])
        except ScenarioError:
            continue  # a number of items, which are not differentiated
        errors = []
        for relative in (1e-4, 1e-5, 1e-6):
            h = relative * max(abs(x), 1e-2)
            above, below = (moved(plan, state, step, {path: x + sign * h}) for sign in (1.0, -1.0))
            errors.append(np.abs((above - below) / (2.0 * h) - exact).max())
        scale = np.abs(exact).max()
        acting += scale > 0.0
        assert min(errors) <= 1e-6 * scale + 1e-9, path
    assert acting >= 4


def test_thresholds_have_no_derivative():
    plan, state, step = flock("classic")
    found = velocity_derivatives(plan, state, step, seed_words(SEED), sorted(THRESHOLDS))
    assert not found.any()
    for path in THRESHOLDS:
        near = {path: 0.8 * dict(value_paths(plan.scenario))[path]}
        assert not np.array_equal(moved(plan, state, step, near), moved(plan, state, step, {})), path


def test_all_numbers_at_once_equal_one_by_one():
    plan, state, step = flock("starlings")
    paths = ["rules.cohesion.weight", "motion.max_speed", "perception.radius"]
    together = velocity_derivatives(plan, state, step, seed_words(SEED), paths)
    for path, found in zip(paths, together, strict=True):
        np.testing.assert_array_equal(
            found, velocity_derivatives(plan, state, step, seed_words(SEED), [path])[0]
        )


def test_a_simulation_and_a_snapshot_answer_alike():
    sim = mm.Simulation("starlings", seed=1, backend="cpu")
    sim.step(20)
    found = sim.derivatives(["rules.cohesion.weight"])["rules.cohesion.weight"]
    assert found.shape == sim.velocities.shape
    assert np.isfinite(found).all()
    assert np.abs(found).max() > 0.0
    np.testing.assert_array_equal(
        sim.snapshot().derivatives(["rules.cohesion.weight"])["rules.cohesion.weight"], found
    )


def test_a_rule_of_a_user_is_differentiated():
    """d/dx of power(x, 3) times the heading."""

    class Cubic(mm.Rule):
        x: float = 2.0
        clamped = False

        @staticmethod
        def steer(p, me, found, world):
            return me.heading * (p.x * p.x * p.x)

    mm.register_rule("cubic")(Cubic)
    try:
        data = {"rules": {"cubic": {}}, "motion": {"max_speed": 900.0}, "agents": 2}
        sim = mm.Simulation(mm.Scenario.from_data(data), backend="reference")
        found = sim.derivatives(["rules.cubic.x"])["rules.cubic.x"]
    finally:
        del REGISTRY["cubic"]
    heading = sim.velocities / np.linalg.norm(sim.velocities, axis=1, keepdims=True)
    np.testing.assert_allclose(found, heading * 12.0, rtol=1e-6)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("rules.cohesion.wieght", "did you mean"),
        ("agents", "expected the path of a number"),
        ("rules.cohesion.weighting", "expected the path of a number"),
        ("rules.fear.weight", "no derivative"),
    ],
)
def test_other_paths_are_refused_in_a_sentence(path: str, words: str):
    sim = mm.Simulation("classic", backend="reference")
    with pytest.raises(ScenarioError, match=words):
        sim.derivatives([path])
