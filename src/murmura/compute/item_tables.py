"""Builds the table of items that kernels read: rows of plain numbers, all of one width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import ScenarioError
from murmura.core.layout import Layout
from murmura.core.rule import Rule
from murmura.scenario import Scenario


def item_layout(rule: Rule, scenario: Scenario) -> Layout:
    """The fields of a rule's items."""
    kind = rule.class_in(scenario.world.dimension)
    return Layout((*kind.item_fields, *kind.memory_fields), scenario.world.dimension)


def item_rows(name: str, rows: Sequence[Any], layout: Layout, scenario: Scenario) -> list[list[float]]:
    """The rows of a rule's items as plain numbers."""
    found = [layout.row(row, scenario.world.depth) for row in rows]
    for row in found:
        if len(row) > len(layout) or (scenario.world.dimension == 3 and len(row) < len(layout)):
            raise ScenarioError(
                f"an item of rule {name!r} has {len(row)} numbers, expected {len(layout)} "
                f"({', '.join(layout.columns)}): give vectors as (x, y, z), which fit both the plane and space"
            )
    return found


def padded(rows: Sequence[Any], width: int) -> NDArray[np.float32]:
    """Rows padded with zeros to one width."""
    table = np.zeros((max(1, len(rows)), width), np.float32)
    for k, row in enumerate(rows):
        table[k, : len(row)] = row
    return table if rows else table[:0]
