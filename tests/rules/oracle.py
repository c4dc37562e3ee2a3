"""The documents' formulas one bird at a time, in plain Python, independent of the rules under test."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from murmura import Simulation

Vector = tuple[float, float]
ZERO = (0.0, 0.0)


@dataclass(frozen=True)
class Bird:
    """One agent, in double precision."""

    id: int
    x: float
    y: float
    vx: float
    vy: float
    panic: float
    species: int

    @property
    def velocity(self) -> Vector:
        return self.vx, self.vy


def birds_of(sim: Simulation) -> list[Bird]:
    names = ("id", "position_x", "position_y", "velocity_x", "velocity_y", "panic", "species")
    rows = zip(*(sim.column(name).tolist() for name in names), strict=True)
    return [Bird(*row) for row in rows]


def way(sim: Simulation, a: Vector, b: Vector) -> Vector:
    """From a to b, by document 003's toroidalSubtract where the world wraps."""
    d = [b[0] - a[0], b[1] - a[1]]
    if sim.scenario.world.boundary == "wrap":
        for k, size in enumerate((sim.scenario.world.width, sim.scenario.world.height)):
            if abs(d[k]) > size / 2.0:
                d[k] = d[k] - size if d[k] > 0.0 else d[k] + size
    return d[0], d[1]


def neighbors_of(sim: Simulation, bird: Bird, flock: Iterable[Bird]) -> list[tuple[Bird, Vector, float]]:
    """The birds a bird perceives, with offset and distance (document 004, milestone 2; document 000, section 10)."""
    view = sim.scenario.perception
    found = []
    for other in flock:
        d = way(sim, (bird.x, bird.y), (other.x, other.y))
        distance = math.hypot(*d)
        if other.id == bird.id or distance > view.radius:
            continue
        speed = math.hypot(*bird.velocity)
        if view.field_of_view < 360.0 and speed * speed >= 0.01 and distance > 0.0:
            cosine = (bird.vx * d[0] + bird.vy * d[1]) / (speed * distance)
            if cosine < math.cos(math.radians(view.field_of_view / 2.0)):
                continue
        found.append((other, d, distance))
    return found


def scaled(v: Vector, factor: float) -> Vector:
    return v[0] * factor, v[1] * factor


def added(*vectors: Vector) -> Vector:
    return sum(v[0] for v in vectors), sum(v[1] for v in vectors)


def with_length(v: Vector, size: float) -> Vector:
    old = math.hypot(*v)
    return scaled(v, size / old) if old > 0.0 else ZERO


def limited(v: Vector, most: float) -> Vector:
    return with_length(v, most) if math.hypot(*v) > most else v


def steering(direction: Vector, bird: Bird, speed: float, max_force: float) -> Vector:
    """Reynolds: desired minus current velocity, limited; no force without a direction."""
    if direction == ZERO:
        return ZERO
    desired = with_length(direction, speed)
    return limited((desired[0] - bird.vx, desired[1] - bird.vy), max_force)


def each(
    sim: Simulation, formula: Callable[[Bird, list[tuple[Bird, Vector, float]]], Vector]
) -> list[Vector]:
    """The formula for every bird with its neighbours."""
    flock = birds_of(sim)
    return [formula(bird, neighbors_of(sim, bird, flock)) for bird in flock]


def separation(sim: Simulation) -> list[Vector]:
    """Documents 000 (inverse square) and 001, 003 (inverse); document 004's plain push if requested."""
    rule, motion = sim.scenario.rules.separation, sim.scenario.motion
    power = 2.0 if rule.falloff == "inverse_square" else 1.0

    def formula(bird: Bird, near: list[tuple[Bird, Vector, float]]) -> Vector:
        total, count = ZERO, 0
        for _, d, distance in near:
            if 0.0 < distance <= rule.radius:
                away = (-d[0] / distance, -d[1] / distance)
                total = added(total, scaled(away, 1.0 / distance**power))
                count += 1
        if count == 0:
            return ZERO
        total = scaled(total, 1.0 / count)
        if rule.response == "push":
            return scaled(limited(with_length(total, 1.0), motion.max_force), rule.weight)
        return scaled(steering(total, bird, motion.top_speed, motion.max_force), rule.weight)

    return each(sim, formula)


def _weight(rule: object, distance: float, perception_radius: float) -> float:
    """How much a neighbour counts in alignment and cohesion; beyond the rule's own radius, nothing."""
    radius = getattr(rule, "radius", None) or perception_radius
    if distance > radius:
        return 0.0
    return 1.0 - distance / radius if getattr(rule, "weighting", "") == "linear" else 1.0


def alignment(sim: Simulation) -> list[Vector]:
    """Documents 000 (linear weights) and 001, 003, 004 (plain mean)."""
    rule, motion = sim.scenario.rules.alignment, sim.scenario.motion

    def formula(bird: Bird, near: list[tuple[Bird, Vector, float]]) -> Vector:
        total, weights = ZERO, 0.0
        for other, _, distance in near:
            w = _weight(rule, distance, sim.scenario.perception.radius)
            total, weights = added(total, scaled(other.velocity, w)), weights + w
        if weights == 0.0:
            return ZERO
        mean = scaled(total, 1.0 / weights)
        return scaled(steering(mean, bird, motion.top_speed, motion.max_force), rule.weight)

    return each(sim, formula)


def cohesion(sim: Simulation) -> list[Vector]:
    """Documents 000 (linear weights, less force in a crowd) and 001, 003, 004 (plain mean)."""
    rule, motion = sim.scenario.rules.cohesion, sim.scenario.motion

    def formula(bird: Bird, near: list[tuple[Bird, Vector, float]]) -> Vector:
        total, weights = ZERO, 0.0
        for _, d, distance in near:
            w = _weight(rule, distance, sim.scenario.perception.radius)
            place = added((bird.x, bird.y), d)  # the nearest image of the neighbour
            total, weights = added(total, scaled(place, w)), weights + w
        if weights == 0.0:
            return ZERO
        centre = scaled(total, 1.0 / weights)
        target = (centre[0] - bird.x, centre[1] - bird.y)
        force = scaled(steering(target, bird, motion.top_speed, motion.max_force), rule.weight)
        # Decision 10: the factor scales the force.
        return scaled(force, max(0.3, 1.0 - len(near) / 20.0)) if rule.density_adaptation else force

    return each(sim, formula)
