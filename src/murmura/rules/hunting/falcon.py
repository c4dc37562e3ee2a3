"""The falcon stoops: it climbs above its prey and falls on it at three and a half times its cruising speed."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import maximum, minimum
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
    wander,
    within_reach,
)
from murmura.rules.hunting.row import (
    ALTITUDE,
    ATTACK_COST,
    ATTACK_FORCE,
    ATTACK_TIME,
    BEST,
    BURST,
    CATCH_DISTANCE,
    CENTER_X,
    CENTER_Y,
    CIRCLE_RADIUS,
    CIRCLE_RATE,
    CLIMB_RATE,
    DIVE_ALTITUDE,
    ENERGY,
    HUNTING_DRAIN,
    MAX_ALTITUDE,
    MAX_SPEED,
    PREY_HERE,
    PREY_X,
    PREY_Y,
    REACH_FROM,
    SCAN_ALTITUDE,
    SEEN,
    STALK_TIME,
    STATE,
    STATE_TIME,
    VX,
    VY,
    X,
    Y,
)
from murmura.rules.hunting.states import CLIMBING, DIVING, IDLE, RECOVERING, SCANNING, Machine

MACHINE: Machine = (
    (SCANNING, CLIMBING, "at scan_altitude, and a target scores above 0.5"),
    (CLIMBING, DIVING, "at dive_altitude, energy above attack_cost, the target between 100 and 350 away"),
    (CLIMBING, IDLE, "the target is gone, or stalk_time is over"),
    (DIVING, RECOVERING, "caught"),
    (DIVING, IDLE, "the target is gone, or attack_time is over"),
)
WORTH_IT = 0.5
NEAREST_DIVE, FARTHEST_DIVE = 100.0, 350.0  # [u] S0-83
SINKING = 2.0  # [1/s] S0-84
START_OF_DIVE = 1.5  # times its top speed
AFTER_DIVE = 0.3  # what is left of its velocity


def falcon(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    if it[STATE] == SCANNING:
        falcon_scanning(p, it, world)
    elif it[STATE] == CLIMBING:
        falcon_climbing(p, it, world)
    elif it[STATE] == DIVING:
        falcon_diving(p, items, row, world)
    else:
        enter(it, IDLE)


def falcon_scanning(p: Any, it: Any, world: Any) -> None:
    """Wait on high above the flock."""
    change = it[CLIMB_RATE] * world.dt
    it[ALTITUDE] = maximum(minimum(it[SCAN_ALTITUDE], it[ALTITUDE] + change), it[ALTITUDE] - change)
    if it[STATE_TIME] <= 1.5 * world.dt:
        start_circle(it, world, it[CENTER_X], it[CENTER_Y], it[CIRCLE_RADIUS])
    if it[SEEN] > 0.0:
        circle(p, it, world, it[CENTER_X], it[CENTER_Y], it[CIRCLE_RATE], 0.8, 0.6)
    else:
        wander(p, it, world, 0.8, 0.6)
    if it[PREY_HERE] > 0.0 and it[BEST] > WORTH_IT and it[ALTITUDE] >= it[SCAN_ALTITUDE]:
        begin_hunt(it, CLIMBING)
    else:
        eye(it)
        it[REACH_FROM] = NEAREST_DIVE


def falcon_climbing(p: Any, it: Any, world: Any) -> None:
    """S0-81 to S0-83."""
    if it[PREY_HERE] == 0.0 or it[STATE_TIME] > it[STALK_TIME]:
        miss(it, world)
        return
    it[ALTITUDE] = minimum(it[MAX_ALTITUDE], it[ALTITUDE] + it[CLIMB_RATE] * world.dt)
    chase(p, it, world, 1.5, 0.5, 0.4)
    gap = gap_to_prey(it, world)
    high = it[ALTITUDE] >= it[DIVE_ALTITUDE] and it[ENERGY] > it[ATTACK_COST]
    if high and gap > NEAREST_DIVE and gap < FARTHEST_DIVE:
        dx, dy = offset(world, it[X], it[Y], it[PREY_X], it[PREY_Y])
        vx, vy = with_length(dx, dy, it[MAX_SPEED] * p.speed_factor * START_OF_DIVE)
        it[VX] = vx
        it[VY] = vy
        enter(it, DIVING)


def falcon_diving(p: Any, items: Any, row: Any, world: Any) -> None:
    """S0-84 to S0-86; it ends by a hit, by the loss of the target or by time, not on the ground (decision 12)."""
    it = items[row]
    it[ALTITUDE] = maximum(0.0, it[ALTITUDE] - SINKING * world.dt)
    it[ENERGY] = maximum(0.0, it[ENERGY] - 2.0 * it[HUNTING_DRAIN] * world.dt)
    if within_reach(items, row, world, it[CATCH_DISTANCE]):
        catch(it, world)
        it[VX] *= AFTER_DIVE
        it[VY] *= AFTER_DIVE
    elif it[PREY_HERE] == 0.0 or it[STATE_TIME] > it[ATTACK_TIME]:
        miss(it, world)
        it[VX] *= AFTER_DIVE
        it[VY] *= AFTER_DIVE
    else:
        chase(p, it, world, 0.3, it[BURST], it[ATTACK_FORCE])
