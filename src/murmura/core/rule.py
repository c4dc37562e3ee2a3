"""The base class of rules: parameters, and a few small functions written once for every backend.

A rule never loops. The backend scans an agent's neighbours once and calls `pair` of every rule for each of them; it
calls `item` for each of the rule's own `items` (attractors, obstacles, food, hunters); then the other functions.
All functions are static and take

    p      the rule's numbers and options, by field name
    me     the agent: id position velocity heading (unit vectors) speed max_speed max_force neighbors panic energy
           species, and the columns in `reads`
    was    the same agent before any `feel` of this step
    seen   a neighbour: id offset (from me to it) square distance inverse (1/distance) nearness (1 - distance/perception
           radius) velocity attention, how much I want of its species (separation alignment cohesion flee chase), panic
           energy species, the columns in `reads`, and whether I see it (`visible`) and it sees me (`sees_me`);
           where bodies hide each other (`world.occludes`), also in how many `bins` of my visual field I see it
    it     one item, by `item_fields`
    found  the merged contributions of pairs and items
    world  size width height depth wraps edges occludes dt time noise_time thrust stride pace step seed_low seed_high
           noise_x noise_y noise_z

Use `where` to choose by a value, and `if` only for options, which are constant when a step is traced.
"""

# No `from __future__ import annotations`: pydantic evaluates these annotations again for each rule, strings slowly.
import math
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from enum import IntEnum
from typing import Any, ClassVar, TypeVar

from numpy.typing import NDArray

from murmura.core.errors import ScenarioError, UnknownNameError, nearest
from murmura.core.hooks import check_hooks
from murmura.core.model import Model, choice
from murmura.core.state import declare_columns

Function = Callable[..., Any]


class Rule(Model):
    """One behaviour of an animal. Subclass it, declare parameters as fields, and write the functions it needs.

    Functions (all optional static methods):
        modulate(p, me, world): factors on other numbers by path, {"separation.radius": 0.5}.
        alert(p, me): whether the agent sees in all directions.
        pair(p, me, seen, world): what a neighbour contributes: a `Sum`, `Greatest` or `Least`, or several by name.
        contributes(p, seen, world): whether a neighbour can contribute at all, by its own columns. Kernels may skip
            those that cannot; for them `pair` must return neutral contributions.
        item(p, me, it, world): what an item contributes, likewise.
        feel(p, me, found, world): new values of the columns in `writes` by name, before forces are computed.
        steer(p, me, found, world): the force of this rule, a vector.
        suppress(p, me, found, world): a factor from 0 to 1 on the forces of the other clamped rules.
        exclusive(p, me, found, world): whether the other clamped rules have no force.
        age(p, me, world): new values of the columns in `writes` by name, after the agent has moved; `me.force` is what
            steered it there.
        fate(p, me, found, world): the cause of its death (0: it lives), and the id of its killer (-1: none).
        happens(p, was, me, found, world): (kind, other, amount) of an event; kind 0: none.
        bears(p, was, me, found, world): whether it gives birth now, and the id of the father (-1: none).
        inherit(p, mother, father, child_id, world): the newborn's values of the columns in `inherits`, by name.
        speaks(p, me, world): whether the agent reports to items at all; without this function every agent does.
        gather(p, me, it, world): what the agent reports to an item: `Count`, `Total` and `Best` by name.
        report(p, me, world): values that the agent writes into the item whose `target` it is, by field.
        turn(p, it, reports, items, world): updates an item after all agents have moved. It assigns to fields
            (`it.energy = ...`), reads the reduced `reports`, and may read the other `items` of the rule. Instead of
            `if` it uses when(condition, function, otherwise).
        arrives(p, it, species, world): whether an agent immigrates. Called for the rule's first items, one for each
            species, after their turns and all births of the step, with the parameters of that species.
        settle(p, it, name, world): the immigrant's values of the columns in `settles`; `name` is its id.
    """

    enabled: bool = choice(True, "Whether the rule takes part.")

    item_fields: ClassVar[tuple[str, ...]] = ()
    """Fields of an item that agents can read. An item with a `turn` also has `memory_fields`."""
    memory_fields: ClassVar[tuple[str, ...]] = ()
    item_settings: ClassVar[tuple[str, ...]] = ()
    """Fields of such an item that come from the scenario and change with it."""
    item_identity: ClassVar[tuple[str, ...]] = ()
    """Fields that identify such an item when others are added or removed. Without any, its number does."""
    obstacles_are_items: ClassVar[bool] = False
    """Whether the scenario's obstacles are the rule's items."""
    inherits: ClassVar[tuple[str, ...]] = ()
    settles: ClassVar[tuple[str, ...]] = ()
    """Columns that `settle` sets; an immigrant has the defaults of a newborn in all others."""
    borrows: ClassVar[dict[str, str]] = {}
    """Parameters of other rules or of the motion that this rule reads: its own name for each, and the path."""
    columns: ClassVar[dict[str, float | int]] = {}
    """Columns that this rule adds to the state, with a newborn's values."""
    codes: ClassVar[dict[str, type[IntEnum]]] = {}
    """Names for the numbers of a column, so that the page can show words."""
    reads: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[tuple[str, ...]] = ()
    clamped: ClassVar[bool] = True
    """Whether the force counts towards the total that `motion.max_force` limits."""
    flies: ClassVar[bool] = False
    """Whether the force is aerodynamic or gravity: `me.force`, the steering force that `age` reads, leaves it out."""
    silent_when_zero: ClassVar[str] = "weight"
    """The parameter that, when 0, makes the force zero, so that the rule can be skipped."""
    needs: ClassVar[dict[str, str]] = {}
    """Rules that this one requires, each with the reason."""
    shared: ClassVar[tuple[str, ...]] = ()
    """Parameters that all species share."""
    on_by_default: ClassVar[bool] = False
    """Whether the rule is enabled in scenarios that do not mention it."""
    meets_everyone: ClassVar[bool] = False
    """Whether `pair` is called for everything within the perception radius, not only for what is in view."""
    uses_eye: ClassVar[bool] = False
    """Whether the rule reads `me.eye`, the covered bins of the visual field, where `world.occludes`."""
    moves_first: ClassVar[bool] = False
    """Whether agents move with the old velocity, so that this step's force acts on the next move."""
    tracks: ClassVar[str] = ""
    """The field with the id of an agent; that agent is then the rule's only item (see `core.layout.TRACKED_FIELDS`)."""

    in_space: ClassVar["type[Rule] | None"] = None
    """The class whose functions run in a 3-D world, where they differ from those of the plane."""

    modulate: ClassVar[Function | None] = None
    alert: ClassVar[Function | None] = None
    pair: ClassVar[Function | None] = None
    contributes: ClassVar[Function | None] = None
    item: ClassVar[Function | None] = None
    feel: ClassVar[Function | None] = None
    steer: ClassVar[Function | None] = None
    suppress: ClassVar[Function | None] = None
    exclusive: ClassVar[Function | None] = None
    age: ClassVar[Function | None] = None
    fate: ClassVar[Function | None] = None
    happens: ClassVar[Function | None] = None
    bears: ClassVar[Function | None] = None
    inherit: ClassVar[Function | None] = None
    speaks: ClassVar[Function | None] = None
    gather: ClassVar[Function | None] = None
    report: ClassVar[Function | None] = None
    turn: ClassVar[Function | None] = None
    arrives: ClassVar[Function | None] = None
    settle: ClassVar[Function | None] = None

    def numbers(self, perception_radius: float) -> dict[str, float]:
        """Parameters that can change without recompiling, by field name, in a fixed order."""
        return numbers_of(self, perception_radius)

    def options(self) -> dict[str, bool]:
        """Switches between formulas, which are constants of the compiled rule."""
        return options_of(self)

    def variant(self) -> "type[Rule]":
        """The class whose functions run. A rule may keep rarely used contributions in a subclass."""
        return type(self)

    def class_in(self, dimension: int) -> "type[Rule]":
        """The class whose functions run in the plane (2) or in space (3)."""
        kind = self.variant()
        return kind.in_space or kind if dimension == 3 else kind

    def item_range(self) -> float:
        """The distance [u] beyond which an item has no effect, so that kernels may skip it.

        Beyond it `item` must return neutral contributions: 0 for sums, and the greatest score for `Least`."""
        return math.inf

    def kinds_present(self) -> tuple[str, ...]:
        """The kinds of items in this scenario, where `turn` depends on the kind. Backends may trace only these."""
        return ()

    def leaving_out_other_kinds(self) -> AbstractContextManager[object]:
        """A context in which `turn` is traced for `kinds_present` only."""
        return nullcontext()

    def items(self) -> Sequence[Sequence[Any]]:
        """Rows of `item_fields`, then `memory_fields`: numbers, or (x, y, z) for a vector. The plane ignores z; in
        space None means half the depth."""
        return ()

    def items_at_start(self, width: float, height: float, seed: int) -> Sequence[Sequence[Any]]:
        """Rows of items that have a `turn`, at step 0 of a run with this seed."""
        return self.items()

    def items_in(self, sides: Sequence[float], seed: int) -> Sequence[Sequence[Any]]:
        """The same in a world with these sides: width, height and, in space, depth."""
        return self.items_at_start(sides[0], sides[1], seed)

    def columns_at_start(self, ids: NDArray[Any], seed: int) -> Mapping[str, NDArray[Any]]:
        """Individual column values of agents without parents, by column name."""
        return {}

    def takes_part(self, scenario: Any) -> bool:
        """Whether the enabled rule has any effect in a scenario."""
        return True

    def refuses(self, scenario: Any) -> list[str]:
        """Error messages about a scenario in which the enabled rule cannot work: expected, found, and what to do."""
        return []

    def hidden(self, scenario: Any) -> list[str]:
        """Notices about values of the enabled rule that a cap hides: the effective value, the cap, and what to do."""
        return []

    def objects(self, rows: NDArray[Any] | None, time: float) -> list[dict[str, Any]]:
        """Objects to draw at a time [s], each with a `kind`. `rows` are the rule's items."""
        return []

    def most_agents(self, agents: int) -> int:
        """The maximum number of agents, if the rule adds any."""
        return agents


def numbers_of(model: Model, perception_radius: float) -> dict[str, float]:
    """Numeric fields of a model. A radius of None means the perception radius."""
    found: dict[str, float] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            found[name] = float(value)
        elif value is None and _may_be_number(field.annotation):
            found[name] = perception_radius if name == "radius" else 0.0
    return found


def options_of(model: Model) -> dict[str, bool]:
    """Boolean fields, and one flag for each word of a choice: `falloff_inverse`."""
    found: dict[str, bool] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if name == "enabled":
            continue
        if isinstance(value, bool):
            found[name] = value
        elif isinstance(value, str):
            for word in getattr(field.annotation, "__args__", ()):
                found[f"{name}_{word}"] = value == word
    return found


def _may_be_number(annotation: Any) -> bool:
    return isinstance(annotation, types.UnionType) and (
        float in annotation.__args__ or int in annotation.__args__
    )


REGISTRY: dict[str, type[Rule]] = {}
TAKEN = ("motion", "perception")


def is_built_in(rule: type[Rule]) -> bool:
    """Whether a rule ships with murmura."""
    return rule.__module__.startswith("murmura.rules.")


R = TypeVar("R", bound=type[Rule])


def register_rule(name: str) -> Callable[[R], R]:
    """Register a rule under a name, so that scenarios can use `rules.<name>`.

    Registering the same name again replaces the rule, so that a notebook cell can be run twice.
    """
    if not name.isidentifier():
        raise ScenarioError(
            f"a rule's name must be a Python identifier, got {name!r}: use letters, digits and _"
        )

    def register(rule: R) -> R:
        _check(name, rule)
        # Recorded runs contain rule files, and those of earlier versions call this function `hush`.
        rule.suppress = rule.suppress or getattr(rule, "hush", None)
        declare_columns(rule.columns)
        REGISTRY[name] = rule
        return rule

    return register


def register_in_space(of: type[Rule]) -> Callable[[R], R]:
    """Register the subclass of a rule whose functions run in a 3-D world."""

    def register(rule: R) -> R:
        declare_columns({name: value for name, value in rule.columns.items() if name not in of.columns})
        of.in_space = rule
        return rule

    return register


def registered_rule(name: str) -> "type[Rule]":
    """Return the rule of this name."""
    if name not in REGISTRY:
        raise UnknownNameError(
            f"no rule is called {name!r}{nearest(name, REGISTRY)}; known rules: {', '.join(sorted(REGISTRY))}. "
            "Register your own with murmura.register_rule, or load its file with --rules FILE.py"
        )
    return REGISTRY[name]


def _check(name: str, rule: type[Rule]) -> None:
    old = REGISTRY.get(name)
    if name in TAKEN or (old is not None and is_built_in(old) and not is_built_in(rule)):
        raise ScenarioError(
            f"the name {name!r} is taken by murmura itself: register your rule under another one"
        )
    if not is_built_in(rule):
        check_hooks(name, rule, Rule)
    if (rule.feel is not None or rule.age is not None) and not rule.writes:
        raise ScenarioError(f"rule {name!r} changes the agent: name the columns in `writes`")
