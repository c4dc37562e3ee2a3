"""Immigration: now and then somebody comes from elsewhere, so that a species that died out may come back.

One item for each species counts its members after all have moved. Whether a newcomer comes is drawn by seed, step and
species, what it is like by its id: a founder as there was at the start, without parents. Caps hold as for the young:
nobody comes to a place that a birth of the next step may need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murmura.core.algebra import Number, sqrt, where
from murmura.core.model import quantity
from murmura.core.motion import new_heading
from murmura.core.randomness import (
    STREAM_AGE,
    STREAM_ARRIVAL,
    STREAM_ARRIVAL_GOAL,
    STREAM_ARRIVAL_PLACE,
    STREAM_GENES,
    uniform_from,
)
from murmura.core.rule import Rule, register_rule
from murmura.core.space import offset
from murmura.core.vector import TINY
from murmura.rules.evolution.heredity import founding_gene, founding_hue, founding_size
from murmura.rules.evolution.phenotype import BODY_COLUMNS, GENES, PARTS
from murmura.rules.evolution.reproduction import MOST_SPECIES, is_waiting

COUNT, BORN, WAITING = 1, 2, 3
BELOW_ONE = 0.999999
"""Keeps a drawn place off the far edge itself, which on a torus is the near one."""


@register_rule("immigration")
class Immigration(Rule):
    """Newcomers without parents, with founders' genes; at the rim of a walled world, anywhere in others."""

    rate: float = quantity(
        1.0, "Newcomers of the species in a minute, at most one a step.", "1/min", (0, 60), ge=0
    )
    below: float = quantity(
        0.0, "They come only while the species has fewer than so many; 0: always.", "", (0, 1000), ge=0
    )
    first_flight: float = quantity(
        0.5, "Speed of a newcomer, in what its speed gene gives.", "", (0, 1), ge=0, le=1
    )

    item_fields = ("kind", "count", "born", "waiting")
    gathers = ("count", "count", "count")
    reads = ("species", "consents", "ready", "bore")
    settles = ("x", "y", "vx", "vy", "heading", *BODY_COLUMNS, "age")
    borrows = {name: f"genome.{name}" for name in (*GENES, *PARTS, "spread")} | {
        "top_speed": "motion.top_speed",
        "oldest": "ageing.founders",
        "lifetime": "ageing.least",
        "most_of_kind": "reproduction.most_of_kind",
    }
    columns = BODY_COLUMNS | {"age": 0.0, "consents": 0, "ready": 0, "bore": 0}

    def items(self) -> Sequence[Sequence[float]]:
        return [(float(kind), 0.0, 0.0, 0.0) for kind in range(MOST_SPECIES)]

    @staticmethod
    def gather(p: Any, me: Any, it: Any, world: Any) -> Any:
        mine = me.species == it.kind
        return (
            where(mine, 1.0, 0.0),
            where(mine & (me.bore > 0.5), 1.0, 0.0),
            where(mine & is_waiting(me), 1.0, 0.0),
        )

    @staticmethod
    def turn(p: Any, items: Any, row: Any, told: Any, world: Any) -> None:
        items[row, COUNT], items[row, BORN], items[row, WAITING] = told[0], told[1], told[2]

    @staticmethod
    def arrives(p: Any, it: Any, species: Any, world: Any) -> Any:
        living = it.count + it.born
        few = (p.below == 0.0) | (living < p.below)
        has_room = p.most_of_kind - living - it.waiting >= 1.0
        u, _ = uniform_from(world.seed_low, world.seed_high, world.step, species, STREAM_ARRIVAL)
        return few & has_room & (u * 60.0 < p.rate * world.dt)

    @staticmethod
    def settle(p: Any, it: Any, name: Any, world: Any) -> Any:
        x, y = _place(name, world)
        speed = _gene(p, p.speed, 0, name, world)
        vx, vy = _velocity(x, y, p.first_flight * p.top_speed * speed, name, world)
        old, _ = uniform_from(world.seed_low, world.seed_high, 0, name, STREAM_AGE)
        return (
            x, y, vx, vy, new_heading(vx, vy, 0.0), speed,
            _gene(p, p.force, 1, name, world),
            _gene(p, p.vision, 2, name, world),
            founding_size(p.size, p.spread, _chance(3, name, world)),
            _gene(p, p.aggression, 4, name, world),
            _gene(p, p.sociability, 5, name, world),
            _gene(p, p.efficiency, 6, name, world),
            _gene(p, p.fear, 7, name, world),
            _gene(p, p.maturity, 8, name, world),
            _gene(p, p.longevity, 9, name, world),
            founding_hue(p.hue, p.spread, _chance(10, name, world)),
            p.eye, p.fin, p.tail, p.spike, p.antenna, p.glow, p.shell,
            old * p.oldest * p.lifetime,
        )  # fmt: skip


def _chance(gene: int, name: Any, world: Any) -> Number:
    u, _ = uniform_from(world.seed_low, world.seed_high, 0, name, STREAM_GENES + gene)
    return u


def _gene(p: Any, mean: Number, gene: int, name: Any, world: Any) -> Number:
    return founding_gene(mean, p.spread, _chance(gene, name, world))


def _place(name: Any, world: Any) -> tuple[Number, Number]:
    """On the rim where there are walls to come through, else anywhere."""
    u, v = uniform_from(world.seed_low, world.seed_high, 0, name, STREAM_ARRIVAL_PLACE)
    u, v = u * BELOW_ONE, v * BELOW_ONE
    x, y = u * world.width, v * world.height
    if world.walled:
        # The rim unrolled, side after side: top and bottom, then left and right.
        across = world.width / (world.width + world.height)
        far, along = where(v < 0.5, 0.0, 1.0), 2.0 * v - where(v < 0.5, 0.0, 1.0)
        x = where(u < across, along * world.width, far * world.width)
        y = where(u < across, far * world.height, along * world.height)
    return x, y


def _velocity(x: Number, y: Number, speed: Number, name: Any, world: Any) -> tuple[Number, Number]:
    """Towards a drawn place in the world."""
    u, v = uniform_from(world.seed_low, world.seed_high, 0, name, STREAM_ARRIVAL_GOAL)
    dx, dy = offset(world, x, y, u * world.width, v * world.height)
    scale = speed / sqrt(dx * dx + dy * dy + TINY)
    return dx * scale, dy * scale
