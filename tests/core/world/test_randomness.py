"""Threefry against Random123's known answers, and the streams built on it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.algebra import INTEGER
from murmura.core.vec import from_angle
from murmura.core.world import randomness
from murmura.core.world.randomness import seed_words, threefry, uniform_from, uniform_pair
from tests.core import oracle

ALL = 0xFFFFFFFF
STREAMS = {name: value for name, value in vars(randomness).items() if name.startswith("STREAM_")}


@pytest.mark.parametrize(
    ("key", "counter", "answer"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((ALL, ALL), (ALL, ALL), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_known_answers_of_random123(
    key: tuple[int, int], counter: tuple[int, int], answer: tuple[int, int]
) -> None:
    # S4-5
    assert tuple(map(int, threefry(*key, *counter))) == answer
    assert oracle.threefry(key, counter) == answer


def test_arbitrary_words_agree_with_the_oracle() -> None:
    # S4-5
    words = np.random.default_rng(11).integers(0, 2**32, (100, 4), dtype=np.uint64)
    a, b = threefry(*words.T)
    for row, found in zip(words.tolist(), zip(a.tolist(), b.tolist(), strict=True), strict=True):
        assert oracle.threefry((row[0], row[1]), (row[2], row[3])) == found


def test_is_a_bijection_of_the_counter() -> None:
    # S4-5: two agents, or two steps, never share a draw
    ids, steps = np.meshgrid(np.arange(200), np.arange(100))
    a, b = threefry(7, 9, ids.ravel(), steps.ravel())
    assert len(np.unique(a * np.uint64(2**32) + b)) == ids.size


def test_uniform_numbers_keep_24_bits_below_one() -> None:
    # S4-5: exact in single precision, never 1
    u, v = uniform_from(1, 2, 3, np.arange(5000), 4)
    for values in (u, v):
        assert (values >= 0.0).all()
        assert (values < 1.0).all()
        assert np.array_equal(values * 2**24, np.floor(values * 2**24))
        assert np.array_equal(values, values.astype(np.float32))


def test_draws_are_a_pure_function_of_seed_step_agent_and_stream() -> None:
    # S4-5 with decision 19: neither the order of agents nor their number matters
    ids = np.arange(1000)
    together = uniform_from(5, 6, 7, ids, 8)
    shuffled = np.random.default_rng(0).permutation(ids)
    apart = uniform_from(5, 6, 7, shuffled, 8)
    assert np.array_equal(together[0][shuffled], apart[0])
    assert np.array_equal(together[1][shuffled], apart[1])
    assert uniform_from(5, 6, 7, 123, 8)[0] == together[0][123]


@pytest.mark.parametrize("step", [0, 7, 2**31, ALL])
@pytest.mark.parametrize("seed", [(0, 0), (5, 6), (ALL, ALL)])
def test_values_of_a_target_draw_what_arrays_draw(seed: tuple[int, int], step: int) -> None:
    # S4-5: a target's integers are signed and have 32 bits; those of the arrays here are wider
    ids = np.arange(500)
    target = NumpyTarget()
    expected = uniform_from(*seed, step, ids, 8)
    for when in (step, target.integer(step)):
        for low in (seed[0], target.integer(seed[0])):
            found = uniform_from(low, seed[1], when, target.value(ids, INTEGER), 8)
            assert np.array_equal([part.code for part in found], expected)


def test_every_argument_changes_the_draw() -> None:
    # S4-5
    base = (5, 6, 7, 8, 9)
    first = uniform_from(*base)
    for k in range(5):
        other = uniform_from(*(value + (place == k) for place, value in enumerate(base)))
        assert other[0] != first[0]
        assert other[1] != first[1]


def test_a_rule_draws_by_its_world() -> None:
    # S4-5: the source of randomness is passed to the rule
    world = SimpleNamespace(seed_low=5, seed_high=6, step=7)
    assert uniform_pair(8, world, 9) == uniform_from(5, 6, 7, 8, 9)


def chi_square(values: np.ndarray, bins: int) -> float:
    counts = np.histogram(values, bins=bins, range=(0.0, 1.0))[0]
    return float(stats.chisquare(counts).pvalue)


@pytest.mark.parametrize("seed", [0, 1, 2**40 + 17])
@pytest.mark.parametrize("stream", sorted(STREAMS.values()))
def test_each_stream_is_uniform(seed: int, stream: int) -> None:
    # S4-5: over agents in one step, and over steps for one agent
    over_agents = uniform_from(*seed_words(seed), 3, np.arange(20_000), stream)
    over_steps = uniform_from(*seed_words(seed), np.arange(20_000), 3, stream)
    for values in (*over_agents, *over_steps):
        assert 1e-4 < chi_square(values, 64) < 1.0 - 1e-6


def independent(a: np.ndarray, b: np.ndarray) -> float:
    counts = np.histogram2d(a, b, bins=12, range=[[0.0, 1.0], [0.0, 1.0]])[0]
    return float(stats.chisquare(counts.ravel()).pvalue)


def test_streams_agents_steps_and_seeds_are_independent() -> None:
    # S4-5
    ids = np.arange(20_000)
    draw = uniform_from(1, 0, 50, ids, 6)
    others = {
        "the second number": draw[1],
        "the next stream": uniform_from(1, 0, 50, ids, 7)[0],
        "the next step": uniform_from(1, 0, 51, ids, 6)[0],
        "the next agent": uniform_from(1, 0, 50, ids + 1, 6)[0],
        "the next seed": uniform_from(2, 0, 50, ids, 6)[0],
        "the next high word": uniform_from(1, 1, 50, ids, 6)[0],
    }
    for name, other in others.items():
        assert independent(draw[0], other) > 1e-4, name


def test_no_two_uses_share_a_stream() -> None:
    assert len(STREAMS) >= 7
    assert len(set(STREAMS.values())) == len(STREAMS)
    assert max(STREAMS.values()) == randomness.STREAM_USER


def test_random_unit_vectors_are_uniformly_distributed() -> None:
    # S0-17
    turn, _ = uniform_from(*seed_words(9), 0, np.arange(20_000), randomness.STREAM_HEADING)
    x, y = from_angle(2.0 * np.pi * turn)
    np.testing.assert_allclose(np.hypot(x, y), 1.0, rtol=1e-12)
    assert chi_square(np.arctan2(y, x) / (2.0 * np.pi) + 0.5, 36) > 1e-4


def test_seed_words() -> None:
    assert seed_words(0) == (0, 0)
    assert seed_words(2**64 - 1) == (ALL, ALL)
    assert seed_words(0x0123456789ABCDEF) == (0x89ABCDEF, 0x01234567)
