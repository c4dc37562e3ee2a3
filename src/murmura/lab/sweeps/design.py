"""The points that a sweep visits, and their seeds.

A design is a function of its axes, kind, sample count and seed: cell k has the same values and seeds whenever and
wherever it is computed. Nothing is stored for the cells of a grid, so a large one costs nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError, nearest
from murmura.core.extras import needs
from murmura.lab.sweeps.axes import Axis
from murmura.lab.sweeps.density import Density

Points = NDArray[np.float64]
MORRIS_LEVELS = 4
MOST_RUNS = 10_000_000
"""Greatest number of runs in a folder: their rows alone would be several gigabytes."""
SEARCH = "search"
"""The kind of a design whose points are chosen as results arrive."""


def run_seed(seed: int, cell: int, repeat: int) -> int:
    """The seed of one run: independent for every cell and repeat, and the same whatever the number of repeats.

    53 bits, so that it is exact in spreadsheets and JavaScript, which have only doubles.
    """
    word = np.random.SeedSequence(seed, spawn_key=(cell, repeat)).generate_state(1, np.uint64)[0]
    return int(word) >> 11


@dataclass(frozen=True)
class Design:
    """The cells of a sweep, numbered from 0, each visited `repeats` times; run = cell x repeats + repeat.

    With a density, the sides of the world follow the varied number of agents, and are values of a cell, too.
    """

    axes: tuple[Axis, ...]
    kind: str = "grid"
    samples: int | None = None
    repeats: int = 1
    seed: int = 0
    density: Density | None = None

    def __post_init__(self) -> None:
        if self.kind not in (*KINDS, "grid", SEARCH):
            known = ["grid", *KINDS]
            raise ScenarioError(
                f"no design is called {self.kind!r}{nearest(self.kind, known)}; known: {', '.join(known)}"
            )
        if self.repeats < 1:
            raise ScenarioError(f"expected at least 1 repeat, got {self.repeats}")
        if not 0 <= self.seed < 2**64:
            raise ScenarioError(f"seed must be a whole number from 0 to 2**64 - 1, got {self.seed}")
        if self.kind == "grid":
            if self.samples is not None:
                raise ScenarioError("a grid gets its counts from --vary; --samples is for other designs")
            self._grids  # noqa: B018  # raises if a count is missing
        elif self.samples is None or self.samples < 1:
            raise ScenarioError(
                f"the design {self.kind} needs --samples, a number of at least 1, got {self.samples}"
            )

    @cached_property
    def _grids(self) -> tuple[tuple[Any, ...], ...]:
        return tuple(axis.grid() for axis in self.axes)

    @cached_property
    def points(self) -> Points:
        """The cells in the unit cube, shape (cells, axes); only for designs other than a grid."""
        return KINDS[self.kind](len(self.axes), int(self.samples or 0), self.seed)

    @property
    def cell_count(self) -> int:
        if self.kind == "grid":
            count = 1
            for values in self._grids:
                count *= len(values)
            return count
        # Computed, not counted: a design that is far too large must be refused before its points fill the memory.
        per_sample = {"saltelli": 2 * len(self.axes) + 2, "morris": len(self.axes) + 1}
        return int(self.samples or 0) * per_sample.get(self.kind, 1)

    @property
    def run_count(self) -> int:
        return self.cell_count * self.repeats

    @property
    def paths(self) -> list[str]:
        """The paths of a cell's values: those of the axes, and those that follow."""
        return [axis.path for axis in self.axes] + ([] if self.density is None else self.density.paths)

    def cell(self, index: int) -> dict[str, Any]:
        """The values of a cell by path."""
        values = self._varied(index)
        return values if self.density is None else values | self.density.follow(values)

    def _varied(self, index: int) -> dict[str, Any]:
        if self.kind == "grid":
            values = {}
            for axis, grid in zip(reversed(self.axes), reversed(self._grids), strict=True):
                index, place = divmod(index, len(grid))
                values[axis.path] = grid[place]
            return dict(reversed(values.items()))
        return {axis.path: axis.at(float(u)) for axis, u in zip(self.axes, self.points[index], strict=True)}

    def task(self, run: int) -> dict[str, Any]:
        """A run as plain data: its number, values and seed."""
        cell, repeat = divmod(run, self.repeats)
        return {"run": run, "values": self.cell(cell), "seed": run_seed(self.seed, cell, repeat)}

    @property
    def fingerprint(self) -> str | None:
        """Hash of the points that a library chose: another version may choose others."""
        if self.kind in ("grid", SEARCH):
            return None
        return hashlib.sha256(self.points.tobytes()).hexdigest()

    def data(self) -> dict[str, Any]:
        """As plain data, for the manifest."""
        return {
            "kind": self.kind,
            "axes": [axis.data() for axis in self.axes],
            "samples": self.samples,
            "repeats": self.repeats,
            "seed": self.seed,
            **({} if self.density is None else {"density": self.density.data()}),
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Design:
        density = data.get("density")
        axes = tuple(Axis.from_data(axis) for axis in data["axes"])
        return cls(**(data | {"axes": axes, "density": None if density is None else Density(**density)}))


def _latin_hypercube(axes: int, samples: int, seed: int) -> Points:
    from scipy.stats import qmc

    return np.asarray(qmc.LatinHypercube(axes, seed=np.random.default_rng(seed)).random(samples))


def _sobol(axes: int, samples: int, seed: int) -> Points:
    from scipy.stats import qmc

    # Powers of two are balanced; other numbers use the first points of the next power.
    sequence = qmc.Sobol(axes, seed=np.random.default_rng(seed))
    return np.asarray(sequence.random_base2((samples - 1).bit_length())[:samples])


def salib_seed(seed: int) -> int:
    """A seed for SALib: 32 bits, and not 0, which SALib treats as no seed."""
    return seed % (2**32 - 1) + 1


def unit_problem(paths: list[str]) -> dict[str, Any]:
    """The problem definition for SALib, in the unit cube."""
    return {"num_vars": len(paths), "names": paths, "bounds": [[0.0, 1.0]] * len(paths)}


def _saltelli(axes: int, samples: int, seed: int) -> Points:
    """The points of Saltelli's scheme for Sobol indices: samples x (2 axes + 2) of them."""
    with needs("search"):
        from SALib.sample import sobol as sampling
    if samples & (samples - 1):
        raise ScenarioError(
            f"Sobol indices need a power of two for --samples, such as 64 or 128, got {samples}"
        )
    problem = unit_problem([str(k) for k in range(axes)])
    return np.asarray(sampling.sample(problem, samples, calc_second_order=True, seed=salib_seed(seed)))


def _morris(axes: int, samples: int, seed: int) -> Points:
    """Morris' trajectories: samples x (axes + 1) points."""
    with needs("search"):
        from SALib.sample import morris as sampling
    if samples < 2:
        raise ScenarioError(f"Morris' method needs at least 2 trajectories, got --samples {samples}")
    problem = unit_problem([str(k) for k in range(axes)])
    return np.asarray(sampling.sample(problem, samples, num_levels=MORRIS_LEVELS, seed=salib_seed(seed)))


KINDS: dict[str, Callable[[int, int, int], Points]] = {
    "lhs": _latin_hypercube,
    "sobol": _sobol,
    "saltelli": _saltelli,
    "morris": _morris,
}
