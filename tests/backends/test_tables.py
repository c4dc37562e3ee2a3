"""Tables of the species' numbers: what lanes look up is what stands there, however large the table."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import murmura as mm
from murmura.backends.lanes import entry, load, store_first
from murmura.backends.tables import laid_out, pitch_of
from murmura.backends.tracing_flow import traced
from murmura.scenario import Scenario


def third_of(pitch: int) -> Any:
    """A compiled function that looks sixteen entries of the third table up."""

    def write(tables: Any, index: Any, found: Any) -> None:
        store_first(found, 0, entry(tables, 2, pitch, load(index, 0)), 16)

    written = traced(numba.types.none, lambda function: function)(write)
    return numba.njit(lambda tables, index, found: written(tables, index, found))


@pytest.mark.parametrize(("entries", "pitch"), [(5, 16), (25, 32), (49, 49)])
def test_lanes_find_what_stands_in_a_table(entries: int, pitch: int):
    assert pitch_of(entries) == pitch
    rng = np.random.default_rng(entries)
    tables = rng.random((4, entries)).astype(np.float32)
    index = rng.integers(0, entries, 16).astype(np.int32)
    found = np.zeros(16, np.float32)
    third_of(pitch)(laid_out(tables), index, found)
    assert np.array_equal(found, tables[2, index])


def test_one_species_needs_no_room():
    assert laid_out(np.float32([[1.0], [2.0]])).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("kinds", [3, 6])  # wishes towards each other fit into registers, or do not
def test_species_with_wishes_of_all_kinds_move_as_defined(kinds: int):
    rng = np.random.default_rng(kinds)
    names = [f"kind{k}" for k in range(kinds)]
    species = [
        {
            "name": name,
            "values": {"rules.cohesion.weight": float(rng.uniform(0.5, 2.0)), "motion.max_speed": 8.0 + k},
            "towards": {
                other: {
                    wish: float(rng.uniform(0.0, 2.0)) for wish in ("separation", "alignment", "cohesion")
                }
                for other in names
                if other != name
            },
        }
        for k, name in enumerate(names)
    ]
    scenario = Scenario.from_data(
        {"name": "many", "agents": 60 * kinds, "world": {"width": 400, "height": 300}, "species": species}
    )
    fast, truth = (mm.Simulation(scenario, seed=3, backend=backend) for backend in ("cpu", "reference"))
    fast.step()
    truth.step()
    assert np.abs(fast.velocities - truth.velocities).max() < 1e-4
