"""The food of a world, as whoever draws or measures it would like to read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from murmura.core.layout import Layout
from murmura.rules.feeding import Feeding

if TYPE_CHECKING:
    from murmura.engine.simulation import Simulation
    from murmura.engine.snapshot import Snapshot

COLUMNS = Layout((*Feeding.item_fields, *Feeding.memory_fields)).columns
"""The numbers of a source in the plane."""


def food(of: Simulation | Snapshot) -> list[dict[str, Any]]:
    """The sources of food, full or empty.

    Each is a dictionary: id (also `other` in events of meals), x, y (and z in space) [u], amount left, amount when
    full, feeders, radius (how near feeders gather [u]).
    """
    found: list[dict[str, Any]] = of.scenario.rules.feeding.sources_in(of.state.items.get("feeding"))
    return found
