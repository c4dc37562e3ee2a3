"""Decisions: an animal perceives who is near, takes a stance, and acts on it.

Fleeing, hunting and mating suppress the flocking rules; so does food, whose own rules (`feeding`, `remains`) then
steer. All agents decide simultaneously from the state at time t, so a pair must agree: each names the nearest ready
animal of its species; when both name each other and are side by side for long enough, both show consent; and a mating
is done when each sees the consent of the other, which both read from the same columns.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from murmura.core.algebra import maximum, minimum, sqrt, to_number, where
from murmura.core.events import Event
from murmura.core.merging import FAR, NOWHERE, Greatest, Least, Sum
from murmura.core.model import choice, quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import World
from murmura.rules.evolution.animal import Animal, OtherAnimal
from murmura.rules.evolution.phenotype import GENE_COLUMNS
from murmura.rules.evolution.stances import (
    FLEEING,
    FLOCKING,
    HUNTING,
    IDLE,
    MATING,
    NOT_YET,
    SEEKING_FOOD,
    Stance,
    ladder,
    least_time,
    scored,
    threat_of,
)
from murmura.rules.refusals import exact_ids
from murmura.rules.steering.towards import steer_at_speed, steer_towards

MATED = float(Event.MATING)
FLOCKS_FROM = 0.5  # affinity that makes another animal a flockmate


def _hold(default: float, of: str) -> Any:
    return quantity(default, f"Minimum time of {of}, unless it has to flee.", "s", (0, 10), ge=0)


def _score(default: float, of: str) -> Any:
    return quantity(default, f"Score of {of}, where decisions are scored.", "", (0, 2000), ge=0)


@register_rule("behavior")
class Behavior(Rule):
    """Stances by document 003's priorities, or by score; fear, chase and courtship (S3-6 to S3-9, S3-12 to S3-19)."""

    weight: float = quantity(1.0, "How much fear, chase and courtship count.", "", (0, 5), ge=0)
    decision: Literal["ladder", "scored"] = choice(
        "ladder", "Ladder: fear, then prey, food, partner, flock. Scored: the highest score wins."
    )
    fear_radius: float = quantity(150.0, "Distance within which a predator frightens.", "u", (10, 400), gt=0)
    chase_radius: float = quantity(150.0, "Distance within which prey is chased.", "u", (10, 400), gt=0)
    aggression_reach: float = quantity(
        1.0, "Share of the chase radius that aggression decides: 0, all hunt alike.", "", (0, 1), ge=0, le=1
    )
    mate_radius: float = quantity(150.0, "How far to look for a partner.", "u", (10, 400), gt=0)
    pair_distance: float = quantity(20.0, "How near partners must be to mate.", "u", (1, 50), gt=0)
    arrival: bool = choice(True, "Whether an animal slows down as it reaches its partner; else a plain seek.")
    build_up: float = quantity(0.25, "How long partners stay side by side first.", "s", (0, 10), ge=0)
    lead: float = quantity(3.0, "How many steps ahead the prey's flight is predicted.", "step", (0, 60), ge=0)
    hungry_below: float = quantity(
        0.3, "Energy below which carcasses are looked for.", "", (0, 1), ge=0, le=1
    )
    sated_above: float = quantity(0.9, "Energy above which eating at a carcass ends.", "", (0, 1), ge=0, le=1)
    hunts_below: float = quantity(
        1.0, "Energy up to which prey is chased; below 1, sated animals spare it.", "", (0, 1), ge=0, le=1
    )
    sprint: float = quantity(
        0.0,
        "How much of its aggression a hunter turns into speed, as prey does with fear.",
        "",
        (0, 2),
        ge=0,
    )
    idles_alone: bool = choice(
        True, "Whether an animal without flockmates in sight is idle; else it is flocking all the same."
    )
    glow_calls: float = quantity(0.5, "How much nearer a light makes a partner seem.", "", (0, 5), ge=0)

    least_idle: float = _hold(1.0, "wandering")
    least_flocking: float = _hold(0.0, "flocking")
    least_fleeing: float = _hold(2.0, "fleeing")
    least_hunting: float = _hold(2.0, "hunting")
    least_food: float = _hold(0.7, "seeking food")
    least_mating: float = _hold(2.0, "courtship")

    score_flocking: float = _score(100.0, "flocking")
    score_forage: float = _score(250.0, "looking for food")
    score_partner: float = _score(400.0, "looking for a partner")
    score_rest: float = _score(500.0, "a tired hunter's rest")
    score_mating: float = _score(500.0, "courtship")
    score_eating: float = _score(600.0, "food in a calm moment")
    score_chase: float = _score(600.0, "a chase")
    score_flee: float = _score(800.0, "flight from a full threat")
    score_scavenge: float = _score(800.0, "a carcass in sight")
    score_carcass: float = _score(950.0, "a carcass at hand")
    score_desperate: float = _score(1000.0, "food for the starving")
    ignored_threat: float = quantity(0.2, "Threat below which agents do not flee.", "", (0, 1), ge=0, le=1)
    threat_radius: float = quantity(200.0, "Distance at which a threat vanishes.", "u", (10, 400), gt=0)
    close_hunter: float = quantity(
        50.0, "Distance at which a hunting predator is very close.", "u", (1, 200), ge=0
    )
    close_other: float = quantity(
        30.0, "Distance at which any other predator is very close.", "u", (1, 200), ge=0
    )
    content_below: float = quantity(
        0.7, "Energy below which an animal eats in a calm moment.", "", (0, 1), ge=0, le=1
    )
    tired_below: float = quantity(0.3, "Energy below which a hunter rests.", "", (0, 1), ge=0, le=1)
    rested_above: float = quantity(0.5, "Energy above which it has rested enough.", "", (0, 1), ge=0, le=1)

    reads = (
        "energy", "species", "gene_aggression", "gene_fear", "part_glow", "ready", "scent", "pressure", "fright",
    )  # fmt: skip
    writes = (
        "panic", "fright", "stance", "stance_reason", "stance_time", "quarry_id", "quarry_distance", "target_mate_id",
        "mating_timer", "consents", "mated", "feeding_state", "target_food_id",
    )  # fmt: skip
    columns = {
        "stance": int(FLOCKING), "stance_reason": 0, "stance_time": 0.0, "quarry_id": -1, "quarry_distance": FAR,
        "consents": 0, "mated": 0, "ready": 0, "scent": FAR, "pressure": 0.0, "part_glow": 0.0,
        "fright": 0.0,
        "gene_aggression": GENE_COLUMNS["gene_aggression"], "gene_fear": GENE_COLUMNS["gene_fear"],
    }  # fmt: skip

    borrows = {"appetite": "remains.appetite", "food_below": "feeding.hungry_below"}
    appetite: ClassVar[float]
    food_below: ClassVar[float]

    codes = {"stance": Stance}

    def variant(self) -> type[Rule]:
        return ScoredBehavior if self.decision == "scored" else Behavior

    def refuses(self, scenario: Any) -> list[str]:
        rules, found = scenario.rules, []
        if rules.mating.enabled or rules.breeding.enabled:
            found.append(
                "rules.behavior has a courtship of its own; set rules.mating and rules.breeding to enabled = false"
            )
        genome, motion = rules.genome, scenario.motion
        sight = genome.least_vision if genome.enabled else scenario.perception.radius
        reach = max(self.pair_distance, rules.combat.range)
        move = 2.0 * motion.top_speed * (1.0 + motion.panic_speed) * motion.stride
        if reach + move > sight:
            found.append(
                f"rules.behavior.pair_distance and rules.combat.range must be at most {max(0.0, sight - move):g} [u]: "
                f"two that meet must still see each other a step later, got {reach:g}; lower them or the speed, or "
                f"raise {'rules.genome.least_vision' if genome.enabled else 'perception.radius'}"
            )
        return found + exact_ids("behavior", scenario)

    @staticmethod
    def pair(p: Behavior, me: Animal, seen: OtherAnimal, world: World) -> Any:
        push = where(frightens(p, seen), seen.flee * seen.inverse * seen.inverse, 0.0)
        # S3-8 has the radius alone; S3-38 makes a chase a matter of aggression.
        reach = p.chase_radius * (1.0 - p.aggression_reach + p.aggression_reach * me.gene_aggression)
        quarry = where((seen.chase > 0.0) & (seen.square <= reach * reach), seen.square, FAR)
        aim = seen.offset + seen.velocity * (p.lead * world.stride)
        suits = (seen.species == me.species) & (seen.ready == 1.0) & (me.ready == 1.0)
        suits = suits & (seen.square <= p.mate_radius * p.mate_radius)
        mate = seen.square / (1.0 + p.glow_calls * seen.part_glow)
        mate = where(seen.id == me.target_mate_id, 0.25 * mate, mate)
        answer = where(seen.target_mate_id == to_number(me.id), 1.0 + seen.consents, 0.0)
        return {
            "away": Sum(-seen.offset * push),
            # Not from the sum above, in which predators on either side cancel: they frighten all the same.
            "feared": Greatest(where(frightens(p, seen), 1.0, 0.0)),
            "company": Sum(where(seen.cohesion >= FLOCKS_FROM, 1.0, 0.0)),
            "quarry": Least(quarry, id=seen.id, aim=aim),
            "mate": Least(where(suits, mate, FAR), id=seen.id, offset=seen.offset, answer=answer),
        }

    @staticmethod
    def feel(p: Behavior, me: Animal, found: Any, world: World) -> Any:
        eats, scavenges, hunts, partner, company = opportunities(p, me, found)
        # Hunters of the rule `predators` frighten as well as animals that hunt.
        feared = (found.feared > 0.5) | (me.fright > 0.0)
        wanted, why = ladder(p, feared, hunts, eats, scavenges, partner, company)
        return take_stance(p, me, found, wanted, why, world)

    @staticmethod
    def steer(p: Behavior, me: Animal, found: Any, world: World) -> Any:
        quarry, mate, s = found.quarry, found.mate, me.stance
        # S3-7: fear makes an animal faster; panic raises its top speed as well.
        flight = steer_at_speed(found.away, me.max_speed * (1.0 + me.gene_fear), me)
        chase = steer_towards(quarry.aim, me)
        near = minimum(1.0, mate.offset.length / p.pair_distance) if p.arrival else 1.0
        courtship = steer_at_speed(mate.offset, me.max_speed * near, me)
        force = where((s == MATING) & mate.exists, courtship, 0.0)
        force = where((s == HUNTING) & quarry.exists, chase, force)
        return where(s == FLEEING, flight, force) * p.weight

    @staticmethod
    def suppress(p: Behavior, me: Animal, found: Any, world: World) -> Any:
        return where((me.stance == FLOCKING) | (me.stance == IDLE), 1.0, 0.0)

    @staticmethod
    def happens(p: Behavior, was: Animal, me: Animal, found: Any, world: World) -> Any:
        """The partner with the lower id reports the mating."""
        reports = (me.mated > 0.5) & (to_number(me.id) < me.target_mate_id)
        return where(reports, MATED, 0.0), me.target_mate_id, 0.0


def frightens(p: Behavior, seen: OtherAnimal) -> Any:
    """Whether a neighbour is a predator within the fear radius."""
    return (seen.flee > 0.0) & (seen.square <= p.fear_radius * p.fear_radius)


def opportunities(p: Behavior, me: Animal, found: Any) -> Any:
    """Opportunities (S3-19): whether it eats, smells a carcass, may hunt, sees a partner, has company."""
    hungry = me.energy < where(me.stance == SEEKING_FOOD, p.sated_above, p.hungry_below)
    hunts = found.quarry.exists & (me.energy <= p.hunts_below)
    scavenges = hungry & (me.scent < NOWHERE)
    return me.feeding_state > 0.5, scavenges, hunts, found.mate.exists, found.company > 0.5


def at_side(p: Behavior, me: Animal, mate: Any) -> Any:
    """Whether a partner and I have named each other, and whether it is at my side."""
    paired = mate.exists & (mate.id == me.target_mate_id) & (mate.answer > 0.5)
    return paired, paired & (mate.offset.square <= p.pair_distance * p.pair_distance)


def take_stance(p: Behavior, me: Animal, found: Any, wanted: Any, why: Any, world: World) -> Any:
    """Take a stance, unless the previous one has a minimum time left, and set the columns that follow from it."""
    quarry, mate = found.quarry, found.mate
    eats, scavenges, _, _, _ = opportunities(p, me, found)
    paired, beside = at_side(p, me, mate)
    # Both partners derive this from the same columns of time t, so they agree.
    done = paired & (me.consents > 0.5) & (mate.answer > 1.5)
    s = me.stance
    # Hunting, courtship and eating end as soon as their object is gone; other stances have none.
    lost = ((s == HUNTING) & ~quarry.exists) | ((s == MATING) & ~mate.exists)
    lost = lost | ((s == SEEKING_FOOD) & ~(eats | scavenges))
    keeps = (wanted != s) & (wanted != FLEEING) & (me.stance_time < least_time(p, s)) & ~lost
    stance = where(keeps, s, wanted)
    courts, hunts, feeds = stance == MATING, (stance == HUNTING) & quarry.exists, stance == SEEKING_FOOD
    timer = where(beside & courts, me.mating_timer + world.dt, 0.0)
    flight = maximum(me.gene_fear, me.fright)
    return {
        # Arousal: `motion.panic_speed` turns it into speed, `genome.flight_cost` into hunger.
        "panic": where(stance == FLEEING, flight, where(hunts, p.sprint * me.gene_aggression, 0.0)),
        "fright": 0.0,  # until hunters frighten again
        "stance": stance,
        "stance_reason": where(keeps, NOT_YET, why),
        "stance_time": where(stance == s, me.stance_time + world.dt, 0.0),
        "quarry_id": where(hunts, quarry.id, -1.0),
        "quarry_distance": where(hunts, distance_to(quarry), FAR),
        "target_mate_id": where((courts | done) & mate.exists, mate.id, -1.0),
        "mating_timer": where(done, 0.0, timer),
        "consents": where(beside & courts & (timer >= p.build_up) & ~done, 1.0, 0.0),
        "mated": where(done, 1.0, 0.0),
        "feeding_state": where(feeds, me.feeding_state, 0.0),
        "target_food_id": where(feeds, me.target_food_id, -1.0),
    }


def distance_to(nearest: Any) -> Any:
    """The distance of the nearest one found, whose score is the squared distance; 0 if there is none."""
    return sqrt(where(nearest.exists, nearest.score, 0.0))


class ScoredBehavior(Behavior):
    """Decisions by score also depend on how near the nearest predator is, and on what it is doing."""

    @staticmethod
    def modulate(p: Behavior, me: Animal, world: World) -> Any:
        # Food is an option for every agent that is not content, and the score decides.
        offered = p.content_below / maximum(p.food_below, 1e-6)
        return {"feeding.hungry_below": where(p.food_below > 0.0, offered, 1.0)}

    @staticmethod
    def pair(p: Behavior, me: Animal, seen: OtherAnimal, world: World) -> Any:
        nearest = Least(where(frightens(p, seen), seen.square, FAR), stance=seen.stance)
        return {**Behavior.pair(p, me, seen, world), "predator": nearest}

    @staticmethod
    def feel(p: Behavior, me: Animal, found: Any, world: World) -> Any:
        quarry, predator = found.quarry, found.predator
        eats, scavenges, hunts, partner, company = opportunities(p, me, found)
        _, beside = at_side(p, me, found.mate)
        distance = distance_to(predator)
        threat = maximum(threat_of(predator, distance, p.threat_radius), me.fright)
        near = where(predator.stance == HUNTING, p.close_hunter, p.close_other)
        close = predator.exists & (distance < near)
        chase = maximum(0.0, 1.0 - distance_to(quarry) / p.threat_radius) * me.gene_aggression
        same = (quarry.id == me.quarry_id) & (me.stance == HUNTING)
        at_carcass = scavenges & (me.scent < p.pair_distance)
        wanted, why = scored(
            p, me, threat, close, hunts, chase, same, eats, scavenges, at_carcass, partner, beside, company,
            me.pressure,
        )  # fmt: skip
        return take_stance(p, me, found, wanted, why, world)
