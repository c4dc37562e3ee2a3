"""The owl waits: it picks a perch where birds come by, sits still unseen, and strikes what comes near."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import maximum, minimum, sin_cos
from murmura.core.space import offset, wrapped
from murmura.core.vector import length
from murmura.rules.hunting.body import (
    PI,
    begin_hunt,
    catch,
    chase,
    enter,
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
    ATTACK_FORCE,
    ATTACK_TIME,
    BEST_ID,
    BURST,
    CATCH_DISTANCE,
    CENTER_X,
    CENTER_Y,
    GOAL_SCORE,
    GOAL_TIME,
    GOAL_X,
    GOAL_Y,
    PATIENCE,
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
    WATCH_COSINE,
    WATCH_RADIUS,
    WATCH_X,
    WATCH_Y,
    WATCHED,
    X,
    Y,
)
from murmura.rules.hunting.states import AMBUSH, ATTACKING, IDLE, RECOVERING, SCANNING, Machine

MACHINE: Machine = (
    (SCANNING, AMBUSH, "at the best of eight perches, or stalk_time is over"),
    (AMBUSH, ATTACKING, "after wait_time, prey within strike_range"),
    (AMBUSH, SCANNING, "ambush_time times patience is over"),
    (ATTACKING, RECOVERING, "caught"),
    (ATTACKING, IDLE, "the target is gone, or attack_time is over"),
)
PERCHES = 8.0
NEAR_PERCH, FAR_PERCH = 150.0, 250.0  # [u] from the middle of the flock
TRAFFIC = 200.0  # [u] how far from a perch birds that fly towards it count
EDGE_BONUS = 0.5
AT_PERCH = 15.0  # [u]


def owl(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    it[STEALTH] = 0.0
    if it[STATE] == SCANNING:
        owl_scanning(p, it, world)
    elif it[STATE] == AMBUSH:
        owl_ambush(it, world)
    elif it[STATE] == ATTACKING:
        owl_attacking(p, items, row, world)
    else:
        enter(it, IDLE)


def owl_scanning(p: Any, it: Any, world: Any) -> None:
    """Look at one possible perch in each step, then fly to the best of them."""
    if it[SEEN] == 0.0 and it[TRIES] <= PERCHES:
        wander(p, it, world, 1.0, 1.0)
        it[TRIES] = 0.0
        return
    if it[TRIES] <= PERCHES:
        weigh_perch(p, it, world)
        return
    steer_toward(p, it, world, it[GOAL_X], it[GOAL_Y], 1.0, 1.0)
    dx, dy = offset(world, it[X], it[Y], it[GOAL_X], it[GOAL_Y])
    if length(dx, dy) < AT_PERCH or it[STATE_TIME] > it[STALK_TIME]:
        enter(it, AMBUSH)


def weigh_perch(p: Any, it: Any, world: Any) -> None:
    """Judge the perch that was watched in this step, and watch another one in the next."""
    if it[TRIES] == 0.0:
        it[GOAL_SCORE] = -1.0
    else:
        score = it[WATCHED]
        x_edge = minimum(it[WATCH_X], world.width - it[WATCH_X])
        y_edge = minimum(it[WATCH_Y], world.height - it[WATCH_Y])
        if minimum(x_edge, y_edge) < p.edge_margin:
            score = score + EDGE_BONUS
        if score > it[GOAL_SCORE]:
            it[GOAL_SCORE] = score
            it[GOAL_X] = it[WATCH_X]
            it[GOAL_Y] = it[WATCH_Y]
    it[TRIES] += 1.0
    it[GOAL_TIME] = 1.0
    if it[TRIES] > PERCHES:
        enter(it, SCANNING)
    else:
        u, v = goal_draw(it, world)
        s, c = sin_cos(2.0 * PI * u)
        distance = NEAR_PERCH + (FAR_PERCH - NEAR_PERCH) * v
        x = it[CENTER_X] + c * distance
        y = it[CENTER_Y] + s * distance
        if world.wraps:
            x = wrapped(x, world.width)
            y = wrapped(y, world.height)
        if world.walled:
            x = minimum(maximum(x, 0.0), world.width)
            y = minimum(maximum(y, 0.0), world.height)
        it[WATCH_X] = x
        it[WATCH_Y] = y
        it[WATCH_RADIUS] = TRAFFIC
        it[WATCH_COSINE] = 0.5


def owl_ambush(it: Any, world: Any) -> None:
    """S0-95 to S0-97."""
    it[STEALTH] = 1.0
    slow_down(it, world, 0.05)
    regain(it, world, 0.5)
    if it[STATE_TIME] >= it[WAIT_TIME] and it[BEST_ID] >= 0.0:
        it[TARGET] = it[BEST_ID]
        it[STEALTH] = 0.0
        begin_hunt(it, ATTACKING)
    elif it[STATE_TIME] > it[AMBUSH_TIME] * it[PATIENCE]:
        it[PATIENCE] *= 0.9
        it[TRIES] = 0.0
        enter(it, SCANNING)
    else:
        it[REACH] = it[STRIKE_RANGE]


def owl_attacking(p: Any, items: Any, row: Any, world: Any) -> None:
    """S0-98."""
    it = items[row]
    if within_reach(items, row, world, it[CATCH_DISTANCE]):
        it[PATIENCE] = minimum(1.5, it[PATIENCE] + 0.2)
        catch(it, world)
    elif it[PREY_HERE] == 0.0 or it[STATE_TIME] > it[ATTACK_TIME]:
        it[PATIENCE] = maximum(0.2, it[PATIENCE] * 0.8)
        miss(it, world)
    else:
        chase(p, it, world, 0.15, it[BURST], it[ATTACK_FORCE])
