"""The eagle pursues: it locks on one bird and wears it down, faster with every second of the chase."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import minimum
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
    BONUS,
    BONUS_MAX,
    BONUS_RATE,
    CATCH_DISTANCE,
    CENTER_X,
    CENTER_Y,
    CIRCLE_RADIUS,
    CIRCLE_RATE,
    EXHAUSTION,
    HUNT_CLOCK,
    HUNT_TIME,
    PREY_HERE,
    PURSUIT_TIME,
    SCAN_TIME,
    SEEN,
    STATE,
    STATE_TIME,
    TIRES,
    TIRING,
    TIRING_MAX,
)
from murmura.rules.hunting.states import ATTACKING, HUNTING, IDLE, RECOVERING, SCANNING, Machine

MACHINE: Machine = (
    (SCANNING, HUNTING, "a target in sight for a second: locked"),
    (SCANNING, IDLE, "nothing found in scan_time"),
    (HUNTING, ATTACKING, "within twice attack_distance"),
    (HUNTING, SCANNING, "the target is gone"),
    (HUNTING, IDLE, "pursuit_time is over"),
    (ATTACKING, RECOVERING, "caught"),
    (ATTACKING, HUNTING, "farther than three times attack_distance"),
    (ATTACKING, SCANNING, "the target is gone"),
    (ATTACKING, IDLE, "hunt_time is over"),
)
LOOK_FIRST = 1.0  # [s]


def eagle(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    if it[STATE] == SCANNING:
        eagle_scanning(p, it, world)
    elif it[STATE] == HUNTING:
        eagle_hunting(p, it, world)
    elif it[STATE] == ATTACKING:
        eagle_attacking(p, items, row, world)
    else:
        enter(it, IDLE)


def eagle_scanning(p: Any, it: Any, world: Any) -> None:
    if it[STATE_TIME] <= 1.5 * world.dt:
        start_circle(it, world, it[CENTER_X], it[CENTER_Y], it[CIRCLE_RADIUS])
    if it[SEEN] > 0.0:
        circle(p, it, world, it[CENTER_X], it[CENTER_Y], it[CIRCLE_RATE], 0.8, 0.6)
    else:
        wander(p, it, world, 0.8, 0.6)
    if it[PREY_HERE] > 0.0 and it[STATE_TIME] > LOOK_FIRST:
        begin_hunt(it, HUNTING)
    elif it[STATE_TIME] > it[SCAN_TIME]:
        enter(it, IDLE)
    else:
        eye(it)


def press_on(it: Any) -> None:
    """S0-90 to S0-92: the longer the chase, the faster the eagle and the more tired its prey."""
    it[BONUS] = minimum(it[BONUS_MAX], 1.0 + it[BONUS_RATE] * it[HUNT_CLOCK])
    it[EXHAUSTION] = minimum(it[TIRING_MAX], it[TIRING] * it[HUNT_CLOCK])
    if it[EXHAUSTION] < it[TIRING_MAX]:
        it[TIRES] = it[TIRING]


def eagle_loses(it: Any) -> None:
    """S0-89: the locked target is gone; it looks for another one."""
    it[HUNT_CLOCK] = 0.0
    enter(it, SCANNING)


def eagle_hunting(p: Any, it: Any, world: Any) -> None:
    """S0-93."""
    if it[PREY_HERE] == 0.0:
        miss(it, world)
        eagle_loses(it)
        return
    if it[HUNT_CLOCK] > it[PURSUIT_TIME]:
        miss(it, world)
        return
    press_on(it)
    chase(p, it, world, 0.3 + 0.2 * it[BONUS], it[BONUS], 0.8)
    if gap_to_prey(it, world) < 2.0 * it[ATTACK_DISTANCE]:
        enter(it, ATTACKING)


def eagle_attacking(p: Any, items: Any, row: Any, world: Any) -> None:
    it = items[row]
    if within_reach(items, row, world, it[CATCH_DISTANCE] * (1.0 + it[EXHAUSTION])):
        catch(it, world)
        return
    if it[PREY_HERE] == 0.0:
        miss(it, world)
        eagle_loses(it)
        return
    if it[HUNT_CLOCK] > it[HUNT_TIME]:
        miss(it, world)
        return
    press_on(it)
    chase(p, it, world, 0.2, 1.2 * it[BONUS], it[ATTACK_FORCE])
    if gap_to_prey(it, world) > 3.0 * it[ATTACK_DISTANCE]:
        enter(it, HUNTING)
