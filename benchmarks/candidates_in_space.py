"""How many candidates an agent meets in space, and how many it would with runs that are cut more tightly.

    python benchmarks/candidates_in_space.py

A uniform flock on a torus, 20 neighbours in the sphere of radius R = 1, sorted as the CPU kernel sorts it: columns of
R x R along x, four agents at a time, tiles of four candidates. A run may be cut to where the spheres of its four agents
intersect the column, at the next bin or exactly. `same bits` also keeps every candidate in its lane: runs then lose
whole tiles only. The last lines count tiles, and those with a candidate within reach of one of the four agents.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

AGENTS, NEIGHBORS, GROUP = 20_000, 20.0, 4
SIDE = (AGENTS / (NEIGHBORS / (4.0 / 3.0 * np.pi))) ** (1.0 / 3.0)
COLUMNS = int(SIDE)
WIDE = SIDE / COLUMNS
BIN = SIDE / int(4.0 * SIDE)


def sorted_flock() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Places by column, then x, and where each column begins."""
    places = np.random.default_rng(1).random((AGENTS, 3)) * SIDE
    column = (places[:, 2] / WIDE).astype(int) * COLUMNS + (places[:, 1] / WIDE).astype(int)
    order = np.lexsort((places[:, 0], column))
    return places[order], np.searchsorted(column[order], np.arange(COLUMNS**2 + 1))


def count(cut: bool, exact: bool, same_bits: bool) -> tuple[float, float]:
    """Candidates for each agent, and the same with the last tile of each run full."""
    places, starts = sorted_flock()
    met = tiled = 0
    for here in range(COLUMNS**2):
        z, y = divmod(here, COLUMNS)
        for begin in range(starts[here], starts[here + 1], GROUP):
            group = places[begin : min(begin + GROUP, starts[here + 1])]
            for dy, dz in product((-1, 0, 1), repeat=2):
                there = (z + dz) % COLUMNS * COLUMNS + (y + dy) % COLUMNS
                xs = places[starts[there] : starts[there + 1], 0]
                number = in_run(group, (y + dy, z + dz), xs, cut, exact, same_bits)
                met += number * len(group)
                tiled += -(-number // GROUP) * GROUP * len(group)
    return met / AGENTS, tiled / AGENTS


def in_run(
    group: NDArray[np.float64],
    column: tuple[int, int],
    xs: NDArray[np.float64],
    cut: bool,
    exact: bool,
    same_bits: bool,
) -> int:
    corner = np.array(column) * WIDE
    sideways = np.maximum(0.0, np.maximum(corner - group[:, 1:], group[:, 1:] - corner - WIDE))
    chords = np.sqrt(np.maximum(0.0, 1.0 - (sideways**2).sum(axis=1))) if cut else np.ones(len(group))
    if not chords.any():
        return 0
    reaching = chords > 0.0
    low = (group[reaching, 0] - chords[reaching]).min()
    high = (group[reaching, 0] + chords[reaching]).max()
    if not exact:
        low, high = np.floor(low / BIN) * BIN, np.ceil(high / BIN) * BIN
    line = np.concatenate([xs - SIDE, xs, xs + SIDE])
    first, last = np.searchsorted(line, [low, high])
    if same_bits:
        uncut = np.searchsorted(line, np.floor((group[:, 0].min() - 1.0) / BIN) * BIN)
        first = uncut + (first - uncut) // GROUP * GROUP
    return max(0, int(last - first))


def tiles_with_neighbors() -> dict[str, tuple[int, float]]:
    """Tiles of the agents' own column and of the eight around it, and the share with a neighbour of the four agents."""
    places, starts = sorted_flock()
    found: dict[str, list[bool]] = {"own column": [], "columns around": []}
    for here in range(0, COLUMNS**2, 17):
        z, y = divmod(here, COLUMNS)
        for begin in range(starts[here], starts[here + 1], GROUP):
            group = places[begin : min(begin + GROUP, starts[here + 1])]
            first = (np.floor(group[0, 0] / BIN) - 4.0) * BIN
            last = (np.floor(group[-1, 0] / BIN) + 5.0) * BIN
            for dy, dz in product((-1, 0, 1), repeat=2):
                line = with_images(places, starts, y + dy, z + dz)
                run = line[np.searchsorted(line[:, 0], first) : np.searchsorted(line[:, 0], last)]
                squares = ((group[:, None] - run) ** 2).sum(axis=-1)
                near = [bool((squares[:, k : k + GROUP] <= 1.0).any()) for k in range(0, len(run), GROUP)]
                found["columns around" if dy or dz else "own column"] += near
    return {name: (len(near), float(np.mean(near))) for name, near in found.items()}


def with_images(
    places: NDArray[np.float64], starts: NDArray[np.int64], y: int, z: int
) -> NDArray[np.float64]:
    """A column as neighbouring agents see it, with its images along x."""
    there = z % COLUMNS * COLUMNS + y % COLUMNS
    shift = np.array([0.0, (y - y % COLUMNS) * WIDE, (z - z % COLUMNS) * WIDE])
    column = places[starts[there] : starts[there + 1]] + shift
    side = np.array([SIDE, 0.0, 0.0])
    return np.concatenate([column - side, column, column + side])


def main() -> None:
    print(f"{'runs':<42} {'candidates':>10} {'in tiles':>9}")
    for name, *how in (
        ("as they are: bins of R/4", False, False, False),
        ("cut at bins", True, False, False),
        ("cut at bins, same bits", True, False, True),
        ("cut exactly", True, True, False),
        ("cut exactly, same bits", True, True, True),
    ):
        print(f"{name:<42} {'{:>10.1f} {:>9.1f}'.format(*count(*how))}", flush=True)
    for name, (tiles, share) in tiles_with_neighbors().items():
        print(f"{name}: {100.0 * share:.0f} % of {tiles:,} tiles have a neighbour")


if __name__ == "__main__":
    main()
