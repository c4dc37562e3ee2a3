"""Food sources: positions, admission of feeders, portions and respawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from murmura.core.algebra import Number, maximum, minimum, to_integer, when, where
from murmura.core.model import PLACES, Model, height, quantity
from murmura.core.rule_arguments import World
from murmura.core.vec import Vec
from murmura.core.world.randomness import IN_SPACE, STREAM_FOOD, uniform_from

if TYPE_CHECKING:
    from murmura.rules.life.feeding import Feeding

RESPAWN_DRAWS = 1000  # added to a source's number when it draws a new place, so that no draw is used twice


class FoodSource(Model):
    """A place with food."""

    x: float = quantity(..., "Where it is.", "u", PLACES)
    y: float = quantity(..., "Where it is.", "u", PLACES)
    z: float | None = height()
    amount: float | None = quantity(
        None, "Food it holds when full; none: the rule's `amount`.", "food", (1, 1000), gt=0
    )


def serve(p: Feeding, it: Any, nearest: Any, world: World) -> None:
    """Set aside a portion for each feeder and, while there is room, admit the nearest waiting agent."""
    share = it.amount / maximum(1.0, it.feeders)
    it.portion = where(it.feeders > 0.0, minimum(p.consumption * world.dt, share), 0.0)
    it.amount = maximum(0.0, it.amount - it.portion * it.feeders)
    room = maximum(0.0, p.capacity - it.feeders)
    admits = (room > 0.0) & (nearest >= 0.0)
    it.invites = minimum(1.0, p.eagerness * room / maximum(1.0, it.waiting))
    it.admitted = where(admits, nearest, -1.0)
    it.room = room - where(admits, 1.0, 0.0)


def stay_empty(p: Feeding, it: Any, world: World) -> None:
    """Offer nothing until the respawn time is over."""
    it.present = 0.0
    it.empty_for = it.empty_for + world.dt
    if p.respawn != "never":
        when(it.empty_for >= p.respawn_time, lambda: fill(p, it, world))


def fill(p: Feeding, it: Any, world: World) -> None:
    """Refill, at home or elsewhere."""
    it.position = it.home
    if p.respawn == "elsewhere":
        number = to_integer(it.id) + RESPAWN_DRAWS
        draws = drawn(world.seed_low, world.seed_high, world.step, number, len(world.size))
        it.position = Vec(*inside(p.margin, draws, world.size))
    it.amount, it.present, it.room, it.invites = it.full, 1.0, p.capacity, 1.0
    it.empty_for = 0.0


def drawn(low: Any, high: Any, step: Any, number: Any, count: int) -> list[Number]:
    """Numbers in [0, 1) for a source's place, one for each axis."""
    draws = [*uniform_from(low, high, step, number, STREAM_FOOD)]
    return draws if count == 2 else [*draws, uniform_from(low, high, step, number, STREAM_FOOD + IN_SPACE)[0]]


def inside(margin: Number, draws: Sequence[Number], sides: Any) -> list[Number]:
    """The place for numbers in [0, 1), at least `margin` away from the edges."""
    return [margin + u * (side - 2.0 * margin) for u, side in zip(draws, sides, strict=True)]
