"""Errors for parameters of hunters that contradict each other."""

from __future__ import annotations

from typing import Any

from murmura.rules.predators.hunter import Hunter

ORDERED = (
    ("catch_distance", "attack_distance"),
    ("attack_distance", "panic_radius"),
    ("stealth_radius", "panic_radius"),
    ("drop_isolation", "least_isolation"),
    ("pursuit_time", "hunt_time"),
    ("hunt_energy", "max_energy"),
    ("exhaustion_threshold", "hunt_energy"),
    ("scan_altitude", "max_altitude"),
    ("dive_altitude", "max_altitude"),
)
"""Pairs of parameters of a hunter whose first one must not be the greater."""


def refused(rule: Any, scenario: Any) -> list[str]:
    """Error messages about a scenario."""
    found, listed = [], len(rule.hunters)
    if rule.on_capture == "respawn" and scenario.obstacles:
        found.append(
            "rules.predators.on_capture: 'respawn' could put a bird into an obstacle; use remove or count, or remove "
            "the obstacles"
        )
    if 0 < rule.most_hunters < listed:
        found.append(
            f"rules.predators.most_hunters must be 0 or at least the {listed} hunters of the list, got "
            f"{rule.most_hunters}"
        )
    if rule.breed_after and rule.most_hunters <= listed:
        found.append(
            f"rules.predators.breed_after: hunters that breed need room: set most_hunters above {listed}, "
            f"got {rule.most_hunters}"
        )
    for k, hunter in enumerate(rule.hunters):
        found += [f"rules.predators.hunters.{k}.{line}" for line in _hunter(rule, scenario, hunter)]
    return found


def _hunter(rule: Any, s: Any, h: Hunter) -> list[str]:
    found, side = [], min(s.world.sides)
    step = h.max_speed * h.burst * rule.speed_factor * s.motion.stride
    if step >= side / 2.0:
        found.append(
            f"max_speed: at {h.max_speed:g} and a burst of {h.burst:g} it could cross {step:g} [u] in a step, expected "
            f"less than half the world ({side / 2:g} [u]); lower the speed or motion.time_step, or enlarge the world"
        )
    for low, high in ORDERED:
        least, most = getattr(h, low), getattr(h, high)
        if least is not None and least > most:
            found.append(f"{low} must be at most {high} ({most:g}), got {least:g}")
    place = (h.x, h.y, h.z)[: s.world.dimension]
    axes = zip(place, s.world.sides, s.world.edges, strict=True)
    if not all(x is None or edge == "open" or 0 <= x <= size for x, size, edge in axes):
        extent = " x ".join(f"0..{size:g}" for size in s.world.sides)
        names = "x and y" if s.world.depth is None else "x, y and z"
        found.append(f"{names} must lie in the world, {extent} [u], got {', '.join(map(str, place))}")
    return found
