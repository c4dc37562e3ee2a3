"""How contributions are merged, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from murmura.compute.trace.numpy_target import NumpyTarget
from murmura.core.algebra import Value
from murmura.core.errors import ScenarioError
from murmura.core.merging import FAR, Greatest, Least, Merge, Sum, flatten, found, named, unflatten
from murmura.core.vec import Vec

NEIGHBORS, AGENTS = 30, 40
TABLE = np.random.default_rng(12).normal(0.0, 5.0, (4, NEIGHBORS, AGENTS))
MASK = np.random.default_rng(13).uniform(size=(NEIGHBORS, AGENTS)) < 0.2
MASK[:, 0] = False  # the first agent gets no contribution
MASK[:, 1] = True


def plain(x: Any) -> NDArray[np.float64]:
    return np.broadcast_to(np.asarray(x.code if isinstance(x, Value) else x, float), (AGENTS,))


def folded(contributions: list[Merge]) -> Merge:
    """All contributions merged one neighbour after the other, where the mask is set."""
    total = contributions[0].initial(NumpyTarget())
    for contribution, mask in zip(contributions, MASK, strict=True):
        total = total.merged(contribution, NumpyTarget().value(mask, "condition"))
    return total


def test_sums() -> None:
    total = folded([Sum(row) for row in TABLE[0]]).result
    np.testing.assert_allclose(plain(total), np.where(MASK, TABLE[0], 0.0).sum(axis=0), atol=1e-12)
    assert plain(total)[0] == 0.0


def test_sums_of_vectors_in_any_dimension() -> None:
    for dimension in (2, 3):
        total = folded([Sum(Vec(*parts)) for parts in TABLE[:dimension].transpose(1, 0, 2)]).result
        assert len(total) == dimension
        expected = np.where(MASK, TABLE[:dimension], 0.0).sum(axis=1)
        np.testing.assert_allclose([plain(part) for part in total], expected, atol=1e-12)


def test_the_greatest_is_at_least_zero() -> None:
    values = TABLE[0] - 4.0  # most are negative
    greatest = plain(folded([Greatest(row) for row in values]).result)
    assert np.array_equal(greatest, np.where(MASK, values, 0.0).max(axis=0))
    assert (greatest == 0.0).any()
    assert (greatest > 0.0).any()


def nearest() -> Any:
    score, number, x, y = TABLE
    return folded([Least(score[k], number=number[k], place=Vec(x[k], y[k])) for k in range(NEIGHBORS)]).result


def test_the_least_score_comes_with_its_payload() -> None:
    score, number, x, y = TABLE
    who = np.where(MASK, score, np.inf).argmin(axis=0)
    everybody = np.arange(AGENTS)
    least = nearest()
    reached = MASK.any(axis=0)
    assert reached.sum() > 30
    for found_value, expected in (
        (least.score, score),
        (least.number, number),
        (least.place.x, x),
        (least.place.y, y),
    ):
        assert np.array_equal(plain(found_value)[reached], expected[who, everybody][reached])


def test_without_contributions_there_is_no_least_score() -> None:
    least = nearest()
    assert np.array_equal(least.exists.code, MASK.any(axis=0))
    assert plain(least.score)[0] == FAR
    assert plain(least.number)[0] == plain(least.place.x)[0] == plain(least.place.y)[0] == 0.0


def test_among_equal_scores_the_first_stays() -> None:
    least = folded([Least(np.ones(AGENTS), who=np.full(AGENTS, float(k))) for k in range(NEIGHBORS)]).result
    assert np.array_equal(plain(least.who)[1:], MASK[:, 1:].argmax(axis=0) * MASK[:, 1:].any(axis=0))


def test_a_score_of_far_counts_as_no_contribution() -> None:
    # A rule gives neighbours it does not want the score `FAR`, and so finds none.
    least = folded([Least(np.full(AGENTS, FAR), who=np.ones(AGENTS)) for _ in range(NEIGHBORS)]).result
    assert not least.exists.code.any()
    assert not plain(least.who).any()


def test_plain_numbers_merge_immediately() -> None:
    assert float(Sum(2.0).merged(Sum(3.0), True).result) == 5.0
    assert float(Sum(2.0).merged(Sum(3.0), False).result) == 2.0
    assert float(Greatest(2.0).merged(Greatest(3.0), True).result) == 3.0
    assert float(Least(2.0, a=7.0).merged(Least(1.0, a=8.0), True).result.a) == 8.0


def test_a_single_contribution_is_found_as_it_is() -> None:
    assert named(None) == {}
    assert found(named(Sum(2.5))) == 2.5
    several = named({"away": Sum(1.0), "worst": Greatest(4.0), "nearest": Least(2.0, speed=9.0)})
    result = found(several)
    assert (result.away, result.worst, result.nearest.speed) == (1.0, 4.0, 9.0)
    with pytest.raises(AttributeError, match=r"has no field 'wurst' \(did you mean 'worst'\?\)"):
        _ = result.wurst


@pytest.mark.parametrize("returned", [2.0, (1.0, 2.0), Vec(1.0, 2.0), {"away": Sum(1.0), "worst": 4.0}])
def test_a_contribution_must_say_how_it_merges(returned: Any) -> None:
    with pytest.raises(
        ScenarioError, match=r"must return a Sum, Greatest or Least, .* got (float|tuple|Vec): "
    ):
        named(returned)


def test_unflatten_restores_the_order_of_leaves() -> None:
    tree = {"a": Sum(Vec(1, 2)), "b": {"c": Least(3, d=4, e=Vec(5, 6))}, "f": (7, [8])}
    assert flatten(tree) == [1, 2, 3, 4, 5, 6, 7, 8]
    values = [leaf * 10 for leaf in flatten(tree)]
    other = unflatten(tree, values)
    assert values == []
    assert flatten(other) == [10, 20, 30, 40, 50, 60, 70, 80]
    assert isinstance(other["a"], Sum)
    assert isinstance(other["b"]["c"], Least)
    assert list(other["b"]["c"].parts) == ["score", "d", "e"]
    assert flatten(tree) == [1, 2, 3, 4, 5, 6, 7, 8]
