"""The folder of a sweep: what it holds, how it is begun, and that only the same sweep goes on in it.

scenario.json   the scenario before values are varied
sweep.json      design, seeds, what was asked of each run, versions; written last, so who has it has everything
rows.jsonl      a line for each finished run, on the disk before it counts
table.csv, cells.csv   made from the rows at the end (see `sweep_tables`)
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from murmura import __version__
from murmura.core.errors import RunError, ScenarioError, UnknownNameError
from murmura.lab.extras import needs
from murmura.lab.sweep_axes import Axis
from murmura.lab.sweep_design import SEARCH, Design
from murmura.lab.sweep_rows import Row, Rows
from murmura.lab.sweep_run import Announce, Question
from murmura.lab.sweep_tables import CELLS, TABLE, cell_lines, run_lines, write_table
from murmura.scenario import Scenario, save_scenario, value_paths
from murmura.scenario.about import html_table

if TYPE_CHECKING:
    import polars

Table = Literal["runs", "cells"]
SCENARIO, MANIFEST, ROWS, LOCK = "scenario.json", "sweep.json", "rows.jsonl", "sweep.lock"


class Sweep:
    """A sweep in its folder, finished or not."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            scenario = json.loads((folder / SCENARIO).read_text(encoding="utf-8"))
            self.question = Question.from_data(self.manifest["question"] | {"scenario": scenario})
            self.design = Design.from_data(self.manifest["design"])
            self.start: dict[str, Any] = self.manifest["start"]
        except OSError as error:
            raise ScenarioError(
                f"{folder} is not the folder of a sweep: {error}. Make one with `murmura sweep`"
            ) from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise RunError(f"the sweep in {folder} is damaged: {MANIFEST}: {error}") from None

    @property
    def scenario(self) -> Scenario:
        """The scenario before values are varied."""
        return self.question.load()

    @property
    def paths(self) -> list[str]:
        """The varied paths."""
        return [axis.path for axis in self.design.axes]

    @property
    def measures(self) -> tuple[str, ...]:
        return self.question.measures

    def check_points(self) -> None:
        """Refuse to go on with, or to analyse, a design whose points come out otherwise than when it was begun."""
        if self.manifest["points"] != self.design.fingerprint:
            raise RunError(
                f"the design {self.kind} in {self.folder} has other points with the libraries installed here; use "
                f"those of {MANIFEST} there, or begin anew in another folder"
            )

    @property
    def kind(self) -> str:
        return self.design.kind

    def rows(self, writable: bool = False) -> Rows:
        return Rows(self.folder / ROWS, self.design.run_count, writable)

    def runs(self) -> Iterator[Row]:
        """A flat line for each finished run: its values, seed, measures, and the command that replays it."""
        with closing(self.rows()) as rows:
            yield from run_lines(rows, self.design.repeats, self.measures, self._shown)

    def cells(self) -> Iterator[Row]:
        """A flat line for each cell: its values, and mean and standard error of each measure over the repeats."""
        with closing(self.rows()) as rows:
            yield from cell_lines(rows, self.design.repeats, self.measures, self._shown)

    @property
    def _shown(self) -> dict[str, Any]:
        """How a command line finds the scenario: one that Python made is in this folder."""
        source = self.start["source"]
        return self.start | {"source": str(self.folder / SCENARIO) if source == SCENARIO else source}

    def to_polars(self, table: Table = "runs") -> polars.DataFrame:
        """A table with a line for each finished run, or for each cell."""
        with needs("analysis"):
            import polars
        return polars.DataFrame(self._lines(table), infer_schema_length=None)

    def to_pandas(self, table: Table = "runs") -> Any:
        """The same as a pandas table."""
        with needs("analysis"):
            import pandas
        return pandas.DataFrame(self._lines(table))

    def _lines(self, table: Table) -> list[Row]:
        if table not in ("runs", "cells"):
            raise UnknownNameError(f"a sweep has the tables runs and cells, got {table!r}")
        return list(self.runs() if table == "runs" else self.cells())

    def _repr_html_(self) -> str:
        with closing(self.rows()) as rows:
            done = sum(run in rows for run in range(self.design.run_count))
        facts = {
            "design": f"{self.kind}, {self.design.cell_count:,} cells x {self.design.repeats} repeats",
            "varied": ", ".join(self.paths),
            "done": f"{done:,} of {self.design.run_count:,} runs of {self.question.steps:,} steps",
            "measures": ", ".join(self.measures),
            "folder": self.folder,
        }
        return html_table(f"Sweep of {self.question.scenario['name']}", facts)

    def write_tables(self) -> None:
        write_table(self.folder / TABLE, self.runs())
        write_table(self.folder / CELLS, self.cells())


def open_sweep(folder: str | Path) -> Sweep:
    """Open the folder of a sweep, a sensitivity analysis or a search."""
    return Sweep(Path(folder))


def is_sweep(folder: str | Path) -> bool:
    """Whether a folder looks like one of a sweep."""
    return (Path(folder) / MANIFEST).is_file()


@contextmanager
def claimed(
    folder: str | Path,
    question: Question,
    design: Design,
    start: dict[str, Any],
    announce: Announce,
    **more: Any,
) -> Iterator[Sweep]:
    """The folder of a sweep, begun if it is new, for this process alone."""
    from filelock import FileLock, Timeout

    folder = Path(folder)
    scenario = question.load()
    asked = {
        "question": question.data(),
        "design": design.data(),
        "points": design.fingerprint,
        "start": start,
        **more,
    }
    del asked["question"]["scenario"]  # has a file of its own
    try:
        if folder.exists() and not is_sweep(folder) and not _is_free(folder):
            raise ScenarioError(f"{folder} is not empty and holds no sweep: name another folder")
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK)
        lock.acquire(timeout=0)
    except Timeout:
        raise ScenarioError(
            f"another process is at work on the sweep in {folder}; wait for it or stop it"
        ) from None
    except OSError as error:
        raise ScenarioError(f"cannot write to {folder}: {error}") from None
    try:
        if is_sweep(folder):
            there = open_sweep(folder)
            if design.kind == SEARCH and int(there.design.samples or 0) < int(design.samples or 0):
                # More trials: the same search, further on. Those it has are the first of those it will have.
                there.manifest["design"]["samples"] = design.samples
                _write_manifest(folder, there.manifest)
            _compare(there, asked, scenario, announce)
            there.check_points()
        else:
            _begin(folder, asked, scenario)
        yield open_sweep(folder)
    except OSError as error:
        raise RunError(f"cannot write the sweep to {folder}: {error}") from None
    finally:
        lock.release()


def _is_free(folder: Path) -> bool:
    """Whether a folder is empty, or holds what a sweep left that was stopped before it had begun."""
    names = {path.name for path in folder.iterdir()}
    return not names or (LOCK in names and names <= {LOCK, SCENARIO, ROWS, f".{MANIFEST}"})


def _begin(folder: Path, asked: dict[str, Any], scenario: Scenario) -> None:
    versions = {
        "murmura": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": version("numba"),
        "scipy": version("scipy"),
        "platform": platform.platform(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    save_scenario(scenario, folder / SCENARIO)
    (folder / ROWS).touch()
    # The manifest comes last: a folder that has one has everything.
    _write_manifest(folder, {**asked, "versions": versions})


def _write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    aside = folder / f".{MANIFEST}"
    with aside.open("w", encoding="utf-8") as file:
        file.write(json.dumps(manifest, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    aside.replace(folder / MANIFEST)


def _compare(there: Sweep, asked: dict[str, Any], scenario: Scenario, announce: Announce) -> None:
    """A folder is gone on with only by the very sweep that it holds."""
    asked = json.loads(json.dumps(asked))
    pairs = [(dict(value_paths(there.scenario)), dict(value_paths(scenario)))]
    for part, now in asked.items():
        before = there.manifest.get(part)
        if part == "points":
            continue  # follow from the design, and are checked by themselves
        pairs.append((before, now) if isinstance(before, dict) else ({part: before}, {part: now}))
    differences = [
        f"{name} was {_shown(name, before.get(name))}, now {_shown(name, now[name])}"
        for before, now in pairs
        for name in now
        # A scenario may be named, and its values changed, in other words; what came of it was compared.
        if before.get(name) != now[name] and name not in ("source", "changes")
    ]
    if differences:
        raise ScenarioError(
            f"{there.folder} holds another sweep: {'; '.join(differences)}. Name another folder, or go on "
            f"with that one by `murmura resume {there.folder}`"
        )
    begun_by = there.manifest["versions"]["murmura"]
    if begun_by != __version__:
        announce(f"this sweep was begun by murmura {begun_by}, and goes on with {__version__}")


def _shown(name: str, value: Any) -> str:
    if name == "axes" and value:
        return " ".join(str(Axis.from_data(axis)) for axis in value)
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
