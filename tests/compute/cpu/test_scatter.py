"""Vectors in the order of ids: compiled, against NumPy's indices."""

from __future__ import annotations

import numpy as np
import pytest

from murmura.compute.cpu.scatter import AHEAD, put_vectors


@pytest.mark.parametrize("count", [0, 1, AHEAD, AHEAD + 1, 1_000])
def test_each_vector_lands_in_its_row_and_the_rest_stays(count: int):
    rng = np.random.default_rng(count)
    rows = rng.permutation(count).astype(np.int32)
    x, y = rng.normal(size=(2, count)).astype(np.float32)
    out = np.full((count, 3), 7.0, np.float32)
    put_vectors(rows, x, y, np.float32(2.5), np.float32(-1.5), out)
    expected = np.full((count, 3), 7.0, np.float32)
    expected[rows, 0], expected[rows, 1] = x - np.float32(2.5), y + np.float32(1.5)
    assert np.array_equal(out, expected)
