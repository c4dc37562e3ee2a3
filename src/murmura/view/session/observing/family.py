"""The relatives of one agent, for the page: ancestors, generation, offspring."""

from __future__ import annotations

from typing import Any

import numpy as np

from murmura.engine.lineage import ALIVE, Lineage
from murmura.view.session.source import ShownFlock

ANCESTORS = 3
"""How many generations a page shows: parents, grandparents and great-grandparents."""
MOST_YOUNG = 12
"""Greatest number of living offspring that are listed, the newest first."""


def family(simulation: ShownFlock, agent_id: int) -> dict[str, Any] | None:
    """The relatives of an agent at this step; None in a scenario without births and deaths."""
    if not simulation.keeps_lineage:
        return None
    tree = simulation.lineage()
    row = tree.row(agent_id)
    if tree.founders.all() and tree.alive.all():
        return None
    now = simulation.step_count
    born = (tree.born <= now) & ((tree.mothers == agent_id) | (tree.fathers == agent_id))
    living = np.flatnonzero(born & _lives(tree, now))
    line = tree.maternal_line(agent_id)
    return {
        "generation": int(tree.generations[row]),
        "born": float(tree.born[row] * tree.time_step),
        "young": int(born.sum()),
        "living": len(living),
        "children": tree.ids[living[-MOST_YOUNG:]].tolist()[::-1],
        "founder": line[-1] if line else agent_id,
        "ancestors": _parents(tree, row, now, ANCESTORS),
    }


def _lives(tree: Lineage, now: int) -> Any:
    return (tree.died == ALIVE) | (tree.died > now)


def _parents(tree: Lineage, row: int, now: int, depth: int) -> list[dict[str, Any]]:
    """Mother and father, each with their own parents, as many generations back as requested."""
    if depth == 0:
        return []
    found = []
    for role, parent in (("mother", int(tree.mother_rows[row])), ("father", int(tree.father_rows[row]))):
        if parent >= 0:
            died = int(tree.died[parent])
            lives = died == ALIVE or died > now
            found.append({
                "id": int(tree.ids[parent]), "role": role, "alive": lives,
                "fate": None if lives else tree.cause_name(parent), "parents": _parents(tree, parent, now, depth - 1),
            })  # fmt: skip
    return found
