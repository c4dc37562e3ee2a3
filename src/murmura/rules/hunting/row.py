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
LEAST_APPROACH = 13  # least cosine with which prey must fly towards it
WATCH_X, WATCH_Y, WATCH_RADIUS, WATCH_COSINE = 14, 15, 16, 17  # a place at which it counts birds, and their headings
# What agents know and the scenario says.
SIGHT = 18
ISOLATION_WEIGHT, EDGE_WEIGHT, VELOCITY_WEIGHT, PANIC_WEIGHT, INTERCEPT_WEIGHT = 19, 20, 21, 22, 23
PACE_WEIGHT, APPROACH_WEIGHT = 24, 25

# What only the hunter knows.
STATE, STATE_TIME, TIME, COOLDOWN, ENERGY = 26, 27, 28, 29, 30
REST = 31  # since its last effort
ALIVE, KIND_BEFORE = 32, 33
ALTITUDE, ANGLE, RADIUS = 34, 35, 36
HUNT_CLOCK, BONUS, EXHAUSTION, BURST_LEFT = 37, 38, 39, 40
STEALTH, PATIENCE = 41, 42
GOAL_X, GOAL_Y, GOAL_SCORE, GOAL_TIME, TRIES = 43, 44, 45, 46, 47
SEEN, FLOCK_VX, FLOCK_VY, WATCHED, BEST, BEST_ID = 48, 49, 50, 51, 52, 53
AIM = 54  # the greatest share of its top speed that it steered for in this turn
PREY_HERE, PREY_X, PREY_Y, PREY_VX, PREY_VY, PREY_PANIC, PREY_ISOLATION = 55, 56, 57, 58, 59, 60, 61
PREY_VX_BEFORE, PREY_VY_BEFORE, FEINT = 62, 63, 64
HUNTS, CATCHES, FAILED_HUNTS = 65, 66, 67
HUNGER, MEALS = 68, 69  # since it last ate; since it last had young

# What only the hunter knows and the scenario says.
KIND, LISTED, START_X, START_Y, LINE, ROWS = 70, 71, 72, 73, 74, 75
MAX_SPEED, MAX_FORCE, MAX_ENERGY, ENERGY_REGEN, HUNTING_DRAIN, ATTACK_COST = 76, 77, 78, 79, 80, 81
EXHAUSTION_THRESHOLD, BURST, RECOVERY_DELAY, PANIC_RADIUS, STEALTH_RADIUS = 82, 83, 84, 85, 86
ATTACK_DISTANCE, CATCH_DISTANCE, LOSE_DISTANCE = 87, 88, 89
HUNT_TIME, PURSUIT_TIME, ATTACK_TIME, ATTACK_FORCE = 90, 91, 92, 93
CIRCLE_RADIUS, CIRCLE_RATE, SCAN_TIME = 94, 95, 96
STALK_TIME, STALK_DISTANCE, STALK_SPEED, STALK_FORCE, LEAST_ISOLATION, DROP_ISOLATION = (
    97, 98, 99, 100, 101, 102,
)  # fmt: skip
BONUS_RATE, BONUS_MAX, TIRING, TIRING_MAX = 103, 104, 105, 106
CLIMB_RATE, MAX_ALTITUDE, SCAN_ALTITUDE, DIVE_ALTITUDE = 107, 108, 109, 110
WAIT_TIME, AMBUSH_TIME, STRIKE_RANGE = 111, 112, 113
AGILITY, FEINT_RATE = 114, 115
CATCH_COOLDOWN, MISS_COOLDOWN = 116, 117

FIELDS = tuple(
    name.lower()
    for name, place in sorted(globals().items(), key=lambda entry: str(entry[1]).zfill(9))
    if name.isupper() and type(place) is int
)
KNOWN, MEMORY = FIELDS[: APPROACH_WEIGHT + 1], FIELDS[APPROACH_WEIGHT + 1 :]
SETTINGS = (*FIELDS[SIGHT : APPROACH_WEIGHT + 1], *FIELDS[KIND:])
