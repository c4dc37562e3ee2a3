"""Hunters without a flock: a test sets the reports that the flock would send."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from murmura.compute.items import ItemRow, numpy_rows
from murmura.compute.plan import Plan
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec
from murmura.core.world.randomness import seed_words
from murmura.rules.predators import Predators
from murmura.rules.predators.row import LAYOUT
from murmura.rules.predators.states import STATE_NAMES
from murmura.scenario import Scenario

DT = 1.0 / 60.0


class HunterTable:
    """A few hunters in a world of 2000 x 2000 that never begin a hunt of their own accord."""

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
        self.p = Record("p", self.rule.numbers(50.0) | dict(group.options) | group.words)
        self.items = np.array(self.rule.items_at_start(2000.0, 2000.0, 1), float)
        self.step = 0

    def hunter(self, number: int = 0) -> ItemRow:
        """A hunter as its own turn sees it."""
        return numpy_rows(LAYOUT, self.items)[number]

    def get(self, column: str, number: int = 0) -> float:
        return float(self.items[number, LAYOUT.place[column]])

    def put(self, number: int = 0, **values: float) -> None:
        for column, value in values.items():
            self.items[number, LAYOUT.place[column]] = value

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
        rows = numpy_rows(LAYOUT, self.items)
        it = rows[number]
        if prey is not None:
            self._report(number, **prey)
        place = Vec(self.get("x", number), self.get("y", number))
        reports = Record(
            "reports",
            {
                "seen": float(seen),
                "offset": (Vec(*center) - place) * seen,
                "velocity": Vec(*flying) * seen,
                "watched": float(watched),
                "best": Record("best", {"score": best[0], "id": float(best[1])}),
            },
        )
        Predators.turn(self.p, it, reports, rows, self.plan.world_at(self.step, seed_words(1)))
        self.step += 1

    def _report(
        self,
        number: int,
        x: float,
        y: float,
        vx: float | None = None,
        vy: float | None = None,
        panic: float | None = None,
        isolation: float | None = None,
    ) -> None:
        """What the target writes into its hunter's row; values left out are unchanged."""
        it = self.hunter(number)
        it.prey_here, it.prey = 1.0, Vec(x, y)
        if vx is not None and vy is not None:
            it.prey_velocity = Vec(vx, vy)
        if panic is not None:
            it.prey_panic = panic
        if isolation is not None:
            it.prey_isolation = isolation


def steered(den: HunterTable, distance: float) -> float:
    """The angle of the velocity a hunter at rest takes when its target is to its right and flies up at 40."""
    den.put(vx=0.0, vy=0.0)
    den.turn(prey={"x": den.get("x") + distance, "y": den.get("y"), "vx": 0.0, "vy": 40.0, "isolation": 1.0})
    return math.atan2(den.get("vy"), den.get("vx"))


def steered_to_place(den: HunterTable, prey: dict[str, float], center: tuple[float, float]) -> float:
    den.put(vx=0.0, vy=0.0)
    den.turn(seen=9, center=center, prey=prey)
    return math.atan2(den.get("vy"), den.get("vx"))
