"""The sea lion twists: it weaves towards the school, foresees turns, feints, and likes fast prey."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import maximum, minimum, sin_cos
from murmura.core.space import offset
from murmura.core.vector import rotate
from murmura.rules.hunting.body import (
    begin_hunt,
    catch,
    chase,
    enter,
    eye,
    feint_draw,
    gap_to_prey,
    miss,
    steer_toward,
    wander,
    within_reach,
)
from murmura.rules.hunting.row import (
    AGILITY,
    ATTACK_DISTANCE,
    ATTACK_FORCE,
    ATTACK_TIME,
    BEST,
    BURST,
    CATCH_DISTANCE,
    CENTER_X,
    CENTER_Y,
    FEINT,
    FEINT_RATE,
    HUNT_TIME,
    LOSE_DISTANCE,
    PREY_HERE,
    PREY_VX,
    PREY_VX_BEFORE,
    PREY_VY,
    PREY_VY_BEFORE,
    PREY_X,
    PREY_Y,
    SCAN_TIME,
    SEEN,
    STATE,
    STATE_TIME,
    TIME,
    X,
    Y,
)
from murmura.rules.hunting.states import ATTACKING, HUNTING, IDLE, RECOVERING, SCANNING, Machine

MACHINE: Machine = (
    (SCANNING, HUNTING, "a target scores above 0.5"),
    (SCANNING, IDLE, "nothing found in scan_time"),
    (HUNTING, ATTACKING, "within attack_distance"),
    (HUNTING, IDLE, "the target is gone or farther than lose_distance, or hunt_time is over"),
    (ATTACKING, RECOVERING, "caught"),
    (ATTACKING, IDLE, "the target is gone, or attack_time is over"),
)
WORTH_IT = 0.5
WEAVE = 0.3  # [rad]
WEAVE_RATE = 2.0  # [1/s]
FEINT_ANGLE = 0.9  # [rad]


def sea_lion(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    if it[STATE] == SCANNING:
        sea_lion_scanning(p, it, world)
    elif it[STATE] == HUNTING:
        sea_lion_hunting(p, it, world)
    elif it[STATE] == ATTACKING:
        sea_lion_attacking(p, items, row, world)
    else:
        enter(it, IDLE)
    it[PREY_VX_BEFORE] = it[PREY_VX]
    it[PREY_VY_BEFORE] = it[PREY_VY]


def sea_lion_scanning(p: Any, it: Any, world: Any) -> None:
    """Weave towards the school."""
    if it[SEEN] > 0.0:
        dx, dy = offset(world, it[X], it[Y], it[CENTER_X], it[CENTER_Y])
        s, _ = sin_cos(WEAVE_RATE * it[TIME])
        dx, dy = rotate(dx, dy, WEAVE * s)
        steer_toward(p, it, world, it[X] + dx, it[Y] + dy, 0.8, it[AGILITY])
    else:
        wander(p, it, world, 0.8, 1.0)
    if it[PREY_HERE] > 0.0 and it[BEST] > WORTH_IT:
        it[FEINT] = 0.0
        begin_hunt(it, HUNTING)
    elif it[STATE_TIME] > it[SCAN_TIME]:
        enter(it, IDLE)
    else:
        eye(it)


def sea_lion_hunting(p: Any, it: Any, world: Any) -> None:
    gap = gap_to_prey(it, world)
    if it[PREY_HERE] == 0.0 or gap > it[LOSE_DISTANCE] or it[STATE_TIME] > it[HUNT_TIME]:
        miss(it, world)
        return
    u, v = feint_draw(it, world)
    it[FEINT] = maximum(0.0, it[FEINT] - world.dt)
    if it[FEINT] == 0.0 and u < it[FEINT_RATE] * world.dt:
        it[FEINT] = 0.3 + 0.2 * v
    # A lead that grows with the distance, and the turn the prey has begun.
    lead = 0.3 + 0.2 * minimum(1.0, gap / 100.0)
    turn = 0.5 * lead * lead / world.dt
    x = it[PREY_X] + world.pace * (it[PREY_VX] * lead + (it[PREY_VX] - it[PREY_VX_BEFORE]) * turn)
    y = it[PREY_Y] + world.pace * (it[PREY_VY] * lead + (it[PREY_VY] - it[PREY_VY_BEFORE]) * turn)
    if it[FEINT] > 0.0:
        dx, dy = offset(world, it[X], it[Y], x, y)
        dx, dy = rotate(dx, dy, FEINT_ANGLE)
        x = it[X] + dx
        y = it[Y] + dy
    steer_toward(p, it, world, x, y, 1.2, it[AGILITY])
    if gap < it[ATTACK_DISTANCE]:
        enter(it, ATTACKING)


def sea_lion_attacking(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    if within_reach(items, row, world, it[CATCH_DISTANCE]):
        catch(it, world)
    elif it[PREY_HERE] == 0.0 or it[STATE_TIME] > it[ATTACK_TIME]:
        miss(it, world)
    else:
        chase(p, it, world, 0.1, it[BURST], it[ATTACK_FORCE])
