"""Remains of killed agents: a carcass that feeds predators and warns prey.

Each slot for remains is a stateful item. A dying agent reports to the slot with the number of its id modulo the number
of slots, so the result does not depend on order; two that die in one step and share a slot leave nothing. New remains
replace old ones. Feeders at a carcass are counted after the move, and get their share in the next step by the same
test.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murmura.core.algebra import floor, maximum, minimum, sqrt, to_number, when, where
from murmura.core.events import Event
from murmura.core.layout import POSITION, layout_of_width, place_of
from murmura.core.merging import FAR, Count, Greatest, Least, Sum, Total
from murmura.core.model import choice, quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import World
from murmura.core.vec import TINY
from murmura.core.world.space import offset
from murmura.rules.evolution.animal import Animal
from murmura.rules.evolution.stances import FLEEING, FLOCKING, SEEKING_FOOD
from murmura.rules.steering.towards import steer_at_speed, steer_towards

MEAL = float(Event.MEAL)


@register_rule("remains")
class Remains(Rule):
    """Carcasses feed those with an appetite for them; others keep away from places of death for a while."""

    weight: float = quantity(1.0, "How much heading for a carcass counts.", "", (0, 5), ge=0)
    warning_weight: float = quantity(
        0.5, "How much keeping away from places of death counts.", "", (0, 5), ge=0
    )
    appetite: float = quantity(0.0, "Whether this species eats carcasses: 1, else 0.", "", (0, 1), ge=0, le=1)
    places: int = quantity(48, "Maximum number of remains at a time.", "", (1, 100), ge=1, le=120)
    share: float = quantity(
        0.8, "Energy in a carcass, as a share of that of a sated animal of its size.", "", (0, 2), ge=0
    )
    sense: float = quantity(150.0, "Distance at which a carcass is noticed.", "u", (10, 400), gt=0)
    reach: float = quantity(30.0, "How near an animal must be to eat.", "u", (1, 100), gt=0)
    bite: float = quantity(0.25, "Energy that an eater takes per second.", "1/s", (0, 2), ge=0)
    arrival: bool = choice(True, "Whether an eater slows down as it reaches a carcass; else a plain seek.")
    lasts: float = quantity(30.0, "How long a carcass is worth eating.", "s", (1, 300), gt=0)
    warning_radius: float = quantity(
        60.0, "Minimum distance at which a place of death warns.", "u", (1, 300), gt=0
    )
    warning_growth: float = quantity(10.0, "How much farther a fresh warning reaches.", "u", (0, 100), ge=0)
    warning_lasts: float = quantity(20.0, "How long a place of death warns.", "s", (1, 300), gt=0)

    needs = {"combat": "deaths need combat"}
    shared = ("places", "share", "bite", "lasts", "warning_lasts")
    item_fields = ("slot", POSITION, "amount", "strength", "portion")
    memory_fields = ("lain_for",)
    reads = ("stance", "health", "gene_size")
    writes = ("energy", "scent")
    columns = {"stance": int(FLOCKING), "health": 1.0, "gene_size": 1.0, "scent": FAR}

    def items(self) -> Sequence[Sequence[Any]]:
        return [(float(slot), (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0) for slot in range(self.places)]

    def item_range(self) -> float:
        return maximum(maximum(self.sense, self.reach), self.warning_radius + self.warning_growth)

    def objects(self, rows: Any, time: float) -> list[dict[str, Any]]:
        """Carcasses that can still be eaten; the initial amount assumes an animal of size 1."""
        found = []
        fields = (*self.item_fields, *self.memory_fields)
        columns = layout_of_width(fields, 0 if rows is None else rows.shape[1]).columns
        for row in [] if rows is None else rows.astype(float).tolist():
            it = dict(zip(columns, row, strict=True))
            if it["amount"] > 0.0:
                full = max(it["amount"], self.share)
                found.append({"kind": "carcass", **place_of(it), "amount": it["amount"], "capacity": full})
        return found

    @staticmethod
    def item(p: Remains, me: Animal, it: Any, world: World) -> Any:
        way = offset(world, me.position, it.position)
        square = way.square
        smells = (p.appetite > 0.0) & (it.amount > 0.0) & (square <= p.sense * p.sense)
        gains = where(_could_eat(p, me, square), it.portion, 0.0)
        radius = p.warning_radius + p.warning_growth * it.strength
        warned = (p.appetite == 0.0) & (it.strength > 0.0) & (square <= radius * radius)
        push = where(warned, it.strength / (square + TINY), 0.0)
        return {
            "carcass": Least(where(smells, square, FAR), offset=way),
            "gains": Sum(gains),
            "away": Sum(-way * push),
            "place": Greatest(where(gains > 0.0, it.slot + 1.0, 0.0)),
        }

    @staticmethod
    def feel(p: Remains, me: Animal, found: Any, world: World) -> Any:
        carcass = found.carcass
        return {
            "energy": minimum(1.0, me.energy + found.gains / me.gene_size),
            "scent": where(carcass.exists, sqrt(where(carcass.exists, carcass.score, 0.0)), FAR),
        }

    @staticmethod
    def steer(p: Remains, me: Animal, found: Any, world: World) -> Any:
        carcass = found.carcass
        seeks = (me.stance == SEEKING_FOOD) & carcass.exists
        near = minimum(1.0, sqrt(where(seeks, carcass.score, 0.0)) / p.reach) if p.arrival else 1.0
        force = steer_at_speed(carcass.offset, me.max_speed * near, me) * where(seeks, p.weight, 0.0)
        warning = where(me.stance == FLEEING, 0.0, p.warning_weight)
        return force + steer_towards(found.away, me) * warning

    @staticmethod
    def suppress(p: Remains, me: Animal, found: Any, world: World) -> Any:
        # A factor of 1 suppresses nothing, and keeps other rules from suppressing this one.
        return 1.0

    @staticmethod
    def may_report(p: Remains, me: Animal, world: World) -> Any:
        return (me.health <= 0.0) | (p.appetite > 0.0)

    @staticmethod
    def happens(p: Remains, was: Animal, me: Animal, found: Any, world: World) -> Any:
        """A meal: the slot, and the energy taken in this step."""
        return where(found.gains > 0.0, MEAL, 0.0), found.place - 1.0, found.gains

    @staticmethod
    def gather(p: Remains, me: Animal, it: Any, world: World) -> Any:
        own = to_number(me.id)
        own = own - p.places * floor(own / p.places)
        dies = (me.health <= 0.0) & (own == it.slot)
        counts = where(dies, 1.0, 0.0)
        away = offset(world, me.position, it.position).square
        return {
            "deaths": Count(dies),
            "place": Total(me.position * counts),
            "size": Total(me.gene_size * counts),
            "eaters": Count(_could_eat(p, me, away) & (it.amount > 0.0)),
        }

    @staticmethod
    def turn(p: Remains, it: Any, reports: Any, items: Any, world: World) -> None:
        share = it.amount / maximum(1.0, reports.eaters)
        it.portion = where(reports.eaters > 0.0, minimum(p.bite * world.dt, share), 0.0)
        it.amount = maximum(0.0, it.amount - it.portion * reports.eaters)
        it.lain_for = it.lain_for + world.dt
        it.amount = where(it.lain_for > p.lasts, 0.0, it.amount)
        it.strength = maximum(0.0, it.strength - world.dt / p.warning_lasts)
        when(reports.deaths == 1.0, lambda: _place_carcass(p, it, reports))


def _place_carcass(p: Remains, it: Any, reports: Any) -> None:
    """Replace old remains by new ones."""
    it.position, it.lain_for = reports.place, 0.0
    it.amount, it.strength, it.portion = p.share * reports.size, 1.0, 0.0


def _could_eat(p: Remains, me: Animal, square: Any) -> Any:
    """Whether an agent would eat at this squared distance: in reach, not full, not fleeing."""
    at = (p.appetite > 0.0) & (square <= p.reach * p.reach)
    return at & (me.energy < 1.0) & (me.stance != FLEEING) & (me.health > 0.0)
