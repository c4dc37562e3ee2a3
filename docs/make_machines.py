"""Draws the hunters' state machines and numbers into docs/predators.md, from the tables in the code.

python docs/make_machines.py
"""

from __future__ import annotations

import re
from pathlib import Path

from murmura.rules.predators.hunter import Hunter, numbers_of_kind
from murmura.rules.predators.kind import KINDS, kind_names
from murmura.rules.predators.states import SHARED_MACHINE, STATE_NAMES, Machine

PAGE = Path(__file__).with_name("predators.md")
BEGIN, END = "<!-- machines: written by make_machines.py -->", "<!-- end of machines -->"


def drawing(machine: Machine) -> list[str]:
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> idle"]
    for before, after, when in (*SHARED_MACHINE, *machine):
        lines.append(f"    {STATE_NAMES[before]} --> {STATE_NAMES[after]}: {when.replace(':', ',')}")
    return [*lines, "```", ""]


def numbers() -> list[str]:
    """Every number of every kind, with its unit."""
    rows = [f"| number | {' | '.join(kind_names())} |", f"|---|{'---|' * len(kind_names())}"]
    kinds = [numbers_of_kind(kind) for kind in kind_names()]
    for name in kinds[0]:
        extra = Hunter.model_fields[name].json_schema_extra
        unit = extra.get("unit") if isinstance(extra, dict) else ""
        label = f"`{name}` [{unit}]" if unit else f"`{name}`"
        rows.append(f"| {label} | {' | '.join(map(_shown, (kind[name] for kind in kinds)))} |")
    return rows


def _shown(number: float | None) -> str:
    return "–" if number is None else f"{number:g}"


def written() -> str:
    """The text between the marks of the page."""
    lines = []
    for kind in kind_names():
        lines += [f"### {kind.replace('_', ' ').capitalize()}", "", *drawing(KINDS[kind].machine)]
    return "\n".join([*lines, "### Numbers", "", *numbers()])


def page() -> str:
    """The page as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    pattern = re.escape(BEGIN) + ".*" + re.escape(END)
    return re.sub(pattern, lambda _: f"{BEGIN}\n\n{written()}\n\n{END}", text, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
