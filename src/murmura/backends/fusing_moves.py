"""Fuses what an agent decides and how it then moves. Part of `fusing`, with the same division of labour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from murmura.backends.fusing_happenings import Happenings
from murmura.backends.plan import Group
from murmura.core.rule import Rule

if TYPE_CHECKING:
    from murmura.backends.fusing import Fusion


class Moves:
    """The text of these functions for one fusion."""

    def __init__(self, fusion: Fusion) -> None:
        self.fusion = fusion
        self.plan, self.groups = fusion.plan, fusion.groups

    def decide(self) -> str:
        """What the agent feels, then the force its rules ask for."""
        lines = [
            *self.fusion.jit,
            f"def decide(p, me, s, world, items, ranges{self.chosen}):",
            "    zero = as_lanes(0.0)",
        ]
        places = self.fusion.places()
        recalled: dict[tuple[int, int], str] = {}
        for number, run in enumerate(self.fusion.least):
            if self.fusion.recalls(run):
                k, place = run[0][0], places[run[0]]
                lines.append(f"    any{number} = s[{place}] < 3.0e38")
                lines.append(f"    who{number} = where(any{number}, bits_of(s[{place + 1}]), here)")
                lines.append(f"    seen{number} = neighbour(p, me, rows, ids, kin, who{number})")
                lines.append(
                    f"    again{number} = pair_{k}(p[{k + 2}], me._replace(neighbors=0.0), seen{number}, world)"
                )
                recalled |= {e: f"where(any{number}, again{number}[{e[1]}], 0.0)" for e in run[1:]}
        for k, group in enumerate(self.groups):
            entries = [(k, number) for number in range(len(group.kinds))]
            pairs = [recalled.get(entry) or f"s[{places[entry]}]" for entry in entries]
            lines += self._items(k, group)
            items = [f"i{k}_{n}" for n in range(len(group.item_kinds))]
            lines.append(f"    a{k} = ({''.join(f'{v}, ' for v in [*pairs, *items])})")
        lines.append("    was = me")
        for k, group in enumerate(self.groups):
            if group.kind.feel:
                lines.append(f"    felt = feel_{k}(p[{k + 2}], me, a{k}, world)")
                lines += self._changed("felt", group.kind.writes)
        lines += ["    wish_x, wish_y, free_x, free_y = zero, zero, zero, zero"]
        lines += ["    first_x, first_y, others = zero, zero, as_lanes(1.0)"]
        for k, group in enumerate(self.groups):
            if group.kind.steer or group.kind.exclusive or group.kind.hush:
                lines += self._steer(k, group)
        lines += [
            "    wish_x, wish_y = wish_x * others + first_x, wish_y * others + first_y",
            "    if p[0].clamp_total:",
            "        wish_x, wish_y = limit(wish_x, wish_y, me.max_force * (1.0 + p[0].panic_force * me.panic))",
            *Happenings(self.fusion).tale(),
            "    return me, wish_x + free_x, wish_y + free_y, tale",
        ]
        return "\n".join(lines)

    def _items(self, k: int, group: Group) -> list[str]:
        if not group.item_kinds:
            return []
        names = [f"i{k}_{n}" for n in range(len(group.item_kinds))]
        start = ["as_lanes(3.0e38)" if kind == "least" else "zero" for kind in group.item_kinds]
        values = ", ".join(f"items[row, {n}]" for n in range(len(group.item_fields)))
        body = [f"c = item_{k}(p[{k + 2}], me, Item_{k}({values}), world)"]
        nearer = ""
        for n, (name, kind) in enumerate(zip(names, group.item_kinds, strict=True)):
            if kind == "sum":
                body.append(f"{name} = {name} + c[{n}]")
            elif kind == "greatest":
                body.append(f"{name} = maximum({name}, c[{n}])")
            else:
                if kind == "least":
                    nearer = f"nearer_{n}"
                    body.append(f"{nearer} = c[{n}] < {name}")
                body.append(f"{name} = where({nearer}, c[{n}], {name})")
        if self.culls(group):
            loop = self.fusion.loop(
                "place", f"near[{k}, 0]", f"near[{k}, 1]", names, ["row = chosen[place]", *body]
            )
        else:
            loop = self.fusion.loop("row", f"ranges[{k}, 0]", f"ranges[{k}, 1]", names, body)
        return [f"    {line}" for line in [f"{', '.join(names)}, = {', '.join(start)},", *loop]]

    @property
    def chosen(self) -> str:
        """Further arguments of functions that ask items: those near a block of agents, where agents come in blocks."""
        return "" if self.fusion.threads else ", chosen, near, rows, ids, kin, here"

    def culls(self, group: Group) -> bool:
        """Whether items that are too far away from a block of agents are left out from the beginning."""
        has_range = group.rule is not None and type(group.rule).item_range is not Rule.item_range
        return has_range and bool(self.chosen)

    def choose(self) -> str:
        """Which items matter to agents in a box: places in `chosen` for each rule."""
        lines = ["@jit", "def choose(items, ranges, item_ranges, box, world, chosen, near):", "    count = 0"]
        for k, group in enumerate(self.groups):
            if self.culls(group):
                x, y = (group.item_fields.index(name) for name in ("x", "y"))
                lines += [
                    f"    near[{k}, 0] = count",
                    f"    for row in range(ranges[{k}, 0], ranges[{k}, 1]):",
                    f"        if is_near(box, items[row, {x}], items[row, {y}], item_ranges[{k}], world):",
                    "            chosen[count] = row",
                    "            count += 1",
                    f"    near[{k}, 1] = count",
                ]
        return "\n".join(lines)

    def _steer(self, k: int, group: Group) -> list[str]:
        kind = group.kind
        silences = kind.exclusive or kind.hush
        target = ("first" if silences else "wish") if kind.clamped else "free"
        changes, lines = [], []
        if kind.steer:
            lines.append(f"fx, fy = steer_{k}(p[{k + 2}], me, a{k}, world)")
            lines.append(f"{target}_x, {target}_y = {target}_x + fx, {target}_y + fy")
            changes += [f"{target}_x", f"{target}_y"]
        if kind.exclusive:
            lines.append(f"others = where(exclusive_{k}(p[{k + 2}], me, a{k}, world), 0.0, others)")
        if kind.hush:
            lines.append(f"others = minimum(others, hush_{k}(p[{k + 2}], me, a{k}, world))")
        changes += ["others"] if silences else []
        if not group.kinds and kind.silent_when_zero in group.numbers and self._is_uniform(group):
            lines = self.fusion.when(f"p[{k + 2}].{kind.silent_when_zero} != 0.0", changes, lines)
        return [f"    {line}" for line in lines]

    def _is_uniform(self, group: Group) -> bool:
        """Whether a rule's numbers are the same for all agents, so that they may be asked with `if`."""
        owner = self.plan.groups.index(group)
        return not self.fusion.many and all(
            target != owner for _, _, targets in self.plan.modulations() for _, target, _ in targets
        )

    def _changed(self, values: str, writes: tuple[str, ...]) -> list[str]:
        """The agent with new values of some columns; heading and speed follow a velocity that is among them."""
        lines = [f"    me = {self.fusion.me_with({c: f'{values}[{n}]' for n, c in enumerate(writes)})}"]
        if "vx" in writes or "vy" in writes:
            lines.append("    square = as_lanes(me.vx * me.vx + me.vy * me.vy)")
            lines.append("    inverse = F(1.0) / sqrt(square + F(1e-30))")
            follows = {"hx": "where(square > 0.0, me.vx * inverse, 1.0)", "hy": "me.vy * inverse"}
            lines.append(f"    me = {self.fusion.me_with(follows | {'speed': 'square * inverse'})}")
        return lines

    def live(self) -> str:
        """The move, the edges, and what time does to the agent; returns the new rows."""
        lines = [*self.fusion.jit, "def live(p, me, fx, fy, world, shapes):"]
        lines += [
            "    vx, vy = accelerate(p[0], me, fx, fy, world)",
            "    mx, my = vx * world.stride, vy * world.stride",
        ]
        if self.plan.has_obstacles:
            body = [
                "shape = Shape(shapes[row, 0], shapes[row, 1], shapes[row, 2], shapes[row, 3], shapes[row, 4])",
                "t, tx, ty = hit(world, shape, me.x, me.y, mx, my)",
                "sooner = t < first",
                "first, nx, ny = where(sooner, t, first), where(sooner, tx, nx), where(sooner, ty, ny)",
            ]
            loop = self.fusion.loop("row", "0", "shapes.shape[0]", ["first", "nx", "ny"], body)
            lines.append("    first, nx, ny = as_lanes(1e9), as_lanes(0.0), as_lanes(0.0)")
            lines += [f"    {line}" for line in loop]
            lines.append("    x, y, vx, vy = collide(world, me.x, me.y, mx, my, vx, vy, first, nx, ny)")
        else:
            lines.append("    x, y = me.x + mx, me.y + my")
        lines += [
            "    x, y, vx, vy = confine(world, x, y, vx, vy)",
            "    square = vx * vx + vy * vy",
            "    inverse = F(1.0) / sqrt(square + F(1e-30))",
            "    hx = where(square > 0.0, vx * inverse, 1.0)",
            "    heading = new_heading(vx, vy, me.heading)",
        ]
        moved = {"x": "x", "y": "y", "vx": "vx", "vy": "vy", "hx": "hx", "hy": "vy * inverse"}
        moved |= {"speed": "sqrt(square)", "heading": "heading"}
        lines.append(f"    me = {self.fusion.me_with(moved)}")
        for k, group in enumerate(self.groups):
            if group.kind.age:
                lines.append(f"    aged = age_{k}(p[{k + 2}], me, world)")
                lines += self._changed("aged", group.kind.writes)
        carried = ", ".join(f"as_lanes(me.{c})" for c in self.plan.carried)
        lines.append(f"    return me, (me.x, me.y, me.vx, me.vy, {carried}, fx, fy, as_lanes(me.neighbors))")
        count = len(self.plan.carried)
        lines += ["", *self.fusion.jit, "def store_rest(extras, felt, i, new, keep):"]
        lines += [f"    extras[{k}, i] = new[{4 + k}]" for k in range(count)]
        lines += ["    if keep:"] + [f"        felt[{k}, i] = new[{4 + count + k}]" for k in range(3)]
        lines += ["", *self.fusion.jit, "def store_all(state, i, new, left):"]
        lines += [
            f"    store_first(state[{k}], i, new[{k}], left)" for k in range(7 + len(self.plan.carried))
        ]
        return "\n".join(lines)
