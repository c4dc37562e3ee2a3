"""The base of everything a scenario is made of: frozen, strict, closed to unknown keys, free of NaN.

A field carries its default, range, unit and sentence; sliders, validation messages, `--set` paths and the
reference page of the docs all read them from here.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """A part of a scenario."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, validate_default=True, defer_build=True
    )


PLACES = (0.0, 2000.0)
"""The slider of a coordinate: worlds are up to about so wide."""


def quantity(
    default: Any, text: str, unit: str = "", slider: tuple[float, float] | None = None, **bounds: Any
) -> Any:
    """A numeric field: default, sentence, unit in brackets, useful slider range, hard bounds (gt, ge, lt, le)."""
    extra: dict[str, Any] = {"unit": unit}
    if slider is not None:
        extra["slider"] = list(slider)
    return Field(default, description=text, json_schema_extra=extra, **bounds)


def height() -> Any:
    """The height of a place, which only a world with a depth has."""
    text = "Where it is, in a world with a depth; none: half way up."
    return quantity(None, text, "u", (0.0, 1000.0))


def choice(default: Any, text: str) -> Any:
    """A field with a few allowed words, or a switch."""
    return Field(default, description=text)
