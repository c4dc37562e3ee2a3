"""Synchronisation of threads inside one native call: an atomic counter and a barrier.

All threads of a team run the same kernel for many steps and meet at barriers between its phases. Waiting spins briefly,
then yields the core, so a team larger than the machine, or a busy machine, slows down but never stalls.
"""

from __future__ import annotations

from typing import Any

from murmura.compute.trace.llvm_target import INT, LlvmTarget
from murmura.core.algebra import INTEGER, Value, code_of

LINE = 32
"""Distance, in integers, between entries that different threads write: two cache lines."""
ARRIVED, GENERATION, NEXT_TASK = 0, LINE, 2 * LINE
"""Entries of the `sync` array; every thread has a NEXT_TASK."""
SPINS = 4000
YIELD = "murmura_yield"
"""The symbol of the operating system's yield function in emitted code."""


def fetch_add(target: LlvmTarget, address: Any, amount: Any) -> Value:
    """Atomically add to an integer and return the old value."""
    code = code_of(target, amount, INTEGER)
    return Value(target, INTEGER, target.builder.atomic_rmw("add", address, code, "seq_cst"))


def peek(target: LlvmTarget, address: Any) -> Value:
    """Atomic load."""
    return Value(target, INTEGER, target.builder.load_atomic(address, "seq_cst", 4, typ=INT))


def put(target: LlvmTarget, address: Any, value: Any) -> None:
    """Atomic store."""
    target.builder.store_atomic(code_of(target, value, INTEGER), address, "seq_cst", 4)


def wait_for_all(target: LlvmTarget, sync: Any, team: Value) -> None:
    """A barrier: wait until every thread of the team has arrived."""
    with target.if_then(team > 1):
        generation = peek(target, sync.at(GENERATION))
        last = fetch_add(target, sync.at(ARRIVED), 1) == team - 1

        def release() -> None:
            put(target, sync.at(ARRIVED), 0)
            fetch_add(target, sync.at(GENERATION), 1)

        def wait() -> None:
            spins = target.cell(0)
            with target.while_loop(lambda: peek(target, sync.at(GENERATION)) == generation):
                spins.set(spins.get() + 1)
                with target.if_then(spins.get() > SPINS):
                    target.call(YIELD, INT, [])

        target.when(last, release, wait)
