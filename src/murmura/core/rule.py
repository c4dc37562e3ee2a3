"""The shape of a rule: parameters, and a few small functions written once for every backend.

A rule never loops. The backend scans an agent's neighbours once and feeds every rule's `pair`; it walks the
rule's own list of `items` (attractors, obstacles, food, hunters) and feeds `item`; then it calls the others.
All functions are static and take

    p      the rule's numbers and options, by field name
    me     the agent: id position velocity heading (unit vectors) speed max_speed max_force neighbors panic energy
           species, and the columns in `reads`
    was    the same agent before it felt anything in this step
    seen   a neighbour: id offset (from me to it) square distance inverse (1/distance) nearness (1 - distance/perception
           radius) velocity attention, how much I want of its species (separation alignment cohesion flee chase), panic
           energy species, the columns in `reads`, and whether I see it (`visible`) and it sees me (`sees_me`)
    it     one item, by `item_fields`
    found  what pairs and items contributed, merged
    world  size width height depth wraps edges dt time noise_time thrust stride pace step seed_low seed_high noise_x
           noise_y noise_z

`where` chooses; `if` is for options, which are known when a step is traced.
"""

from __future__ import annotations

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
    """What an animal wants. Subclass it, declare numbers as fields, and write the functions it needs.

    Functions (all optional static methods):
        modulate(p, me, world): factors on other numbers by path, {"separation.radius": 0.5}.
        alert(p, me): where true, the agent sees all around.
        pair(p, me, seen, world): what a neighbour contributes: a `Sum`, `Greatest` or `Least`, or several by name.
        item(p, me, it, world): what an item contributes, likewise.
        feel(p, me, found, world): new values of the columns in `writes` by name, before forces are computed.
        steer(p, me, found, world): the force that this rule asks for, a vector.
        hush(p, me, found, world): what is left of the other clamped rules, from 1 down to 0.
        exclusive(p, me, found, world): where true, the other clamped rules are silent.
        age(p, me, world): new values of the columns in `writes` by name, after the agent has moved; `me.force` is what
            steered it there.
        fate(p, me, found, world): the cause of its death (0: it lives), and whose doing it is (-1: nobody's).
        happens(p, was, me, found, world): (kind, other, amount) of an event to be told; kind 0: none.
        bears(p, was, me, found, world): whether it has young now, and by whom (an id, or -1).
        inherit(p, mother, father, child_id, world): values of the columns in `inherits` of that young, by name.
        speaks(p, me, world): whether the agent has anything to tell items; without it, everybody may.
        gather(p, me, it, world): what the agent tells an item: `Count`, `Total` and `Best` by name.
        report(p, me, world): what the agent that an item has as its `target` writes into the item, by field.
        turn(p, it, told, items, world): an item's own turn, after all agents have moved. It assigns to its fields
            (`it.energy = ...`), knows what it was told, and may look at the other `items` of the rule. `when` instead
            of `if`: when(condition, function, otherwise).
        arrives(p, it, species, world): whether somebody comes from elsewhere, asked of the rule's first items,
            one for each species, after their turns and after all births of the step; `p` is that species'.
        settle(p, it, name, world): values of the columns in `settles` of that newcomer, who has this name (id).
    """

    enabled: bool = choice(True, "Whether the rule takes part.")

    item_fields: ClassVar[tuple[str, ...]] = ()
    """What agents know of an item; an item with a `turn` of its own also remembers `memory_fields`."""
    memory_fields: ClassVar[tuple[str, ...]] = ()
    item_settings: ClassVar[tuple[str, ...]] = ()
    """Fields of such an item that come from the scenario, and follow it when it is changed."""
    item_identity: ClassVar[tuple[str, ...]] = ()
    """Fields by which such an item is known again when others are added or taken away; none: by its number."""
    inherits: ClassVar[tuple[str, ...]] = ()
    settles: ClassVar[tuple[str, ...]] = ()
    """Columns of a newcomer that `settle` gives; in the others it is as new as anybody."""
    borrows: ClassVar[dict[str, str]] = {}
    """Numbers of other rules or of the motion that this rule knows as well: its name for each, and the path."""
    columns: ClassVar[dict[str, float | int]] = {}
    """Columns that this rule adds to the state, with what a newborn agent has there."""
    codes: ClassVar[dict[str, type[IntEnum]]] = {}
    """What the numbers of a column stand for, where they are names: a page may then say them in words."""
    reads: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[tuple[str, ...]] = ()
    clamped: ClassVar[bool] = True
    """Whether the force counts towards the total that `motion.max_force` limits."""
    flies: ClassVar[bool] = False
    """Whether the force is the air's and the weight's: it is no part of `me.force`, the steering that `age` knows."""
    silent_when_zero: ClassVar[str] = "weight"
    """The number that makes the rule ask for nothing when it is 0; it is then skipped."""
    needs: ClassVar[dict[str, str]] = {}
    """Rules that must be enabled where this one is, each with the reason."""
    shared: ClassVar[tuple[str, ...]] = ()
    """Numbers in which species cannot differ."""
    on_by_default: ClassVar[bool] = False
    """Whether scenarios that do not mention the rule have it enabled."""
    meets_everyone: ClassVar[bool] = False
    """Whether `pair` is asked about everybody within the perception radius, not only about those in view."""
    moves_first: ClassVar[bool] = False
    """Whether agents move with the velocity they have, and this step's force counts from the next move on."""
    tracks: ClassVar[str] = ""
    """The field that names an agent; the rule's one item is then that agent (see `core.layout.TRACKED_FIELDS`)."""

    in_space: ClassVar[type[Rule] | None] = None
    """The class whose functions run in a world with a depth, where they differ from those of the plane."""

    modulate: ClassVar[Function | None] = None
    alert: ClassVar[Function | None] = None
    pair: ClassVar[Function | None] = None
    item: ClassVar[Function | None] = None
    feel: ClassVar[Function | None] = None
    steer: ClassVar[Function | None] = None
    hush: ClassVar[Function | None] = None
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
        """The values that may change without compiling anew, by field name, in a fixed order."""
        return numbers_of(self, perception_radius)

    def options(self) -> dict[str, bool]:
        """The switches that choose between formulas: known when the rule is compiled."""
        return options_of(self)

    def variant(self) -> type[Rule]:
        """The class whose functions are run; a rule may keep rarely used accumulators in a subclass."""
        return type(self)

    def kind_in(self, dimension: int) -> type[Rule]:
        """The class whose functions are run in the plane (2) or in space (3)."""
        kind = self.variant()
        return kind.in_space or kind if dimension == 3 else kind

    def item_range(self) -> float:
        """How near an item must be to matter to an agent [u]: farther ones may be passed over unasked.

        Beyond it `item` must return what changes nothing: 0 for sums, and for the least more than any other."""
        return math.inf

    def kinds_present(self) -> tuple[str, ...]:
        """The kinds of items there are, where turns differ by kind: where compiling is slow, others are left out."""
        return ()

    def leaving_out_other_kinds(self) -> AbstractContextManager[object]:
        """While this lasts, `turn` is traced for `kinds_present` only."""
        return nullcontext()

    def items(self) -> Sequence[Sequence[Any]]:
        """Rows of `item_fields`, then `memory_fields`: numbers, or (x, y, z) for a vector, with None for a height that
        is not given. The plane leaves z out; in space None is half way up."""
        return ()

    def items_at_start(self, width: float, height: float, seed: int) -> Sequence[Sequence[Any]]:
        """Rows of items that have turns of their own, at step 0 of a run with this seed."""
        return self.items()

    def items_in(self, sides: Sequence[float], seed: int) -> Sequence[Sequence[Any]]:
        """The same in a world with these sides: width, height and, in space, depth."""
        return self.items_at_start(sides[0], sides[1], seed)

    def columns_at_start(self, ids: NDArray[Any], seed: int) -> Mapping[str, NDArray[Any]]:
        """Columns in which agents that come from nobody differ from each other, by name."""
        return {}

    def takes_part(self, scenario: Any) -> bool:
        """Whether the rule has anything to do in a scenario in which it is enabled."""
        return True

    def refuses(self, scenario: Any) -> list[str]:
        """What of a scenario the rule, which is enabled, cannot live with: expected, found and what to do."""
        return []

    def hidden(self, scenario: Any) -> list[str]:
        """Values of the rule, which is enabled, that cannot act in a scenario: what each acts as, the cap that hides
        it, and what to do."""
        return []

    def objects(self, rows: NDArray[Any] | None, time: float) -> list[dict[str, Any]]:
        """What of the rule is to be drawn at a time [s], with a `kind` each; `rows` are its items, flat."""
        return []

    def most_agents(self, agents: int) -> int:
        """How many agents may live at once, where the rule lets some be born."""
        return agents


def numbers_of(model: Model, perception_radius: float) -> dict[str, float]:
    """Numeric fields of a model; a radius left open means the perception radius."""
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
    """Boolean fields as they are, and one flag for each word of a choice: `falloff_inverse`."""
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
    """Make a rule known under a name, so that scenarios may say `rules.<name>`.

    Registering the same name again replaces the rule, so that a notebook cell can be run twice.
    """
    if not name.isidentifier():
        raise ScenarioError(
            f"a rule's name must be a Python identifier, got {name!r}: use letters, digits and _"
        )

    def register(rule: R) -> R:
        _check(name, rule)
        declare_columns(rule.columns)
        REGISTRY[name] = rule
        return rule

    return register


def register_in_space(of: type[Rule]) -> Callable[[R], R]:
    """Make a subclass of a rule the one whose functions run in a world with a depth."""

    def register(rule: R) -> R:
        declare_columns({name: value for name, value in rule.columns.items() if name not in of.columns})
        of.in_space = rule
        return rule

    return register


def registered_rule(name: str) -> type[Rule]:
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
