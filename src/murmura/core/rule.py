"""Rules: parameters, and a few small functions written once for every backend; and the registry of all rules.

A rule never loops. The backend scans an agent's neighbours once and calls `pair` of every rule for each of them; it
calls `item` for each of the rule's own `items` (attractors, obstacles, food, hunters); then the other functions.
All functions are static and take

    p            the rule's numbers and options, by field name
    me, seen     the agent and a neighbour, and `world`: see `murmura.core.rule_arguments`
    was          the agent before any `feel` of this step
    it           one item, by `item_fields`
    found        the merged contributions of pairs and items

Use `where` to choose by a value, and `if` only for options, which are constant when a step is traced.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, TypeVar, cast

from murmura.core.errors import ScenarioError, UnknownNameError, nearest
from murmura.core.hooks import check_hooks
from murmura.core.rule_parts import (
    BasicRule,
    InfluenceRule,
    ItemRule,
    LifeRule,
    StateRule,
    SteeringRule,
)
from murmura.core.state import declare_columns


class Rule(SteeringRule, InfluenceRule, StateRule, LifeRule, ItemRule):
    """One behaviour of an animal, with every function that a rule may have."""


REGISTRY: dict[str, type[Rule]] = {}
TAKEN = ("motion", "perception")


def is_built_in(rule: type[BasicRule]) -> bool:
    """Whether a rule ships with murmura."""
    return rule.__module__.startswith("murmura.rules.")


R = TypeVar("R", bound=type[BasicRule])


def register_rule(name: str) -> Callable[[R], R]:
    """Register a rule under a name, so that scenarios can use `rules.<name>`.

    Registering the same name again replaces the rule, so that a notebook cell can be run twice.
    """
    if not name.isidentifier():
        raise ScenarioError(
            f"a rule's name must be a Python identifier, got {name!r}: use letters, digits and _"
        )

    def register(rule: R) -> R:
        whole = _whole(rule)
        _check(name, rule, whole)
        declare_columns(whole.columns)
        REGISTRY[name] = whole
        return cast(R, whole)

    return register


def _whole(rule: type[BasicRule]) -> type[Rule]:
    """The rule with all parts, of which those it does not name are empty."""
    if issubclass(rule, Rule):
        return rule
    names = {"__module__": rule.__module__, "__qualname__": rule.__qualname__, "__doc__": rule.__doc__}
    whole: Any = types.new_class(rule.__name__, (rule, Rule), exec_body=lambda space: space.update(names))
    return cast(type[Rule], whole)


def register_in_space(of: type[Rule]) -> Callable[[type[Rule]], type[Rule]]:
    """Register the subclass of a rule whose functions run in a 3-D world."""

    def register(rule: type[Rule]) -> type[Rule]:
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


def _check(name: str, rule: type[BasicRule], whole: type[Rule]) -> None:
    old = REGISTRY.get(name)
    if name in TAKEN or (old is not None and is_built_in(old) and not is_built_in(rule)):
        raise ScenarioError(
            f"the name {name!r} is taken by murmura itself: register your rule under another one"
        )
    if not is_built_in(rule):
        check_hooks(name, rule, Rule)
    unknown = [field for field in whole.pair_range if field not in rule.model_fields]
    if unknown:
        raise ScenarioError(
            f"`pair_range` of rule {name!r} names {unknown[0]!r}, which is none of its parameters"
            f"{nearest(unknown[0], rule.model_fields)}"
        )
    if (whole.feel is not None or whole.age is not None) and not whole.writes:
        raise ScenarioError(f"rule {name!r} changes the agent: name the columns in `writes`")
