"""The shape of a rule: parameters, and up to six small functions written once for every backend.

A rule never loops. The backend scans an agent's neighbours once and feeds every rule's `pair`; it walks the
rule's own list of `items` (attractors, obstacles, threats) and feeds `item`; then it calls `steer`. All
functions are static, branch-free (`where` instead of `if`, except on the rule's own options) and take

    p      the rule's numbers and options, by field name
    me     the agent: id x y vx vy hx hy speed max_speed max_force neighbors panic energy species + `reads`
    seen   a neighbour: dx dy d2 d inv_d nearness (1 - d/perception radius) vx vy attention, how much I want
           of its kind (separation alignment cohesion flee chase), panic energy species + `reads`
    it     one item, by `item_fields`
    acc    what pairs, then items, added up to
    world  width height wraps dt time noise_time thrust step seed_low seed_high noise_x noise_y
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, TypeVar

from murmura.core.errors import ScenarioError, UnknownNameError, nearest
from murmura.core.model import Model, choice

Kind = Literal["sum", "greatest", "least", "payload"]
Function = Callable[..., Any]


class Rule(Model):
    """What an animal wants. Subclass it, declare numbers as fields, and write the functions it needs.

    Functions (all optional static methods):
        pair(p, me, seen, world): one contribution for each entry of `accumulates`.
        item(p, me, it, world): one contribution for each entry of `item_accumulates`.
        steer(p, me, acc, world): the force (fx, fy) this rule asks for.
        feel(p, me, acc, world): new values of the columns in `writes`, before forces are computed.
        age(p, me, world): new values of the columns in `writes`, after the agent has moved.
        exclusive(p, me, acc, world): where true, the other clamped rules are silent.
    """

    enabled: bool = choice(True, "Whether the rule takes part.")

    accumulates: ClassVar[tuple[Kind, ...]] = ()
    """How contributions of neighbours combine: added, or the greatest (at least 0), or the least with the
    payloads that follow it (what the nearest one says)."""
    item_accumulates: ClassVar[tuple[Kind, ...]] = ()
    item_fields: ClassVar[tuple[str, ...]] = ()
    reads: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[tuple[str, ...]] = ()
    clamped: ClassVar[bool] = True
    """Whether the force counts towards the total that `motion.max_force` limits."""
    silent_when_zero: ClassVar[str] = "weight"
    """The number that makes the rule ask for nothing when it is 0; it is then skipped."""
    tracks: ClassVar[str] = ""
    """The field that names an agent; the rule's one item is then that agent (see TRACKED_FIELDS)."""

    pair: ClassVar[Function | None] = None
    item: ClassVar[Function | None] = None
    steer: ClassVar[Function | None] = None
    feel: ClassVar[Function | None] = None
    age: ClassVar[Function | None] = None
    exclusive: ClassVar[Function | None] = None

    def numbers(self, perception_radius: float) -> dict[str, float]:
        """The values that may change without compiling anew, by field name, in a fixed order."""
        return numbers_of(self, perception_radius)

    def options(self) -> dict[str, bool]:
        """The switches that choose between formulas: known when the rule is compiled."""
        return options_of(self)

    def variant(self) -> type[Rule]:
        """The class whose functions are run; a rule may keep rarely used accumulators in a subclass."""
        return type(self)

    def items(self) -> Sequence[Sequence[float]]:
        """Rows of `item_fields`."""
        return ()


TRACKED_FIELDS = ("x", "y", "vx", "vy", "present", "id")


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
        REGISTRY[name] = rule
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
    if rule.pair is not None and not rule.accumulates:
        raise ScenarioError(
            f"rule {name!r} has a pair function: say how its results combine in `accumulates`"
        )
    if (rule.feel is not None or rule.age is not None) and not rule.writes:
        raise ScenarioError(f"rule {name!r} changes the agent: name the columns in `writes`")
    for kinds in (rule.accumulates, rule.item_accumulates):
        for before, kind in zip(("", *kinds), kinds, strict=False):
            if kind == "payload" and before not in ("least", "payload"):
                raise ScenarioError(
                    f"rule {name!r}: a payload must follow the 'least' it belongs to, got {kinds}"
                )
