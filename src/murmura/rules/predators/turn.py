"""The context of a hunter's turn: the rule's parameters, the world, its mood, and random numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from murmura.core.algebra import Number, to_integer
from murmura.core.rule_arguments import World
from murmura.core.world.randomness import uniform_from
from murmura.rules.predators.row import HunterRow

if TYPE_CHECKING:
    from murmura.rules.predators.rule import Predators

Draw = tuple[Number, Number]


@dataclass(frozen=True)
class Turn:
    """One turn of a hunter."""

    p: Predators
    world: Any
    mood: Draw


def draw(it: HunterRow, world: World, stream: int) -> Draw:
    """Two random numbers of this hunter and step. Each use adds the whole generator to the compiled code."""
    return uniform_from(world.seed_low, world.seed_high, world.step, to_integer(it.number), stream)
