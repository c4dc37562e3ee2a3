"""How threads inside one native call work together: an atomic counter and a barrier.

All threads of a team run the same kernel for many steps and meet at barriers between its phases. Waiting
spins briefly, then yields the core, so a team larger than the machine, or a busy machine, slows down but
never stalls. Numba's own threading layers are not used: they cap the team at the number of cores, differ
between platforms, and burn the cores of whoever shares the machine.
"""

from __future__ import annotations

import sys
from typing import Any

from numba import njit, types
from numba.extending import intrinsic

from murmura.backends.primitives import INNER
from murmura.backends.tracing import LONG

ARRIVED, GENERATION, NEXT_TASK = 0, 16, 32
"""Places in the `sync` array, two cache lines apart; every thread has a NEXT_TASK, 16 places apart."""
SPINS = 4000

yield_core = types.ExternalFunction(
    "SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32()
)


def pointer_to(context: Any, builder: Any, array_type: Any, array: Any, i: Any) -> Any:
    """Where an element of an array is."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [i])


@intrinsic
def fetch_add(typing_context: Any, array: Any, i: Any, amount: Any) -> Any:
    """Add to an int64 element and return what was there before, as one indivisible act."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = pointer_to(context, builder, sig.args[0], args[0], args[1])
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), emit


@intrinsic
def peek(typing_context: Any, array: Any, i: Any) -> Any:
    """Read an int64 element that another thread may be changing."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = pointer_to(context, builder, sig.args[0], args[0], args[1])
        return builder.load_atomic(pointer, "seq_cst", 8, typ=LONG)

    return types.int64(array, types.intp), emit


@intrinsic
def put(typing_context: Any, array: Any, i: Any, value: Any) -> Any:
    """Write an int64 element that another thread may be reading."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = pointer_to(context, builder, sig.args[0], args[0], args[1])
        builder.store_atomic(args[2], pointer, "seq_cst", 8)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.int64), emit


@njit(**INNER)
def meet(sync: Any, team: Any) -> None:
    """Wait until every thread of the team is here."""
    if team == 1:
        return
    generation = peek(sync, GENERATION)
    if fetch_add(sync, ARRIVED, 1) == team - 1:
        put(sync, ARRIVED, 0)
        fetch_add(sync, GENERATION, 1)
        return
    spins = 0
    while peek(sync, GENERATION) == generation:
        spins += 1
        if spins > SPINS:
            yield_core()
