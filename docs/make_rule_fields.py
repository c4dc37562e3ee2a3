"""Writes the tables of "What a rule sees" in docs/add-a-rule.md from the code: `python docs/make_rule_fields.py`.

A test keeps them up to date.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from murmura.core.rule_arguments import Agent, Columns, Neighbor, World
from murmura.core.tracing.fields import Fields

TARGET = Path(__file__).with_name("add-a-rule.md")
BEGIN, END = "<!-- by docs/make_rule_fields.py -->\n", "<!-- end -->\n"
TABLES: tuple[tuple[str, type[Fields]], ...] = (
    ("`me` is an `Agent`, the one that decides", Agent),
    ("`seen` is a `Neighbor`", Neighbor),
    ("both have columns: those that some active rule names in `reads` or `writes`", Columns),
    ("`world` is a `World`", World),
)


def tables() -> str:
    """The tables, between their marks."""
    return BEGIN + "\n".join("\n".join(_table(title, kind)) for title, kind in TABLES) + END


def page() -> str:
    """The whole page with these tables."""
    before, rest = TARGET.read_text(encoding="utf-8").split(BEGIN)
    return before + tables() + rest.split(END)[1]


def _table(title: str, kind: type[Fields]) -> Iterator[str]:
    inherited = {} if kind is Columns else Columns.declared()
    types, texts = kind.declared(), kind.described()
    yield f"| {title} | type | [unit] and meaning |"
    yield "|---|---|---|"
    for name, text in texts.items():
        if name not in inherited:
            yield f"| `{name}` | `{types[name]}` | {text} |"
    yield ""


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
