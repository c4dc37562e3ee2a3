"""Verifies a folder: reads a whole run or sweep and compares it with its checksums.

Checksums protect against accidents: disks, transfers, editors. They do not prove who wrote a folder.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from murmura.core.errors import MurmuraError
from murmura.engine import checkpoint
from murmura.lab.damage import Damage, DamageError
from murmura.lab.gsd.reader import GsdReader
from murmura.lab.runs.checkpoints import SLOTS
from murmura.lab.runs.early_end import never_came_far
from murmura.lab.runs.reading.frames import Frames
from murmura.lab.runs.run import CONFIG, EVENTS, METRICS, TRAJECTORY, Run, small_damage
from murmura.lab.sweeps.design import SEARCH
from murmura.lab.sweeps.folder import ROWS, Sweep
from murmura.lab.sweeps.tables import CELLS, TABLE
from murmura.scenario.plain_files import file_hash, open_plain_file


@dataclass
class Report:
    """The result of verifying a folder.

    Attributes:
        folder: The folder.
        kind: "run" or "sweep".
        checked: What was read, with counts.
        damages: The damages, in the order in which they were found.
        notes: What could not be checked, and why.
    """

    folder: Path
    kind: Literal["run", "sweep"]
    checked: dict[str, int] = field(default_factory=dict)
    damages: list[Damage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is damaged."""
        return not self.damages

    def data(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "folder": str(self.folder),
            "kind": self.kind,
            "whole": self.is_whole,
            "checked": self.checked,
            "damages": [damage.data() for damage in self.damages],
            "notes": self.notes,
        }


def verify_run(folder: Path) -> Report:
    """Read a whole run: manifest, small files, every frame, every line, both checkpoints."""
    report = Report(folder, "run")
    run = Run(folder, report.damages.append)
    begins_again = run.status == "running" and never_came_far(folder)
    if begins_again:
        report.notes.append(
            "the run was stopped before its first checkpoint: `murmura resume` starts it again from its first step"
        )
    elif not run.manifest["hashes"]:
        report.notes.append("the run did not end: its number of frames and lines is unknown")
    small = {name: found for name, found in run.manifest["files"].items() if name != CONFIG}
    damages = [small_damage(folder / name, expected) for name, expected in small.items()]
    report.damages += [damage for damage in damages if damage is not None]
    report.checked["files"] = 2 + len(small)
    if begins_again:
        return report
    report.checked["frames"] = _verify_frames(run, report)
    for table, name in (("metrics", METRICS), ("events", EVENTS)):
        report.checked[table] = _verify_lines(run, table, name, report)
    report.checked["checkpoints"] = _verify_checkpoints(run, report)
    return report


def _verify_frames(run: Run, report: Report) -> int:
    path, before = run.folder / TRAJECTORY, len(report.damages)
    expected = run.manifest["counts"].get(TRAJECTORY)
    try:
        frames = Frames(path, run.scenario)
        good = len(frames.sound(report.damages.append))
    except DamageError as error:
        report.damages.append(error.damage)
        return 0
    except MurmuraError as error:
        report.damages.append(Damage(path, str(error)))
        return 0
    if expected is not None and len(frames) != expected:
        report.damages.append(Damage(path, f"it has {len(frames):,} frames, expected {expected:,}"))
    known = run.manifest["hashes"].get(TRAJECTORY)
    if known is not None and len(report.damages) == before:
        with GsdReader(path) as reader:
            if reader.checked(len(reader)).hexdigest() != known:
                report.damages.append(Damage(path, "its frames have changed"))
            elif (size := path.stat().st_size) != (end := reader.extent(len(reader))[1]):
                report.damages.append(Damage(path, f"it has {size:,} bytes, expected {end:,}"))
    return good


def _verify_lines(run: Run, table: Any, name: str, report: Report) -> int:
    path, before, count = run.folder / name, len(report.damages), 0
    try:
        for _ in run.rows(table, report.damages.append):
            count += 1
        known = run.manifest["hashes"].get(name)
        if known is not None and len(report.damages) == before and file_hash(path) != known:
            report.damages.append(Damage(path, "its lines have changed"))
    except MurmuraError as error:
        report.damages.append(Damage(path, str(error)))
    return count


def _verify_checkpoints(run: Run, report: Report) -> int:
    good, ends, before = 0, False, len(report.damages)
    known, there = run.manifest["checkpoints"], [name for name in SLOTS if (run.folder / name).exists()]
    # The first of the two is always written first.
    expected = set(known) or {*SLOTS[: 1 + SLOTS.index(max(there))]} if there or known else set()
    report.damages += [Damage(run.folder / name, "it is missing") for name in sorted(expected - {*there})]
    if run.unknown:
        return good + _verify_bytes(run, [name for name in there if name in known], report)
    for path in (run.folder / name for name in there):
        try:
            found = checkpoint.load(path)
        except MurmuraError as error:
            report.damages.append(Damage(path, str(error)))
            continue
        if found.seed != run.seed or found.scenario != run.scenario:
            report.damages.append(Damage(path, "it belongs to another run"))
            continue
        if known.get(path.name, "") and file_hash(path) != known[path.name]:
            report.damages.append(Damage(path, "it is not the one that the run wrote last"))
            continue
        good += 1
        ends |= found.state.digest(found.step_count) == run.final_hash
    if run.final_hash is not None and not ends and len(report.damages) == before:
        report.damages.append(Damage(run.folder / SLOTS[0], "neither checkpoint contains the final state"))
    return good


def _verify_bytes(run: Run, names: list[str], report: Report) -> int:
    """Compare checkpoints that cannot be read here, because some of their rules are not known, with their hashes."""
    known = run.manifest["checkpoints"]
    changed = [name for name in names if file_hash(run.folder / name) != known[name]]
    report.damages += [Damage(run.folder / name, "its content has changed") for name in changed]
    return len(names) - len(changed)


def verify_sweep(folder: Path) -> Report:
    """Read a whole sweep: manifest, scenario, rows against checksums and design, tables against rows."""
    report = Report(folder, "sweep")
    on_damage = report.damages.append
    sweep = Sweep(folder, on_damage)
    report.checked["files"] = 2
    try:
        with closing(sweep.rows(on_damage=on_damage)) as rows:
            report.checked["rows"], done = len(rows), len(rows) == sweep.design.run_count
            for row in rows if sweep.kind != SEARCH else ():
                task = sweep.design.task(row["run"])
                if any(row[key] != task[key] for key in ("values", "seed")):
                    on_damage(Damage(folder / ROWS, f"run {row['run']} has other values than in the design"))
    except MurmuraError as error:
        on_damage(Damage(folder / ROWS, str(error)))
        return report
    if not done:
        report.notes.append(f"{report.checked['rows']:,} of {sweep.design.run_count:,} runs are done")
    for name, lines in ((TABLE, sweep.runs), (CELLS, sweep.cells)):
        if done and not report.damages and (folder / name).exists():
            report.checked[name] = _verify_table(folder / name, lines, on_damage)
    return report


def _verify_table(path: Path, lines: Callable[[], Iterator[Any]], on_damage: Callable[[Damage], None]) -> int:
    """Compare a table with the rows it was made from."""
    count = 0
    with open_plain_file(path) as raw, io.TextIOWrapper(raw, "utf-8", "replace", newline="") as file:
        found = csv.reader(file)
        try:
            header = next(found, [])
            for number, line in enumerate(lines(), 2):
                told = ["" if line.get(name) is None else str(line[name]) for name in header]
                if next(found, None) != told:
                    on_damage(Damage(path, "it does not match the rows", line=number))
                    return count
                count += 1
            if next(found, None) is not None:
                on_damage(Damage(path, "it has more lines than there are rows", line=count + 2))
        except csv.Error as error:
            on_damage(Damage(path, str(error)))
    return count
