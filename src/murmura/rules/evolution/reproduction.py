"""Reproduction: conditions, costs and inheritance, with exact population caps.

One item for each species counts its members. Agents announce a mating one step ahead, so that all know whether there
is room for every birth; if not, the agent with the most energy goes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from murmura.core.algebra import Integer, Number, maximum, minimum, to_number, where
from murmura.core.merging import FAR, Best, Count, Sum
from murmura.core.model import choice, quantity
from murmura.core.rule import Rule, register_in_space, register_rule
from murmura.core.rule_arguments import World
from murmura.core.vec import random_direction
from murmura.core.world.randomness import STREAM_YOUNG, uniform_from
from murmura.rules.evolution.animal import Animal
from murmura.rules.evolution.heredity import gene_of, hue_of, part_chances, part_of, size_of
from murmura.rules.evolution.phenotype import BODY_COLUMNS, GENES, PARTS
from murmura.rules.evolution.stances import FLOCKING
from murmura.rules.refusals import room_for

MOST_SPECIES = 8
READY, READY_ALONE = 1.0, 2.0
FREE = {
    "age": 0.0, "health": 1.0, "stance": int(FLOCKING), "stance_reason": 0, "stance_time": 0.0, "quarry_id": -1,
    "quarry_distance": FAR, "attack_id": -1, "blow": 0.0, "attack_cooldown": 0.0, "wound": 0.0, "hurt_by": -1,
    "hurt_as": 0, "kick_x": 0.0, "kick_y": 0.0, "consents": 0, "mated": 0, "ready": 0, "ready_for": 0.0,
    "pressure": 0.0, "scent": FAR, "bore": 0, "starving": 0.0, "meal": 0.0, "gave": 0.0, "fright": 0.0,
}  # fmt: skip
"""Columns in which a newborn has defaults, whatever its mother's values are."""
UNATTACHED = {
    "panic": 0.0, "mating_cooldown": 0.0, "mating_timer": 0.0, "target_mate_id": -1, "feeding_state": 0,
    "target_food_id": -1, "feeding_timer": 0.0,
}  # fmt: skip
"""The same for the columns that every agent has."""


@register_rule("reproduction")
class Reproduction(Rule):
    """Two animals, or one alone, have young with mutated genes of the parents; energy is shared, not created."""

    energy_threshold: float = quantity(0.6, "Minimum energy to have young.", "", (0, 1), ge=0, le=1)
    least_age: float = quantity(5.0, "Age at which the fastest to mature may mate.", "s", (0, 300), ge=0)
    maturity_span: float = quantity(15.0, "What the slowest maturity adds to that age.", "s", (0, 300), ge=0)
    cooldown: float = quantity(15.0, "Time between two matings.", "s", (0, 300), ge=0)
    young: float = quantity(1.0, "Young per mating: one partner has one, or both.", "", (1, 2), ge=1, le=2)
    asexual: float = quantity(0.0, "Whether an animal has young alone: 1, else 0.", "", (0, 1), ge=0, le=1)
    alone_after: float = quantity(
        0.0, "Time without a partner after which an animal has young alone; 0: never.", "s", (0, 300), ge=0
    )
    gift: float = quantity(
        0.4, "Share of its energy that a parent gives to its young.", "", (0, 0.9), ge=0, le=0.9
    )
    cost: float = quantity(0.05, "Energy that a mating costs each.", "", (0, 1), ge=0, le=1)
    keeps: float = quantity(
        1.0,
        "Energy that parents keep, whatever they had; the young get the rest. 1: `gift` and `cost` apply.",
        "",
        (0.1, 1),
        gt=0,
        le=1,
    )
    first_flight: float = quantity(
        0.5, "Speed of a newborn, as a share of its mother's.", "", (0, 1), ge=0, le=1
    )
    most: int = quantity(
        2000, "Maximum population, at which births stop.", "", (100, 20_000), ge=1, le=5_000_000
    )
    most_of_kind: float = quantity(
        2000.0, "Maximum population of the species.", "", (10, 20_000), ge=1, le=5_000_000
    )
    crossover: Literal["blend", "choice"] = choice(
        "blend", "A gene of the young: the mean of both parents', or that of either."
    )
    mutation_rate: float = quantity(0.05, "How often a gene mutates.", "", (0, 1), ge=0, le=1)
    mutation_size: float = quantity(
        0.1, "Maximum mutation, as a share of the gene's range.", "", (0, 1), ge=0, le=1
    )
    hue_mutation_rate: float = quantity(0.1, "How often the colour mutates.", "", (0, 1), ge=0, le=1)
    part_mutation_rate: float = quantity(0.02, "How often a body part mutates.", "", (0, 1), ge=0, le=1)
    most_parts: int = quantity(5, "Maximum number of parts of one kind.", "", (0, 9), ge=0, le=9)

    needs = {
        "behavior": "courtship needs stances",
        "ageing": "maturity needs ages",
        "mating_cooldown": "the time between matings would never pass",
    }
    shared = ("most",)
    item_fields = ("kind", "count", "waiting", "born", "first")
    reads = ("species", "target_mate_id", "mated", "consents")
    writes = ("energy", "mating_cooldown", "ready", "ready_for", "bore", "pressure", "gave")
    inherits = (
        "velocity", "energy", "energy_before", *BODY_COLUMNS, *FREE, *UNATTACHED, "generation", "mother_id",
        "father_id",
    )  # fmt: skip
    columns = BODY_COLUMNS | FREE | {"generation": 0, "mother_id": -1, "father_id": -1, "energy_before": 1.0}

    def most_agents(self, agents: int) -> int:
        return max(agents, self.most)

    def items(self) -> Sequence[Sequence[float]]:
        return [(float(kind), 0.0, 0.0, 0.0, -1.0) for kind in range(MOST_SPECIES)]

    def refuses(self, scenario: Any) -> list[str]:
        found = room_for("reproduction", self.most, scenario)
        if len(scenario.species) > MOST_SPECIES:
            found.append(
                f"rules.reproduction counts at most {MOST_SPECIES} species, got {len(scenario.species)}; use fewer"
            )
        if self.energy_threshold < self.keeps < 1.0:
            found.append(
                f"rules.reproduction.keeps must be at most energy_threshold ({self.energy_threshold:g}), or the young "
                f"get nothing, got {self.keeps:g}; lower it, or set it to 1 for a share of what the mother has"
            )
        return found

    @staticmethod
    def item(p: Reproduction, me: Animal, it: Any, world: World) -> Any:
        mine = me.species == it.kind
        room = p.most_of_kind - it.count - it.born
        admits = (room >= it.waiting) | ((room >= 1.0) & (to_number(me.id) == it.first))
        full = maximum(0.0, (it.count / p.most_of_kind - 0.7) / 0.3)
        return {
            "pressure": Sum(where(mine, minimum(1.0, full), 0.0)),
            "admitted": Sum(where(mine & admits, 1.0, 0.0)),
        }

    @staticmethod
    def feel(p: Reproduction, me: Animal, found: Any, world: World) -> Any:
        mates = _mates(me)
        gives_birth = _gives_birth(p, me) & (found.admitted > 0.5)
        left = where(gives_birth, me.energy * (1.0 - p.gift), me.energy)
        left = where(mates, maximum(0.0, left - p.cost), left)
        left = where(mates & (p.keeps < 1.0), minimum(me.energy, p.keeps), left)
        return {
            "energy": left,
            "gave": me.energy - left,
            "mating_cooldown": where(mates, p.cooldown, me.mating_cooldown),
            "ready": where(mates, 0.0, me.ready),
            "bore": where(gives_birth, 1.0, 0.0),
            "pressure": found.pressure,
        }

    @staticmethod
    def age(p: Reproduction, me: Animal, world: World) -> Any:
        grown = me.age >= p.least_age + p.maturity_span * me.gene_maturity
        able = grown & (me.energy >= p.energy_threshold) & (me.mating_cooldown <= 0.0) & (me.health > 0.0)
        waited = where(able, me.ready_for + world.dt, 0.0)
        alone = (p.asexual > 0.0) | ((p.alone_after > 0.0) & (waited > p.alone_after))
        ready = where(able, where(alone, READY_ALONE, READY), 0.0)
        return {"ready": ready, "ready_for": waited}

    @staticmethod
    def gives_birth(p: Reproduction, was: Animal, me: Animal, found: Any, world: World) -> Any:
        return where(me.bore > 0.5, 1.0, 0.0), where(me.mated > 0.5, me.target_mate_id, -1.0)

    @staticmethod
    def inherit(p: Reproduction, mother: Animal, father: Animal, child_id: Integer, world: World) -> Any:
        alone = mother.id == father.id
        turn, height = uniform_from(world.seed_low, world.seed_high, 0, child_id, STREAM_YOUNG)
        body = _body(p, mother, father, child_id, world)
        energy = minimum(1.0, _gift(p, mother, father, alone) / body["gene_size"])
        return {
            "velocity": random_direction(
                turn * 6.2831855, height, p.first_flight * mother.speed, len(world.size)
            ),
            "energy": energy,
            "energy_before": energy,
            **body,
            **FREE,
            **UNATTACHED,
            "generation": 1.0 + maximum(mother.generation, father.generation),
            "mother_id": to_number(mother.id),
            "father_id": where(alone, -1.0, to_number(father.id)),
        }

    @staticmethod
    def gather(p: Reproduction, me: Animal, it: Any, world: World) -> Any:
        mine = me.species == it.kind
        waits = mine & is_waiting(me)
        return {
            "count": Count(mine),
            "waiting": Count(waits),
            "born": Count(mine & (me.bore > 0.5)),
            "first": Best(where(waits, me.energy, 0.0)),
        }

    @staticmethod
    def turn(p: Reproduction, it: Any, reports: Any, items: Any, world: World) -> None:
        it.count, it.waiting, it.born, it.first = (
            reports.count,
            reports.waiting,
            reports.born,
            reports.first.id,
        )


@register_in_space(Reproduction)
class ReproductionInSpace(Reproduction):
    """In space a newborn starts without knockback along the third axis too."""

    inherits = (*Reproduction.inherits, "kick_z")
    columns = Reproduction.columns | {"kick_z": 0.0}

    @staticmethod
    def inherit(p: Reproduction, mother: Animal, father: Animal, child_id: Integer, world: World) -> Any:
        return Reproduction.inherit(p, mother, father, child_id, world) | {"kick_z": 0.0}


def is_waiting(me: Animal) -> Any:
    """Whether an animal may have young in the next step."""
    return (me.consents > 0.5) | (me.ready == READY_ALONE)


def _mates(me: Animal) -> Any:
    """Whether an animal has just mated, or has young on its own."""
    return (me.mated > 0.5) | (me.ready == READY_ALONE)


def _gives_birth(p: Reproduction, me: Animal) -> Any:
    """Whether it would have a young one: of a pair, the partner with the lower id, or both."""
    turn = (me.ready == READY_ALONE) | (p.young > 1.5) | (to_number(me.id) < me.target_mate_id)
    return _mates(me) & turn


def _gift(p: Reproduction, mother: Animal, father: Animal, alone: Any) -> Number:
    """The energy that the young get, for a size of 1."""
    # The cost of mating was paid after the gift was taken.
    share = (mother.energy + where(alone, 0.0, p.cost)) * p.gift / (1.0 - p.gift) * mother.gene_size
    both = mother.gave * mother.gene_size + where(alone, 0.0, father.gave * father.gene_size)
    # Where both partners have a young one, each gets half.
    both = where(~alone & (p.young > 1.5), 0.5 * both, both)
    return where(p.keeps < 1.0, both, share)


def _body(p: Reproduction, mother: Animal, father: Animal, child_id: Integer, world: World) -> dict[str, Any]:
    """Genes and body parts of a newborn, by column."""
    found = {}
    crossings = {"size": size_of, "hue": hue_of}
    for number, gene in enumerate(GENES):
        column = f"gene_{gene}"
        ours, theirs = getattr(mother, column), getattr(father, column)
        found[column] = crossings.get(gene, gene_of)(p, ours, theirs, number, child_id, world)
    luck = part_chances(child_id, world)
    for number, part in enumerate(PARTS):
        column = f"part_{part}"
        found[column] = part_of(p, getattr(mother, column), getattr(father, column), float(number), luck)
    return found
