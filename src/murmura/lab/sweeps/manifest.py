"""sweep.json: the question of a sweep, its design, and what it was started with.

It has the SHA-256 of the scenario beside it, and every row has a checksum.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from murmura.engine.arguments import LARGEST_SEED
from murmura.lab.files.task_folder import Manifest, StrictModel
from murmura.lab.runs.manifest import LARGEST_STEP
from murmura.lab.sweeps.axes import MOST_VALUES
from murmura.lab.sweeps.design import MOST_RUNS, SEARCH

Steps = Annotated[int, Field(ge=1, le=LARGEST_STEP)]


class QuestionPart(StrictModel):
    """The settings common to all runs; the scenario has its own file."""

    steps: Steps
    discard: int = Field(ge=0, le=LARGEST_STEP)
    every: Steps
    measures: list[str] = Field(min_length=1)
    backend: str
    threads: int = Field(ge=1, le=256)
    rules: list[str]
    costly: list[str] = []
    thin: int = Field(1, ge=1)
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
    def _check_density(self) -> DesignPart:
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


class SweepManifest(Manifest):
    """The whole file."""

    format: Literal[2]
    question: QuestionPart
    design: DesignPart
    points: str | None
    start: StartPart
    goal: GoalPart | None = None
    rule_code: dict[str, str] = {}
    versions: dict[str, str]
    files: dict[str, str]
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
