"""Home ranges: areas that hold their owners and push others away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from murmura.core.algebra import maximum, minimum, sqrt, where
from murmura.core.layout import POSITION
from murmura.core.merging import Sum
from murmura.core.model import PLACES, Model, height, quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World
from murmura.core.vec import TINY
from murmura.core.world.space import offset


class HomeRange(Model):
    """An area that belongs to a species."""

    x: float = quantity(..., "Where its centre is.", "u", PLACES)
    y: float = quantity(..., "Where its centre is.", "u", PLACES)
    z: float | None = height()
    radius: float = quantity(200.0, "How far it reaches.", "u", (50, 1000), gt=0)
    owner: int = quantity(0, "The species that owns it, counted from 0.", "", (0, 7), ge=0)

    @classmethod
    def around(cls, positions: ArrayLike, owner: int = 0) -> HomeRange:
        """The home range of a cluster of agents: their centre, and twice their mean distance from it."""
        places = np.asarray(positions, float)
        x, y, *z = (float(c) for c in places.mean(axis=0))
        spread = float(np.linalg.norm(places - [x, y, *z], axis=1).mean())
        return cls(x=x, y=y, z=z[0] if z else None, radius=max(2.0 * spread, 1.0), owner=owner)


@register_rule("territory")
class Territory(Rule):
    """Owners on their way out are pulled back, others are pushed out.

    The pull begins at `inner` of the radius, is full at the radius, and ends at `outer` of it: an owner farther away
    has left for good.
    """

    weight: float = quantity(1.0, "How much home ranges count.", "", (0, 5), ge=0)
    homes: tuple[HomeRange, ...] = Field((), strict=False, description="The home ranges.")
    pull: float = quantity(0.5, "Force on owners, as a share of max_force.", "", (0, 3), ge=0)
    push: float = quantity(0.6, "Force on others at the centre, as a share of max_force.", "", (0, 3), ge=0)
    inner: float = quantity(0.7, "Where the pull begins, in radii.", "", (0, 0.95), ge=0, lt=1)
    outer: float = quantity(1.5, "Where the pull ends, in radii.", "", (1, 5), ge=1)

    item_fields = (POSITION, "radius", "owner")
    reads = ("species",)

    def items(self) -> Sequence[Sequence[Any]]:
        return [((home.x, home.y, home.z), home.radius, float(home.owner)) for home in self.homes]

    def refuses(self, scenario: Any) -> list[str]:
        known = len(scenario.species)
        return [
            f"rules.territory.homes.{k}.owner must be the number of a species, 0 to {known - 1}, got {home.owner}"
            for k, home in enumerate(self.homes)
            if known and home.owner >= known
        ]

    @staticmethod
    def item(p: Territory, me: Agent, it: Any, world: World) -> Any:
        way = offset(world, me.position, it.position)
        distance = sqrt(way.square + TINY)
        share = distance / it.radius
        held = p.pull * minimum(1.0, maximum(0.0, (share - p.inner) / (1.0 - p.inner)))
        held = where(share <= p.outer, held, 0.0)
        driven = -p.push * maximum(0.0, 1.0 - share)
        return Sum(way * (where(me.species == it.owner, held, driven) * me.max_force / distance))

    @staticmethod
    def steer(p: Territory, me: Agent, found: Any, world: World) -> Any:
        return found * p.weight
