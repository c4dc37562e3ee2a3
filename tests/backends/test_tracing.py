"""Code written by running Python: ways through it, and numbers of several kinds that meet."""

from __future__ import annotations

import signal
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target

from murmura.backends.lanes import as_lanes, load, store_first, where
from murmura.backends.parts import compile_now
from murmura.backends.tracing_flow import Forking, loop, traced, when
from murmura.core.errors import BackendError


def compiled(write: Any) -> Any:
    written = traced(numba.types.none, lambda function: function)(write)
    return numba.njit(lambda *arguments: written(*arguments))


def test_a_ctrl_c_while_llvm_calls_back_is_not_lost():
    """What is raised in the callback is dropped by ctypes; the compiler raises it again."""
    pressed = []

    def press(*arguments: Any) -> Any:
        if not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)
        return JITCodeLibrary._object_compiled_hook(*arguments)

    engine = cpu_target.target_context.codegen()._engine
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    engine.set_object_cache(press, JITCodeLibrary._object_getbuffer_hook)
    try:
        with pytest.raises(KeyboardInterrupt):
            compile_now(numba.njit(lambda x: x * 2.0), (numba.types.float64,))
    finally:
        engine.set_object_cache(JITCodeLibrary._object_compiled_hook, JITCodeLibrary._object_getbuffer_hook)
        signal.signal(signal.SIGINT, before)
    assert pressed


def answered(a: Any, b: Any) -> Any:
    """Questions within questions; what is returned differs in kind on every way."""
    if a > 0.0:
        if b > 0.0:
            return a * b, 7
        return 2.0, a
    return -b, as_lanes(b) * 3.0


@pytest.mark.parametrize("a", [-1.5, 0.0, 2.5])
@pytest.mark.parametrize("b", [-3.0, 4.0])
def test_a_question_that_all_lanes_answer_alike_is_a_branch(a: float, b: float):
    def write(x: Any, y: Any, found: Any) -> None:
        first, second = Forking(answered)(x, y)
        store_first(found[0], 0, as_lanes(first), 16)
        store_first(found[1], 0, as_lanes(second), 16)

    found = np.zeros((2, 16), np.float32)
    compiled(write)(np.float32(a), np.float32(b), found)
    expected = (a * b, 7.0) if a > 0 and b > 0 else (2.0, a) if a > 0 else (-b, 3.0 * b)
    assert np.array_equal(found, np.repeat(np.float32([expected]).T, 16, axis=1))


def test_a_question_that_lanes_answer_differently_is_refused():
    def ask(lanes: Any) -> Any:
        return 1.0 if lanes > 0.0 else 2.0

    def write(row: Any, found: Any) -> None:
        store_first(found, 0, as_lanes(Forking(ask)(load(row, 0))), 16)

    with pytest.raises(
        BackendError, match=r"ask, line \d+ of .*test_tracing.py: a question that each agent may answer"
    ):
        compiled(write)(np.zeros(16, np.float32), np.zeros(16, np.float32))


@pytest.mark.parametrize("count", [0, 1, 9])
def test_loops_and_conditions_carry_what_they_change(count: int):
    """Sum of the odd numbers below `count` on lanes, beside how many there were; also for no turn at all."""

    def write(odd: Any, end: Any, found: Any) -> None:
        def add(k: Any, total: Any, number: Any) -> Any:
            return when(odd[k] > 0, lambda t, n: (t + k, n + 1), total, number)

        total, number = loop(0, end, add, as_lanes(0.0), end - end)
        store_first(found[0], 0, total, 16)
        found[1, 0] = number

    found = np.zeros((2, 16), np.float32)
    compiled(write)(np.arange(16) % 2, count, found)
    odd = [k for k in range(count) if k % 2]
    assert (found[0] == sum(odd)).all()
    assert found[1, 0] == len(odd)


def test_numbers_meet_in_single_precision():
    def write(scalar: Any, whole: Any, row: Any, found: Any) -> None:
        lanes = load(row, 0)
        answers = [
            lanes + scalar,
            2 * lanes - whole,
            where(scalar > 0.0, lanes, 5),
            where(lanes > scalar, 1, -scalar),
            where(True, scalar, lanes),
            np.float32(3.0) / as_lanes(scalar),
        ]
        for k, answer in enumerate(answers):
            store_first(found[k], 0, answer, 16)

    row = np.linspace(-2.0, 2.0, 16).astype(np.float32)
    s = np.float32(0.3)
    found = np.zeros((6, 16), np.float32)
    compiled(write)(s, 4, row, found)
    expected = [
        row + s,
        2 * row - np.float32(4),
        row,
        np.where(row > s, np.float32(1), -s),
        s + 0 * row,
        np.float32(3) / s + 0 * row,
    ]
    assert np.array_equal(found, np.float32(expected))
