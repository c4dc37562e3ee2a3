"""The folder of a fit: its files, its creation, and the check that only the same fit continues in it.

fit.json        models, priors, measures and observations; written first
rows.jsonl      a line for each run, on disk before it counts
result.json     generations, posterior, predictions and the best run, once it is finished
posterior.csv   the posterior as a table
best/           the best simulation, recorded as a run
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murmura.core.errors import RunError, ScenarioError
from murmura.lab.damage import OnDamage, warn_of_damage
from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.files.task_folder import TaskFolder, software_versions
from murmura.lab.fit.diagnosis import contraction
from murmura.lab.fit.manifest import FitManifest
from murmura.lab.fit.one_fit_run import FitQuestion
from murmura.lab.fit.summaries import distance_of
from murmura.lab.rule_code import RuleCode, check_rule_code
from murmura.lab.sweeps.axes import Axis
from murmura.lab.sweeps.rows import DAMAGED, Row, Rows
from murmura.scenario import Scenario
from murmura.scenario.plain_files import write_atomically

MANIFEST, ROWS, RESULT, TABLE, LOCK, BEST = (
    "fit.json",
    "rows.jsonl",
    "result.json",
    "posterior.csv",
    "fit.lock",
    "best",
)
FOLDER = TaskFolder(
    "fit", "murmura fit", FitManifest, MANIFEST, LOCK, own_files=(LOCK, MANIFEST, ROWS, DAMAGED, RESULT, TABLE),
    indent=1,
)  # fmt: skip
is_fit = FOLDER.holds
NOT_ASKED = ("versions", "format", "rule_code", "to")
"""What a manifest holds besides the fit that was asked for."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Fit:
    """A fit in its folder, finished or not."""

    def __init__(self, folder: Path, on_damage: OnDamage = warn_of_damage) -> None:
        self.folder = folder
        self.manifest = FOLDER.read(folder, on_damage)
        asked = self.manifest.data
        try:
            self.question = FitQuestion.from_data(asked["question"])
            self.axes = [[Axis.from_data(axis) for axis in model] for model in asked["axes"]]
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise FOLDER.damaged(folder, error) from None
        self.observed = {name: known_numbers(values) for name, values in self.manifest.observed.items()}

    @property
    def names(self) -> list[str]:
        """Names of the models."""
        return self.manifest.names

    @property
    def is_finished(self) -> bool:
        return (self.folder / RESULT).is_file()

    @cached_property
    def result(self) -> dict[str, Any]:
        """Generations, posterior, predictions and the best run, as plain data."""
        if not self.is_finished:
            raise RunError(f"the fit in {self.folder} is not finished: repeat its command to continue")
        return FOLDER.read_json(self.folder, RESULT)

    def scenario(self, model: int = 0) -> Scenario:
        """A model before its values are varied."""
        return Scenario.from_data(self.question.scenarios[model])

    def rows(self, writable: bool = False, on_damage: OnDamage = warn_of_damage) -> Rows:
        return Rows(
            self.folder / ROWS,
            self.manifest.most + self.manifest.predictions,
            writable,
            _check,
            on_damage,
        )

    @property
    def probabilities(self) -> dict[str, float]:
        """The probability of each model, with equal priors."""
        totals = dict.fromkeys(self.names, 0.0)
        for line in self.posterior():
            totals[line["model"]] += line["weight"]
        return totals

    def posterior(self, model: int | None = None) -> list[Row]:
        """A line for each accepted run of the last generation: model, run, seed, weight, distance, values by path."""
        lines = self.result["posterior"]
        return [
            {
                **{k: v for k, v in line.items() if k not in ("values", "drawn", "model")},
                "model": self.names[line["model"]],
            }
            | line["values"]
            for line in lines
            if model is None or line["model"] == model
        ]

    def table(self, model: int = 0) -> dict[str, dict[str, float]]:
        """Mean and quantiles of each path under the posterior of a model."""
        lines = self.posterior(model)
        weights = np.array([line["weight"] for line in lines])
        found = {}
        for axis in self.axes[model] if len(lines) else []:
            values = np.array([float(line[axis.path]) for line in lines])
            quantiles = weighted_quantiles(values, weights, QUANTILES)
            found[axis.path] = {
                "mean": float(np.average(values, weights=weights)),
                **{f"q{int(100 * share):02d}": q for share, q in zip(QUANTILES, quantiles, strict=True)},
            }
        return found

    @property
    def warnings(self) -> list[str]:
        """What is amiss with the fit, in sentences."""
        return [str(line) for line in self.result.get("warnings", [])]

    def contraction(self, model: int = 0) -> dict[str, float]:
        """By path, how much of the prior's variance is gone: 0 if the data say nothing, 1 if they determine it."""
        lines = self.posterior(model)
        weights = np.array([line["weight"] for line in lines])
        return {
            axis.path: contraction(axis, np.array([float(line[axis.path]) for line in lines]), weights)
            for axis in (self.axes[model] if lines else [])
        }

    def predictions(self, model: int | None = None) -> list[dict[str, NDArray[np.float64]]]:
        """The summaries of new runs drawn from the posterior."""
        with closing(self.rows()) as rows:
            found = [row for number in self.result["predictions"] if (row := rows.get(number)) is not None]
        return [
            {name: known_numbers(values) for name, values in row["summaries"].items()}
            for row in found
            if "summaries" in row and None not in row["summaries"].values() and model in (None, row["model"])
        ]

    def distances(self, model: int | None = None) -> dict[str, list[float]]:
        """The distance of each prediction from the observation, by measure."""
        drawn = self.predictions(model)
        return {
            name: [distance_of(name, self.manifest.metric)(one[name], self.observed[name]) for one in drawn]
            for name in self.question.measures
        }

    def write_table(self) -> None:
        lines = self.posterior()
        keys = list(dict.fromkeys(key for line in lines for key in line))
        with (
            atomic_write(self.folder / TABLE) as (temporary,),
            temporary.open("w", encoding="utf-8", newline="") as file,
        ):
            table = csv.DictWriter(file, keys, restval="")
            table.writeheader()
            table.writerows(lines)

    def __repr__(self) -> str:
        state = "finished" if self.is_finished else "not finished"
        return f"<Fit of {' and '.join(self.names)}, {state}: {self.folder}>"


def open_fit(folder: str | Path) -> Fit:
    """Open the folder of a fit."""
    return Fit(Path(folder))


@contextmanager
def claimed(
    folder: Path, asked: dict[str, Any], code: RuleCode, announce: Callable[[str], None]
) -> Iterator[Fit]:
    """Open or create the folder of a fit, locked for this process."""
    with FOLDER.claimed(folder):
        if is_fit(folder):
            there = Fit(folder)
            _compare(there, json.loads(json.dumps(asked)))
            check_rule_code(there.manifest.rule_code, code, folder, announce)
        else:
            versions = software_versions("pyabc", "numpy", "scipy")
            FOLDER.write(folder, format=1, **asked, rule_code=code, versions=versions)
        yield Fit(folder)


def write_result(folder: Path, result: dict[str, Any]) -> None:
    write_atomically(folder / RESULT, (json.dumps(result, indent=1, allow_nan=False) + "\n").encode())


def weighted_quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], shares: tuple[float, ...]
) -> list[float]:
    """Quantiles of a weighted sample, interpolated between the midpoints of the cumulative weights."""
    order = np.argsort(values, kind="stable")
    running = np.cumsum(weights[order])
    middles = (running - 0.5 * weights[order]) / running[-1]
    return [float(q) for q in np.interp(shares, middles, values[order])]


def _compare(there: Fit, asked: dict[str, Any]) -> None:
    """Raise unless the folder contains the same fit."""
    manifest = there.manifest.data
    differing = [key for key, value in asked.items() if key not in NOT_ASKED and manifest.get(key) != value]
    if differing:
        question = (manifest["question"], asked.get("question", {}))
        parts = [key for key in question[1] if question[0].get(key) != question[1][key]]
        named = [key for key in differing if key != "question"] + parts
        raise ScenarioError(
            f"{there.folder} contains another fit, which differs in {', '.join(named)}: choose another folder, or "
            f"continue that one with `murmura resume {there.folder}`"
        )


def _check(row: Row) -> None:
    """Refuse a row that cannot come from a fit."""
    if not isinstance(row.get("values"), dict) or not isinstance(row.get("model"), int):
        raise ValueError("expected a model and its values")
    if "error" not in row and not isinstance(row.get("summaries"), dict):
        raise ValueError("expected summaries or an error")


def known_numbers(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Numbers in the form of JSON, which has no NaN."""
    return np.array([np.nan if value is None else value for value in values], np.float64)
