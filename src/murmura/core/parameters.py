"""The numbers, options and words of a rule, of the motion and of the perception, as kernels get them."""

from __future__ import annotations

import types
from typing import Any

from murmura.core.model import Model
from murmura.core.tracing.value import Value


def numbers_of(model: Model, perception_radius: float) -> dict[str, float]:
    """Numeric fields of a model. A radius of None means the perception radius."""
    found: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            found[name] = float(value)
        elif isinstance(value, Value):  # a value that a page will know
            found[name] = value
        elif value is None and _may_be_number(field.annotation):
            found[name] = perception_radius if name == "radius" else 0.0
    return found


def options_of(model: Model) -> dict[str, bool]:
    """Boolean fields, and one flag for each word of a choice: `falloff_inverse`."""
    found: dict[str, bool] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if name == "enabled":
            continue
        if isinstance(value, bool):
            found[name] = value
        elif isinstance(value, str):
            for word in getattr(field.annotation, "__args__", ()):
                found[f"{name}_{word}"] = value == word
    return found


def words_of(model: Model) -> dict[str, str]:
    """Fields with a choice of words."""
    fields = {name: getattr(model, name) for name in type(model).model_fields}
    return {name: value for name, value in fields.items() if isinstance(value, str)}


def _may_be_number(annotation: Any) -> bool:
    return isinstance(annotation, types.UnionType) and (
        float in annotation.__args__ or int in annotation.__args__
    )
