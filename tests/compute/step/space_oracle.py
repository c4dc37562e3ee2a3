"""One step of the trio in space by brute force, in NumPy and double precision, written from docs/model.md alone.

It knows separation, alignment and cohesion, the cone of view, the k nearest, the soft field and all kinds of edges,
each axis with its own. It reads scenario and arrays, and imports nothing of what it checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
EDGE = 1e-6  # the field of view is widened by this
TIE = 1e-6  # relative difference of squared distances within which neighbours tie with the k-th nearest


@dataclass
class Expected:
    """Positions, velocities and forces after the step, who saw whom, and who has a neighbour at the limit of view."""

    positions: Array
    velocities: Array
    forces: Array
    sees: NDArray[np.bool_]
    doubtful: NDArray[np.bool_]


def length(v: Array) -> Array:
    return np.sqrt((v * v).sum(axis=-1))


def unit(v: Array) -> Array:
    return v / np.where(length(v) > 0.0, length(v), 1.0)[..., None]


def limit(v: Array, most: float) -> Array:
    return np.where((length(v) > most)[..., None], unit(v) * most, v)


def edges_of(world: Any) -> list[str]:
    return [world.boundary, world.boundary, world.boundary_z or world.boundary]


def between(world: Any, x: Array) -> Array:
    """The shortest offsets from all agents (rows) to all agents (columns)."""
    d = x[None, :] - x[:, None]
    for axis, size in enumerate((world.width, world.height, world.depth)):
        if edges_of(world)[axis] == "wrap":
            d[..., axis] -= size * np.round(d[..., axis] / size)
    return d


def stepped(scenario: Any, x: Array, v: Array) -> Expected:
    """The flock after one step."""
    world, motion, view, rules = scenario.world, scenario.motion, scenario.perception, scenario.rules
    x, v = np.asarray(x, np.float64), np.asarray(v, np.float64)
    d = between(world, x)
    distance = length(d)
    sees, doubtful = _seen(view, d, distance, v, max(world.width, world.height, world.depth))
    away = np.where(sees & (distance <= rules.separation.radius) & (distance > 0.0), 1.0, 0.0)
    apart = np.where(distance > 0.0, distance, 1.0)
    power = {"inverse": 1.0, "inverse_square": 2.0}[rules.separation.falloff]

    def steer(direction: Array) -> Array:
        force = limit(motion.max_speed * unit(direction) - v, motion.max_force)
        return np.where((direction == 0.0).all(axis=1)[:, None], 0.0, force)

    forces = np.zeros_like(x)
    if rules.separation.enabled:
        forces += rules.separation.weight * steer(-((away / apart**power)[..., None] * unit(d)).sum(axis=1))
    if rules.alignment.enabled:
        forces += rules.alignment.weight * steer(np.where(sees, 1.0, 0.0) @ v)
    if rules.cohesion.enabled:
        forces += rules.cohesion.weight * steer((np.where(sees, 1.0, 0.0)[..., None] * d).sum(axis=1))
    force = limit(forces, motion.max_force) + _field(world, rules.boundary, x)
    v = limit(v + force * 60.0 * motion.time_step, motion.max_speed)
    x = x + v * motion.time_step
    x, v = _confined(world, x, v)
    return Expected(x, v, force, sees, doubtful)


def _seen(
    view: Any, d: Array, distance: Array, v: Array, widest: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    others = ~np.eye(len(v), dtype=bool)
    speed = length(v)
    ahead = (d * unit(v)[:, None]).sum(axis=2)
    least = np.cos(np.radians(view.field_of_view / 2.0)) - EDGE
    around = (view.field_of_view == 360.0) | (speed**2 < 0.01)
    near = (distance <= view.radius) & others
    sees = near & (around[:, None] | (ahead >= least * distance))
    slack = 2e-6 * widest
    rim = np.abs(distance - view.radius) < slack
    at_edge_of_view = (np.abs(ahead - least * distance) < slack) & ~around[:, None] & (near | rim)
    doubtful = ((rim | at_edge_of_view) & others).any(axis=1)
    if view.nearest is not None:
        far = np.where(sees, distance**2, np.inf)
        order = np.sort(np.concatenate([far, np.full((len(v), view.nearest + 1), np.inf)], axis=1), axis=1)
        kth, following = order[:, view.nearest - 1], order[:, view.nearest]
        doubtful |= np.isfinite(following) & (following < kth * (1.0 + 1e-4))
        sees &= far <= (kth * (1.0 + TIE))[:, None]
    return sees, doubtful


def _field(world: Any, rule: Any, x: Array) -> Array:
    found = np.zeros_like(x)
    for axis, size in enumerate((world.width, world.height, world.depth)):
        if rule.enabled and edges_of(world)[axis] == "soft":
            low = np.maximum(0.0, rule.margin - x[:, axis])
            high = np.maximum(0.0, x[:, axis] - (size - rule.margin))
            found[:, axis] = rule.force * (low - high) / rule.margin
    return found


def _confined(world: Any, x: Array, v: Array) -> tuple[Array, Array]:
    x, v = x.copy(), v.copy()
    for axis, size in enumerate((world.width, world.height, world.depth)):
        edge = edges_of(world)[axis]
        if edge == "wrap":
            x[:, axis] = np.mod(x[:, axis], size)
        elif edge != "open":
            low, high = x[:, axis] < 0.0, x[:, axis] > size
            bounced = np.where(low, -x[:, axis], np.where(high, 2.0 * size - x[:, axis], x[:, axis]))
            v[:, axis] = np.where(low, np.abs(v[:, axis]), np.where(high, -np.abs(v[:, axis]), v[:, axis]))
            x[:, axis] = np.clip(bounced, 0.0, size)
    return x, v
