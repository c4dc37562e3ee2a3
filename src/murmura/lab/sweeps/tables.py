"""The tables of a sweep, made from its rows: one line for each run, and one for each cell with mean and error.

table.csv   run, cell, repeat, seed, the varied paths, the measures, their errors in time and what `statistics` derives
            of order parameters, hash, error, and the command that replays it
cells.csv   cell, the varied paths, number of runs, mean and standard error of each measure over the repeats, errors in
            time and what is derived of all runs
Both are also written as Parquet if polars is installed.
"""

from __future__ import annotations

import csv
import importlib.util
import math
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from murmura.lab.files.atomic_write import atomic_write
from murmura.lab.sweeps.statistics import cell_columns, run_columns

TABLE, CELLS = "table.csv", "cells.csv"
ERROR = "_error"
"""Suffix of a measure's name for the standard error of its mean."""
SAFE = ". The rows are safe; repeat the command"


def replay_command(start: dict[str, Any], values: dict[str, Any], seed: int) -> str:
    """The command that shows a run live: the options of the sweep, and the values of the run."""
    words = ["murmura", "live", start["source"], "--seed", str(seed)]
    for path, value in (start["changes"] | values).items():
        words += ["--set", f"{path}={_word(value)}"]
    for file in start["rules"]:
        words += ["--rules", file]
    return shlex.join(words)


def _word(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value)


@dataclass(frozen=True)
class Lines:
    """The lines of both tables of a sweep.

    Attributes:
        repeats: Runs per cell.
        measures: Names of measures.
        start: What the sweep was started with, for replay commands.
        errors: Whether there are errors in time.
    """

    repeats: int
    measures: tuple[str, ...]
    start: dict[str, Any]
    errors: bool = False

    def of_runs(self, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """One flat line for each row; undefined measures and those of failed runs are None."""
        for row in rows:
            cell, repeat = divmod(row["run"], self.repeats)
            found = row.get("measures", {})
            yield {
                "run": row["run"],
                "cell": cell,
                "repeat": repeat,
                "seed": row["seed"],
                **row["values"],
                **{name: found.get(name) for name in self.measures},
                **(run_columns(row, self.measures) if self.errors else {}),
                "hash": row.get("hash"),
                "error": row.get("error"),
                "replay": replay_command(self.start, row["values"], row["seed"]),
            }

    def of_cells(self, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """One flat line for each cell; the command replays its first run."""
        for cell, group in groupby(rows, key=lambda row: row["run"] // self.repeats):
            members = list(group)
            good = [row["measures"] for row in members if "measures" in row]
            line: dict[str, Any] = {"cell": cell, **members[0]["values"], "runs": len(good)}
            for name in self.measures:
                line[name], line[name + ERROR] = mean_and_error([found.get(name) for found in good])
            if self.errors:
                line |= cell_columns([row for row in members if "measures" in row], self.measures)
            line["replay"] = replay_command(self.start, members[0]["values"], members[0]["seed"])
            yield line


def mean_and_error(values: Iterable[float | None]) -> tuple[float | None, float | None]:
    """Mean and standard error of the defined values; the error needs at least two."""
    known = [value for value in values if value is not None]
    if not known:
        return None, None
    mean = math.fsum(known) / len(known)
    if len(known) < 2:
        return mean, None
    variance = math.fsum((value - mean) ** 2 for value in known) / (len(known) - 1)
    return mean, math.sqrt(variance / len(known))


def write_table(path: Path, lines: Iterator[dict[str, Any]]) -> None:
    """Write lines as CSV, atomically, and as Parquet if polars is installed."""
    with (
        atomic_write(path, comfort=SAFE) as (temporary,),
        temporary.open("w", newline="", encoding="utf-8") as file,
    ):
        first = next(lines, None)
        if first is not None:
            writer = csv.DictWriter(file, list(first), lineterminator="\n")
            writer.writeheader()
            writer.writerow(first)
            writer.writerows(lines)
    if first is not None and importlib.util.find_spec("polars") is not None:
        import polars

        with atomic_write(path.with_suffix(".parquet"), comfort=SAFE) as (temporary,):
            polars.scan_csv(path, infer_schema_length=None).sink_parquet(temporary)
