"""Functions that do not depend on the scenario: traced like the kernel, and compiled once for all scenarios."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llvmlite import ir

from murmura.compute.trace.llvm_target import DOUBLE, FLOAT, INT, LlvmTarget

C_TYPES: dict[Any, Any] = {FLOAT: ctypes.c_float, DOUBLE: ctypes.c_double, INT: ctypes.c_int32}
"""Types of arguments; all others are addresses."""


class Functions:
    """Compiled functions by name.

    Args:
        name: That of their module.
        signatures: The types of their arguments.
        body: The body of the function of a name: it takes the target and the arguments.
        alignment: Of their stacks [bytes].
    """

    def __init__(
        self, name: str, signatures: Mapping[str, Sequence[Any]], body: Callable[[str], Callable[..., None]],
        alignment: int | None = None,
    ) -> None:  # fmt: skip
        self._name, self._signatures, self._body, self._alignment = name, signatures, body, alignment
        self._made: dict[str, Any] = {}

    def module(self) -> ir.Module:
        made = ir.Module(f"murmura_{self._name}")
        for name, arguments in self._signatures.items():
            function = ir.Function(made, ir.FunctionType(ir.VoidType(), arguments), name)
            if self._alignment is not None:
                function.attributes.alignstack = self._alignment
            target = LlvmTarget(ir.IRBuilder(function.append_basic_block("entry")), wide=False)
            self._body(name)(target, *function.args)
            target.builder.ret_void()
        return made

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            from murmura.compute.cpu.build import compiled_once

            engine = compiled_once(self._name, self.module)
            kinds = [C_TYPES.get(kind, ctypes.c_void_p) for kind in self._signatures[name]]
            function = ctypes.CFUNCTYPE(None, *kinds)(engine.get_function_address(name))
            function.engine = engine  # type: ignore[attr-defined]  # its code lives as long as the engine
            self._made[name] = function
        return self._made[name]

    def prepare(self) -> None:
        """Compile all, or load them from disk, before they are needed."""
        for name in self._signatures:
            self[name]
