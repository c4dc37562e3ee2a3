"""The base class of all parts of a scenario: frozen and strict, with no unknown keys and no NaN.

A field declares its default, range, unit and description once. Sliders, validation messages, `--set` paths and the
reference page all read them from here.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """A part of a scenario."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, validate_default=True, defer_build=True
    )

    def __dir__(self) -> list[str]:
        """What tab completion shows: the fields and methods of the part, without pydantic's own."""
        return [name for name in super().__dir__() if name.startswith("__") or not hasattr(BaseModel, name)]


PLACES = (0.0, 2000.0)
"""Slider range of a coordinate [u] where no world is known (see scenario/sliders.py)."""
HEIGHTS = (0.0, 1000.0)
"""The same of a height."""


def quantity(
    default: Any, text: str, unit: str = "", slider: tuple[float, float] | None = None, scales: bool = False,
    **bounds: Any,
) -> Any:  # fmt: skip
    """A numeric field: default, description, unit, useful slider range, hard bounds (gt, ge, lt, le).

    Ranges of lengths and speeds follow the scenario, and those of a number that `scales` with them.
    """
    extra: dict[str, Any] = {"unit": unit} | ({"scales": True} if scales else {})
    if slider is not None:
        extra["slider"] = list(slider)
    return Field(default, description=text, json_schema_extra=extra, **bounds)


def height() -> Any:
    """The height of a position, for 3-D worlds."""
    text = "Its height, in a 3-D world; none: halfway up."
    return quantity(None, text, "u", HEIGHTS)


def choice(default: Any, text: str) -> Any:
    """A field with a few allowed values, or a switch."""
    return Field(default, description=text)
