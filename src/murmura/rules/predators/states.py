"""What a hunter may be doing (S0-73), how it changes from one state to another, and how that is written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from murmura.core.algebra import Number, when
from murmura.rules.predators.row import HunterRow

# What costs strength stands together, from stalking to diving, and so does what a hunt's clock counts, from hunting on.
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
"""What all minds have; beside it, exhaustion leads from every state but idle, recovering and diving to recovering."""

Effect = Callable[[], object]


def enter(it: HunterRow, state: int) -> None:
    """Change the state; every change goes through here."""
    it.state = float(state)
    it.state_time = 0.0


def dispatch(number: Number, effects: Mapping[int, Effect], otherwise: Effect | None = None) -> None:
    """Do what stands under a number, or `otherwise`."""
    chosen = otherwise
    for code, effect in reversed(list(effects.items())):
        chosen = _either(number, code, effect, chosen)
    if chosen is not None:
        chosen()


def _either(number: Number, code: int, effect: Effect, otherwise: Effect | None) -> Effect:
    return lambda: when(number == float(code), effect, otherwise)
