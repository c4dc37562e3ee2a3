"""Stances (S3-12) and the choice of one, by fixed priorities or by score, with the reason for every choice.

Plain functions of an agent's perceptions; `behavior` computes these and acts on the choice.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from murmura.core.algebra import Number, maximum, minimum, where
from murmura.rules.evolution.animal import Animal

if TYPE_CHECKING:
    from murmura.rules.evolution.behavior import Behavior


class Stance(IntEnum):
    """What an animal is doing."""

    IDLE = 0
    FLOCKING = 1
    FLEEING = 2
    HUNTING = 3
    SEEKING_FOOD = 4
    MATING = 5


class Reason(IntEnum):
    """Why it is doing it."""

    NEWBORN = 0
    ALONE = 1
    COMPANY = 2
    PREDATOR_NEAR = 3
    PREDATOR_CLOSE = 4
    PREY_NEAR = 5
    CHASE_ON = 6
    HUNGRY = 7
    DESPERATE = 8
    CARCASS_NEAR = 9
    PARTNER_NEAR = 10
    COURTING = 11
    TIRED = 12
    NOT_YET = 13


STANCES = {
    Stance.IDLE: "wanders on its own",
    Stance.FLOCKING: "flies with its flock",
    Stance.FLEEING: "flees from predators",
    Stance.HUNTING: "chases the nearest prey",
    Stance.SEEKING_FOOD: "heads for food and eats",
    Stance.MATING: "heads for a partner",
}
REASONS = {
    Reason.NEWBORN: "has decided nothing yet",
    Reason.ALONE: "no flockmate in sight",
    Reason.COMPANY: "flockmates in sight",
    Reason.PREDATOR_NEAR: "a predator within its fear radius",
    Reason.PREDATOR_CLOSE: "a predator very close",
    Reason.PREY_NEAR: "prey within its chase radius",
    Reason.CHASE_ON: "a chase that is under way",
    Reason.HUNGRY: "hungry, and food in sight",
    Reason.DESPERATE: "starving, with food at hand",
    Reason.CARCASS_NEAR: "hungry, and a carcass in sight",
    Reason.PARTNER_NEAR: "ready to mate, and a partner in sight",
    Reason.COURTING: "a partner at its side",
    Reason.TIRED: "too tired to hunt",
    Reason.NOT_YET: "stays in its stance for the minimum time",
}

IDLE, FLOCKING, FLEEING, HUNTING, SEEKING_FOOD, MATING = (float(stance) for stance in Stance)
(
    NEWBORN, ALONE, COMPANY, PREDATOR_NEAR, PREDATOR_CLOSE, PREY_NEAR, CHASE_ON, HUNGRY, DESPERATE, CARCASS_NEAR,
    PARTNER_NEAR, COURTING, TIRED, NOT_YET,
) = (float(reason) for reason in Reason)  # fmt: skip


def ladder(
    p: Behavior, threatened: Any, has_prey: Any, eats: Any, scavenges: Any, has_partner: Any, has_company: Any
) -> tuple[Number, Number]:
    """The document's priorities (S3-14 to S3-18): stance and reason."""
    stance, reason = _calm(p, has_company)
    stance, reason = where(has_partner, MATING, stance), where(has_partner, PARTNER_NEAR, reason)
    stance, reason = where(eats, SEEKING_FOOD, stance), where(eats, HUNGRY, reason)
    stance, reason = where(scavenges, SEEKING_FOOD, stance), where(scavenges, CARCASS_NEAR, reason)
    stance, reason = where(has_prey, HUNTING, stance), where(has_prey, PREY_NEAR, reason)
    return where(threatened, FLEEING, stance), where(threatened, PREDATOR_NEAR, reason)


def scored(
    p: Behavior, me: Animal, threat: Number, close: Any, has_prey: Any, chase: Number, same_prey: Any, eats: Any,
    scavenges: Any, at_carcass: Any, has_partner: Any, courts: Any, has_company: Any, pressure: Number,
) -> tuple[Number, Number]:  # fmt: skip
    """The choice with the highest score: stance and reason."""
    hunger = 1.0 - me.energy
    best = p.score_flocking
    stance, reason = _calm(p, has_company)
    # Predators rest, and prey eats or flees: an appetite for carcasses makes an animal a predator.
    tired = (me.energy < where(me.stance == IDLE, p.rested_above, p.tired_below)) & (p.appetite > 0.0)
    best, stance, reason = _better(tired, p.score_rest, IDLE, TIRED, best, stance, reason)
    seeks = p.score_partner * (1.0 - 0.5 * pressure)
    best, stance, reason = _better(has_partner, seeks, MATING, PARTNER_NEAR, best, stance, reason)
    waited = p.score_mating + minimum(200.0, 300.0 * me.mating_timer)
    best, stance, reason = _better(courts, waited, MATING, COURTING, best, stance, reason)
    calm = eats & (me.energy <= p.content_below) & (threat <= 0.3)
    best, stance, reason = _better(
        eats, p.score_forage + 100.0 * hunger, SEEKING_FOOD, HUNGRY, best, stance, reason
    )
    best, stance, reason = _better(calm, p.score_eating, SEEKING_FOOD, HUNGRY, best, stance, reason)
    desperate = eats & (me.energy <= p.hungry_below) & (me.feeding_state > 1.5)
    best, stance, reason = _better(
        desperate, p.score_desperate, SEEKING_FOOD, DESPERATE, best, stance, reason
    )
    best, stance, reason = _better(has_prey, p.score_chase * chase, HUNTING, PREY_NEAR, best, stance, reason)
    best, stance, reason = _better(
        has_prey & same_prey, p.score_chase + 150.0 * chase, HUNTING, CHASE_ON, best, stance, reason
    )
    best, stance, reason = _better(
        scavenges, p.score_scavenge + 80.0 * hunger, SEEKING_FOOD, CARCASS_NEAR, best, stance, reason
    )
    best, stance, reason = _better(
        at_carcass, p.score_carcass, SEEKING_FOOD, CARCASS_NEAR, best, stance, reason
    )
    feared = threat >= p.ignored_threat
    best, stance, reason = _better(
        feared, p.score_flee * threat, FLEEING, PREDATOR_NEAR, best, stance, reason
    )
    _, stance, reason = _better(close, 2.0 * p.score_flee, FLEEING, PREDATOR_CLOSE, best, stance, reason)
    return stance, reason


def _calm(p: Behavior, has_company: Any) -> tuple[Number, Number]:
    """The stance of an animal that has nothing to do, with the reason."""
    alone = IDLE if p.idles_alone else FLOCKING
    return where(has_company, FLOCKING, alone), where(has_company, COMPANY, ALONE)


def _better(
    possible: Any, score: Number, stance: float, reason: float, best: Number, before: Number, why: Number
) -> tuple[Number, Number, Number]:
    wins = possible & (score > best)
    return where(wins, score, best), where(wins, stance, before), where(wins, reason, why)


def threat_of(predator: Any, distance: Number, reach: Number) -> Number:
    """The threat of the nearest predator: greater if it hunts, and if it is near."""
    stance = predator.stance
    factor = where(stance == HUNTING, 1.0, where((stance == IDLE) | (stance == SEEKING_FOOD), 0.5, 0.25))
    return where(predator.exists, factor * maximum(0.0, 1.0 - distance / reach), 0.0)


def least_time(p: Behavior, stance: Number) -> Number:
    """The minimum time of a stance [s]."""
    calm = where(stance == FLOCKING, p.least_flocking, p.least_idle)
    food = where(stance == SEEKING_FOOD, p.least_food, where(stance == MATING, p.least_mating, calm))
    return where(stance == FLEEING, p.least_fleeing, where(stance == HUNTING, p.least_hunting, food))
