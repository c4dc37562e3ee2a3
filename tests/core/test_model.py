"""The base class of all parts of a scenario: frozen and strict, with no extra fields."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import ValidationError

from murmura.core.model import Model, choice, quantity


class Kettle(Model):
    """A part with one field of each kind."""

    volume: float = quantity(1.5, "How much it holds.", "l", (0.5, 3), gt=0)
    color: Literal["red", "blue"] = choice("red", "Its colour.")


@pytest.mark.parametrize(
    "values",
    [
        {"volume": float("nan")},
        {"volume": float("inf")},
        {"volume": 0.0},
        {"volume": "1.5"},
        {"volume": True},
        {"color": "green"},
        {"spout": 1.0},
    ],
)
def test_refuses_unknown_fields(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Kettle(**values)


def test_is_frozen() -> None:
    kettle = Kettle()
    with pytest.raises(ValidationError, match="frozen"):
        kettle.volume = 2.0  # type: ignore[misc]
    assert kettle.volume == 1.5


def test_a_default_must_fit_its_own_bounds() -> None:
    class Leaky(Model):
        volume: float = quantity(-1.0, "How much it holds.", "l", gt=0)

    with pytest.raises(ValidationError):
        Leaky()


def test_a_field_has_a_description_unit_and_slider_range() -> None:
    field = Kettle.model_fields["volume"]
    assert field.description == "How much it holds."
    assert field.json_schema_extra == {"unit": "l", "slider": [0.5, 3]}
