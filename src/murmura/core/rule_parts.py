"""What a rule may have, in parts: steer, influence other rules, change state, live and die, have items.

Subclass the parts that a rule needs, `class Brake(SteeringRule)`, and an editor offers their functions only; `Rule` has
all of them. Every function is optional, static and called with the arguments in `murmura.core.hooks.HOOKS`.
"""

# No `from __future__ import annotations`: pydantic evaluates these annotations again for each rule, strings slowly.
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray
from pydantic import ConfigDict

from murmura.core.hooks import FORMER_NAMES
from murmura.core.model import Model, choice
from murmura.core.parameters import numbers_of, options_of

if TYPE_CHECKING:
    from murmura.core.rule import Rule

Function = Callable[..., Any]


def _hook() -> Function | None:
    """The default of a function that a rule need not have: inferred, since neither mypy nor pyright lets a static
    method replace a variable that is declared to be of the class."""
    return None


class BasicRule(Model):
    """What every rule has: parameters as fields, what it needs of others, and where it takes part."""

    model_config = ConfigDict(
        ignored_types=(type(None),)
    )  # the functions that a rule does not have are no fields

    enabled: bool = choice(True, "Whether the rule takes part.")

    reads: ClassVar[tuple[str, ...]] = ()
    """State columns that it reads, of the agent and of neighbours."""
    borrows: ClassVar[dict[str, str]] = {}
    """Parameters of other rules or of the motion that this rule reads: its own name for each, and the path."""
    needs: ClassVar[dict[str, str]] = {}
    """Rules that this one requires, each with the reason."""
    shared: ClassVar[tuple[str, ...]] = ()
    """Parameters that all species share."""
    on_by_default: ClassVar[bool] = False
    """Whether the rule is enabled in scenarios that do not mention it."""
    acts_where: ClassVar[str] = ""
    """Where an enabled rule acts, in words that follow "it acts only", if `takes_part` may say no."""
    in_space: ClassVar["type[Rule] | None"] = None
    """The class whose functions run in a 3-D world, where they differ from those of the plane."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for former, name in FORMER_NAMES.items():
            if former in vars(cls) and name not in vars(cls):
                setattr(cls, name, vars(cls)[former])
            elif name in vars(cls):
                setattr(cls, former, vars(cls)[name])

    def numbers(self, perception_radius: float) -> dict[str, float]:
        """Parameters that can change without recompiling, by field name, in a fixed order.

        Numbers derived from them here are computed once, not by every agent. Use the functions of
        `murmura.core.algebra`: an exported page then computes them too, when a slider moves."""
        return numbers_of(self, perception_radius)

    def options(self) -> dict[str, bool]:
        """Switches between formulas, which are constants of the compiled rule."""
        return options_of(self)

    def variant(self) -> "type[BasicRule]":
        """The class whose functions run. A rule may keep rarely used contributions in a subclass."""
        return type(self)

    def class_in(self, dimension: int) -> "type[Rule]":
        """The class whose functions run in the plane (2) or in space (3)."""
        kind: Any = self.variant()
        return kind.in_space or kind if dimension == 3 else kind

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


class SteeringRule(BasicRule):
    """Perceive neighbours, and steer."""

    clamped: ClassVar[bool] = True
    """Whether the force counts towards the total that `motion.max_force` limits."""
    flies: ClassVar[bool] = False
    """Whether the force is aerodynamic or gravity: `me.force`, the steering force that `age` reads, leaves it out."""
    silent_when_zero: ClassVar[str] = "weight"
    """The parameter that, when 0, makes the force zero, so that the rule can be skipped."""
    meets_everyone: ClassVar[bool] = False
    """Whether `pair` is called for everything within the perception radius, not only for what is in view."""
    pair_range: ClassVar[tuple[str, ...]] = ()
    """Parameters that say how far `pair` looks, the greatest of them, even if that is beyond the perception radius."""
    uses_eye: ClassVar[bool] = False
    """Whether the rule reads `me.eye`, the covered bins of the visual field, where `world.occludes`."""
    moves_first: ClassVar[bool] = False
    """Whether agents move with the old velocity, so that this step's force acts on the next move."""

    pair = _hook()
    """What a neighbour contributes: a `Sum`, `Greatest` or `Least`, or several by name."""
    contributes = _hook()
    """Whether a neighbour can contribute at all, by its own columns. Kernels may skip those that cannot; for them
    `pair` must return neutral contributions."""
    steer = _hook()
    """The force of this rule, a vector."""

    def pair_ranges(self) -> list[float]:
        """The values of `pair_range`."""
        return [getattr(self, name) for name in self.pair_range]


class InfluenceRule(BasicRule):
    """Influence other rules, the motion and the perception."""

    silences: ClassVar[tuple[str, ...]] = ()
    """The rules that `suppress` and `exclusive` act on; none named: all other clamped ones."""

    modulate = _hook()
    """Factors on other numbers by path, {"separation.radius": 0.5}."""
    alert = _hook()
    """Whether the agent sees in all directions."""
    suppress = _hook()
    """A factor from 0 to 1 on the forces of the other clamped rules."""
    exclusive = _hook()
    """Whether the other clamped rules have no force."""


class StateRule(BasicRule):
    """Change the state of the agent over time."""

    columns: ClassVar[dict[str, Any]] = {}
    """Columns that this rule adds to the state, with a newborn's values; the name `vector("spin")` makes a vector."""
    codes: ClassVar[dict[str, type[IntEnum]]] = {}
    """Names for the numbers of a column, so that the page can show words."""
    writes: ClassVar[tuple[str, ...]] = ()
    """State columns that it changes."""

    feel = _hook()
    """New values of the columns in `writes` by name, before forces are computed."""
    age = _hook()
    """The same after the agent has moved; `me.force` is what steered it there."""
    happens = _hook()
    """(kind, other, amount) of an event; kind 0: none."""

    def columns_at_start(self, ids: NDArray[Any], seed: int) -> Mapping[str, NDArray[Any]]:
        """Individual column values of agents without parents, by column name."""
        return {}


class LifeRule(BasicRule):
    """Die, give birth, immigrate."""

    inherits: ClassVar[tuple[str, ...]] = ()
    """Columns that `inherit` sets."""
    settles: ClassVar[tuple[str, ...]] = ()
    """Columns that `settle` sets; an immigrant has the defaults of a newborn in all others."""

    dies = _hook()
    """The cause of its death (0: it lives), and the id of its killer (-1: none)."""
    gives_birth = _hook()
    """Whether it gives birth now, and the id of the father (-1: none)."""
    inherit = _hook()
    """The newborn's values of the columns in `inherits`, by name."""
    arrives = _hook()
    """Whether an agent immigrates. Called for the rule's first items, one for each species, after their turns and all
    births of the step, with the parameters of that species."""
    settle = _hook()
    """The immigrant's values of the columns in `settles`; `name` is its id."""

    def most_agents(self, agents: int) -> int:
        """The maximum number of agents, if the rule adds any."""
        return agents


class ItemRule(BasicRule):
    """Have items: places, food, hunters."""

    item_fields: ClassVar[tuple[str, ...]] = ()
    """Fields of an item that agents can read. An item with a `turn` also has `memory_fields`."""
    memory_fields: ClassVar[tuple[str, ...]] = ()
    item_settings: ClassVar[tuple[str, ...]] = ()
    """Fields of such an item that come from the scenario and change with it."""
    item_identity: ClassVar[tuple[str, ...]] = ()
    """Fields that identify such an item when others are added or removed. Without any, its number does."""
    obstacles_are_items: ClassVar[bool] = False
    """Whether the scenario's obstacles are the rule's items."""
    tracks: ClassVar[str] = ""
    """The field with the id of an agent; that agent is then the rule's only item (see `core.layout.TRACKED_FIELDS`)."""

    item = _hook()
    """What an item contributes, as `pair` for a neighbour."""
    may_report = _hook()
    """Whether the agent reports to items at all; without this function every agent does."""
    gather = _hook()
    """What the agent reports to an item: `Count`, `Total` and `Best` by name."""
    report = _hook()
    """Values that the agent writes into the item whose `target` it is, by field."""
    turn = _hook()
    """Updates an item after all agents have moved. It assigns to fields (`it.energy = ...`), reads the reduced
    `reports`, and may read the other `items` of the rule. Instead of `if` it uses when(condition, function,
    otherwise)."""

    def item_range(self) -> float:
        """The distance [u] beyond which an item has no effect, so that kernels may skip it.

        Beyond it `item` must return neutral contributions: 0 for sums, and the greatest score for `Least`."""
        return math.inf

    def kinds_present(self) -> tuple[str, ...]:
        """The kinds of items in this scenario, where `turn` depends on the kind. Backends may trace only these."""
        return ()

    def functions_of_kinds(self) -> Sequence[Function]:
        """The functions of these kinds, which may come from anywhere: anybody can register a kind."""
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
