"""The words of a rule in their plain meaning."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from murmura.core import algebra

quick = settings(max_examples=100, deadline=None, derandomize=True)
words = st.integers(0, 2**32 - 1)


@given(words, words, st.integers(1, 31))
@quick
def test_32_bit_words_wrap_round(a: int, b: int, bits: int) -> None:
    assert int(algebra.add_32(a, b)) == (a + b) % 2**32
    assert int(algebra.xor_32(a, b)) == a ^ b
    text = f"{a:032b}"
    assert int(algebra.rotate_left_32(a, bits)) == int(text[bits:] + text[:bits], 2)


@given(words)
@quick
def test_unit_interval_takes_the_upper_24_bits(a: int) -> None:
    assert float(algebra.unit_interval(a)) == (a // 256) / 2**24


def test_where_takes_element_by_element() -> None:
    assert algebra.where(np.array([True, False]), np.array([1.0, 2.0]), -1.0).tolist() == [1.0, -1.0]


def test_whole_numbers_and_back() -> None:
    whole = algebra.to_integer(np.array([0.0, 255.0, -3.0]))
    assert whole.tolist() == [0, 255, -3]
    assert algebra.to_number(whole[:2]).tolist() == [0.0, 255.0]
    assert algebra.look_up(np.array([5.0, 6.0, 7.0]), np.array([2, 0])).tolist() == [7.0, 5.0]


def test_sine_comes_before_cosine() -> None:
    assert np.allclose(algebra.sin_cos(np.pi / 2), (1.0, 0.0))
    assert np.isclose(algebra.arctan2(1.0, 0.0), np.pi / 2)
