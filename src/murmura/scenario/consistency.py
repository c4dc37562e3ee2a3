"""What single fields cannot know: settings that are each fine and together make no sense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic.fields import FieldInfo

from murmura.core.errors import ScenarioError
from murmura.core.model import Model
from murmura.rules import Circle

if TYPE_CHECKING:
    from murmura.scenario.models import Scenario

SMALLEST, LARGEST = 1e-9, 1e9
LARGEST_EXACT_ID = 2**24
"""Kernels carry ids of mates as float32, which holds whole numbers exactly up to here."""
SHARED_PATHS = (
    "motion.time_step",
    "perception.nearest",
    # A food source is nobody's own, and the cap counts all.
    *(
        f"rules.feeding.{name}"
        for name in ("count", "amount", "capacity", "consumption", "respawn_time", "margin")
    ),
    "rules.breeding.most",
)


def complaints(scenario: Scenario) -> list[str]:
    """One line for each thing that does not fit: what was expected, what was found, what to do."""
    found = _sizes(scenario, "")
    if found:
        return found
    found = [*_radii(scenario), *_room(scenario), *_speed(scenario), *_obstacles(scenario)]
    found += [*_feeding(scenario), *_mating(scenario), *_offspring(scenario)]
    return found or _species(scenario)


def _sizes(value: Any, path: str, divides: bool = False) -> list[str]:
    """Numbers that single precision cannot hold, or whose reciprocal it cannot."""
    if isinstance(value, Model):
        fields = type(value).model_fields
        return [
            line
            for name, child in value
            for line in _sizes(
                child, f"{path}.{name}".lstrip("."), name in fields and _is_positive(fields[name])
            )
        ]
    if isinstance(value, tuple):
        return [line for k, child in enumerate(value) for line in _sizes(child, f"{path}.{k}")]
    if not isinstance(value, int | float) or (abs(value) <= LARGEST and not (divides and value < SMALLEST)):
        return []
    least = f"at least {SMALLEST:g} and " if divides else ""
    return [f"{path} must be {least}at most {LARGEST:g} in size, got {value:g}"]


def _is_positive(field: FieldInfo) -> bool:
    return any(getattr(bound, "gt", None) is not None for bound in field.metadata)


def _radii(s: Scenario) -> list[str]:
    found = []
    reach = s.perception.radius
    for name, rule in s.rules:
        radius = getattr(rule, "radius", None)
        if rule.enabled and rule.pair is not None and radius is not None and radius > reach:
            found.append(
                f"rules.{name}.radius must be at most perception.radius ({reach:g} [u]), got {radius:g}: "
                "nobody acts on what it cannot see; lower the one or raise the other"
            )
    side = min(s.world.width, s.world.height)
    if s.world.boundary == "wrap" and reach * 1.0001 >= side / 2.0:
        found.append(
            f"perception.radius must be below half the smaller side of a wrapping world ({side / 2:g} [u]), got "
            f"{reach:g}: an agent would see others twice; enlarge the world or lower the radius"
        )
    return found


def _room(s: Scenario) -> list[str]:
    from murmura.scenario.models import MOST_NEIGHBORS

    area = s.world.width * s.world.height
    neighbors = s.agents * min(1.0, 3.1416 * s.perception.radius**2 / area)
    if neighbors > MOST_NEIGHBORS:
        return [
            f"agents: {s.agents:,} in {s.world.width:g} x {s.world.height:g} [u] would each have about "
            f"{neighbors:,.0f} neighbours within {s.perception.radius:g} [u], expected at most "
            f"{MOST_NEIGHBORS:,.0f}; use fewer agents, a larger world or a smaller perception.radius"
        ]
    if 2.0 * s.start.margin >= min(s.world.width, s.world.height):
        return [
            f"start.margin must leave room between the edges (at most {min(s.world.width, s.world.height) / 2:g} "
            f"[u]), got {s.start.margin:g}"
        ]
    return []


def _speed(s: Scenario) -> list[str]:
    found = []
    path = "motion.speed" if s.motion.policy == "constant" else "motion.max_speed"
    step = s.motion.top_speed * (1.0 + s.motion.panic_speed) * s.motion.stride
    side = min(s.world.width, s.world.height)
    if step >= side / 2.0:
        found.append(
            f"{path}: at {s.motion.top_speed:g} an agent could cross {step:g} [u] in a step, expected less than "
            f"half the world ({side / 2:g} [u]); lower the speed or motion.time_step, or enlarge the world"
        )
    if s.motion.policy == "capped" and s.motion.min_speed > s.motion.max_speed:
        found.append(
            f"motion.min_speed must be at most motion.max_speed ({s.motion.max_speed:g}), got {s.motion.min_speed:g}"
        )
    return found


def _obstacles(s: Scenario) -> list[str]:
    found = []
    for k, shape in enumerate(s.obstacles):
        points = [(shape.x, shape.y)] if isinstance(shape, Circle) else shape.points
        outside = [p for p in points if not (0 <= p[0] <= s.world.width and 0 <= p[1] <= s.world.height)]
        if outside and s.world.boundary != "open":
            found.append(
                f"obstacles.{k}: {outside[0]} lies outside the world (0..{s.world.width:g}, 0..{s.world.height:g} "
                "[u]); move it inside"
            )
    return found or _images(s)


def _images(s: Scenario) -> list[str]:
    """On a torus a collision looks at the nearest image of an obstacle: no move may reach another one."""
    if s.world.boundary != "wrap" or not s.obstacles:
        return []
    side = min(s.world.width, s.world.height)
    # Walls are cut into pieces of at most a quarter of the side.
    widest = max(shape.radius if isinstance(shape, Circle) else side / 4.0 for shape in s.obstacles)
    step = s.motion.top_speed * (1.0 + s.motion.panic_speed) * s.motion.stride
    if step + widest < side / 2.0:
        return []
    return [
        f"obstacles: on a wrapping world the longest step ({step:g} [u]) and the largest radius, or a quarter of "
        f"the smaller side for walls ({widest:g} [u]), must be less than half the smaller side ({side / 2:g} [u]); "
        "lower the speed, shrink the obstacle or enlarge the world"
    ]


def _feeding(s: Scenario) -> list[str]:
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


def _mating(s: Scenario) -> list[str]:
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


def _offspring(s: Scenario) -> list[str]:
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


def _may_differ(path: str) -> bool:
    """Whether a species may have a value of its own here: a plain number that is looked up for each agent."""
    first, *rest = path.split(".")
    depth = {"motion": 1, "perception": 1, "rules": 2}.get(first)
    return len(rest) == depth and path not in SHARED_PATHS and rest[-1] not in ("enabled", "agent")


def _species(s: Scenario) -> list[str]:
    found = []
    names = [kind.name for kind in s.species]
    if len(set(names)) < len(names):
        found.append(f"species: every name may appear once, got {', '.join(names)}")
    for k, kind in enumerate(s.species):
        found += [
            f"species.{k}.towards: no species is called {other!r}; known: {', '.join(names)}"
            for other in kind.towards
            if other not in names
        ]
        for path in kind.values:
            if not _may_differ(path):
                found.append(
                    f"species.{k}.values: only numbers of motion, perception and rules may differ between species, "
                    f"got {path!r}"
                )
        try:
            s.model_copy(update={"species": ()}).with_values(kind.values)
        except ScenarioError as error:
            found.append(f"species.{k} ({kind.name}): {error}")
    return found
