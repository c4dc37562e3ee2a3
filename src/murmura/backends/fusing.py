"""Fuses the rules of a plan into the few functions a kernel calls, as Python text.

The text is the same for lanes and for CUDA threads but for how a value is loaded. It only wires: formulas
stay in the rules, the loop over neighbours stays in the kernel. Text rather than closures, because Numba's
disk cache keys a closure by the identity of the functions inside it, which no other process shares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murmura.backends.fusing_happenings import Happenings
from murmura.backends.fusing_moves import Moves
from murmura.backends.loads import Loads
from murmura.backends.plan import (
    DEFAULTS,
    KIN_FIELDS,
    ME_FIELDS,
    NOISE_TIME_PERIOD,
    SEEN_FIELDS,
    WORLD_FIELDS,
    Group,
    Plan,
)
from murmura.backends.tables import pitch_of
from murmura.core import motion, perception, space, vector
from murmura.core.events import Event
from murmura.core.perception import TIE
from murmura.rules import terrain
from murmura.rules.terrain import SHAPE_FIELDS

# What the fused functions call beside the rules.
HELPERS: dict[str, Callable[..., Any]] = {
    "limit": vector.limit,
    "accelerate": motion.accelerate,
    "new_heading": motion.new_heading,
    "confine": space.confine,
    "hit": terrain.hit,
    "collide": terrain.collide,
    "attention": perception.attention,
    "view_cosine": perception.view_cosine,
    "sees": perception.sees,
}
FUNCTIONS = (
    "modulate", "alert", "pair", "item", "feel", "steer", "hush", "exclusive", "age", "fate", "happens", "bears",
    "inherit", "speaks", "gather", "report", "turn", "arrives", "settle",
)  # fmt: skip


Entry = tuple[int, int]
"""An accumulator: the rule's number, and its own among those of the rule."""
WHO = -1
"""Less a `least` accumulator's number: who it was."""


class Fusion:
    """The text of the fused functions and the layout of their accumulators."""

    def __init__(self, plan: Plan, loads: Loads) -> None:
        self.plan = plan
        self.loads = loads
        self.groups = plan.rule_groups
        self.many = plan.species_count > 1
        self.extras = [*DEFAULTS, *(c for c in plan.carried if c not in DEFAULTS)]
        self.sums, self.greatest, self.least = self._layout()
        self.width = 1 + len(self._order())

    def text(self) -> str:
        """All fused functions as a module's text."""
        return "\n\n".join([self._agents(), *self._after()]) + "\n"

    def texts(self) -> tuple[str, str]:
        """Two modules' texts: what is written for lanes, and what comes before and after for one item or agent."""
        beside = [self._constants(), self._types(), self._world(), Moves(self).choose(), *self._after()]
        return self._agents() + "\n", "\n\n".join(beside) + "\n"

    def turns_text(self, group: Group) -> str:
        """The text of a module for the turns of one rule's items."""
        fields = [*group.numbers, *(name for name, _ in group.options)]
        names = ("WRAPS", "WALLED", "NOISE_TIME_PERIOD")
        lines = [line for line in self._constants().splitlines() if line.startswith(names)]
        lines.append(f"World = record_type('World', {WORLD_FIELDS!r})")
        lines.append(f"P_{group.name} = record_type('P_{group.name}', {fields!r})")
        return "\n\n".join(["\n".join(lines), self._world(), Happenings(self).turns_text(group)]) + "\n"

    def _world(self) -> str:
        """The world as the rules see it at a step, in single precision."""
        return "\n".join(
            [
                "@jit",
                "def world_at(values, step, seed_low, seed_high):",
                "    time = step * values[2]",
                "    return World(",
                "        F(values[0]), F(values[1]), WRAPS, WALLED, F(values[2]), F(time),",
                "        F(time % NOISE_TIME_PERIOD), F(values[3]), F(values[4]), F(values[5]), F(values[6]),",
                "        np.uint32(step), np.uint32(seed_low), np.uint32(seed_high), F(values[7]), F(values[8]),",
                "    )",
            ]
        )

    def _agents(self) -> str:
        """What agents do: perceive, decide, live and tell."""
        parts = [
            self._constants(),
            self._types(),
            self._parameters(),
            self._rows(),
            self._me(),
            self._seen(),
            self._contribute(),
            self._merge(),
            Moves(self).decide(),
            Moves(self).live(),
            *Happenings(self).telling(),
        ]
        return "\n\n".join(parts)

    def _after(self) -> list[str]:
        """What happens when all agents have moved."""
        return Happenings(self).afterwards()

    def functions(self) -> dict[str, Callable[..., Any]]:
        """The rules' own functions by the names the text calls them."""
        found: dict[str, Callable[..., Any]] = {}
        for k, group in enumerate(self.groups):
            for name in FUNCTIONS:
                function = getattr(group.kind, name)
                if function is not None:
                    found[f"{name}_{k}"] = function
        return found

    def _layout(self) -> tuple[list[Entry], list[Entry], list[list[Entry]]]:
        """Accumulators as (group, number within it), sorted by how they combine."""
        sums, greatest, least = [], [], []
        for k, group in enumerate(self.groups):
            for number, kind in enumerate(group.kinds):
                if kind == "sum":
                    sums.append((k, number))
                elif kind == "greatest":
                    greatest.append((k, number))
                elif kind == "least":
                    least.append([(k, number)])
                else:
                    least[-1].append((k, number))
        return sums, greatest, least

    def _order(self) -> list[Entry]:
        return [*self.sums, *self.greatest, *(entry for run in self.least for entry in self._kept(run))]

    def recalls(self, run: list[Entry]) -> bool:
        """Whether a scan keeps only who the nearest was, and asks it again afterwards: less to carry along."""
        return not self.threads and len(run) > 2

    def _kept(self, run: list[Entry]) -> list[Entry]:
        return [run[0], (run[0][0], WHO - run[0][1])] if self.recalls(run) else run

    def places(self) -> dict[Entry, int]:
        """Where each accumulator is; who the nearest was comes after how near it was."""
        return {entry: place + 1 for place, entry in enumerate(self._order())}

    def _constants(self) -> str:
        return "\n".join(
            [
                f"ACCUMULATORS = {self.width}",
                f"STATE_ROWS = {4 + len(self.plan.carried)}",
                f"CARRIED = {len(self.plan.carried)}",
                f"PARTS = {2 if self.plan.scenario.world.boundary == 'wrap' else 1}",
                f"TOPOLOGICAL = {self.plan.topological}",
                f"WRAPS = {self.plan.scenario.world.boundary == 'wrap'}",
                f"WALLED = {self.plan.scenario.world.boundary in ('soft', 'reflect')}",
                f"OPEN = {self.plan.scenario.world.boundary == 'open'}",
                f"NOISE_TIME_PERIOD = {NOISE_TIME_PERIOD}",
                f"TIE = {TIE}",
                f"SPECIES_ROW = {4 + self.plan.carried.index('species') if self.many else 0}",
                f"RADIUS_NUMBER = {self._number_place('radius')}",
                f"COSINE_NUMBER = {self._number_place('view_cosine')}",
                f"SPECIES_PITCH = {pitch_of(self.plan.species_count)}",
                f"MORTAL = {self.plan.mortal}",
                f"EVENTFUL = {self.plan.eventful}",
                f"BIRTH = {int(Event.BIRTH)}.0",
                f"LASTING = {bool(self.plan.lasting)}",
                f"TOLD = {max(1, self.plan.told_width)}",
                f"ITEM_WIDTH = {self.plan.item_width}",
            ]
        )

    def _number_place(self, name: str) -> int:
        motion, perception = self.plan.groups[:2]
        return len(motion.numbers) + perception.numbers.index(name)

    def _types(self) -> str:
        lines = [
            f"Me = record_type('Me', {[*ME_FIELDS, *self.extras]!r})",
            f"Seen = record_type('Seen', {[*SEEN_FIELDS, *KIN_FIELDS, *self.extras]!r})",
            f"World = record_type('World', {WORLD_FIELDS!r})",
            f"Shape = record_type('Shape', {list(SHAPE_FIELDS)!r})",
        ]
        for group in self.plan.groups:
            fields = [*group.numbers, *(name for name, _ in group.options)]
            lines.append(f"P_{group.name} = record_type('P_{group.name}', {fields!r})")
        for k, group in enumerate(self.groups):
            if group.item_fields:
                lines.append(f"Item_{k} = record_type('Item_{group.name}', {list(group.item_fields)!r})")
        return "\n".join(lines)

    def _parameters(self) -> str:
        pitch = pitch_of(self.plan.species_count)
        number = f"entry(numbers, {{k}}, {pitch}, kind)" if self.many else "numbers[{k}]"
        lines = [*self.jit, "def parameters(numbers, kind):"]
        place = 0
        names = []
        for group in self.plan.groups:
            values = [number.format(k=place + k) for k in range(len(group.numbers))]
            values += [str(value) for _, value in group.options]
            place += len(group.numbers)
            lines.append(f"    p_{group.name} = P_{group.name}({', '.join(values)})")
            names.append(f"p_{group.name}")
        lines.append(f"    return {', '.join(names)},")
        return "\n".join(lines)

    def _rows(self) -> str:
        rows = ", ".join(f"table[{k}]" for k in range(4 + len(self.plan.carried)))
        return "\n".join([*self.jit, "def rows_of(table):", f"    return {rows},"])

    def _value(self, column: str, load: str) -> str:
        """The text that reads a column, or the constant it has in this plan."""
        if column not in self.plan.carried:
            return str(DEFAULTS[column])
        text = self.loads.column(load, self.plan.carried.index(column))
        return text.replace(", i]", ", j]") if load == self.loads.patterns[2] else text

    def _me(self) -> str:
        parts = [self._modulated(), ""]
        for name, load, neighbors in (
            ("me_pairing", self.loads.patterns[0], "0.0"),
            ("me_moving", self.loads.patterns[1], "neighbors"),
        ):
            kind = f"to_integer({self._value('species', load)})" if self.many else "0"
            extras = ", ".join(self._value(c, load) for c in self.extras)
            identity = self.loads.identity or load.format(row="ids")
            parts += [
                *self.jit,
                f"def {name}(numbers, rows, ids, i, neighbors, world):",
                f"    p = parameters(numbers, {kind})",
                f"    x, y, vx, vy = {self.loads.place_and_velocity(load)}",
                "    square = vx * vx + vy * vy",
                "    inverse = F(1.0) / sqrt(square + F(1e-30))",
                "    hx = where(square > 0.0, vx * inverse, 1.0)",
                f"    me = Me({identity}, x, y, vx, vy, hx, vy * inverse, square * inverse,"
                f" p[0].top_speed, p[0].max_force, {neighbors}, {extras})",
                "    return modulated(p, me, world)",
                "",
            ]
        return "\n".join(parts).rstrip()

    def _modulated(self) -> str:
        """The numbers that rules scale for each agent, and how far around an agent sees."""
        lines = [*self.jit, "def modulated(p, me, world):"]
        scaled: dict[tuple[int, str], str] = {}
        for k, _, targets in self.plan.modulations():
            lines.append(f"    f{k} = modulate_{k}(p[{k + 2}], me, world)")
            for entry, owner, number in targets:
                before = scaled.get((owner, number), f"p[{owner}].{number}")
                sign = "/" if number == "per_radius" else "*"
                scaled[owner, number] = f"{before} {sign} f{k}[{entry}]"
        if scaled:
            groups = []
            for owner, group in enumerate(self.plan.groups):
                values = [scaled.get((owner, number), f"p[{owner}].{number}") for number in group.numbers]
                values += [f"p[{owner}].{name}" for name, _ in group.options]
                touched = any(key[0] == owner for key in scaled)
                groups.append(f"P_{group.name}({', '.join(values)})" if touched else f"p[{owner}]")
            lines.append(f"    p = ({', '.join(groups)},)")
            changes = {"max_speed": "p[0].top_speed", "max_force": "p[0].max_force"}
            lines.append(f"    me = {self.me_with(changes)}")
        lines += ["    return p, me", "", *self.jit, "def cosine_of(p, me):"]
        lines.append("    cosine = view_cosine(p[1], me.vx, me.vy)")
        for k, group in enumerate(self.groups):
            if group.kind.alert:
                lines.append(f"    cosine = where(alert_{k}(p[{k + 2}], me), -2.0, cosine)")
        lines.append("    return cosine")
        return "\n".join(lines)

    def _seen(self) -> str:
        load = self.loads.patterns[2]
        extras = ", ".join(self._value(c, load) for c in self.extras)
        kin = "1.0, 1.0, 1.0, 0.0, 0.0"
        lines = [*self.jit, "def seen_of(p, me, rows, ids, kin, j, dx, dy, d2, d, inv_d, vx, vy):"]
        if self.many:
            lines.append(f"    other = to_integer({self._value('species', load)})")
            count = self.plan.species_count
            lines.append(f"    pair = to_integer(me.species) * {count} + other")
            kin = ", ".join(
                f"entry(kin, {k}, {pitch_of(count * count)}, pair)" for k in range(len(KIN_FIELDS))
            )
        weighed = dict(self.plan.groups[1].options)["weighs_angles"]
        attention = "attention(p[1], me.hx, me.hy, dx, dy, inv_d)" if weighed else "1.0"
        lines.append(
            f"    return Seen({self.loads.other}, dx, dy, d2, d, inv_d, 1.0 - d * p[1].per_radius, vx, vy,"
            f" {attention}, {kin}, {extras})"
        )
        return "\n".join(lines)

    def _contribute(self) -> str:
        lines = [*self.jit, f"def contribute(p, me, seen, world{'' if self.threads else ', who'}):"]
        for k, group in enumerate(self.groups):
            if group.kinds:
                lines.append(f"    c{k} = pair_{k}(p[{k + 2}], me, seen, world)")
        values = ["1.0", *("who" if number < 0 else f"c{k}[{number}]" for k, number in self._order())]
        lines.append(f"    return {', '.join(values)},")
        return "\n".join(lines)

    def _merge(self) -> str:
        """Start values, the merging of one contribution, and the folding of lanes into rows."""
        places = self.places()
        start = ["as_lanes(0.0)"] * (1 + len(self.sums) + len(self.greatest))
        merged = [f"where(m, acc[{k}] + c[{k}], acc[{k}])" for k in range(1 + len(self.sums))]
        merged += [
            f"where(m & (c[{k}] > acc[{k}]), c[{k}], acc[{k}])" for k in (places[e] for e in self.greatest)
        ]
        lines = [*self.jit, "def merge(acc, c, m):"]
        for number, run in enumerate(map(self._kept, self.least)):
            k = places[run[0]]
            start += ["as_lanes(3.0e38)"] + ["as_lanes(0.0)"] * (len(run) - 1)
            lines.append(f"    m{number} = m & (c[{k}] < acc[{k}])")
            merged += [f"where(m{number}, c[{places[e]}], acc[{places[e]}])" for e in run]
        lines.append(f"    return {', '.join(merged)},")
        start_text = "\n".join([*self.jit, "def blank():", f"    return {', '.join(start)},"])
        return "\n\n".join([start_text, "\n".join(lines), self._fold()])

    def _fold(self) -> str:
        places = self.places()
        lines = [*self.jit, "def fold(rows, k, acc):"]
        runs = [("fold_groups", 0, 1 + len(self.sums), ", 'sum'")]
        if self.greatest:
            runs.append(("fold_groups", 1 + len(self.sums), len(self.greatest), ", 'greatest'"))
        runs += [("fold_nearest", places[run[0]], len(self._kept(run)), "") for run in self.least]
        for function, begin, count, kind in runs:
            values = ", ".join(f"acc[{begin + k}]" for k in range(count))
            lines.append(f"    {function}(rows, k, ({values},), {begin}{kind})")
        gather = ", ".join(f"load(rows[{k}], i)" for k in range(self.width))
        lines += ["", *self.jit, "def sums_at(rows, i):", f"    return {gather},"]
        return "\n".join(lines)

    def loop(self, index: str, begin: str, end: str, carried: list[str], body: list[str]) -> list[str]:
        """A loop that changes the carried names."""
        if self.threads:
            return [f"for {index} in range({begin}, {end}):", *(f"    {line}" for line in body)]
        return self._inner([index], carried, body, f"loop({begin}, {end}, body")

    def when(self, condition: str, carried: list[str], body: list[str]) -> list[str]:
        """A condition that is the same for all agents, under which the carried names change."""
        if self.threads:
            return [f"if {condition}:", *(f"    {line}" for line in body)]
        return self._inner([], carried, body, f"when({condition}, body")

    def _inner(self, arguments: list[str], carried: list[str], body: list[str], call: str) -> list[str]:
        lines = [f"def body({', '.join([*arguments, *carried])}):", *(f"    {line}" for line in body)]
        call = ", ".join([call, *carried]) + ")"
        if not carried:
            return [*lines, call]
        return [*lines, f"    return {', '.join(carried)},", f"{', '.join(carried)}, = {call}"]

    def me_with(self, changes: dict[str, str]) -> str:
        """The text of an agent with some fields changed."""
        values = [changes.get(name, f"me.{name}") for name in [*ME_FIELDS, *self.extras]]
        return f"Me({', '.join(values)})"

    @property
    def threads(self) -> bool:
        """Whether an agent is a CUDA thread rather than a lane."""
        return bool(self.loads.base)

    @property
    def jit(self) -> list[str]:
        """The decorator of functions of agents: for lanes they are run, not compiled."""
        return ["@jit"] if self.threads else []
