"""The table of rules in docs/space.md is generated from the registry and the rules' own answers."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from murmura.rules import built_in_rules

DOCS = Path(__file__).parents[2] / "docs"
MAKE = runpy.run_path(str(DOCS / "make_rules_in_space.py"))


def test_the_table_is_up_to_date() -> None:
    page = (DOCS / "space.md").read_text(encoding="utf-8")
    assert page == MAKE["page"](), "run: python docs/make_rules_in_space.py"
    assert re.findall(r"^\| `(\w+)` \| \w+ \|", MAKE["table"](), re.M) == [
        name for name, _ in built_in_rules()
    ]


def test_rules_with_functions_of_their_own_for_space_have_a_formula_there() -> None:
    hooks = ("pair", "item", "feel", "steer", "age")
    changed = {
        name
        for name, rule in built_in_rules()
        if rule.in_space and any(w in vars(rule.in_space) for w in hooks)
    }
    assert "vicsek" in changed
    assert changed <= MAKE["other_formulas"]()


def test_a_refusal_names_the_rule_and_what_to_do() -> None:
    refused = re.findall(r"^\| `(\w+)` \|.*refused.*\| (.+) \|$", MAKE["table"](), re.M)
    assert "vision" in dict(refused)
    for name, sentence in refused:
        assert sentence.startswith(f"rules.{name} ")
        assert "world.depth" in sentence
        assert sentence.endswith(f" rules.{name}.enabled = false")
