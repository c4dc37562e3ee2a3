"""The rule `predators`: how the flock reacts to hunters.

Hunters are stateful items of this rule. Agents flee from each of them, report to each where the flock is and how good
a prey they are, and die, respawn elsewhere or are merely counted when they are caught.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Literal

from pydantic import Field

from murmura.core.algebra import (
    Number,
    absolute,
    floor,
    given,
    halves,
    maximum,
    minimum,
    sqrt,
    to_number,
    where,
)
from murmura.core.events import Cause, Event
from murmura.core.merging import Best, Count, Greatest, Least, Sum, Total
from murmura.core.model import choice, quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.vec import TINY, Vec, random_direction
from murmura.core.world.randomness import (
    IN_SPACE,
    STREAM_HUNTER_START,
    STREAM_RESPAWN_HEADING,
    STREAM_RESPAWN_PLACE,
    seed_words,
    uniform_from,
    uniform_pair,
)
from murmura.core.world.space import offset
from murmura.rules.predators.hunter import Hunter
from murmura.rules.predators.kind import KINDS, only
from murmura.rules.predators.life import take_turn
from murmura.rules.predators.motion import PI
from murmura.rules.predators.reading import drawn, hunters_in
from murmura.rules.predators.refusals import refused
from murmura.rules.predators.row import HERE, KNOWN, LAYOUT, MEMORY, SETTINGS

PREDATION = float(Cause.PREDATION)
CAPTURE = float(Event.CAPTURE)
GOLDEN = 40503  # 65536 / golden ratio: neighbouring ids fall far apart
PER_SALT = 1.0 / 65536.0
DEGREES = 180.0 / PI


class Prey(Agent):
    """The agent that decides."""

    isolation: Number
    """How alone it is, from 0 to 1."""
    steadiness: Number
    """How little it turns: 1 straight on, 0 unpredictably."""


@register_rule("predators")
class Predators(Rule):
    """Hunters of several kinds: the flock flees from each of them, and some are caught (S0-55, S0-56, S0-67 on)."""

    weight: float = quantity(1.0, "How much flight counts.", "", (0, 5), ge=0)
    hunters: tuple[Hunter, ...] = Field((), strict=False, description="The hunters.", max_length=64)
    on_capture: Literal["remove", "respawn", "count"] = choice(
        "remove", "Whether a caught bird dies, returns somewhere else, or is only counted."
    )
    aggression: float = quantity(0.7, "How often hunters are in the mood to hunt.", "", (0, 1), ge=0, le=1)
    speed_factor: float = quantity(1.0, "Factor on the speed of all hunters.", "", (0.2, 3), gt=0)
    flight_boost: float = quantity(
        2.0, "How much panic adds to the flight force: max_force x (1 + this x panic).", "", (0, 5), ge=0
    )
    flight_cost: float = quantity(
        0.0, "Energy that a bird in full panic before a hunter loses per second.", "1/s", (0, 1), ge=0
    )
    eagerness: float = quantity(3.6, "Hunts begun per second at full aggression.", "1/s", (0, 60), ge=0)
    rest_until: float = quantity(
        0.6, "Share of its energy at which a tired hunter stops resting.", "", (0, 1), ge=0, le=1
    )
    spread: float = quantity(
        0.15, "Maximum random reduction of a target's score, so that the best is not always chosen.", "",
        (0, 1), ge=0, le=1,
    )  # fmt: skip
    isolation_distance: float = quantity(
        80.0, "Distance to the nearest neighbour that counts as alone.", "u", (10, 200), gt=0
    )
    isolation_crowd: float = quantity(10.0, "Number of neighbours that counts as a crowd.", "", (1, 50), gt=0)
    edge_distance: float = quantity(
        150.0, "Distance from the middle of the flock that counts as its edge.", "u", (10, 500), gt=0
    )
    intercept_distance: float = quantity(
        400.0, "Distance at which a target is hard to reach.", "u", (50, 1000), gt=0
    )
    unsteady_turn: float = quantity(
        180.0, "Turning rate at which a bird's path is unpredictable.", "deg/s", (10, 720), gt=0
    )
    edge_margin: float = quantity(100.0, "How near the world's edge hunters turn.", "u", (1, 400), gt=0)
    edge_push: float = quantity(0.5, "How hard they turn there.", "", (0, 5), ge=0)
    starve_after: float = quantity(
        0.0, "Time without a catch after which a hunter dies; 0: never.", "s", (0, 600), ge=0
    )
    breed_after: int = quantity(
        0, "Catches after which a hunter has a young one; 0: never.", "", (0, 50), ge=0
    )
    most_hunters: int = quantity(
        0,
        "Maximum number of hunters, where they breed; 0: those of the list.",
        "",
        (0, 64),
        ge=0,
        le=64,
    )

    needs = {"fear": "panic spreads and fades there"}
    item_fields = KNOWN
    memory_fields = MEMORY
    item_settings = SETTINGS
    reads = ("panic", "energy", "isolation", "steadiness")
    writes: ClassVar[tuple[str, ...]] = ("panic", "energy", "isolation", "steadiness", "fright")
    columns = {"isolation": 0.0, "steadiness": 1.0, "fright": 0.0}
    clamped = False

    def variant(self) -> type[Rule]:
        return Respawning if self.on_capture == "respawn" else Predators

    def kinds_present(self) -> tuple[str, ...]:
        return tuple(sorted({hunter.kind for hunter in self.hunters}))

    def functions_of_kinds(self) -> Sequence[Callable[..., Any]]:
        kinds = [KINDS[name] for name in self.kinds_present()]
        ends = [kind.afterwards for kind in kinds if kind.afterwards is not None]
        return [*ends, *(action for kind in kinds for action in kind.actions.values())]

    def leaving_out_other_kinds(self) -> AbstractContextManager[object]:
        return only(self.kinds_present())

    def items(self) -> Sequence[Sequence[Any]]:
        return self.items_in((1.0, 1.0, 1.0), 0)

    def items_at_start(self, width: float, height: float, seed: int) -> Sequence[Sequence[Any]]:
        rows = self.items_in((width, height, 0.0), seed)
        return [LAYOUT.row(row) for row in rows]

    def items_in(self, sides: Sequence[float], seed: int) -> Sequence[Sequence[Any]]:
        count = max(len(self.hunters), self.most_hunters) if self.hunters else 0
        return [self._row(number, count, (*sides, 0.0)[:3], seed) for number in range(count)]

    def _row(self, number: int, count: int, sides: Sequence[float], seed: int) -> list[Any]:
        """A hunter of the list, or an empty row for the young of one; vectors have heights, which the plane drops."""
        line = number % len(self.hunters)
        hunter = self.hunters[line]
        u, v = uniform_from(*seed_words(seed), 0, number, STREAM_HUNTER_START)
        w, _ = uniform_from(*seed_words(seed), 0, number, STREAM_HUNTER_START + IN_SPACE)
        turn, _ = uniform_from(*seed_words(seed), 1, number, STREAM_HUNTER_START)
        listed = number == line
        place = tuple(
            float(chance) * side if given is None else given
            for chance, side, given in zip((u, v, w), sides, (hunter.x, hunter.y, hunter.z), strict=True)
        )
        values: dict[str, Any] = {name: value for name, value in hunter if name in LAYOUT.place} | {
            "kind": KINDS[hunter.kind].code, "listed": listed, "number": number, "line": line, "rows": count,
            "position": place, "start": place, "center": tuple(side / 2.0 for side in sides),
            "velocity": (
                math.cos(2.0 * PI * float(turn)) * hunter.max_speed * 0.5,
                math.sin(2.0 * PI * float(turn)) * hunter.max_speed * 0.5,
                0.0,
            ),
            "target": -1, "caught": -1, "alive": listed, "kind_before": -1, "energy": hunter.max_energy,
            "patience": 1, "best_id": -1, "least_approach": -2, "fright": hunter.panic_radius * listed, "bonus": 1,
            "stealth_radius": hunter.panic_radius if hunter.stealth_radius is None else hunter.stealth_radius,
        }  # fmt: skip
        values["kind_before"] = values["kind"] if listed else -1
        nowhere = (0.0, 0.0, 0.0)
        return [
            values.get(name, nowhere) if LAYOUT.is_vector(name) else float(values.get(name, 0.0))
            for name in LAYOUT.fields
        ]

    def refuses(self, scenario: Any) -> list[str]:
        return refused(self, scenario)

    def objects(self, rows: Any, time: float) -> list[dict[str, Any]]:
        return [drawn(it) for it in hunters_in(rows)]

    @staticmethod
    def pair(p: Predators, me: Prey, seen: Neighbor, world: World) -> Any:
        return {"nearest": Least(seen.square)}

    @staticmethod
    def item(p: Predators, me: Prey, it: Any, world: World) -> Any:
        """Flight and panic within the hunter's current radius of fear, and whether it has caught me or tires me."""
        away = offset(world, it.position, me.position)
        square = away.square
        d = sqrt(square + TINY)
        reach = 1.0 / maximum(it.fright, 1e-6)
        afraid = (square <= it.fright * it.fright) & (it.fright > 0.0)
        panic = where(afraid, maximum(0.0, 1.0 - d * reach), 0.0)
        push = where(afraid, me.max_force * (1.0 + p.flight_boost * panic) / d, 0.0)
        me_id = to_number(me.id)
        return {
            "flight": Sum(away * push),
            "panic": Greatest(panic),
            "tires": Sum(where(me_id == it.target, it.tires, 0.0)),
            "catcher": Greatest(where(me_id == it.caught, it.number + 1.0, 0.0)),
        }

    @staticmethod
    def feel(p: Predators, me: Prey, found: Any, world: World) -> Any:
        return felt(p, me, found, world)

    @staticmethod
    def steer(p: Predators, me: Prey, found: Any, world: World) -> Any:
        return found.flight * p.weight

    @staticmethod
    def age(p: Predators, me: Prey, world: World) -> Any:
        return {"steadiness": steadiness(p, me, world)}

    @staticmethod
    def dies(p: Predators, me: Prey, found: Any, world: World) -> Any:
        if p.on_capture == "remove":
            return where(found.catcher > 0.0, PREDATION, 0.0), found.catcher - 1.0
        return 0.0 * found.catcher, found.catcher - 1.0

    @staticmethod
    def happens(p: Predators, was: Prey, me: Prey, found: Any, world: World) -> Any:
        """A capture: by which hunter, and how isolated the bird was."""
        return where(found.catcher > 0.0, CAPTURE, 0.0), found.catcher - 1.0, was.isolation

    @staticmethod
    def gather(p: Predators, me: Prey, it: Any, world: World) -> Any:
        """My report to a hunter: whether and where it sees me, whether it watches my place, and my score as prey."""
        way = offset(world, it.position, me.position)
        square = way.square
        seen = (square <= it.sight * it.sight) | (it.sight == 0.0)
        # Skip what the hunter does not need in this step: all agents see the same `it`.
        return {
            "seen": Count(seen),
            "offset": Total(where(seen, way, 0.0)),
            "velocity": Total(where(seen, me.velocity, 0.0)),
            "watched": Count(given(it.watch_radius > 0.0, lambda: watched(me, it, world), 0.0)),
            "best": Best(
                given(it.reach > 0.0, lambda: score(p, me, it, world, way, sqrt(square + TINY)), 0.0)
            ),
        }

    @staticmethod
    def report(p: Predators, me: Prey, world: World) -> Any:
        return {
            "prey_here": HERE,
            "prey": me.position,
            "prey_velocity": me.velocity,
            "prey_panic": me.panic,
            "prey_isolation": me.isolation,
        }

    @staticmethod
    def turn(p: Predators, it: Any, reports: Any, items: Any, world: World) -> None:
        take_turn(p, it, reports, items, world)


def felt(p: Predators, me: Prey, found: Any, world: World) -> dict[str, Number]:
    """Panic, the energy a pursuit costs, and my isolation: from the nearest neighbour and how many I see."""
    nearest = found.nearest
    apart = minimum(1.0, sqrt(where(nearest.exists, nearest.score, 0.0)) / p.isolation_distance)
    crowd = 1.0 - minimum(1.0, me.neighbors / p.isolation_crowd)
    return {
        "panic": maximum(me.panic, found.panic),
        "energy": maximum(0.0, me.energy - (found.tires + p.flight_cost * found.panic) * world.dt),
        "isolation": where(nearest.exists, apart * crowd, 1.0),
        # The heading now; after the move, `age` computes from it how steadily the bird flies.
        "steadiness": me.velocity.angle,
        "fright": found.panic,
    }


def steadiness(p: Predators, me: Prey, world: World) -> Number:
    """How little I turned in this step: 1 straight on, 0 if I turn so fast that my path is unpredictable."""
    turned = me.velocity.angle - me.steadiness
    turned = absolute(turned - 2.0 * PI * floor(turned / (2.0 * PI) + 0.5))
    return maximum(0.0, 1.0 - turned * DEGREES / (p.unsteady_turn * world.dt))


def watched(me: Prey, it: Any, world: World) -> Number:
    """1 if I am near the place that a hunter watches and fly towards it."""
    way = offset(world, me.position, it.watch)
    towards = way.dot(me.heading) >= it.watch_cosine * way.length
    return where((way.square <= it.watch_radius * it.watch_radius) & towards, 1.0, 0.0)


def score(p: Predators, me: Prey, it: Any, world: World, way: Vec, d: Number) -> Number:
    """How good a prey I am (S0-72), `way` from the hunter; 0: none."""
    to_center = offset(world, me.position, it.center)
    c = sqrt(to_center.square + TINY)
    edge = minimum(1.0, c * (1.0 / p.edge_distance))
    leaving = maximum(0.0, -to_center.dot(me.heading) / c)
    near = maximum(0.0, 1.0 - d * (1.0 / p.intercept_distance))
    coming = -way.dot(me.heading) / d
    pace = minimum(1.0, me.speed / me.max_speed)
    total = (
        it.isolation_weight * me.isolation
        + it.edge_weight * edge
        + it.velocity_weight * leaving
        + it.panic_weight * (0.5 * me.panic)
        + it.intercept_weight * near
        + it.approach_weight * maximum(0.0, coming)
        + maximum(0.0, it.pace_weight) * pace
        + maximum(0.0, -it.pace_weight) * (0.5 * (1.0 - pace) + 0.5 * me.steadiness)
    )
    low, _ = halves(me.id * GOLDEN)
    chance = to_number(low) * PER_SALT + it.salt
    total = maximum(1e-6, total) * (1.0 - p.spread * (chance - floor(chance)))
    return where((d <= it.reach) & (d >= it.reach_from) & (coming >= it.least_approach), total, 0.0)


class Respawning(Predators):
    """A caught bird reappears immediately somewhere else, unharmed."""

    writes = (*Predators.writes, "position", "velocity")

    @staticmethod
    def feel(p: Predators, me: Prey, found: Any, world: World) -> Any:
        now = felt(p, me, found, world)
        # `age` gets no items: until then, an isolation below 0 marks a caught bird.
        return now | {"isolation": where(found.catcher > 0.0, -1.0, now["isolation"])}

    @staticmethod
    def age(p: Predators, me: Prey, world: World) -> Any:
        back = me.isolation < 0.0
        draws = [*uniform_pair(me.id, world, STREAM_RESPAWN_PLACE)]
        turn, height = uniform_pair(me.id, world, STREAM_RESPAWN_HEADING)
        if len(world.size) == 3:
            draws.append(uniform_pair(me.id, world, STREAM_RESPAWN_PLACE + IN_SPACE)[0])
        heading = random_direction(2.0 * PI * turn, height, me.speed, len(world.size))
        return {
            "panic": where(back, 0.0, me.panic),
            "energy": where(back, 1.0, me.energy),
            "isolation": maximum(0.0, me.isolation),
            "steadiness": steadiness(p, me, world),
            "position": where(back, Vec(*draws) * world.size, me.position),
            "velocity": where(back, heading, me.velocity),
        }
