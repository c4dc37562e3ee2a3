"""Checks across fields: settings that are valid alone but contradict each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from murmura.core.errors import ScenarioError
from murmura.core.model import Model
from murmura.rules.environment.terrain import Box, Circle, Cylinder, Plane
from murmura.scenario.parts import by_part, part_at, with_numbers, with_parts

if TYPE_CHECKING:
    from murmura.scenario.models import Scenario

SMALLEST, LARGEST = 1e-9, 1e9
SHARED_PATHS = ("motion.time_step", "perception.nearest", "perception.bins")
"""Parameters of motion and perception that all species share."""
HEIGHTS = ("z", "boundary_z")
"""Names of values that apply only in a 3-D world."""
LEAVES = (float, int, Model)


def problems_of(scenario: Scenario, parts: Mapping[str, Model] | None = None) -> list[str]:
    """One line for each contradiction: what was expected, what was found, what to do.

    Args:
        scenario: What to check.
        parts: The parts in which it differs from a valid scenario, if that is known; the others are fine by themselves.
    """
    alone = {"": scenario} if parts is None else parts
    found = _sizes_of(alone) or _flat_or_deep(scenario, {"": scenario} if "world" in alone else alone)
    if found:
        return found
    checks = (_edges, _radii, _room, _speed, _obstacles, _occlusion, _rules)
    found = [line for check in checks for line in check(scenario)]
    return found or (_species(scenario) if parts is None else [])


def _rules(s: Scenario) -> list[str]:
    """Contradictions that rules report, and required rules that are missing."""
    found = []
    for name, rule in s.rules:
        if not rule.enabled:
            continue
        for needed, why in rule.needs.items():
            other = getattr(s.rules, needed, None)
            if other is None or not other.enabled:
                found.append(f"rules.{name}: {why}; set rules.{needed}.enabled = true")
        found += rule.refuses(s)
    return found


def _sizes_of(parts: Mapping[str, Model]) -> list[str]:
    return [line for path, part in parts.items() for line in _sizes(part, path and f"{path}.")]


def _sizes(model: Model, path: str = "") -> list[str]:
    """Numbers that do not fit into single precision, or whose reciprocal does not."""
    found = []
    positive = _positive_fields(type(model))
    for name, value in model:
        for place, part in _parts(value, path + name):
            if isinstance(part, Model):
                found += _sizes(part, f"{place}.")
            elif abs(part) > LARGEST or (part < SMALLEST and name in positive):
                least = f"at least {SMALLEST:g} and " if name in positive else ""
                found.append(f"{place} must be {least}at most {LARGEST:g} in size, got {part:g}")
    return found


@cache
def _positive_fields(model: type[Model]) -> frozenset[str]:
    """Fields whose values must be above zero: formulas divide by them."""
    return frozenset(
        name
        for name, field in model.model_fields.items()
        if any(getattr(bound, "gt", None) is not None for bound in field.metadata)
    )


def _parts(value: Any, path: str) -> list[tuple[str, Any]]:
    """The numbers and models in a value, and their paths."""
    if isinstance(value, LEAVES):
        return [(path, value)]
    if isinstance(value, tuple):
        return [part for k, child in enumerate(value) for part in _parts(child, f"{path}.{k}")]
    return []


def _edges(s: Scenario) -> list[str]:
    """An open world has no edge along y either: its grid follows the flock."""
    if s.world.boundary != "open" or s.world.boundary_y is None:
        return []
    return [
        f"world.boundary_y has no effect in an open world, got {s.world.boundary_y!r}: remove it, or choose another "
        "world.boundary"
    ]


SEES_TWICE = (
    "an agent would see others twice; enlarge the world or lower the radius; where everyone shall meet everyone, set "
    'world.boundary = "open"'
)


def _radii(s: Scenario) -> list[str]:
    found = []
    reach = s.perception.radius
    for name, rule in s.rules:
        radius = getattr(rule, "radius", None) if rule.enabled and rule.pair is not None else None
        if radius is not None and radius > reach and "radius" not in rule.pair_range:
            found.append(
                f"rules.{name}.radius must be at most perception.radius ({reach:g} [u]), got {radius:g}: "
                "agents cannot react to what they do not see; lower the first or raise the second"
            )
    found += _far_ranges(s)
    wrapping = [side for side, edge in zip(s.world.sides, s.world.edges, strict=True) if edge == "wrap"]
    side = min(wrapping, default=0.0)
    if wrapping and reach * 1.0001 >= side / 2.0:
        which = "smaller" if s.world.depth is None else "smallest"
        found.append(
            f"perception.radius must be below half the {which} side of a wrapping world ({side / 2:g} [u]), got "
            f"{reach:g}: neighbours across an edge are copies beyond it, so from half a side on {SEES_TWICE}"
        )
    return found


def _far_ranges(s: Scenario) -> list[str]:
    """What a rule that looks beyond the perception radius cannot do."""
    wrapping = [side for side, edge in zip(s.world.sides, s.world.edges, strict=True) if edge == "wrap"]
    half, found = min(wrapping, default=math.inf) / 2.0, []
    far = [
        (f"rules.{name}.{field}", reach)
        for name, rule in s.rules
        if rule.enabled
        for field, reach in zip(rule.pair_range, rule.pair_ranges(), strict=True)
        if reach > s.perception.radius
    ]
    for path, reach in far:
        if s.perception.occlusion:
            found.append(
                f"{path} must be at most perception.radius ({s.perception.radius:g} [u]) where bodies hide each other "
                f"(perception.occlusion), got {reach:g}: lower the first or raise the second"
            )
        if reach * 1.0001 >= half:
            found.append(
                f"{path} must be below half the smallest side of a wrapping world ({half:g} [u]), got {reach:g}: "
                f"neighbours across an edge are copies beyond it, so from half a side on {SEES_TWICE}"
            )
    return found


def _flat_or_deep(s: Scenario, parts: Mapping[str, Model]) -> list[str]:
    """Values that need a 3-D world, and values that exclude it."""
    if s.world.depth is not None:
        return []
    found = [
        f"{path} has no meaning in a plane, got {value!r}: remove it, or give the world a depth (world.depth)"
        for prefix, part in parts.items()
        for path, value in _heights(part, prefix and f"{prefix}.")
    ]
    found += [
        f"obstacles.{k}: a {shape.kind} stands in a 3-D world only; use circle, polygon or wall, or set "
        "world.depth"
        for k, shape in enumerate(s.obstacles)
        if isinstance(shape, Cylinder | Box | Plane)
    ]
    return found


def _occlusion(s: Scenario) -> list[str]:
    """Visual fields are circles of bins, not spheres."""
    if not s.perception.occlusion or s.world.depth is None:
        return []
    return [
        "perception.occlusion works in the plane only: a visual field in space would be a sphere of bins, which is not "
        "defined here; set perception.occlusion = false, or leave world.depth out"
    ]


def _heights(model: Model, path: str = "") -> list[tuple[str, Any]]:
    """All given values named z or boundary_z."""
    found = []
    for name, value in model:
        if name in HEIGHTS and value is not None:
            found.append((path + name, value))
        elif isinstance(value, Model | tuple):
            parts = _parts(value, path + name)
            found += [
                height
                for place, part in parts
                if isinstance(part, Model)
                for height in _heights(part, f"{place}.")
            ]
    return found


def _room(s: Scenario) -> list[str]:
    from murmura.scenario.models import MOST_NEIGHBORS

    reach, sides = s.perception.radius, s.world.sides
    seen = 3.1416 * reach**2 if s.world.depth is None else 4.1888 * reach**3
    neighbors = s.agents * min(1.0, seen / math.prod(sides))
    if neighbors > MOST_NEIGHBORS:
        return [
            f"agents: {s.agents:,} in {' x '.join(f'{side:g}' for side in sides)} [u] would each have about "
            f"{neighbors:,.0f} neighbours within {s.perception.radius:g} [u], expected at most "
            f"{MOST_NEIGHBORS:,.0f}; use fewer agents, a larger world or a smaller perception.radius"
        ]
    if 2.0 * s.start.margin >= min(sides):
        return [
            f"start.margin must leave room between the edges (at most {min(sides) / 2:g} "
            f"[u]), got {s.start.margin:g}"
        ]
    return []


def _speed(s: Scenario) -> list[str]:
    found = []
    path = "motion.speed" if s.motion.policy == "constant" else "motion.max_speed"
    step = s.motion.top_speed * (1.0 + s.motion.panic_speed) * s.motion.stride
    side = min(s.world.sides)
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
        outside = [p for p in _corners(shape) if not _is_inside(s.world, p)]
        if outside:
            extent = ", ".join(f"0..{side:g}" for side in s.world.sides)
            place = f"({', '.join(f'{x:.6g}' for x in outside[0])})"
            turned = " when it is turned" if getattr(shape, "turn", 0.0) else ""
            found.append(
                f"obstacles.{k}: {place}{turned} lies outside the world ({extent} [u]); move it inside"
            )
        if isinstance(shape, Plane):
            found += _plane(s, k, shape)
        if isinstance(shape, Cylinder):
            low, high = shape.bottom, shape.top
            if low is not None and high is not None and low >= high:
                found.append(f"obstacles.{k}.bottom must be below its top ({high:g} [u]), got {low:g}")
    return found or _images(s)


def _corners(shape: Any) -> list[tuple[float, ...]]:
    """The points that define an obstacle."""
    if isinstance(shape, Circle):
        return [(shape.x, shape.y) if shape.z is None else (shape.x, shape.y, shape.z)]
    if isinstance(shape, Cylinder):
        return [(shape.x, shape.y)]
    if isinstance(shape, Box):
        return [*(shape.corners if shape.turn else (shape.low, shape.high))]
    return [shape.point] if isinstance(shape, Plane) else list(shape.points)


def _is_inside(world: Any, place: tuple[float, ...]) -> bool:
    axes = zip(place, world.sides, world.edges, strict=False)
    return all(edge == "open" or 0 <= x <= side for x, side, edge in axes)


def _plane(s: Scenario, k: int, shape: Plane) -> list[str]:
    """A plane must have a direction, and must not cut a torus open."""
    if not any(shape.normal):
        return [f"obstacles.{k}.normal must have a direction, got {shape.normal}: (0, 0, 1) is a level plane"]
    cut = [
        axis for axis, n, edge in zip("xyz", shape.normal, s.world.edges, strict=True) if n and edge == "wrap"
    ]
    if not cut:
        return []
    return [
        f"obstacles.{k}: a plane would cut the world open along {cut[0]}, where it wraps; use a box, or another "
        "boundary"
    ]


def _images(s: Scenario) -> list[str]:
    """On a torus only the nearest image of an obstacle is tested for collisions: no move may reach another one."""
    wrapping = [side for side, edge in zip(s.world.sides, s.world.edges, strict=True) if edge == "wrap"]
    if not wrapping or not s.obstacles:
        return []
    side = min(wrapping)
    # Walls are cut into pieces of at most a quarter of the side.
    widest = max(_half_width(shape, side) for shape in s.obstacles)
    step = s.motion.top_speed * (1.0 + s.motion.panic_speed) * s.motion.stride
    if step + widest < side / 2.0:
        return []
    return [
        f"obstacles: on a wrapping world the longest step ({step:g} [u]) and the largest radius, or a quarter of "
        f"the smaller side for walls ({widest:g} [u]), must be less than half the smaller side ({side / 2:g} [u]); "
        "lower the speed, shrink the obstacle or enlarge the world"
    ]


def _half_width(shape: Any, side: float) -> float:
    if isinstance(shape, Circle | Cylinder):
        return shape.radius
    if isinstance(shape, Box):
        return max(abs(a - m) for corner in shape.corners for a, m in zip(corner, shape.middle, strict=True))
    return 0.0 if isinstance(shape, Plane) else side / 4.0


def _may_differ(rules: dict[str, Any], path: str) -> bool:
    """Whether a species may override this value: a plain number that kernels look up for each agent."""
    first, *rest = path.split(".")
    depth = {"motion": 1, "perception": 1, "rules": 2}.get(first)
    if len(rest) != depth or path in SHARED_PATHS or rest[-1] in ("enabled", "agent"):
        return False
    rule = rules.get(rest[0])
    return first != "rules" or rule is None or rest[-1] not in rule.shared


def _species(s: Scenario) -> list[str]:
    found = []
    names = [kind.name for kind in s.species]
    known = set(names)
    rules = dict(s.rules) if names else {}
    if len(known) < len(names):
        found.append(f"species: every name may appear once, got {', '.join(names)}")
    for k, kind in enumerate(s.species):
        found += [
            f"species.{k}.towards: no species is called {other!r}; known: {', '.join(names)}"
            for other in kind.towards
            if other not in known
        ]
        for path in kind.values:
            if not _may_differ(rules, path):
                found.append(
                    f"species.{k}.values: only numbers of motion, perception and rules may differ between species, "
                    f"got {path!r}"
                )
    return found


def lives_of(s: Scenario) -> tuple[tuple[Scenario, ...], list[str]]:
    """The scenario with the values of each species, and its contradictions."""
    alone, lives, found = s.model_copy(update={"species": ()}), [], []
    for k, species in enumerate(s.species):
        try:
            lives.append(_life_of(alone, species.values) if species.values else alone)
        except ScenarioError as error:
            found.append(f"species.{k} ({species.name}): {error}")
    return tuple(lives), found


def _life_of(alone: Scenario, values: dict[str, float]) -> Scenario:
    """A checked scenario with numbers of one species. Only the models that have these numbers are validated again."""
    try:
        parts = {path: with_numbers(part_at(alone, path), own) for path, own in by_part(values).items()}
    except (ValidationError, AttributeError):
        return _refused(alone, values)
    life = with_parts(alone, parts)
    return _refused(alone, values) if problems_of(life, parts) else life


def _refused(alone: Scenario, values: dict[str, float]) -> Scenario:
    """Raise an error that says what is wrong with the numbers of a species: reading all of it finds that."""
    from murmura.scenario.changes import read_again

    return read_again(alone, values)
