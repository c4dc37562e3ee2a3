"""The reference backend defines the model: all pairs, no index. Others agree with it up to single precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.compute.reference.evaluation import PAIRS_AT_ONCE, Evaluation
from murmura.compute.reference.lifecycle import apply_outcomes, update_items
from murmura.compute.shapes import shapes_of
from murmura.core.errors import RunError
from murmura.core.events import EVENT_FIELDS
from murmura.core.state import State, column_name


class BackendReference:
    """Runs a plan by brute force."""

    name = "reference"
    piece = 1

    @property
    def threads(self) -> int:
        return 1

    def __init__(self, plan: Plan, seed: tuple[int, int]) -> None:
        self._seed = seed
        self.replan(plan)

    def replan(self, plan: Plan) -> None:
        self._plan = plan
        self._shapes = shapes_of(plan)

    def read_items(self) -> NDArray[np.float32]:
        return self._plan.item_table(self._state)

    def tune(self, plan: Plan, items: NDArray[np.float32]) -> None:
        self._plan = plan
        plan.keep_items(self._state, items)

    def prepare(self, plan: Plan) -> None:
        """Nothing is compiled here."""

    def is_prepared(self, plan: Plan) -> bool:
        return True

    def is_current(self) -> bool:
        return True

    def read_unordered(self) -> None:
        return None

    def load(self, state: State) -> None:
        self._state = state.copy()
        self._events: list[Any] = []
        self.completed = 0

    def store(self, state: State) -> None:
        state.settle(self._state.ids, self._state.next_id)
        for name, column in self._state.columns.items():
            state.columns[name][:] = column
        state.items = {name: rows.copy() for name, rows in self._state.items.items()}

    def take_events(self) -> NDArray[np.float64]:
        taken, self._events = self._events, []
        return np.array(taken, np.float64).reshape(-1, len(EVENT_FIELDS))

    def start_transfer(self) -> None:
        """None: the flock is already in host memory."""

    def advance(self, steps: int, first_step: int) -> None:
        """Run whole steps."""
        for step in range(first_step, first_step + steps):
            self._step(step)

    def _step(self, step: int) -> None:
        with np.errstate(all="ignore"):
            new = self._stepped(step)
        self._state, self.completed = new, self.completed + 1
        flock = np.stack([new[c] for c in self._plan.moving_columns])
        if not np.isfinite(flock).all():
            broken = self._state.ids[~np.isfinite(flock).all(axis=0)][:5]
            raise RunError(
                f"step {step + 1}: agents {', '.join(map(str, broken))} have no finite place or velocity; the run "
                "stopped there. A rule returned NaN or infinity: guard its divisions, or lower the weights"
            )

    def _stepped(self, step: int) -> State:
        """The flock after a step."""
        n = len(self._state)
        evaluation = Evaluation(self._plan, self._state, step, self._seed, self._shapes)
        new = self._state.copy()
        lived = []
        size = max(1, PAIRS_AT_ONCE // max(n, 1))
        for begin in range(0, n, size):
            rows = np.arange(begin, min(begin + size, n))
            part = evaluation.live(rows)
            lived.append(part)
            for name, values in part.columns.items():
                new[column_name(name)][rows] = values
        if self._plan.stateful_items:
            turned = update_items(self._plan, evaluation, [part.reports for part in lived])
            self._plan.keep_items(new, turned)
        if self._plan.eventful:
            self._events += apply_outcomes(self._plan, evaluation, new, lived, step + 1)
        return new
