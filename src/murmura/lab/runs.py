"""A recorded run, read lazily. The files of its folder are described in docs/runs.md."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from murmura.core.errors import RunError, ScenarioError, UnknownNameError
from murmura.engine.simulation import Simulation
from murmura.lab.checkpoints import whole_checkpoints
from murmura.lab.extras import needs
from murmura.lab.lines import read_rows
from murmura.lab.manifest import read_manifest
from murmura.lab.trajectory import Frames
from murmura.scenario import Scenario, load_scenario
from murmura.scenario.about import html_table

if TYPE_CHECKING:
    import polars
    import xarray

    from murmura.engine.lineage import Lineage
    from murmura.measure.atmosphere import Spell, Thresholds

CONFIG, TRAJECTORY, METRICS, EVENTS = "config.json", "run.gsd", "metrics.jsonl", "events.jsonl"
Table = Literal["trajectory", "metrics", "events"]


class Run:
    """A recorded run; also one that is still going on, or that was killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        found = read_manifest(folder)
        self.manifest: dict[str, Any] = found.model_dump()
        try:
            self.scenario: Scenario = load_scenario(folder / CONFIG)
        except (ScenarioError, UnknownNameError) as error:
            files = found.recording.rule_files
            hint = f". It was made with --rules {' --rules '.join(files)}: load these first" if files else ""
            raise RunError(f"the run in {folder} cannot be read: {error}{hint}") from None

    @property
    def seed(self) -> int:
        return int(self.manifest["seed"])

    @property
    def status(self) -> str:
        """running (or killed), finished, interrupted or failed."""
        return str(self.manifest["status"])

    @property
    def final_hash(self) -> str | None:
        """State hash at the end; none while the run goes on."""
        found: str | None = self.manifest["final_hash"]
        return found

    @cached_property
    def frames(self) -> Frames:
        """What was recorded, as a sequence of frames: `len`, index, slice, iterate."""
        return Frames(self.folder / TRAJECTORY, self.scenario)

    def metrics(self) -> Iterator[dict[str, float]]:
        """The measured steps, one after the other; NaN where a measure is undefined or was not taken."""
        for row in read_rows(self.folder / METRICS):
            yield {key: math.nan if value is None else value for key, value in row.items()}

    def events(self) -> Iterator[dict[str, Any]]:
        """What happened to whom, one after the other."""
        return read_rows(self.folder / EVENTS)

    def lineage(self) -> Lineage:
        """Everybody who ever lived, with parents, birth and death."""
        from murmura.lab.lineage import lineage_of_run

        return lineage_of_run(self)

    def atmosphere(self, limits: Thresholds | None = None) -> list[Spell]:
        """The times it went through: mass extinction, mating season, predator dominance, starvation, boom."""
        from murmura.lab.atmosphere import atmosphere

        return atmosphere(self, limits)

    def final(self, backend: str = "auto", threads: int | None = None) -> Simulation:
        """The simulation as it was at the end."""
        problems: list[str] = []
        for path, found in whole_checkpoints(self.folder, problems):
            if found.state.digest(found.step_count) == self.final_hash:
                return Simulation.restore(path, backend, threads)
        if self.final_hash is None:
            problems.append("the run did not end")
        raise RunError(
            f"{self.folder} holds no final state: {'; '.join(problems) or 'no checkpoint is of it'}"
        )

    def to_xarray(self) -> xarray.Dataset:
        """The frames as arrays with named dimensions step, agent and axis; read when values are needed."""
        from murmura.lab.tables import dataset

        return dataset(self)

    def to_polars(self, table: Table = "trajectory") -> polars.LazyFrame:
        """A table with a row for each agent in each frame, for each measured step, or for each event."""
        from murmura.lab.tables import lazy_frame

        return lazy_frame(self, table)

    def to_pandas(self, table: Table = "trajectory") -> Any:
        """The same as a pandas table, which is in memory."""
        with needs("analysis"):
            return self.to_polars(table).collect().to_pandas()

    def _repr_html_(self) -> str:
        manifest = self.manifest
        facts = {
            "status": self.status,
            "steps": f"{manifest['steps_done']:,} of {manifest['steps']:,}",
            "frames": f"every {manifest['recording']['every']:,} steps",
            "seed": self.seed,
            "final state": (self.final_hash or "none yet")[:12],
            "folder": self.folder,
        }
        return html_table(f"Run of {manifest['scenario']}", facts)

    def __repr__(self) -> str:
        facts = self.manifest
        return f"<Run {facts['scenario']!r}, seed {self.seed}, {self.status}: {self.folder}>"


def open_run(folder: str | Path) -> Run:
    """Open a run folder."""
    return Run(Path(folder))
