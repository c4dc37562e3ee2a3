"""The orca herds: it drives a fish away from a dense school, and the longer it works the better it gets."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import minimum
from murmura.core.space import offset
from murmura.core.vector import with_length
from murmura.rules.hunting.body import (
    ANY_HEADING,
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
    HUNT_CLOCK,
    HUNT_TIME,
    LEAST_ISOLATION,
    LOSE_DISTANCE,
    PREY_HERE,
    PREY_ISOLATION,
    PREY_X,
    PREY_Y,
    PURSUIT_TIME,
    SCAN_TIME,
    SEEN,
    STALK_DISTANCE,
    STALK_FORCE,
    STALK_SPEED,
    STALK_TIME,
    STATE,
    STATE_TIME,
    WATCH_COSINE,
    WATCH_RADIUS,
    WATCH_X,
    WATCH_Y,
    WATCHED,
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
    (SCANNING, STALKING, "the school is dense: it is herded"),
    (SCANNING, HUNTING, "the school is loose"),
    (SCANNING, IDLE, "nothing found in scan_time"),
    (STALKING, HUNTING, "the target's isolation is above least_isolation, or stalk_time is over"),
    (STALKING, IDLE, "the target is gone"),
    (HUNTING, ATTACKING, "within attack_distance"),
    (HUNTING, IDLE, "the target is gone or farther than lose_distance, or pursuit_time is over"),
    (ATTACKING, RECOVERING, "caught"),
    (ATTACKING, IDLE, "the target is gone, or attack_time or hunt_time is over"),
)
CORE = 100.0  # [u] fish within this of the middle make a school dense
DENSE = 25.0  # that many of them: half of 50
LOOK_FIRST = 1.0  # [s]


def orca(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    if it[STATE] == SCANNING:
        orca_scanning(p, it, world)
    elif it[STATE] == STALKING:
        orca_stalking(p, it, world)
    elif it[STATE] == HUNTING:
        orca_hunting(p, it, world)
    elif it[STATE] == ATTACKING:
        orca_attacking(p, items, row, world)
    else:
        enter(it, IDLE)


def orca_scanning(p: Any, it: Any, world: Any) -> None:
    if it[STATE_TIME] <= 1.5 * world.dt:
        start_circle(it, world, it[CENTER_X], it[CENTER_Y], it[CIRCLE_RADIUS])
    if it[SEEN] > 0.0:
        circle(p, it, world, it[CENTER_X], it[CENTER_Y], it[CIRCLE_RATE], 0.8, 0.6)
    else:
        wander(p, it, world, 0.8, 0.6)
    it[WATCH_X] = it[CENTER_X]
    it[WATCH_Y] = it[CENTER_Y]
    it[WATCH_RADIUS] = CORE
    it[WATCH_COSINE] = ANY_HEADING
    if it[PREY_HERE] > 0.0 and it[STATE_TIME] > LOOK_FIRST:
        if it[WATCHED] > DENSE:
            begin_hunt(it, STALKING)
        else:
            begin_hunt(it, HUNTING)
    elif it[STATE_TIME] > it[SCAN_TIME]:
        enter(it, IDLE)
    else:
        eye(it)


def work_up(it: Any, time: Any) -> None:
    it[BONUS] = minimum(it[BONUS_MAX], 1.0 + it[BONUS_RATE] * time)


def orca_stalking(p: Any, it: Any, world: Any) -> None:
    """Between the school and the target, driving it out."""
    if it[PREY_HERE] == 0.0:
        miss(it, world)
        return
    work_up(it, it[STATE_TIME])
    inwards = offset(world, it[PREY_X], it[PREY_Y], it[CENTER_X], it[CENTER_Y])
    ox, oy = with_length(inwards[0], inwards[1], it[STALK_DISTANCE])
    steer_toward(p, it, world, it[PREY_X] + ox, it[PREY_Y] + oy, it[STALK_SPEED], it[STALK_FORCE])
    if it[PREY_ISOLATION] > it[LEAST_ISOLATION] or it[STATE_TIME] > it[STALK_TIME]:
        it[HUNT_CLOCK] = it[STATE_TIME]
        enter(it, HUNTING)


def orca_hunting(p: Any, it: Any, world: Any) -> None:
    gap = gap_to_prey(it, world)
    if it[PREY_HERE] == 0.0 or gap > it[LOSE_DISTANCE] or it[HUNT_CLOCK] > it[PURSUIT_TIME]:
        miss(it, world)
        return
    work_up(it, it[HUNT_CLOCK])
    chase(p, it, world, 0.35 * it[BONUS], it[BONUS], 1.0)
    if gap < it[ATTACK_DISTANCE]:
        enter(it, ATTACKING)


def orca_attacking(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    late = it[STATE_TIME] > it[ATTACK_TIME] or it[HUNT_CLOCK] > it[HUNT_TIME]
    if within_reach(items, row, world, it[CATCH_DISTANCE] * (0.8 + 0.2 * it[BONUS])):
        catch(it, world)
    elif it[PREY_HERE] == 0.0 or late:
        miss(it, world)
    else:
        chase(p, it, world, 0.1, it[BURST], it[ATTACK_FORCE])
