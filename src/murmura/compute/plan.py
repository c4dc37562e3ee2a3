"""A scenario as plain arrays for a backend: active rules, their numbers, their items.

The plan separates what needs a new kernel (rules and options: `signature`) from what does not (numbers, attractors,
obstacles, threats: arrays that may change between two steps).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from murmura.compute.item_tables import item_rows, padded
from murmura.core.algebra import floor, maximum
from murmura.core.errors import ScenarioError
from murmura.core.layout import AXES, MOVING, TRACKED_FIELDS, VECTORS, Layout, column_parts
from murmura.core.parameters import numbers_of, options_of, words_of
from murmura.core.rule import Rule
from murmura.core.rule_arguments import World
from murmura.core.state import SPACE_COLUMNS, State, scalar_columns
from murmura.core.tracing.record import Record
from murmura.core.vec import Vec
from murmura.core.world.perception import FEW_NEAREST
from murmura.core.world.randomness import IN_SPACE, STREAM_NOISE_OFFSET, uniform_from
from murmura.rules.environment.solids import edges_as_rows, obstacle_rows, shape_layout
from murmura.scenario import Scenario

LEAST_ITEM_WIDTH = 8
MOST_STATEFUL_ITEMS = 128
AFFINITIES = ("separation", "alignment", "cohesion", "flee", "chase")
"""The factors by which one species reacts to another."""
ALWAYS_CARRIED = ("heading_angle",)
BUILT_IN = (
    "id",
    "position",
    "velocity",
    "heading",
    "speed",
    "max_speed",
    "max_force",
    "keeps_speed",
    "neighbors",
)
"""Values that every agent has, whatever its rules."""
DEFAULTS = {"panic": 0.0, "energy": 1.0, "species": 0.0}
WORLD_NUMBERS = (
    "width", "height", "dt", "thrust", "stride", "pace", "skin", "noise_x", "noise_y", "depth", "noise_z",
)  # fmt: skip
"""Numbers of the world that a kernel gets, besides time and seed. The last two are 0 in the plane."""


@dataclass(frozen=True)
class Group:
    """One owner of parameters: motion, perception or a rule."""

    name: str
    numbers: tuple[str, ...]
    options: tuple[tuple[str, bool], ...]
    rule: Rule | None = None
    dimension: int = 2

    @cached_property
    def functions(self) -> type[Rule]:
        """The class whose static functions run."""
        assert self.rule is not None
        return self.rule.class_in(self.dimension)

    @cached_property
    def words(self) -> dict[str, str]:
        """The rule's choices between words."""
        return {} if self.rule is None else words_of(self.rule)

    @cached_property
    def layout(self) -> Layout:
        """The fields of the rule's items: those that agents can read, then the item's own."""
        if self.functions.tracks:
            return Layout(TRACKED_FIELDS, self.dimension)
        return Layout((*self.functions.item_fields, *self.functions.memory_fields), self.dimension)

    @cached_property
    def known(self) -> Layout:
        """The fields of an item that agents can read."""
        return Layout(TRACKED_FIELDS if self.functions.tracks else self.functions.item_fields, self.dimension)

    def has(self, *hooks: str) -> bool:
        """Whether the rule has any of these functions."""
        return any(getattr(self.functions, hook) is not None for hook in hooks)


class Plan:
    """The static structure of a scenario, and arrays of its numbers."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.dimension = scenario.world.dimension
        lives = [scenario.of_species(k) for k in range(max(1, len(scenario.species)))]
        self.species_count = len(lives)
        self.rules = [
            (name, rule) for name, rule in scenario.rules if rule.enabled and rule.takes_part(scenario)
        ]
        self.motion, self.perception = _motion_group(scenario, lives), _perception_group(scenario, lives)
        self.rule_groups = [self._rule_group(name, lives) for name, _ in self.rules]
        self.carried = self._carried_columns()
        self.vectors = self._vectors()
        self.own_columns = own_columns(scenario)
        self.state_columns = state_columns(scenario)
        self.has_lifecycle = any(
            g.functions.dies or g.functions.gives_birth or g.functions.arrives for g in self.rule_groups
        )
        self.eventful = self.has_lifecycle or any(g.functions.happens for g in self.rule_groups)
        self.capacity = max([scenario.agents, *(rule.most_agents(scenario.agents) for _, rule in self.rules)])
        self.item_width = max([LEAST_ITEM_WIDTH, *(len(group.layout) for group in self.rule_groups)])
        self.topological = scenario.perception.nearest is not None
        self.has_obstacles = bool(scenario.obstacles)
        self.occludes = scenario.perception.occlusion
        self.bins = scenario.perception.bins if self.occludes else 0
        self.uses_eye = self.occludes and any(g.functions.uses_eye for g in self.rule_groups)
        self.numbers = np.array(self.derived_numbers(lives), np.float32)
        self.far_rules = self._far_rules(lives)
        self.reach = float(self.reach_of(lives))
        self.sight = max(life.perception.radius for life in lives)
        self.affinities = self._affinities()
        shapes = obstacle_rows(scenario)
        self.items, self.ranges, self.tracked = self._items(shapes)
        self.item_ranges = np.array(self.item_ranges_of(lives), np.float32)
        self.stateful_item_count = max([0, *(end for _, _, _, end in self.stateful_items)])
        if self.stateful_item_count > MOST_STATEFUL_ITEMS:
            raise ScenarioError(
                f"at most {MOST_STATEFUL_ITEMS} hunters and sources of food fit into a world, "
                f"got {self.stateful_item_count}: use fewer"
            )
        self.obstacle_count = len(shapes)
        if shapes:
            shapes = shapes + edges_as_rows(scenario.world)
        self.shapes = padded(shapes, len(self.shape_layout))

    @property
    def nearest_room(self) -> int:
        """How many nearest neighbours a kernel has memory for."""
        nearest, room = self.scenario.perception.nearest or 0, FEW_NEAREST
        while room < nearest:
            room *= 2
        return room

    @property
    def shape_layout(self) -> Layout:
        """The fields of an obstacle."""
        return shape_layout(self.dimension)

    @property
    def moving_columns(self) -> tuple[str, ...]:
        """State columns of position and velocity, in the order of a kernel's rows."""
        return tuple(f"{name}_{axis}" for name in ("position", "velocity") for axis in AXES[: self.dimension])

    @property
    def force_columns(self) -> tuple[str, ...]:
        """State columns of the force and of the number of neighbours."""
        return (*(f"acceleration_{axis}" for axis in AXES[: self.dimension]), "local_density")

    def known(self, numbers: Sequence[Any]) -> dict[str, Any]:
        """The columns of an agent by the names that rules use, from the values of `moving_columns` and `carried`."""
        d = self.dimension
        moving = {"position": Vec(*numbers[:d]), "velocity": Vec(*numbers[d : 2 * d])}
        return moving | dict(zip(self.carried, numbers[2 * d :], strict=True))

    @property
    def groups(self) -> list[Group]:
        """All owners of parameters, in the order of their numbers."""
        return [self.motion, self.perception, *self.rule_groups]

    @property
    def signature(self) -> tuple[Any, ...]:
        """Everything a compiled kernel depends on, besides the functions of the rules."""
        groups = tuple(
            (g.name, g.numbers, g.options, g.rule and g.functions.__qualname__) for g in self.groups
        )
        world = self.scenario.world.edges
        return (
            groups, self.carried, self.topological, self.has_obstacles, self.species_count, world, self.item_width,
            self.bins, self.far_rules, self.nearest_room,
        )  # fmt: skip

    def same_kernel(self, other: Plan) -> bool:
        """Whether another plan differs from this one in numbers and items only, in the same world."""
        return (
            self.same_code(other)
            and self.reach == other.reach
            and self.capacity == other.capacity
            and self.scenario.world == other.scenario.world
        )

    def same_code(self, other: Plan) -> bool:
        """Whether another plan is run by the same compiled code; world, reach and number of agents may differ."""
        return (
            self.signature == other.signature
            and self.state_columns == other.state_columns
            and self._item_kinds == other._item_kinds
            and [type(g.rule) for g in self.groups] == [type(g.rule) for g in other.groups]
        )

    def code_differences(self, other: Plan) -> list[str]:
        """Why another plan needs other code, in the words of scenarios."""
        mine, theirs = ({g.name: g for g in plan.groups} for plan in (self, other))
        found = [f"rules.{name}" for name in mine.keys() ^ theirs.keys()]
        for name in mine.keys() & theirs.keys():
            a, b = mine[name], theirs[name]
            if (a.numbers, a.options, type(a.rule)) != (b.numbers, b.options, type(b.rule)):
                changed = [option for option, value in a.options if dict(b.options).get(option) != value]
                found.append(f"options of {name}" + (f" ({', '.join(changed)})" if changed else ""))
        facts: dict[str, Callable[[Plan], Any]] = {
            "world.boundary or world.depth": lambda plan: plan.scenario.world.edges,
            "the number of species": lambda plan: plan.species_count,
            "perception.nearest": lambda plan: (plan.topological, plan.nearest_room),
            "perception.occlusion or perception.bins": lambda plan: plan.bins,
            "obstacles": lambda plan: plan.has_obstacles,
        }
        return sorted(found) + [name for name, fact in facts.items() if fact(self) != fact(other)]

    def fits_in_place(self, other: Plan) -> bool:
        """Whether only numbers differ from those of another plan of this kernel, and no size that follows from them."""
        return (
            self.reach == other.reach
            and np.array_equal(self.items, other.items)
            and np.array_equal(self.shapes, other.shapes)
            and self.scenario.world == other.scenario.world
            and self.scenario.motion.time_step == other.scenario.motion.time_step
            and self.scenario.perception.nearest == other.scenario.perception.nearest
        )

    @property
    def _item_kinds(self) -> list[tuple[str, ...]]:
        """The kinds of items that the turns of each rule are traced for."""
        return [group.rule.kinds_present() for group in self.rule_groups if group.rule is not None]

    def same_stateful_items(self, other: Plan) -> bool:
        """Whether another plan has the same number of stateful items of each rule, in the same rows."""
        return [rows for _, _, *rows in self.stateful_items] == [rows for _, _, *rows in other.stateful_items]

    def world_numbers(self, seed: tuple[int, int], scenario: Scenario | None = None) -> dict[str, Any]:
        """The values of WORLD_NUMBERS, in double precision."""
        s = scenario or self.scenario
        sides = s.world.sides
        noise_x, noise_y = noise_offset(seed)
        noise_z = noise_offset(seed, STREAM_NOISE_OFFSET + IN_SPACE)[0] if self.dimension == 3 else 0.0
        return {
            "width": s.world.width,
            "height": s.world.height,
            "dt": s.motion.time_step,
            "thrust": s.motion.thrust,
            "stride": s.motion.stride,
            "pace": s.motion.stride / s.motion.time_step,
            "skin": 1e-3 + 1e-6 * max(sides),
            "noise_x": noise_x,
            "noise_y": noise_y,
            "depth": s.world.depth or 0.0,
            "noise_z": noise_z,
        }

    def time_at(self, step: Any) -> tuple[Any, Any]:
        """The time at a step, or at each of many, and the noise time, which restarts every NOISE_TIME_PERIOD [s]."""
        time = step * self.scenario.motion.time_step
        return time, time % NOISE_TIME_PERIOD

    def world(self, numbers: dict[str, Any]) -> World:
        """The `world` of rules, from WORLD_NUMBERS, time, noise_time, step, seed_low and seed_high."""
        boundary = self.scenario.world.boundary
        sides = ("width", "height", "depth")[: self.dimension]
        known = Record(
            World,
            numbers
            | {
                "size": Vec(*(numbers[side] for side in sides)),
                "edges": self.scenario.world.edges,
                "wraps": boundary == "wrap",
                "walled": boundary in ("soft", "reflect"),
                "occludes": self.occludes,
                "overdamped": self.scenario.motion.policy == "overdamped",
            },
        )
        return cast(World, known)

    def world_at(self, step: int, seed: tuple[int, int]) -> World:
        """The world at a step, in plain numbers of double precision."""
        time, noise_time = self.time_at(step)
        clock = {
            "time": time,
            "noise_time": noise_time,
            "step": step,
            "seed_low": seed[0],
            "seed_high": seed[1],
        }
        return self.world(self.world_numbers(seed) | clock)

    @property
    def stateful_items(self) -> list[tuple[int, Group, int, int]]:
        """Rules whose items have a `turn`: number, group, first row, row after the last."""
        return [
            (number, group, int(self.ranges[number, 0]), int(self.ranges[number, 1]))
            for number, group in enumerate(self.rule_groups)
            if group.functions.turn
        ]

    def item_table(self, state: State) -> NDArray[np.float32]:
        """All items: stateful ones from the state, others from the scenario."""
        table = self.items.copy()
        for _, group, begin, end in self.stateful_items:
            rows = state.items.get(group.name)
            if rows is not None:
                count = min(end - begin, len(rows))
                table[begin : begin + count, : rows.shape[1]] = rows[:count]
        return table

    def keep_items(self, state: State, table: NDArray[Any]) -> None:
        """Write the stateful items of a table into a state."""
        for _, group, begin, end in self.stateful_items:
            state.items[group.name] = np.ascontiguousarray(table[begin:end, : len(group.layout)], np.float32)

    @cached_property
    def number_offsets(self) -> dict[str, int]:
        """Where each group's numbers begin among all numbers."""
        ends = np.cumsum([len(group.numbers) for group in self.groups]).tolist()
        return dict(zip((group.name for group in self.groups), [0, *ends], strict=False))

    @property
    def extras(self) -> list[str]:
        """Columns that rules may read, besides the built-in values; some are constants in this plan."""
        return [*DEFAULTS, *(c for c in self.carried if c not in DEFAULTS)]

    def _rule_group(self, name: str, lives: list[Scenario]) -> Group:
        rules = [dict(life.rules)[name] for life in lives]
        options: dict[str, bool] = {}
        for rule in rules:
            for option, value in rule.options().items():
                # Species share one kernel and differ in numbers only, so an option of one species holds for all.
                options[option] = options.get(option, False) or value
        numbers = tuple(rules[0].numbers(1.0) | rules[0].borrows)
        return Group(name, numbers, tuple(options.items()), rules[0], self.dimension)

    def _carried_columns(self) -> tuple[str, ...]:
        columns = list(ALWAYS_CARRIED)
        if self.species_count > 1:
            columns.append("species")
        for group in self.rule_groups:
            functions = group.functions
            columns += [*functions.reads, *functions.writes, *functions.inherits, *functions.settles]
        constant = {"species"} if self.species_count == 1 else set()  # the same for all: a constant
        wanted = (c for c in dict.fromkeys(columns) if c not in {*BUILT_IN, *constant})
        return tuple(dict.fromkeys(column_parts(wanted, self.dimension)))

    def _vectors(self) -> dict[str, tuple[str, ...]]:
        """The columns of rules that are vectors, and their components."""
        found = {str(name): column_parts([name], self.dimension) for name in VECTORS - MOVING}
        return {name: parts for name, parts in sorted(found.items()) if {*parts} <= {*self.carried}}

    def derived_numbers(self, lives: list[Scenario]) -> list[list[Any]]:
        """One row for each species: the numbers of all groups, one after the other."""
        rows = []
        for life in lives:
            rules = dict(life.rules)
            row = list(_motion_numbers(life).values()) + list(_perception_numbers(life).values())
            for group in self.rule_groups:
                row += rules[group.name].numbers(life.perception.radius).values()
                row += (_number_at(life, path) for path in rules[group.name].borrows.values())
            rows.append(row)
        return rows

    def _affinities(self) -> NDArray[np.float32]:
        kinds = self.scenario.species
        table = np.zeros((self.species_count, self.species_count, len(AFFINITIES)), np.float32)
        table[:] = (1.0, 1.0, 1.0, 0.0, 0.0)
        for a, kind in enumerate(kinds):
            for b, other in enumerate(kinds):
                wanted = kind.interaction(other.name)
                table[a, b] = [getattr(wanted, field) for field in AFFINITIES]
        return table

    def item_ranges_of(self, lives: list[Scenario]) -> list[Any]:
        """The greatest `item_range` of each rule over all species."""
        rules = [dict(life.rules) for life in lives]
        return [
            reduce(maximum, (rule[group.name].item_range() for rule in rules)) for group in self.rule_groups
        ]

    def _far_rules(self, lives: list[Scenario]) -> tuple[int, ...]:
        """The numbers of the rules whose `pair` looks beyond the perception radius, in some species."""

        def looks_far(name: str) -> bool:
            ranges = [(dict(life.rules)[name].pair_ranges(), life.perception.radius) for life in lives]
            return any(x > radius for own, radius in ranges for x in own)

        return tuple(
            k for k, group in enumerate(self.rule_groups) if group.functions.pair and looks_far(group.name)
        )

    def reach_of(self, lives: list[Scenario]) -> Any:
        """How far agents look: the greatest perception radius of all species or, beyond it, range of a rule."""
        names = [self.rule_groups[k].name for k in self.far_rules]
        own = [x for life in lives for name in names for x in dict(life.rules)[name].pair_ranges()]
        return reduce(maximum, [*(life.perception.radius for life in lives), *own])

    def _items(self, shapes: list[Any]) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
        """All items in one table, where each rule's rows begin and end, and (agent id, row) of tracked agents."""
        rows: list[Any] = []
        ranges, tracked = [(0, 0)] * len(self.rule_groups), []
        # Stateful items come first: their row numbers also index the table of reports.
        for number, group in sorted(
            enumerate(self.rule_groups), key=lambda entry: not entry[1].functions.turn
        ):
            begin = len(rows)
            rule = group.rule
            if rule is not None and rule.tracks:
                tracked.append((int(getattr(rule, rule.tracks)), begin))
                rows.append((0.0,) * len(group.layout))
            elif rule is not None and rule.obstacles_are_items:
                rows += shapes
            elif rule is not None:
                rows += item_rows(group.name, rule.items(), group.layout, self.scenario)
            ranges[number] = (begin, len(rows))
        return (
            padded(rows, self.item_width),
            np.array(ranges, np.int64).reshape(-1, 2),
            np.array(tracked, np.int64).reshape(-1, 2),
        )


NOISE_TIME_PERIOD = 5120.0
"""[s] After this time, rates of 0.5 and 0.3 noise cells per second have both completed whole periods of the lattice, so
time can restart without a jump. In long runs, single precision would otherwise make the noise coarse."""


@lru_cache(maxsize=64)
def noise_offset(seed: tuple[int, int], stream: int = STREAM_NOISE_OFFSET) -> tuple[float, float]:
    """The position of this seed's world in the noise lattice. Cached: every kernel call needs it, and it is slow."""
    x, y = noise_place(seed, stream)
    return float(x), float(y)


def noise_place(seed: tuple[Any, Any], stream: int = STREAM_NOISE_OFFSET) -> tuple[Any, Any]:
    """`noise_offset`, computed anew: of numbers, or traced for any seed."""
    x, y = uniform_from(*seed, 0, 0, stream)
    return floor(x * 256.0), floor(y * 256.0)


def own_columns(scenario: Scenario) -> tuple[str, ...]:
    """Columns that the rules of a scenario add."""
    dimension = scenario.world.dimension
    kinds = [rule.class_in(dimension) for _, rule in scenario.rules if rule.enabled]
    return tuple(dict.fromkeys(name for kind in kinds for name in scalar_columns(kind.columns, dimension)))


def state_columns(scenario: Scenario) -> tuple[str, ...]:
    """Columns that the world and the rules of a scenario add."""
    return (*(SPACE_COLUMNS if scenario.world.depth is not None else ()), *own_columns(scenario))


def _motion_group(scenario: Scenario, lives: list[Scenario]) -> Group:
    options = options_of(scenario.motion) | {"has_min_speed": any(s.motion.min_speed > 0.0 for s in lives)}
    return Group("motion", tuple(_motion_numbers(scenario)), tuple(options.items()))


def _perception_group(scenario: Scenario, lives: list[Scenario]) -> Group:
    options = {"weighs_angles": any(s.perception.rear_attention != 1.0 for s in lives)}
    return Group("perception", tuple(_perception_numbers(scenario)), tuple(options.items()))


def _number_at(s: Scenario, path: str) -> float:
    """A number of the motion or of a rule, as the kernels have it."""
    owner, _, name = path.partition(".")
    if owner == "motion":
        return _motion_numbers(s)[name]
    return dict(s.rules)[owner].numbers(s.perception.radius)[name]


def _motion_numbers(s: Scenario) -> dict[str, float]:
    energy = s.rules.energy
    return numbers_of(s.motion, 0.0) | {
        "top_speed": s.motion.top_speed,
        "tired_speed": energy.min_speed if energy.enabled else 1.0,
    }


def _perception_numbers(s: Scenario) -> dict[str, float]:
    return numbers_of(s.perception, 0.0) | {
        "view_cosine": s.perception.view_cosine,
        "per_radius": 1.0 / s.perception.radius,
    }
