"""The food of a world, as whoever draws or measures it would like to read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from murmura.core.layout import Layout
from murmura.rules import Feeding

if TYPE_CHECKING:
    from murmura.engine.simulation import Simulation
    from murmura.engine.snapshot import Snapshot

COLUMNS = Layout((*Feeding.item_fields, *Feeding.memory_fields)).columns


def food(of: Simulation | Snapshot) -> list[dict[str, Any]]:
    """The sources of food, full or empty.

    Each is a dictionary: id (also `other` in events of meals), x, y [u], amount left, amount when full, feeders,
    radius (how near feeders gather [u]).
    """
    return food_in(of.state.items.get("feeding"), of.scenario.rules.feeding)


def food_in(rows: NDArray[Any] | None, feeding: Feeding) -> list[dict[str, Any]]:
    """The same from the rows of a state."""
    found = []
    for row in [] if rows is None else rows.astype(float).tolist():
        it = dict(zip(COLUMNS, row, strict=True))
        found.append(
            {
                "id": int(it["id"]),
                "x": it["x"],
                "y": it["y"],
                "amount": it["amount"] if it["present"] else 0.0,
                "full": it["full"],
                "feeders": int(it["feeders"]),
                "radius": feeding.gather_radius,
            }
        )
    return found
