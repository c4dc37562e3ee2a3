"""Fuses what happens to agents beyond their move: deaths, events, young, and what they tell items that listen.

Part of `fusing`, with the same division of labour: this text wires, the formulas stay in the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from murmura.backends.plan import DEFAULTS, PLACES, Group
from murmura.backends.tables import pitch_of
from murmura.core.events import Event
from murmura.core.state import column_name, newborn_value

if TYPE_CHECKING:
    from murmura.backends.fusing import Fusion


class Happenings:
    """The text of these functions for one fusion."""

    def __init__(self, fusion: Fusion) -> None:
        self.fusion = fusion
        self.groups = list(enumerate(fusion.groups))
        self.threads = fusion.threads

    def tale(self) -> list[str]:
        """Lines at the end of `decide` that put together what happens to the agent."""
        lines = ["    cause, by = zero, as_lanes(-1.0)"]
        values = ["cause", "by"]
        for k, group in self.groups:
            if group.kind.fate:
                lines.append(f"    why, who = fate_{k}(p[{k + 2}], me, a{k}, world)")
                lines.append("    fresh = (cause == 0.0) & (as_lanes(why) > 0.0)")
                lines.append("    cause, by = where(fresh, why, cause), where(fresh, who, by)")
        for name, width in (("happens", 3), ("bears", 2)):
            for k, group in self.groups:
                if getattr(group.kind, name):
                    lines.append(f"    {name}{k} = {name}_{k}(p[{k + 2}], was, me, a{k}, world)")
                    values += [f"as_lanes({name}{k}[{n}])" for n in range(width)]
        lines.append(f"    tale = ({', '.join(values)},)")
        return lines

    def telling(self) -> list[str]:
        """The functions that a kernel calls after an agent has moved."""
        return [self._tell(), self._note()]

    def afterwards(self) -> list[str]:
        """The functions that a kernel calls after all agents have moved."""
        merge = self._pass_on() if self.threads else self._merge_told()
        return [merge, self._numbers_of(), self._take_turns(), self._being(), self._bear(), self._welcome()]

    def _tell(self) -> str:
        fusion = self.fusion
        lines = ["def tell(p, me, cause, world, items, ranges, told, news, left):"]
        lines.append("    alive = first_lanes(left) & (cause == 0.0)")
        for k, group, _, _ in self._lasting():
            fields = ", ".join(f"items[row, {n}]" for n in range(len(group.kind.item_fields)))
            body = [f"it = Item_{k}({fields})"]
            if group.kind.gather:
                body += self._say(k, group)
            if group.kind.report:
                body += self._report(k, group)
            loop = fusion.loop("row", f"ranges[{k}, 0]", f"ranges[{k}, 1]", [], body)
            says = "alive"
            if group.kind.speaks:
                says = f"alive & speaks_{k}(p[{k + 2}], me, world)"
                loop = fusion.when("any_lane(says)", [], loop)
            lines += [f"    {line}" for line in [f"says = {says}", *loop]]
        return "\n".join([*fusion.jit, *lines])

    def _say(self, k: int, group: Group) -> list[str]:
        lines = [f"c = gather_{k}(p[{k + 2}], me, it, world)"]
        for slot, kind in enumerate(group.kind.gathers):
            if kind == "count":
                said = f"says & (as_lanes(c[{slot}]) != 0.0)"
            else:
                said = f"where(says, c[{slot}], 0.0)"
            last = ", me.id" if kind == "best" else ""
            lines.append(f"tell_{kind}(told, row, {slot}, {said}{last})")
        return lines

    def _report(self, k: int, group: Group) -> list[str]:
        body = [f"r = report_{k}(p[{k + 2}], me, world)"]
        body += [f"tell_news(news, row, {n + 1}, mine, r[{n}])" for n in range(len(group.kind.reports))]
        return [
            "mine = says & (to_number(me.id) == it.target)",
            *self.fusion.when("any_lane(mine)", [], body),
        ]

    def _numbers_of(self) -> str:
        """The numbers of one rule for one species: items and heredity need no others."""
        fusion = self.fusion
        pitch = pitch_of(fusion.plan.species_count)
        functions, place = [], 0
        for owner, group in enumerate(fusion.plan.groups):
            values = [
                f"numbers[{(place + n) * pitch} + kind]" if fusion.many else f"numbers[{place + n}]"
                for n in range(len(group.numbers))
            ]
            values += [str(value) for _, value in group.options]
            place += len(group.numbers)
            kind = group.kind if owner >= 2 else None
            needed = kind is not None and (kind.inherit or kind.arrives or (kind.turn and self.threads))
            if owner == 0 or needed:
                functions.append(f"@jit\ndef p_{owner}(numbers, kind):")
                functions[-1] += f"\n    return P_{group.name}({', '.join(values)})"
        return "\n\n".join(functions)

    def _take_turns(self) -> str:
        """Items take their turns, one rule after the other."""
        if self.threads:
            lines = ["@jit", "def take_turns(numbers, items, ranges, told, news, heard, world):", "    pass"]
            for k, group, _, _ in self._lasting():
                lines.append(f"    p = p_{k + 2}(numbers, 0)")
                lines.append(f"    for row in range(ranges[{k}, 0], ranges[{k}, 1]):")
                lines += [
                    f"        {line}"
                    for line in [*self._hear(group), f"turn_{k}(p, items, row, heard, world)"]
                ]
            return "\n".join(lines)
        plan = self.fusion.plan
        pitch = pitch_of(plan.species_count)
        lines = [
            "@jit",
            "def take_turns(turns, numbers, items, ranges, told, news, heard, world, step, low, high):",
        ]
        for unit, (k, _, _, _) in enumerate(self._lasting()):
            first = pitch * sum(len(group.numbers) for group in plan.groups[: k + 2])
            lines.append(
                f"    call_turns(turns[{unit}], numbers, {first}, {pitch}, items, ranges[{k}, 0], ranges[{k}, 1], told,"
                " news, heard, world, step, low, high)"
            )
        return "\n".join([*lines, "    pass"])

    def turns_text(self, group: Group) -> str:
        """The turns of one rule's items as a function by itself, which depends on nothing but that rule."""
        numbers = [f"numbers[first + {n} * pitch]" for n in range(len(group.numbers))]
        values = [*numbers, *(str(value) for _, value in group.options)]
        return "\n".join(
            [
                "@numba.njit(cache=True, **JIT)",
                "def turns(",
                "    numbers, first, pitch, items, begin, end, told, news, heard, world_values, step, low, high",
                "):",
                f"    p = P_{group.name}({', '.join(values)})",
                "    world = world_at(world_values, step, low, high)",
                "    for row in range(begin, end):",
                *(f"        {line}" for line in self._hear(group)),
                "        turn(p, items, row, heard, world)",
                "    return 0",
            ]
        )

    def _hear(self, group: Group) -> list[str]:
        """Lines that give an item what it was told, which is then forgotten."""
        fields = (*group.kind.item_fields, *group.kind.memory_fields)
        lines, place = [], 0
        for slot, kind in enumerate(group.kind.gathers if group.kind.gather else ()):
            if kind == "count":
                lines.append(f"heard[{place}] = F(told[row, {slot}])")
            elif kind == "sum":
                lines.append(f"heard[{place}] = F(np.float64(told[row, {slot}]) / FINENESS)")
            else:
                lines.append(f"heard[{place}] = best_score(told[row, {slot}])")
                lines.append(f"heard[{place + 1}] = best_id(told[row, {slot}])")
                place += 1
            place += 1
            lines.append(f"told[row, {slot}] = 0")
        if group.kind.report:
            lines.append("if news[row, 0] != 0.0:")
            lines += [
                f"    items[row, {fields.index(name)}] = news[row, {n + 1}]"
                for n, name in enumerate(group.kind.reports)
            ]
            lines.append("    news[row, 0] = F(0.0)")
        return lines

    def _merge_told(self) -> str:
        """What was told to each thread, brought together in the first one's table."""
        lines = [
            "@jit",
            "def merge_told(told, team, ranges):",
            "    for t in range(1, team):",
            "        pass",
        ]
        for k, group, _, _ in self._lasting():
            lines.append(f"        for row in range(ranges[{k}, 0], ranges[{k}, 1]):")
            lines.append("            pass")
            for slot, kind in enumerate(group.kind.gathers if group.kind.gather else ()):
                mine, other = f"told[0, row, {slot}]", f"told[t, row, {slot}]"
                both = f"max({mine}, {other})" if kind == "best" else f"{mine} + {other}"
                lines.append(f"            {mine}, {other} = {both}, 0")
        return "\n".join(lines)

    def _pass_on(self) -> str:
        """What was told within a block of threads, passed on to all."""
        lines = ["@jit", "def pass_on(heard, told, ranges):", "    pass"]
        for k, group, _, _ in self._lasting():
            lines.append(f"    for row in range(ranges[{k}, 0], ranges[{k}, 1]):")
            lines.append("        pass")
            for slot, kind in enumerate(group.kind.gathers if group.kind.gather else ()):
                how = "max" if kind == "best" else "add"
                lines.append(f"        if heard[row, {slot}] != 0:")
                lines.append(f"            cuda.atomic.{how}(told, (row, {slot}), heard[row, {slot}])")
        return "\n".join(lines)

    def _note(self) -> str:
        lines = [*self.fusion.jit, "def note(tale, me, left, step, events, status, young):"]
        lines.append("    here = first_lanes(left)")
        last = ", left" if self.threads else ""  # a thread says where it is: its row
        lines.append(
            f"    log(events, status, here & (tale[0] > 0.0), step, F({Event.DEATH}.0), me.id, tale[1], me.x, me.y,"
            " tale[0], F(0.0))"
        )
        place = 2
        for _, group in self.groups:
            if group.kind.happens:
                kind, other, amount = (f"tale[{place + n}]" for n in range(3))
                lines.append(
                    f"    log(events, status, here & ({kind} > 0.0), step, {kind}, me.id, {other}, me.x, me.y, F(0.0),"
                    f" {amount})"
                )
                place += 3
        for k, group in self.groups:
            if group.kind.bears:
                lines.append(
                    f"    log_young(young, status, here & (tale[{place}] > 0.0) & (tale[0] == 0.0), {k}, me.id,"
                    f" tale[{place + 1}]{last})"
                )
                place += 2
        return "\n".join(lines)

    def _being(self) -> str:
        """One agent of the flock after the move, as rules see it."""
        f = self.fusion
        values = []
        for column in f.extras:
            if column in f.plan.carried:
                values.append(self._at(4 + f.plan.carried.index(column), "i"))
            else:
                values.append(f"F({DEFAULTS[column]})")
        kind = f"np.int32({self._at(4 + f.plan.carried.index('species'), 'i')})" if f.many else "0"
        place = ", ".join(self._at(k, "i") for k in range(4))
        crowd = self._at(6 + len(f.plan.carried), "i")
        return "\n".join(
            [
                "@jit",
                f"def being(numbers, {self._tables()}, i, name):",
                f"    kind = {kind}",
                "    motion = p_0(numbers, kind)",
                f"    x, y, vx, vy = {place}",
                "    square = vx * vx + vy * vy",
                "    inverse = F(1.0) / sqrt(square + F(1e-30))",
                "    hx = where(square > F(0.0), vx * inverse, F(1.0))",
                "    return kind, Me(name, x, y, vx, vy, hx, vy * inverse, sqrt(square), motion.top_speed,"
                f" motion.max_force, {crowd}, {', '.join(values)})",
            ]
        )

    def _bear(self) -> str:
        """A newborn in row c: its mother's copy but for what it inherits otherwise."""
        f = self.fusion
        count = 7 + len(f.plan.carried)
        lines = [
            "@jit",
            f"def bear(rule, numbers, {self._tables()}, ids, c, m, f, mother, father, child, world):",
        ]
        lines += [f"    {self._at(k, 'c')} = {self._at(k, 'm')}" for k in range(count)]
        lines.append("    ids[c] = np.int32(child)")
        for k, group in self.groups:
            if group.kind.inherit:
                lines.append(f"    if rule == {k}:")
                lines.append(f"        kind, she = being(numbers, {self._tables()}, m, np.int32(mother))")
                lines.append(f"        _, he = being(numbers, {self._tables()}, f, np.int32(father))")
                lines.append(
                    f"        v = inherit_{k}(p_{k + 2}(numbers, kind), she, he, np.int32(child), world)"
                )
                for n, name in enumerate(group.kind.inherits):
                    places = list(PLACES)
                    row = places.index(name) if name in places else 4 + f.plan.carried.index(name)
                    lines.append(f"        {self._at(row, 'c')} = F(v[{n}])")
        return "\n".join(lines)

    def _welcome(self) -> str:
        """Newcomers after the last row n, at most one of each species, each at its defaults but for what it brings."""
        f, tables = self.fusion, self._tables()
        lines = ["@jit"]
        lines.append(
            f"def welcome(numbers, {tables}, ids, n, room, items, ranges, world, step, status, events):"
        )
        for k, group, _, _ in self._lasting():
            if not group.kind.arrives:
                continue
            fields = ", ".join(f"items[row, {n}]" for n in range(len(group.kind.item_fields)))
            lines.append(f"    last = min(ranges[{k}, 1], ranges[{k}, 0] + {f.plan.species_count})")
            lines.append(f"    for row in range(ranges[{k}, 0], last):")
            lines.append(f"        species = np.int32(row - ranges[{k}, 0])")
            lines.append(f"        p = p_{k + 2}(numbers, species)")
            lines.append(f"        it = Item_{k}({fields})")
            lines.append(f"        if n < room and arrives_{k}(p, it, species, world):")
            lines.append("            name = status[NEXT_ID]")
            lines.append("            status[NEXT_ID] += 1")
            lines.append("            ids[n] = np.int32(name)")
            lines.append(f"            v = settle_{k}(p, it, np.int32(name), world)")
            lines += [f"            {line}" for line in self._settled(group)]
            told = (
                "step",
                f"{int(Event.ARRIVAL)}.0",
                "name",
                "-1.0",
                self._at(0, "n"),
                self._at(1, "n"),
                "0.0",
            )
            lines.append("            slot = status[EVENTS]")
            lines.append("            status[EVENTS] += 1")
            lines.append("            if slot < events.shape[0]:")
            lines += [
                f"                events[slot, {column}] = {value}"
                for column, value in enumerate((*told, "species"))
            ]
            lines.append("            n += 1")
        return "\n".join([*lines, "    return n"])

    def _settled(self, group: Group) -> list[str]:
        """What a newcomer in row n has in every row of the table: force and crowd are nothing yet."""
        carried = self.fusion.plan.carried
        given = {name: f"F(v[{k}])" for k, name in enumerate(group.kind.settles)} | {"species": "F(species)"}
        values = [given[name] for name in PLACES]
        values += [given.get(name, f"F({float(newborn_value(column_name(name)))})") for name in carried]
        return [f"{self._at(row, 'n')} = {value}" for row, value in enumerate([*values, *["F(0.0)"] * 3])]

    def _tables(self) -> str:
        return "state, extras, felt" if self.threads else "state"

    def _at(self, row: int, i: str) -> str:
        """The text of a value of the moved flock: place and velocity, carried columns, force and crowd."""
        if not self.threads:
            return f"state[{row}, {i}]"
        carried = len(self.fusion.plan.carried)
        if row < 4:
            return f"state[{i}, {row}]"
        return f"extras[{row - 4}, {i}]" if row < 4 + carried else f"felt[{row - 4 - carried}, {i}]"

    def _lasting(self) -> list[tuple[int, Group, int, int]]:
        return self.fusion.plan.lasting
