"""The shark circles: ever nearer round the school, then in a spiral round one fish, then after it."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import maximum, minimum
from murmura.rules.hunting.body import (
    begin_hunt,
    catch,
    chase,
    circle,
    enter,
    eye,
    gap_to_prey,
    miss,
    start_circle,
    wander,
    within_reach,
)
from murmura.rules.hunting.row import (
    ATTACK_DISTANCE,
    ATTACK_FORCE,
    ATTACK_TIME,
    BONUS,
    BONUS_MAX,
    BONUS_RATE,
    BURST,
    CATCH_DISTANCE,
    CENTER_X,
    CENTER_Y,
    CIRCLE_RADIUS,
    CIRCLE_RATE,
    DROP_ISOLATION,
    HUNT_CLOCK,
    HUNT_DISTANCE,
    HUNT_TIME,
    LEAST_ISOLATION,
    LOSE_DISTANCE,
    PREY_HERE,
    PREY_ISOLATION,
    PREY_X,
    PREY_Y,
    PURSUIT_TIME,
    RADIUS,
    SCAN_TIME,
    SEEN,
    STALK_DISTANCE,
    STALK_FORCE,
    STALK_SPEED,
    STALK_TIME,
    STATE,
    STATE_TIME,
    STEALTH,
)
from murmura.rules.hunting.states import (
    ATTACKING,
    HUNTING,
    IDLE,
    RECOVERING,
    SCANNING,
    STALKING,
    Machine,
)

MACHINE: Machine = (
    (SCANNING, STALKING, "the best target's isolation is above least_isolation"),
    (SCANNING, IDLE, "nothing found in scan_time"),
    (STALKING, HUNTING, "within hunt_distance of the target"),
    (STALKING, IDLE, "the target is gone, no longer alone (drop_isolation), or stalk_time is over"),
    (HUNTING, ATTACKING, "within attack_distance"),
    (HUNTING, IDLE, "the target is gone or farther than lose_distance, or pursuit_time is over"),
    (ATTACKING, RECOVERING, "caught"),
    (ATTACKING, IDLE, "the target is gone, or attack_time or hunt_time is over"),
)
LEAST_CIRCLE, WIDEST_CIRCLE = 180.0, 300.0  # [u] S0-100
ROOM_FOR_EACH = 0.8  # [u] S0-100
SPIRAL_RATE = 0.5  # [1/s] S0-101


def shark(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    if it[STATE] == SCANNING:
        shark_scanning(p, it, world)
    elif it[STATE] == STALKING:
        shark_stalking(p, it, world)
    elif it[STATE] == HUNTING:
        shark_hunting(p, it, world)
    elif it[STATE] == ATTACKING:
        shark_attacking(p, items, row, world)
    else:
        enter(it, IDLE)


def shark_scanning(p: Any, it: Any, world: Any) -> None:
    """S0-100."""
    if it[STATE_TIME] <= 1.5 * world.dt:
        start_circle(it, world, it[CENTER_X], it[CENTER_Y], it[CIRCLE_RADIUS])
    ideal = maximum(LEAST_CIRCLE, minimum(WIDEST_CIRCLE, ROOM_FOR_EACH * it[SEEN]))
    it[RADIUS] += (ideal - it[RADIUS]) * world.dt
    if it[SEEN] > 0.0:
        circle(p, it, world, it[CENTER_X], it[CENTER_Y], it[CIRCLE_RATE], 0.7, 0.5)
    else:
        wander(p, it, world, 0.7, 0.5)
    if it[PREY_HERE] > 0.0 and it[PREY_ISOLATION] > it[LEAST_ISOLATION]:
        start_circle(it, world, it[PREY_X], it[PREY_Y], gap_to_prey(it, world))
        begin_hunt(it, STALKING)
    elif it[STATE_TIME] > it[SCAN_TIME]:
        enter(it, IDLE)
    else:
        eye(it)


def shark_stalking(p: Any, it: Any, world: Any) -> None:
    """S0-101, from below."""
    it[STEALTH] = 1.0
    lonely = it[PREY_HERE] > 0.0 and it[PREY_ISOLATION] >= it[DROP_ISOLATION]
    if not lonely or it[STATE_TIME] > it[STALK_TIME]:
        miss(it, world)
        return
    gap = gap_to_prey(it, world)
    it[RADIUS] = maximum(it[STALK_DISTANCE], 0.7 * gap)
    circle(p, it, world, it[PREY_X], it[PREY_Y], SPIRAL_RATE, it[STALK_SPEED], it[STALK_FORCE])
    if gap < it[HUNT_DISTANCE]:
        enter(it, HUNTING)


def shark_hunting(p: Any, it: Any, world: Any) -> None:
    """S0-102."""
    gap = gap_to_prey(it, world)
    if it[PREY_HERE] == 0.0 or gap > it[LOSE_DISTANCE] or it[HUNT_CLOCK] > it[PURSUIT_TIME]:
        miss(it, world)
        return
    it[BONUS] = minimum(it[BONUS_MAX], 1.0 + it[BONUS_RATE] * it[HUNT_CLOCK])
    chase(p, it, world, 0.4 * it[BONUS], it[BONUS], 0.9)
    if gap < it[ATTACK_DISTANCE]:
        enter(it, ATTACKING)


def shark_attacking(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    late = it[STATE_TIME] > it[ATTACK_TIME] or it[HUNT_CLOCK] > it[HUNT_TIME]
    if within_reach(items, row, world, it[CATCH_DISTANCE]):
        catch(it, world)
    elif it[PREY_HERE] == 0.0 or late:
        miss(it, world)
    else:
        chase(p, it, world, 0.1, it[BURST], it[ATTACK_FORCE])
