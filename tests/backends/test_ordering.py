"""Vectors in the order of ids: compiled, against NumPy's indices."""

from __future__ import annotations

import numpy as np
import pytest

from murmura.backends.ordering import AHEAD, put_vectors


@pytest.mark.parametrize("count", [0, 1, AHEAD, AHEAD + 1, 1_000])
@pytest.mark.parametrize("interleaved", [False, True])
def test_each_vector_lands_in_its_row_and_the_rest_stays(count: int, interleaved: bool):
    rng = np.random.default_rng(count)
    rows = rng.permutation(count).astype(np.int32)
    quads = rng.normal(size=(count, 4)).astype(np.float32)
    x, y = quads.T[:2] if interleaved else np.ascontiguousarray(quads.T[:2])
    out = np.full((count, 3), 7.0, np.float32)
    put_vectors(rows, x, y, np.float32(2.5), np.float32(-1.5), out)
    expected = np.full((count, 3), 7.0, np.float32)
    expected[rows, :2] = quads[:, :2] - np.array([2.5, -1.5], np.float32)
    assert np.array_equal(out, expected)
