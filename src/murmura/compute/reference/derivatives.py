"""How the next step would change if a number of the scenario did: exact derivatives, by the reference.

The rules run once over numbers that carry tangents (`trace.dual_target`). Numbers that only decide who is near or in
view have a derivative of 0: there the step jumps instead of changing smoothly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.compute.reference.evaluation import PAIRS_AT_ONCE, Evaluation, ReferenceMemory
from murmura.compute.step import Step
from murmura.compute.substitution import substituted
from murmura.compute.trace.dual_target import Dual, DualTarget, plain
from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.algebra import Value
from murmura.core.errors import ScenarioError, nearest
from murmura.core.merging import FAR, Greatest, Merge, Sum, flatten, unflatten
from murmura.core.state import State
from murmura.scenario import Scenario
from murmura.scenario.paths import value_paths

OWNERS = ("motion.", "perception.", "rules.")
MOVING_WORLD = ("dt", "thrust", "stride", "pace")
"""Numbers of the world that follow from the motion."""


def velocity_derivatives(
    plan: Plan, state: State, step: int, seed: tuple[int, int], paths: Sequence[str]
) -> NDArray[np.float64]:
    """The derivatives of the velocities after the next step, (paths, agents, dimension)."""
    derivation = _Derivation(plan, state, step, seed, paths)
    size = max(1, PAIRS_AT_ONCE // (max(len(state), 1) * (1 + len(paths))))
    found = np.zeros((len(paths), len(state), plan.dimension))
    with np.errstate(all="ignore"):
        for begin in range(0, len(state), size):
            rows = np.arange(begin, min(begin + size, len(state)))
            found[:, rows] = derivation.of(rows)
    return found


class _Memory(ReferenceMemory):
    """The memory of a step whose numbers have tangents (paths, species, numbers)."""

    tangents: NDArray[np.float64]

    def number(self, place: int, species: Any) -> Value:
        rows = 0 if species is None else species.code
        along = {
            k: tangents[rows, place] for k, tangents in enumerate(self.tangents) if tangents[:, place].any()
        }
        number: Value = self.target.dual(np.asarray(self.plan.numbers[rows, place], np.float64), along)
        return number


class _Derivation(Evaluation):
    """The flock at one instant, in numbers with tangents."""

    def __init__(
        self, plan: Plan, state: State, step: int, seed: tuple[int, int], paths: Sequence[str]
    ) -> None:
        super().__init__(plan, state, step, seed)
        self.target = target = DualTarget(self.target, len(paths))
        numbers, world = _tangents(plan, seed, paths)
        values = plan.world_numbers(seed)
        tangents = {name: target.dual(values[name], along) for name, along in world.items()}
        self.world = cast(Any, self.world).updated(tangents)
        memory = _Memory(target, plan, self.items)
        memory.tangents = numbers
        self.step = Step(plan, target, memory, self.world)

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The derivatives of these agents' velocities after the step."""
        p, decision = self.decide(rows)
        me = self.step.live(p, decision.me, decision.force)
        along = [self.target.tangents(part.code) for part in me.velocity]
        return np.array(
            [
                np.stack([np.broadcast_to(0.0 if t[k] is None else t[k], rows.shape) for t in along], axis=1)
                for k in range(self.target.directions)
            ]
        )

    def _reduced(self, merge: Merge, mask: NDArray[np.bool_]) -> Merge:
        """Merged contributions with their tangents: those of all neighbours, or of the one that counts."""
        leaves = [getattr(leaf, "code", leaf) for leaf in flatten(merge)]
        values = flatten(
            super()._reduced(unflatten(merge, [self.target.value(plain(x)) for x in leaves]), mask)
        )
        if any(type(leaf) is Dual for leaf in leaves):
            values = [
                self.target.dual(value.code, self._along(merge, leaves, leaf, mask))
                for value, leaf in zip(values, leaves, strict=True)
            ]
        result: Merge = unflatten(merge, values)
        return result

    def _along(self, merge: Merge, leaves: list[Any], leaf: Any, mask: NDArray[np.bool_]) -> dict[int, Any]:
        tangents = {
            k: np.broadcast_to(t, mask.shape)
            for k, t in enumerate(self.target.tangents(leaf))
            if t is not None
        }
        if isinstance(merge, Sum):
            return {k: np.where(mask, t, 0.0).sum(axis=1) for k, t in tangents.items()}
        score = np.broadcast_to(plain(leaf if isinstance(merge, Greatest) else leaves[0]), mask.shape)
        if isinstance(merge, Greatest):
            ranked = np.where(mask, score, 0.0)
            pick, counts = ranked.argmax(axis=1)[:, None], ranked.max(axis=1, initial=0.0) > 0.0
        else:
            ranked = np.where(mask, score, FAR)
            pick, counts = ranked.argmin(axis=1)[:, None], ranked.min(axis=1, initial=FAR) < FAR
        return {
            k: np.where(counts, np.take_along_axis(t, pick, axis=1)[:, 0], 0.0) for k, t in tangents.items()
        }


def _tangents(
    plan: Plan, seed: tuple[int, int], paths: Sequence[str]
) -> tuple[NDArray[np.float64], dict[str, dict[int, float]]]:
    """The derivatives of the kernels' numbers by the values at these paths, and those of the world's numbers."""
    scenario, target = plan.scenario, DualTarget(NumpyTarget(), len(paths))
    values = {
        path: target.dual(np.float64(_number_at(scenario, path)), {k: np.float64(1.0)})
        for k, path in enumerate(paths)
    }
    lives = substituted(scenario, values)
    world = plan.world_numbers(seed, lives[0])
    moving = {name: _along(target, world[name]) for name in MOVING_WORLD}
    rows = [[_along(target, x) for x in row] for row in plan.derived_numbers(lives)]
    found = np.array([[[x.get(k, 0.0) for x in row] for row in rows] for k in range(len(paths))])
    for k, path in enumerate(paths):
        if not found[k].any() and not any(k in along for along in moving.values()):
            raise ScenarioError(
                f"{path} is not among the numbers that a step reads, so it has no derivative: expected a number of the "
                "motion, the perception or a rule that takes part"
            )
    return found, {name: along for name, along in moving.items() if along}


def _along(target: DualTarget, x: Any) -> dict[int, float]:
    code = x.code if isinstance(x, Value) else x
    return {k: float(t) for k, t in enumerate(target.tangents(code)) if t is not None}


def _number_at(scenario: Scenario, path: str) -> float:
    """The number at a path."""
    known = {p: x for p, x in value_paths(scenario) if p.startswith(OWNERS)}
    found = known.get(path)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise ScenarioError(
            f"{path!r} has no derivative: expected the path of a number of the motion, the perception or a rule"
            f"{nearest(path, known)}"
        )
    return float(found)
