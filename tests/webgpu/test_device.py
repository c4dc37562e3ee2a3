"""Messages without an adapter, with exceeded limits and for a lost device; descriptions of adapters."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import murmura as mm
from murmura.compute import make_backend
from murmura.compute.plan import Plan
from murmura.compute.webgpu import device
from murmura.compute.webgpu.program import program_of
from murmura.core.errors import BackendError, RunError
from murmura.core.extras import install_command
from murmura.core.rule import register_rule
from murmura.lab import doctor
from murmura.lab.bench import workload as bench
from murmura.lab.bench.workload import workload
from tests.cuda.runs.test_life import Sick


def flock(agents: int = 40) -> mm.Simulation:
    return mm.Simulation(workload(agents), seed=4, backend="webgpu", announce=None)


def test_without_an_adapter(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(device, "adapters", lambda: ())
    with pytest.raises(
        BackendError, match=r"no adapter was found: install a driver.*backend='cpu' works everywhere"
    ):
        flock()


def test_without_the_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(device.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BackendError, match=re.escape(f"wgpu is not installed: {install_command('webgpu')}")):
        flock()


def test_a_broken_wgpu(monkeypatch: pytest.MonkeyPatch):
    def broken() -> Any:
        raise OSError("libwgpu_native.so:\n no such file")

    monkeypatch.setattr(device, "adapters", broken)
    assert device.missing() == "wgpu cannot be loaded: libwgpu_native.so: no such file"
    assert not device.is_real_gpu()


def test_a_limit_that_is_exceeded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(device.open_device(), "most_bytes", 2000)
    with pytest.raises(
        BackendError, match=r"has buffers of at most 2,000 bytes.*use fewer agents.*backend='cpu'"
    ):
        flock()


def test_too_few_buffers():
    class Poor:
        limits = {"max-storage-buffers-per-shader-stage": 4}
        info = {"device": "a toaster", "backend_type": "Vulkan", "adapter_type": "CPU"}

    with pytest.raises(BackendError, match=r"needs 8 storage buffers for each shader, a toaster has 4"):
        device.WebgpuDevice(Poor())


def test_too_little_memory(monkeypatch: pytest.MonkeyPatch):
    there = device.open_device()

    def refuse(**_: Any) -> Any:
        raise RuntimeError("Not enough memory left")

    monkeypatch.setattr(there._device, "create_buffer", refuse)
    with pytest.raises(BackendError, match=r"too little memory for .* of this flock.*Not enough memory left"):
        flock()


def test_a_device_that_is_lost_is_replaced(monkeypatch: pytest.MonkeyPatch):
    sim = flock()
    sim.step()
    there = device.open_device()

    def fail(*_: Any) -> Any:
        raise RuntimeError("Parent device is lost")

    with monkeypatch.context() as patch:
        patch.setattr(there, "submit", fail)
        with pytest.raises(
            RunError, match=r"failed after step 1: RuntimeError: Parent device is lost\. Checkpoints"
        ):
            sim.step(3)
    assert device.open_device() is not there
    flock().step()


def test_a_rule_that_divides_by_zero_stops_the_run():
    register_rule("sick")(Sick)
    scenario = workload(40).with_values({"rules.sick": {"since": 2.0, "who": 7.0}})
    sim = mm.Simulation(scenario, seed=6, backend="webgpu", announce=None)
    sim.step(2)
    with pytest.raises(RunError, match=r"step 3: .*\(ids .*guard its divisions"):
        sim.step(5)


def test_auto_takes_no_software_adapter(monkeypatch: pytest.MonkeyPatch):
    plan = Plan(workload(40))
    monkeypatch.setattr("murmura.compute.CUDA_FROM", 10**9)
    monkeypatch.setattr("murmura.compute.WEBGPU_FROM", 1)
    if all(map(device.is_software, device.adapters())):
        assert make_backend("auto", plan, (1, 1), 1, None).name == "cpu"
    monkeypatch.setattr(device, "is_software", lambda adapter: False)
    assert make_backend("auto", plan, (1, 1), 1, None).name == "webgpu"


def test_doctor_lists_the_adapters():
    facts = doctor.examine()
    assert "webgpu" in facts["backends"]
    for name in device.adapter_names():
        assert name in facts["webgpu"]


def test_a_simulation_names_its_adapter():
    sim = flock()
    assert sim.adapter in [name.replace(", in software", "") for name in device.adapter_names()]
    assert mm.Simulation(workload(40), backend="reference").adapter is None


def test_the_benchmark_compares_before_it_times():
    bench.check("webgpu", None)


def test_reading_does_not_wait_for_steps_that_follow():
    sim = flock(200)
    sim.step(2)
    looked = sim.reader()
    assert looked is not sim
    sim.step(3)
    twin = flock(200)
    twin.step(2)
    assert np.array_equal(looked.state["position_x"], twin.state["position_x"])
    assert looked.ready


@pytest.mark.parametrize("name", ["classic", "mixed", "topological", "ecosystem", "sky-and-sea", "school"])
def test_no_kernel_uses_more_buffers_than_every_device_has(name: str):
    for kernel in program_of(Plan(mm.load_scenario(name))).kernels:
        storage = [buffer for buffer, access in kernel.bindings if access != "uniform"]
        assert len(storage) <= 8, kernel.name
