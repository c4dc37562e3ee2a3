"""Every number of every rule has a slider whose range is valid and contains the default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from murmura.core.model import Model
from murmura.rules import built_in_rules


def parts_of(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in get_args(annotation):
        yield from parts_of(part)


def numbers_in(path: str, model: type[Model]) -> Iterator[tuple[str, FieldInfo]]:
    """The numeric fields of a model, and of the models in its lists, by path."""
    for name, field in model.model_fields.items():
        kinds = list(parts_of(field.annotation))
        inner = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Model)]
        for kind in inner:
            yield from numbers_in(f"{path}.{name}.0", kind)
        if not inner and (float in kinds or int in kinds):
            yield f"{path}.{name}", field


def every_number() -> list[tuple[str, FieldInfo]]:
    return [found for name, rule in built_in_rules() for found in numbers_in(f"rules.{name}", rule)]


def test_every_number_has_a_range() -> None:
    numbers = every_number()
    assert len(numbers) > 300
    bare = [path for path, field in numbers if "slider" not in (field.json_schema_extra or {})]
    assert not bare, "fields without a slider range"


def test_every_range_is_allowed_and_has_the_default() -> None:
    for path, field in every_number():
        extra = field.json_schema_extra
        assert isinstance(extra, dict)
        low, high = extra["slider"]
        assert low < high, path
        checked = TypeAdapter(field.rebuild_annotation())
        assert isinstance(high, int | float) and isinstance(low, int | float), path
        checked.validate_python(high)
        # Where the bound itself is forbidden (a radius above 0), a slider stops short of it.
        checked.validate_python(low if low > 0 or not _above_zero(field) else high / 1000)
        if isinstance(field.default, int | float):
            assert low <= field.default <= high, path


def _above_zero(field: FieldInfo) -> bool:
    return any(getattr(bound, "gt", None) == 0 for bound in field.metadata)
