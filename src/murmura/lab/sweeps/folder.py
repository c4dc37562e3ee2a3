"""The folder of a sweep: its files, its creation, and the check that only the same sweep is resumed in it.

scenario.json   the scenario before values are varied
sweep.json      design, seeds, settings of all runs, versions; written last, so that a folder with it is complete
rows.jsonl      a line for each finished run, on disk before it counts
table.csv, cells.csv   made from the rows at the end (see `tables`)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from murmura import __version__
from murmura.core.errors import MurmuraError, RunError, ScenarioError, UnknownNameError
from murmura.core.extras import needs
from murmura.lab.damage import OnDamage, refuse, warn_of_damage
from murmura.lab.files.task_folder import TaskFolder, software_versions
from murmura.lab.rule_code import check_rule_code, rule_code
from murmura.lab.runs.manifest import sha256
from murmura.lab.runs.run import small_damage
from murmura.lab.sweeps.axes import Axis
from murmura.lab.sweeps.design import MOST_RUNS, SEARCH, Design
from murmura.lab.sweeps.manifest import GoalPart, SweepManifest
from murmura.lab.sweeps.one_run import Question
from murmura.lab.sweeps.request import Announce
from murmura.lab.sweeps.rows import DAMAGED, Row, Rows, check_row
from murmura.lab.sweeps.tables import CELLS, TABLE, Lines, write_table
from murmura.scenario import Scenario, value_paths
from murmura.scenario.about import html_table
from murmura.scenario.files import json_content
from murmura.scenario.plain_files import write_atomically
from murmura.scenario.rule_files import rule_source

if TYPE_CHECKING:
    import polars

    from murmura.lab.verify import Report

Table = Literal["runs", "cells"]
SCENARIO, ROWS, MANIFEST, LOCK = "scenario.json", "rows.jsonl", "sweep.json", "sweep.lock"
FOLDER = TaskFolder(
    "sweep", "murmura sweep", SweepManifest, MANIFEST, LOCK,
    own_files=(LOCK, SCENARIO, MANIFEST, ROWS, DAMAGED, TABLE, CELLS), beginning=(SCENARIO, ROWS),
)  # fmt: skip
is_sweep = FOLDER.holds

MOST_PROBED = 20
"""Choices of an axis whose code is recorded."""


class Sweep:
    """A sweep in its folder, finished or not. Opening one executes no code: user-defined rules are not loaded."""

    def __init__(self, folder: Path, on_damage: OnDamage = warn_of_damage) -> None:
        self.folder = folder
        self.manifest = FOLDER.read(folder, on_damage)
        asked = self.manifest.data
        self.start: dict[str, Any] = asked["start"]
        scenario = self._read_scenario(on_damage)
        hashes = {"scenario": scenario, "rule_hashes": self.start.get("rule_hashes", [])}
        try:
            self.question = Question.from_data(asked["question"] | hashes)
            self.design = Design.from_data(asked["design"])
            if self.design.run_count > MOST_RUNS:
                raise ValueError(f"{self.design.run_count:,} runs, expected at most {MOST_RUNS:,}")
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
            raise FOLDER.damaged(folder, error) from None

    def _read_scenario(self, on_damage: OnDamage) -> dict[str, Any]:
        damage = small_damage(self.folder / SCENARIO, self.manifest.files.get(SCENARIO))
        if damage is not None:
            on_damage(damage)
        return FOLDER.read_json(self.folder, SCENARIO)

    @property
    def scenario(self) -> Scenario:
        """The scenario before values are varied. User-defined rules in it must be registered in this process."""
        try:
            return Scenario.from_data(self.question.scenario)
        except ScenarioError as error:
            if not self.question.rules:
                raise FOLDER.damaged(self.folder, error, SCENARIO) from None
            raise ScenarioError(f"{error}. {self._how_to_trust()}") from None

    def trusting(self, rules: Iterable[str | Path]) -> Question:
        """The question with rule files named by the user: a folder must not be able to choose code to execute.

        Each file must be identical to the one that the sweep was started with; its path does not matter.
        """
        files = tuple(rule_source(file) for file in rules)
        if self.question.rules and not files:
            raise ScenarioError(self._how_to_trust())
        if len(files) != len(self.question.rules):
            raise ScenarioError(
                f"the sweep in {self.folder} was made with {len(self.question.rules)} rule files, got "
                f"{len(files)}: {', '.join(files)}"
            )
        return replace(self.question, rules=files)

    def _how_to_trust(self) -> str:
        names = " ".join(f"--rules {file}" for file in self.question.rules)
        return (
            f"The sweep in {self.folder} was made with user-defined rules, which are never executed only because a "
            f"folder names them. If you trust them, add: {names}"
        )

    @property
    def paths(self) -> list[str]:
        """The varied paths."""
        return [axis.path for axis in self.design.axes]

    @property
    def measures(self) -> tuple[str, ...]:
        return self.question.measures

    @property
    def goal(self) -> GoalPart:
        """What a search looks for."""
        assert self.manifest.goal is not None, f"{self.folder} is no search"
        return self.manifest.goal

    def check_points(self) -> None:
        """Refuse to resume or analyse a design whose points differ from those at its start."""
        if self.manifest.points != self.design.fingerprint:
            raise RunError(
                f"the design {self.kind} in {self.folder} has other points with the installed libraries; use the "
                f"versions in its {MANIFEST}, or start again in another folder"
            )

    @property
    def kind(self) -> str:
        return self.design.kind

    def rows(self, writable: bool = False, on_damage: OnDamage = warn_of_damage) -> Rows:
        return Rows(self.folder / ROWS, self.design.run_count, writable, self._check_row, on_damage)

    def _check_row(self, row: Row) -> None:
        """Refuse a row that does not belong to this sweep. Only points of grids are compared; others cost too much."""
        check_row(row, self.design.paths, self.measures)
        if self.kind == "grid" and row["values"] != self.design.cell(row["run"] // self.design.repeats):
            raise ValueError(f"run {row['run']} has other values than its cell: {row['values']!r:.60}")

    def verify(self) -> Report:
        """Read the whole folder and compare it with its checksums, its design and its tables."""
        from murmura.lab.verify import verify_sweep

        return verify_sweep(self.folder)

    def runs(self) -> Iterator[Row]:
        """A flat line for each finished run: its values, seed, measures, and the command that replays it."""
        with closing(self.rows()) as rows:
            yield from self._table_lines.of_runs(rows)

    def cells(self) -> Iterator[Row]:
        """A flat line for each cell: its values, and mean and standard error of each measure over the repeats."""
        with closing(self.rows()) as rows:
            yield from self._table_lines.of_cells(rows)

    @property
    def _table_lines(self) -> Lines:
        source = self.start["source"]
        # On a command line, a scenario that was made in Python is the one in this folder.
        start = self.start | {"source": str(self.folder / SCENARIO) if source == SCENARIO else source}
        return Lines(self.design.repeats, self.measures, start, self.question.errors)

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

    def __repr__(self) -> str:
        return f"<Sweep {self.question.scenario['name']!r}, {self.design.run_count:,} runs: {self.folder}>"

    def write_tables(self) -> None:
        write_table(self.folder / TABLE, self.runs())
        write_table(self.folder / CELLS, self.cells())


def open_sweep(folder: str | Path) -> Sweep:
    """Open the folder of a sweep, a sensitivity analysis or a search.

    Damaged parts raise a `DamageWarning`, and the rest is read.
    """
    return Sweep(Path(folder))


@contextmanager
def claimed(
    folder: str | Path,
    question: Question,
    design: Design,
    start: dict[str, Any],
    announce: Announce,
    **more: Any,
) -> Iterator[Sweep]:
    """Open or create the folder of a sweep, locked for this process."""
    folder = Path(folder)
    scenario = question.base
    code = rule_code(_probes(scenario, design))
    asked = {
        "question": question.data(),
        "design": design.data(),
        "points": design.fingerprint,
        "start": start,
        **more,
    }
    for name in ("scenario", "rule_hashes", "rule_code"):  # stored elsewhere
        del asked["question"][name]
    with FOLDER.claimed(folder):
        if is_sweep(folder):
            there = Sweep(folder, refuse)
            if design.kind == SEARCH and int(there.design.samples or 0) < int(design.samples or 0):
                # More trials extend the same search: those it has are the first of them.
                there.manifest.design.samples = design.samples
                FOLDER.rewrite(folder, there.manifest)
            _compare(there, asked, scenario, announce)
            check_rule_code(there.manifest.rule_code, code, folder, announce)
            there.check_points()
        else:
            _begin(folder, asked | {"rule_code": code}, scenario)
        made = open_sweep(folder)
        # With the rule files at the user's paths, and what workers compare.
        made.question = replace(question, rule_code=rule_code([scenario]), errors=made.question.errors)
        yield made


def _probes(scenario: Scenario, design: Design) -> Iterator[Scenario]:
    """The scenario as it is and with each choice: between them they have the rules of all cells.

    Numbers need no other code, but naming one switches its rule on, so one of them is probed."""
    yield scenario
    for axis in design.axes:
        for value in (axis.at(0.0),) if axis.is_numeric else axis.choices[:MOST_PROBED]:
            with suppress(MurmuraError):  # the run itself will report it
                yield scenario.with_values({axis.path: value})


def _begin(folder: Path, asked: dict[str, Any], scenario: Scenario) -> None:
    versions = software_versions("numpy", "llvmlite", "scipy")
    content = json_content(scenario)
    write_atomically(folder / SCENARIO, content)
    write_atomically(folder / ROWS, b"")
    # The manifest is written last: a folder with one is complete.
    files = {SCENARIO: sha256(content)}
    FOLDER.write(folder, format=2, **asked, versions=versions, files=files)


def _compare(there: Sweep, asked: dict[str, Any], scenario: Scenario, announce: Announce) -> None:
    """Raise unless the folder contains the same sweep."""
    asked, manifest = json.loads(json.dumps(asked)), there.manifest.data
    pairs = [(dict(value_paths(there.scenario)), dict(value_paths(scenario)))]
    for part, now in asked.items():
        before = manifest.get(part)
        if part == "points":
            continue  # these follow from the design and are checked separately
        pairs.append((before, now) if isinstance(before, dict) else ({part: before}, {part: now}))
    differences = [
        f"{name} was {_shown(name, before.get(name))}, now {_shown(name, now[name])}"
        for before, now in pairs
        for name in now
        # The same scenario may be named in other ways: its values were compared, not its name. Rule files are compared
        # by hash, wherever they are. A sweep goes on with the columns that it began with.
        if before.get(name) != now[name] and name not in ("source", "changes", "rules", "errors")
    ]
    if differences:
        raise ScenarioError(
            f"{there.folder} contains another sweep: {'; '.join(differences)}. Choose another folder, or continue "
            f"that one with `murmura resume {there.folder}`"
        )
    begun_by = there.manifest.versions["murmura"]
    if begun_by != __version__:
        announce(f"this sweep was started with murmura {begun_by} and continues with {__version__}")


def _shown(name: str, value: Any) -> str:
    if name == "axes" and value:
        return " ".join(str(Axis.from_data(axis)) for axis in value)
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
