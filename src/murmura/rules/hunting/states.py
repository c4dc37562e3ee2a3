"""What a hunter may be doing (S0-73), and how the machines of the minds are written down."""

from __future__ import annotations

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
