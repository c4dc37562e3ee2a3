"""Immigration: at random times a new agent arrives, so that an extinct species can return.

One item for each species counts its members after all have moved. Whether an immigrant arrives is drawn from seed, step
and species, its genes from its id, like those of a founder at the start. Population caps hold: an immigrant never takes
a place that a birth of the next step may need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from murmura.core.algebra import Integer, Number, where
from murmura.core.merging import Count
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import World
from murmura.core.vec import Vec
from murmura.core.world.motion import new_angle
from murmura.core.world.randomness import (
    IN_SPACE,
    STREAM_AGE,
    STREAM_ARRIVAL,
    STREAM_ARRIVAL_GOAL,
    STREAM_ARRIVAL_PLACE,
    STREAM_GENES,
    uniform_from,
)
from murmura.core.world.space import offset, point
from murmura.rules.evolution.animal import Animal
from murmura.rules.evolution.heredity import founding_gene, founding_hue, founding_size
from murmura.rules.evolution.phenotype import BODY_COLUMNS, GENES, PARTS
from murmura.rules.evolution.reproduction import MOST_SPECIES, is_waiting

BELOW_ONE = 0.999999
"""Keeps a random position off the far edge, which on a torus is the same as the near one."""


@register_rule("immigration")
class Immigration(Rule):
    """Newcomers without parents, with founders' genes; at the rim of a walled world, anywhere in others."""

    rate: float = quantity(
        1.0, "Newcomers of the species per minute, at most one per step.", "1/min", (0, 60), ge=0
    )
    below: float = quantity(
        0.0, "They arrive only while the species has fewer members than this; 0: always.", "", (0, 1000), ge=0
    )
    first_flight: float = quantity(
        0.5, "Speed of a newcomer, as a share of what its speed gene gives.", "", (0, 1), ge=0, le=1
    )

    needs = {
        "genome": "newcomers have founders' genes",
        "reproduction": "its caps limit the number of newcomers",
    }
    item_fields = ("kind", "count", "born", "waiting")
    reads = ("species", "consents", "ready", "bore")
    settles = ("position", "velocity", "heading_angle", *BODY_COLUMNS, "age")
    borrows = {name: f"genome.{name}" for name in (*GENES, *PARTS, "spread")} | {
        "top_speed": "motion.top_speed",
        "oldest": "ageing.founders",
        "lifetime": "ageing.least",
        "most_of_kind": "reproduction.most_of_kind",
    }
    spread: ClassVar[float]
    top_speed: ClassVar[float]
    oldest: ClassVar[float]
    lifetime: ClassVar[float]
    most_of_kind: ClassVar[float]

    columns = BODY_COLUMNS | {"age": 0.0, "consents": 0, "ready": 0, "bore": 0}

    def items(self) -> Sequence[Sequence[float]]:
        return [(float(kind), 0.0, 0.0, 0.0) for kind in range(MOST_SPECIES)]

    def refuses(self, scenario: Any) -> list[str]:
        if not scenario.obstacles:
            return []
        return ["rules.immigration could put a newcomer into an obstacle; remove the obstacles"]

    @staticmethod
    def gather(p: Immigration, me: Animal, it: Any, world: World) -> Any:
        mine = me.species == it.kind
        return {
            "count": Count(mine),
            "born": Count(mine & (me.bore > 0.5)),
            "waiting": Count(mine & is_waiting(me)),
        }

    @staticmethod
    def turn(p: Immigration, it: Any, reports: Any, items: Any, world: World) -> None:
        it.count, it.born, it.waiting = reports.count, reports.born, reports.waiting

    @staticmethod
    def arrives(p: Immigration, it: Any, species: Any, world: World) -> Any:
        living = it.count + it.born
        few = (p.below == 0.0) | (living < p.below)
        has_room = p.most_of_kind - living - it.waiting >= 1.0
        u, _ = uniform_from(world.seed_low, world.seed_high, world.step, species, STREAM_ARRIVAL)
        return few & has_room & (u * 60.0 < p.rate * world.dt)

    @staticmethod
    def settle(p: Immigration, it: Any, name: Integer, world: World) -> Any:
        place = _place(name, world)
        genes = {f"gene_{gene}": _gene(p, gene, k, name, world) for k, gene in enumerate(GENES)}
        velocity = _velocity(place, p.first_flight * p.top_speed * genes["gene_speed"], name, world)
        old, _ = uniform_from(world.seed_low, world.seed_high, 0, name, STREAM_AGE)
        return {
            "position": place,
            "velocity": velocity,
            "heading_angle": new_angle(velocity, 0.0),
            **genes,
            **{f"part_{part}": getattr(p, part) for part in PARTS},
            "age": old * p.oldest * p.lifetime,
        }


def _gene(p: Immigration, gene: str, number: int, name: Integer, world: World) -> Number:
    """A founder's gene, as `Genome.columns_at_start` draws it."""
    chance, _ = uniform_from(world.seed_low, world.seed_high, 0, name, STREAM_GENES + number)
    drawn = {"size": founding_size, "hue": founding_hue}.get(gene, founding_gene)
    return drawn(getattr(p, gene), p.spread, chance)


def _place(name: Integer, world: World) -> Any:
    """On the rim where there are walls, else anywhere."""
    u, v = uniform_from(world.seed_low, world.seed_high, 0, name, STREAM_ARRIVAL_PLACE)
    u, v = u * BELOW_ONE, v * BELOW_ONE
    z = None
    if len(world.size) == 3:
        w, _ = uniform_from(world.seed_low, world.seed_high, 0, name, STREAM_ARRIVAL_PLACE + IN_SPACE)
        z = w * BELOW_ONE * world.depth
    if not world.walled:
        return point(world, u * world.width, v * world.height, z)
    # The rim unrolled, side after side: top and bottom, then left and right.
    across = world.width / (world.width + world.height)
    far, along = where(v < 0.5, 0.0, 1.0), 2.0 * v - where(v < 0.5, 0.0, 1.0)
    return where(
        u < across,
        point(world, along * world.width, far * world.height, z),
        point(world, far * world.width, along * world.height, z),
    )


def _velocity(place: Vec, speed: Number, name: Integer, world: World) -> Vec:
    """Towards a random place in the world."""
    u, v = uniform_from(world.seed_low, world.seed_high, 0, name, STREAM_ARRIVAL_GOAL)
    z = None
    if len(world.size) == 3:
        w, _ = uniform_from(world.seed_low, world.seed_high, 0, name, STREAM_ARRIVAL_GOAL + IN_SPACE)
        z = w * world.depth
    return offset(world, place, point(world, u * world.width, v * world.height, z)).with_length(speed)
