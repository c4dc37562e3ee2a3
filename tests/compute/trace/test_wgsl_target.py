"""WGSL on an adapter: every operation against NumPy, flow and memory, in one shader for all formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.compute.trace.wgsl_target import WgslTarget
from murmura.compute.webgpu.device import adapters, missing
from murmura.core.algebra import INTEGER, NUMBER, Value, given, to_number, when
from murmura.core.errors import ScenarioError

from .test_c_target import FORMULAS, OTHERS, WHOLE, X, Y

ORDINARY = np.abs(X) < 1e10
FIRST = {"f": X[ORDINARY], "i": WHOLE[ORDINARY]}
SECOND = {"f": Y[ORDINARY] * (np.abs(Y[ORDINARY]) < 1e10), "i": OTHERS[ORDINARY]}


def run(body: Callable[[WgslTarget], None], *arrays: Any) -> list[Any]:
    """Let a device run a traced body once for each i, with the arrays p0, p1, ...; return them."""
    from wgpu.utils.compute import compute_with_buffers

    target = WgslTarget()
    body(target)
    kinds = ["i32" if array.dtype == np.int32 else "f32" for array in arrays]
    bound = [*arrays, np.concatenate([target.helpers.constants, np.zeros(1, np.int32)])]
    names = [*(f"p{k}" for k in range(len(arrays))), "constants"]
    declared = "".join(
        f"@group(0) @binding({k}) var<storage, read_write> {name}: array<{kind}>;\n"
        for k, (name, kind) in enumerate(zip(names, [*kinds, "i32"], strict=True))
    )
    head = (
        "@compute @workgroup_size(1)\nfn main(@builtin(global_invocation_id) place: vec3u) {\n"
        "    let i = i32(place.x);\n"
    )
    text = declared + "".join(target.helpers.values()) + f"{head}{target.text}    constants[0] += 0i;\n}}\n"
    assert adapters()
    outputs = {k: array.nbytes for k, array in enumerate(bound)}
    found = compute_with_buffers(dict(enumerate(bound)), outputs, text, n=len(arrays[0]))
    return [np.frombuffer(found[k], array.dtype) for k, array in enumerate(arrays)]


@pytest.fixture(scope="module")
def adapter() -> None:
    if missing():
        pytest.skip(f"needs an adapter: {missing()}")


@pytest.fixture(scope="module")
def everything(adapter: None) -> Any:
    """The results of all formulas, formula by formula."""
    count = int(ORDINARY.sum())
    operands = np.concatenate([a for kind in "fi" for a in (FIRST[kind].view(np.int32), _bits(SECOND[kind]))])

    def body(target: WgslTarget) -> None:
        i = Value(target, INTEGER, "i")
        rows = {}
        for k, kind in enumerate("fi"):
            for n in range(2):
                bits = target.load("p1", i + (2 * k + n) * count, INTEGER)
                number = Value(target, NUMBER, target.apply("from_bits", INTEGER, bits.code))
                rows[kind, n] = number if kind == "f" else bits
        for k, (formula, kinds) in enumerate(FORMULAS.values()):
            said = formula(*(rows[kind, n] for n, kind in enumerate(kinds)))
            target.store("p0", i + k * count, to_number(said))

    found = np.zeros((len(FORMULAS), count), np.float32)
    # One invocation for each operand: the array of results is longer, so only the first ones compute.
    target_results = run(lambda t: _guarded(t, count, body), found.ravel(), operands)[0]
    return target_results.reshape(found.shape)


def _bits(array: Any) -> Any:
    return (
        np.ascontiguousarray(array).astype(np.int32 if array.dtype.kind == "i" else np.float32).view(np.int32)
    )


def _guarded(target: WgslTarget, count: int, body: Callable[[WgslTarget], None]) -> None:
    with target.scope(f"if (i < {count}i)"):
        body(target)


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_agrees_with_numpy(name: str, everything: Any) -> None:
    formula, kinds = FORMULAS[name]
    operands = [(FIRST, SECOND)[n][kind] for n, kind in enumerate(kinds)]
    numpy = NumpyTarget()
    names = {"f": NUMBER, "i": INTEGER}
    with np.errstate(all="ignore"):
        exact = to_number(formula(*(numpy.value(x, names[k]) for k, x in zip(kinds, operands, strict=True))))
    found = everything[list(FORMULAS).index(name)]
    np.testing.assert_allclose(found, np.broadcast_to(exact.code, found.shape), rtol=2e-6, atol=2e-5)


@pytest.mark.usefixtures("adapter")
def test_loops_carry_values_and_branches_have_effects() -> None:
    def body(target: WgslTarget) -> None:
        i = Value(target, INTEGER, "i")

        def add(k: Value, values: list[Value]) -> list[Any]:
            total, count = values
            return target.branch(k % 2 == 0, [total, count], lambda v: [v[0] + to_number(k), v[1] + 1.0])

        zero = target.number(0.0)
        total, count = target.loop(0, i + 1, 1, [zero, zero], add)
        target.store("p0", i, total)
        when(
            count > 2.0,
            lambda: target.store("p0", i, -1.0),
            lambda: when(i == 1, lambda: target.store("p0", i, 9.0)),
        )
        # Stored values are seen afterwards: memory that is written is read again.
        target.store("p0", i, target.load("p0", i, NUMBER) + given(i > 4, lambda: 0.5, 0.25))

    [found] = run(body, np.zeros(6, np.float32))
    assert found.tolist() == [0.25, 9.25, 2.25, 2.25, -0.75, -0.5]


def test_nan_and_infinity() -> None:
    target = WgslTarget()
    assert float(target.constant(NUMBER, float("inf"))[:-1]) == float(np.finfo(np.float32).max)
    assert target.constant(NUMBER, -float("inf")).startswith("(-3.4")
    with pytest.raises(ScenarioError, match="WGSL has no NaN"):
        target.constant(NUMBER, float("nan"))


def test_the_least_integer_is_not_written_as_a_negation() -> None:
    assert WgslTarget().constant(INTEGER, -(2**31)) == "i32(-2147483648)"


def test_a_table_is_stored_once_among_the_constants() -> None:
    from murmura.core.algebra import look_up

    target = WgslTarget()
    i = Value(target, INTEGER, "i")
    first, second = np.arange(4, dtype=np.int32), np.array([0.5, 1.5], np.float32)
    target.store(
        "p0", i, to_number(look_up(first, i)) + look_up(second, i) + to_number(look_up(first, i + 1))
    )
    assert target.text.count("constants[0i + ") == 2
    assert "bitcast<f32>(constants[4i + i])" in target.text
    assert target.helpers.constants.tolist() == [0, 1, 2, 3, *second.view(np.int32)]
