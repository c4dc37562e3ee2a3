"""Compiles the CPU kernel of a plan with LLVM, and caches the machine code on disk."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from murmura.compute import kernel_cache
from murmura.compute.cpu.frame import CALLED
from murmura.compute.cpu.kernel import FUNCTIONS, Kernel
from murmura.compute.cpu.threads import YIELD
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes
from murmura.core.compilations import compilation

OPTIMIZATION = {"run": 3, "steer": 3, "finish": 1}
"""Items are few and their code is long: level 3 would compile for a second longer and save little in a step."""
_kernels: dict[str, CompiledKernel] = {}
_engines: dict[str, Any] = {}


@dataclass
class CompiledKernel:
    """The kernel of a plan: a function to call, the addresses of those it calls, and the owners of their memory."""

    run: Callable[[int, int, int, int], None]
    addresses: dict[str, int]
    engines: list[Any]


def processor() -> tuple[str, str]:
    """LLVM's name for this processor, and its features."""
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
    """Whether this processor has registers of sixteen lanes."""
    return "+avx512f" in _machine()[2].split(",")


def kernel(plan: Plan, shapes: Shapes, announce: Callable[[str], None] | None = None) -> CompiledKernel:
    """The kernel of a plan: from this process, from disk, or compiled now."""
    key = _key(plan)
    if key not in _kernels:
        with compilation():
            keys = (kernel_cache.load(key, announce) or b"").decode().split()
            engines = [_engine_of(part) for part in keys]
            if not keys or None in engines:
                if announce is not None:
                    announce("compiling the kernel for these rules (once; it is kept on disk)")
                engines = _compiled(Kernel(plan, shapes, has_wide_lanes()), key, announce)
            _kernels[key] = _linked(engines)
    return _kernels[key]


def _compiled(kernel: Kernel, key: str, announce: Callable[[str], None] | None) -> list[Any]:
    """The engines of a kernel's functions. Kernels share those that are traced to the same text."""
    engines, can_keep = {}, True
    for name, module in kernel.modules():
        part = kernel_cache.key_of_text(str(module), *_machine()[1:], llvmlite.__version__)
        engines[part] = _engine_of(part)
        if engines[part] is None:
            code = _object_code(module, OPTIMIZATION[name])
            can_keep = can_keep and kernel_cache.keep(part, code, announce)
            engines[part] = _loaded(part, code)
    if can_keep:
        kernel_cache.keep(key, " ".join(engines).encode(), announce)
    return [*engines.values()]


def _engine_of(key: str) -> Any:
    """The engine of code with this key, from this process or from disk."""
    if key in _engines:
        return _engines[key]
    code = kernel_cache.load(key, None)
    return None if code is None else _loaded(key, code)


def _loaded(key: str, code: bytes) -> Any:
    """The engine of this code; if another thread was faster, its engine, which may already be in use."""
    return _engines.setdefault(key, _engine(code))


def is_here(plan: Plan) -> bool:
    """Whether the kernel of a plan is in this process."""
    return _key(plan) in _kernels


def _key(plan: Plan) -> str:
    _, name, features = _machine()
    return kernel_cache.key_of(plan, "cpu", name, features, llvmlite.__version__)


def compiled_once(name: str, make: Callable[[], Any]) -> Any:
    """The engine of a module that does not depend on the scenario: from this process, from disk, or compiled now."""
    key = kernel_cache.key_of_parts(name, *_machine()[1:], llvmlite.__version__)
    if key not in _engines:
        with compilation():
            if _engine_of(key) is None:
                code = _object_code(make())
                kernel_cache.keep(key, code, None)
                _loaded(key, code)
    return _engines[key]


def _object_code(module: Any, level: int = 3) -> bytes:
    """Machine code as an object file, optimised as far as this level (0 to 3)."""
    machine = _machine()[0]
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
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


def _linked(engines: list[Any]) -> CompiledKernel:
    """The kernel made of the functions in these engines."""
    found = {name: engine.get_function_address(name) for name, engine in zip(FUNCTIONS, engines, strict=True)}
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_int32)
    return CompiledKernel(kind(found["run"]), {name: found[name] for name in CALLED}, engines)


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
