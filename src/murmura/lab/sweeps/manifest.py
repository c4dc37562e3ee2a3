"""sweep.json: the question of a sweep, its design, and what it was started with. It may come from anywhere, so it is
validated.

It has a seal (the SHA-256 of itself) and the SHA-256 of the scenario beside it, and every row has a checksum.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from murmura.core.errors import RunError, ScenarioError
from murmura.engine.arguments import LARGEST_SEED
from murmura.engine.checkpoint import seal
from murmura.lab.damage import Damage, OnDamage
from murmura.lab.runs.manifest import LARGEST_STEP
from murmura.lab.sweeps.axes import MOST_VALUES
from murmura.lab.sweeps.design import MOST_RUNS, SEARCH
from murmura.scenario.plain_files import parse_json, read_plain_file, write_atomically

MANIFEST = "sweep.json"
LARGEST_FILE = 64 * 2**20
Steps = Annotated[int, Field(ge=1, le=LARGEST_STEP)]


class StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class QuestionPart(StrictModel):
    """The settings common to all runs; the scenario has its own file."""

    steps: Steps
    discard: int = Field(ge=0, le=LARGEST_STEP)
    every: Steps
    measures: list[str] = Field(min_length=1)
    backend: str
    threads: int = Field(ge=1, le=256)
    costly: list[str] = []
    thin: int = Field(1, ge=1)
    rules: list[str]
    errors: bool = False


class AxisPart(StrictModel):
    path: str
    choices: list[Any] = Field(max_length=MOST_VALUES)
    low: float
    high: float
    count: int | None = Field(ge=1, le=MOST_VALUES)
    log: bool
    whole: bool

    @model_validator(mode="after")
    def _check(self) -> AxisPart:
        if not self.choices:
            if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
                raise ValueError(
                    f"a range must go from a lower to a higher number, got {self.low}:{self.high}"
                )
            if self.log and self.low <= 0.0:
                raise ValueError(f"a logarithmic range must begin above 0, got {self.low}")
        return self


class DensityPart(StrictModel):
    agents: int = Field(ge=1, le=2**31)
    sides: dict[Literal["world.width", "world.height", "world.depth"], Annotated[float, Field(gt=0.0)]] = (
        Field(min_length=2)
    )


class DesignPart(StrictModel):
    kind: str
    axes: list[AxisPart] = Field(min_length=1, max_length=1000)
    samples: int | None = Field(ge=1, le=MOST_RUNS)
    repeats: int = Field(ge=1, le=MOST_RUNS)
    seed: int = Field(ge=0, le=LARGEST_SEED)
    density: DensityPart | None = None

    @model_validator(mode="after")
    def _make_sense(self) -> DesignPart:
        if self.density is not None and "agents" not in {axis.path for axis in self.axes}:
            raise ValueError("at a constant density the number of agents must be varied")
        return self


class StartPart(StrictModel):
    """The arguments of the command line."""

    source: str
    changes: dict[str, Any]
    rules: list[str]
    rule_hashes: list[str] = []


class GoalPart(StrictModel):
    measure: str
    maximize: bool
    batch: int = Field(ge=1, le=MOST_RUNS)


class SweepManifest(StrictModel):
    """The whole file."""

    format: Literal[2]
    question: QuestionPart
    design: DesignPart
    points: str | None
    start: StartPart
    versions: dict[str, str]
    goal: GoalPart | None = None
    files: dict[str, str]
    rule_code: dict[str, str] = {}
    seal: str | None = None

    @model_validator(mode="after")
    def _check(self) -> SweepManifest:
        if (self.design.kind == SEARCH) != (self.goal is not None):
            raise ValueError("a search must have a goal, and nothing else may have one")
        if self.goal is not None and self.goal.measure not in self.question.measures:
            raise ValueError(f"the goal {self.goal.measure!r} is not measured")
        if not len(self.question.rules) == len(self.start.rules) == len(self.start.rule_hashes):
            raise ValueError("each rule file needs a path and a hash")
        if "murmura" not in self.versions:
            raise ValueError("versions must include that of murmura")
        if self.question.discard >= self.question.steps:
            raise ValueError("some steps must be left to measure")
        return self


def read_sweep_manifest(folder: Path, on_damage: OnDamage) -> dict[str, Any]:
    """Read and validate the manifest of a sweep; `on_damage` is called if it does not match its seal."""
    path = folder / MANIFEST
    try:
        data = parse_json(read_plain_file(path, LARGEST_FILE))
    except OSError as error:
        raise ScenarioError(
            f"{folder} is not the folder of a sweep: {error}. Make one with `murmura sweep`"
        ) from None
    except ValueError as error:
        raise RunError(f"the sweep in {folder} is damaged: {MANIFEST}: {error}") from None
    try:
        found = SweepManifest.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise RunError(
            f"the sweep in {folder} is damaged: {MANIFEST}: {where}: {first['msg']}, got {first['input']!r:.80}"
        ) from None
    if found.seal != seal(data):
        on_damage(Damage(path, "it does not match its seal: its content may be wrong"))
    return dict(data)


def write_sweep_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest atomically."""
    data = {key: value for key, value in manifest.items() if key != "seal"}
    data["seal"] = seal(data)
    write_atomically(folder / MANIFEST, (json.dumps(data, indent=2) + "\n").encode())
