"""Courtship: sexes, suitors, refusals, rivals and pairs, in the seven stages of document 002 (S2-11, S2-29).

All agents decide simultaneously from the state at time t, so agreement needs a handshake. A male names a female as his
target; a female accepts by naming him as hers. Two males who name each other as rivals fight. Each fighter shows
a score of his own, and both compare the same two numbers: a fight has exactly one winner. A pair mates when both see
both ready, and a mating counts if each sees both mating until its end. Losing sight of the other starts it
over.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from murmura.core.algebra import Number, floor, given, maximum, minimum, sqrt, to_number, where
from murmura.core.events import Event
from murmura.core.merging import FAR, Least
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, Columns, Neighbor, World
from murmura.core.state import MatingState
from murmura.core.vec import TINY
from murmura.core.world.randomness import STREAM_MATING, uniform_pair
from murmura.rules.life.stages import Change
from murmura.rules.refusals import exact_ids, in_order
from murmura.rules.steering.towards import steer_at_speed, steer_towards

NONE, SEEKING, APPROACHING, COURTING, MATING, FIGHTING, COOLDOWN = (float(state) for state in MatingState)
FREE, TAKEN, RIVAL, MINE = 0.0, 1.0, 2.0, 3.0
"""The bond of a neighbour to me: none, a lesser one, rival or refused, the chosen one."""
BONDS = (
    8.0  # bond * BONDS + stage packs both into one exact number, which makes the scan over neighbours faster
)
MATED, FOUGHT = float(Event.MATING), float(Event.FIGHT)

STAGES = {
    MatingState.NONE: "flies with the flock",
    MatingState.SEEKING: "looks all around: males for a seeking female, females for a suitor at courting distance",
    MatingState.APPROACHING: "a male flies to the female of his choice",
    MatingState.COURTING: "flies beside its partner, or beside the one it courts",
    MatingState.MATING: "stays close to its partner until the mating is over",
    MatingState.FIGHTING: "a male drives a rival off; it costs energy",
    MatingState.COOLDOWN: "rests until its mating cooldown has run down",
}
_WEARY = "refused by her, or not accepted for `patience`"
CHANGES = (
    Change(
        MatingState.NONE,
        MatingState.SEEKING,
        "at random, `seek_rate`; energy at least `energy_threshold`, panic at most `panic_limit`, not after food",
    ),
    Change(MatingState.SEEKING, MatingState.APPROACHING, "male: a seeking female within `search_radius`"),
    Change(
        MatingState.SEEKING,
        MatingState.COURTING,
        "female: a suitor within `courting_distance`, whom she refuses with probability `selectivity`",
    ),
    Change(MatingState.APPROACHING, MatingState.COURTING, "nearer to her than `courting_distance`"),
    Change(MatingState.COURTING, MatingState.APPROACHING, "male: farther than 1.5 x `courting_distance`"),
    Change(
        MatingState.COURTING,
        MatingState.MATING,
        "both accept, both have courted for `court_time`, and they are nearer than `mating_distance`",
    ),
    Change(
        MatingState.APPROACHING,
        MatingState.FIGHTING,
        "another suitor of hers within `fight_radius`, and both have chosen each other as rival",
    ),
    Change(MatingState.COURTING, MatingState.FIGHTING, "as from approaching"),
    Change(MatingState.FIGHTING, MatingState.APPROACHING, "won, after `fight_duration`"),
    Change(MatingState.FIGHTING, MatingState.COOLDOWN, "lost: `loser_share` of `cooldown`"),
    Change(
        MatingState.MATING, MatingState.COOLDOWN, "done, after `mating_duration`: `cooldown`, `energy_cost`"
    ),
    Change(MatingState.APPROACHING, MatingState.COOLDOWN, f"{_WEARY}: `loser_share` of `cooldown`"),
    Change(MatingState.COURTING, MatingState.COOLDOWN, f"male, {_WEARY}: `loser_share` of `cooldown`"),
    Change(MatingState.COOLDOWN, MatingState.NONE, "the cooldown has run down"),
    Change(
        MatingState.APPROACHING,
        MatingState.SEEKING,
        "she is out of sight, or has another partner and he is far off",
    ),
    Change(MatingState.COURTING, MatingState.SEEKING, "the partner has gone, or `patience` is over (female)"),
    Change(MatingState.MATING, MatingState.SEEKING, "the partner has gone"),
    Change(MatingState.FIGHTING, MatingState.SEEKING, "the rival has gone"),
    Change(MatingState.SEEKING, MatingState.NONE, "panic, too little energy, or food"),
    Change(MatingState.APPROACHING, MatingState.NONE, "panic or too little energy"),
    Change(MatingState.COURTING, MatingState.NONE, "panic or too little energy"),
    Change(MatingState.MATING, MatingState.NONE, "panic"),
    Change(MatingState.FIGHTING, MatingState.NONE, "panic"),
)


class MatingColumns(Columns):
    """What the rule adds to an agent."""

    rival_id: Number
    """A male's rival, or the suitor that a female has just refused; -1: nobody."""
    display: Number
    """What others see: whether it has courted long enough, or a fighter's score."""


class Suitor(MatingColumns, Agent):
    """The agent that decides."""


class OtherSuitor(MatingColumns, Neighbor):
    """Whom it meets."""


@register_rule("mating")
class Mating(Rule):
    """Agents seek mates of their species and the other sex, court, fight over them and mate (S2-3, S2-11 to S2-15)."""

    weight: float = quantity(1.0, "How much courtship counts relative to the other rules.", "", (0, 5), ge=0)
    seek_rate: float = quantity(1.2, "How often a single agent begins to seek.", "1/s", (0, 10), ge=0)
    search_radius: float = quantity(80.0, "How far to look for a mate.", "u", (10, 200), gt=0)
    attraction: float = quantity(0.8, "Force of the approach, in units of max_force.", "", (0, 3), ge=0)
    courting_distance: float = quantity(30.0, "Distance at which courting begins.", "u", (5, 100), gt=0)
    court_time: float = quantity(0.5, "Minimum time of courtship.", "s", (0, 10), ge=0)
    court_speed: float = quantity(
        0.3, "How fast a courting pair closes up, as a share of max_speed.", "", (0, 1), ge=0
    )
    patience: float = quantity(
        12.0, "Longest time of an approach, and of courting in vain.", "s", (1, 60), gt=0
    )
    selectivity: float = quantity(0.3, "Probability that a female refuses a suitor.", "", (0, 1), ge=0, le=1)
    mating_distance: float = quantity(15.0, "How near a pair must be to mate.", "u", (1, 50), gt=0)
    mating_duration: float = quantity(3.0, "How long a mating takes.", "s", (0, 30), ge=0)
    energy_cost: float = quantity(0.1, "Energy that a mating costs each.", "", (0, 1), ge=0, le=1)
    cooldown: float = quantity(8.0, "Time until an agent may seek again.", "s", (0, 120), ge=0)
    loser_share: float = quantity(
        0.5, "Share of the cooldown after a lost fight or a refusal.", "", (0, 1), ge=0, le=1
    )
    pair_force: float = quantity(
        0.3, "Pull between mating partners, in units of max_force.", "", (0, 2), ge=0
    )
    pair_damping: float = quantity(0.2, "Braking of mating partners.", "", (0, 1), ge=0)
    close_damping: float = quantity(0.4, "Braking of mating partners that are close.", "", (0, 1), ge=0)
    close: float = quantity(5.0, "Distance at which partners are close.", "u", (0, 20), ge=0)
    fight_radius: float = quantity(
        50.0, "Distance at which two suitors of one female fight.", "u", (5, 200), gt=0
    )
    fight_duration: float = quantity(1.5, "How long a fight takes.", "s", (0, 10), ge=0)
    fight_strength: float = quantity(1.2, "Maximum push of a fight, in units of max_force.", "", (0, 5), ge=0)
    fight_push: float = quantity(100.0, "The push falls off as this over d squared.", "u^2", (1, 1000), gt=0)
    fight_drain: float = quantity(0.05, "Energy that fighting costs.", "1/s", (0, 1), ge=0)
    luck: float = quantity(0.3, "Maximum random part of a fighter's score.", "", (0, 2), ge=0)
    home_advantage: float = quantity(
        0.5, "Score that a fighter loses at one fight radius from her.", "", (0, 2), ge=0
    )
    energy_threshold: float = quantity(0.4, "Minimum energy for courtship.", "", (0, 1), ge=0, le=1)
    panic_limit: float = quantity(0.5, "Panic above this ends courtship.", "", (0, 1), ge=0, le=1)
    flocking: float = quantity(
        0.2,
        "Share of the other forces that remains in courtship and fights; none in mating.",
        "",
        (0, 1),
        ge=0,
        le=1,
    )

    reads = ("gender", "aggression", "panic", "feeding_state")
    writes = (
        "energy", "mating_state", "target_mate_id", "mating_timer", "mating_cooldown", "rival_id", "display",
    )  # fmt: skip
    # `rival_id` is a male's rival, or the suitor a female has just refused. `display` is what others see: whether an
    # agent has courted long enough, or a fighter's score.
    clamped = False
    pair_range = ("search_radius", "fight_radius")
    needs = {"mating_cooldown": "the time between matings would never pass"}
    columns = {"rival_id": -1, "display": 0.0}

    def refuses(self, scenario: Any) -> list[str]:
        ordered = (("courting_distance", "search_radius"), ("mating_distance", "courting_distance"))
        found = in_order(self, "mating", *ordered)
        if scenario.perception.nearest is not None:
            found.append(
                "rules.mating: partners must not lose each other in a crowd, got perception.nearest = "
                f"{scenario.perception.nearest}; leave perception.nearest out"
            )
        return found + exact_ids("mating", scenario)

    @staticmethod
    def alert(p: Mating, me: Suitor) -> Any:
        return (me.mating_state >= SEEKING) & (me.mating_state <= FIGHTING)

    @staticmethod
    def pair(p: Mating, me: Suitor, seen: OtherSuitor, world: World) -> Any:
        aims_at_me, minds_me = (named == to_number(me.id) for named in (seen.target_mate_id, seen.rival_id))
        # Most agents court nobody, most of the time: for them neither is computed.
        other = given(Mating.alert(p, me), lambda: score_of_other(p, me, seen), FAR)
        rival = given(is_suitor(me), lambda: score_of_rival(p, me, seen), FAR)
        bond = where(aims_at_me, MINE, where(seen.target_mate_id < 0.0, FREE, TAKEN))
        bond = where(minds_me, RIVAL, bond)
        stage = seen.mating_state + BONDS * bond
        return {
            "other": Least(other, id=seen.id, offset=seen.offset, stage=stage, display=seen.display),
            "rival": Least(rival, id=seen.id, stance=where(minds_me, seen.mating_state, NONE)),
        }

    @staticmethod
    def feel(p: Mating, me: Suitor, found: Any, world: World) -> Any:
        now = situation_of(p, me, found, world)
        return columns_after(p, me, found, world, now, state_after(p, me, found, world, now))

    @staticmethod
    def steer(p: Mating, me: Suitor, found: Any, world: World) -> Any:
        other, s = found.other, me.mating_state
        approach = steer_towards(other.offset, me) * p.attraction
        court = steer_at_speed(other.offset, p.court_speed * me.max_speed, me)
        brake = where(other.score < p.close * p.close, p.close_damping, p.pair_damping)
        mate = other.offset.with_length(p.pair_force * me.max_force) - me.velocity * brake
        push = minimum(1.0, p.fight_push / (other.score + TINY)) * p.fight_strength * me.max_force
        force = where(s == MATING, mate, -other.offset.with_length(push))
        force = where(s == APPROACHING, approach, where(s == COURTING, court, force))
        return force * where(other.exists & (s >= APPROACHING) & (s <= FIGHTING), p.weight, 0.0)

    @staticmethod
    def suppress(p: Mating, me: Suitor, found: Any, world: World) -> Any:
        s = me.mating_state
        left = where(s == MATING, 0.0, p.flocking)
        return where((s < APPROACHING) | (s > FIGHTING) | (p.weight == 0.0), 1.0, left)

    @staticmethod
    def happens(p: Mating, was: Suitor, me: Suitor, found: Any, world: World) -> Any:
        """The female reports a mating, the winner a fight."""
        mated = was_mated(was, me)
        won = (was.mating_state == FIGHTING) & (me.mating_state == APPROACHING)
        kind = where(mated, MATED, where(won, FOUGHT, 0.0))
        return kind, where(won, was.rival_id, was.target_mate_id), where(won, was.display, 0.0)


Situation = namedtuple(
    "Situation",
    "square bond state luck choosiness timer male female joins done suitor fights over wins meets refuses",
)
"""What an agent meets in a step (the other's distance squared, bond and state), and what happens between the two."""


def situation_of(p: Mating, me: Suitor, found: Any, world: World) -> Situation:
    other, rival = found.other, found.rival
    square, display = other.score, other.display
    bond = floor(other.stage / BONDS)
    state = other.stage - BONDS * bond
    u, v = uniform_pair(me.id, world, STREAM_MATING)
    s = me.mating_state
    timer = me.mating_timer + world.dt
    male, female = me.gender > 0.5, me.gender < 0.5

    # Both partners derive this from the same columns of time t, so they agree.
    joins = (s == COURTING) & (state == COURTING) & (bond == MINE) & (me.display > 0.5) & (display > 0.5)
    joins = joins & (square < p.mating_distance * p.mating_distance)
    done = (s == MATING) & (state == MATING) & (bond == MINE) & (timer >= p.mating_duration)
    suitor = is_suitor(me)
    fights = suitor & (rival.id == me.rival_id)
    fights = fights & ((rival.stance == APPROACHING) | (rival.stance == COURTING))
    over = (s == FIGHTING) & (state == FIGHTING) & (bond == RIVAL) & (timer >= p.fight_duration)
    first = (me.display == display) & (to_number(me.id) < other.id)
    wins = over & ((me.display > display) | first)

    meets = (s == SEEKING) & other.exists
    refuses = meets & female & (v < p.selectivity)
    return Situation(
        square,
        bond,
        state,
        u,
        v,
        timer,
        male,
        female,
        joins,
        done,
        suitor,
        fights,
        over,
        wins,
        meets,
        refuses,
    )


def state_after(p: Mating, me: Suitor, found: Any, world: World, now: Situation) -> Any:
    """The mating state after this step; later lines prevail."""
    s, square, state, bond, timer = me.mating_state, now.square, now.state, now.bond, now.timer
    near = p.courting_distance * p.courting_distance
    n = where((s == NONE) & (me.mating_cooldown <= 0.0) & (now.luck < p.seek_rate * world.dt), SEEKING, s)
    n = where((s == COOLDOWN) & (me.mating_cooldown <= 0.0), NONE, n)
    n = where(now.meets & now.male, APPROACHING, n)
    n = where(now.meets & now.female & (now.choosiness >= p.selectivity), COURTING, n)
    n = where((s == APPROACHING) & (square < near), COURTING, n)
    n = where((s == COURTING) & now.male & (square > 2.25 * near), APPROACHING, n)
    # A lost partner. Without one in sight, its state reads as none.
    elsewhere = (state != SEEKING) & (state != COURTING)
    n = where(now.suitor & (elsewhere | ((bond == TAKEN) & ~found.rival.exists)), SEEKING, n)
    turned = (
        (state < APPROACHING)
        | (state == MATING)
        | (state == COOLDOWN)
        | (bond < MINE)
        | (square > 2.25 * near)
    )
    n = where((s == COURTING) & now.female & (turned | (timer > p.patience)), SEEKING, n)
    n = where((s == MATING) & ((state != MATING) | (bond < MINE)), SEEKING, n)
    n = where((s == FIGHTING) & ((state != FIGHTING) | (bond != RIVAL)), SEEKING, n)
    n = where(now.suitor & ((timer > p.patience) | (bond == RIVAL)), COOLDOWN, n)
    n = where(now.fights, FIGHTING, n)
    n = where(now.joins, MATING, n)
    unfit = (me.energy < p.energy_threshold) | (me.feeding_state > 0.0)
    n = where((s <= COURTING) & unfit, NONE, n)
    n = where((s < COOLDOWN) & (me.panic > p.panic_limit), NONE, n)
    # An agreement holds, whatever else happens to one of them in this step.
    n = where(now.over, where(now.wins, APPROACHING, COOLDOWN), n)
    return where(now.done, COOLDOWN, n)


def columns_after(p: Mating, me: Suitor, found: Any, world: World, now: Situation, n: Any) -> dict[str, Any]:
    """The columns after this step, with the state n."""
    other, rival, s = found.other, found.rival, me.mating_state
    target = where(now.meets, other.id, me.target_mate_id)
    target = where((n >= APPROACHING) & (n <= FIGHTING), target, -1.0)
    challenge = where((n == APPROACHING) | (n == COURTING), where(rival.exists, rival.id, -1.0), -1.0)
    challenge = where(now.suitor, challenge, -1.0)
    challenge = where(n == FIGHTING, me.rival_id, challenge)
    # He sees her refusal a step later; then she forgets it.
    refused = where(now.refuses, other.id, where(now.timer < p.court_time, me.rival_id, -1.0))
    refused = where(n == SEEKING, refused, -1.0)
    timer = where((n == s) & (n > NONE), where(now.refuses, 0.0, now.timer), 0.0)
    away = sqrt(where(other.exists, now.square, 0.0)) / p.fight_radius
    score = me.aggression + me.energy + p.luck * now.luck - p.home_advantage * away
    shows = where((n == COURTING) & (timer >= p.court_time), 1.0, 0.0)
    shows = where(n == FIGHTING, where(s == FIGHTING, me.display, score), shows)
    rests = where((s < COOLDOWN) & (n == COOLDOWN), p.loser_share * p.cooldown, me.mating_cooldown)
    cost = where(s == FIGHTING, p.fight_drain * world.dt, 0.0) + where(now.done, p.energy_cost, 0.0)
    return {
        "energy": maximum(0.0, me.energy - cost),
        "mating_state": n,
        "target_mate_id": target,
        "mating_timer": timer,
        "mating_cooldown": where(now.done, p.cooldown, rests),
        "rival_id": where(now.male, challenge, refused),
        "display": shows,
    }


def score_of_other(p: Mating, me: Suitor, seen: OtherSuitor) -> Any:
    """How near the other is: whom I fight or have chosen, else whom I might choose."""
    she = (seen.gender < me.gender) & (seen.mating_state == SEEKING)
    she = she & (seen.square <= p.search_radius * p.search_radius)
    he = (
        (seen.gender > me.gender)
        & (seen.target_mate_id == to_number(me.id))
        & (seen.mating_state <= COURTING)
    )
    he = he & (seen.square <= p.courting_distance * p.courting_distance) & (seen.id != me.rival_id)
    candidate = where((she | he) & (me.mating_state == SEEKING), seen.square, FAR)
    candidate = where(seen.species == me.species, candidate, FAR)
    attended = where(me.mating_state == FIGHTING, me.rival_id, me.target_mate_id)
    return where(seen.id == attended, seen.square, candidate)


def score_of_rival(p: Mating, me: Suitor, seen: OtherSuitor) -> Any:
    """How near a suitor's rival is: whom I have challenged, else the nearest suitor of the same female."""
    contends = (seen.target_mate_id == me.target_mate_id) & (seen.mating_state <= COURTING)
    contends = contends & (seen.square <= p.fight_radius * p.fight_radius)
    return where(contends, where(seen.id == me.rival_id, 0.0, seen.square), FAR)


def is_suitor(me: Suitor) -> Any:
    """Whether a male approaches or courts a female."""
    return (me.gender > 0.5) & ((me.mating_state == APPROACHING) | (me.mating_state == COURTING))


def was_mated(was: Agent, me: Agent) -> Any:
    """Whether a female has just ended a mating."""
    return (was.mating_state == MATING) & (me.mating_state == COOLDOWN) & (me.gender < 0.5)
