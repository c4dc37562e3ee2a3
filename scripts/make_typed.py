"""Writes src/murmura/scenario/typed.pyi: types of a scenario's rules and of `Scenario.edit`, for editors and mypy.

    python scripts/make_typed.py

Rules register themselves at import, so a type checker cannot find them in the code. A test compares the file
with the output of this script.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from murmura.core.model import Model
from murmura.rules import built_in_rules
from murmura.scenario import models

FILE = Path(models.__file__).with_name("typed.pyi")
SECTIONS = ("World", "Motion", "Perception", "Start", "Display")
HEAD = '''"""Types of a scenario's rules and of `Scenario.edit`, for editors and mypy. By scripts/make_typed.py."""
'''


def text() -> str:
    """The whole file."""
    rules = dict(built_in_rules())
    parts = [getattr(models, name) for name in SECTIONS]
    used = {kind for part in [*rules.values(), models.Scenario] for kind in _models_in(part)}
    used -= {models.Scenario, models.Rules, *parts}
    return "\n".join([HEAD, *_imports(used), "", *_body(rules, parts)])


def _body(rules: dict[str, type[Model]], parts: list[type[Model]]) -> Iterator[str]:
    yield "_default: Any"
    yield ""
    yield "class Rules(RulesBase):"
    yield from (f"    {name}: {rule.__name__} = _default" for name, rule in rules.items())
    yield "    def __getattr__(self, name: str) -> Any: ...  # rules of your own"
    yield ""
    for part in [*parts, *rules.values()]:
        yield from _edits(
            part.__name__, {name: _written(f.annotation) for name, f in part.model_fields.items()}
        )
    yield from _edits("Rules", {name: f"{rule.__name__}Edits" for name, rule in rules.items()})
    whole = models.Scenario.model_fields.items()
    fields = {name: _written(field.annotation) for name, field in whole if name != "schema_version"}
    named = {part.__name__.lower(): f"{part.__name__}Edits" for part in parts}
    yield from list(_edits("Scenario", fields | named | {"rules": "RulesEdits"}))[:-1]
    yield ""


def _edits(name: str, fields: dict[str, str]) -> Iterator[str]:
    yield f"class {name}Edits(TypedDict, total=False):"
    yield from (f"    {field}: {written}" for field, written in fields.items())
    yield ""


def _written(kind: Any) -> str:
    """An annotation for callers: any sequence instead of a tuple."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return f"Literal[{', '.join(f'{word!r}' for word in inner)}]".replace("'", '"')
    if origin in (Union, types.UnionType):
        return " | ".join(map(_written, inner))
    if origin is tuple:
        assert inner[1:] == (...,), kind
        return f"Sequence[{_written(inner[0])} | Mapping[str, Any]]"
    if origin is dict:
        return f"Mapping[{', '.join(map(_written, inner))}]"
    return "None" if kind is type(None) else str(kind.__name__)


def _models_in(part: Any) -> Iterator[type[Model]]:
    """The models in a model's annotations, and itself."""
    yield part
    for field in part.model_fields.values():
        stack = [field.annotation]
        while stack:
            kind = stack.pop()
            stack.extend(get_args(kind))
            if isinstance(kind, type) and issubclass(kind, Model):
                yield kind


def _imports(kinds: set[type[Model]]) -> Iterator[str]:
    yield "from collections.abc import Mapping, Sequence"
    yield "from typing import Any, Literal, TypedDict"
    yield ""
    homes: dict[str, list[str]] = {"murmura.scenario.models": ["RulesBase"]}
    for kind in kinds:
        homes.setdefault(kind.__module__, []).append(kind.__name__)
    for home, names in sorted(homes.items()):
        line = f"from {home} import {', '.join(sorted(names))}"
        if len(line) <= 110:
            yield line
        else:
            yield from [f"from {home} import (", *(f"    {name}," for name in sorted(names)), ")"]


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
