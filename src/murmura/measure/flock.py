"""One instant of a flock, as the measures see it.

`Flock` owns a checked, read-only copy of plain arrays, plus what several measures need and none should
compute twice: headings, the centre, and the proximity graph. Each is computed on first use. This file knows
geometry and stores other columns of the agents; it knows no rules, no engine and no names of measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from murmura.measure.lives import Lives

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Below this fraction of the whole, a length is rounding noise and its direction is meaningless.
NOISE = 1e-9
MOST_LINKS = 1_000_000
"""Above this many links (10,000 agents with 200 neighbours each) a flock is crowded: listing them takes seconds."""
NEAREST_LINKS = 16
ASKED = 200


@dataclass(frozen=True, eq=False)
class Flock:
    """The input of a measure: one instant of a flock.

    Writable arrays are copied, so a flock stays unchanged while the simulation runs.

    Attributes:
        positions: Where the agents are [u], shape (n, 2), or (n, 3) where there is a depth. Where
            the world wraps, positions outside it are wrapped.
        velocities: How they move [u/s], of the same shape.
        width: Size of the world along x [u].
        height: Size of the world along y [u].
        wraps: Whether the world is a torus; if so, all differences take the shortest way.
        radius: Perception radius [u]: two agents are linked if their distance is at most this.
        before: How the same agents moved a moment ago [u/s], of the same shape; None if unknown.
        elapsed: How long ago that was [s].
        ids: Ids of the agents, shape (n,); None if not needed.
        species: Numbers of their species, shape (n,); None if there is only one.
        species_names: Names of the species.
        columns: Other values of each agent, by name, shape (n,) each: `energy`, `gene_speed`.
        lives: Recent births and deaths; None without births and deaths.
        depth: Size of the world along z [u]; None: a plane.
        wraps_z: Whether it wraps along z; None: as along x.
        wraps_y: Whether it wraps along y; None: as along x.

    Raises:
        ValueError: If an array has a wrong shape or a value that is not finite, or a length is not > 0.
    """

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    width: float
    height: float
    wraps: bool
    radius: float
    before: NDArray[np.float64] | None = None
    elapsed: float = 1.0
    ids: NDArray[np.int64] | None = None
    species: NDArray[np.int64] | None = None
    species_names: tuple[str, ...] = ()
    columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    lives: Lives | None = None
    depth: float | None = None
    wraps_z: bool | None = None
    wraps_y: bool | None = None

    def __post_init__(self) -> None:
        lengths = [("width", "u"), ("height", "u"), ("radius", "u"), ("elapsed", "s")]
        for name, unit in [*lengths, *([("depth", "u")] if self.depth is not None else [])]:
            object.__setattr__(self, name, _positive(name, getattr(self, name), unit))
        positions = _vectors("positions", self.positions, self.dimension)
        velocities = _vectors("velocities", self.velocities, self.dimension)
        if len(positions) != len(velocities):
            raise ValueError(
                f"positions and velocities must have one row per agent each, got {len(positions)} and "
                f"{len(velocities)} rows; take both from the same step"
            )
        positions = _wrapped(positions, self.size, self.wrapping)
        kept = {"positions": positions, "velocities": velocities}
        if self.before is not None:
            kept["before"] = _vectors("before", self.before, self.dimension)
            if len(kept["before"]) != len(velocities):
                raise ValueError(
                    f"before must have a row for each of the {len(velocities)} agents, got {len(kept['before'])}; "
                    "give the earlier velocities of the same agents"
                )
        for name in ("ids", "species"):
            if getattr(self, name) is not None:
                kept[name] = _column(name, getattr(self, name), np.int64, len(velocities))
        for name, array in kept.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        columns = {
            name: _column(name, values, np.float64, len(velocities)) for name, values in self.columns.items()
        }
        object.__setattr__(self, "columns", columns)

    @property
    def agent_count(self) -> int:
        return len(self.positions)

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return 2 if self.depth is None else 3

    @property
    def size(self) -> NDArray[np.float64]:
        """Width, height and, in space, depth [u], shape (2,) or (3,)."""
        return np.array([self.width, self.height, *(() if self.depth is None else (self.depth,))])

    @property
    def wrapping(self) -> tuple[bool, ...]:
        """Which axes wrap."""
        up = self.wraps if self.wraps_z is None else self.wraps_z
        side = self.wraps if self.wraps_y is None else self.wraps_y
        return (self.wraps, side, up)[: self.dimension]

    @cached_property
    def speeds(self) -> NDArray[np.float64]:
        """How fast each agent moves [u/s], shape (n,)."""
        return lengths_of(self.velocities)

    @cached_property
    def is_moving(self) -> NDArray[np.bool_]:
        """Which agents have a heading, shape (n,)."""
        # NumPy is ten times slower along an axis of length two than column by column.
        first, *rest = (column != 0.0 for column in self.velocities.T)
        for other in rest:
            first = first | other
        return np.asarray(first)

    @cached_property
    def headings(self) -> NDArray[np.float64]:
        """Unit vectors of motion, shaped as velocities; NaN rows for agents that stand still."""
        return unit_vectors(self.velocities)

    @cached_property
    def center(self) -> NDArray[np.float64]:
        """The middle of the flock [u], one number for each axis; NaN along an axis where there is none.

        On a torus each axis is a circle and the middle is the circular mean, which does not exist for
        agents spread evenly around it.
        """
        if self.agent_count == 0:
            return np.full(self.dimension, math.nan)
        if not any(self.wrapping):
            return column_means(self.positions)
        angles = by_columns(np.multiply, self.positions, 2.0 * math.pi / self.size)
        sines, cosines = column_means(np.sin(angles)), column_means(np.cos(angles, out=angles))
        middle = np.mod(np.arctan2(sines, cosines) / (2.0 * math.pi), 1.0) * self.size
        round_about = np.where(np.hypot(sines, cosines) > NOISE, middle, math.nan)
        if all(self.wrapping):
            return round_about
        return np.where(self.wrapping, round_about, column_means(self.positions))

    @cached_property
    def offsets(self) -> NDArray[np.float64]:
        """From the centre to each agent [u], shaped as positions."""
        return self.shortest(by_columns(np.subtract, self.positions, self.center))

    @cached_property
    def distances(self) -> NDArray[np.float64]:
        """How far each agent is from the centre [u], shape (n,)."""
        return lengths_of(self.offsets)

    @cached_property
    def tree(self) -> Any:
        """A `scipy.spatial.cKDTree` of the positions, periodic where the world wraps."""
        from scipy.spatial import cKDTree

        if not any(self.wrapping):
            return cKDTree(self.positions)
        # An axis with a box of 0 does not wrap.
        return cKDTree(self.positions, boxsize=np.where(self.wrapping, self.size, 0.0))

    @cached_property
    def link_count(self) -> int:
        """How many pairs of agents are at most `radius` apart: counted without listing them."""
        return (int(self.tree.count_neighbors(self.tree, self.radius)) - self.agent_count) // 2

    @cached_property
    def is_crowded(self) -> bool:
        """Whether there are too many links to list them live; group and cluster measures then take a shortcut."""
        if self.agent_count * (self.agent_count - 1) // 2 <= MOST_LINKS:
            return False
        # A sample estimates the number of neighbours; counting exactly would cost as much as listing.
        asked = self.positions[:: max(1, self.agent_count // ASKED)]
        degrees = self.tree.query_ball_point(asked, self.radius, return_length=True)
        return float(np.mean(degrees) - 1.0) * self.agent_count / 2.0 > MOST_LINKS

    @cached_property
    def links(self) -> NDArray[np.int32]:
        """Pairs of agents at most `radius` apart, each pair once, shape (m, 2)."""
        # The tree compares squares and includes the radius, just as dx * dx + dy * dy <= radius * radius does.
        return np.asarray(self.tree.query_pairs(self.radius, output_type="ndarray"), dtype=np.int32)

    @cached_property
    def adjacency(self) -> Any:
        """The proximity graph as a symmetric `scipy.sparse.csr_array` of 0 and 1, shape (n, n)."""
        from scipy.sparse import coo_array

        rows = np.concatenate([self.links[:, 0], self.links[:, 1]])
        columns = np.concatenate([self.links[:, 1], self.links[:, 0]])
        ones = np.ones(len(rows), dtype=np.int32)
        return coo_array((ones, (rows, columns)), shape=(self.agent_count, self.agent_count)).tocsr()

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """How many others each agent is linked to, shape (n,)."""
        return np.bincount(self.links.ravel(), minlength=self.agent_count).astype(np.int64)

    @cached_property
    def group_labels(self) -> NDArray[np.int32]:
        """The number of each agent's connected part of the proximity graph, from 0, shape (n,)."""
        if self.agent_count == 0:
            return np.zeros(0, dtype=np.int32)
        from scipy.sparse.csgraph import connected_components

        graph = self._links_of_nearest() if self.is_crowded else self._one_way()
        _, labels = connected_components(graph, directed=False)
        return np.asarray(labels, dtype=np.int32)

    @cached_property
    def group_sizes(self) -> NDArray[np.int64]:
        """How many agents each connected part of the proximity graph has, shape (groups,)."""
        return np.bincount(self.group_labels).astype(np.int64)

    def _one_way(self) -> Any:
        """The proximity graph with each link once, in no order: half the size, where that is enough."""
        from scipy.sparse import csr_array

        starts = np.zeros(self.agent_count + 1, np.int32)
        np.cumsum(np.bincount(self.links[:, 0], minlength=self.agent_count), out=starts[1:])
        ends = self.links[np.argsort(self.links[:, 0], kind="stable"), 1]
        return csr_array((np.ones(len(ends)), ends, starts), shape=(self.agent_count, self.agent_count))

    def _links_of_nearest(self) -> Any:
        """The proximity graph of a crowd with each agent's links cut to its nearest few."""
        from scipy.sparse import coo_array

        k = min(NEAREST_LINKS + 1, self.agent_count)
        distances, others = self.tree.query(self.positions, k=k)
        near = distances <= self.radius
        rows = np.broadcast_to(np.arange(self.agent_count)[:, None], others.shape)[near]
        shape = (self.agent_count, self.agent_count)
        return coo_array((np.ones(len(rows), np.int32), (rows, others[near])), shape=shape).tocsr()

    @property
    def extent(self) -> float:
        """The largest length involved [u]: a side of the world, or a coordinate beyond it."""
        return float(max(*self.size.tolist(), np.abs(self.positions).max(initial=0.0)))

    def shortest(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        """Differences of positions [u], shape (..., 2) or (..., 3), reduced to the shortest way on a torus."""
        if not any(self.wrapping):
            return differences
        rounds = by_columns(np.divide, differences, self.size)
        whole = by_columns(np.multiply, np.rint(rounds, out=rounds), self.size)
        if not all(self.wrapping):
            whole[..., [not wraps for wraps in self.wrapping]] = 0.0
        return np.asarray(differences - whole)


def column_means(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of vectors, shape (n, d) with n > 0: the bits of `mean(axis=0)`, which is four times slower."""
    return np.array([np.add.accumulate(column)[-1] for column in vectors.T]) / len(vectors)


def lengths_of(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths of vectors, shape (n,)."""
    x, y, *z = vectors.T
    flat = np.hypot(x, y)
    return np.asarray(np.hypot(flat, z[0]) if z else flat)


def by_columns(
    operation: Callable[..., Any], vectors: NDArray[np.float64], pair: NDArray[np.float64]
) -> NDArray[np.float64]:
    """operation(vectors, pair) for vectors of shape (..., d): NumPy is five times slower along so short an axis."""
    found = np.empty_like(vectors)
    for k in range(vectors.shape[-1]):
        operation(vectors[..., k], pair[k], out=found[..., k])
    return found


def unit_vectors(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale vectors, shape (n, d), to length 1; a zero vector becomes NaN."""
    # Dividing by the larger component first keeps vectors near either end of the float range exact.
    if vectors.shape[1] == 3:
        most = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
        scaled = vectors / np.where(most > 0.0, most, math.nan)
        return np.asarray(scaled / lengths_of(scaled)[:, None])
    x, y = vectors[:, 0], vectors[:, 1]
    larger = np.maximum(np.abs(x), np.abs(y))
    larger = np.where(larger > 0.0, larger, math.nan)
    x, y = x / larger, y / larger
    length = np.hypot(x, y)
    return np.stack([np.divide(x, length, out=x), np.divide(y, length, out=y)], axis=1)


def chosen_rows(vectors: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The chosen vectors, shape (m, 2); without a copy if all are chosen, since indexing would dominate the cost."""
    return vectors if chosen.all() else vectors[chosen]


def _positive(name: str, value: object, unit: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever float() refuses is reported below
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number > 0.0):
        what = "length" if unit == "u" else "time"
        raise ValueError(
            f"{name} must be a finite number > 0 [{unit}], got {value!r}; give a positive {what}"
        )
    return number


def _vectors(name: str, value: object, dimension: int) -> NDArray[np.float64]:
    # Read-only arrays need not be copied.
    is_mine = isinstance(value, np.ndarray) and value.flags.owndata and not value.flags.writeable
    try:
        array = np.array(value, dtype=np.float64, order="C", copy=None if is_mine else True)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be numbers of shape (n, {dimension}), got {type(value).__name__}: {error}; pass an array"
        ) from error
    if array.ndim != 2 or array.shape[1] != dimension:
        axes = "x and y" if dimension == 2 else "x, y and z"
        raise ValueError(
            f"{name} must have shape (n, {dimension}), got {array.shape}; give {axes} in one row per agent"
        )
    if not np.isfinite(array).all():
        bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
        raise ValueError(
            f"{name} must be finite, got {array[bad[0]].tolist()} for agent {bad[0]} "
            f"({bad.size} of {len(array)} agents); leave such agents out or find the step that made them"
        )
    return array


def _column(name: str, value: object, kind: type, count: int) -> NDArray[Any]:
    array: NDArray[Any] = np.array(value, dtype=kind)
    if array.shape != (count,):
        raise ValueError(
            f"{name} must have a value for each of the {count} agents, got shape {array.shape}; take all from one step"
        )
    return array


def _wrapped(
    positions: NDArray[np.float64], size: NDArray[np.float64], wrapping: tuple[bool, ...]
) -> NDArray[np.float64]:
    columns = [positions[:, k] for k, wraps in enumerate(wrapping) if wraps]
    sides = [size[k] for k, wraps in enumerate(wrapping) if wraps]
    if all((x >= 0.0).all() and (x < side).all() for x, side in zip(columns, sides, strict=True)):
        return positions  # nearly always so, and computing a remainder is slow
    wrapped = np.mod(positions, size)
    # The remainder of a tiny negative number rounds up to the size itself, which is the same place as 0.
    return np.where(wrapping, np.where(wrapped < size, wrapped, 0.0), positions)
