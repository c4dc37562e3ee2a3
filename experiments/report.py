"""Shared by all experiments: options, a table of results, and a figure."""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from versions import record

ROOT = Path(__file__).resolve().parent.parent
COLORS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
)  # Okabe and Ito: safe for colour-blind readers


class Experiment:
    """Options, clock, table and figure of one experiment.

    Args:
        name: Of the figure and the table.
        claim: What was published, in a sentence or two.
        seeds: Number of seeds, if the user may choose the first one. Seeds from the first ones may have been used for
        tuning, so others get a separate figure and table.
    """

    def __init__(self, name: str, claim: str, seeds: int = 0) -> None:
        parser = argparse.ArgumentParser(description=claim)
        parser.add_argument(
            "--quick", action="store_true", help="small and rough: under a minute, nothing kept"
        )
        parser.add_argument(
            "--full", action="store_true", help="the sizes of the paper, where they are larger"
        )
        parser.add_argument("--out", type=Path, default=None, help="folder for figure and table")
        if seeds:
            parser.add_argument("--first-seed", type=int, default=0, help=f"the first of {seeds} seeds")
        chosen = parser.parse_args()
        self.name, self.claim, self.quick = name, claim, chosen.quick
        self.full = chosen.full and not chosen.quick
        first = chosen.first_seed if seeds else 0
        self.seeds = range(first, first + self.size(seeds, 2))
        if first:
            self.name += f"-from-{first}"
        # A quick run never replaces the figure of a full one.
        folder = chosen.out or (Path("experiments-quick") if chosen.quick else None)
        self.images = folder or ROOT / "docs" / "images"
        self.tables = folder or ROOT / "experiments" / "results"
        self.begun = time.perf_counter()
        print(f"{name}: {claim}")

    def size(self, full: int, quick: int) -> int:
        """The size of the experiment."""
        return quick if self.quick else full

    def pick(self, quick: Any, usual: Any, full: Any) -> Any:
        """A size that is larger with --full."""
        return quick if self.quick else full if self.full else usual

    def say(self, text: str) -> None:
        """Print a line of progress."""
        print(f"[{time.perf_counter() - self.begun:6.0f} s] {text}", flush=True)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Write all numbers of the figure as CSV."""
        self.tables.mkdir(parents=True, exist_ok=True)
        path = self.tables / f"{self.name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows([[f"{v:.5g}" if isinstance(v, float) else v for v in row] for row in rows])
        if self.tables == ROOT / "experiments" / "results":
            record(path, Path(sys.argv[0]))
        self.say(f"table: {path}")

    def figure(self, count: int, width: float = 4.2, height: float = 3.3) -> Any:
        """Axes in one row, or in two from four on; returns (figure, list of axes)."""
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        rows = 1 if count < 4 else 2
        columns = -(-count // rows)
        figure, axes = pyplot.subplots(
            rows, columns, figsize=(width * columns, height * rows), layout="constrained", squeeze=False
        )
        axes = list(axes.ravel())
        for ax in axes:
            ax.spines[["top", "right"]].set_visible(False)
        return figure, axes

    def save(self, figure: Any) -> None:
        """Write the figure."""
        self.images.mkdir(parents=True, exist_ok=True)
        path = self.images / f"{self.name}.png"
        figure.savefig(path, dpi=100)
        self.say(f"figure: {path}")
