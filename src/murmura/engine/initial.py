"""The flock at step 0, from scenario and seed, or from the user's arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murmura.compute.item_tables import item_layout, item_rows, padded
from murmura.compute.plan import state_columns
from murmura.core.errors import ScenarioError
from murmura.core.layout import AXES, column_parts
from murmura.core.rule import Rule
from murmura.core.state import (
    INTEGER_COLUMNS,
    LARGEST_ID,
    FeedingState,
    Gender,
    MatingState,
    State,
    column_name,
    newborn_value,
)
from murmura.core.world.randomness import seed_words
from murmura.engine.drawing import (
    Words,
    below_edges,
    drawn_places,
    drawn_velocities,
    individual_columns,
    lengths_of,
    velocity_columns,
    words_of,
)
from murmura.rules.environment import solids
from murmura.rules.refusals import LARGEST_EXACT_ID
from murmura.scenario import Scenario
from murmura.scenario.models import MOST_AGENTS

LARGEST_STEP = 2**62
CODES = {"gender": Gender, "feeding_state": FeedingState, "mating_state": MatingState}
LARGEST_COORDINATE = 1e9  # squares of it are still finite in single precision


def random_start(scenario: Scenario, seed: int) -> State:
    """Agents at random positions and headings, a function of scenario and seed."""
    return random_starts(scenario, [seed])


def random_starts(scenario: Scenario, seeds: Sequence[int]) -> State:
    """The random starts with these seeds one after the other, drawn in one pass: the same bits as one by one."""
    size = scenario.agents
    state = State(size * len(seeds), state_columns(scenario))
    state.columns["id"][:] = np.tile(np.arange(size, dtype=np.int32), len(seeds))
    state.next_id = size
    words = words_of(seeds, size)
    _set_vectors(state, "position", drawn_places(scenario, words, state.ids))
    _set_velocities(state, drawn_velocities(scenario, words, state.ids))
    _set_individuals(scenario, state, words, size)
    _set_founders(scenario, state, seeds)
    return state


def checked_step(step: int) -> int:
    """Check the step count that given agents start with."""
    if isinstance(step, bool) or not isinstance(step, int | np.integer) or not 0 <= step <= LARGEST_STEP:
        raise ScenarioError(f"first_step must be a whole number from 0 to 2**62, got {step!r}")
    return int(step)


def given_start(
    scenario: Scenario,
    seed: int,
    positions: ArrayLike,
    velocities: ArrayLike | None,
    species: ArrayLike | None,
    ids: ArrayLike | None,
) -> State:
    """Agents with the user's positions and velocities; everything else as in a random start."""
    dimension = scenario.world.dimension
    places = checked_vectors("positions", positions, dimension)
    n = len(places)
    if n != scenario.agents:
        scenario = scenario.with_values({"agents": n})
    state = State(n, state_columns(scenario))
    if ids is not None:
        state.columns["id"][:] = _checked_ids(ids, n)
    order = np.argsort(state.ids, kind="stable")
    state.columns["id"][:] = state.ids[order]
    state.next_id = int(state.ids[-1]) + 1 if n else 0
    _check_places(scenario, places)
    _set_vectors(state, "position", below_edges(scenario, places[order].T))
    if velocities is None:
        _set_velocities(state, drawn_velocities(scenario, seed_words(seed), state.ids))
    else:
        speeds = checked_vectors("velocities", velocities, dimension)
        if len(speeds) != n:
            raise ScenarioError(
                f"velocities must have one row for each of the {n} positions, got {len(speeds)}"
            )
        _set_velocities(state, _allowed(scenario, speeds[order]).T)
    _set_individuals(scenario, state, seed_words(seed), n)
    if species is not None:
        kinds = _whole_numbers("species", species, n)
        known = len(scenario.species_names())
        if n and not (kinds.min() >= 0 and kinds.max() < known):
            raise ScenarioError(
                f"species must be numbers from 0 to {known - 1}, got {kinds.min()} to {kinds.max()}"
            )
        state["species"][:] = kinds[order]
    _set_founders(scenario, state, [seed])
    return state


def restarted(scenario: Scenario, start: State, positions: ArrayLike, velocities: ArrayLike) -> State:
    """The same agents, in order of id, with other positions and velocities."""
    dimension = scenario.world.dimension
    places = checked_vectors("positions", positions, dimension)
    _check_places(scenario, places)
    state = start.copy()
    _set_vectors(state, "position", below_edges(scenario, places.T))
    speeds = checked_vectors("velocities", velocities, dimension)
    _set_velocities(state, _allowed(scenario, speeds).T)
    return state


def set_items(scenario: Scenario, state: State, seed: int) -> None:
    """Create the rows of stateful items in a state; existing items keep their memory and get new settings."""
    _check_ids_are_exact(scenario, state)
    wanted = {name: rule for name, rule in scenario.rules if rule.enabled and rule.turn}
    for name in set(state.items) - set(wanted):
        del state.items[name]
    for name, rule in wanted.items():
        layout = item_layout(rule, scenario)
        rows = rule.items_in(scenario.world.sides, seed)
        fresh = padded(item_rows(name, rows, layout, scenario), len(layout))
        old = state.items.get(name)
        if old is not None:
            settings = {k for f in rule.item_settings for k in layout.columns_of(f)}
            own = [k for k in range(len(layout)) if k not in settings]
            identity = [k for f in rule.item_identity for k in layout.columns_of(f)]
            before, now = _same_items(old, fresh, identity)
            fresh[np.ix_(now, own)] = old[np.ix_(before, own)]
        state.items[name] = fresh


def _same_items(
    old: NDArray[np.float32], fresh: NDArray[np.float32], identity: list[int]
) -> tuple[list[int], list[int]]:
    """Pairs of rows of the same items: by number, or by the identity columns if some were added or removed."""
    if len(old) == len(fresh) or not identity:
        rows = list(range(min(len(old), len(fresh))))
        return rows, rows
    known = {tuple(row[identity].tolist()): number for number, row in enumerate(old)}
    found = [(known.get(tuple(row[identity].tolist()), -1), number) for number, row in enumerate(fresh)]
    kept = [pair for pair in found if pair[0] >= 0]
    return [before for before, _ in kept], [now for _, now in kept]


def _check_ids_are_exact(scenario: Scenario, state: State) -> None:
    """Raise if ids exceed what kernels can carry as float32."""
    users = [name for name in ("feeding", "mating", "behavior") if getattr(scenario.rules, name).enabled]
    if users and state.next_id > LARGEST_EXACT_ID:
        raise ScenarioError(
            f"rules.{users[0]} knows agents by ids up to {LARGEST_EXACT_ID:,}, got agents up to {state.next_id - 1:,}; "
            f"give ids from 0 on, or set rules.{users[0]}.enabled = false"
        )


def adapted(before: Scenario, after: Scenario, state: State, seed: int) -> State:
    """The flock adapted to a changed scenario: inside its world, with founders' values of newly enabled rules.

    A newly enabled rule treats all agents as founders, except in columns that another rule has already changed from
    their defaults: evolved genes stay.
    """
    moved = state if before.world == after.world else brought_inside(after, state)
    known = {name for name, rule in before.rules if rule.enabled}
    begun = {name for name, rule in after.rules if rule.enabled and name not in known}
    if begun:
        moved = moved.with_columns(state_columns(after))
        _set_founders(after, moved, [seed], begun)
    return moved


def brought_inside(scenario: Scenario, state: State) -> State:
    """The flock in a world whose size or edges have changed: agents outside are wrapped or clamped."""
    moved, places = state.copy(), []
    for axis, size, edge in zip(AXES, scenario.world.sides, scenario.world.edges, strict=False):
        x = moved[f"position_{axis}"].astype(np.float64)
        places.append(x if edge == "open" else np.mod(x, size) if edge == "wrap" else np.clip(x, 0.0, size))
    _set_vectors(moved, "position", below_edges(scenario, places))
    return moved


def newborn_columns(
    scenario: Scenario,
    seed: int,
    next_id: int,
    positions: ArrayLike,
    velocities: ArrayLike,
    columns: Mapping[str, ArrayLike],
) -> dict[str, ArrayLike]:
    """Checked columns of agents that are added to a running simulation."""
    given = {
        column_name(name): values for name, values in by_component(columns, scenario.world.dimension).items()
    }
    n = len(checked_vectors("positions", positions, scenario.world.dimension))
    born = np.arange(next_id, next_id + n)
    state = given_start(
        scenario, seed, positions, velocities, given.get("species_id", np.zeros(n, int)), born
    )
    for name, values in given.items():
        given[name] = _checked_column(name, values, n)
    return {name: column for name, column in state.columns.items() if name != "id"} | given


def _checked_column(name: str, values: ArrayLike, n: int) -> NDArray[Any]:
    if name in INTEGER_COLUMNS:
        array = _whole_numbers(name, values, n)
        codes = CODES.get(name)
        if codes is not None and not np.isin(array, list(codes)).all():
            words = ", ".join(f"{code.value} ({code.name.lower()})" for code in codes)
            raise ScenarioError(f"{name} must be one of {words}, got {array.tolist()}")
        return array
    try:
        array = np.asarray(values)
        array = array.astype(np.float64) if array.shape == (n,) else array
    except (TypeError, ValueError):
        raise ScenarioError(f"{name} must be {n} numbers, got {values!r:.80}") from None
    if array.shape != (n,) or not (np.abs(array) <= LARGEST_COORDINATE).all():
        raise ScenarioError(f"{name} must be {n} finite numbers, got {values!r:.80}")
    return array


def checked_vectors(name: str, values: ArrayLike, dimension: int) -> NDArray[np.float64]:
    """Convert to an (n, 2) or, in space, (n, 3) array of finite numbers; raise if that is impossible."""
    shape, axes = f"(n, {dimension})", ", ".join(AXES[:dimension])
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise TypeError("complex numbers")
        is_many = (
            array.ndim > 0 and len(array) > MOST_AGENTS
        )  # a view may claim any size, which a copy would take
        array = array if is_many else array.astype(np.float64)
    except (TypeError, ValueError):
        raise ScenarioError(
            f"{name} must be an array of shape {shape}, got {type(values).__name__}"
        ) from None
    if is_many:
        raise ScenarioError(f"{name} must have at most {MOST_AGENTS:,} rows, got {len(array):,}")
    if array.ndim != 2 or array.shape[1] != dimension:
        hint = ""
        if array.ndim == 2 and array.shape[1] == 2:
            hint = "; this world has a depth: add a column z, or leave world.depth out for a plane"
        elif array.ndim == 2 and array.shape[1] == 3:
            hint = "; this world is a plane: give it a world.depth, or leave the third column out"
        raise ScenarioError(
            f"{name} must have shape {shape}: one row ({axes}) for each agent, got {array.shape}{hint}"
        )
    fine = (np.abs(array) <= LARGEST_COORDINATE).all(axis=1)
    if not fine.all():
        row = int(np.flatnonzero(~fine)[0])
        raise ScenarioError(
            f"{name} must be finite and at most {LARGEST_COORDINATE:g} in size, got {array[row].tolist()} "
            f"in row {row}"
        )
    return array


def _checked_ids(ids: ArrayLike, n: int) -> NDArray[np.int64]:
    array = _whole_numbers("ids", ids, n)
    if len(np.unique(array)) != n or (n and (array.min() < 0 or array.max() > LARGEST_ID)):
        raise ScenarioError(f"ids must be different from each other and from 0 to {LARGEST_ID}")
    return array.astype(np.int64)


def _whole_numbers(name: str, values: ArrayLike, n: int) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise ScenarioError(f"{name} must be {n} whole numbers, got rows of different lengths") from None
    if array.shape != (n,) or (n and array.dtype.kind not in "iu"):
        raise ScenarioError(f"{name} must be {n} whole numbers, got shape {array.shape} {array.dtype}")
    return array


def _check_places(scenario: Scenario, places: NDArray[np.float64]) -> None:
    world = scenario.world
    inside = np.ones(len(places), bool)
    for x, size, edge in zip(places.T, world.sides, world.edges, strict=True):
        if edge != "open":
            inside &= (x >= 0.0) & ((x < size) if edge == "wrap" else (x <= size))
    if not inside.all():
        row = int(np.flatnonzero(~inside)[0])
        raise ScenarioError(
            f"positions must lie in the world, {_extent(world)} [u], got {places[row].tolist()} in row {row}"
        )
    for number, shape in enumerate(scenario.obstacles):
        for row, place in enumerate(places.tolist()):
            if solids.lies_in(scenario.world, shape, place):
                where = ", ".join(f"{x:g}" for x in place)
                raise ScenarioError(
                    f"positions: row {row} ({where}) lies inside obstacles.{number}; move it out"
                )


def _extent(world: Any) -> str:
    """The world's extent in words."""
    return " x ".join(f"0..{side:g}" for side in world.sides)


def _allowed(scenario: Scenario, velocities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Velocities under the scenario's speed policy: constant speed holds from the first instant."""
    if scenario.motion.policy != "constant":
        return velocities
    size = lengths_of(velocities.T)
    if (size == 0.0).any():
        row = int(np.flatnonzero(size == 0.0)[0])
        raise ScenarioError(
            f"velocities: row {row} is zero, but motion.policy is constant: give it a direction"
        )
    scaled: NDArray[np.float64] = velocities * (scenario.motion.speed / size)[:, None]
    return scaled


def _set_vectors(state: State, name: str, vectors: Any) -> None:
    for axis, values in zip(AXES, vectors, strict=False):
        state[f"{name}_{axis}"][:] = values


def _set_velocities(state: State, velocities: Any) -> None:
    for name, values in velocity_columns(velocities).items():
        state[name][:] = values


def _set_individuals(scenario: Scenario, state: State, words: Words, size: int) -> None:
    """Set species by share, random sexes (S2-3) and the aggression of males (S2-15), in flocks of this size."""
    shares = np.cumsum([kind.share for kind in scenario.species] or [1.0])
    kinds = np.searchsorted(shares / shares[-1], (np.arange(size) + 0.5) / max(size, 1))
    state["species"][:] = np.tile(kinds, len(state) // max(size, 1))
    for name, values in individual_columns(words, state.ids).items():
        state[name][:] = values


def _set_founders(
    scenario: Scenario, state: State, seeds: Sequence[int], begun: set[str] | None = None
) -> None:
    """Set the columns that rules give to founders, by species, in flocks of one size with these seeds.

    `begun` restricts it to newly enabled rules.
    """
    new = {name for name in state.columns if begun is None or (state[name] == newborn_value(name)).all()}
    size = len(state) // len(seeds)
    for k in range(max(1, len(scenario.species))):
        for rule_name, rule in scenario.of_species(k).rules:
            if not rule.enabled or (begun is not None and rule_name not in begun):
                continue
            if type(rule).columns_at_start is Rule.columns_at_start:
                continue
            for number, seed in enumerate(seeds):
                begin = number * size
                kinds = state["species"][begin : begin + size]
                mine = begin + (np.flatnonzero(kinds == k) if scenario.species else np.arange(size))
                given = rule.columns_at_start(state.ids[mine], seed)
                for name, values in by_component(given, scenario.world.dimension).items():
                    if name in new:
                        state[name][mine] = values


def by_component(columns: Mapping[str, Any], dimension: int) -> dict[str, Any]:
    """Columns with vectors, one row for each agent, as one column for each axis."""
    found: dict[str, Any] = {}
    for name, values in columns.items():
        parts = column_parts([name], dimension)
        if len(parts) == 1:
            found[name] = values
        else:
            found |= dict(zip(parts, checked_vectors(name, values, dimension).T, strict=True))
    return found
