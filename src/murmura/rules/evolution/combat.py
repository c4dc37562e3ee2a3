"""Combat and health (S3-20 to S3-28): bites, shells, knockback, injuries of the biter, healing.

An attack takes two steps, so that both sides agree on it: a hunter in range names its prey and shows the strength of
its bite; a step later the prey finds itself named, and the hunter finds the prey it named, both from the same
columns. Wounds take effect at the end of that step; an agent without health dies in the next one, after it has reported
where its remains lie.
"""

from __future__ import annotations

from typing import Any, ClassVar

from murmura.core.algebra import maximum, minimum, to_number, where
from murmura.core.events import Cause
from murmura.core.merging import FAR, Least, Sum
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_in_space, register_rule
from murmura.core.rule_arguments import World
from murmura.core.vec import Vec
from murmura.core.world.motion import new_angle
from murmura.rules.evolution.animal import Animal, OtherAnimal
from murmura.rules.evolution.phenotype import GENE_COLUMNS, attack_damage, defence, health_capacity
from murmura.rules.evolution.stances import FLOCKING, HUNTING

PREDATION, COMBAT = float(Cause.PREDATION), float(Cause.COMBAT)
KICKS = ("kick_x", "kick_y", "kick_z")


@register_rule("combat")
class Combat(Rule):
    """Hunters bite the prey they chase; the victim is thrown back and strikes back; time and food heal."""

    range: float = quantity(12.0, "How near prey must be for a bite.", "u", (1, 50), gt=0)
    cooldown: float = quantity(2.0, "Time between two bites.", "s", (0, 10), ge=0)
    damage: float = quantity(15.0, "Bite of an animal of size 1.", "health", (1, 100), ge=0)
    aggression_damage: float = quantity(0.5, "What full aggression adds to a bite.", "", (0, 2), ge=0)
    spike_damage: float = quantity(
        0.15, "What a spike adds to a bite, and to striking back.", "", (0, 1), ge=0
    )
    shell_defence: float = quantity(0.3, "Share of a bite that a shell absorbs.", "", (0, 1), ge=0, le=1)
    most_defence: float = quantity(0.9, "Maximum share that shells absorb.", "", (0, 1), ge=0, le=1)
    knockback: float = quantity(5.0, "Velocity that a bite gives the prey.", "u/s or u/tick", (0, 40), ge=0)
    strike_back: float = quantity(
        6.0, "Damage that prey of size 1 does to a fully aggressive biter.", "health", (0, 100), ge=0
    )
    health: float = quantity(200.0, "Health of an animal of size 1.", "health", (10, 1000), gt=0)
    maturity_health: float = quantity(0.3, "Extra health of animals that grow up slowly.", "", (0, 2), ge=0)
    regeneration: float = quantity(
        0.0075, "Share of its health that heals per second.", "1/s", (0, 0.1), ge=0
    )
    food_healing: float = quantity(
        0.5, "Health that a unit of energy gained by food heals.", "health/energy", (0, 2), ge=0
    )
    energy_units: float = quantity(
        150.0, "Energy of a sated animal of size 1, for healing.", "energy", (10, 1000), gt=0
    )
    bite_cost: float = quantity(0.002, "Energy that a bite costs.", "", (0, 0.1), ge=0)

    needs = {"behavior": "hunting needs stances"}
    reads = (
        "stance", "quarry_id", "quarry_distance", "gene_size", "gene_aggression", "gene_maturity", "part_spike",
        "part_shell",
    )  # fmt: skip
    writes: ClassVar[tuple[str, ...]] = (
        "energy", "health", "attack_id", "blow", "attack_cooldown", "wound", "hurt_by", "hurt_as", "energy_before",
        "kick_x", "kick_y", "velocity", "heading_angle",
    )  # fmt: skip
    columns = {
        "health": 1.0, "attack_id": -1, "blow": 0.0, "attack_cooldown": 0.0, "wound": 0.0, "hurt_by": -1, "hurt_as": 0,
        "energy_before": 1.0, "kick_x": 0.0, "kick_y": 0.0,
        "stance": int(FLOCKING), "quarry_id": -1, "quarry_distance": FAR,
        "gene_size": GENE_COLUMNS["gene_size"], "gene_aggression": GENE_COLUMNS["gene_aggression"],
        "gene_maturity": GENE_COLUMNS["gene_maturity"], "part_spike": 0.0, "part_shell": 0.0,
    }  # fmt: skip
    silent_when_zero = ""
    meets_everyone = True  # a bite from behind hurts as well

    @staticmethod
    def pair(p: Combat, me: Animal, seen: OtherAnimal, world: World) -> Any:
        bites = seen.attack_id == to_number(me.id)
        strength = seen.gene_size * (1.0 + p.spike_damage * seen.part_spike)
        return {
            "bitten": Sum(where(bites, seen.blow, 0.0)),
            "away": Sum(seen.offset * where(bites, -seen.inverse, 0.0)),
            "struck": Sum(where(seen.id == me.attack_id, strength, 0.0)),
            # Of several biters the one with the lowest id is blamed.
            "biter": Least(where(bites, seen.id, FAR)),
        }

    @staticmethod
    def feel(p: Combat, me: Animal, found: Any, world: World) -> Any:
        bitten, struck = found.bitten, found.struck
        capacity = health_capacity(p, me)
        # S3-45: aggressive animals are hurt more.
        pain = bitten * (1.0 - defence(p, me)) + struck * p.strike_back * me.gene_aggression
        # S3-28: half of the energy itself, not of its share; both grow with size.
        gained = maximum(0.0, me.energy - me.energy_before) * p.energy_units * me.gene_size
        healed = p.food_healing * gained / capacity
        dead = me.health <= 0.0
        # Over within half a step of 0: fractions of a second do not add up exactly.
        left = me.attack_cooldown - world.dt
        strikes = (me.stance == HUNTING) & (me.quarry_distance <= p.range) & (left < 0.5 * world.dt)
        strikes = strikes & (me.quarry_id >= 0.0) & ~dead
        by = where(bitten > 0.0, found.biter.score, where(struck > 0.0, me.attack_id, -1.0))
        kind = where(bitten > 0.0, PREDATION, COMBAT)
        kick = found.away * where(found.biter.exists, p.knockback, 0.0)
        return {
            "energy": maximum(0.0, me.energy - where(strikes, p.bite_cost, 0.0)),
            "attack_id": where(strikes, me.quarry_id, -1.0),
            "blow": where(strikes, attack_damage(p, me), 0.0),
            "attack_cooldown": where(strikes, p.cooldown, maximum(0.0, left)),
            "wound": pain / capacity - healed,
            **dict(zip(KICKS, kick, strict=False)),
            "hurt_by": where(dead, me.hurt_by, by),
            "hurt_as": where(dead, me.hurt_as, kind),
        }

    @staticmethod
    def age(p: Combat, me: Animal, world: World) -> Any:
        health = minimum(1.0, me.health - me.wound + p.regeneration * world.dt)
        # S3-23: after the move, so that the speed cap acts from the next step on.
        velocity = me.velocity + Vec(*(getattr(me, kick) for kick in KICKS[: len(me.velocity)]))
        return {
            "health": where(me.health <= 0.0, me.health, health),
            "energy_before": me.energy,
            "velocity": velocity,
            "heading_angle": new_angle(velocity, me.heading_angle),
        }

    @staticmethod
    def dies(p: Combat, me: Animal, found: Any, world: World) -> Any:
        return where(me.health <= 0.0, where(me.hurt_as == PREDATION, PREDATION, COMBAT), 0.0), me.hurt_by


@register_in_space(Combat)
class CombatInSpace(Combat):
    """In space a bite throws the victim in three directions."""

    writes = (*Combat.writes, "kick_z")
    columns = Combat.columns | {"kick_z": 0.0}
