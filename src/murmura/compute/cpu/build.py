"""Compiles the CPU kernel of a plan with LLVM, and caches the machine code on disk."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from murmura.compute import kernel_cache
from murmura.compute.cpu.kernel import Kernel
from murmura.compute.cpu.threads import YIELD
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes
from murmura.core.compilations import compilation

Run = Callable[[int, int, int, int], None]
_runs: dict[str, tuple[Run, Any]] = {}
_engines: dict[str, Any] = {}


def processor() -> tuple[str, str]:
    """The name and the features of this processor, as LLVM calls them."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def _machine() -> tuple[Any, str, str]:
    """The target machine, and the processor's name and features."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    library = ctypes.windll.kernel32 if sys.platform == "win32" else ctypes.CDLL(None)  # type: ignore[attr-defined]
    function = library.SwitchToThread if sys.platform == "win32" else library.sched_yield
    llvm.add_symbol(YIELD, ctypes.cast(function, ctypes.c_void_p).value)
    return _new_machine(), *processor()


def has_wide_lanes() -> bool:
    """Whether this processor works on sixteen lanes at once."""
    return "+avx512f" in _machine()[2].split(",")


def kernel(plan: Plan, shapes: Shapes, announce: Callable[[str], None] | None = None) -> Run:
    """The kernel of a plan: from this process, from disk, or compiled now."""
    key = _key(plan)
    if key not in _runs:
        with compilation():
            code = kernel_cache.load(key, announce)
            if code is None:
                if announce is not None:
                    announce("compiling the kernel for these rules (once; it is kept on disk)")
                code = _object_code(Kernel(plan, shapes, has_wide_lanes()).module())
                kernel_cache.keep(key, code, announce)
            _runs.setdefault(
                key, _linked(code)
            )  # another thread may have been faster, and its code is in use
    return _runs[key][0]


def is_here(plan: Plan) -> bool:
    """Whether the kernel of a plan is in this process."""
    return _key(plan) in _runs


def _key(plan: Plan) -> str:
    _, name, features = _machine()
    return kernel_cache.key_of(plan, "cpu", name, features, llvmlite.__version__)


def compiled_once(name: str, make: Callable[[], Any]) -> Any:
    """The engine of a module that does not depend on the scenario: from this process, from disk, or compiled now."""
    _, cpu, features = _machine()
    key = kernel_cache.key_of_parts(name, cpu, features, llvmlite.__version__)
    if key not in _engines:
        with compilation():
            code = kernel_cache.load(key, None)
            if code is None:
                code = _object_code(make())
                kernel_cache.keep(key, code, None)
            _engines.setdefault(key, _engine(code))
    return _engines[key]


def _object_code(module: Any) -> bytes:
    """Machine code as an object file."""
    machine = _machine()[0]
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(parsed, passes)
    code: bytes = machine.emit_object(parsed)
    return code


def _engine(code: bytes) -> Any:
    """Load an object file into memory."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def _linked(code: bytes) -> tuple[Run, Any]:
    """The kernel of an object file, and the engine that owns its memory."""
    engine = _engine(code)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_int32)
    return kind(engine.get_function_address("run")), engine


def _new_machine() -> Any:
    name, features = processor()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name,
        features=features,
        opt=3,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )
