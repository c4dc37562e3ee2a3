"""Lesson cards: experiments that set up a scene, ask a question and show the answer, from files that teachers write.

A lesson is a TOML file with `title`, `scene` (a shipped scenario), optional `values` (paths with values) and one or
more `steps`, each with what to `say`, and optionally what to `set`, what to `ask`, the `answer`, and a measure for the
`chart`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from murmura.core.errors import MurmuraError, ScenarioError, nearest
from murmura.scenario import load_scenario, scenario_names

SHIPPED = Path(str(resources.files("murmura") / "lessons"))
LARGEST_FILE = 64 * 1024
Value = float | int | bool | str | None


class Step(BaseModel):
    """One card."""

    model_config = ConfigDict(extra="forbid")

    say: str = Field(min_length=1, max_length=1000)
    set: dict[str, Value] = {}
    ask: str = Field("", max_length=500)
    answer: str = Field("", max_length=1000)
    chart: str = Field("", max_length=60)


class Lesson(BaseModel):
    """A file."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1, max_length=80)
    scene: str
    values: dict[str, Value] = {}
    steps: list[Step] = Field(min_length=1, max_length=20)


def read_lesson(path: Path) -> dict[str, Any]:
    """Read a lesson and check it together with its first scene; raises ScenarioError with the reason."""
    try:
        content = path.read_bytes()
        if len(content) > LARGEST_FILE:
            raise ScenarioError(
                f"{path}: a lesson may have at most {LARGEST_FILE:,} bytes, got {len(content):,}"
            )
        lesson = Lesson.model_validate(tomllib.loads(content.decode()))
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{path} is not a lesson: {_reason(error)}") from None
    if lesson.scene not in scenario_names():
        raise ScenarioError(
            f"{path}: no scene is called {lesson.scene!r}{nearest(lesson.scene, scenario_names())}"
        )
    try:
        scenario = load_scenario(lesson.scene).with_values(lesson.values)
        for step in lesson.steps:
            scenario = scenario.with_values(step.set)
    except MurmuraError as error:
        raise ScenarioError(f"{path}: {error}") from None
    return {"name": path.stem, **lesson.model_dump()}


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
