"""A made-up rule that uses every function a rule may have, small enough to know its answers by heart.

Two posts stand in the world. Agents count themselves near a post, sum up their way to it, and offer themselves by
nearness; the post takes the best as its target, hears where that one is, and once in a while calls it: a called
agent dies. Agents near the left post have young, which inherit half their energy.
"""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import maximum, sqrt, to_number, where
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.space import offset

X, Y, REACH, TARGET, CALLED, COUNT, SUM_X, SUM_Y, SCORE, SEEN_X, SEEN_Y, TURNS = range(12)


@register_rule("posts")
class Posts(Rule):
    reach: float = quantity(150.0, "How far a post is heard.", "u", gt=0)
    every: float = quantity(5.0, "Turns between two calls.", "", gt=0)
    fertile: float = quantity(1.0, "Whether young are born.", "", ge=0)

    accumulates = ("least",)
    item_fields = ("x", "y", "reach", "target", "called")
    memory_fields = ("count", "sum_x", "sum_y", "score", "seen_x", "seen_y", "turns")
    item_accumulates = ("sum", "greatest", "greatest")
    gathers = ("count", "sum", "sum", "best")
    reports = ("seen_x", "seen_y")
    modulates = ("motion.top_speed", "cohesion.weight")
    reads = ("energy", "species")
    writes = ("energy", "crowding")
    inherits = ("energy", "x")
    columns = {"crowding": 0.5}
    clamped = True

    def items(self) -> Any:
        return [(150.0, 200.0, self.reach, -1.0, -1.0), (450.0, 200.0, self.reach, -1.0, -1.0)]

    def most_agents(self, agents: int) -> int:
        return agents + 20

    @staticmethod
    def modulate(p: Any, me: Any, world: Any) -> Any:
        return 0.5 + 0.5 * me.energy, where(me.energy > 0.5, 2.0, 0.5)

    @staticmethod
    def alert(p: Any, me: Any) -> Any:
        return me.energy < 0.3

    @staticmethod
    def pair(p: Any, me: Any, seen: Any, world: Any) -> Any:
        return (seen.d2 + 0.0 * seen.id,)

    @staticmethod
    def item(p: Any, me: Any, it: Any, world: Any) -> Any:
        dx, dy = offset(world, me.x, me.y, it.x, it.y)
        near = dx * dx + dy * dy < it.reach * it.reach
        return (
            where(near, 1.0, 0.0),
            where(to_number(me.id) == it.called, 1.0, 0.0),
            where(near & (it.x < 300.0), 1.0, 0.0),
        )

    @staticmethod
    def feel(p: Any, me: Any, acc: Any, world: Any) -> Any:
        nearest, near, _, _ = acc
        crowding = where(nearest < 1.0e38, 1.0 / (1.0 + sqrt(where(nearest < 1.0e38, nearest, 0.0))), 0.0)
        return me.energy - 0.01 * near, crowding

    @staticmethod
    def steer(p: Any, me: Any, acc: Any, world: Any) -> Any:
        return 0.1 * acc[1] + 0.0 * me.vx, 0.0 * me.vy

    @staticmethod
    def hush(p: Any, me: Any, acc: Any, world: Any) -> Any:
        return where(acc[1] > 0.0, 0.25, 1.0)

    @staticmethod
    def age(p: Any, me: Any, world: Any) -> Any:
        return maximum(me.energy, 0.1), me.crowding

    @staticmethod
    def fate(p: Any, me: Any, acc: Any, world: Any) -> Any:
        return where(acc[2] > 0.0, 1.0, 0.0), where(acc[2] > 0.0, 7.0, -1.0)

    @staticmethod
    def happens(p: Any, was: Any, me: Any, acc: Any, world: Any) -> Any:
        return where((was.energy > 0.8) & (me.energy <= 0.8), 4.0, 0.0), -1.0, me.energy

    @staticmethod
    def bears(p: Any, was: Any, me: Any, acc: Any, world: Any) -> Any:
        first = (was.energy > 0.9) & (me.energy <= 0.9) & (acc[3] > 0.0) & (p.fertile > 0.0)
        return where(first, 1.0, 0.0), where(first, 3.0, -1.0)

    @staticmethod
    def inherit(p: Any, mother: Any, father: Any, child_id: Any, world: Any) -> Any:
        return 0.25 * (mother.energy + father.energy), where(mother.x > 1.0, mother.x - 1.0, mother.x)

    @staticmethod
    def gather(p: Any, me: Any, it: Any, world: Any) -> Any:
        dx, dy = offset(world, it.x, it.y, me.x, me.y)
        d = sqrt(dx * dx + dy * dy)
        near = where(d < it.reach, 1.0, 0.0)
        return near, dx * near, dy * near, near * maximum(0.0, 1.0 - d / it.reach)

    @staticmethod
    def report(p: Any, me: Any, world: Any) -> Any:
        return me.x, me.y

    @staticmethod
    def turn(p: Any, items: Any, row: Any, told: Any, world: Any) -> None:
        it = items[row]
        it[COUNT], it[SUM_X], it[SUM_Y], it[SCORE] = told[0], told[1], told[2], told[3]
        it[TURNS] += 1.0
        it[CALLED] = -1.0
        if it[TURNS] >= p.every and it[TARGET] >= 0.0:
            it[CALLED] = it[TARGET]
            it[TURNS] = 0.0
        it[TARGET] = told[4]
