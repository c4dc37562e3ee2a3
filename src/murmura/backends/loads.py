"""How the text of fused rules reads values: of lanes, and of CUDA threads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Loads:
    """How a kernel reads values: place and velocity, a carried column, an id; and how an agent is read whole.

    Patterns for the agent itself while pairing and while moving, and for a neighbour.
    """

    base: str
    carried: str
    patterns: tuple[str, str, str]
    identity: str
    other: str
    """Text whose value is a neighbour's id, as a number."""

    def place_and_velocity(self, pattern: str) -> str:
        """Text whose value is (x, y, vx, vy)."""
        if self.base:
            return self.base
        return ", ".join(pattern.format(row=f"rows[{k}]") for k in range(4))

    def column(self, pattern: str, number: int) -> str:
        return self.carried.format(k=number) if self.carried else pattern.format(row=f"rows[{4 + number}]")


LANE_LOADS = Loads(
    "",
    "",
    ("load_repeated({row}, i, 4)", "load({row}, i)", "load_tile({row}, j, 4)"),
    "",
    "to_number(load_tile(ids, j, 4))",
)
THREAD_LOADS = Loads(
    "load_quad(rows[0], i)", "rows[1][{k}, i]", ("i", "i", "j"), "ids[i]", "to_number(ids[j])"
)
