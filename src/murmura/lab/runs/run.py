"""A recorded run, read lazily. The files of its folder are described in docs/runs.md."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from murmura.core.errors import RunError, ScenarioError, UnknownNameError
from murmura.core.extras import needs
from murmura.engine.simulation import Simulation
from murmura.lab.damage import Damage, OnDamage, warn_of_damage
from murmura.lab.files.json_lines import read_rows
from murmura.lab.runs.checkpoints import whole_checkpoints
from murmura.lab.runs.manifest import LARGEST_STEP, read_manifest, sha256
from murmura.lab.runs.reading.frames import Frames
from murmura.lab.units import velocity_unit
from murmura.scenario import Scenario
from murmura.scenario.about import html_table
from murmura.scenario.files import LARGEST_FILE, load_recorded
from murmura.scenario.plain_files import read_plain_file
from murmura.scenario.plugins import plugins as loaded_plugins

if TYPE_CHECKING:
    import networkx
    import pandas
    import polars
    import xarray
    from scipy.sparse import csr_array

    from murmura.engine.lineage import Lineage
    from murmura.engine.reading.facts import Event
    from murmura.lab.verify import Report
    from murmura.measure import Flock
    from murmura.measure.atmosphere import Period, Thresholds

CONFIG, TRAJECTORY, METRICS, EVENTS = "config.json", "run.gsd", "metrics.jsonl", "events.jsonl"
TRACKS = "tracks.json"
"""For tracked animals: the source files, and how the tracks were processed."""
Table = Literal["trajectory", "metrics", "events"]


class Run:
    """A recorded run; it may still be running, or have been killed."""

    def __init__(self, folder: Path, on_damage: OnDamage = warn_of_damage) -> None:
        self.folder = folder
        found = read_manifest(folder, on_damage)
        self.manifest: dict[str, Any] = found.model_dump(exclude={"seal"})
        self.unknown: list[str] = []
        """Rules and kinds of hunters that are not registered here: the scenario is without them."""
        try:
            self.scenario: Scenario = self._scenario(on_damage)
        except (ScenarioError, UnknownNameError) as error:
            raise RunError(f"the run in {folder} cannot be read: {error}{self._where_from()}") from None

    def check_known(self) -> None:
        """Raise if the run cannot be continued or repeated, because some of its rules are not registered here."""
        if self.unknown:
            raise RunError(
                f"the run in {self.folder} can be looked at, but not continued: {', '.join(self.unknown)} "
                f"{'is' if len(self.unknown) == 1 else 'are'} not known here{self._where_from()}"
            )

    def _where_from(self) -> str:
        files, plugins = self.manifest["recording"]["rule_files"], self.manifest["plugins"]
        hint = f". It was made with --rules {' --rules '.join(files)}: load these first" if files else ""
        installed = {plugin.name for plugin in loaded_plugins()}
        absent = [about.partition(" sha256:")[0] for name, about in plugins.items() if name not in installed]
        return hint + (f". It was made with plugins: install {', '.join(absent)}" if absent else "")

    def _scenario(self, on_damage: OnDamage) -> Scenario:
        """The scenario of config.json or, if that is damaged, of a checkpoint."""
        path = self.folder / CONFIG
        damage = small_damage(path, self.manifest["files"].get(CONFIG))
        if damage is None:
            scenario, self.unknown = load_recorded(path)
            return scenario
        for _, found in whole_checkpoints(self.folder, []):
            if found.seed == self.seed:
                on_damage(replace(damage, what=f"{damage.what}; the scenario was read from a checkpoint"))
                return found.scenario
        raise RunError(f"{damage}, and no checkpoint contains the scenario")

    @property
    def seed(self) -> int:
        return int(self.manifest["seed"])

    @property
    def velocity_unit(self) -> str:
        """The unit of velocities in `frames`: u/s, or u/tick. Tables and exports have u/s, as measures do."""
        return velocity_unit(self.scenario)

    @property
    def is_tracked(self) -> bool:
        """Whether these are tracked animals and not a simulation."""
        return TRACKS in self.manifest["files"]

    @property
    def status(self) -> str:
        """running (or killed), finished, interrupted or failed."""
        return str(self.manifest["status"])

    @property
    def final_hash(self) -> str | None:
        """State hash at the end; None while the run is unfinished."""
        found: str | None = self.manifest["final_hash"]
        return found

    @cached_property
    def frames(self) -> Frames:
        """The recorded frames, as a sequence: `len`, index, slice, iterate."""
        found = Frames(self.folder / TRAJECTORY, self.scenario)
        count = self.manifest["counts"].get(TRAJECTORY)
        if count is not None and count != len(found):
            warn_of_damage(
                Damage(self.folder / TRAJECTORY, f"it has {len(found):,} frames, expected {count:,}")
            )
        return found

    def flocks(self, every: int = 1) -> Iterator[Flock]:
        """Every frame, or every n-th, as a flock for measures; previous velocities are those of the previous frame."""
        from murmura.lab.observations import flocks_of

        return flocks_of(self, every)

    def metrics(self) -> Iterator[dict[str, float]]:
        """Iterate over the measured steps; NaN if a measure is undefined or was not computed."""
        for row in self.rows("metrics"):
            yield {key: math.nan if value is None else value for key, value in row.items()}

    def events(self) -> Iterator[Event]:
        """Iterate over the events of the run."""
        return cast("Iterator[Event]", self.rows("events"))

    def rows(
        self, table: Literal["metrics", "events"], on_damage: OnDamage = warn_of_damage
    ) -> Iterator[dict[str, Any]]:
        """The rows of a table; `on_damage` is called for damaged lines."""
        name, check = (METRICS, check_metrics) if table == "metrics" else (EVENTS, check_event)
        # While a run is in progress, and after it was killed, the number of lines is unknown.
        return read_rows(self.folder / name, self.manifest["counts"].get(name), check, on_damage)

    def verify(self) -> Report:
        """Read the whole folder and compare it with its checksums."""
        from murmura.lab.verify import verify_run

        return verify_run(self.folder)

    def lineage(self) -> Lineage:
        """All agents that ever lived, with parents, birth and death."""
        from murmura.lab.exports.lineage import lineage_of_run

        return lineage_of_run(self)

    def atmosphere(self, limits: Thresholds | None = None) -> list[Period]:
        """The periods of the run: mass extinction, mating season, predator dominance, starvation, boom."""
        from murmura.lab.runs.reading.atmosphere import atmosphere

        return atmosphere(self, limits)

    def final(self, backend: str = "auto", threads: int | None = None) -> Simulation:
        """The simulation at the end of the run."""
        problems: list[str] = []
        for path, found in whole_checkpoints(self.folder, problems):
            if found.state.digest(found.step_count) == self.final_hash:
                return Simulation.restore(path, backend, threads)
        if self.final_hash is None:
            problems.append("the run did not end")
        raise RunError(
            f"{self.folder} has no final state: {'; '.join(problems) or 'no checkpoint contains it'}"
        )

    @overload
    def network(self, frame: int, to: Literal["scipy"] = "scipy") -> csr_array: ...
    @overload
    def network(self, frame: int, to: Literal["networkx"]) -> networkx.DiGraph: ...
    def network(self, frame: int, to: Literal["scipy", "networkx"] = "scipy") -> csr_array | networkx.DiGraph:
        """Who perceives whom in a frame.

        Args:
            frame: Its number.
            to: "scipy" for a sparse array of bool, in which entry (i, j) is set if agent i of the frame perceives agent
                j, or "networkx" for a directed graph of ids with positions, velocities and species.
        """
        from murmura.lab.exports.network import graph, network

        return network(self, self.frames[frame]) if to == "scipy" else graph(self, self.frames[frame], to)

    def to_xarray(self) -> xarray.Dataset:
        """The frames as an xarray dataset with dimensions step, agent and axis, read lazily."""
        from murmura.lab.exports.tables import dataset

        return dataset(self)

    def to_polars(self, table: Table = "trajectory") -> polars.LazyFrame:
        """A table with a row for each agent in each frame, for each measured step, or for each event."""
        from murmura.lab.exports.tables import lazy_frame

        return lazy_frame(self, table)

    def to_pandas(self, table: Table = "trajectory") -> pandas.DataFrame:
        """The same as a pandas table, in memory."""
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
    """Open a run folder. Damaged parts raise a `DamageWarning`, and the rest is read."""
    return Run(Path(folder))


def small_damage(path: Path, expected: str | None) -> Damage | None:
    """The damage of a small file whose SHA-256 is known, if any."""
    try:
        found = sha256(read_plain_file(path, LARGEST_FILE))
    except OSError as error:
        return Damage(path, f"it cannot be read: {error.strerror}")
    except ValueError as error:
        return Damage(path, str(error))
    if found == expected:
        return None
    return Damage(
        path, f"its content has changed (SHA-256 {found[:12]}..., expected {(expected or 'none')[:12]}...)"
    )


def check_metrics(row: dict[str, Any]) -> None:
    """Refuse a row of metrics that contains anything but numbers and null."""
    check_step(row)
    if row.get("time") is None:
        raise ValueError("it has no time")
    for name, value in row.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise ValueError(f"{name} must be a number, got {value!r:.40}")


def check_event(row: dict[str, Any]) -> None:
    """Refuse an event without a kind or a step."""
    check_step(row)
    if not isinstance(row.get("kind"), str):
        raise ValueError(f"kind must be text, got {row.get('kind')!r:.40}")


def check_step(row: dict[str, Any]) -> None:
    step = row.get("step")
    if isinstance(step, bool) or not isinstance(step, int) or not 0 <= step <= LARGEST_STEP:
        raise ValueError(f"step must be a whole number of at least 0, got {step!r:.40}")
