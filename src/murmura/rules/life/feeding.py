"""Food sources, and the four stages of a hungry agent (S2-8, S2-28).

A source is a stateful item. It counts its feeders, admits one waiting agent per step while it has room, and announces
the portion of each feeder for the next step: so a source never feeds more than its capacity, and agents never gain
energy from food that is not there. Agents only read sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from murmura.core.algebra import Number, maximum, minimum, sqrt, to_number, when, where
from murmura.core.events import Event
from murmura.core.layout import POSITION, layout_of_width, place_of, vector
from murmura.core.merging import FAR, Best, Count, Least
from murmura.core.model import choice, quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World
from murmura.core.state import FeedingState, MatingState
from murmura.core.vec import TINY
from murmura.core.world.randomness import seed_words
from murmura.core.world.space import offset
from murmura.rules.life.feeding_flight import approach, rank, sit, wait
from murmura.rules.life.sources import FoodSource, drawn, inside, serve, stay_empty
from murmura.rules.life.stages import Change
from murmura.rules.refusals import exact_ids, in_order, outside_world

GIVES_UP = 1.5  # agents driven this many times `reach` away from their food give up
NONE, APPROACHING, GATHERING, FEEDING = (float(state) for state in FeedingState)
SEEKING, COOLDOWN = float(MatingState.SEEKING), float(MatingState.COOLDOWN)
MEAL = float(Event.MEAL)

STAGES = {
    FeedingState.NONE: "flies with the flock; if hungry and in reach of food with room, it is drawn there",
    FeedingState.APPROACHING: "flies to its source; slows down on arrival, unless it eats in passing",
    FeedingState.GATHERING: "waits around its source in the chosen style; goes in when there is room",
    FeedingState.FEEDING: "sits at its source, brakes and eats",
}
CHANGES = (
    Change(
        FeedingState.NONE,
        FeedingState.APPROACHING,
        "energy < `hungry_below` and the nearest source with room is within `reach`",
    ),
    Change(FeedingState.APPROACHING, FeedingState.GATHERING, "nearer than `gather_from` x `gather_radius`"),
    Change(FeedingState.GATHERING, FeedingState.APPROACHING, "farther than `lost_from` x `gather_radius`"),
    Change(
        FeedingState.GATHERING,
        FeedingState.FEEDING,
        "the source lets it in: nearest of those within `landing_radius`, and feeders < `capacity`",
    ),
    Change(FeedingState.FEEDING, FeedingState.GATHERING, "swept off, beyond 1.5 x `landing_radius`"),
    Change(
        FeedingState.APPROACHING,
        FeedingState.NONE,
        "energy > `sated_above`, panic > `panic_limit`, the source is empty, or courtship has begun",
    ),
    Change(FeedingState.GATHERING, FeedingState.NONE, "as from approaching"),
    Change(
        FeedingState.FEEDING,
        FeedingState.NONE,
        "energy = 1, or > `content_above` after `duration`; panic > `panic_limit`; the source is empty",
    ),
)


class Eater(Agent):
    """The agent that decides."""

    meal: Number
    """Food eaten in the present meal."""


DRAWN_FOOD = 0.3  # radius at which food is drawn, as a share of the gather radius: feeders surround it


@register_rule("feeding")
class Feeding(Rule):
    """Hungry agents fly to food, wait their turn, eat, and recover (S0-59 to S0-66, S2-57)."""

    weight: float = quantity(
        1.0, "How much heading for food counts relative to the other rules.", "", (0, 5), ge=0
    )
    manner: Literal["stages", "passing"] = choice(
        "stages",
        "Stages: approach, wait for a place, land, eat. Passing: a plain seek while hungry, and whoever comes within "
        "`landing_radius` eats.",
    )
    sources: tuple[FoodSource, ...] = Field((), strict=False, description="Sources at given places.")
    count: int = quantity(5, "Additional sources, at places drawn from the seed.", "", (0, 20), ge=0, le=500)
    amount: float = quantity(100.0, "Food that a source holds when full.", "food", (1, 1000), gt=0)
    capacity: int = quantity(20, "Maximum number of feeders at a source.", "", (1, 100), ge=1, le=1_000_000)
    consumption: float = quantity(1.0, "Food that a feeder eats.", "food/s", (0.1, 10), gt=0)
    energy_restore: float = quantity(0.3, "Energy that a feeder gains.", "1/s", (0, 1), ge=0)
    respawn: Literal["elsewhere", "same_place", "never"] = choice(
        "elsewhere", "Where an empty source reappears after the respawn time."
    )
    respawn_time: float = quantity(10.0, "How long a source stays empty.", "s", (0, 120), ge=0)
    margin: float = quantity(150.0, "Minimum distance of random places from the edges.", "u", (0, 400), ge=0)

    reach: float = quantity(200.0, "Distance at which food is noticed.", "u", (20, 1000), gt=0)
    attraction: float = quantity(
        1.0,
        "Pull on hungry agents that have not set out yet, in max_force x (1 - d/reach).",
        "",
        (0, 5),
        ge=0,
    )
    hunger_gain: float = quantity(2.0, "How much full hunger adds to that pull.", "", (0, 10), ge=0)
    drawn_below: float = quantity(0.7, "Energy below which food pulls.", "", (0, 1), ge=0, le=1)
    hungry_below: float = quantity(
        0.6, "Energy below which an agent sets out for food.", "", (0, 1), ge=0, le=1
    )
    sated_above: float = quantity(0.9, "Energy above which a waiting agent leaves.", "", (0, 1), ge=0, le=1)
    content_above: float = quantity(
        0.8, "Energy above which a feeder leaves after the duration.", "", (0, 1), ge=0, le=1
    )
    duration: float = quantity(
        2.0, "Minimum time of a meal that ends before energy is full.", "s", (0, 30), ge=0
    )
    panic_limit: float = quantity(0.5, "Panic above which agents abandon food.", "", (0, 1), ge=0, le=1)

    approach_speed: float = quantity(1.0, "Speed of the approach, as a share of max_speed.", "", (0, 1), ge=0)
    arrival_radius: float = quantity(50.0, "Distance at which the approach slows.", "u", (1, 200), gt=0)
    ignore_within: float = quantity(1.0, "Distance at which the approach is complete.", "u", (0, 10), ge=0)
    style: Literal["gather", "swarm", "hover"] = choice(
        "gather", "How agents wait: circling the source, swarming over it, or hovering at its rim."
    )
    gather_radius: float = quantity(50.0, "Where agents wait.", "u", (5, 200), gt=0)
    gather_from: float = quantity(1.5, "Waiting begins within this many gather radii.", "", (1, 5), gt=0)
    lost_from: float = quantity(2.0, "Waiting ends beyond this many gather radii.", "", (1, 5), gt=0)
    gather_speed: float = quantity(0.5, "Speed of the circling, as a share of max_speed.", "", (0, 1), ge=0)
    gather_force: float = quantity(
        1.0, "Maximum force while circling, in units of max_force.", "", (0, 1), ge=0
    )
    swarm_pull: float = quantity(0.4, "Pull of the swarm's centre, in units of max_force.", "", (0, 2), ge=0)
    swarm_noise: float = quantity(0.3, "Random force in the swarm, in units of max_force.", "", (0, 2), ge=0)
    swarm_core: float = quantity(0.3, "Share of the gather radius that pushes outwards.", "", (0, 1), gt=0)
    hover_speed: float = quantity(0.2, "Speed of the hovering, as a share of max_speed.", "", (0, 1), ge=0)
    hover_force: float = quantity(
        0.5, "Maximum force while hovering, in units of max_force.", "", (0, 1), ge=0
    )
    hover_damping: float = quantity(0.1, "Braking while hovering.", "", (0, 1), ge=0)
    eagerness: float = quantity(
        3.0, "How many waiting agents fly in at a time for each free place.", "", (1, 10), gt=0
    )
    turn_time: float = quantity(
        10.0, "How long a waiting agent tries to land before it is another's turn.", "s", (1, 60), gt=0
    )
    landing_radius: float = quantity(20.0, "How near an agent must be to be admitted.", "u", (1, 100), gt=0)
    sit_radius: float = quantity(5.0, "Distance at which a feeder only brakes.", "u", (0, 50), ge=0)
    sit_damping: float = quantity(0.3, "Braking within the sit radius.", "", (0, 1), ge=0)
    feed_speed: float = quantity(
        0.3, "Speed of a feeder's final approach, as a share of max_speed.", "", (0, 1), ge=0
    )
    feed_force: float = quantity(
        1.0, "Maximum force on the final approach, in units of max_force.", "", (0, 1), ge=0
    )
    feed_damping: float = quantity(0.2, "Braking on the final approach.", "", (0, 1), ge=0)

    approach_flocking: float = quantity(
        0.1, "Share of the other forces that remains while approaching.", "", (0, 1), ge=0, le=1
    )
    gather_flocking: float = quantity(
        0.15, "Share of the other forces that remains while waiting.", "", (0, 1), ge=0, le=1
    )
    approach_space: float = quantity(
        0.4, "Share of the separation radius that remains while approaching.", "", (0, 1), gt=0, le=1
    )
    gather_space: float = quantity(
        0.5, "Share of the separation radius that remains while waiting.", "", (0, 1), gt=0, le=1
    )
    shelter: float = quantity(
        0.3, "Share of the wind that remains on the way to food; feeders feel none.", "", (0, 1), ge=0, le=1
    )

    clamped = False  # S0-65, S0-66: braking is a separate force, in addition to flocking
    item_fields = ("id", POSITION, "room", "present", "portion", "invites", "admitted")
    memory_fields = ("amount", "feeders", "waiting", "empty_for", "full", vector("home"))
    item_settings = ("id", "full", "home")
    item_identity = ("home",)
    reads = ("panic", "mating_state")
    writes = ("energy", "feeding_state", "target_food_id", "feeding_timer", "meal")
    columns = {"meal": 0.0}
    needs = {"energy": "hunger needs energy that falls"}
    borrows = {"appetite": "remains.appetite"}
    # No species owns a source.
    shared = ("count", "amount", "capacity", "consumption", "respawn_time", "margin")

    def variant(self) -> type[Rule]:
        from murmura.rules.life.passing import FeedingInPassing

        return FeedingInPassing if self.manner == "passing" else Feeding

    energy_of_food: ClassVar[float]  # what a unit of food gives
    appetite: ClassVar[float]  # borrowed

    def numbers(self, perception_radius: float) -> dict[str, float]:
        return super().numbers(perception_radius) | {"energy_of_food": self.energy_restore / self.consumption}

    def items(self) -> Sequence[Sequence[Any]]:
        return self._rows([(0.0, 0.0)] * self.count)

    def items_at_start(self, width: float, height: float, seed: int) -> Sequence[Sequence[Any]]:
        return self.items_in((width, height), seed)

    def items_in(self, sides: Sequence[float], seed: int) -> Sequence[Sequence[Any]]:
        low, high = seed_words(seed)
        draws = [drawn(low, high, 0, number, len(sides)) for number in range(self.count)]
        return self._rows([inside(self.margin, [float(u) for u in draw], sides) for draw in draws])

    def _rows(self, drawn: Sequence[Sequence[float]]) -> list[tuple[Any, ...]]:
        """Full sources: random ones first, then the listed ones, so that adding one renumbers none."""
        full: list[tuple[Any, float]] = [(tuple(place), self.amount) for place in drawn]
        full += [((s.x, s.y, s.z), s.amount or self.amount) for s in self.sources]
        return [
            (number, place, self.capacity, 1.0, 0.0, 1.0, -1.0, amount, 0.0, 0.0, 0.0, amount, place)
            for number, (place, amount) in enumerate(full)
        ]

    def item_range(self) -> float:
        return GIVES_UP * self.reach

    def objects(self, rows: Any, time: float) -> list[dict[str, Any]]:
        return [
            {"kind": "food", **place_of(it), "radius": DRAWN_FOOD * it["radius"], "amount": it["amount"],
             "capacity": it["full"]}
            for it in self.sources_in(rows)
            if it["amount"] > 0.0
        ]  # fmt: skip

    def sources_in(self, rows: Any) -> list[dict[str, Any]]:
        """Sources as dictionaries, from rows of items."""
        fields, found = (*self.item_fields, *self.memory_fields), []
        columns = layout_of_width(fields, 0 if rows is None else rows.shape[1]).columns
        for row in [] if rows is None else rows.astype(float).tolist():
            it = dict(zip(columns, row, strict=True))
            found.append(
                {
                    "id": int(it["id"]),
                    **place_of(it),
                    "amount": it["amount"] if it["present"] else 0.0,
                    "full": it["full"],
                    "feeders": int(it["feeders"]),
                    "radius": self.gather_radius,
                }
            )
        return found

    def refuses(self, scenario: Any) -> list[str]:
        found = []
        if not self.sources and not self.count:
            found.append(
                "rules.feeding: feeders need food, got no sources and count = 0; list some under "
                "rules.feeding.sources or raise rules.feeding.count"
            )
        world = scenario.world
        for k, source in enumerate(self.sources):
            found += outside_world(f"rules.feeding.sources.{k}", (source.x, source.y, source.z), world)
        side = min(world.sides)
        if (self.count > 0 or self.respawn == "elsewhere") and 2.0 * self.margin >= side:
            found.append(
                f"rules.feeding.margin must leave room between the edges (less than {side / 2:g} [u]), got "
                f"{self.margin:g}"
            )
        ordered = (
            ("landing_radius", "gather_radius"), ("gather_from", "lost_from"), ("hungry_below", "sated_above"),
        )  # fmt: skip
        return found + in_order(self, "feeding", *ordered) + exact_ids("feeding", scenario)

    @staticmethod
    def modulate(p: Feeding, me: Eater, world: World) -> Any:
        s = me.feeding_state
        space = where(s == APPROACHING, p.approach_space, where(s == GATHERING, p.gather_space, 1.0))
        wind = where(s == NONE, 1.0, where(s == FEEDING, 0.0, p.shelter))
        return {"separation.radius": space, "wind.blow_x": wind, "wind.blow_y": wind, "wind.gust": wind}

    @staticmethod
    def item(p: Feeding, me: Eater, it: Any, world: World) -> Any:
        way = offset(world, me.position, it.position)
        square = way.square
        # S3-10: agents that eat carcasses leave this food alone.
        matches = (it.room > 0.0) & (p.appetite == 0.0)
        offers = where((square <= p.reach * p.reach) & matches, square, FAR)
        in_range = square <= GIVES_UP * p.reach * (GIVES_UP * p.reach)
        mine = where((me.target_food_id == it.id) & in_range, square, FAR)
        return Least(
            where(me.target_food_id < 0.0, offers, mine),
            id=it.id,
            offset=way,
            present=it.present,
            portion=it.portion,
            invites=it.invites,
            admits=where((to_number(me.id) == it.admitted) & in_range, 1.0, 0.0),
        )

    @staticmethod
    def feel(p: Feeding, me: Eater, found: Any, world: World) -> Any:
        s, square = me.feeding_state, found.score
        timer = me.feeding_timer + world.dt
        eaten = where(s == FEEDING, found.portion, 0.0)
        energy = minimum(1.0, me.energy + eaten * p.energy_of_food)
        ring = p.gather_radius * p.gather_radius
        landing = p.landing_radius * p.landing_radius
        n = where((s == NONE) & (energy < p.hungry_below) & found.exists, APPROACHING, s)
        n = where((s == APPROACHING) & (square < ring * p.gather_from * p.gather_from), GATHERING, n)
        n = where((s == GATHERING) & (found.admits > 0.5), FEEDING, n)
        n = where((s == GATHERING) & (square > ring * p.lost_from * p.lost_from), APPROACHING, n)
        n = where((s == FEEDING) & (square > 2.25 * landing), GATHERING, n)
        waited = (s > NONE) & (s < FEEDING) & (energy > p.sated_above)
        ate = (s == FEEDING) & ((energy >= 1.0) | ((timer >= p.duration) & (energy > p.content_above)))
        courts = (me.mating_state > SEEKING) & (me.mating_state < COOLDOWN)
        n = where(waited | ate | courts | (found.present < 0.5) | (me.panic > p.panic_limit), NONE, n)
        return {
            "energy": energy,
            "feeding_state": n,
            "target_food_id": where(n == NONE, -1.0, where(s == NONE, found.id, me.target_food_id)),
            "feeding_timer": where((n == s) & (n > NONE), timer, 0.0),
            "meal": where(n == FEEDING, me.meal + eaten, 0.0),
        }

    @staticmethod
    def steer(p: Feeding, me: Eater, found: Any, world: World) -> Any:
        way = found.offset
        distance = sqrt(where(found.exists, found.score, 0.0))
        s = me.feeding_state
        towards_food = approach(p, me, way, distance)
        goes_in = (s == GATHERING) & (rank(p, me, world) < found.invites)
        drawn = (s == NONE) & (me.energy < p.drawn_below)
        pull = p.attraction * me.max_force * (1.0 + p.hunger_gain * (1.0 - me.energy))
        pull = where(drawn, pull * maximum(0.0, 1.0 - distance / p.reach) / (distance + TINY), 0.0)
        force = where(s == FEEDING, sit(p, me, way, distance), way * pull)
        force = where(s == GATHERING, wait(p, me, way, distance, world), force)
        force = where((s == APPROACHING) | goes_in, towards_food, force)
        return force * where(found.exists, p.weight, 0.0)

    @staticmethod
    def suppress(p: Feeding, me: Eater, found: Any, world: World) -> Any:
        s = me.feeding_state
        left = where(s == APPROACHING, p.approach_flocking, where(s == GATHERING, p.gather_flocking, 0.0))
        return where((s == NONE) | (p.weight == 0.0), 1.0, left)

    @staticmethod
    def happens(p: Feeding, was: Eater, me: Eater, found: Any, world: World) -> Any:
        ends = (was.feeding_state == FEEDING) & (me.feeding_state < FEEDING)
        eaten = was.meal + found.portion
        return where(ends & (eaten > 0.0), MEAL, 0.0), was.target_food_id, eaten

    @staticmethod
    def may_report(p: Feeding, me: Eater, world: World) -> Any:
        return me.feeding_state >= GATHERING

    @staticmethod
    def gather(p: Feeding, me: Eater, it: Any, world: World) -> Any:
        away = offset(world, it.position, me.position).square
        near = 1.0 - away / (p.landing_radius * p.landing_radius)
        here = me.target_food_id == it.id
        waits = here & (me.feeding_state == GATHERING)
        return {
            "feeders": Count(here & (me.feeding_state == FEEDING)),
            "waiting": Count(waits),
            "nearest": Best(where(waits, maximum(0.0, near), 0.0)),
        }

    @staticmethod
    def turn(p: Feeding, it: Any, reports: Any, items: Any, world: World) -> None:
        it.feeders, it.waiting = reports.feeders, reports.waiting
        it.room, it.portion, it.invites, it.admitted = 0.0, 0.0, 0.0, -1.0
        when(
            it.amount > 0.0,
            lambda: serve(p, it, reports.nearest.id, world),
            lambda: stay_empty(p, it, world),
        )
