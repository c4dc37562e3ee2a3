"""Where neighbours are and how an animal responds to them: interaction maps, as is usual in the field.

All maps are drawn around a focal agent that heads upwards: the first axis is how far a neighbour is to its right [u],
the second how far ahead [u]. Right is as on the page, where y grows downwards. Flocks may be real or simulated, but
accelerations and delays need consecutive instants.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from murmura.measure.flock import Flock, lengths_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 24
MOST_FOLLOWED = 200
"""In larger flocks only this many agents, the first by id, are compared in pairs for delays."""


@dataclass(frozen=True, eq=False)
class NeighborMap:
    """How dense neighbours are around an agent.

    Attributes:
        edges: Of the bins along both axes [u], shape (bins + 1,).
        counts: Neighbours found in each bin, shape (bins, bins): right, then ahead.
        density: Neighbours around one agent at one instant [1/u²], shape (bins, bins).
        focal_count: Number of focal agents, summed over instants.
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    density: NDArray[np.float64]
    focal_count: int


@dataclass(frozen=True, eq=False)
class ResponseMap:
    """How an agent accelerates, by the position of a neighbour (Katz et al. 2011).

    Attributes:
        edges: Of the bins along both axes [u], shape (bins + 1,).
        counts: Neighbours found in each bin, shape (bins, bins): right, then ahead.
        turning: Mean acceleration to the right [u/s²], shape (bins, bins); NaN where there were none.
        speeding: Mean acceleration forwards [u/s²], likewise.
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    turning: NDArray[np.float64]
    speeding: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Leadership:
    """Who follows whom, and how much later (Nagy et al. 2010).

    Attributes:
        ids: Of the agents, shape (n,).
        lags: Delays that were tried [s], shape (lags,).
        correlations: Mean product of the heading of i and the heading of j a lag later, shape (lags, n, n).
        delays: The lag of the greatest correlation of i and j [s], shape (n, n): above 0 where j follows i; NaN where
            that correlation is below the required minimum.
    """

    ids: NDArray[np.int64]
    lags: NDArray[np.float64]
    correlations: NDArray[np.float64]
    delays: NDArray[np.float64]

    @property
    def leads(self) -> NDArray[np.float64]:
        """By how much each agent is ahead of the others on average [s], shape (n,); NaN without similar others."""
        known = np.isfinite(self.delays)
        sums = np.where(known, self.delays, 0.0).sum(axis=1)
        counts = known.sum(axis=1)
        return np.asarray(np.divide(sums, counts, out=np.full(len(sums), math.nan), where=counts > 0))


def neighbor_map(flocks: Iterable[Flock], reach: float, bins: int = BINS) -> NeighborMap:
    """Count neighbours around every agent that moves.

    Args:
        flocks: Instants of a flock.
        reach: How far the map goes to each side [u].
        bins: Into how many parts each axis is cut.
    """
    edges = _edges(reach, bins)
    counts = np.zeros((bins, bins), np.int64)
    focal = 0
    for flock in flocks:
        _, _, right, ahead = neighbors_seen(flock, reach)
        counts += np.histogram2d(right, ahead, (edges, edges))[0].astype(np.int64)
        focal += int(flock.is_moving.sum())
    area = (2.0 * reach / bins) ** 2
    return NeighborMap(edges, counts, counts / (area * max(focal, 1)), focal)


def response_map(flocks: Iterable[Flock], seconds: float, reach: float, bins: int = BINS) -> ResponseMap:
    """Average how agents turn and speed up, by the position of a neighbour.

    The acceleration is half the difference of the velocities an instant later and an instant earlier.

    Args:
        flocks: Instants of a flock that follow each other, with ids.
        seconds: Time between two instants [s].
        reach: How far the map goes to each side [u].
        bins: Into how many parts each axis is cut.
    """
    edges = _edges(reach, bins)
    counts, turning, speeding = (np.zeros((bins, bins)) for _ in range(3))
    for now, accelerations in accelerated(flocks, seconds):
        focal, _, right, ahead = neighbors_seen(now, reach)
        known = np.isfinite(accelerations[focal, 0])
        focal, right, ahead = focal[known], right[known], ahead[known]
        sideways, forwards = in_own_frame(accelerations[focal], now.headings[focal])
        for total, weights in ((counts, None), (turning, sideways), (speeding, forwards)):
            total += np.histogram2d(right, ahead, (edges, edges), weights=weights)[0]
    nowhere = np.full((bins, bins), math.nan)
    return ResponseMap(
        edges, counts.astype(np.int64), np.divide(turning, counts, out=nowhere.copy(), where=counts > 0),
        np.divide(speeding, counts, out=nowhere, where=counts > 0),
    )  # fmt: skip


def alignment_by_distance(
    flocks: Iterable[Flock], reach: float, bins: int = BINS
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average the cosine between the headings of two agents against their distance.

    Returns:
        The middle of each bin [u] and the mean cosine there, both of shape (bins,); NaN where no pair was.
    """
    edges = np.linspace(0.0, _checked(reach, bins), bins + 1)
    sums, counts = np.zeros(bins), np.zeros(bins)
    for flock in flocks:
        focal, other, right, ahead = neighbors_seen(flock, reach)
        both = flock.is_moving[other]
        ours, theirs = flock.headings[focal[both]], flock.headings[other[both]]
        cosines = (ours * theirs).sum(axis=1)
        distances = np.hypot(right[both], ahead[both])
        sums += np.histogram(distances, edges, weights=cosines)[0]
        counts += np.histogram(distances, edges)[0]
    middles = (edges[1:] + edges[:-1]) / 2.0
    return middles, np.divide(sums, counts, out=np.full(bins, math.nan), where=counts > 0)


def anisotropy(flocks: Iterable[Flock], nearest: int = 8) -> NDArray[np.float64]:
    """Measure how much directions to the n-th nearest neighbours avoid that of motion (Ballerini et al. 2008).

    At each instant: the mean of the products of the unit vectors to all n-th neighbours is a matrix; the square
    of the cosine between the direction in which it is least and the flock's velocity is averaged over all instants.

    Returns:
        For the nearest, the second nearest and so on, shape (nearest,): 1/2, in space 1/3, where neighbours are in all
        directions alike, 1 where none is ahead or behind, 0 where all are. NaN beyond the number of others.
    """
    if nearest < 1:
        raise ValueError(f"expected 1 or more neighbours, got {nearest}")
    sums, counts = np.zeros(nearest), np.zeros(nearest)
    for flock in flocks:
        k = min(nearest, flock.agent_count - 1)
        speed = math.hypot(*flock.velocities.mean(axis=0)) if k > 0 else 0.0
        if not speed > 0.0:
            continue
        direction = flock.velocities.mean(axis=0) / speed
        _, who = flock.tree.query(flock.positions, k=k + 1)
        offsets = flock.shortest(flock.positions[who[:, 1:]] - flock.positions[:, None])
        lengths = lengths_of(offsets.reshape(-1, flock.dimension)).reshape(offsets.shape[:-1])
        units = np.divide(
            offsets, lengths[..., None], out=np.zeros_like(offsets), where=lengths[..., None] > 0.0
        )
        for rank in range(k):
            matrix = units[:, rank].T @ units[:, rank]
            least = np.linalg.eigh(matrix)[1][:, 0]
            sums[rank] += float(least @ direction) ** 2
            counts[rank] += 1
    return np.asarray(np.divide(sums, counts, out=np.full(nearest, math.nan), where=counts > 0))


def nearest_anisotropy(flock: Flock) -> float:
    """Measure how much directions to nearest neighbours avoid that of motion at this instant; see `anisotropy`."""
    return float(anisotropy([flock], 1)[0])


def leadership(
    flocks: Iterable[Flock], seconds: float, longest: float, least_correlation: float = 0.5
) -> Leadership:
    """Find for each pair the delay at which their headings are most similar.

    Args:
        flocks: Instants of a flock that follow each other, with ids.
        seconds: Time between two instants [s].
        longest: The longest delay to try [s].
        least_correlation: A pair whose correlation never exceeds this has no delay.
    """
    ids, headings = _headings(list(flocks))
    count = max(1, round(longest / _positive(seconds)))
    if len(headings) <= count:
        raise ValueError(
            f"delays up to {longest:g} s need more than {count} instants, got {len(headings)}; try shorter ones"
        )
    known = np.isfinite(headings[..., 0]).astype(np.float64)
    zeroed = np.nan_to_num(headings)
    lags = np.arange(-count, count + 1)
    correlations = np.stack([_lagged(zeroed, known, int(lag)) for lag in lags])
    best = np.nanargmax(np.where(np.isfinite(correlations), correlations, -2.0), axis=0)
    peak = np.take_along_axis(correlations, best[None], axis=0)[0]
    delays = np.where(peak >= least_correlation, lags[best] * seconds, math.nan)
    np.fill_diagonal(delays, math.nan)
    return Leadership(ids, np.asarray(lags * seconds, np.float64), correlations, delays)


def _lagged(headings: NDArray[np.float64], known: NDArray[np.float64], lag: int) -> NDArray[np.float64]:
    """Mean product of headings and those a lag later, shape (n, n); NaN for two that were never present together."""
    if lag < 0:
        return _lagged(headings, known, -lag).T
    early, late = slice(0, len(headings) - lag), slice(lag, None)
    sums = sum(headings[early, :, k].T @ headings[late, :, k] for k in (0, 1))
    counts = known[early].T @ known[late]
    return np.asarray(np.divide(sums, counts, out=np.full(counts.shape, math.nan), where=counts > 0))


def _headings(flocks: list[Flock]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """All headings at every instant, shape (instants, n, 2); NaN for agents that are absent or stand still."""
    names = [_ids(flock) for flock in flocks]
    ids = np.unique(np.concatenate(names))[:MOST_FOLLOWED] if names else np.zeros(0, np.int64)
    headings = np.full((len(flocks), len(ids), 2), math.nan)
    for row, (flock, name) in enumerate(zip(flocks, names, strict=True)):
        _in_the_plane(flock)
        chosen = np.isin(name, ids)
        headings[row, np.searchsorted(ids, name[chosen])] = flock.headings[chosen]
    return ids, headings


def accelerated(flocks: Iterable[Flock], seconds: float) -> Iterator[tuple[Flock, NDArray[np.float64]]]:
    """Every flock but the first and last, with the agents' accelerations [u/s²], shape (n, 2); NaN where unknown."""
    _positive(seconds)
    for (before, now), (_, after) in pairwise(pairwise(flocks)):
        change = velocities_at(now, after) - velocities_at(now, before)
        yield now, change / (2.0 * seconds)


def velocities_at(now: Flock, other: Flock) -> NDArray[np.float64]:
    """The velocities that the agents of a flock have at another instant, shape (n, 2); NaN for absent agents."""
    ours, theirs = _ids(now), _ids(other)
    found = np.full((len(ours), 2), math.nan)
    if len(theirs):
        rows = np.minimum(np.searchsorted(theirs, ours), len(theirs) - 1)
        there = theirs[rows] == ours
        found[there] = other.velocities[rows[there]]
    return found


def neighbors_seen(
    flock: Flock, reach: float
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Every pair of an agent that moves and another in the square of 2 reach around it.

    Returns:
        Row of the agent, row of the other, how far that is to the right and ahead [u], each of shape (pairs,).
    """
    _in_the_plane(flock)
    corner = min(reach * math.sqrt(2.0), 0.5 * min(flock.width, flock.height) if flock.wraps else math.inf)
    pairs = flock.tree.query_pairs(corner, output_type="ndarray")
    focal = np.concatenate([pairs[:, 0], pairs[:, 1]]).astype(np.intp)
    other = np.concatenate([pairs[:, 1], pairs[:, 0]]).astype(np.intp)
    moving = flock.is_moving[focal]
    focal, other = focal[moving], other[moving]
    offsets = flock.shortest(flock.positions[other] - flock.positions[focal])
    right, ahead = in_own_frame(offsets, flock.headings[focal])
    inside = (np.abs(right) <= reach) & (np.abs(ahead) <= reach)
    return focal[inside], other[inside], right[inside], ahead[inside]


def in_own_frame(
    vectors: NDArray[np.float64], headings: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Vectors, shape (n, 2), as their owners see them: how far to the right, and how far ahead, shape (n,) each."""
    (x, y), (hx, hy) = vectors.T, headings.T
    return x * -hy + y * hx, x * hx + y * hy


def _in_the_plane(flock: Flock) -> None:
    if flock.dimension != 2:
        raise ValueError("interaction maps need a flock in the plane; this one has a depth")


def _ids(flock: Flock) -> NDArray[np.int64]:
    return np.arange(flock.agent_count) if flock.ids is None else flock.ids


def _edges(reach: float, bins: int) -> NDArray[np.float64]:
    return np.linspace(-_checked(reach, bins), reach, bins + 1)


def _checked(reach: float, bins: int) -> float:
    if not (math.isfinite(reach) and reach > 0.0) or bins < 1:
        raise ValueError(f"expected a reach > 0 [u] and 1 or more bins, got {reach!r} and {bins!r}")
    return reach


def _positive(seconds: float) -> float:
    if not (math.isfinite(seconds) and seconds > 0.0):
        raise ValueError(f"seconds between instants must be a finite number > 0, got {seconds!r}")
    return seconds
