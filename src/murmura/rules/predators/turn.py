"""What a mind knows in its turn beside itself: the rule's numbers, the world, and the chances of this step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from murmura.core.algebra import Number, to_integer
from murmura.core.randomness import (
    STREAM_HUNTER_FEINT,
    STREAM_HUNTER_GOAL,
    STREAM_HUNTER_MOOD,
    STREAM_HUNTER_REST,
    uniform_from,
)
from murmura.rules.predators.row import HunterRow

Draw = tuple[Number, Number]


@dataclass(frozen=True)
class Turn:
    """One turn of a hunter.

    All draws are made before the mind decides anything: minds use them in many branches, and each use would add the
    whole generator to the compiled code.
    """

    p: Any
    world: Any
    mood: Draw
    rest: Draw
    goal: Draw
    feint: Draw

    @classmethod
    def of(cls, p: Any, it: HunterRow, world: Any) -> Turn:
        def draw(stream: int) -> Draw:
            return uniform_from(world.seed_low, world.seed_high, world.step, to_integer(it.number), stream)

        return cls(
            p,
            world,
            mood=draw(STREAM_HUNTER_MOOD),
            rest=draw(STREAM_HUNTER_REST),
            goal=draw(STREAM_HUNTER_GOAL),
            feint=draw(STREAM_HUNTER_FEINT),
        )
