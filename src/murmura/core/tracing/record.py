"""Records of values by name: what a rule can read of an agent, a neighbour, an item or the world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from murmura.core.errors import nearest
from murmura.core.tracing.fields import Fields


class Lazy:
    """A value that is computed only if a rule reads it."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


class Record:
    """Values by name. `kind` declares the fields, or is what error messages call the record."""

    __slots__ = ("_kind", "_values")

    def __init__(self, kind: type[Fields] | str, values: Mapping[str, Any]) -> None:
        self._kind, self._values = kind, dict(values)

    def __getattr__(self, name: str) -> Any:
        values = object.__getattribute__(self, "_values")
        if name not in values:
            raise AttributeError(_absent(self._kind, name, values))
        value = values[name]
        return value.make() if isinstance(value, Lazy) else value

    def __setattr__(self, name: str, value: Any) -> None:
        if name in Record.__slots__:
            object.__setattr__(self, name, value)
        else:
            label = self._kind if isinstance(self._kind, str) else self._kind.argument
            raise AttributeError(f"{label}.{name} cannot be assigned: return the new value instead")

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __dir__(self) -> list[str]:
        return sorted(self._values)

    def updated(self, changes: Mapping[str, Any]) -> Record:
        """The same record with some values changed or added."""
        return Record(self._kind, {**self._values, **changes})


def _absent(kind: type[Fields] | str, name: str, values: Mapping[str, Any]) -> str:
    """The message about a field that a record lacks."""
    label, declared = (kind, {}) if isinstance(kind, str) else (kind.argument, kind.declared())
    if not isinstance(kind, str) and name in declared:
        return f"{label} has no field {name!r} here: {kind.why_absent(name)}"
    hint = nearest(name, {**declared, **values})
    return f"{label} has no field {name!r}{hint}; it has: {', '.join(sorted(values))}"
