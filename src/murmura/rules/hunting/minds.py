"""One turn of a hunter, in the order of S0-70, and what is true of all kinds: birth, hunger, young."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import to_integer
from murmura.rules.hunting import barracuda as barracuda_mind
from murmura.rules.hunting import eagle as eagle_mind
from murmura.rules.hunting import falcon as falcon_mind
from murmura.rules.hunting import hawk as hawk_mind
from murmura.rules.hunting import orca as orca_mind
from murmura.rules.hunting import owl as owl_mind
from murmura.rules.hunting import sea_lion as sea_lion_mind
from murmura.rules.hunting import shark as shark_mind
from murmura.rules.hunting.barracuda import barracuda
from murmura.rules.hunting.body import (
    collapse_if_exhausted,
    frighten,
    idle,
    listen,
    mood,
    move,
    recover,
    run_timers,
    spend_and_regain,
)
from murmura.rules.hunting.eagle import eagle
from murmura.rules.hunting.falcon import falcon
from murmura.rules.hunting.hawk import hawk
from murmura.rules.hunting.kinds import EAGLE, FALCON, HAWK, ORCA, OWL, SEA_LION, SHARK
from murmura.rules.hunting.orca import orca
from murmura.rules.hunting.owl import owl
from murmura.rules.hunting.row import (
    ALIVE,
    ALTITUDE,
    ANGLE,
    CATCHES,
    CAUGHT,
    COOLDOWN,
    ENERGY,
    FAILED_HUNTS,
    FRIGHT,
    GOAL_TIME,
    HUNGER,
    HUNTS,
    KIND,
    KIND_BEFORE,
    LINE,
    LISTED,
    MAX_ENERGY,
    MEALS,
    NUMBER,
    PATIENCE,
    PREY_HERE,
    REACH,
    REST,
    ROWS,
    START_X,
    START_Y,
    STATE,
    STATE_TIME,
    STEALTH,
    TARGET,
    TIME,
    TIRES,
    TRIES,
    VX,
    VY,
    WATCH_RADIUS,
    X,
    Y,
)
from murmura.rules.hunting.sea_lion import sea_lion
from murmura.rules.hunting.shark import shark
from murmura.rules.hunting.states import IDLE, RECOVERING, Machine

MACHINES: dict[str, Machine] = {
    "hawk": hawk_mind.MACHINE,
    "falcon": falcon_mind.MACHINE,
    "eagle": eagle_mind.MACHINE,
    "owl": owl_mind.MACHINE,
    "shark": shark_mind.MACHINE,
    "orca": orca_mind.MACHINE,
    "barracuda": barracuda_mind.MACHINE,
    "sea_lion": sea_lion_mind.MACHINE,
}


def take_turn(p: Any, items: Any, row: Any, told: Any, world: Any) -> None:
    """S0-70: timers, energy, exhaustion, behaviour, speed limit, move, boundary."""
    it = items[row]
    come_and_go(it)
    if it[ALIVE] == 0.0:
        return
    listen(it, told, world)
    run_timers(it, world)
    spend_and_regain(it, world)
    collapse_if_exhausted(it)
    behave(p, items, row, world)
    move(p, it, world)
    frighten(it)
    it[PREY_HERE] = 0.0
    if p.starve_after > 0.0 and it[HUNGER] > p.starve_after:
        vanish(it)
    elif p.breed_after > 0.0 and it[MEALS] >= p.breed_after:
        breed(items, row)


def behave(p: Any, items: Any, row: Any, world: Any) -> None:
    """What the state and the kind say."""
    it = items[row]
    chance = mood(it, world)
    it[STEALTH] = 0.0
    if it[STATE] == IDLE:
        idle(p, it, world, chance)
    elif it[STATE] == RECOVERING:
        recover(p, it, world)
    elif it[KIND] == HAWK:
        hawk(p, items, row, world)
    elif it[KIND] == FALCON:
        falcon(p, items, row, world)
    elif it[KIND] == EAGLE:
        eagle(p, items, row, world)
    elif it[KIND] == OWL:
        owl(p, items, row, world)
    elif it[KIND] == SHARK:
        shark(p, items, row, world)
    elif it[KIND] == ORCA:
        orca(p, items, row, world)
    elif it[KIND] == SEA_LION:
        sea_lion(p, items, row, world)
    else:
        barracuda(p, items, row, world)


def come_and_go(it: Any) -> None:
    """A row that the scenario has just filled, emptied or given another kind begins anew."""
    now = it[KIND] if it[LISTED] > 0.0 else -1.0
    if now == it[KIND_BEFORE]:
        return
    it[KIND_BEFORE] = now
    if now < 0.0:
        vanish(it)
    else:
        it[X] = it[START_X]
        it[Y] = it[START_Y]
        appear(it)


def appear(it: Any) -> None:
    """A rested hunter at its place, with nothing behind it."""
    it[ALIVE] = 1.0
    it[ENERGY] = it[MAX_ENERGY]
    it[STATE] = IDLE
    it[TARGET] = -1.0
    it[CAUGHT] = -1.0
    it[PATIENCE] = 1.0
    it[STATE_TIME] = 0.0
    it[TIME] = 0.0
    it[COOLDOWN] = 0.0
    it[REST] = 0.0
    it[ALTITUDE] = 0.0
    it[ANGLE] = 0.0
    it[GOAL_TIME] = 0.0
    it[TRIES] = 0.0
    it[PREY_HERE] = 0.0
    it[HUNTS] = 0.0
    it[CATCHES] = 0.0
    it[FAILED_HUNTS] = 0.0
    it[HUNGER] = 0.0
    it[MEALS] = 0.0


def vanish(it: Any) -> None:
    """It is gone: nobody flees from it, it looks for nobody."""
    it[ALIVE] = 0.0
    it[FRIGHT] = 0.0
    it[REACH] = 0.0
    it[WATCH_RADIUS] = 0.0
    it[TIRES] = 0.0
    it[TARGET] = -1.0
    it[CAUGHT] = -1.0


def breed(items: Any, row: Any) -> None:
    """A young one beside its parent, if a row of its line is free."""
    it = items[row]
    first = row - to_integer(it[NUMBER])
    for other in range(first, first + to_integer(it[ROWS])):
        young = items[other]
        if young[LISTED] == 0.0 and young[ALIVE] == 0.0 and young[LINE] == it[LINE]:
            it[MEALS] = 0.0
            young[X] = it[X]
            young[Y] = it[Y]
            young[VX] = -it[VX]
            young[VY] = -it[VY]
            appear(young)
            frighten(young)
            return
