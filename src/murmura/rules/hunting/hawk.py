"""The hawk hunts at the edge: it circles the flock, stalks a straggler from outside, and bursts upon it."""

from __future__ import annotations

from typing import Any

from murmura.core.space import offset
from murmura.core.vector import with_length
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
    steer_toward,
    wander,
    within_reach,
)
from murmura.rules.hunting.row import (
    ATTACK_COST,
    ATTACK_DISTANCE,
    ATTACK_FORCE,
    ATTACK_TIME,
    BURST,
    BURST_LEFT,
    CATCH_DISTANCE,
    CENTER_X,
    CENTER_Y,
    CIRCLE_RADIUS,
    CIRCLE_RATE,
    DROP_ISOLATION,
    ENERGY,
    HUNT_DISTANCE,
    HUNT_TIME,
    LEAST_ISOLATION,
    LOSE_DISTANCE,
    PREY_HERE,
    PREY_ISOLATION,
    PREY_X,
    PREY_Y,
    SCAN_TIME,
    SEEN,
    STALK_DISTANCE,
    STALK_FORCE,
    STALK_SPEED,
    STALK_TIME,
    STATE,
    STATE_TIME,
    STEALTH,
    VX,
    VY,
    X,
    Y,
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
    (STALKING, HUNTING, "in place outside the flock, or within hunt_distance of the target"),
    (STALKING, IDLE, "the target is gone, no longer alone (drop_isolation), or stalk_time is over"),
    (HUNTING, ATTACKING, "within attack_distance"),
    (HUNTING, IDLE, "the target is gone or farther than lose_distance, or hunt_time is over"),
    (ATTACKING, RECOVERING, "caught"),
    (ATTACKING, IDLE, "the target is gone, or attack_time is over"),
)
LEAD = 0.5  # [s] S0-76
BURST_WITHIN = 120.0  # [u] S0-77
BURST_TIME = 1.5  # [s] S0-77
IN_PLACE = 50.0  # [u]
RECOIL = -0.3


def hawk(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    if it[STATE] == SCANNING:
        hawk_scanning(p, it, world)
    elif it[STATE] == STALKING:
        hawk_stalking(p, it, world)
    elif it[STATE] == HUNTING:
        hawk_hunting(p, it, world)
    elif it[STATE] == ATTACKING:
        hawk_attacking(p, items, row, world)
    else:
        enter(it, IDLE)


def hawk_scanning(p: Any, it: Any, world: Any) -> None:
    """S0-74, S0-75."""
    if it[STATE_TIME] <= 1.5 * world.dt:
        start_circle(it, world, it[CENTER_X], it[CENTER_Y], it[CIRCLE_RADIUS])
    if it[SEEN] > 0.0:
        circle(p, it, world, it[CENTER_X], it[CENTER_Y], it[CIRCLE_RATE], 0.8, 0.6)
    else:
        wander(p, it, world, 0.8, 0.6)
    if it[PREY_HERE] > 0.0 and it[PREY_ISOLATION] > it[LEAST_ISOLATION]:
        begin_hunt(it, STALKING)
    elif it[STATE_TIME] > it[SCAN_TIME]:
        enter(it, IDLE)
    else:
        eye(it)


def hawk_stalking(p: Any, it: Any, world: Any) -> None:
    """To a place outside the flock, beyond the target, under cover."""
    it[STEALTH] = 1.0
    lonely = it[PREY_HERE] > 0.0 and it[PREY_ISOLATION] >= it[DROP_ISOLATION]
    if not lonely or it[STATE_TIME] > it[STALK_TIME]:
        miss(it, world)
        return
    outwards = offset(world, it[CENTER_X], it[CENTER_Y], it[PREY_X], it[PREY_Y])
    ox, oy = with_length(outwards[0], outwards[1], it[STALK_DISTANCE])
    x = it[PREY_X] + ox
    y = it[PREY_Y] + oy
    steer_toward(p, it, world, x, y, it[STALK_SPEED], it[STALK_FORCE])
    dx, dy = offset(world, it[X], it[Y], x, y)
    if dx * dx + dy * dy < IN_PLACE * IN_PLACE or gap_to_prey(it, world) < it[HUNT_DISTANCE]:
        enter(it, HUNTING)


def hawk_hunting(p: Any, it: Any, world: Any) -> None:
    """S0-76 to S0-78, S0-80."""
    gap = gap_to_prey(it, world)
    if it[PREY_HERE] == 0.0 or gap > it[LOSE_DISTANCE] or it[STATE_TIME] > it[HUNT_TIME]:
        miss(it, world)
        return
    if gap < BURST_WITHIN and it[BURST_LEFT] == 0.0 and it[ENERGY] > 1.5 * it[ATTACK_COST]:
        it[BURST_LEFT] = BURST_TIME
    if it[BURST_LEFT] > 0.0:
        chase(p, it, world, LEAD, 1.4, 1.8)
    else:
        chase(p, it, world, LEAD, 1.1, 1.0)
    if gap < it[ATTACK_DISTANCE]:
        enter(it, ATTACKING)


def hawk_attacking(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    if within_reach(items, row, world, it[CATCH_DISTANCE]):
        catch(it, world)
        it[VX] *= RECOIL
        it[VY] *= RECOIL
    elif it[PREY_HERE] == 0.0 or it[STATE_TIME] > it[ATTACK_TIME]:
        miss(it, world)
    else:
        chase(p, it, world, 0.1, it[BURST], it[ATTACK_FORCE])
