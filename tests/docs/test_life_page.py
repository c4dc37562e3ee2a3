"""docs/life.md is generated from the code's tables and must be up to date."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date() -> None:
    made = runpy.run_path(str(DOCS / "make_life.py"))["page"]()
    assert (DOCS / "life.md").read_text(encoding="utf-8") == made, "run: python docs/make_life.py"


def test_the_tables_of_what_a_rule_sees_are_up_to_date() -> None:
    made = runpy.run_path(str(DOCS / "make_rule_fields.py"))["page"]()
    assert (DOCS / "add-a-rule.md").read_text(encoding="utf-8") == made, (
        "run: python docs/make_rule_fields.py"
    )
