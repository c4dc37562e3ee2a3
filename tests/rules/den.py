"""Hunters without a flock: their table, and a test that says what the flock would tell them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from murmura.backends.plan import Plan
from murmura.core.randomness import seed_words
from murmura.rules.hunting import row
from murmura.rules.hunting.states import STATE_NAMES
from murmura.rules.predators import Predators
from murmura.scenario import Scenario

DT = 1.0 / 60.0


class Den:
    """A few hunters in a world of 2000 x 2000, each without the wish to begin a hunt of its own."""

    def __init__(self, *hunters: dict[str, Any], boundary: str = "open", **values: Any) -> None:
        self.scenario = Scenario.from_data(
            {
                "agents": 1,
                "world": {"width": 2000.0, "height": 2000.0, "boundary": boundary},
                "motion": {"time_step": values.pop("time_step", DT)},
                "rules": {
                    "fear": {"enabled": True},
                    "predators": {"enabled": True, "hunters": hunters, "aggression": 0.0, **values},
                },
            }
        )
        self.plan = Plan(self.scenario)
        self.rule = self.scenario.rules.predators
        group = next(g for g in self.plan.rule_groups if g.name == "predators")
        numbers = self.rule.numbers(50.0)
        self.p = group.parameters(*numbers.values(), *(value for _, value in group.options))
        self.items = np.array(self.rule.items_at_start(2000.0, 2000.0, 1), float)
        self.step = 0

    def get(self, name: str, number: int = 0) -> float:
        return float(self.items[number, row.FIELDS.index(name)])

    def put(self, number: int = 0, **values: float) -> None:
        for name, value in values.items():
            self.items[number, row.FIELDS.index(name)] = value

    def state(self, number: int = 0) -> str:
        return STATE_NAMES[int(self.get("state", number))]

    def begin(self, state: str, number: int = 0, **values: float) -> None:
        """Put a hunter into a state, as if it had been there for a step."""
        self.put(number, state=STATE_NAMES.index(state), state_time=values.pop("state_time", DT), **values)

    def speed(self, number: int = 0) -> float:
        return float(np.hypot(self.get("vx", number), self.get("vy", number)))

    def turn(
        self,
        number: int = 0,
        *,
        seen: int = 0,
        center: tuple[float, float] = (0.0, 0.0),
        flying: tuple[float, float] = (0.0, 0.0),
        watched: int = 0,
        best: tuple[float, int] = (0.0, -1),
        prey: dict[str, float] | None = None,
    ) -> None:
        """One turn of a hunter; `prey` is what its target reports (x, y, vx, vy, panic, isolation)."""
        if prey is not None:
            self.put(number, prey_here=1.0, **{f"prey_{name}": value for name, value in prey.items()})
        dx, dy = center[0] - self.get("x", number), center[1] - self.get("y", number)
        told = np.array(
            [seen, dx * seen, dy * seen, flying[0] * seen, flying[1] * seen, watched, *best], float
        )
        world = self.plan.world(self.step, seed_words(1))
        Predators.turn(self.p, self.items, number, told, world)
        self.step += 1


def steered(den: Den, distance: float) -> float:
    """The angle of the velocity a hunter at rest takes when its target is to its right and flies up at 40."""
    den.put(vx=0.0, vy=0.0)
    den.turn(prey={"x": den.get("x") + distance, "y": den.get("y"), "vx": 0.0, "vy": 40.0, "isolation": 1.0})
    return math.atan2(den.get("vy"), den.get("vx"))


def steered_to_place(den: Den, prey: dict[str, float], center: tuple[float, float]) -> float:
    den.put(vx=0.0, vy=0.0)
    den.turn(seen=9, center=center, prey=prey)
    return math.atan2(den.get("vy"), den.get("vx"))
