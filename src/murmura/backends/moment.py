"""An instant of the definition: what agents see, want and do, written out in NumPy and double precision.

All agents are compared with all others. The rules' functions are called with whole arrays: one row for each
agent and, while pairing, one column for each other agent. Slow on purpose, and short enough to be read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from murmura.backends.plan import (
    DEFAULTS,
    KIN_FIELDS,
    ME_FIELDS,
    PLACES,
    SEEN_FIELDS,
    Group,
    Plan,
    record_type,
)
from murmura.core import motion, perception, space
from murmura.core.rule import TRACKED_FIELDS
from murmura.core.state import State
from murmura.core.vector import TINY, limit
from murmura.rules import terrain

Columns = dict[str, NDArray[Any]]
PAIRS_AT_ONCE = 2_000_000
Shape = record_type("Shape", terrain.SHAPE_FIELDS)
SAME_PLACE = 1e-20  # as in the kernels: 1/d of agents in the same place stays finite


class Tale(NamedTuple):
    """What happened to some agents in a step."""

    me: Any
    cause: Any
    by: Any
    events: list[Any]
    young: list[Any]
    told: dict[tuple[int, int], Any]


class Moment:
    """The flock at one instant, with everything a rule may ask about it, in double precision."""

    def __init__(self, plan: Plan, state: State, step: int, seed: tuple[int, int]) -> None:
        self.plan = plan
        self.world = plan.world(step, seed)
        self.ids = state.ids.astype(np.int64)
        self.columns: Columns = {
            name: state[name].astype(np.float64)
            for name in (
                "position_x",
                "position_y",
                "velocity_x",
                "velocity_y",
                "heading",
                "panic",
                "energy",
                "species",
            )
        }
        self.columns |= {name: state[name].astype(np.float64) for name in plan.carried}
        # A column that no rule of this scenario reads or writes says nothing: panic without fear moves nobody.
        self.columns |= {
            name: np.full(len(state), default)
            for name, default in DEFAULTS.items()
            if name not in plan.carried
        }
        # Without species of its own a plan has one row of numbers, whatever the agents are called.
        self.kinds = self.columns["species"].astype(np.int64) * (plan.species_count > 1)
        self.items = self._item_table(state)
        self.extras = [*DEFAULTS, *(c for c in plan.carried if c not in DEFAULTS)]
        self.me_type = record_type("Me", [*ME_FIELDS, *self.extras])
        self.seen_type = record_type("Seen", [*SEEN_FIELDS, *KIN_FIELDS, *self.extras])
        self.numbers = plan.numbers.astype(np.float64)[self.kinds]
        self.numbers = self._modulated()

    def _modulated(self) -> NDArray[Any]:
        """Each agent's numbers, scaled by the rules that scale them."""
        everyone = np.arange(len(self.ids))
        places = np.cumsum([0, *(len(group.numbers) for group in self.plan.groups)])
        scaled = self.numbers.copy()
        for k, group, targets in self.plan.modulations():
            assert group.kind.modulate is not None
            p = self.parameters(everyone, (len(everyone),))
            me = self.me(everyone, (len(everyone),), 0.0)
            factors = group.kind.modulate(p[2 + k], me, self.world)
            for entry, owner, number in targets:
                column = places[owner] + self.plan.groups[owner].numbers.index(number)
                scaled[:, column] *= 1.0 / factors[entry] if number == "per_radius" else factors[entry]
        return scaled

    def parameters(self, rows: NDArray[Any], shape: tuple[int, ...]) -> list[Any]:
        """Every group's `p` for these agents, its numbers as arrays of the given shape."""
        found, place = [], 0
        for group in self.plan.groups:
            columns = [self.numbers[rows, place + k].reshape(shape) for k in range(len(group.numbers))]
            found.append(group.parameters(*columns, *(value for _, value in group.options)))
            place += len(group.numbers)
        return found

    def species_parameters(self, species: int) -> list[Any]:
        """Every group's `p` of a species, its numbers as plain floats."""
        found, place = [], 0
        for group in self.plan.groups:
            numbers = self.plan.numbers[species, place : place + len(group.numbers)].tolist()
            found.append(group.parameters(*numbers, *(value for _, value in group.options)))
            place += len(group.numbers)
        return found

    def agent_after(self, state: State, agent: int) -> Any:
        """One agent of the flock after the move, as rules see it."""
        row = state.rows_of(agent)[0]
        x, y, vx, vy = (float(state[name][row]) for name in PLACES.values())
        speed = float(np.hypot(vx, vy))
        p = self.species_parameters(int(state["species"][row]) if self.plan.species_count > 1 else 0)[0]
        extras = [
            float(state[name][row]) if name in self.plan.carried else DEFAULTS[name] for name in self.extras
        ]
        return self.me_type(
            agent, x, y, vx, vy, vx / speed if speed else 1.0, vy / speed if speed else 0.0, speed,
            p.top_speed, p.max_force, float(state["local_density"][row]), *extras,
        )  # fmt: skip

    def me(
        self, rows: NDArray[Any], shape: tuple[int, ...], neighbors: Any, changes: Columns | None = None
    ) -> Any:
        """These agents as rules see themselves."""
        columns = {name: column[rows].reshape(shape) for name, column in self.columns.items()}
        columns |= changes or {}
        vx, vy = columns["velocity_x"], columns["velocity_y"]
        square = vx * vx + vy * vy
        inverse = 1.0 / np.sqrt(square + TINY)
        p = self.parameters(rows, shape)[0]
        return self.me_type(
            self.ids[rows].reshape(shape), columns["position_x"], columns["position_y"], vx, vy,
            np.where(square > 0.0, vx * inverse, 1.0), vy * inverse, np.sqrt(square), p.top_speed, p.max_force,
            neighbors, *(columns[name] for name in self.extras),
        )  # fmt: skip

    def visible(self, rows: NDArray[Any]) -> tuple[NDArray[np.bool_], Any, Any]:
        """Which agents (columns) these agents (rows) perceive, and both as rules see them."""
        me = self.me(rows, (len(rows), 1), 0.0)
        p = self.parameters(rows, (len(rows), 1))
        dx, dy = space.offset(self.world, me.x, me.y, self.columns["position_x"], self.columns["position_y"])
        d2 = dx * dx + dy * dy
        inv_d = 1.0 / np.sqrt(d2 + SAME_PLACE)
        d = d2 * inv_d
        view = p[1]
        cosine = perception.view_cosine(view, me.vx, me.vy)
        for group, q in zip(self.plan.rule_groups, p[2:], strict=True):
            if group.kind.alert:
                cosine = np.where(group.kind.alert(q, me), perception.SEES_ALL, cosine)
        seen = perception.sees(view.radius * view.radius, cosine, me.hx, me.hy, dx, dy, d2, d)
        seen[np.arange(len(rows)), rows] = False
        if self.plan.topological:
            seen &= d2 <= self._reach_of_nearest(seen, d2)
        weighs = dict(self.plan.groups[1].options)["weighs_angles"]
        attention = perception.attention(view, me.hx, me.hy, dx, dy, inv_d) if weighs else 1.0
        kin = self.plan.kin.astype(np.float64)[
            self.columns["species"][rows].astype(int)[:, None], self.columns["species"].astype(int)[None, :]
        ] if self.plan.species_count > 1 else self.plan.kin[0, 0].astype(np.float64)  # fmt: skip
        moving = self.columns["velocity_x"], self.columns["velocity_y"]
        wants = (kin[..., k] for k in range(len(KIN_FIELDS)))
        others = self.seen_type(
            self.ids.astype(np.float64), dx, dy, d2, d, inv_d, 1.0 - d * view.per_radius, *moving, attention, *wants,
            *(self.columns[name] for name in self.extras),
        )  # fmt: skip
        return seen, me, others

    def _reach_of_nearest(self, seen: NDArray[np.bool_], d2: NDArray[Any]) -> NDArray[Any]:
        nearest = self.plan.scenario.perception.nearest or 1
        if nearest > d2.shape[1]:
            return np.full((len(d2), 1), np.inf)
        far = np.where(seen, d2, np.inf)
        kth = np.partition(far, nearest - 1, axis=1)[:, nearest - 1 : nearest]
        return kth * (1.0 + perception.TIE)

    def accumulate(self, rows: NDArray[Any]) -> tuple[list[list[Any]], Any]:
        """What neighbours, then items, add up to for each rule; and how many neighbours there are."""
        seen, me, others = self.visible(rows)
        p = self.parameters(rows, (len(rows), 1))
        found = []
        for group, q in zip(self.plan.rule_groups, p[2:], strict=True):
            values: list[Any] = []
            if group.kinds:
                assert group.kind.pair is not None
                terms = group.kind.pair(q, me, others, self.world)
                values = _combine(group.kinds, terms, seen)
            found.append(values)
        neighbors = seen.sum(axis=1).astype(np.float64)
        flat = self.me(rows, (len(rows),), neighbors)
        for number, group in enumerate(self.plan.rule_groups):
            found[number] += self.item_values(number, group, rows, flat)
        return found, neighbors

    def item_values(self, number: int, group: Group, rows: NDArray[Any], me: Any) -> list[Any]:
        """What a rule's items add up to for these agents."""
        if not group.item_kinds:
            return []
        assert group.kind.item is not None
        q = self.parameters(rows, (len(rows),))[2 + number]
        item_type = record_type("Item", group.item_fields)
        begin, end = self.plan.ranges[number]
        items = [item_type(*row[: len(group.item_fields)]) for row in self.items[begin:end]]
        terms = [np.broadcast_arrays(*group.kind.item(q, me, it, self.world), me.x)[:-1] for it in items]
        if not terms:
            return [np.full(len(rows), 3.0e38 if kind == "least" else 0.0) for kind in group.item_kinds]
        stacked = [np.stack(column, axis=1) for column in zip(*terms, strict=True)]
        return _combine(group.item_kinds, stacked, np.ones_like(stacked[0], bool))

    def _item_table(self, state: State) -> NDArray[Any]:
        """All items, tracked agents at their places."""
        items = self.plan.item_table(state).astype(np.float64)
        for agent, row in self.plan.tracked:
            where = np.flatnonzero(self.ids == agent)
            values = [0.0] * len(TRACKED_FIELDS)
            if len(where):
                names = ("position_x", "position_y", "velocity_x", "velocity_y")
                values = [*(float(self.columns[name][where[0]]) for name in names), 1.0, float(agent)]
            items[row, : len(values)] = values
        return items

    def decide(self, rows: NDArray[Any]) -> tuple[Any, Any, Columns, dict[str, Any]]:
        """The agents as they feel now, the force on them, and each rule's share of it by name."""
        acc, neighbors = self.accumulate(rows)
        p = self.parameters(rows, (len(rows),))
        changes: Columns = {}
        me = was = self.me(rows, (len(rows),), neighbors)
        for group, q, values in zip(self.plan.rule_groups, p[2:], acc, strict=True):
            if group.kind.feel:
                felt = zip(group.kind.writes, group.kind.feel(q, me, tuple(values), self.world), strict=True)
                changes |= {PLACES.get(name, name): value for name, value in felt}
                me = self.me(rows, (len(rows),), neighbors, changes)
        forces: dict[str, Any] = {}
        others = np.ones(len(rows))
        silencers = set()
        for group, q, values in zip(self.plan.rule_groups, p[2:], acc, strict=True):
            if group.kind.steer:
                fx, fy = group.kind.steer(q, me, tuple(values), self.world)
                forces[group.name] = np.broadcast_arrays(fx, fy, me.x)[:2]
            if group.kind.exclusive:
                silencers.add(group.name)
                others = np.where(group.kind.exclusive(q, me, tuple(values), self.world), 0.0, others)
            if group.kind.hush:
                silencers.add(group.name)
                others = np.minimum(others, group.kind.hush(q, me, tuple(values), self.world))
        wish, free = np.zeros((2, len(rows))), np.zeros((2, len(rows)))
        for group in self.plan.rule_groups:
            if group.name not in forces:
                continue
            force = np.stack(forces[group.name])
            if group.kind.clamped:
                if group.name not in silencers:
                    force = force * others
                wish = wish + force
            else:
                free = free + force
            forces[group.name] = force
        if p[0].clamp_total:
            wish = np.stack(limit(wish[0], wish[1], me.max_force * (1.0 + p[0].panic_force * me.panic)))
        total = wish + free
        details = {"forces": forces, "accumulated": acc, "neighbors": neighbors, "was": was}
        return me, total, changes, details

    def live(self, rows: NDArray[Any]) -> tuple[Columns, Tale]:
        """These agents after the step, by column, and what happened to them."""
        me, force, changes, details = self.decide(rows)
        p = self.parameters(rows, (len(rows),))
        fates = self._fates(p, me, details)
        vx, vy = motion.accelerate(p[0], me, force[0], force[1], self.world)
        x, y, vx, vy = self._move(me, vx, vy)
        x, y, vx, vy = space.confine(self.world, x, y, vx, vy)
        changes = changes | {"position_x": x, "position_y": y, "velocity_x": vx, "velocity_y": vy}
        changes["heading"] = motion.new_heading(vx, vy, self.columns["heading"][rows])
        for group, q in zip(self.plan.rule_groups, p[2:], strict=True):
            if group.kind.age:
                me = self.me(rows, (len(rows),), me.neighbors, changes)
                aged = zip(group.kind.writes, group.kind.age(q, me, self.world), strict=True)
                changes |= {PLACES.get(name, name): value for name, value in aged}
        me = self.me(rows, (len(rows),), me.neighbors, changes)
        columns = changes | {
            "acceleration_x": force[0],
            "acceleration_y": force[1],
            "local_density": me.neighbors,
        }
        return columns, Tale(me, *fates, self._told(rows, p, me, fates[0]))

    def _fates(self, p: list[Any], me: Any, details: dict[str, Any]) -> tuple[Any, Any, list[Any], list[Any]]:
        """Who dies of what and by whom; events; who has young by whom."""
        cause, by = np.zeros(len(me.x)), np.full(len(me.x), -1.0)
        events, young = [], []
        was = details["was"]
        for k, (group, q, acc) in enumerate(
            zip(self.plan.rule_groups, p[2:], details["accumulated"], strict=True)
        ):
            values = tuple(acc)
            if group.kind.fate:
                why, who = np.broadcast_arrays(*group.kind.fate(q, me, values, self.world), me.x)[:2]
                by = np.where((cause == 0.0) & (why > 0.0), who, by)
                cause = np.where(cause == 0.0, why, cause)
            if group.kind.happens:
                events.append(
                    np.broadcast_arrays(*group.kind.happens(q, was, me, values, self.world), me.x)[:3]
                )
            if group.kind.bears:
                yes, whom = np.broadcast_arrays(*group.kind.bears(q, was, me, values, self.world), me.x)[:2]
                young.append((k, yes, whom))
        return cause, by, events, young

    def _told(self, rows: NDArray[Any], p: list[Any], me: Any, cause: Any) -> dict[tuple[int, int], Any]:
        """What these agents tell each item: how many, sums, (score, id) of the best; and the target's report."""
        found: dict[tuple[int, int], Any] = {}
        for number, group, begin, end in self.plan.lasting:
            q = p[2 + number]
            says = cause == 0.0
            if group.kind.speaks:
                says = says & group.kind.speaks(q, me, self.world)
            fields = (*group.kind.item_fields, *group.kind.memory_fields)
            item_type = record_type("Item", group.kind.item_fields)
            for row in range(begin, end):
                it = item_type(*self.items[row, : len(group.kind.item_fields)])
                values: list[Any] = []
                if group.kind.gather:
                    terms = np.broadcast_arrays(*group.kind.gather(q, me, it, self.world), me.x)[:-1]
                    for kind, term in zip(group.kind.gathers, terms, strict=True):
                        values.append(_listen(kind, np.where(says, term, 0.0), self.ids[rows]))
                news = {}
                if group.kind.report:
                    mine = np.flatnonzero(says & (self.ids[rows] == it.target))
                    if len(mine):
                        told = np.broadcast_arrays(*group.kind.report(q, me, self.world), me.x)
                        news = {
                            fields.index(name): float(value[mine[0]])
                            for name, value in zip(group.kind.reports, told, strict=False)
                        }
                found[number, row] = (values, news)
        return found

    def _move(self, me: Any, vx: Any, vy: Any) -> Any:
        """The place after the move, with obstacles in the way."""
        mx, my = vx * self.world.stride, vy * self.world.stride
        if not self.plan.has_obstacles:
            return me.x + mx, me.y + my, vx, vy
        first = np.full(len(vx), terrain.NEVER)
        nx, ny = np.zeros(len(vx)), np.zeros(len(vx))
        for row in self.plan.shapes.astype(np.float64):
            t, tx, ty = terrain.hit(self.world, Shape(*row), me.x, me.y, mx, my)
            sooner = t < first
            first, nx, ny = np.where(sooner, t, first), np.where(sooner, tx, nx), np.where(sooner, ty, ny)
        return terrain.collide(self.world, me.x, me.y, mx, my, vx, vy, first, nx, ny)


def _combine(kinds: tuple[str, ...], terms: Any, seen: NDArray[np.bool_]) -> list[Any]:
    """Combine contributions (rows: agents, columns: neighbours) as their kinds say, over those that are seen."""
    found: list[Any] = []
    pick: Any = None
    for kind, term in zip(kinds, terms, strict=True):
        values = np.broadcast_to(term, seen.shape)
        if kind == "sum":
            found.append(np.where(seen, values, 0.0).sum(axis=1))
        elif kind == "greatest":
            found.append(np.where(seen, values, 0.0).max(axis=1, initial=0.0))
        elif kind == "least":
            ranked = np.where(seen, values, 3.0e38)
            pick = ranked.argmin(axis=1) if seen.shape[1] else np.zeros(len(seen), int)
            found.append(ranked.min(axis=1, initial=3.0e38))
            nobody = found[-1] >= 3.0e38
        else:
            taken = (
                np.take_along_axis(values, pick[:, None], axis=1)[:, 0]
                if seen.shape[1]
                else np.zeros(len(seen))
            )
            found.append(np.where(nobody, 0.0, taken))
    return found


def _listen(kind: str, term: NDArray[Any], ids: NDArray[Any]) -> tuple[float, float]:
    """What many agents say, as one number and, for the best, whose it is."""
    if kind == "count":
        return float(np.count_nonzero(term)), 0.0
    if kind == "sum":
        return float(term.sum()), 0.0
    if not len(term) or term.max() <= 0.0:
        return 0.0, -1.0
    return float(term.max()), float(ids[term == term.max()].min())
