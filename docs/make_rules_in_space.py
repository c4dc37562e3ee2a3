"""Writes the table of rules in docs/space.md from the registry: `python docs/make_rules_in_space.py`.

A test keeps it up to date. For each rule, a scenario is created twice, as a plane and with a depth; an error of only one
of the two goes into the table.
"""

from __future__ import annotations

import re
from pathlib import Path

from murmura.core.errors import ScenarioError
from murmura.core.rule import Rule
from murmura.rules import built_in_rules
from murmura.scenario import Scenario

TARGET = Path(__file__).with_name("space.md")
MODEL = Path(__file__).with_name("model.md")
HEAD = "<!-- by docs/make_rules_in_space.py -->\n"
DEPTH = 500.0


def complaints(name: str, rule: type[Rule], depth: float | None) -> set[str]:
    """The errors of a scenario with this rule and the rules that it needs."""
    values = {f"rules.{each}.enabled": True for each in (*rule.needs, name)}
    try:
        Scenario().with_values({"world.depth": depth, **values})
    except ScenarioError as error:
        return set(str(error).splitlines())
    return set()


def other_formulas() -> set[str]:
    """Rules of which docs/model.md gives another formula for space."""
    section = MODEL.read_text(encoding="utf-8").split("\n## Space\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `(\w+)` \|", section, re.M))


def rows() -> list[str]:
    changed, found = other_formulas(), []
    for name, rule in built_in_rules():
        flat, deep = complaints(name, rule, None), complaints(name, rule, DEPTH)
        plane = "refused" if flat - deep else "yes"
        runs = "yes, [another formula](model.md#space)" if name in changed else "yes"
        space = "refused" if deep - flat else runs
        why = " ".join(sorted(flat ^ deep))
        found.append(f"| `{name}` | {plane} | {space} | {why} |")
    return found


def table() -> str:
    """The table as it stands in the page, with the line that says where it is from."""
    return "\n".join(
        [
            HEAD.rstrip(),
            "| rule | plane | space | the message where it is refused |",
            "|---|---|---|---|",
            *rows(),
            "",
        ]
    )


def page() -> str:
    """The whole page with the table anew."""
    before, after = TARGET.read_text(encoding="utf-8").split(HEAD)
    return before + table() + "\n" + after.split("\n\n", 1)[1]


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
