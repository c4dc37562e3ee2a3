"""Food in passing, as document 003 has it (S3-10, S3-16): hungry agents seek the nearest food, and all near it eat.

Agents neither choose a source for good nor slow down, wait or land: the force is one plain seek, decided anew in every
step. Those near a source are counted after the move, and get their portions in the next step by the same test.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murmura.core.algebra import maximum, minimum, when, where
from murmura.core.merging import FAR, Count, Least, Sum
from murmura.core.rule_arguments import World
from murmura.core.world.space import offset
from murmura.rules.life.feeding import APPROACHING, MEAL, NONE, Eater, Feeding
from murmura.rules.life.sources import stay_empty
from murmura.rules.steering.towards import steer_towards


class FeedingInPassing(Feeding):
    """Feeding without stages."""

    @staticmethod
    def modulate(p: Feeding, me: Eater, world: World) -> Mapping[str, Any]:
        return {}

    @staticmethod
    def item(p: Feeding, me: Eater, it: Any, world: World) -> Any:
        way = offset(world, me.position, it.position)
        square = way.square
        offers = (it.room > 0.0) & (p.appetite == 0.0) & (square <= p.reach * p.reach)
        return {
            "nearest": Least(where(offers, square, FAR), id=it.id, offset=way),
            "portion": Sum(where(_eats(p, me, square), it.portion, 0.0)),
            # Whose meal it was, when it is over.
            "beside": Least(where(square <= p.reach * p.reach, square, FAR), id=it.id),
        }

    @staticmethod
    def feel(p: Feeding, me: Eater, found: Any, world: World) -> Any:
        # Hungry before this bite: it decides from the state at time t.
        seeks = (me.energy < p.hungry_below) & found.nearest.exists & (me.panic <= p.panic_limit)
        same = seeks & (me.target_food_id == found.nearest.id)
        return {
            "energy": minimum(1.0, me.energy + found.portion * p.energy_of_food),
            "feeding_state": where(seeks, APPROACHING, NONE),
            "target_food_id": where(seeks, found.nearest.id, -1.0),
            "feeding_timer": where(same, me.feeding_timer + world.dt, 0.0),
            "meal": where(found.portion > 0.0, me.meal + found.portion, 0.0),
        }

    @staticmethod
    def steer(p: Feeding, me: Eater, found: Any, world: World) -> Any:
        seeks = (me.feeding_state > NONE) & found.nearest.exists
        return steer_towards(found.nearest.offset, me) * where(seeks, p.weight, 0.0)

    @staticmethod
    def suppress(p: Feeding, me: Eater, found: Any, world: World) -> Any:
        return where((me.feeding_state > NONE) & (p.weight > 0.0), 0.0, 1.0)

    @staticmethod
    def happens(p: Feeding, was: Eater, me: Eater, found: Any, world: World) -> Any:
        ends = (was.meal > 0.0) & (found.portion <= 0.0)
        return where(ends, MEAL, 0.0), where(found.beside.exists, found.beside.id, -1.0), was.meal

    @staticmethod
    def may_report(p: Feeding, me: Eater, world: World) -> Any:
        return (p.appetite == 0.0) & (me.energy < 1.0) & (me.panic <= p.panic_limit)

    @staticmethod
    def gather(p: Feeding, me: Eater, it: Any, world: World) -> Any:
        return {"feeders": Count(_eats(p, me, offset(world, me.position, it.position).square))}

    @staticmethod
    def turn(p: Feeding, it: Any, reports: Any, items: Any, world: World) -> None:
        it.feeders, it.waiting = reports.feeders, 0.0
        it.room, it.portion, it.invites, it.admitted = 0.0, 0.0, 0.0, -1.0
        when(it.amount > 0.0, lambda: _serve(p, it, world), lambda: stay_empty(p, it, world))


def _eats(p: Feeding, me: Eater, square: Any) -> Any:
    """Whether an agent eats at this squared distance from food."""
    able = (p.appetite == 0.0) & (me.energy < 1.0) & (me.panic <= p.panic_limit)
    return able & (square <= p.landing_radius * p.landing_radius)


def _serve(p: Feeding, it: Any, world: World) -> None:
    """Set aside a portion for each feeder: above the capacity they share what it would eat."""
    eaters = maximum(1.0, it.feeders)
    bite = p.consumption * world.dt * minimum(1.0, p.capacity / eaters)
    it.portion = where(it.feeders > 0.0, minimum(bite, it.amount / eaters), 0.0)
    it.amount = maximum(0.0, it.amount - it.portion * it.feeders)
    it.room = p.capacity
