"""Compiles the kernel of a plan for WebAssembly: the text that the CPU kernel is traced to, with portable arithmetic.

A page provides the memory, a stack that grows down from `STACK`, and a table of functions in which it puts `steer` and
`finish` at the places that stand in the kernel's frame. Arrays begin at `STACK`; below are the stack and constants.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from murmura.compute import kernel_cache
from murmura.compute.cpu.build import OPTIMIZATION
from murmura.compute.cpu.kernel import FUNCTIONS, Kernel
from murmura.compute.plan import Plan
from murmura.compute.shapes import Shapes
from murmura.compute.wasm.linker import linked

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+sign-ext,+bulk-memory,+nontrapping-fptoint,+mutable-globals"
"""What Chromium 91, Firefox 89 and Safari 16.4 have. `relaxed-simd` is not portable: it may fuse or not."""
STACK = 1 << 20


def module_of(plan: Plan, shapes: Shapes) -> bytes:
    """The module of a plan: it exports the functions of the kernel."""
    modules = dict(Kernel(plan, shapes, wide=False, portable=True, compact=True).modules())
    parts = {name: _text_of(module) for name, module in modules.items()}
    key = kernel_cache.key_of_text("\0".join(parts.values()), TRIPLE, FEATURES, llvmlite.__version__)
    code = kernel_cache.load(key, None)
    if code is None:
        code = linked(_object(parts), tuple(FUNCTIONS))
        kernel_cache.keep(key, code, None)
    return code


def _text_of(module: Any) -> str:
    """The text of a module, without the processor it was traced for."""
    return re.sub(r'target (triple|datalayout) = "[^"]*"\n', "", str(module))


def _object(parts: dict[str, str]) -> bytes:
    machine, whole = _machine(), None
    for name, text in parts.items():
        part = llvm.parse_assembly(text)
        part.triple, part.data_layout = TRIPLE, str(machine.target_data)
        part.verify()
        _optimize(machine, part, OPTIMIZATION[name])
        if whole is None:
            whole = part
        else:
            whole.link_in(part)
    code: bytes = machine.emit_object(whole)
    return code


def _optimize(machine: Any, part: Any, level: int) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = True
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(part, passes)


@cache
def _machine() -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(
        cpu="generic", features=FEATURES, opt=3, reloc="static", codemodel="default"
    )
