"""The objects besides the flock, as dictionaries: hunters, food, carcasses, the time of day.

Obstacles, attractors, home ranges and wind are in the scenario and need no reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from numpy.typing import NDArray

from murmura.core.layout import Layout
from murmura.rules.life.feeding import Feeding
from murmura.rules.predators.reading import hunters_in
from murmura.scenario import Scenario

if TYPE_CHECKING:
    from murmura.engine.reading.facts import FoodSource, Hunter
    from murmura.engine.reading.reader import Reader

FOOD_COLUMNS = Layout((*Feeding.item_fields, *Feeding.memory_fields)).columns


def surroundings(scenario: Scenario, items: Mapping[str, NDArray[Any]], time: float) -> list[dict[str, Any]]:
    """The objects of one instant, a dictionary each with its `kind`: predator, food, carcass, sky.

    Args:
        scenario: The scenario.
        items: Rows of items by rule, as a state holds them; a rule without rows adds no objects.
        time: Simulated time [s].
    """
    return [
        found
        for name, rule in scenario.rules
        if rule.enabled
        for found in rule.objects(items.get(name), time)
    ]


def hunters(of: Reader) -> list[Hunter]:
    """The hunters that are alive.

    Each is a dictionary: id (its number, which is also `other` in events of capture), kind, state, x, y, vx, vy
    (and z, vz in space), heading [rad], time (since it appeared [s]), state_time (since it entered its state [s]),
    cooldown (until it may hunt again [s]), energy (0 to stats["max_energy"]), stats (max_energy, energy_regen [1/s],
    hunting_drain [1/s], attack_cost and exhaustion_threshold), target (an agent's id or None), target_x and target_y
    (and target_z in space: where that agent was last, or None), altitude (0..1), fright (how far it frightens now
    [u]), hunts, catches, failed_hunts, listed (whether the scenario names it, or it was born).
    """
    return cast("list[Hunter]", hunters_in(of.state.items.get("predators")))


def food(of: Reader) -> list[FoodSource]:
    """The sources of food, full or empty.

    Each is a dictionary: id (also `other` in events of meals), x, y (and z in space) [u], amount left, amount when
    full, feeders, radius (how near feeders gather [u]).
    """
    return cast("list[FoodSource]", of.scenario.rules.feeding.sources_in(of.state.items.get("feeding")))
