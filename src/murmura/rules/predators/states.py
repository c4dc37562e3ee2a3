"""The states of hunters (S0-73), changes of state, and the format of state machines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from murmura.core.algebra import Number, when
from murmura.rules.predators.row import HunterRow

# States that cost energy are contiguous, STALKING to DIVING, and so are those that count as a hunt, HUNTING to DIVING.
IDLE = 0
SCANNING = 1
STALKING = 2
HUNTING = 3
ATTACKING = 4
CLIMBING = 5
DIVING = 6
AMBUSH = 7
RECOVERING = 8

STATE_NAMES = (
    "idle", "scanning", "stalking", "hunting", "attacking", "climbing", "diving", "ambush", "recovering",
)  # fmt: skip

Machine = tuple[tuple[int, int, str], ...]
"""One entry for each change of state: from, to, and when."""

SHARED_MACHINE: Machine = (
    (IDLE, SCANNING, "in the mood (aggression), no cooldown left, energy at least hunt_energy"),
    (RECOVERING, IDLE, "enough energy (rest_until of max_energy)"),
)
"""Changes of state of all kinds. Exhaustion also leads from all states but idle and diving to recovering."""

Effect = Callable[[], object]


def enter(it: HunterRow, state: int) -> None:
    """Change the state; every change goes through here."""
    it.state = float(state)
    it.state_time = 0.0


def dispatch(number: Number, effects: Mapping[int, Effect], otherwise: Effect | None = None) -> None:
    """Call the effect of a number, or `otherwise`."""
    chosen = otherwise
    for code, effect in reversed(list(effects.items())):
        chosen = _either(number, code, effect, chosen)
    if chosen is not None:
        chosen()


def _either(number: Number, code: int, effect: Effect, otherwise: Effect | None) -> Effect:
    return lambda: when(number == float(code), effect, otherwise)
