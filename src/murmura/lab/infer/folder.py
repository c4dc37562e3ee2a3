"""The folder of an inference.

infer.json      what was asked, and for each model its numbers, errors, profiles and scores
estimates.csv   the numbers of all models, a line each
scores.csv      how well each model, and each baseline, predicts motion that it was not fitted to
stages.json     what the finished stages found, until all are finished
best/           the best model, simulated from the run's first frame and recorded as a run
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from murmura.lab.damage import warn_of_damage
from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.files.task_folder import Manifest, TaskFolder
from murmura.scenario import Scenario
from murmura.scenario.plain_files import write_atomically

RESULT, TABLE, SCORES, STAGES = "infer.json", "estimates.csv", "scores.csv", "stages.json"
BEST, LOCK = "best", "infer.lock"
COLUMNS = ("model", "path", "value", "error", "low", "high", "smooth")
SCORE_COLUMNS = ("model", "likelihood", "error", "explained", "likelihood_animals", "error_animals")


class InferManifest(Manifest):
    """infer.json, as far as readers rely on it."""

    model_config = ConfigDict(extra="allow", strict=True)

    asked: dict[str, Any] = {}
    models: list[dict[str, Any]] = Field(min_length=1)
    baselines: dict[str, Any]


FOLDER = TaskFolder(
    "inference", "murmura infer", InferManifest, RESULT, LOCK, own_files=(LOCK, RESULT, TABLE, SCORES, STAGES),
    beginning=(STAGES, TABLE, SCORES, BEST),
)  # fmt: skip
is_inference = FOLDER.holds


@dataclass(frozen=True)
class Inference:
    """A finished inference in its folder."""

    folder: Path
    data: dict[str, Any]

    @property
    def models(self) -> list[dict[str, Any]]:
        """For each model: name, estimates, noise, scores, the share of each rule, warnings and free forces."""
        found: list[dict[str, Any]] = self.data["models"]
        return found

    @property
    def names(self) -> list[str]:
        return [str(model["name"]) for model in self.models]

    @property
    def best(self) -> dict[str, Any]:
        """The model that predicts best what it was not fitted to."""
        return max(self.models, key=lambda model: float(model["held_out_time"]["likelihood"]))

    def table(self, model: int = 0) -> dict[str, dict[str, float]]:
        """Each number by path: value, error, low and high (90 %)."""
        keys = ("value", "error", "low", "high")
        return {line["path"]: {key: line[key] for key in keys} for line in self.models[model]["estimates"]}

    def scenario(self, model: int = 0) -> Scenario:
        """A model with the estimated numbers."""
        return Scenario.from_data(self.models[model]["scenario"])

    def __repr__(self) -> str:
        return f"<Inference of {' and '.join(self.names)}: {self.folder}>"


def open_inference(folder: str | Path) -> Inference:
    """Open the folder of an inference."""
    place = Path(folder)
    return Inference(place, FOLDER.read(place, warn_of_damage).data)


def write_inference(folder: Path, data: dict[str, Any]) -> Inference:
    """Write the result and its table."""
    lines = [{"model": model["name"], **line} for model in data["models"] for line in model["estimates"]]
    _write_table(folder / TABLE, COLUMNS, lines)
    _write_table(folder / SCORES, SCORE_COLUMNS, _scores(data))
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    write_atomically(folder / RESULT, text.encode())
    return Inference(folder, json.loads(text))


def _scores(data: dict[str, Any]) -> list[dict[str, Any]]:
    lines = [{"model": name, **score} for name, score in data["baselines"].items()]
    for model in data["models"]:
        line = {"model": model["name"], **model["held_out_time"]}
        animals = model["held_out_animals"]
        if animals is not None:
            line |= {"likelihood_animals": animals["likelihood"], "error_animals": animals["error"]}
        lines.append(line)
    return lines


def _write_table(path: Path, columns: tuple[str, ...], lines: list[dict[str, Any]]) -> None:
    with (
        atomic_write(path) as (temporary,),
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        table = csv.DictWriter(file, columns, restval="", extrasaction="ignore")
        table.writeheader()
        table.writerows(lines)
