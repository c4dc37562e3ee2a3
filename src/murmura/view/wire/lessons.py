"""Lesson cards: small experiments that ask before they show, from files that teachers write.

A lesson is a TOML file with `title`, `scene` (a shipped scenario), and optionally `values` (paths with values), `seed`
and `skip` (seconds to let pass before the first card). Each of its `steps` has what to `say`; the rest is optional:
what to `ask` with `choices`, of which number `right` is true, the button `do` that sets what is in `set`, what happens
as `answer`, a value for the reader's own `turn`, a measure for the `chart`, what to `show`, another `scene`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache, reduce
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from murmura.core.errors import MurmuraError, ScenarioError, nearest
from murmura.scenario import Scenario, load_scenario, scenario_names
from murmura.scenario.plain_files import read_plain_file

SHIPPED = Path(str(resources.files("murmura") / "lessons"))
LARGEST_FILE = 64 * 1024
Value = float | int | bool | str | None


class Step(BaseModel):
    """One card."""

    model_config = ConfigDict(extra="forbid")

    say: str = Field(min_length=1, max_length=1000)
    set: dict[str, Value] = {}
    scene: str = ""
    ask: str = Field("", max_length=500)
    choices: list[str] = Field([], max_length=6)
    right: int = Field(0, ge=0)
    do: str = Field("", max_length=80)
    answer: str = Field("", max_length=1000)
    turn: str = Field("", max_length=80)
    chart: str = Field("", max_length=60)
    show: list[Literal["vision", "neighbors", "density"]] = []

    @model_validator(mode="after")
    def _fits(self) -> Step:
        if self.right > len(self.choices):
            raise ValueError(f"right is the number of a choice, 1 to {len(self.choices)}, got {self.right}")
        if self.do and not self.set:
            raise ValueError("do is a button that changes what is in set: give set too")
        return self


class Lesson(BaseModel):
    """A file."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1, max_length=80)
    scene: str
    values: dict[str, Value] = {}
    seed: int | None = None
    skip: float = Field(0.0, ge=0.0, le=120.0)
    steps: list[Step] = Field(min_length=1, max_length=20)


def read_lesson(path: Path) -> dict[str, Any]:
    """Read a lesson and check it together with its first scene; raises ScenarioError with the reason."""
    try:
        content = read_plain_file(path, LARGEST_FILE)
        lesson = Lesson.model_validate(tomllib.loads(content.decode()))
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{path} is not a lesson: {_reason(error)}") from None
    for scene in (lesson.scene, *(step.scene for step in lesson.steps if step.scene)):
        if scene not in scenario_names():
            raise ScenarioError(f"{path}: no scene is called {scene!r}{nearest(scene, scenario_names())}")
    try:
        _rehearse(lesson)
    except MurmuraError as error:
        raise ScenarioError(f"{path}: {error}") from None
    return {"name": path.stem, **lesson.model_dump()}


def _rehearse(lesson: Lesson) -> None:
    """Make all changes of a lesson, as a page would."""
    scenario = load_scenario(lesson.scene).with_values(lesson.values)
    for step in lesson.steps:
        scenario = (load_scenario(step.scene) if step.scene else scenario).with_values(step.set)
        if step.turn:
            scenario.with_values({step.turn: _number_at(scenario, step.turn)})


def _number_at(scenario: Scenario, path: str) -> Any:
    try:
        return reduce(getattr, path.split("."), scenario)
    except AttributeError:
        raise ScenarioError(f"turn must be the path of a value, got {path!r}") from None


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error)


def read_lessons(folders: Iterable[Path]) -> list[dict[str, Any]]:
    """All lessons of some folders, in the order of their file names, folder by folder."""
    found = []
    for folder in folders:
        if not folder.is_dir():
            raise ScenarioError(f"--lessons takes a folder with .toml files, got {folder}")
        found += [read_lesson(path) for path in sorted(folder.glob("*.toml"))]
    return found


@cache
def lessons_for(scene: str) -> list[dict[str, Any]]:
    """The shipped lessons that need no other scene than this one, for a page that has no other."""
    return [
        lesson
        for lesson in read_lessons([SHIPPED])
        if {lesson["scene"], *(step["scene"] for step in lesson["steps"])} <= {scene, ""}
    ]
