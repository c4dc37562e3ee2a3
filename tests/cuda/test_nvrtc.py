"""NVRTC compiles scenes with every rule: it needs its package, but no device."""

from __future__ import annotations

import ctypes
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import murmura as mm
from murmura.compute.cuda.device import OPTIONS
from murmura.compute.cuda.program import program_text
from murmura.compute.plan import Plan
from tests.parity.scenes import SCENES, scenario_of
from tests.sizes import size


@cache
def nvrtc() -> Any:
    """The library from the package nvidia-cuda-nvrtc, wherever it is installed."""
    package = importlib.util.find_spec("nvidia")
    folders = list(package.submodule_search_locations or []) if package else []
    found = sorted(path for folder in folders for path in Path(folder).glob("*/lib/libnvrtc.so.*"))
    if not found:
        pytest.skip("nvidia-cuda-nvrtc is not installed")
    return ctypes.CDLL(str(found[0]))


def compile_text(text: str, architecture: str) -> tuple[int, str]:
    """The compiler's status (0: success) and its output."""
    library, program = nvrtc(), ctypes.c_void_p()
    assert library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"plan.cu", 0, None, None) == 0
    options = [option.encode() for option in (*OPTIONS, f"--gpu-architecture={architecture}")]
    verdict = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return verdict, log.value.decode()


def texts() -> dict[str, Any]:
    """Every plan that differs in more than numbers, named by its first scenario."""
    # The scenes have every rule; the C compiler takes the text of every shipped scenario, in test_definition.
    shipped = size(["starlings", "sky-and-sea"], mm.scenario_names())
    scenarios = [scenario_of(scene) for scene in SCENES] + [mm.load_scenario(name) for name in shipped]
    plans = [Plan(scenario) for scenario in scenarios]
    first: dict[Any, Plan] = {}
    for plan in plans:
        first.setdefault(plan.signature, plan)
    return {plan.scenario.name: plan for plan in first.values()}


PLANS = texts()


@pytest.mark.parametrize("name", PLANS)
def test_the_text_compiles_without_a_warning(name: str):
    for text, kernels in program_text(PLANS[name]).cuda_modules():
        assert all(f"KERNEL({kernel}" in text for kernel in kernels)
        verdict, said = compile_text(text, "sm_90")
        assert (verdict, said.strip("\0\n ")) == (0, "")


def test_the_text_for_many_worlds_compiles_without_a_warning():
    for text, kernels in program_text(PLANS["scored"], many=True).cuda_modules():
        assert all(f"KERNEL({kernel}" in text for kernel in kernels)
        verdict, said = compile_text(text, "sm_90")
        assert (verdict, said.strip("\0\n ")) == (0, "")


def test_visual_fields_compile():
    opaque = {"perception.occlusion": True, "perception.nearest": 5, "perception.bins": 3600}
    plan = Plan(mm.load_scenario("vision").with_values(opaque))
    (text, _), *_ = program_text(plan).cuda_modules()
    assert compile_text(text, "sm_90")[0] == 0


@pytest.mark.parametrize("architecture", size(["compute_75"], ["compute_75", "compute_86", "compute_120"]))
def test_older_and_newer_devices(architecture: str):
    """Before sm_80, warps have no reduction instruction, so other code is used."""
    for text, _ in program_text(PLANS["scored"]).cuda_modules():
        verdict, said = compile_text(text, architecture)
        assert verdict == 0, said


def test_an_error_is_detected():
    verdict, said = compile_text('extern "C" __global__ void broken() { undeclared += 1; }', "sm_90")
    assert verdict != 0
    assert "undeclared" in said
