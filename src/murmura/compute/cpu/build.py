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
from murmura.compute.foreign_code import has_foreign_code
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes, shapes_of
from murmura.core.compilations import compilation

OPTIMIZATION = {"run": 3, "steer": 3, "finish": 1}
"""Items are few and their code is long: level 3 would compile for a second longer and save little in a step."""
_kernels: dict[str, CompiledKernel] = {}
_engines: dict[str, Any] = {}


@dataclass
class CompiledKernel:
    """The kernel of a plan: a function, its address, the addresses of those it calls, the owners of their memory."""

    run: Callable[[int, int, int, int], None]
    address: int
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


def kernel(
    plan: Plan,
    shapes: Shapes,
    announce: Callable[[str], None] | None = None,
    portable: bool = False,
) -> CompiledKernel:
    """The kernel of a plan: from this process, from disk, or compiled now."""
    parts = _traced(plan, shapes, portable) if has_foreign_code(plan) else None
    key = " ".join(parts) if parts else _key(plan, portable)
    if key not in _kernels:
        with compilation():
            kept = list(parts) if parts else (kernel_cache.load(key, announce) or b"").decode().split()
            engines = [_engine_of(part) for part in kept]
            if not kept or None in engines:
                if announce is not None:
                    announce("compiling the kernel for these rules (once; it is kept on disk)")
                parts, fast_key = (parts, None) if parts else (_traced(plan, shapes, portable), key)
                engines = _compiled(parts, fast_key, announce)
            _kernels[key] = _linked(engines)
    return _kernels[key]


def _traced(plan: Plan, shapes: Shapes, portable: bool) -> dict[str, tuple[str, Any]]:
    """The functions of a plan's kernel, by the key of their text: name and module."""
    machine = (*_machine()[1:], llvmlite.__version__)
    modules = Kernel(plan, shapes, has_wide_lanes(), portable).modules()
    return {kernel_cache.key_of_text(str(module), *machine): (name, module) for name, module in modules}


def _compiled(
    parts: dict[str, tuple[str, Any]], key: str | None, announce: Callable[[str], None] | None
) -> list[Any]:
    """The engines of a kernel's functions. Kernels share those that are traced to the same text.

    With a `key`, the list of these functions is kept under it.
    """
    engines, can_keep = {}, True
    for part, (name, module) in parts.items():
        engines[part] = _engine_of(part)
        if engines[part] is None:
            code = _object_code(module, OPTIMIZATION[name])
            can_keep = can_keep and kernel_cache.keep(part, code, announce)
            engines[part] = _loaded(part, code)
    if can_keep and key is not None:
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


def kernel_here(plan: Plan, portable: bool = False) -> CompiledKernel | None:
    """The kernel of a plan, if it is in this process."""
    parts = _traced(plan, shapes_of(plan), portable) if has_foreign_code(plan) else None
    return _kernels.get(" ".join(parts) if parts else _key(plan, portable))


def _key(plan: Plan, portable: bool) -> str:
    _, name, features = _machine()
    kind = "cpu, portable" if portable else "cpu"
    return kernel_cache.key_of(plan, kind, name, features, llvmlite.__version__)


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
    return CompiledKernel(kind(found["run"]), found["run"], {name: found[name] for name in CALLED}, engines)


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
