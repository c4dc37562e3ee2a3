"""Settings of hunters, food, courtship and young that are each fine and together make no sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from murmura.rules import Hunter
from murmura.rules.evolution.reproduction import MOST_SPECIES

if TYPE_CHECKING:
    from murmura.scenario.models import Scenario

LARGEST_EXACT_ID = 2**24
"""Kernels carry ids of mates as float32, which holds whole numbers exactly up to here."""


def predators(s: Scenario) -> list[str]:
    rule = s.rules.predators
    if not rule.enabled:
        return []
    found = []
    if not s.rules.fear.enabled:
        found.append(
            "rules.predators needs rules.fear, where panic spreads and fades: set rules.fear.enabled = true"
        )
    if rule.on_capture == "respawn" and s.obstacles:
        found.append(
            "rules.predators.on_capture: 'respawn' could put a bird into an obstacle; use remove or count, or remove "
            "the obstacles"
        )
    if 0 < rule.most_hunters < len(rule.hunters):
        found.append(
            f"rules.predators.most_hunters must be 0 or at least the {len(rule.hunters)} hunters of the list, got "
            f"{rule.most_hunters}"
        )
    if rule.breed_after and rule.most_hunters <= len(rule.hunters):
        found.append(
            f"rules.predators.breed_after: hunters that breed need room: set most_hunters above {len(rule.hunters)}, "
            f"got {rule.most_hunters}"
        )
    for k, hunter in enumerate(rule.hunters):
        found += [f"rules.predators.hunters.{k}.{line}" for line in _hunter(s, hunter)]
    return found


def _hunter(s: Scenario, h: Hunter) -> list[str]:
    found = []
    side = min(s.world.width, s.world.height)
    step = h.max_speed * h.burst * s.rules.predators.speed_factor * s.motion.stride
    if step >= side / 2.0:
        found.append(
            f"max_speed: at {h.max_speed:g} and a burst of {h.burst:g} it could cross {step:g} [u] in a step, expected "
            f"less than half the world ({side / 2:g} [u]); lower the speed or motion.time_step, or enlarge the world"
        )
    for low, high in (
        ("catch_distance", "attack_distance"),
        ("attack_distance", "panic_radius"),
        ("stealth_radius", "panic_radius"),
        ("drop_isolation", "least_isolation"),
        ("pursuit_time", "hunt_time"),
        ("hunt_energy", "max_energy"),
        ("exhaustion_threshold", "hunt_energy"),
        ("scan_altitude", "max_altitude"),
        ("dive_altitude", "max_altitude"),
    ):
        if getattr(h, low) > getattr(h, high):
            found.append(f"{low} must be at most {high} ({getattr(h, high):g}), got {getattr(h, low):g}")
    inside = (h.x is None or 0 <= h.x <= s.world.width) and (h.y is None or 0 <= h.y <= s.world.height)
    if not inside and s.world.boundary != "open":
        found.append(
            f"x and y must lie in the world, 0..{s.world.width:g} x 0..{s.world.height:g} [u], got {h.x}, {h.y}"
        )
    return found


def feeding(s: Scenario) -> list[str]:
    feeding, energy = s.rules.feeding, s.rules.energy
    found = []
    if s.rules.starvation.enabled and not energy.enabled:
        found.append(
            "rules.starvation: nobody starves while energy does not fall; set rules.energy.enabled = true"
        )
    if not feeding.enabled:
        return found
    if not energy.enabled:
        found.append(
            "rules.feeding: nobody gets hungry while energy does not fall; set rules.energy.enabled = true"
        )
    if not feeding.sources and not feeding.count:
        found.append(
            "rules.feeding: feeders need food, got no sources and count = 0; list some under rules.feeding.sources or "
            "raise rules.feeding.count"
        )
    for k, source in enumerate(feeding.sources):
        if s.world.boundary != "open" and not (
            0 <= source.x <= s.world.width and 0 <= source.y <= s.world.height
        ):
            found.append(
                f"rules.feeding.sources.{k}: ({source.x:g}, {source.y:g}) lies outside the world "
                f"(0..{s.world.width:g}, 0..{s.world.height:g} [u]); move it inside"
            )
    side = min(s.world.width, s.world.height)
    drawn = feeding.count > 0 or feeding.respawn == "elsewhere"
    if drawn and 2.0 * feeding.margin >= side:
        found.append(
            f"rules.feeding.margin must leave room between the edges (less than {side / 2:g} [u]), got "
            f"{feeding.margin:g}"
        )
    found += _in_order(
        s,
        "feeding",
        ("landing_radius", "gather_radius"),
        ("gather_from", "lost_from"),
        ("hungry_below", "sated_above"),
    )
    return found + _exact_ids(s, "feeding")


def mating(s: Scenario) -> list[str]:
    mating, reach = s.rules.mating, s.perception.radius
    if not mating.enabled:
        return []
    found = [
        f"rules.mating.{name} must be at most perception.radius ({reach:g} [u]), got {getattr(mating, name):g}: nobody "
        "courts or fights whom it cannot see; lower the one or raise the other"
        for name in ("search_radius", "fight_radius")
        if getattr(mating, name) > reach
    ]
    found += _in_order(
        s, "mating", ("courting_distance", "search_radius"), ("mating_distance", "courting_distance")
    )
    if s.perception.nearest is not None:
        found.append(
            f"rules.mating: partners must not lose each other in a crowd, got perception.nearest = "
            f"{s.perception.nearest}; leave perception.nearest out"
        )
    if not s.rules.mating_cooldown.enabled:
        found.append(
            "rules.mating: the time between matings would never pass; set rules.mating_cooldown.enabled = true"
        )
    return found + _exact_ids(s, "mating")


def offspring(s: Scenario) -> list[str]:
    breeding = s.rules.breeding
    if not breeding.enabled:
        return []
    found = []
    if not s.rules.mating.enabled:
        found.append("rules.breeding: nobody is born without matings; set rules.mating.enabled = true")
    if breeding.most < s.agents:
        found.append(
            f"rules.breeding.most must be at least agents ({s.agents:,}), got {breeding.most:,}; raise it or start "
            "with fewer agents"
        )
    return found


EVOLVING = ("genome", "remains", "behavior", "combat", "reproduction", "ageing", "immigration")


def evolution(s: Scenario) -> list[str]:
    """Document 003's rules lean on each other."""
    on = {name for name in EVOLVING if getattr(s.rules, name).enabled}
    found = []
    for name, needed, why in (
        ("combat", "behavior", "nobody hunts without stances"),
        ("remains", "combat", "nobody is killed without combat"),
        ("reproduction", "behavior", "nobody courts without stances"),
        ("reproduction", "ageing", "nobody grows up without age"),
        ("reproduction", "mating_cooldown", "the time between matings would never pass"),
        ("immigration", "genome", "newcomers have founders' genes"),
        ("immigration", "reproduction", "its caps bound how many may come"),
    ):
        if name in on and not getattr(s.rules, needed).enabled:
            found.append(f"rules.{name}: {why}; set rules.{needed}.enabled = true")
    if "immigration" in on and s.obstacles:
        found.append("rules.immigration could put a newcomer into an obstacle; remove the obstacles")
    if "behavior" not in on:
        return found
    if s.rules.mating.enabled or s.rules.breeding.enabled:
        found.append(
            "rules.behavior has a courtship of its own; set rules.mating and rules.breeding to enabled = false"
        )
    if s.rules.reproduction.enabled:
        found += _reproduction(s)
    slow = s.rules.genome.least_vision if s.rules.genome.enabled else s.perception.radius
    reach = max(s.rules.behavior.pair_distance, s.rules.combat.range)
    move = 2.0 * s.motion.top_speed * (1.0 + s.motion.panic_speed) * s.motion.stride
    if reach + move > slow:
        found.append(
            f"rules.behavior.pair_distance and rules.combat.range must be at most {max(0.0, slow - move):g} [u]: "
            f"two who meet still see each other a step later, got {reach:g}; lower them or the speed, or raise "
            f"{'rules.genome.least_vision' if s.rules.genome.enabled else 'perception.radius'}"
        )
    return found + _exact_ids(s, "behavior")


def _reproduction(s: Scenario) -> list[str]:
    rule, found = s.rules.reproduction, []
    if len(s.species) > MOST_SPECIES:
        found.append(
            f"rules.reproduction counts at most {MOST_SPECIES} species, got {len(s.species)}; use fewer"
        )
    if rule.most < s.agents:
        found.append(
            f"rules.reproduction.most must be at least agents ({s.agents:,}), got {rule.most:,}; raise it or start "
            "with fewer agents"
        )
    return found


def _in_order(s: Scenario, rule: str, *pairs: tuple[str, str]) -> list[str]:
    """Pairs of a rule's numbers of which the first may not be the greater."""
    part = getattr(s.rules, rule)
    return [
        f"rules.{rule}.{low} must be at most rules.{rule}.{high} ({getattr(part, high):g}), got {getattr(part, low):g}"
        for low, high in pairs
        if getattr(part, low) > getattr(part, high)
    ]


def _exact_ids(s: Scenario, rule: str) -> list[str]:
    if s.agents <= LARGEST_EXACT_ID:
        return []
    return [
        f"rules.{rule} knows agents by ids up to {LARGEST_EXACT_ID:,}, got agents = {s.agents:,}; use fewer agents or "
        f"set rules.{rule}.enabled = false"
    ]
