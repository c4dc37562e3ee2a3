"""Figures of runs: measures over time."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from murmura.core.errors import RunError
from murmura.lab.plot import SHARES, Wish, measure_label, register_plot
from murmura.lab.runs import Run


def _is_run(source: Any) -> bool:
    return isinstance(source, Run)


def _series(run: Run) -> dict[str, tuple[list[float], list[float]]]:
    """For each measure the times [s] at which it was taken and defined, and its values."""
    series: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for row in run.metrics():
        for name, value in row.items():
            if name not in ("step", "time") and isinstance(value, int | float) and math.isfinite(value):
                series[name][0].append(row["time"])
                series[name][1].append(value)
    if not series:
        raise RunError(f"the run in {run.folder} has no metrics yet")
    return series


@register_plot("series", "measures over time", _is_run)
def draw_series(run: Run, figure: Any, wish: Wish) -> None:
    """A small panel for each measure."""
    series = _series(run)
    names = wish.of or tuple(name for name in series if name != "agents")
    across = 1 if len(names) == 1 else 2
    rows = math.ceil(len(names) / across)
    figure.set_size_inches(wish.width, max(1.3 * rows, 0.55 * wish.width * (across == 1)))
    panels = figure.subplots(rows, across, sharex=True, squeeze=False)
    for panel in panels.flat[len(names) :]:
        panel.remove()
    for k, (panel, name) in enumerate(zip(panels.flat, names, strict=False)):
        panel.plot(*series[name])
        panel.set_title(measure_label(name), loc="left")
        if name in SHARES:
            panel.set_ylim(-0.03, 1.03)
        if k >= len(names) - across:
            panel.set_xlabel(measure_label("time"))
            panel.tick_params(labelbottom=True)
