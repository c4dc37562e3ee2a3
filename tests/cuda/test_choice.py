"""Messages when CUDA is unavailable, and the default backend."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from typing import Any

import pytest

import murmura as mm
from murmura.compute import CUDA_FROM
from murmura.compute.cuda import device as cuda_device
from murmura.core.errors import BackendError
from murmura.core.extras import install_command
from murmura.lab.bench.workload import workload

missing = cuda_device.missing  # saved before the tests replace the device by the host
PIP = install_command("cuda")


def without(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """Hide a module, and look for a real device instead of the host."""
    found = importlib.util.find_spec

    def find_spec(name: str, *rest: Any) -> Any:
        return None if name == module else found(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    monkeypatch.setattr(cuda_device, "missing", missing)


def test_a_missing_package_is_reported_with_the_pip_line(monkeypatch: pytest.MonkeyPatch):
    without(monkeypatch, "cupy")
    assert missing() == f"CuPy is not installed: {PIP}"
    with pytest.raises(BackendError) as caught:
        mm.Simulation(workload(40), backend="cuda")
    assert "CuPy" in str(caught.value)
    assert PIP in str(caught.value)
    assert "backend='cpu' works everywhere" in str(caught.value)
    assert caught.value.exit_code == 2


def test_auto_works_without_the_package(monkeypatch: pytest.MonkeyPatch):
    without(monkeypatch, "cupy")
    assert mm.Simulation(workload(CUDA_FROM), backend="auto").backend == "cpu"


def test_auto_takes_the_cpu_for_small_flocks():
    assert mm.Simulation(workload(40), backend="auto").backend == "cpu"
    assert mm.Simulation(workload(CUDA_FROM - 1)).backend == "cpu"


def test_auto_takes_the_device_for_large_flocks():
    assert mm.Simulation(workload(CUDA_FROM), backend="auto").backend == "cuda"


def test_the_backend_names_itself():
    sim = mm.Simulation(workload(40), backend="cuda")
    assert (sim.backend, sim.threads) == ("cuda", 1)
    assert "cuda" in repr(sim)


def test_an_unknown_backend_is_an_error_that_names_the_nearest():
    with pytest.raises(BackendError, match=r"no backend is called 'cude' \(did you mean 'cuda'\?\)"):
        mm.Simulation(workload(40), backend="cude")


@pytest.mark.cuda
@pytest.mark.usefixtures("device")
def test_a_machine_without_a_device():
    """A process that sees no device gets a clear message, not the driver's traceback."""
    program = "from murmura.compute.cuda.device import missing; print(missing())"
    said = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    assert said.startswith("no CUDA device can be used: ")
    assert "nvidia-smi" in said
