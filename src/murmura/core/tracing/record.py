"""Records of values by name: what a rule can read of an agent, a neighbour, an item or the world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from murmura.core.errors import nearest


class Lazy:
    """A value that is computed only if a rule reads it."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


class Record:
    """Values by name. `label` names the record in error messages."""

    __slots__ = ("_label", "_values")

    def __init__(self, label: str, values: Mapping[str, Any]) -> None:
        self._label, self._values = label, dict(values)

    def __getattr__(self, name: str) -> Any:
        values = object.__getattribute__(self, "_values")
        if name not in values:
            raise AttributeError(
                f"{self._label} has no {name!r}{nearest(name, values)}; it has: {', '.join(sorted(values))}"
            )
        value = values[name]
        return value.make() if isinstance(value, Lazy) else value

    def __setattr__(self, name: str, value: Any) -> None:
        if name in Record.__slots__:
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"{self._label}.{name} cannot be assigned: return the new value instead")

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __dir__(self) -> list[str]:
        return sorted(self._values)

    def updated(self, changes: Mapping[str, Any]) -> Record:
        """The same record with some values changed or added."""
        return Record(self._label, {**self._values, **changes})
