"""The behaviour of animals: flocking, steering, terrain, weather, fear, food, mates, hunters, and published models.

Small functions and their parameters. Knows no loop, no clock, no compiler and no scenario. Every module here is loaded,
so a new rule needs only a new file. Everything needed to write a rule can be imported from here.
"""

import importlib
import pkgutil
from typing import TypeAlias

from murmura.core.algebra import (
    absolute,
    arccos,
    arcsin,
    arctan2,
    cos,
    exp,
    floor,
    given,
    log,
    maximum,
    minimum,
    power,
    sin,
    sin_cos,
    sqrt,
    tanh,
    to_integer,
    to_number,
    when,
    where,
)
from murmura.core.layout import POSITION, VELOCITY, vector
from murmura.core.merging import Best, Count, Greatest, Least, Sum, Total
from murmura.core.model import choice, quantity
from murmura.core.rule import REGISTRY, Rule, is_built_in, register_rule
from murmura.core.rule_arguments import Agent, Neighbor, World
from murmura.core.rule_parts import InfluenceRule, ItemRule, LifeRule, StateRule, SteeringRule
from murmura.core.vec import Vec, from_angle
from murmura.core.world.randomness import STREAM_USER, uniform_from, uniform_pair
from murmura.core.world.space import offset, point
from murmura.rules.steering.towards import steer_at_speed, steer_towards

Me: TypeAlias = Agent
Seen: TypeAlias = Neighbor
"""Other names of the same."""

ORDER = (
    "separation",
    "alignment",
    "cohesion",
    "noise",
    "wind",
    "jitter",
    "boundary",
    "containment",
    "avoid_obstacles",
    "attractors",
    "fear",
    "predators",
    "energy",
    "starvation",
    "feeding",
    "mating",
    "breeding",
    "mating_cooldown",
    "daylight",
    "territory",
    "genome",
    "remains",
    "behavior",
    "combat",
    "reproduction",
    "ageing",
    "immigration",
    "seek",
    "flee_point",
    "pursue",
    "evade",
    "wander",
    "follow_leader",
    "flee",
    "chase",
    "vicsek",
    "zones",
    "cucker_smale",
    "vision",
)
"""The order in which rules are evaluated and forces are added. Runs are repeatable bit for bit, so it is fixed. Other
built-in rules follow by name."""


def built_in_rules() -> list[tuple[str, type[Rule]]]:
    """All rules that ship with murmura, in their order."""
    known = {name: rule for name, rule in REGISTRY.items() if is_built_in(rule)}
    return [(name, known[name]) for name in (*ORDER, *sorted(known.keys() - set(ORDER)))]


for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)

__all__ = [
    "POSITION", "STREAM_USER", "VELOCITY", "Agent", "Best", "Count", "Greatest", "InfluenceRule", "ItemRule", "Least",
    "LifeRule", "Me", "Neighbor", "Rule", "Seen", "StateRule", "SteeringRule", "Sum", "Total", "Vec", "World",
    "absolute", "arccos", "arcsin", "arctan2", "choice", "cos", "exp", "floor", "from_angle", "given", "log", "maximum",
    "minimum", "offset", "point", "power", "quantity", "register_rule", "sin", "sin_cos", "sqrt", "steer_at_speed",
    "steer_towards", "tanh", "to_integer", "to_number", "uniform_from", "uniform_pair", "vector", "when", "where",
]  # fmt: skip
