"""Who perceives whom, of all agents at once: the edges of a directed graph.

The definition compares all pairs. Unless bodies hide each other, only pairs within reach can matter: a k-d tree lists
them, and the same functions of the step judge each pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from murmura.compute.plan import Plan
from murmura.compute.reference import Evaluation
from murmura.core.algebra import INTEGER, Value
from murmura.core.layout import AXES
from murmura.core.world.perception import TIE, in_view
from murmura.core.world.space import offset

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PAIRS_AT_ONCE = 2_000_000
SLACK = 1e-6
"""The tree looks this much farther, relative to the reach: it rounds in its own way."""


def network(evaluation: Evaluation) -> csr_array:
    """The graph as a `scipy.sparse.csr_array` of bool: entry (i, j) is set if agent i perceives agent j.

    Rows and columns are in ascending id.
    """
    from scipy.sparse import csr_array

    count = len(evaluation.ids)
    with np.errstate(all="ignore"):
        rows, others = _all_pairs(evaluation) if evaluation.plan.occludes else _near_pairs(evaluation)
    return csr_array((np.ones(len(rows), bool), (rows, others)), shape=(count, count))


def _all_pairs(evaluation: Evaluation) -> tuple[NDArray[Any], NDArray[Any]]:
    """By the definition, some rows at a time."""
    count = len(evaluation.ids)
    size = max(1, PAIRS_AT_ONCE // max(1, count))
    found: list[tuple[NDArray[Any], NDArray[Any]]] = []
    for begin in range(0, count, size):
        rows = np.arange(begin, min(begin + size, count))
        mine, others = np.nonzero(evaluation.visible(rows))
        found.append((rows[mine], others))
    return _joined(found)


def _near_pairs(evaluation: Evaluation) -> tuple[NDArray[Any], NDArray[Any]]:
    """From pairs that a tree lists, some agents at a time."""
    count = len(evaluation.ids)
    tree, places = _tree(evaluation)
    reach = evaluation.plan.sight * (1.0 + SLACK)
    many = np.cumsum(tree.query_ball_point(places, reach, return_length=True))
    parts = np.searchsorted(many, np.arange(0, many[-1] if count else 0, PAIRS_AT_ONCE) + PAIRS_AT_ONCE)
    found: list[tuple[NDArray[Any], NDArray[Any]]] = []
    begin = 0
    for end in [*parts.tolist(), count]:
        rows = np.arange(begin, min(max(end, begin + 1), count))
        if len(rows):
            near = tree.query_ball_point(places[rows], reach)
            mine = np.repeat(rows, [len(each) for each in near])
            found.append(_perceived(evaluation, mine, np.concatenate(near).astype(np.intp)))
        begin = rows[-1] + 1 if len(rows) else begin
    return _joined(found)


def _joined(found: list[tuple[NDArray[Any], NDArray[Any]]]) -> tuple[NDArray[Any], NDArray[Any]]:
    if not found:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    return np.concatenate([rows for rows, _ in found]), np.concatenate([others for _, others in found])


def _tree(evaluation: Evaluation) -> tuple[Any, NDArray[Any]]:
    from scipy.spatial import cKDTree

    plan, world = evaluation.plan, evaluation.plan.scenario.world
    places = np.stack([evaluation.columns[f"position_{axis}"] for axis in AXES[: plan.dimension]], axis=1)
    sides = np.array([side for side in (world.width, world.height, world.depth) if side is not None])
    wraps = np.array([edge == "wrap" for edge in world.edges[: plan.dimension]])
    if not wraps.any():
        return cKDTree(places), places
    wrapped = np.mod(places, sides)
    places = np.where(wraps, np.where(wrapped < sides, wrapped, 0.0), places)
    return cKDTree(places, boxsize=np.where(wraps, sides, 0.0)), places


def _perceived(
    evaluation: Evaluation, mine: NDArray[Any], others: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Those of the pairs of agents in which the first perceives the other, as `Evaluation.meet` has it."""
    apart = mine != others
    mine, others = mine[apart], others[apart]
    step, target = evaluation.step, evaluation.target
    p, me = evaluation.sense(mine, (len(mine),))
    columns = evaluation.known(others, (len(others),))
    way = offset(evaluation.world, me.position, columns["position"])
    identity = Value(target, INTEGER, evaluation.ids[others])
    seen = step.neighbor(p, me, columns, identity, way)
    radius = p.perception.radius
    near = (seen.square <= radius * radius).code
    visible = np.broadcast_to(
        near & in_view(step.view(p, me), me.heading, way, seen.distance).code, mine.shape
    )
    mine, others = mine[visible], others[visible]
    if evaluation.plan.topological:
        square = np.broadcast_to(seen.square.code, visible.shape)[visible]
        kept = square <= _reach_of_nearest(evaluation.plan, mine, square, len(evaluation.ids))[mine]
        mine, others = mine[kept], others[kept]
    return mine, others


def _reach_of_nearest(plan: Plan, mine: NDArray[Any], square: NDArray[Any], count: int) -> NDArray[Any]:
    """The squared distance up to which each agent perceives those in view."""
    nearest = plan.scenario.perception.nearest or 1
    reach = np.full(count, np.inf)
    order = np.lexsort((square, mine))
    agents, begins, counts = np.unique(mine[order], return_index=True, return_counts=True)
    full = counts >= nearest
    reach[agents[full]] = square[order][begins[full] + nearest - 1] * (1.0 + TIE)
    return reach
