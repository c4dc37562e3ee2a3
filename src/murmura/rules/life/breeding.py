"""Young: the female bears one at the end of a mating, and shares her energy with it."""

from __future__ import annotations

from typing import Any

from murmura.core.algebra import Integer, where
from murmura.core.model import quantity
from murmura.core.rule import Rule, register_rule
from murmura.core.rule_arguments import Agent, World
from murmura.core.vec import random_direction
from murmura.core.world.randomness import STREAM_GENDER, STREAM_YOUNG, uniform_from
from murmura.rules.life.mating import COOLDOWN, was_mated
from murmura.rules.refusals import room_for


@register_rule("breeding")
class Breeding(Rule):
    """A mating yields a young one of its mother's species (S2-2, S2-3, S2-15); energy is shared, not created."""

    most: int = quantity(
        2000, "Maximum population, at which births stop.", "", (100, 20_000), ge=1, le=5_000_000
    )
    gift: float = quantity(
        0.4, "Share of her energy that a mother gives to her young.", "", (0, 0.9), ge=0, le=0.9
    )
    maturity: float = quantity(20.0, "Age from which the young may seek a mate.", "s", (0, 300), ge=0)
    first_flight: float = quantity(
        0.3, "Speed of a newborn, as a share of the top speed.", "", (0, 1), ge=0, le=1
    )

    needs = {"mating": "births need matings"}
    shared = ("most",)
    reads = ("gender",)
    writes = ("energy",)
    inherits = (
        "velocity", "energy", "gender", "aggression", "mating_state", "target_mate_id", "mating_timer",
        "mating_cooldown", "feeding_state", "target_food_id", "feeding_timer",
    )  # fmt: skip

    def most_agents(self, agents: int) -> int:
        return max(agents, self.most)

    def refuses(self, scenario: Any) -> list[str]:
        return room_for("breeding", self.most, scenario)

    @staticmethod
    def feel(p: Breeding, me: Agent, found: Any, world: World) -> Any:
        # A female rests only after a mating; the clock of the stage is 0 in its first step.
        gives = (me.mating_state == COOLDOWN) & (me.mating_timer == 0.0) & (me.gender < 0.5)
        return {"energy": where(gives, me.energy * (1.0 - p.gift), me.energy)}

    @staticmethod
    def gives_birth(p: Breeding, was: Agent, me: Agent, found: Any, world: World) -> Any:
        return where(was_mated(was, me), 1.0, 0.0), was.target_mate_id

    @staticmethod
    def inherit(p: Breeding, mother: Agent, father: Agent, child_id: Integer, world: World) -> Any:
        # At its mother's position, so that no wall can lie between them; in its own direction, so that they separate.
        coin, temper = uniform_from(world.seed_low, world.seed_high, 0, child_id, STREAM_GENDER)
        turn, height = uniform_from(world.seed_low, world.seed_high, 0, child_id, STREAM_YOUNG)
        male = coin < 0.5
        return {
            "velocity": random_direction(
                turn * 6.2831855, height, p.first_flight * mother.max_speed, len(world.size)
            ),
            "energy": mother.energy * p.gift / (1.0 - p.gift),
            "gender": where(male, 1.0, 0.0),
            "aggression": where(male, 0.5 + 0.5 * temper, 0.0),
            "mating_state": COOLDOWN,
            "target_mate_id": -1.0,
            "mating_timer": 0.0,
            "mating_cooldown": p.maturity,
            "feeding_state": 0.0,
            "target_food_id": -1.0,
            "feeding_timer": 0.0,
        }
