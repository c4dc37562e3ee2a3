"""The hunters of a simulation as a reader wants them: in words and plain numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from murmura.rules.predators.reading import hunters_in

if TYPE_CHECKING:
    from murmura.engine.simulation import Simulation
    from murmura.engine.snapshot import Snapshot


def hunters(of: Simulation | Snapshot) -> list[dict[str, Any]]:
    """The hunters that are alive.

    Each is a dictionary: id (its number, which is also `other` in events of capture), kind, state, x, y, vx, vy (and
    z, vz in space), heading [rad], energy (0..1), target (an agent's id or None), altitude (0..1), fright (how far it
    frightens now [u]), hunts, catches, failed_hunts, listed (whether the scenario names it, or it was born).
    """
    return hunters_in(of.state.items.get("predators"))
