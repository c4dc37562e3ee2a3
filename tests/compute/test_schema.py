"""The declared arrays are those that backends make."""

from __future__ import annotations

import pytest

import murmura as mm
from murmura.compute.cpu import BackendCpu, frame
from murmura.compute.gpu import fields
from murmura.compute.gpu.arrays import array_sizes, flock_arrays, plan_arrays, sizes_of
from murmura.compute.plan import Plan
from murmura.compute.schema import SHARED
from murmura.compute.shapes import shapes_of

SEED = (1, 2)


@pytest.mark.parametrize("name", ["ecosystem", "sky-and-sea", "vicsek"])
def test_a_gpu_gets_arrays_as_they_are_declared(name: str):
    scenario = mm.load_scenario(name).with_values({"agents": 50})
    plan, state = Plan(scenario), mm.Simulation(scenario, 1, "cpu").state
    room, width = max(50, plan.capacity), shapes_of(plan).report_width
    made = flock_arrays(plan, state, room, SEED, width) | plan_arrays(plan, plan.item_table(state), SEED)
    assert made.keys() == fields.ARRAYS.keys() - {"failed_step"}
    sizes = array_sizes(plan, sizes_of(plan, room), width)
    for key, array in made.items():
        field = fields.ARRAYS[key]
        wanted = field.shape_with(sizes)
        assert array.dtype == field.dtype, key
        assert array.shape == (max(1, wanted[0]), *wanted[1:]), key


@pytest.mark.parametrize("name", ["ecosystem", "vicsek"])
def test_the_cpu_has_arrays_as_they_are_declared(name: str):
    sim = mm.Simulation(mm.load_scenario(name).with_values({"agents": 50}), 1, "cpu")
    sim.step(1)
    backend = sim._backend
    assert isinstance(backend, BackendCpu)
    assert backend._arrays.keys() == frame.ARRAYS.keys() - {"times"}
    for key, array in backend._arrays.items():
        assert array.dtype == frame.ARRAYS[key].dtype, key


def test_what_all_kernels_share_is_declared_once():
    for key, field in SHARED.items():
        assert frame.ARRAYS[key] is field
        assert fields.ARRAYS[key] is field
