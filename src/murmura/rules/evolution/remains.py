"""What the killed leave behind: a carcass that feeds predators, and a warning to prey.

Each place for remains is an item that listens. Who dies tells the place with the number of its own id, counted round,
so that nobody's order matters; two who die at once for the same place leave nothing. New remains replace old ones.
Who eats at a carcass is counted after the move, and given its share in the next step by the very same test.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murmura.core.algebra import floor, minimum, sqrt, to_number, where
from murmura.core.events import Event
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.space import offset
from murmura.core.vector import TINY
from murmura.rules.evolution.stances import FLEEING, FLOCKING, SEEKING_FOOD
from murmura.rules.stages import FAR, NOWHERE
from murmura.rules.towards import steer_at_speed, steer_towards

MEAL = float(Event.MEAL)
SLOT, X, Y, AMOUNT, STRENGTH, PORTION, LAIN_FOR = range(7)


@register_rule("remains")
class Remains(Rule):
    """Carcasses feed those with an appetite for them; others keep away from places of death for a while."""

    weight: float = quantity(1.0, "How much the way to a carcass counts.", "", (0, 5), ge=0)
    warning_weight: float = quantity(
        0.5, "How much keeping away from places of death counts.", "", (0, 5), ge=0
    )
    appetite: float = quantity(0.0, "Whether this species eats carcasses: 1, else 0.", "", (0, 1), ge=0, le=1)
    places: int = quantity(48, "How many remains there may be at once.", "", (1, 100), ge=1, le=120)
    share: float = quantity(
        0.8, "Energy in a carcass, in that of a sated animal of its size.", "", (0, 2), ge=0
    )
    sense: float = quantity(150.0, "How far a carcass is noticed.", "u", (10, 400), gt=0)
    reach: float = quantity(30.0, "How near one must be to eat.", "u", (1, 100), gt=0)
    bite: float = quantity(0.25, "Energy that an eater takes in a second.", "1/s", (0, 2), ge=0)
    lasts: float = quantity(30.0, "How long a carcass is worth eating.", "s", (1, 300), gt=0)
    warning_radius: float = quantity(60.0, "How far a place of death warns at least.", "u", (1, 300), gt=0)
    warning_growth: float = quantity(10.0, "How much farther a full warning reaches.", "u", (0, 100), ge=0)
    warning_lasts: float = quantity(20.0, "How long a place of death warns.", "s", (1, 300), gt=0)

    item_fields = ("slot", "x", "y", "amount", "strength", "portion")
    memory_fields = ("lain_for",)
    item_accumulates = ("least", "payload", "payload", "sum", "sum", "sum", "greatest")
    gathers = ("count", "sum", "sum", "sum", "count")
    reads = ("stance", "health", "gene_size")
    writes = ("energy", "scent")
    columns = {"stance": int(FLOCKING), "health": 1.0, "gene_size": 1.0, "scent": FAR}

    def items(self) -> Sequence[Sequence[float]]:
        return [(float(slot), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0) for slot in range(self.places)]

    def item_range(self) -> float:
        return max(self.sense, self.reach, self.warning_radius + self.warning_growth)

    @staticmethod
    def item(p: Any, me: Any, it: Any, world: Any) -> Any:
        dx, dy = offset(world, me.x, me.y, it.x, it.y)
        d2 = dx * dx + dy * dy
        smells = (p.appetite > 0.0) & (it.amount > 0.0) & (d2 <= p.sense * p.sense)
        gains = where(_could_eat(p, me, it, d2), it.portion, 0.0)
        radius = p.warning_radius + p.warning_growth * it.strength
        warned = (p.appetite == 0.0) & (it.strength > 0.0) & (d2 <= radius * radius)
        push = where(warned, it.strength / (d2 + TINY), 0.0)
        place = where(gains > 0.0, it.slot + 1.0, 0.0)
        return where(smells, d2, FAR), dx, dy, gains, -dx * push, -dy * push, place

    @staticmethod
    def feel(p: Any, me: Any, acc: Any, world: Any) -> Any:
        energy = minimum(1.0, me.energy + acc[3] / me.gene_size)
        nearest = acc[0]
        return energy, where(nearest < NOWHERE, sqrt(where(nearest < NOWHERE, nearest, 0.0)), FAR)

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        d2, dx, dy, _, away_x, away_y, _ = acc
        seeks = (me.stance == SEEKING_FOOD) & (d2 < NOWHERE)
        near = minimum(1.0, sqrt(where(seeks, d2, 0.0)) / p.reach)
        fx, fy = steer_at_speed(dx, dy, me.max_speed * near, me)
        w = where(seeks, p.weight, 0.0)
        ax, ay = steer_towards(away_x, away_y, me)
        v = where(me.stance == FLEEING, 0.0, p.warning_weight)
        return fx * w + ax * v, fy * w + ay * v

    @staticmethod
    def hush(p: Any, me: Any, acc: Any, world: Any) -> Any:
        # Silences nobody, and is thereby not silenced when others are.
        return 1.0 + 0.0 * me.x

    @staticmethod
    def speaks(p: Any, me: Any, world: Any) -> Any:
        return (me.health <= 0.0) | (p.appetite > 0.0)

    @staticmethod
    def happens(p: Any, was: Any, me: Any, acc: Any, world: Any) -> Any:
        """What it takes in a step is told as a meal: at which place, and how much energy."""
        return where(acc[3] > 0.0, MEAL, 0.0), acc[6] - 1.0, acc[3]

    @staticmethod
    def gather(p: Any, me: Any, it: Any, world: Any) -> Any:
        own = to_number(me.id)
        own = own - p.places * floor(own / p.places)
        dies = where((me.health <= 0.0) & (own == it.slot), 1.0, 0.0)
        dx, dy = offset(world, me.x, me.y, it.x, it.y)
        eats = where(_could_eat(p, me, it, dx * dx + dy * dy) & (it.amount > 0.0), 1.0, 0.0)
        return dies, me.x * dies, me.y * dies, me.gene_size * dies, eats

    @staticmethod
    def turn(p: Any, items: Any, row: Any, told: Any, world: Any) -> None:
        it = items[row]
        eaters = told[4]
        it[PORTION] = 0.0
        if eaters > 0.0 and it[AMOUNT] > 0.0:
            it[PORTION] = min(p.bite * world.dt, it[AMOUNT] / eaters)
            it[AMOUNT] = max(0.0, it[AMOUNT] - it[PORTION] * eaters)
        it[LAIN_FOR] += world.dt
        if it[LAIN_FOR] > p.lasts:
            it[AMOUNT] = 0.0
        it[STRENGTH] = max(0.0, it[STRENGTH] - world.dt / p.warning_lasts)
        if told[0] == 1.0:
            it[X], it[Y], it[LAIN_FOR] = told[1], told[2], 0.0
            it[AMOUNT], it[STRENGTH], it[PORTION] = p.share * told[3], 1.0, 0.0


def _could_eat(p: Any, me: Any, it: Any, d2: Any) -> Any:
    """Whether an agent would eat here: in reach, not full, not on the run."""
    at = (p.appetite > 0.0) & (d2 <= p.reach * p.reach)
    return at & (me.energy < 1.0) & (me.stance != FLEEING) & (me.health > 0.0)
