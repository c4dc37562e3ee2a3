"""Describes a value of a scenario in words: its unit, its bounds, and its meaning."""

from __future__ import annotations

from html import escape
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from murmura.scenario.models import Scenario
from murmura.scenario.paths import field_at, unit_at
from murmura.scenario.sliders import slider_range

LIMITS = {"gt": "above {}", "ge": "{} or more", "lt": "below {}", "le": "{} or less"}


def about(scenario: Scenario, path: str) -> str:
    """Unit in brackets, bounds or allowed words, slider range, meaning; empty if nothing is known."""
    field = field_at(scenario, path)
    if field is None:
        return ""
    unit = unit_at(scenario, path)
    parts = [f"[{unit}]"] if unit else []
    facts = [*_limits(field.metadata), *_words(field.annotation)]
    extra = field.json_schema_extra
    if isinstance(extra, dict) and "slider" in extra:
        value = _value(scenario, path)
        own = None if value == field.default else value
        ends = slider_range(scenario, path.rpartition(".")[2], extra, own)
        facts.append("usually {} to {}".format(*(_number(end) for end in ends)))
    if facts:
        parts.append(", ".join(facts) + ".")
    return " ".join([*parts, field.description or ""]).strip()


def _value(scenario: Scenario, path: str) -> Any:
    found: Any = scenario
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _limits(metadata: list[Any]) -> list[str]:
    found = {name: getattr(each, name) for each in metadata for name in LIMITS if hasattr(each, name)}
    if "ge" in found and "le" in found:
        return [f"{_number(found['ge'])} to {_number(found['le'])}"]
    return [LIMITS[name].format(_number(value)) for name, value in found.items()]


def _words(annotation: Any) -> list[str]:
    """The words that a choice allows."""
    if get_origin(annotation) is Literal:
        return [" | ".join(map(str, get_args(annotation)))]
    if get_origin(annotation) in (Union, UnionType):
        return [word for each in get_args(annotation) for word in _words(each)]
    return []


def _number(value: Any) -> str:
    return f"{value:,.0f}" if abs(value) >= 1e6 else f"{value:,g}"


def html_table(title: str, facts: dict[str, Any]) -> str:
    """An HTML table of facts, for notebooks."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(str(key))}</th>"
        f"<td style='text-align:left'>{escape(str(value))}</td></tr>"
        for key, value in facts.items()
    )
    return f"<table><caption style='text-align:left'><b>{escape(title)}</b></caption>{rows}</table>"
