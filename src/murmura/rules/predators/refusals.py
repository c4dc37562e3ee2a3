"""Settings of hunters that are each fine and together make no sense."""

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
"""Numbers of a hunter of which the first may not be the greater."""


def refused(rule: Any, scenario: Any) -> list[str]:
    """What of a scenario the rule cannot live with."""
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
    found, side = [], min(s.world.width, s.world.height)
    step = h.max_speed * h.burst * rule.speed_factor * s.motion.stride
    if step >= side / 2.0:
        found.append(
            f"max_speed: at {h.max_speed:g} and a burst of {h.burst:g} it could cross {step:g} [u] in a step, expected "
            f"less than half the world ({side / 2:g} [u]); lower the speed or motion.time_step, or enlarge the world"
        )
    for low, high in ORDERED:
        if getattr(h, low) > getattr(h, high):
            found.append(f"{low} must be at most {high} ({getattr(h, high):g}), got {getattr(h, low):g}")
    inside = (h.x is None or 0 <= h.x <= s.world.width) and (h.y is None or 0 <= h.y <= s.world.height)
    if not inside and s.world.boundary != "open":
        found.append(
            f"x and y must lie in the world, 0..{s.world.width:g} x 0..{s.world.height:g} [u], got {h.x}, {h.y}"
        )
    return found
