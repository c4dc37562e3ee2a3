"""Compiles the parts of a kernel, which no one calls by themselves, only as far as the kernel needs them.

Numba makes each compiled function ready to be called from Python: it optimises it, turns it into machine code, and
does both again for every function that calls it. A kernel here has hundreds of parts and one entry. So a part ends
as LLVM code, and all of it is optimised once, in the kernel. This and what is remembered halve the time to compile.
"""

from __future__ import annotations

from types import BuiltinFunctionType
from typing import Any

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder


class PartLibrary(JITCodeLibrary):
    """LLVM code that waits to be linked into a kernel."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class PartCompiler(CompilerBase):
    """Numba's compiler up to LLVM code."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, args: Any, *rest: Any) -> None:
        super().__init__(typingctx, targetctx, library, args, *rest)
        self.state.flags.no_compile = True
        self.state.typingctx = Remembering(typingctx)

    def define_pipelines(self) -> list[Any]:
        state = self.state
        if state.library is None:
            state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return [DefaultPassBuilder.define_nopython_pipeline(state)]

    def _compile_core(self) -> Any:
        # Numba knows a function by what Python calls: here something like no other, which nobody calls.
        result = super()._compile_core()._replace(entry_point=[].append)
        self.state.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


class Remembering:
    """Numba's typing context, which finds out only once what an operator returns for arguments of certain types."""

    known: dict[Any, Any] = {}

    def __init__(self, context: Any) -> None:
        self.__dict__["_context"] = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        if kws or not isinstance(function, types.Function | BuiltinFunctionType):
            return self._context.resolve_function_type(function, args, kws)
        key = (function, args)
        if key not in Remembering.known:
            Remembering.known[key] = self._context.resolve_function_type(function, args, kws)
        return Remembering.known[key]
