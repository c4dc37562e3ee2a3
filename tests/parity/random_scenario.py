"""Random scenarios: any rules, any options, numbers from their sliders. Scenarios that are refused are skipped."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

import numpy as np

from murmura.core.errors import ScenarioError
from murmura.core.model import Model
from murmura.core.rule import REGISTRY, is_built_in
from murmura.rules.predators.kind import kind_names
from murmura.rules.steering.flight import FlightRule
from murmura.scenario import Scenario

NEEDS = {
    "starvation": ("energy",),
    "feeding": ("energy",),
    "predators": ("fear",),
    "mating": ("mating_cooldown",),
    "breeding": ("mating_cooldown", "mating"),
    "combat": ("behavior",),
    "remains": ("behavior", "combat"),
    "reproduction": ("behavior", "ageing", "mating_cooldown"),
    "immigration": ("genome", "behavior", "ageing", "mating_cooldown", "reproduction"),
}
"""Rules that have no effect without others."""
EVOLUTION = ("behavior", "combat", "remains", "reproduction", "immigration")
LEFT_ALONE = {
    "predators.breed_after": "needs room that the other numbers do not leave",
    "predators.most_hunters": "the same",
    "breeding.most": "must hold the flock",
    "reproduction.most": "must hold the flock",
    "immigration.rate": "newcomers are drawn by a threshold: rounding may delay one by a step",
}
RELATIONS = ("flock", "align", "join", "avoid", "separate", "flee", "chase", "ignore")


def rules_of_the_plane() -> list[str]:
    """Built-in rules that do not need a depth."""
    return [name for name, rule in REGISTRY.items() if is_built_in(rule) and not issubclass(rule, FlightRule)]


class RandomScenario:
    """Draws one scenario."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng([2026, seed])
        self.scenario = Scenario.from_data(self._world())

    def drawn(self) -> Scenario:
        """A valid scenario."""
        names = rules_of_the_plane()
        self._try(dict.fromkeys((f"rules.{name}.enabled" for name in names), False))
        chosen = [str(name) for name in self.rng.permutation(names)[: self.rng.integers(3, 13)]]
        if self.rng.random() < 0.4:
            # Courtship and the evolution of document 003 exclude each other: without this the first is rarely drawn.
            self._try({"perception.nearest": None})
            chosen = [name for name in chosen if name not in EVOLUTION] + ["mating", "breeding"]
        if self.rng.random() < 0.5:
            chosen += ["flee", "chase"]
        for name in chosen:
            needed = NEEDS.get(name, ())
            self._try({f"rules.{rule}.enabled": True for rule in (*needed, name)} | self._items(name))
        self._try({"species": self._species()})
        if self.rng.random() < 0.4:
            self._try({"obstacles": self._obstacles()})
        for name, rule in self.scenario.rules:
            if rule.enabled:
                self._vary(f"rules.{name}", rule)
        self._vary("motion", self.scenario.motion)
        self._vary("perception", self.scenario.perception)
        return self.scenario

    def _world(self) -> dict[str, Any]:
        rng = self.rng
        return {
            "name": "random",
            "agents": int(rng.integers(45, 140)),
            "world": {
                "width": float(rng.integers(280, 700)),
                "height": float(rng.integers(280, 600)),
                "boundary": str(rng.choice(["wrap", "wrap", "soft", "reflect", "open"])),
            },
            "perception": {
                "radius": float(rng.integers(25, 90)),
                "nearest": int(rng.integers(1, 12)) if rng.random() < 0.4 else None,
            },
            "motion": {"time_step": float(rng.choice([1.0 / 60.0, 1.0 / 30.0, 0.1]))},
        }

    def _try(self, values: dict[str, Any]) -> None:
        """Take these values together; failing that, each by itself."""
        try:
            self.scenario = self.scenario.with_values(values)
            return
        except ScenarioError:
            if len(values) == 1:
                return
        for path, value in values.items():
            self._try({path: value})

    def _vary(self, path: str, model: Model) -> None:
        """Other values for about half of the fields."""
        values = {}
        for name, field in type(model).model_fields.items():
            if name == "enabled" or f"{path}.{name}".removeprefix("rules.") in LEFT_ALONE:
                continue
            drawn = self._value(field)
            if drawn is not None and self.rng.random() < 0.5:
                values[f"{path}.{name}"] = drawn
        if values:
            self._try(values)

    def _value(self, field: Any) -> Any:
        """A value of a field: a word, a switch, or a number from its slider; None for what has neither."""
        rng, kind = self.rng, field.annotation
        if get_origin(kind) is Literal:
            return rng.choice(get_args(kind)).item()
        if kind is bool:
            return bool(rng.random() < 0.5)
        slider = (field.json_schema_extra or {}).get("slider")
        if slider is None:
            return None
        low, high = slider
        if int in (kind, *get_args(kind)):
            return int(rng.integers(low, high + 1))
        return float(np.float32(rng.uniform(low, high)))

    def _place(self) -> dict[str, float]:
        world = self.scenario.world
        return {
            "x": float(self.rng.uniform(0.1, 0.9) * world.width),
            "y": float(self.rng.uniform(0.1, 0.9) * world.height),
        }

    def _items(self, name: str) -> dict[str, Any]:
        """Items of a rule: hunters, food, attractors, homes, an agent to follow."""
        rng, agents = self.rng, self.scenario.agents
        many = range(int(rng.integers(1, 4)))
        if name == "predators":
            hunters = [{"kind": str(rng.choice(kind_names())), **self._place()} for _ in many]
            return {"rules.predators.hunters": hunters}
        if name == "attractors":
            points = [{**self._place(), "strength": float(rng.uniform(-3.0, 3.0))} for _ in many]
            return {"rules.attractors.points": points}
        if name == "territory":
            return {"rules.territory.homes": [self._place() for _ in many]}
        if name in ("seek", "flee_point"):
            return {f"rules.{name}.{axis}": value for axis, value in self._place().items()}
        if name in ("pursue", "evade", "follow_leader"):
            return {f"rules.{name}.agent": int(rng.integers(0, agents))}
        if name in ("breeding", "reproduction"):
            return {f"rules.{name}.most": agents + 40}
        return {}

    def _species(self) -> list[dict[str, Any]]:
        names = ["a", "b", "c"][: int(self.rng.choice([0, 2, 3]))]
        numbers = ["motion.max_speed", "perception.radius", "perception.field_of_view"]
        numbers += [
            f"rules.{rule}.weight"
            for rule, model in self.scenario.rules
            if model.enabled and "weight" in type(model).model_fields
        ]
        found = []
        for name in names:
            values = {}
            for path in self.rng.permutation(numbers)[:3]:
                values[str(path)] = float(np.float32(self.rng.uniform(0.5, 3.0)))
            values |= {
                path: value * factor
                for path, factor, value in (
                    ("motion.max_speed", 8.0, values.get("motion.max_speed")),
                    ("perception.radius", 20.0, values.get("perception.radius")),
                    ("perception.field_of_view", 120.0, values.get("perception.field_of_view")),
                )
                if value is not None
            }
            towards = {other: str(self.rng.choice(RELATIONS)) for other in names if self.rng.random() < 0.6}
            found.append({"name": name, "values": values, "towards": towards})
        return found

    def _obstacles(self) -> list[dict[str, Any]]:
        circle = {"kind": "circle", **self._place(), "radius": float(self.rng.uniform(10.0, 40.0))}
        ends = [list(self._place().values()) for _ in range(2)]
        return [circle, {"kind": "wall", "points": ends}]
