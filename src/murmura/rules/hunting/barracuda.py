"""The barracuda lies in wait ahead of the school and shoots at what swims towards it."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import maximum
from murmura.core.space import offset
from murmura.core.vector import length, with_length
from murmura.rules.hunting.body import (
    begin_hunt,
    catch,
    chase,
    enter,
    gap_to_prey,
    goal_draw,
    miss,
    regain,
    slow_down,
    steer_toward,
    wander,
    within_reach,
)
from murmura.rules.hunting.row import (
    AMBUSH_TIME,
    ATTACK_DISTANCE,
    ATTACK_FORCE,
    ATTACK_TIME,
    BEST_ID,
    BURST,
    CATCH_DISTANCE,
    CENTER_X,
    CENTER_Y,
    ENERGY,
    FLOCK_VX,
    FLOCK_VY,
    GOAL_TIME,
    GOAL_X,
    GOAL_Y,
    HUNTING_DRAIN,
    LEAST_APPROACH,
    PREY_HERE,
    REACH,
    SEEN,
    STALK_TIME,
    STATE,
    STATE_TIME,
    STEALTH,
    STRIKE_RANGE,
    TARGET,
    TRIES,
    WAIT_TIME,
    X,
    Y,
)
from murmura.rules.hunting.states import AMBUSH, ATTACKING, IDLE, RECOVERING, SCANNING, Machine

MACHINE: Machine = (
    (SCANNING, AMBUSH, "150 to 250 ahead of the school, or stalk_time is over"),
    (AMBUSH, ATTACKING, "after wait_time, prey that swims towards it comes within attack_distance"),
    (AMBUSH, SCANNING, "ambush_time is over"),
    (ATTACKING, RECOVERING, "caught"),
    (ATTACKING, IDLE, "the target is gone, or attack_time is over"),
)
NEAR_WAIT, FAR_WAIT = 150.0, 250.0  # [u] ahead of the school
APPROACHING = 0.2  # least cosine
IN_PLACE = 20.0  # [u]


def barracuda(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    it[STEALTH] = 0.0
    if it[STATE] == SCANNING:
        barracuda_scanning(p, it, world)
    elif it[STATE] == AMBUSH:
        barracuda_ambush(it, world)
    elif it[STATE] == ATTACKING:
        barracuda_attacking(p, items, row, world)
    else:
        enter(it, IDLE)


def barracuda_scanning(p: Any, it: Any, world: Any) -> None:
    if it[TRIES] == 0.0:
        if it[SEEN] == 0.0:
            wander(p, it, world, 1.0, 1.0)
            return
        u, _ = goal_draw(it, world)
        ahead = NEAR_WAIT + (FAR_WAIT - NEAR_WAIT) * u
        ox, oy = with_length(it[FLOCK_VX], it[FLOCK_VY], ahead)
        it[GOAL_X] = it[CENTER_X] + ox
        it[GOAL_Y] = it[CENTER_Y] + oy
        it[TRIES] = 1.0
        enter(it, SCANNING)
    it[GOAL_TIME] = 1.0
    steer_toward(p, it, world, it[GOAL_X], it[GOAL_Y], 1.0, 1.0)
    dx, dy = offset(world, it[X], it[Y], it[GOAL_X], it[GOAL_Y])
    if length(dx, dy) < IN_PLACE or it[STATE_TIME] > it[STALK_TIME]:
        it[TARGET] = -1.0
        enter(it, AMBUSH)


def barracuda_ambush(it: Any, world: Any) -> None:
    it[STEALTH] = 1.0
    slow_down(it, world, 0.05)
    regain(it, world, 0.5)
    near = it[PREY_HERE] > 0.0 and gap_to_prey(it, world) < it[ATTACK_DISTANCE]
    if near and it[STATE_TIME] >= it[WAIT_TIME]:
        it[STEALTH] = 0.0
        begin_hunt(it, ATTACKING)
    elif it[STATE_TIME] > it[AMBUSH_TIME]:
        it[TRIES] = 0.0
        enter(it, SCANNING)
    else:
        it[REACH] = it[STRIKE_RANGE]
        it[LEAST_APPROACH] = APPROACHING
        it[TARGET] = it[BEST_ID]


def barracuda_attacking(p: Any, items: Any, row: Any, world: Any) -> None:
    """A burst, which costs as much again."""
    it = items[row]
    it[ENERGY] = maximum(0.0, it[ENERGY] - it[HUNTING_DRAIN] * world.dt)
    if within_reach(items, row, world, it[CATCH_DISTANCE]):
        catch(it, world)
    elif it[PREY_HERE] == 0.0 or it[STATE_TIME] > it[ATTACK_TIME]:
        miss(it, world)
    else:
        chase(p, it, world, 0.15, it[BURST], it[ATTACK_FORCE])
