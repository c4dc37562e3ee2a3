"""An axis of a sweep: one scenario path and the values it takes, from a range or a list.

rules.noise.strength=0:1:6          six values from 0 to 1, both ends included
agents=100:10000:5:log              evenly spaced in the logarithm
world.boundary=wrap,reflect         these two
rules.noise.strength=0:1            a range for designs that choose the points themselves
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from murmura.core.errors import ScenarioError
from murmura.scenario import Scenario
from murmura.scenario.paths import assign, field_at, read_value

FORM = "PATH=LOW:HIGH:COUNT, PATH=LOW:HIGH:COUNT:log or PATH=A,B,C"
MOST_VALUES = 1_000_000
DASHED = re.compile(r"(-?[\d.]+) *- *(-?[\d.]+)")
"""A range as many write it, 0-5."""


@dataclass(frozen=True)
class Axis:
    """A path with its list of values, or with a range and the number of values for a grid."""

    path: str
    choices: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 1.0
    count: int | None = None
    log: bool = False
    whole: bool = False
    """Whether the path takes only whole numbers."""

    def grid(self) -> tuple[Any, ...]:
        """The values for a grid, in order."""
        if self.choices:
            return self.choices
        if self.count is None:
            raise ScenarioError(
                f"a grid needs a count for {self.path}: write {self.path}={self.low:g}:{self.high:g}:5, or let "
                "--design lhs or sobol choose the points"
            )
        steps = max(self.count - 1, 1)
        values = tuple(self._between(k / steps) for k in range(self.count))
        if len(set(values)) < len(values):
            raise ScenarioError(
                f"{self.path} takes whole numbers: {self.low:g} to {self.high:g} has fewer than {self.count}; "
                "lower the count or widen the range"
            )
        return values

    def at(self, share: float) -> Any:
        """The value at a fraction from 0 to 1 of the axis; all values are equally likely."""
        if self.choices:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        if self.whole and not self.log:
            return int(min(self.low + math.floor(share * (self.high - self.low + 1.0)), self.high))
        return self._between(share)

    def _between(self, share: float) -> Any:
        if self.log:
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + (self.high - self.low) * share
        # Ten digits are precise enough, and numbers stay readable and easy to type.
        return round(value) if self.whole else float(f"{value:.10g}")

    @property
    def is_numeric(self) -> bool:
        return all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.choices)

    def __str__(self) -> str:
        """In the syntax of `--vary`."""
        if self.choices:
            return f"{self.path}={','.join(c if isinstance(c, str) else json.dumps(c) for c in self.choices)}"
        count = "" if self.count is None else f":{self.count}"
        return f"{self.path}={self.low:g}:{self.high:g}{count}{':log' if self.log else ''}"

    def data(self) -> dict[str, Any]:
        """As plain data, for the manifest."""
        return asdict(self) | {"choices": list(self.choices)}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Axis:
        return cls(**(data | {"choices": tuple(data["choices"])}))


def read_axes(texts: list[str], scenario: Scenario) -> tuple[Axis, ...]:
    """Read `--vary` options for a scenario."""
    if not texts:
        raise ScenarioError(f"nothing is varied: add --vary {FORM}")
    axes = tuple(_read(text, scenario) for text in texts)
    paths = [axis.path for axis in axes]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice:
        raise ScenarioError(f"{twice} is varied twice; give all its values in one --vary")
    return axes


def listed_axes(table: Mapping[str, Iterable[object]], scenario: Scenario) -> tuple[Axis, ...]:
    """Axes from a table of paths and lists of values."""
    if not table:
        raise ScenarioError("nothing is varied: give a table from paths to lists of values")
    for path, values in table.items():
        _check_path(scenario, path)
        if isinstance(values, str) or not isinstance(values, Iterable) or not list(values):
            raise ScenarioError(f"{path} needs a list of values, got {values!r}")
    # Convert NumPy numbers, which lists of values often contain, to plain ones.
    return tuple(
        Axis(path, tuple(v.item() if hasattr(v, "item") else v for v in values))
        for path, values in table.items()
    )


def _read(text: str, scenario: Scenario) -> Axis:
    path, separator, values = (part.strip() for part in text.partition("="))
    if not separator or not path or not values:
        raise ScenarioError(f"--vary takes {FORM}, got {text!r}")
    _check_path(scenario, path)
    dashed = DASHED.fullmatch(values)
    if dashed and _is_number(scenario, path):
        raise ScenarioError(
            f"--vary takes {FORM}, got {text!r} (did you mean {path}={dashed[1]}:{dashed[2]}:5?)"
        )
    if ":" not in values or values.startswith(("[", "{", '"')):
        return Axis(path, _read_list(values, text))
    return _read_range(path, values.split(":"), text, _is_whole(scenario, path))


def _check_path(scenario: Scenario, path: str) -> None:
    """Refuse an unknown path and suggest the nearest one. Values are checked later, all of a cell together."""
    assign(scenario.model_dump(mode="json"), path, None, scenario)


def _read_list(values: str, text: str) -> tuple[Any, ...]:
    try:
        whole_list = read_value(f"[{values}]")
        choices = (
            whole_list if isinstance(whole_list, list) else [read_value(v.strip()) for v in values.split(",")]
        )
    except RecursionError:
        raise ScenarioError(f"--vary takes {FORM}, got deeply nested values") from None
    if not choices or any(choice == "" for choice in choices):
        raise ScenarioError(f"--vary takes {FORM}, got an empty value in {text!r}")
    if any(choices.index(choice) != k for k, choice in enumerate(choices)):
        raise ScenarioError(f"the values of an axis must differ from each other, got {text!r}")
    return tuple(choices)


def _read_range(path: str, parts: list[str], text: str, whole: bool) -> Axis:
    log = parts[-1].strip() == "log"
    numbers = parts[:-1] if log else parts
    try:
        low, high = float(numbers[0]), float(numbers[1])
        count = int(numbers[2]) if len(numbers) == 3 else None
    except (ValueError, IndexError):
        raise ScenarioError(f"--vary takes {FORM}, got {text!r}") from None
    if len(numbers) > 3 or not (math.isfinite(low) and math.isfinite(high)):
        raise ScenarioError(f"--vary takes {FORM} with finite numbers, got {text!r}")
    if not low < high:
        raise ScenarioError(
            f"a range must go from a lower to a higher number, got {low:g}:{high:g} for {path}"
        )
    if count is not None and not 1 <= count <= MOST_VALUES:
        raise ScenarioError(f"a range must have 1 to {MOST_VALUES:,} values, got {count} for {path}")
    if log and low <= 0.0:
        raise ScenarioError(f"a logarithmic range must begin above 0, got {low:g} for {path}")
    if whole and (low != round(low) or high != round(high)):
        raise ScenarioError(f"{path} takes whole numbers, got the range {low:g}:{high:g}")
    return Axis(path, low=low, high=high, count=count, log=log, whole=whole)


def _is_number(scenario: Scenario, path: str) -> bool:
    return bool({int, float} & _types_at(scenario, path))


def _is_whole(scenario: Scenario, path: str) -> bool:
    kinds = _types_at(scenario, path)
    return int in kinds and float not in kinds


def _types_at(scenario: Scenario, path: str) -> set[Any]:
    field = field_at(scenario, path)
    return {field.annotation, *get_args(field.annotation)} if field is not None else set()
