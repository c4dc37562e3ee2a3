"""The latest changes of the shown scenario: a page that moved one number gets that number, not the whole scenario."""

from __future__ import annotations

from typing import Any

from murmura.scenario import Scenario

KEPT = 32  # changes; a page that is further behind gets the whole scenario


class ScenarioLog:
    """Counts changes, and says which values they changed. Written by one thread, read by any."""

    def __init__(self) -> None:
        self._changes: tuple[tuple[int, dict[str, Any]], ...] = ()
        self.effects: dict[str, Any] = {}
        """Rules of the newest version that are on because another needs them, and those that cannot act."""
        self.number = 0

    def note(self, before: Scenario, after: Scenario) -> None:
        """Another version of the scenario is shown."""
        values = changed_values(before.model_dump(mode="json"), after.model_dump(mode="json"))
        self._changes = (*self._changes[1 - KEPT :], (self.number + 1, values))
        self.effects = {"switched_on": after.switched_on(), "idle": after.idle_rules()}
        self.number += 1

    def since(self, number: int) -> tuple[int, dict[str, Any]] | None:
        """The newest number and all values that changed after this one; None if that was too long ago."""
        later = [each for each in self._changes if each[0] > number]
        if not later or later[0][0] != number + 1:
            return None
        return later[-1][0], {path: value for _, values in later for path, value in values.items()}


def changed_values(before: dict[str, Any], after: dict[str, Any], start: str = "") -> dict[str, Any]:
    """The values that differ, by path. A list is one value, and so is an object whose keys differ or contain dots."""
    found: dict[str, Any] = {}
    for key, value in after.items():
        old = before[key]
        if old == value and type(old) is type(value):
            continue
        path = f"{start}{key}"
        if (
            isinstance(old, dict)
            and isinstance(value, dict)
            and old.keys() == value.keys()
            and "." not in "".join(value)
        ):
            found |= changed_values(old, value, f"{path}.")
        else:
            found[path] = value
    return found
