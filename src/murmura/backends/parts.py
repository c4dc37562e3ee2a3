"""Compiles the parts of a kernel, which no one calls by themselves, only as far as the kernel needs them.

Numba makes each compiled function ready to be called from Python: it optimises it, turns it into machine code, and
does both again for every function that calls it. A kernel here has hundreds of parts and one entry. So a part ends
as LLVM code, and all of it is optimised once, in the kernel. This and what is remembered halve the time to compile.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.errors import NumbaError

from murmura.backends.compiling import refusal


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


_known: dict[Any, Any] = {}


@contextmanager
def remembering() -> Iterator[None]:
    """Let Numba find out only once what an operator returns for arguments of certain types.

    Otherwise it asks every implementation that it has for strings, sets, dates and so on, at every use.
    """
    find = types.Function.get_call_type

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return find(function, context, args, kws)
        key = (function, args)
        if key not in _known:
            _known[key] = find(function, context, args, kws)
        return _known[key]

    types.Function.get_call_type = get_call_type
    try:
        yield
    finally:
        del types.Function.get_call_type


@contextmanager
def heeding_interrupts() -> Iterator[None]:
    """Let no Ctrl-C be lost: LLVM calls back into Python, and what is raised there is dropped."""
    asked = []

    def ask(_: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_name.startswith("_raw_object_cache"):  # llvmlite's way back
                asked.append(True)
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    holds = usual and threading.current_thread() is threading.main_thread()
    if holds:
        signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        if holds:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked:
        raise KeyboardInterrupt


def compile_now(function: Any, arguments: Any) -> None:
    """Compile a function for the types it is always called with, or load it from disk."""
    try:
        with remembering(), heeding_interrupts():
            function.compile(arguments)
    except NumbaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        lines = [line for line in lines if not line.startswith(("Failed in nopython", "During:", "File "))]
        raise refusal(" | ".join(lines[:3])) from error
