"""One step by brute force, in NumPy and double precision, written from docs/model.md and docs/evolution.md alone.

It knows the trio, fear, energy, ageing, starvation and genes; perception, silence and clamp, both speed policies and
all four kinds of edges. It reads scenario and state, and imports nothing of what it checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
EDGE = 1e-6  # the field of view is widened by this
POOREST = 0.02  # minimum of any ability, whatever the genes
SIDELESS = 1e-4  # sine of the angle below which what is ahead or astern is exactly so
TIE = 1e-6  # relative difference of squared distances within which neighbours tie with the k-th nearest


@dataclass
class Expected:
    """The flock after the step, for agents that lived; `alive` marks these."""

    columns: dict[str, Array]
    alive: NDArray[np.bool_]
    doubtful: NDArray[np.bool_]
    """Agents with a neighbour within rounding of a limit: their results may legitimately differ."""


def length(v: Array) -> Array:
    return np.hypot(v[..., 0], v[..., 1])


def unit(v: Array) -> Array:
    """The unit vector (hat) of docs/model.md; the zero vector stays zero."""
    return v / np.where(length(v) > 0.0, length(v), 1.0)[..., None]


def limit(v: Array, most: Array) -> Array:
    return np.where((length(v) > most)[..., None], unit(v) * most[..., None], v)


class Oracle:
    """The flock of a simulation, and its state after each step."""

    def __init__(self, sim: Any) -> None:
        self.scenario, state = sim.scenario, sim.state
        self.rules = self.scenario.rules
        self.column = {name: np.asarray(values, np.float64) for name, values in state.columns.items()}
        self.x = np.stack([self.column["position_x"], self.column["position_y"]], axis=1)
        self.v = np.stack([self.column["velocity_x"], self.column["velocity_y"]], axis=1)
        self.n = len(self.x)
        self.ids = np.asarray(state["id"]).astype(np.int64)
        self.panic = self.column["panic_level"]
        self.size = np.array([self.scenario.world.width, self.scenario.world.height])
        self._modulate()
        self._perceive()

    # Modulation: the effect of genes on the numbers

    def _modulate(self) -> None:
        motion, one = self.scenario.motion, np.ones(self.n)
        self.top = one * (motion.speed if motion.policy == "constant" else motion.max_speed)
        self.force = one * motion.max_force
        self.radius = one * self.scenario.perception.radius
        self.weight = {
            name: one * getattr(self.rules, name).weight for name in ("separation", "alignment", "cohesion")
        }
        self.crowd = one * self.rules.cohesion.crowd
        g = self.rules.genome
        if not g.enabled:
            return
        gene = {k.removeprefix("gene_"): x for k, x in self.column.items() if k.startswith("gene_")}
        part = {k.removeprefix("part_"): x for k, x in self.column.items() if k.startswith("part_")}
        social = gene["sociability"]
        fast = gene["speed"] * (1 + g.tail_speed * part["tail"])
        self.top *= np.maximum(POOREST, fast * (1 - g.efficiency_slows * gene["efficiency"]))
        self.force *= np.maximum(POOREST, gene["force"] * (1 + g.fin_turn * part["fin"]))
        eyes = 1 + g.eye_vision * part["eye"] + g.antenna_vision * part["antenna"]
        sight = np.maximum(g.least_vision, g.max_vision * gene["vision"] * eyes)
        self.radius = np.minimum(self.radius, sight)
        self.weight["separation"] *= 1.5 - 0.5 * social
        self.weight["alignment"] *= 1.0 + 1.5 * social
        self.weight["cohesion"] *= 1.0 + 2.0 * social
        self.crowd *= 10.0 + 40.0 * social

    # Perception

    def way(self, start: Array, end: Array) -> Array:
        d = end - start
        if self.scenario.world.boundary == "wrap":
            d = d - self.size * np.floor(d / self.size + 0.5)
        return d

    def _perceive(self) -> None:
        view = self.scenario.perception
        self.d = self.way(self.x[:, None], self.x[None, :])
        self.distance = length(self.d)
        others = ~np.eye(self.n, dtype=bool)
        speed = length(self.v)
        heading = np.where((speed > 0.0)[:, None], unit(self.v), [1.0, 0.0])
        ahead = (self.d * heading[:, None]).sum(axis=2)
        least = np.cos(np.radians(view.field_of_view / 2.0)) - EDGE
        around = (view.field_of_view == 360.0) | (speed**2 < 0.01)
        near = (self.distance**2 <= (self.radius**2)[:, None]) & others
        self.sees = near & (around[:, None] | (ahead >= least * self.distance))
        self.seen_by = near & self.sees.T
        slack = 1e-6 * self.size.max()
        rim = np.abs(self.distance - self.radius[:, None]) < slack
        at_edge_of_view = (np.abs(ahead - least * self.distance) < slack) & ~around[:, None] & (near | rim)
        unsure = (rim | at_edge_of_view) & others
        self.doubtful = unsure.any(axis=1) | (unsure.any(axis=0) & self.rules.fear.enabled)
        if view.nearest is not None:
            self._keep_nearest(view.nearest)
        self.count = self.sees.sum(axis=1).astype(np.float64)

    def _keep_nearest(self, k: int) -> None:
        far = np.where(self.sees, self.distance**2, np.inf)
        order = np.sort(np.concatenate([far, np.full((self.n, k + 1), np.inf)], axis=1), axis=1)
        kth, following = order[:, k - 1], order[:, k]
        self.doubtful |= np.isfinite(following) & (following < kth * (1.0 + 1e-4))
        self.sees &= far <= (kth * (1.0 + TIE))[:, None]

    # Steering forces

    def steer(self, direction: Array) -> Array:
        force = limit(self.top[:, None] * unit(direction) - self.v, self.force)
        return np.where((direction == 0.0).all(axis=1)[:, None], 0.0, force)

    def separation(self) -> Array:
        rule = self.rules.separation
        power = {"inverse": 1.0, "inverse_square": 2.0}[rule.falloff]
        apart = np.where(self.distance > 0.0, self.distance, 1.0)
        counts = self.sees & (self.distance <= rule.radius) & (self.distance > 0.0)
        direction = -(np.where(counts, apart**-power, 0.0)[..., None] * unit(self.d)).sum(axis=1)
        self.pressed = (self.sees & (self.distance > 0.0) & (self.distance <= rule.exit_distance)).any(axis=1)
        if rule.priority == "early_exit" and rule.foresight > 0.0:
            way = self.nearest_approach(rule.foresight)
            comes = self.sees & (self.distance > rule.radius) & (length(way) <= rule.clearance)
            gap = np.where(comes, length(way), 1.0)
            direction -= (np.where(comes, gap**-power, 0.0)[..., None] * unit(way)).sum(axis=1)
            self.pressed |= comes.any(axis=1)
            self.doubtful |= (self.sees & (np.abs(length(way) - rule.clearance) < 1e-3)).any(axis=1)
        if rule.response == "push":
            return self.weight["separation"][:, None] * limit(unit(direction), self.force)
        return self.weight["separation"][:, None] * self.steer(direction)

    def nearest_approach(self, foresight: float) -> Array:
        """Where each will be for each when they are nearest, if all fly straight on for a time [s]."""
        motion = self.scenario.motion
        rate = (self.v[None] - self.v[:, None]) * (
            1.0 / motion.time_step if motion.velocity_unit == "tick" else 1.0
        )
        closing, square = -(rate * self.d).sum(axis=2), (rate**2).sum(axis=2)
        meeting = np.maximum(0.0, closing) / np.where(square > 0.0, square, 1.0)
        way: Array = self.d + rate * np.minimum(foresight, meeting)[..., None]
        left = unit(np.stack([-self.d[..., 1], self.d[..., 0]], axis=2))
        odd = (self.ids[:, None] + self.ids[None]) % 2 == 1
        straight = length(self.d + rate * meeting[..., None]) < SIDELESS * self.distance
        aside = (
            left * (np.where(odd, -1.0, 1.0) * np.maximum(length(way), SIDELESS * self.distance))[..., None]
        )
        return np.where(straight[..., None], aside, way)

    def shares(self, rule: Any) -> Array:
        """q of docs/model.md: how much each neighbour counts."""
        radius = self.radius[:, None] if rule.radius is None else rule.radius
        inside = self.sees & (self.distance <= radius)
        return np.where(inside, 1.0 - self.distance / radius if rule.weighting == "linear" else 1.0, 0.0)

    def alignment(self) -> Array:
        direction = self.shares(self.rules.alignment) @ self.v
        return self.weight["alignment"][:, None] * self.steer(direction)

    def cohesion(self) -> Array:
        rule = self.rules.cohesion
        direction = (self.shares(rule)[..., None] * self.d).sum(axis=1)
        crowded = np.maximum(rule.crowd_floor, 1.0 - self.count / self.crowd)
        factor = self.weight["cohesion"] * (crowded if rule.density_adaptation else 1.0)
        return factor[:, None] * self.steer(direction)

    # Fear: before forces, panic is caught; threats push

    def _feel(self) -> Array:
        """Catch panic; returns the force of flight, which is added after the clamp."""
        rule, flight = self.rules.fear, np.zeros((self.n, 2))
        if not rule.enabled:
            return flight
        worst = np.where(self.seen_by & (self.panic > rule.spread_from), self.panic, 0.0).max(
            axis=1, initial=0.0
        )
        panic = np.maximum(self.panic, rule.spread * worst)
        for threat in rule.threats:
            away = self.way(np.array([threat.x, threat.y]), self.x)
            d = length(away)
            fright = 1.0 - d / threat.radius
            push = np.where(d <= threat.radius, self.force * (1.0 + rule.flight_boost * fright), 0.0)
            flight += push[:, None] * unit(away)
            panic = np.maximum(panic, fright)
        self.panic = panic
        return rule.weight * flight

    def clamped_sum(self) -> Array:
        """The clamped sum; other rules are silent where separation comes first."""
        push = self.separation() if self.rules.separation.enabled else np.zeros((self.n, 2))
        rest = np.zeros((self.n, 2))
        for name in ("alignment", "cohesion"):
            if getattr(self.rules, name).enabled:
                rest = rest + getattr(self, name)()
        if self.rules.separation.enabled and self.rules.separation.priority == "early_exit":
            rest = np.where(self.pressed[:, None], 0.0, rest)
        if not self.scenario.motion.clamp_total:
            return push + rest
        return limit(push + rest, self.force * (1.0 + self.scenario.motion.panic_force * self.panic))

    def _pushed_inwards(self) -> Array:
        rule, world = self.rules.boundary, self.scenario.world
        if not rule.enabled or world.boundary != "soft":
            return np.zeros((self.n, 2))
        low, high = np.maximum(0.0, rule.margin - self.x), np.maximum(0.0, self.x - (self.size - rule.margin))
        return rule.force * (low - high) / rule.margin

    # The step

    def stepped(self) -> Expected:
        """The flock after one step."""
        motion = self.scenario.motion
        flight = self._feel()
        force = self._with_a_side(self.clamped_sum() + flight + self._pushed_inwards())
        dies = self._fate()
        self._move(force, 1.0 if motion.velocity_unit == "tick" else 60.0 * motion.time_step)
        columns = {
            "position_x": self.x[:, 0],
            "position_y": self.x[:, 1],
            "velocity_x": self.v[:, 0],
            "velocity_y": self.v[:, 1],
            "acceleration_x": force[:, 0],
            "acceleration_y": force[:, 1],
            "local_density": self.count,
        }
        return Expected(columns | self._age(), ~dies, self.doubtful)

    def _with_a_side(self, force: Array) -> Array:
        """At constant speed, the sides of forces straight back."""
        motion = self.scenario.motion
        if motion.policy != "constant":
            return force
        heading = unit(self.v)
        left = np.stack([-heading[:, 1], heading[:, 0]], axis=1)
        size, along = length(force), (force * heading).sum(axis=1)
        change = size * (1.0 if motion.velocity_unit == "tick" else 60.0 * motion.time_step) / length(self.v)
        straight = (along < 0.0) & (np.abs((force * left).sum(axis=1)) <= SIDELESS * size)
        aside = left * np.where(self.ids % 2 == 1, -size, size)[:, None]
        return np.where((straight & (change > 1e-4) & (change < 1.0))[:, None], aside, force)

    def _move(self, force: Array, thrust: float) -> None:
        motion, energy = self.scenario.motion, self.rules.energy
        tired = energy.min_speed if energy.enabled else 1.0
        top = self.top * (tired + (1.0 - tired) * self.column["energy"])
        top = top * (1.0 + motion.panic_speed * self.panic)
        wanted = self.v + force * thrust
        if motion.policy == "constant":
            self.v = unit(wanted) * top[:, None]
        else:
            self.v = limit(wanted, top)
            slow = np.minimum(motion.min_speed, top)
            self.v = np.where((length(self.v) < slow)[:, None], unit(self.v) * slow[:, None], self.v)
        self.x = self.x + self.v * (1.0 if motion.velocity_unit == "tick" else motion.time_step)
        boundary = self.scenario.world.boundary
        if boundary == "wrap":
            self.x = self.x - self.size * np.floor(self.x / self.size)
        elif boundary in ("soft", "reflect"):
            low, high = self.x < 0.0, self.x > self.size
            self.x = np.clip(
                np.where(low, -self.x, np.where(high, 2.0 * self.size - self.x, self.x)), 0.0, self.size
            )
            self.v = np.where(low, np.abs(self.v), np.where(high, -np.abs(self.v), self.v))

    def _fate(self) -> NDArray[np.bool_]:
        """Which agents die in this step: of old age or of starvation."""
        dies = np.zeros(self.n, bool)
        ageing, starvation = self.rules.ageing, self.rules.starvation
        if ageing.enabled:
            dies |= self.column["age"] > ageing.least + ageing.span * self.column["gene_longevity"]
        if starvation.enabled:
            dies |= self.column["starving"] > starvation.after
        return dies

    def _age(self) -> dict[str, Array]:
        """Ageing, after the move."""
        dt, found = self.scenario.motion.time_step, {}
        fear, energy = self.rules.fear, self.rules.energy
        if fear.enabled:
            faded = self.panic * fear.fade
            found["panic_level"] = np.where(faded < fear.calm_below, 0.0, faded)
        left = self.column["energy"]
        if energy.enabled:
            cost = energy.decay * dt * (1.0 + energy.speed_cost * length(self.v) / self.top)
            left = found["energy"] = np.maximum(0.0, left - cost)
        if self.rules.starvation.enabled:
            found["starving"] = np.where(left > 0.0, 0.0, self.column["starving"] + dt)
        if self.rules.mating_cooldown.enabled:
            found["mating_cooldown"] = np.maximum(0.0, self.column["mating_cooldown"] - dt)
        if self.rules.ageing.enabled:
            found["age"] = self.column["age"] + dt
        return found
