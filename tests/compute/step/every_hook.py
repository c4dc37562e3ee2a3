"""A rule for tests that uses every hook, small enough to compute its results by hand.

Two posts stand in the world. Agents near a post report a count, the sum of their offsets, and a score by nearness; the
post takes the best as its target, receives that agent's position, and from time to time calls it: a called agent dies.
Agents near the left post have young, which inherit half their energy.
"""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import maximum, sqrt, to_number, when, where
from murmura.core.layout import POSITION, Layout, vector
from murmura.core.merging import Best, Count, Greatest, Least, Sum, Total
from murmura.core.model import quantity
from murmura.core.rule import Rule
from murmura.core.vec import Vec
from murmura.core.world.space import offset


class Posts(Rule):
    reach: float = quantity(150.0, "Range of a post.", "u", gt=0)
    every: float = quantity(5.0, "Turns between two calls.", "", gt=0)
    fertile: float = quantity(1.0, "Whether young are born.", "", ge=0)

    item_fields = (POSITION, "reach", "target", "called")
    memory_fields = ("count", vector("sum"), "score", vector("seen"), "turns")
    reads = ("energy", "species")
    writes = ("energy", "crowding")
    inherits = ("energy", "position")
    columns = {"crowding": 0.5}
    clamped = True

    def items(self) -> Any:
        return [(150.0, 200.0, self.reach, -1.0, -1.0), (450.0, 200.0, self.reach, -1.0, -1.0)]

    def most_agents(self, agents: int) -> int:
        return agents + 20

    @staticmethod
    def modulate(p: Any, me: Any, world: Any) -> Any:
        return {
            "motion.top_speed": 0.5 + 0.5 * me.energy,
            "cohesion.weight": where(me.energy > 0.5, 2.0, 0.5),
        }

    @staticmethod
    def alert(p: Any, me: Any) -> Any:
        return me.energy < 0.3

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        return {"nearest": Least(seen.square + 0.0 * to_number(seen.id))}

    @staticmethod
    def item(p: Any, me: Any, it: Any, world: Any) -> Any:
        near = offset(world, me.position, it.position).square < it.reach * it.reach
        return {
            "near": Sum(where(near, 1.0, 0.0)),
            "called": Greatest(where(to_number(me.id) == it.called, 1.0, 0.0)),
            "left": Greatest(where(near & (it.position.x < 300.0), 1.0, 0.0)),
        }

    @staticmethod
    def feel(p: Any, me: Any, found: Any, world: Any) -> Any:
        there, square = found.nearest.exists, found.nearest.score
        crowding = where(there, 1.0 / (1.0 + sqrt(where(there, square, 0.0))), 0.0)
        return {"energy": me.energy - 0.01 * found.near, "crowding": crowding}

    @staticmethod
    def steer(p: Any, me: Any, found: Any, world: Any) -> Any:
        return Vec(0.1 * found.near + 0.0 * me.velocity.x, 0.0 * me.velocity.y)

    @staticmethod
    def suppress(p: Any, me: Any, found: Any, world: Any) -> Any:
        return where(found.near > 0.0, 0.25, 1.0)

    @staticmethod
    def age(p: Any, me: Any, world: Any) -> Any:
        return {"energy": maximum(me.energy, 0.1)}

    @staticmethod
    def dies(p: Any, me: Any, found: Any, world: Any) -> Any:
        called = found.called > 0.0
        return where(called, 1.0, 0.0), where(called, 7.0, -1.0)

    @staticmethod
    def happens(p: Any, was: Any, me: Any, found: Any, world: Any) -> Any:
        return where((was.energy > 0.8) & (me.energy <= 0.8), 4.0, 0.0), -1.0, me.energy

    @staticmethod
    def gives_birth(p: Any, was: Any, me: Any, found: Any, world: Any) -> Any:
        first = (was.energy > 0.9) & (me.energy <= 0.9) & (found.left > 0.0) & (p.fertile > 0.0)
        return where(first, 1.0, 0.0), where(first, 3.0, -1.0)

    @staticmethod
    def inherit(p: Any, mother: Any, father: Any, child_id: Any, world: Any) -> Any:
        x, y = mother.position
        return {
            "energy": 0.25 * (mother.energy + father.energy),
            "position": Vec(where(x > 1.0, x - 1.0, x), y),
        }

    @staticmethod
    def gather(p: Any, me: Any, it: Any, world: Any) -> Any:
        way = offset(world, it.position, me.position)
        distance = way.length
        near = where(distance < it.reach, 1.0, 0.0)
        return {
            "count": Count(near),
            "sum": Total(way * near),
            "best": Best(near * maximum(0.0, 1.0 - distance / it.reach)),
        }

    @staticmethod
    def report(p: Any, me: Any, world: Any) -> Any:
        return {"seen": me.position}

    @staticmethod
    def turn(p: Any, it: Any, reports: Any, items: Any, world: Any) -> None:
        it.count, it.sum, it.score = reports.count, reports.sum, reports.best.score
        it.turns = it.turns + 1.0
        it.called = -1.0

        def call() -> None:
            it.called = it.target
            it.turns = 0.0

        when((it.turns >= p.every) & (it.target >= 0.0), call)
        it.target = reports.best.id


PLACE = Layout((*Posts.item_fields, *Posts.memory_fields)).place
"""Where each column of a post is in its row."""
