"""Details of the animals in a small window, for a page that is zoomed in: body, health, energy and state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.view.session.editing.messages import number_of
from murmura.view.session.source import ShownFlock

MOST_BODIES = 150
NOBODY_SEEN: dict[str, Any] = {"type": "bodies", "agents": []}
SIDES = ("left", "top", "right", "bottom")
HEIGHTS = ("low", "high")
"""In a 3-D world; if they are missing, everything from floor to ceiling."""
PLAIN = ("gender", "energy", "panic_level", "mating_state", "feeding_state")
"""Columns that every agent has."""
OWN = ("health", "stance", "gene_size")


class BodyObserver:
    """The window that a page has zoomed in on, if any, and the animals in it. The latest request wins."""

    def __init__(self) -> None:
        self.window: tuple[float, ...] | None = None
        self.seen = NOBODY_SEEN

    def ask(self, message: Mapping[str, Any]) -> None:
        """Set the window, a rectangle or a box [u]; clear it if all sides are null."""
        if all(message.get(side) is None for side in SIDES):
            self.window, self.seen = None, NOBODY_SEEN
            return
        left, top, right, bottom = (number_of(message, side, -1e9, 1e9) for side in SIDES)
        if left > right or top > bottom:
            raise ScenarioError(f"left must be at most right and top at most bottom, got {dict(message)}")
        low, high = (
            number_of(message, name, -1e9, 1e9, edge) for name, edge in zip(HEIGHTS, (-1e9, 1e9), strict=True)
        )
        if low > high:
            raise ScenarioError(f"low must be at most high, got {dict(message)}")
        self.window = (left, top, right, bottom, low, high)

    def observe(self, simulation: ShownFlock) -> None:
        """Update the animals in the window."""
        if self.window is not None:
            self.seen = bodies(simulation, self.window)


def bodies(simulation: ShownFlock, window: tuple[float, ...]) -> dict[str, Any]:
    """All agents in a rectangle or a box, one dictionary each; `row` is the index by ascending id, as in a frame."""
    state = simulation.state
    left, top, right, bottom, low, high = window
    x, y = state["position_x"], state["position_y"]
    inside = (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
    if "position_z" in state.columns:
        inside &= (state["position_z"] >= low) & (state["position_z"] <= high)
    rows = np.flatnonzero(inside)[:MOST_BODIES]
    own = [name for name in OWN if name in state.columns]
    parts = [name for name in state.own_columns if name.startswith("part_")]
    names = [*PLAIN, *own, *parts]
    values = [np.asarray(state[name][rows], float).round(3).tolist() for name in names]
    heads = zip(rows.tolist(), state.ids[rows].tolist(), strict=True)
    found = [
        {"row": row, "id": agent, **dict(zip(names, each, strict=True))}
        for (row, agent), *each in zip(heads, *values, strict=True)
    ]
    return {"type": "bodies", "step": simulation.step_count, "agents": found}
