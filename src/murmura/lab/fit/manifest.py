"""fit.json: the models of a fit, their priors, the settings of all runs, and what was observed."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from murmura.engine.arguments import LARGEST_SEED
from murmura.lab.files.task_folder import Manifest, StrictModel
from murmura.lab.fit.request import METRICS
from murmura.lab.sweeps.manifest import AxisPart


class QuestionPart(StrictModel):
    """The settings common to all runs."""

    scenarios: list[dict[str, Any]] = Field(min_length=1)
    seconds: float
    discard: float
    instants: int = Field(ge=1)
    measures: list[str] = Field(min_length=1)
    interval: float
    reach: float
    radius: float
    starts: list[Any]
    backend: str
    threads: int
    rules: list[str]
    rule_hashes: list[str]
    kind: Literal["fit"]


class RunPart(StrictModel):
    """The run that is fitted to."""

    name: str
    hashes: dict[str, str]


class FitManifest(Manifest):
    """The whole file."""

    format: Literal[1]
    question: QuestionPart
    names: list[str]
    axes: list[list[AxisPart]]
    observed: dict[str, list[float | None]]
    run: RunPart
    population: int = Field(ge=1)
    generations: int = Field(ge=1)
    metric: str
    seed: int = Field(ge=0, le=LARGEST_SEED)
    batch: int = Field(ge=1)
    most: int = Field(ge=1)
    predictions: int = Field(ge=0)
    to: str = "RUN"
    rule_code: dict[str, str] = {}
    versions: dict[str, str]
    seal: str | None = None

    @model_validator(mode="after")
    def _check(self) -> FitManifest:
        if not len(self.names) == len(self.axes) == len(self.question.scenarios):
            raise ValueError("each model needs a name, a scenario and its ranges")
        if self.metric not in METRICS:
            raise ValueError(f"expected {' or '.join(METRICS)} for the metric, got {self.metric!r}")
        return self
