"""Values that are written into columns between two steps, checked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murmura.compute.plan import Plan
from murmura.core.errors import ScenarioError
from murmura.core.state import column_name, column_type


def checked_columns(
    values: Mapping[str, ArrayLike], plan: Plan, shape: tuple[int, ...]
) -> dict[str, NDArray[np.float32]]:
    """Values to write into columns, by full name, in this shape."""
    found = {}
    for name, given in values.items():
        parts = plan.vectors.get(name)
        if parts is None:
            found[column_name(name)] = _checked_column(name, given, plan, shape)
        else:
            rows = _rows(name, given, len(parts))
            found |= {part: _checked_column(part, rows[..., k], plan, shape) for k, part in enumerate(parts)}
    return found


def _rows(name: str, given: ArrayLike, dimension: int) -> NDArray[np.generic]:
    """The values of a vector, whose last axis is that of the world."""
    rows = np.asarray(given)
    if rows.ndim == 0 or rows.shape[-1] != dimension:
        raise ScenarioError(f"{name} must have {dimension} components for each agent, got shape {rows.shape}")
    return rows


def _checked_column(name: str, given: ArrayLike, plan: Plan, shape: tuple[int, ...]) -> NDArray[np.float32]:
    own = [name for name in map(column_name, plan.carried) if column_type(name) == np.float32]
    if column_name(name) not in own:
        raise ScenarioError(
            f"{name!r} is not a column that can be written between steps; here: {', '.join(own) or 'none'}"
        )
    try:
        with np.errstate(over="ignore"):
            found = np.broadcast_to(np.asarray(given, np.float32), shape)
    except (TypeError, ValueError):
        raise ScenarioError(
            f"{name} must be numbers of shape {shape}, got {np.shape(given)}: one for each agent, or one for all"
        ) from None
    if not np.isfinite(found).all():
        broken = np.argwhere(~np.isfinite(found))[0].tolist()
        raise ScenarioError(
            f"{name} must be finite, got {found[tuple(broken)]} at {broken}: nothing was changed"
        )
    return found
