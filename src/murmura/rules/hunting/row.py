"""Where everything about a hunter stands in its row. The names of the constants are the names of the fields."""

from __future__ import annotations

# What agents know of a hunter, and what changes from step to step.
X, Y, VX, VY = 0, 1, 2, 3
FRIGHT = 4  # how far it frightens now; 0: it is not there
TARGET = 5  # the id it is after, or eyes; -1: nobody
CAUGHT = 6  # the id it has just caught; -1: nobody
NUMBER = 7  # its place among the hunters
TIRES = 8  # the energy its target loses each second now
CENTER_X, CENTER_Y = 9, 10  # the middle of the birds it sees
SALT = 11  # what makes this step's choice differ from the next one's
REACH = 12  # how far it looks for prey now; 0: it does not
REACH_FROM = 13  # nearer prey is not for it
LEAST_APPROACH = 14  # least cosine with which prey must fly towards it
WATCH_X, WATCH_Y, WATCH_RADIUS, WATCH_COSINE = (
    15,
    16,
    17,
    18,
)  # a place at which it counts birds, and their headings
# What agents know and the scenario says.
SIGHT = 19
ISOLATION_WEIGHT, EDGE_WEIGHT, VELOCITY_WEIGHT, PANIC_WEIGHT, INTERCEPT_WEIGHT = 20, 21, 22, 23, 24
PACE_WEIGHT, APPROACH_WEIGHT = 25, 26

# What only the hunter knows.
STATE, STATE_TIME, TIME, COOLDOWN, ENERGY = 27, 28, 29, 30, 31
REST = 32  # since its last effort
ALIVE, KIND_BEFORE = 33, 34
ALTITUDE, ANGLE, RADIUS = 35, 36, 37
HUNT_CLOCK, BONUS, EXHAUSTION, BURST_LEFT = 38, 39, 40, 41
STEALTH, PATIENCE = 42, 43
GOAL_X, GOAL_Y, GOAL_SCORE, GOAL_TIME, TRIES = 44, 45, 46, 47, 48
SEEN, FLOCK_VX, FLOCK_VY, WATCHED, BEST, BEST_ID = 49, 50, 51, 52, 53, 54
AIM = 55  # the greatest share of its top speed that it steered for in this turn
PREY_HERE, PREY_X, PREY_Y, PREY_VX, PREY_VY, PREY_PANIC, PREY_ISOLATION = 56, 57, 58, 59, 60, 61, 62
PREY_VX_BEFORE, PREY_VY_BEFORE, FEINT = 63, 64, 65
HUNTS, CATCHES, FAILED_HUNTS = 66, 67, 68
HUNGER, MEALS = 69, 70  # since it last ate; since it last had young

# What only the hunter knows and the scenario says.
KIND, LISTED, START_X, START_Y, LINE, ROWS = 71, 72, 73, 74, 75, 76
MAX_SPEED, MAX_FORCE, MAX_ENERGY, ENERGY_REGEN, HUNTING_DRAIN, ATTACK_COST = 77, 78, 79, 80, 81, 82
EXHAUSTION_THRESHOLD, BURST, RECOVERY_DELAY, PANIC_RADIUS, STEALTH_RADIUS = 83, 84, 85, 86, 87
ATTACK_DISTANCE, CATCH_DISTANCE, LOSE_DISTANCE = 88, 89, 90
HUNT_TIME, PURSUIT_TIME, ATTACK_TIME, ATTACK_FORCE = 91, 92, 93, 94
CIRCLE_RADIUS, CIRCLE_RATE, SCAN_TIME = 95, 96, 97
STALK_TIME, STALK_DISTANCE, STALK_SPEED, STALK_FORCE, LEAST_ISOLATION, DROP_ISOLATION = (
    98,
    99,
    100,
    101,
    102,
    103,
)
BONUS_RATE, BONUS_MAX, TIRING, TIRING_MAX = 104, 105, 106, 107
CLIMB_RATE, MAX_ALTITUDE, SCAN_ALTITUDE, DIVE_ALTITUDE = 108, 109, 110, 111
WAIT_TIME, AMBUSH_TIME, STRIKE_RANGE = 112, 113, 114
AGILITY, FEINT_RATE = 115, 116
CATCH_COOLDOWN, MISS_COOLDOWN, HUNT_ENERGY, TARGET_DISTANCE, STALKING_DRAIN, HUNT_DISTANCE = (
    117, 118, 119, 120, 121, 122,
)  # fmt: skip

FIELDS = tuple(
    name.lower()
    for name, place in sorted(globals().items(), key=lambda entry: str(entry[1]).zfill(9))
    if name.isupper() and type(place) is int
)
KNOWN, MEMORY = FIELDS[: APPROACH_WEIGHT + 1], FIELDS[APPROACH_WEIGHT + 1 :]
SETTINGS = (*FIELDS[SIGHT : APPROACH_WEIGHT + 1], *FIELDS[KIND:])
