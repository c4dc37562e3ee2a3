"""Every number of every rule has an effect somewhere within its slider.

The scenes of the parity tests use every rule. A number that changes nothing in any of them is either dead or hidden by
another one; in that case the rule names it (`Rule.hidden`, tests/scenario/test_ineffective_values.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import murmura as mm
from murmura.core.errors import MurmuraError
from murmura.core.state import State
from murmura.rules import built_in_rules
from tests.parity.scenes import lively, scenario_of

STEPS = 30
ORDER = (
    "flight",
    "classics",
    "particles",
    "walled",
    "soft",
    "hunted",
    "wrapped",
    "life",
    "courting",
    "scored",
    "wild",
)
"""Scenes, the quick ones first; a number that acts in one is not tried in the next."""


def numbers() -> dict[str, tuple[float, float]]:
    """Path and slider range of every number of a rule."""
    found = {}
    for name, rule in built_in_rules():
        for field, info in rule.model_fields.items():
            extra = info.json_schema_extra
            if not {float, int}.isdisjoint(get_args(info.annotation) or (info.annotation,)):
                assert isinstance(extra, dict), f"rules.{name}.{field} has no slider"
                low, high = extra["slider"]  # type: ignore[misc]
                found[f"rules.{name}.{field}"] = (low, high)
    return found


def begun(scene: str) -> mm.Simulation:
    """A flock that has run for a while; `courting` is `life` before any pair has formed, `flight` is in space."""
    if scene == "flight":
        values = {"agents": 60, "start.radius": 6.0, "rules.stardisplay.roost_radius": 2.0}
        rules = {f"rules.{name}.enabled": True for name in ("level", "altitude", "seek", "flee_point")}
        # None would need another kernel, so every optional number has a value here from the start.
        rules |= {f"rules.{name}.z": 150.0 for name in ("seek", "flee_point", "altitude")}
        return mm.Simulation(mm.load_scenario("stardisplay").with_values({**values, **rules}), 3, "cpu")
    return mm.Simulation(scenario_of("life"), 3, "cpu") if scene == "courting" else lively(scenario_of(scene))


def candidates(low: float, high: float, now: Any) -> Iterator[Any]:
    """The ends of the slider and values near the scene's, as far as they are compatible with the other numbers."""
    kind = type(now)
    for value in (high, low, 1.1 * now, 0.9 * now, low + 0.37 * (high - low)):
        if low <= value <= high:
            yield kind(value)


def same(a: State, b: State) -> bool:
    """Whether agents are the same; items contain settings, so a difference there proves nothing."""
    return len(a) == len(b) and all((a[name] == b[name]).all() for name in a.columns if name in b.columns)


def acting(scene: str, paths: dict[str, tuple[float, float]]) -> set[str]:
    """Which of these numbers change what agents of a scene do."""
    sim = begun(scene)
    scenario, start = sim.scenario, sim.state.copy()

    def after(values: dict[str, Any]) -> State:
        sim.adopt(scenario.with_values(values))
        sim.load_state(start.copy())
        sim.step(STEPS)
        return sim.state.copy()

    plain = after({})
    found = set()
    for path, (low, high) in paths.items():
        _, rule, field = path.split(".")
        now = getattr(getattr(scenario.rules, rule), field)
        if not getattr(scenario.rules, rule).enabled or now is None:
            continue
        for value in candidates(low, high, now):
            try:
                if not same(plain, after({path: value})):
                    found.add(path)
                    break
            except MurmuraError:
                continue  # incompatible with the other numbers
    return found


def test_every_number_of_every_rule_acts() -> None:
    left = numbers()
    assert len(left) > 300
    for scene in ORDER:
        for path in acting(scene, left):
            del left[path]
    assert sorted(left) == []
