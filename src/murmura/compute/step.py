"""One step of one agent, for every target: sense, meet, decide, live, and report to items.

Plain Python over the rules of a plan. A kernel calls `sense` for an agent, `neighbor`, `contribute` and `merge` for
each candidate, then `decide`, `outcome` and `live`. The kernel knows where agents are, which ones are candidates and
where results go. Everything called here is traced: NumPy evaluates it immediately, other targets emit code.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import reduce
from typing import Any

from murmura.compute.plan import AFFINITIES, DEFAULTS, Group, Plan
from murmura.compute.step_data import SAME_PLACE, Contributions, Decision, Memory, Outcome, Parameters
from murmura.core.algebra import (
    Condition,
    Number,
    Target,
    as_number,
    maximum,
    minimum,
    sqrt,
    to_integer,
    where,
)
from murmura.core.errors import ScenarioError, nearest
from murmura.core.merging import Merge, Report, Sum, flatten, found, named, unflatten
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.tracing.record import Lazy, Record
from murmura.core.vec import Vec
from murmura.core.world.motion import accelerate, heading_of, new_angle, with_a_side
from murmura.core.world.perception import SEES_ALL, attention, faces, view_cosine
from murmura.core.world.space import confine
from murmura.core.world.visual_field import Eye
from murmura.rules.environment import solids, terrain


class Step:
    """The composed step of one plan on one target."""

    def __init__(self, plan: Plan, target: Target, memory: Memory, world: World) -> None:
        self.plan, self.target, self.memory, self.world = plan, target, memory, world
        self.rules = plan.rule_groups
        self.scaled: set[str] = set()
        """Names of the groups whose numbers a rule scales for each agent."""

    # The agent itself

    def parameters(self, species: Any) -> Parameters:
        """Every group's numbers and options for a species."""
        motion, perception, *rules = (self._record(group, species) for group in self.plan.groups)
        return Parameters(motion, perception, tuple(rules))

    def _record(self, group: Group, species: Any) -> Record:
        offset = self.plan.number_offsets[group.name]
        numbers = {name: self.memory.number(offset + k, species) for k, name in enumerate(group.numbers)}
        return Record(f"p of {group.name}", numbers | dict(group.options) | group.words)

    def sense(self, columns: Mapping[str, Any], identity: Any) -> tuple[Parameters, Record]:
        """The parameters of an agent, and the agent as its rules see it."""
        p = self.parameters(self.species_of(columns))
        me = Record(Agent, {"id": identity, "neighbors": 0.0, **self._extras(columns)})
        me = with_velocity(me, columns["velocity"]).updated({"position": columns["position"]})
        return self._modulated(p, _with_limits(me, p))

    def species_of(self, columns: Mapping[str, Any]) -> Any:
        return to_integer(columns["species"]) if self.plan.species_count > 1 else None

    def _extras(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        own = {c: columns[c] if c in self.plan.carried else DEFAULTS[c] for c in self.plan.extras}
        return own | {name: _vector(own, parts) for name, parts in self.plan.vectors.items()}

    def _modulated(self, p: Parameters, me: Record) -> tuple[Parameters, Record]:
        """The parameters after all rules have scaled them for this agent."""
        scaled = p
        for group, q in zip(self.rules, p.rules, strict=True):
            if group.functions.modulate is not None:
                for path, factor in group.functions.modulate(q, me, self.world).items():
                    scaled = self._scaled(scaled, path, factor)
        return scaled, _with_limits(me, scaled)

    def _scaled(self, p: Parameters, path: str, factor: Any) -> Parameters:
        """The parameters with one number scaled, if this plan has it."""
        owner, _, number = path.partition(".")
        group = next((group for group in self.plan.groups if group.name == owner), None)
        if group is None or number not in group.numbers:
            return p
        self.scaled.add(owner)
        at = self.rules.index(group) if group in self.rules else owner
        changes = {number: getattr(p.of(at), number) * factor}
        if path == "perception.radius":
            changes["per_radius"] = p.perception.per_radius / factor
        return p.updated(at, changes)

    def view(self, p: Parameters, me: Record) -> Number:
        """The least cosine of the angle between heading and neighbour at which the agent sees it."""
        cosine = view_cosine(p.perception, me.velocity)
        for group, q in zip(self.rules, p.rules, strict=True):
            if group.functions.alert is not None:
                cosine = where(group.functions.alert(q, me), SEES_ALL, cosine)
        return cosine

    # Neighbours

    def neighbor(
        self, p: Parameters, me: Record, columns: Mapping[str, Any], identity: Any, offset: Vec,
        inverse: Any = None,
    ) -> Record:  # fmt: skip
        """The neighbour at an offset, as the agent sees it. Give `inverse`, 1 / distance, to save computing it."""
        place = placed(offset, inverse)
        weighs = dict(self.plan.perception.options)["weighs_angles"]
        seen = Record(
            Neighbor,
            {
                "id": identity,
                **place,
                "nearness": 1.0 - place["distance"] * p.perception.per_radius,
                "velocity": columns["velocity"],
                "attention": attention(p.perception, me.heading, offset, place["inverse"]) if weighs else 1.0,
                **self._affinities(me, columns),
                **self._extras(columns),
            },
        )
        return seen.updated({"sees_me": Lazy(lambda: self._sees_me(columns, identity, seen))})

    def _affinities(self, me: Record, columns: Mapping[str, Any]) -> dict[str, Any]:
        """The agent's affinities to this neighbour's species."""
        if self.plan.species_count == 1:
            return dict(zip(AFFINITIES, (1.0, 1.0, 1.0, 0.0, 0.0), strict=True))
        mine, other = to_integer(me.species), self.species_of(columns)
        return {name: self.memory.affinity(k, mine, other) for k, name in enumerate(AFFINITIES)}

    def _sees_me(self, columns: Mapping[str, Any], identity: Any, seen: Record) -> Condition:
        """Whether the neighbour sees the agent, by its own radius and field of view."""
        p, it = self.sense(columns, identity)
        near = seen.square <= p.perception.radius * p.perception.radius
        return near & faces(self.view(p, it), it.velocity, -seen.offset, seen.square)

    def half_width(self, columns: Mapping[str, Any]) -> Number:
        """Half the width of a body, as others see it."""
        perception = self.plan.perception
        place = self.plan.number_offsets[perception.name] + perception.numbers.index("body")
        return self.memory.number(place, self.species_of(columns)) * 0.5

    def contribute(
        self, p: Parameters, me: Record, seen: Record, skipped: Container[int] = (), counts: bool = True
    ) -> Contributions:
        """What one neighbour contributes to the count of neighbours (unless not `counts`) and to every rule that is
        not `skipped`."""
        rules = range(len(self.rules))
        contributions = ({} if k in skipped else self.contribution_to(k, p, me, seen) for k in rules)
        return [{"": Sum(1.0)} if counts else {}, *contributions]

    @property
    def filtered(self) -> list[int]:
        """Rules that say which neighbours contribute to them at all, by numbers that no rule scales; after `sense`."""
        rules = enumerate(self.rules)
        return [
            k for k, g in rules if g.functions.pair and g.functions.contributes and g.name not in self.scaled
        ]

    def contributes(self, columns: Mapping[str, Any]) -> Condition:
        """Whether an agent contributes to any of the rules in `filtered`, whatever the species of those it meets."""
        seen, contributes = Record(Neighbor, self._extras(columns)), self.target.number(0.0) > 0.0
        for species in range(self.plan.species_count):
            p = self.parameters(species if self.plan.species_count > 1 else None)
            for k in self.filtered:
                test = self.rules[k].functions.contributes
                assert test is not None
                contributes = contributes | test(p.rules[k], seen, self.world)
        return contributes

    def contribution_to(self, k: int, p: Parameters, me: Record, seen: Record) -> dict[str, Merge]:
        """What one neighbour contributes to one rule."""
        pair = self.rules[k].functions.pair
        return {} if pair is None else named(pair(p.rules[k], me, seen, self.world))

    def merge(
        self, before: Contributions, new: Contributions, near: Condition, visible: Condition,
        far: Mapping[int, Condition] | None = None,
    ) -> Contributions:  # fmt: skip
        """Merge a neighbour's contributions, if it is near or visible as each rule requires, or as `far` says."""
        masks = self.masks(near, visible, far)
        return [
            {name: mine.merged(its[name], mask) if name in its else mine for name, mine in entry.items()}
            for entry, its, mask in zip(before, new, masks, strict=True)
        ]

    def masks(self, near: Any, visible: Any, far: Mapping[int, Any] | None = None) -> list[Any]:
        """Which neighbours count, and which contribute to each rule."""
        masks = [near if group.functions.meets_everyone else visible for group in self.rules]
        for k, mask in (far or {}).items():
            masks[k] = mask
        return [visible, *masks]

    def far(self, p: Parameters, square: Number, here: Condition, ahead: Condition) -> dict[int, Condition]:
        """The masks of the rules that look beyond the perception radius, for a candidate at a squared distance: whether
        it is one (`here`), and whether it lies inside the field of view (`ahead`)."""
        return {
            k: (square <= self.range_of(k, p))
            & (here if self.rules[k].functions.meets_everyone else here & ahead)
            for k in self.plan.far_rules
        }

    def range_of(self, k: int, p: Parameters) -> Number:
        """The squared distance up to which a rule looks."""
        own = [getattr(p.rules[k], name) for name in self.rules[k].functions.pair_range]
        radius = reduce(maximum, own, p.perception.radius)
        return radius * radius

    def farthest(self, p: Parameters, reach: Number) -> Number:
        """The squared distance up to which an agent looks, for one or for all of its rules."""
        return reduce(maximum, (self.range_of(k, p) for k in self.plan.far_rules), reach)

    @property
    def needs_unseen(self) -> bool:
        """Whether some rule also needs neighbours out of view."""
        return any(group.functions.meets_everyone and group.functions.pair for group in self.rules)

    # Decisions

    def decide(
        self, p: Parameters, me: Record, contributions: Contributions, initial_items: Contributions,
        eye: Eye | None = None,
    ) -> Decision:  # fmt: skip
        """Apply `feel` of every rule, then sum up the forces."""
        me = me.updated({"neighbors": contributions[0][""].result} | ({} if eye is None else {"eye": eye}))
        pairs, was = enumerate(zip(contributions[1:], initial_items, strict=True)), me
        results = [
            found({**merged, **self._items(k, p.rules[k], me, initial)}) for k, (merged, initial) in pairs
        ]
        for group, q, result in zip(self.rules, p.rules, results, strict=True):
            if group.functions.feel is not None:
                me = self._changed(group, me, group.functions.feel(q, me, result, self.world))
        force, forces = self._force(p, me, results)
        steering = force
        for group in self.rules:
            if group.functions.flies and group.name in forces:
                steering = steering - forces[group.name]
        return Decision(was, me.updated({"force": steering}), force, forces, results)

    def _items(self, k: int, q: Record, me: Record, initial: dict[str, Merge]) -> dict[str, Merge]:
        """The merged contributions of a rule's items."""
        item = self.rules[k].functions.item
        if item is None or not initial:
            return {}

        def visit(numbers: list[Any], values: list[Any]) -> list[Any]:
            contribution = named(item(q, me, self.item(k, numbers), self.world))
            before: dict[str, Merge] = unflatten(initial, [*values])
            return flatten({name: merge.merged(contribution[name], True) for name, merge in before.items()})

        merged: dict[str, Merge] = unflatten(initial, self.memory.each_item(k, flatten(initial), visit))
        return merged

    def item(self, k: int, numbers: list[Any]) -> Record:
        """An item as agents see it."""
        return Record("it", self.rules[k].known.collect(numbers))

    def _changed(self, group: Group, me: Record, changes: Mapping[str, Any]) -> Record:
        """The agent with new values of some columns; heading and speed follow the velocity."""
        unknown = [name for name in changes if name not in group.functions.writes]
        if unknown:
            raise ScenarioError(
                f"rule {group.name!r} returned the column {unknown[0]!r}{nearest(unknown[0], group.functions.writes)}, "
                f"which is not among its `writes`: {', '.join(group.functions.writes) or 'none'}"
            )
        if "velocity" in changes:
            me = with_velocity(me, changes["velocity"])
        changed = dict(changes)
        for name in self.plan.vectors.keys() & changes.keys():
            changed |= dict(zip(self.plan.vectors[name], changes[name], strict=True))
        return me.updated({name: value for name, value in changed.items() if name != "velocity"})

    def _force(self, p: Parameters, me: Record, results: list[Any]) -> tuple[Vec, dict[str, Vec]]:
        """The total force (the clamped sum plus unclamped forces), and each rule's share by name."""
        zero = Vec(*[self.target.number(0.0)] * len(me.position))
        forces = {
            group.name: self._steer(group, q, me, result, zero)
            for group, q, result in zip(self.rules, p.rules, results, strict=True)
            if group.functions.steer is not None
        }
        for name, factor in self._silence(p, me, results).items():
            if name in forces:
                forces[name] = forces[name] * factor
        wish = free = zero
        for group in self.rules:
            if group.name in forces and group.functions.clamped:
                wish = wish + forces[group.name]
            elif group.name in forces:
                free = free + forces[group.name]
        if p.motion.clamp_total:
            wish = wish.limited(me.max_force * (1.0 + p.motion.panic_force * me.panic))
        force = wish + free
        return with_a_side(force, me, self.world) if p.motion.policy_constant else force, forces

    def _silence(self, p: Parameters, me: Record, results: list[Any]) -> dict[str, Any]:
        """Factors on the forces of clamped rules that others suppress. Those that suppress are not suppressed."""
        factors: dict[str, Any] = {}
        silencers = [g.name for g in self.rules if g.functions.exclusive or g.functions.suppress]
        clamped = [g.name for g in self.rules if g.functions.clamped and g.name not in silencers]
        for group, q, result in zip(self.rules, p.rules, results, strict=True):
            if group.name not in silencers:
                continue
            factor: Any = self.target.number(1.0)
            if group.functions.exclusive is not None:
                factor = where(group.functions.exclusive(q, me, result, self.world), 0.0, factor)
            if group.functions.suppress is not None:
                factor = minimum(factor, group.functions.suppress(q, me, result, self.world))
            named = group.functions.silences or clamped
            factors |= {name: minimum(factors.get(name, 1.0), factor) for name in clamped if name in named}
        return factors

    def _steer(self, group: Group, q: Record, me: Record, result: Any, zero: Vec) -> Vec:
        """The force of one rule; skipped at run time if a weight of 0 makes it zero."""
        steer = group.functions.steer
        assert steer is not None
        key = group.functions.silent_when_zero
        uniform = self.plan.species_count == 1 and group.name not in self.scaled
        if group.functions.pair is not None or key not in group.numbers or not uniform:
            return self._vector(group, steer(q, me, result, self.world))
        force = self.target.branch(
            getattr(q, key) != 0.0,
            flatten(zero),
            lambda _: flatten(self._vector(group, steer(q, me, result, self.world))),
        )
        return Vec(*force)

    def _vector(self, group: Group, force: Any) -> Vec:
        if not isinstance(force, Vec):
            raise ScenarioError(
                f"`steer` of rule {group.name!r} must return a vector, got {type(force).__name__}"
            )
        return force.map(lambda part: as_number(self.target, part))

    # Life and death

    def outcome(self, p: Parameters, decision: Decision) -> Outcome:
        """Death with its cause, events, and births."""
        was, me = decision.was, decision.me
        cause, by = self.target.number(0.0), self.target.number(-1.0)
        events, births = [], []
        for k, (group, q, result) in enumerate(zip(self.rules, p.rules, decision.found, strict=True)):
            if group.functions.dies is not None:
                why, who = group.functions.dies(q, me, result, self.world)
                fresh = (cause == 0.0) & (as_number(self.target, why) > 0.0)
                cause, by = where(fresh, why, cause), where(fresh, who, by)
            if group.functions.happens is not None:
                events.append(group.functions.happens(q, was, me, result, self.world))
            if group.functions.gives_birth is not None:
                births.append((k, *group.functions.gives_birth(q, was, me, result, self.world)))
        return Outcome(cause, by, events, births)

    def live(self, p: Parameters, me: Record, force: Vec) -> Record:
        """Move the agent, apply obstacles and edges, then `age` of every rule."""
        velocity = accelerate(p.motion, me, force, self.world)
        first = any(group.functions.moves_first for group in self.rules)
        position, velocity = self._moved(me, me.velocity if first else velocity, velocity)
        position, velocity = confine(self.world, position, velocity)
        angle = new_angle(velocity, me.heading_angle)
        me = with_velocity(me, velocity).updated({"position": position, "heading_angle": angle})
        for group, q in zip(self.rules, p.rules, strict=True):
            if group.functions.age is not None:
                me = self._changed(group, me, group.functions.age(q, me, self.world))
        return me

    def _moved(self, me: Record, pace: Vec, velocity: Vec) -> tuple[Vec, Vec]:
        """The position after a move with velocity `pace`, and the velocity, after collisions with obstacles."""
        move = pace * self.world.stride
        if not self.plan.has_obstacles:
            return me.position + move, velocity
        zero = self.target.number(0.0)
        start = [self.target.number(terrain.NEVER), *[zero] * len(move)]
        layout = self.plan.shape_layout

        def visit(numbers: list[Any], values: list[Any]) -> list[Any]:
            first, *normal = values
            shape = Record("shape", layout.collect(numbers))
            t, there = solids.hit(self.world, shape, me.position, move)
            sooner = t < first
            return [where(sooner, t, first), *where(sooner, there, Vec(*normal))]

        first, *normal = self.memory.each_shape(start, visit)
        return terrain.collide(self.world, me.position, move, velocity, first, Vec(*normal))

    # Reports to items

    def may_report(self, k: int, p: Parameters, me: Record, alive: Condition) -> Condition:
        """Whether an agent reports to the items of a rule."""
        may_report = self.rules[k].functions.may_report
        return alive if may_report is None else alive & may_report(p.rules[k], me, self.world)

    def reports(self, k: int, p: Parameters, me: Record, it: Record) -> dict[str, Report]:
        """What an agent reports to an item."""
        gather = self.rules[k].functions.gather
        return {} if gather is None else gather(p.rules[k], me, it, self.world)

    def target_report(self, k: int, p: Parameters, me: Record) -> dict[str, Any]:
        """What an agent writes into an item whose target it is: values by column."""
        report = self.rules[k].functions.report
        if report is None:
            return {}
        layout, columns = self.rules[k].layout, {}
        for field, value in report(p.rules[k], me, self.world).items():
            for place, part in zip(layout.columns_of(field), flatten(value), strict=True):
                columns[layout.columns[place]] = as_number(self.target, part)
        return columns

    def carried(self, me: Record) -> list[Any]:
        """The values of the columns that this plan carries, in order."""
        return [as_number(self.target, getattr(me, name)) for name in self.plan.carried]


def placed(offset: Vec, inverse: Any = None) -> dict[str, Any]:
    """Where a neighbour is: offset, squared distance, distance and its inverse, which may be known."""
    square = offset.square
    if inverse is None:
        inverse = 1.0 / sqrt(square + SAME_PLACE)
    return {"offset": offset, "square": square, "distance": square * inverse, "inverse": inverse}


def _vector(columns: Mapping[str, Any], parts: Sequence[str]) -> Any:
    """A vector of these columns, which some kernels load only if they are read."""
    numbers = [columns[part] for part in parts]
    if any(isinstance(x, Lazy) for x in numbers):
        return Lazy(lambda: Vec(*(x.make() if isinstance(x, Lazy) else x for x in numbers)))
    return Vec(*numbers)


def with_velocity(me: Record, velocity: Vec) -> Record:
    """The agent with another velocity, and the heading and speed that follow from it."""
    heading, speed = heading_of(velocity)
    return me.updated({"velocity": velocity, "heading": heading, "speed": speed})


def _with_limits(me: Record, p: Parameters) -> Record:
    motion = p.motion
    return me.updated(
        {"max_speed": motion.top_speed, "max_force": motion.max_force, "keeps_speed": motion.policy_constant}
    )


def initial_contributions(target: Target, shapes: Contributions) -> Contributions:
    """The identity elements of contributions of these shapes."""
    return [{name: merge.initial(target) for name, merge in entry.items()} for entry in shapes]


class UnscaledStep(Step):
    """A step without modulation, for heredity: agents have the parameters of their species."""

    def _modulated(self, p: Parameters, me: Record) -> tuple[Parameters, Record]:
        return p, me
